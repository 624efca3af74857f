// RUN: norm-opt %s -row-select-tiling | FileCheck %s

// The user's tiling is checked and kept.
module attributes {norm.target = #norm.target<"host:x86-64-v4">} {
// CHECK-LABEL: func @mine
func.func @mine(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // CHECK: tiling = #row.tiling<workgroup_size = 4, lanes_per_row = 4, rows_per_workgroup = 7, vector_elems = 4, loop = persistent>
  row.kernel ins(%x : memref<?x64xf32>) outs(%y : memref<?x64xf32>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 4, lanes_per_row = 4, rows_per_workgroup = 7, vector_elems = 4, loop = persistent>} {
  ^bb0(%in: memref<?x64xf32>, %out: memref<?x64xf32>):
    %0 = row.load %in : memref<?x64xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x64xf32>
  }
  return
}
}
