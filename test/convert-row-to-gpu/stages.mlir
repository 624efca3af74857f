// What goes through workgroup memory: results, tiles that stay, copies of a lane, sums of
// a cluster; and the sums of a row before the end of the one before it.
// RUN: norm-opt %s --convert-row-to-gpu --split-input-file | FileCheck %s --enable-var-scope

// The lanes leave their results where x was; behind a fence and the barrier one lane sends
// the tile, and asks for the one that takes the place of the tile before it.
// CHECK-LABEL: gpu.func @from_stage(
// CHECK: nvvm.mbarrier.init
// CHECK: scf.for
// CHECK: nvvm.mbarrier.try_wait
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xi16>
// CHECK: llvm.store {{.*}} : vector<8xi16>, !llvm.ptr<3>
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: gpu.barrier
// CHECK: nvvm.cp.async.bulk.global.shared.cta
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK-NEXT: nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK: nvvm.cp.async.bulk.shared.cluster.global
// No workgroup ends before its results have been read.
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
module attributes {norm.target = #norm.target<"cuda:sm_90">} {
  func.func private @from_stage(%x: memref<?x64xbf16>, %y: memref<?x64xbf16>)
      attributes {plan.kernel, plan.collapsed, plan.aligned} {
    row.kernel ins(%x : memref<?x64xbf16>) outs(%y : memref<?x64xbf16>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 64, lanes_per_row = 8,
            rows_per_tile = 16, vector_elems = 8, loop = persistent, staging = async,
            stages = 2, store = from_stage, residency = registers>} {
    ^bb0(%in: memref<?x64xbf16>, %out: memref<?x64xbf16>):
      %t = row.load %in : memref<?x64xbf16> -> !row.tile<f32>
      row.store %t, %out : !row.tile<f32>, memref<?x64xbf16>
    }
    return
  }
}

// -----

// A stage of their own, one of two in turn: what was sent before has been read before the
// barrier.
// CHECK-LABEL: gpu.func @own_stage(
// CHECK: scf.for
// CHECK: llvm.store {{.*}} : vector<8xi16>, !llvm.ptr<3>
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK: gpu.barrier
// CHECK: nvvm.cp.async.bulk.global.shared.cta
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK-NOT: wait_group
// CHECK: nvvm.cp.async.bulk.shared.cluster.global
module attributes {norm.target = #norm.target<"cuda:sm_90">} {
  func.func private @own_stage(%x: memref<?x64xbf16>, %y: memref<?x64xbf16>)
      attributes {plan.kernel, plan.collapsed, plan.aligned} {
    row.kernel ins(%x : memref<?x64xbf16>) outs(%y : memref<?x64xbf16>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 64, lanes_per_row = 8,
            rows_per_tile = 16, vector_elems = 8, loop = persistent, staging = async,
            stages = 1, store = own_stage, residency = registers>} {
    ^bb0(%in: memref<?x64xbf16>, %out: memref<?x64xbf16>):
      %t = row.load %in : memref<?x64xbf16> -> !row.tile<f32>
      row.store %t, %out : !row.tile<f32>, memref<?x64xbf16>
    }
    return
  }
}

// -----

// Unaligned rows: no stages, whatever the tiling says.
// CHECK-LABEL: gpu.func @unaligned(
// CHECK-NOT: nvvm.
// CHECK: gpu.return
module attributes {norm.target = #norm.target<"cuda:sm_90">} {
  func.func private @unaligned(%x: memref<?x64xbf16>, %y: memref<?x64xbf16>)
      attributes {plan.kernel, plan.collapsed} {
    row.kernel ins(%x : memref<?x64xbf16>) outs(%y : memref<?x64xbf16>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 64, lanes_per_row = 8,
            rows_per_tile = 16, vector_elems = 8, loop = persistent, staging = async,
            stages = 2, store = from_stage, residency = shared>} {
    ^bb0(%in: memref<?x64xbf16>, %out: memref<?x64xbf16>):
      %t = row.load %in : memref<?x64xbf16> -> !row.tile<f32>
      row.store %t, %out : !row.tile<f32>, memref<?x64xbf16>
    }
    return
  }
}

// -----

