// A lane a row: columns one by one, vectors across rows. And rows whose outer dimensions
// do not walk with one stride: the position of each row is taken apart.
// RUN: norm-opt %s --convert-row-to-host | FileCheck %s --enable-var-scope

// Three columns of four rows, element by element.
// CHECK-LABEL: llvm.func @lane_a_row(
// CHECK-COUNT-12: llvm.load {{.*}} -> f32
// CHECK: vector.from_elements {{.*}} : vector<4xf32>
func.func private @lane_a_row(%x: memref<?x3xf32>, %y: memref<?x3xf32>)
    attributes {plan.kernel, plan.collapsed} {
  row.kernel ins(%x : memref<?x3xf32>) outs(%y : memref<?x3xf32>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 4, lanes_per_row = 1, rows_per_tile = 4,
          rows_per_workgroup = 64, vector_elems = 4, loop = persistent, residency = registers>} {
  ^bb0(%in: memref<?x3xf32>, %out: memref<?x3xf32>):
    %t = row.load %in : memref<?x3xf32> -> !row.tile<f32>
    row.store %t, %out : !row.tile<f32>, memref<?x3xf32>
  }
  return
}

// CHECK-LABEL: llvm.func @strided(
// CHECK: arith.remsi
// CHECK: arith.divsi
func.func private @strided(%x: memref<?x?x16xf32>, %y: memref<?x?x16xf32>)
    attributes {plan.kernel} {
  row.kernel ins(%x : memref<?x?x16xf32>) outs(%y : memref<?x?x16xf32>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 8, lanes_per_row = 8,
          rows_per_workgroup = 64, vector_elems = 8, loop = persistent>} {
  ^bb0(%in: memref<?x?x16xf32>, %out: memref<?x?x16xf32>):
    %t = row.load %in : memref<?x?x16xf32> -> !row.tile<f32>
    row.store %t, %out : !row.tile<f32>, memref<?x?x16xf32>
  }
  return
}
