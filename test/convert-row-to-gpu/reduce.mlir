// A row on a part of a subgroup, on a subgroup, on several, and on a cluster.
// RUN: norm-opt %s --convert-row-to-gpu --split-input-file | FileCheck %s --enable-var-scope

// Eight lanes a row: three shuffles, no workgroup memory. Rows past the end are copies of
// the last one; their results are not stored by a lane of another row.
// CHECK: gpu.module @kernels
// CHECK: gpu.func @eight_lanes(
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK: arith.minsi
// One access of 16 bytes.
// CHECK: llvm.load {{.*}}alignment = 16{{.*}} -> vector<8xi16>
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
module attributes {norm.target = #norm.target<"cuda:sm_90">} {
  func.func private @eight_lanes(%x: memref<?x64xbf16>, %s: memref<?xf32>)
      attributes {plan.kernel, plan.collapsed, plan.aligned} {
    row.kernel ins(%x : memref<?x64xbf16>) outs(%s : memref<?xf32>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 128, lanes_per_row = 8,
            rows_per_tile = 16, vector_elems = 8, residency = registers>} {
    ^bb0(%in: memref<?x64xbf16>, %out: memref<?xf32>):
      %t = row.load %in : memref<?x64xbf16> -> !row.tile<f32>
      %r = row.reduce ins(%t : !row.tile<f32>) identities = [0.0 : f32] -> !row.vec<rows, f32> {
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        row.yield %c : f32
      }
      row.store %r, %out : !row.vec<rows, f32>, memref<?xf32>
    }
    return
  }
}

// -----

// 64 lanes a row: five shuffles, then two subgroups through workgroup memory.
// CHECK: gpu.func @two_subgroups(
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<3> -> f32
module attributes {norm.target = #norm.target<"cuda:sm_90">} {
  func.func private @two_subgroups(%x: memref<?x512xbf16>, %s: memref<?xf32>)
      attributes {plan.kernel, plan.collapsed, plan.aligned} {
    row.kernel ins(%x : memref<?x512xbf16>) outs(%s : memref<?xf32>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 128, lanes_per_row = 64,
            rows_per_tile = 2, vector_elems = 8, residency = registers>} {
    ^bb0(%in: memref<?x512xbf16>, %out: memref<?xf32>):
      %t = row.load %in : memref<?x512xbf16> -> !row.tile<f32>
      %r = row.reduce ins(%t : !row.tile<f32>) identities = [0.0 : f32] -> !row.vec<rows, f32> {
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        row.yield %c : f32
      }
      row.store %r, %out : !row.vec<rows, f32>, memref<?xf32>
    }
    return
  }
}

// -----

// Two workgroups of a cluster share a row: each writes to the memory of both.
// CHECK: gpu.func @cluster(
// CHECK: nvvm.read.ptx.sreg.cluster.ctarank
// CHECK: nvvm.cluster.arrive
// CHECK: nvvm.mapa
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<7>
// CHECK: nvvm.cluster.arrive
// CHECK: nvvm.cluster.wait
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<3> -> f32
module attributes {norm.target = #norm.target<"cuda:sm_90">} {
  func.func private @cluster(%x: memref<?x512xbf16>, %s: memref<?xf32>)
      attributes {plan.kernel, plan.collapsed, plan.aligned} {
    row.kernel ins(%x : memref<?x512xbf16>) outs(%s : memref<?xf32>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 32, lanes_per_row = 32,
            cluster_cols = 2, vector_elems = 8, residency = registers>} {
    ^bb0(%in: memref<?x512xbf16>, %out: memref<?xf32>):
      %t = row.load %in : memref<?x512xbf16> -> !row.tile<f32>
      %r = row.reduce ins(%t : !row.tile<f32>) identities = [0.0 : f32] -> !row.vec<rows, f32> {
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        row.yield %c : f32
      }
      row.store %r, %out : !row.vec<rows, f32>, memref<?xf32>
    }
    return
  }
}