// The tile is read from its stage in both phases; only behind both is it filled again.
// CHECK-LABEL: gpu.func @shared(
// CHECK: scf.for
// CHECK: nvvm.mbarrier.try_wait
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xi16>
// CHECK: gpu.barrier
// CHECK-NOT: nvvm.
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xi16>
// CHECK: llvm.store {{.*}} : vector<8xi16>, !llvm.ptr<1>
// CHECK: gpu.barrier
// CHECK: nvvm.mbarrier.arrive.expect_tx
module attributes {norm.target = #norm.target<"cuda:sm_90">} {
  func.func private @shared(%x: memref<?x512xbf16>, %y: memref<?x512xbf16>)
      attributes {plan.kernel, plan.collapsed, plan.aligned} {
    row.kernel ins(%x : memref<?x512xbf16>) outs(%y : memref<?x512xbf16>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 64, lanes_per_row = 64,
            rows_per_tile = 1, vector_elems = 8, loop = persistent, staging = async,
            stages = 2, residency = shared>} {
    ^bb0(%in: memref<?x512xbf16>, %out: memref<?x512xbf16>):
      %t = row.load %in : memref<?x512xbf16> -> !row.tile<f32>
      %s = row.reduce ins(%t : !row.tile<f32>) identities = [0.0 : f32] -> !row.vec<rows, f32> {
      ^bb1(%a: f32, %b: f32):
        %sum = arith.addf %a, %b : f32
        row.yield %sum : f32
      }
      %d = row.map ins(%t, %s : !row.tile<f32>, !row.vec<rows, f32>) -> !row.tile<f32> {
      ^bb1(%a: f32, %b: f32):
        %difference = arith.subf %a, %b : f32
        row.yield %difference : f32
      }
      row.store %d, %out : !row.tile<f32>, memref<?x512xbf16>
    }
    return
  }
}

// -----

// Skewed: one subgroup more, in a branch of its own, which waits for a stage to be free
// and fills it. The others send the sums of a row, and receive those of the row before.
// CHECK-LABEL: gpu.func @skewed(
// CHECK-SAME: known_block_size = array<i32: 96, 1, 1>
// Full, free (two subgroups), exchanges (two subgroups).
// CHECK-COUNT-8: nvvm.mbarrier.init
// CHECK: gpu.barrier
// CHECK: scf.if
// The first row's sums.
// CHECK: nvvm.mbarrier.try_wait
// CHECK: gpu.shuffle
// CHECK: nvvm.mbarrier.arrive %
// CHECK: scf.for
// CHECK: scf.if
// CHECK: nvvm.mbarrier.try_wait
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xi16>
// CHECK: nvvm.mbarrier.arrive %
// The end of the row before.
// CHECK: nvvm.mbarrier.try_wait
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xi16>
// CHECK: llvm.store {{.*}} : vector<8xi16>, !llvm.ptr<1>
// CHECK: nvvm.bar.warp.sync
// CHECK: nvvm.mbarrier.arrive %
// CHECK: } else {
// CHECK: scf.for
// CHECK: nvvm.mbarrier.try_wait
// CHECK: nvvm.cp.async.bulk.shared.cluster.global
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
module attributes {norm.target = #norm.target<"cuda:sm_90">} {
  func.func private @skewed(%x: memref<?x512xbf16>, %y: memref<?x512xbf16>)
      attributes {plan.kernel, plan.collapsed, plan.aligned} {
    row.kernel ins(%x : memref<?x512xbf16>) outs(%y : memref<?x512xbf16>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 64, lanes_per_row = 64,
            rows_per_tile = 1, vector_elems = 8, loop = persistent, staging = async,
            stages = 2, residency = shared, skew = 1>} {
    ^bb0(%in: memref<?x512xbf16>, %out: memref<?x512xbf16>):
      %t = row.load %in : memref<?x512xbf16> -> !row.tile<f32>
      %s = row.reduce ins(%t : !row.tile<f32>) identities = [0.0 : f32] -> !row.vec<rows, f32> {
      ^bb1(%a: f32, %b: f32):
        %sum = arith.addf %a, %b : f32
        row.yield %sum : f32
      }
      %d = row.map ins(%t, %s : !row.tile<f32>, !row.vec<rows, f32>) -> !row.tile<f32> {
      ^bb1(%a: f32, %b: f32):
        %difference = arith.subf %a, %b : f32
        row.yield %difference : f32
      }
      row.store %d, %out : !row.tile<f32>, memref<?x512xbf16>
    }
    return
  }
}

// -----

