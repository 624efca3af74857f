// Sums down the columns: carried by the loop over tiles, a branch where a row may be past
// the end, then over the workgroup and to its partials; and tiles copied ahead.
// RUN: norm-opt %s --convert-row-to-gpu --split-input-file | FileCheck %s --enable-var-scope

// CHECK: gpu.func @partials(
// CHECK: nvvm.griddepcontrol launch_dependents
// CHECK: scf.for {{.*}} -> (vector<8xf32>, i64)
// CHECK: scf.if {{.*}} -> (vector<8xf32>)
// Four rows of a subgroup, then the subgroups.
// CHECK: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<1>
module attributes {norm.target = #norm.target<"cuda:sm_90">} {
  func.func private @partials(%dy: memref<?x64xbf16>, %p: memref<?x?xf32>)
      attributes {plan.kernel, plan.collapsed, plan.aligned} {
    row.kernel ins(%dy : memref<?x64xbf16>) outs(%p : memref<?x?xf32>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 64, lanes_per_row = 8,
            rows_per_tile = 8, vector_elems = 8, loop = persistent, residency = registers>} {
    ^bb0(%in: memref<?x64xbf16>, %out: memref<?x?xf32>):
      %t = row.load %in : memref<?x64xbf16> -> !row.tile<f32>
      row.accumulate %t, %out to cols slot 0 : !row.tile<f32>, memref<?x?xf32>
    }
    return
  }
}

// -----

// One lane asks, all lanes wait for the stage's barrier, and after a barrier of theirs the
// stage is filled again.
// CHECK: gpu.func @staged(
// CHECK-COUNT-2: nvvm.mbarrier.init
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: nvvm.cp.async.bulk.shared.cluster.global
// CHECK: scf.for
// CHECK: scf.while
// CHECK: nvvm.mbarrier.try_wait
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xi16>
// CHECK: gpu.barrier
// CHECK: nvvm.mbarrier.arrive.expect_tx
module attributes {norm.target = #norm.target<"cuda:sm_90">} {
  func.func private @staged(%dy: memref<?x64xbf16>, %p: memref<?x?xf32>)
      attributes {plan.kernel, plan.collapsed, plan.aligned} {
    row.kernel ins(%dy : memref<?x64xbf16>) outs(%p : memref<?x?xf32>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 64, lanes_per_row = 8,
            rows_per_tile = 8, vector_elems = 8, loop = persistent, staging = async,
            stages = 2, residency = registers>} {
    ^bb0(%in: memref<?x64xbf16>, %out: memref<?x?xf32>):
      %t = row.load %in : memref<?x64xbf16> -> !row.tile<f32>
      row.accumulate %t, %out to cols slot 0 : !row.tile<f32>, memref<?x?xf32>
    }
    return
  }
}

// -----

// Without bulk copies every lane copies what it reads itself, and waits for its own copies
// alone: those of the tile at hand, while the next tile's are under way.
// CHECK: gpu.func @older(
// CHECK-COUNT-2: nvvm.cp.async.shared.global {{.*}} 16, cache = cg
// CHECK: nvvm.cp.async.commit.group
// CHECK: scf.for
// CHECK-NOT: barrier
// CHECK: nvvm.cp.async.wait.group 1
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xi16>
// CHECK-NOT: barrier
// CHECK: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK: scf.yield
module attributes {norm.target = #norm.target<"cuda:sm_80">} {
  func.func private @older(%dy: memref<?x64xbf16>, %p: memref<?x?xf32>)
      attributes {plan.kernel, plan.collapsed, plan.aligned} {
    row.kernel ins(%dy : memref<?x64xbf16>) outs(%p : memref<?x?xf32>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 64, lanes_per_row = 8,
            rows_per_tile = 8, vector_elems = 8, loop = persistent, staging = async,
            stages = 2, residency = registers>} {
    ^bb0(%in: memref<?x64xbf16>, %out: memref<?x?xf32>):
      %t = row.load %in : memref<?x64xbf16> -> !row.tile<f32>
      row.accumulate %t, %out to cols slot 0 : !row.tile<f32>, memref<?x?xf32>
    }
    return
  }
}

// -----

// A finalize waits for the kernel before it; eight columns side by side, four lanes of a
// subgroup share one.
// Its loads of partials stay behind the wait: nothing says that they are read-only.
// CHECK: gpu.func @finalize(%{{[^:]*}}: !llvm.ptr<1>, %{{[^:]*}}: !llvm.ptr<1> {llvm.noalias, llvm.writeonly}
// CHECK: nvvm.griddepcontrol wait
// CHECK: scf.for
// CHECK-COUNT-2: gpu.shuffle xor
// CHECK: gpu.barrier
module attributes {norm.target = #norm.target<"cuda:sm_90">} {
  func.func private @finalize(%p: memref<?x?xf32>, %dw: memref<64xbf16>)
      attributes {plan.kernel, plan.collapsed, plan.aligned} {
    row.kernel ins(%p : memref<?x?xf32>) outs(%dw : memref<64xbf16>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 64, lanes_per_row = 8>} {
    ^bb0(%in: memref<?x?xf32>, %out: memref<64xbf16>):
      row.finalize %in, %out to cols slot 0 of 1 : memref<?x?xf32>, memref<64xbf16>
    }
    return
  }
}

// -----

// A row a workgroup: partials leave the lanes by 16 bytes, which their rows are aligned to.
// CHECK: gpu.func @wide(
// CHECK: scf.for
// CHECK-COUNT-2: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: gpu.return
module attributes {norm.target = #norm.target<"cuda:sm_90">} {
  func.func private @wide(%dy: memref<?x512xbf16>, %p: memref<?x?xf32>)
      attributes {plan.kernel, plan.collapsed, plan.aligned} {
    row.kernel ins(%dy : memref<?x512xbf16>) outs(%p : memref<?x?xf32>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 64, lanes_per_row = 64,
            vector_elems = 8, loop = persistent, residency = registers>} {
    ^bb0(%in: memref<?x512xbf16>, %out: memref<?x?xf32>):
      %t = row.load %in : memref<?x512xbf16> -> !row.tile<f32>
      row.accumulate %t, %out to cols slot 0 : !row.tile<f32>, memref<?x?xf32>
    }
    return
  }
}
