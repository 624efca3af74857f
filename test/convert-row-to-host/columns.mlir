// Sums down the columns: in registers where the columns are unrolled, in memory otherwise,
// and a finalize that adds partials in chains.
// RUN: norm-opt %s --convert-row-to-host | FileCheck %s --enable-var-scope

// The sum is carried by the loops over tiles and stored once a block, at the slot of the
// workgroup: 8 columns, padded to 16 bytes.
// CHECK-LABEL: llvm.func @registers(
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>)
// CHECK-NOT: llvm.store
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>)
// CHECK: llvm.store {{.*}} : vector<8xf32>, !llvm.ptr
func.func private @registers(%dy: memref<?x8xf32>, %p: memref<?x?xf32>)
    attributes {plan.kernel, plan.collapsed} {
  row.kernel ins(%dy : memref<?x8xf32>) outs(%p : memref<?x?xf32>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 8, lanes_per_row = 8, rows_per_tile = 4,
          rows_per_workgroup = 64, vector_elems = 8, loop = persistent, residency = registers>} {
  ^bb0(%in: memref<?x8xf32>, %out: memref<?x?xf32>):
    %t = row.load %in : memref<?x8xf32> -> !row.tile<f32>
    row.accumulate %t, %out to cols slot 0 : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// The workgroup's partials are cleared first; nothing is read that it did not write.
// CHECK-LABEL: llvm.func @memory(
// CHECK: "llvm.intr.memset"
// CHECK: scf.for
// CHECK: scf.for
// CHECK: llvm.load
// CHECK: arith.addf
// CHECK: llvm.store
func.func private @memory(%dy: memref<?x?xf32>, %p: memref<?x?xf32>)
    attributes {plan.kernel, plan.collapsed} {
  row.kernel ins(%dy : memref<?x?xf32>) outs(%p : memref<?x?xf32>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 8, lanes_per_row = 8,
          rows_per_workgroup = 64, vector_elems = 8, loop = persistent>} {
  ^bb0(%in: memref<?x?xf32>, %out: memref<?x?xf32>):
    %t = row.load %in : memref<?x?xf32> -> !row.tile<f32>
    row.accumulate %t, %out to cols slot 0 : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// Four chains of partials, then those that are left; the result is rounded once.
// CHECK-LABEL: llvm.func @finalize(
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK: arith.truncf {{.*}} : vector<8xf32> to vector<8xbf16>
// CHECK: llvm.intr.masked.store
func.func private @finalize(%p: memref<?x?xf32>, %dw: memref<24xbf16>)
    attributes {plan.kernel, plan.collapsed} {
  row.kernel ins(%p : memref<?x?xf32>) outs(%dw : memref<24xbf16>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 8, lanes_per_row = 8, rows_per_tile = 4,
          vector_elems = 8, loop = persistent>} {
  ^bb0(%in: memref<?x?xf32>, %out: memref<24xbf16>):
    row.finalize %in, %out to cols slot 0 of 1 : memref<?x?xf32>, memref<24xbf16>
  }
  return
}