// The same in a cluster: sums go to the barriers and the memory of both workgroups.
// CHECK-LABEL: gpu.func @skewed_cluster(
// CHECK: nvvm.cluster.arrive
// CHECK: nvvm.cluster.wait
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: nvvm.mapa
// CHECK: llvm.inline_asm {{.*}}st.async.shared::cluster.mbarrier::complete_tx::bytes.f32
// CHECK: nvvm.mbarrier.try_wait {{.*}}scope = #nvvm.mem_scope<cluster>
module attributes {norm.target = #norm.target<"cuda:sm_90">} {
  func.func private @skewed_cluster(%x: memref<?x512xbf16>, %y: memref<?x512xbf16>)
      attributes {plan.kernel, plan.collapsed, plan.aligned} {
    row.kernel ins(%x : memref<?x512xbf16>) outs(%y : memref<?x512xbf16>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 64, lanes_per_row = 64,
            cluster_cols = 2, rows_per_tile = 1, vector_elems = 4, loop = persistent,
            staging = async, stages = 2, residency = shared, skew = 1>} {
    ^bb0(%in: memref<?x512xbf16>, %out: memref<?x512xbf16>):
      %t = row.load %in : memref<?x512xbf16> -> !row.tile<f32>
      %s = row.reduce ins(%t : !row.tile<f32>) identities = [0.0 : f32] -> !row.vec<rows, f32> {
      ^bb1(%a: f32, %b: f32):
        %sum = arith.addf %a, %b : f32
        row.yield %sum : f32
      }
      %d = row.map ins(%t, %s : !row.tile<f32>, !row.vec<rows, f32>) -> !row.tile<f32> {
      ^bb1(%a: f32, %b: f32):
        %difference = arith.subf %a, %b : f32
        row.yield %difference : f32
      }
      row.store %d, %out : !row.tile<f32>, memref<?x512xbf16>
    }
    return
  }
}

// -----

// Two workgroups of a cluster add: each leaves its totals, takes some of the columns and
// reads both workgroups' totals.
// CHECK-LABEL: gpu.func @added(
// CHECK: scf.for
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK: nvvm.cluster.wait
// CHECK: scf.for
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<7> -> f32
// CHECK: arith.addf
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<1>
// CHECK: nvvm.cluster.wait
// CHECK: gpu.return
module attributes {norm.target = #norm.target<"cuda:sm_90">} {
  func.func private @added(%dy: memref<?x64xbf16>, %p: memref<?x?xf32>)
      attributes {plan.kernel, plan.collapsed, plan.aligned} {
    row.kernel ins(%dy : memref<?x64xbf16>) outs(%p : memref<?x?xf32>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 64, lanes_per_row = 8,
            cluster_partials = 2, rows_per_tile = 8, rows_per_workgroup = 512,
            min_workgroups_per_cu = 1, vector_elems = 8, loop = persistent,
            residency = registers>} {
    ^bb0(%in: memref<?x64xbf16>, %out: memref<?x?xf32>):
      %t = row.load %in : memref<?x64xbf16> -> !row.tile<f32>
      row.accumulate %t, %out to cols slot 0 : !row.tile<f32>, memref<?x?xf32>
    }
    return
  }
}

// -----

// A row's sums are there before the barrier behind which its stage is filled again: LLVM
// would sink them past it, and keep all of their terms in registers up to there.
// CHECK-LABEL: gpu.func @sums(
// CHECK: scf.for
// CHECK: nvvm.mbarrier.try_wait
// CHECK: %[[COLUMN:.*]] = arith.addf {{.*}} : vector<2xf32>
// CHECK: %[[C0:.*]] = vector.extract %[[COLUMN]][0]
// CHECK: %[[C1:.*]] = vector.extract %[[COLUMN]][1]
// CHECK: llvm.inline_asm has_side_effects {{.*}}"", "=f,=f,0,1" %[[C0]], %[[C1]]
// CHECK: %[[OF_ROW:.*]] = arith.addf {{.*}} : f32
// CHECK-NEXT: %[[SCALAR:.*]] = arith.addf {{.*}}, %[[OF_ROW]] : f32
// CHECK-NEXT: llvm.inline_asm has_side_effects {{.*}}"", "=f,0" %[[SCALAR]] :
// CHECK: gpu.barrier
// CHECK: nvvm.cp.async.bulk.shared.cluster.global
module attributes {norm.target = #norm.target<"cuda:sm_90">} {
  func.func private @sums(%x: memref<64x512xf32>, %c: memref<?x513xf32>)
      attributes {plan.kernel, plan.collapsed, plan.aligned} {
    row.kernel ins(%x : memref<64x512xf32>) outs(%c : memref<?x513xf32>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 256, lanes_per_row = 256,
            rows_per_tile = 1, vector_elems = 2, min_workgroups_per_cu = 1,
            rows_per_workgroup = 16, loop = persistent, staging = async, stages = 2,
            residency = registers>} {
    ^bb0(%in: memref<64x512xf32>, %partials: memref<?x513xf32>):
      %t = row.load %in : memref<64x512xf32> -> !row.tile<f32>
      row.accumulate %t, %partials to cols slot 0 : !row.tile<f32>, memref<?x513xf32>
      row.accumulate %t, %partials to scalar slot 0 : !row.tile<f32>, memref<?x513xf32>
    }
    return
  }
}
