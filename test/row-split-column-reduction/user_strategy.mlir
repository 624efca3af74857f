// RUN: norm-opt %s -row-split-column-reduction | FileCheck %s
// RUN: norm-opt %s -row-split-column-reduction -row-select-tiling -row-split-column-reduction -row-select-tiling | FileCheck %s

module attributes {norm.target = #norm.target<"host:x86-64-v4">} {

// Partials where the decision would be direct.
// CHECK-LABEL: func @partials
func.func @partials(%x: memref<4x24xf32>, %d: memref<24xf32>) {
  // CHECK: row.partials
  // CHECK: strategy = #row.strategy<partials>
  row.kernel ins(%x : memref<4x24xf32>) outs(%d : memref<24xf32>) norm_dims = 1
      attributes {strategy = #row.strategy<partials>} {
  ^bb0(%in: memref<4x24xf32>, %out: memref<24xf32>):
    %0 = row.load %in : memref<4x24xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<24xf32>
  }
  return
}

// Direct where the decision would be partials.
// CHECK-LABEL: func @direct
func.func @direct(%x: memref<4096x24xf32>, %d: memref<24xf32>) {
  // CHECK-NOT: row.partials
  // CHECK: strategy = #row.strategy<direct>, tiling = #row.tiling<{{.*}}rows_per_workgroup = 4096,
  row.kernel ins(%x : memref<4096x24xf32>) outs(%d : memref<24xf32>) norm_dims = 1
      attributes {strategy = #row.strategy<direct>} {
  ^bb0(%in: memref<4096x24xf32>, %out: memref<24xf32>):
    %0 = row.load %in : memref<4096x24xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<24xf32>
  }
  return
}

// Fission: what is per row, then the sums from the inputs again, with the buffers and
// ops that each needs and no others.
// CHECK-LABEL: func @fission
// CHECK-SAME: (%[[X:.*]]: memref<?x24xf32>, %[[W:.*]]: memref<24xf32>, %[[Y:.*]]: memref<?x24xf32>, %[[D:.*]]: memref<24xf32>)
func.func @fission(%x: memref<?x24xf32>, %w: memref<24xf32>, %y: memref<?x24xf32>,
                   %d: memref<24xf32>) {
  // CHECK: row.kernel ins(%[[X]], %[[W]] : memref<?x24xf32>, memref<24xf32>) outs(%[[Y]] : memref<?x24xf32>) norm_dims = 1 attributes {kernel_name = "two_rows", tiling =
  // CHECK: row.map
  // CHECK-NOT: row.accumulate
  // CHECK: row.store
  // CHECK: %[[P:.*]] = row.partials
  // CHECK: row.kernel ins(%[[X]] : memref<?x24xf32>) outs(%[[P]] : memref<?x?xf32>) norm_dims = 1 attributes {kernel_name = "two_columns", strategy = #row.strategy<partials>
  // CHECK-NOT: row.map
  // CHECK-NOT: row.store
  // CHECK: row.accumulate {{.*}} slot 0
  // CHECK: row.kernel ins(%[[P]] : memref<?x?xf32>) outs(%[[D]] : memref<24xf32>) norm_dims = 1 attributes {kernel_name = "two_columns_finalize"
  row.kernel ins(%x, %w : memref<?x24xf32>, memref<24xf32>) outs(%y, %d : memref<?x24xf32>, memref<24xf32>) norm_dims = 1
      attributes {kernel_name = "two", strategy = #row.strategy<fission>} {
  ^bb0(%in: memref<?x24xf32>, %iw: memref<24xf32>, %oy: memref<?x24xf32>,
       %od: memref<24xf32>):
    %0 = row.load %in : memref<?x24xf32> -> !row.tile<f32>
    %1 = row.load %iw : memref<24xf32> -> !row.vec<cols, f32>
    %2 = row.map ins(%0, %1 : !row.tile<f32>, !row.vec<cols, f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %3 = arith.mulf %a, %b : f32
      row.yield %3 : f32
    }
    row.store %2, %oy : !row.tile<f32>, memref<?x24xf32>
    row.accumulate %0, %od to cols : !row.tile<f32>, memref<24xf32>
  }
  return
}

// A tiling that is there stays, and the other attributes.
// CHECK-LABEL: func @tiling
func.func @tiling(%x: memref<?x24xf32>, %d: memref<24xf32>) {
  // CHECK: row.kernel {{.*}} attributes {note = "mine", strategy = #row.strategy<partials>, tiling = #row.tiling<workgroup_size = 8, lanes_per_row = 8, rows_per_tile = 2, rows_per_workgroup = 64, vector_elems = 8, loop = persistent>}
  row.kernel ins(%x : memref<?x24xf32>) outs(%d : memref<24xf32>) norm_dims = 1
      attributes {note = "mine", tiling = #row.tiling<workgroup_size = 8, lanes_per_row = 8, rows_per_tile = 2, rows_per_workgroup = 64, vector_elems = 8, loop = persistent>} {
  ^bb0(%in: memref<?x24xf32>, %out: memref<24xf32>):
    %0 = row.load %in : memref<?x24xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<24xf32>
  }
  return
}

// A tiling under which one workgroup sees every row means direct.
// CHECK-LABEL: func @direct_tiling
func.func @direct_tiling(%x: memref<64x24xf32>, %d: memref<24xf32>) {
  // CHECK-NOT: row.partials
  // CHECK: strategy = #row.strategy<direct>, tiling = #row.tiling<workgroup_size = 8,
  row.kernel ins(%x : memref<64x24xf32>) outs(%d : memref<24xf32>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 8, lanes_per_row = 8, rows_per_tile = 2, rows_per_workgroup = 64, vector_elems = 8, loop = persistent>} {
  ^bb0(%in: memref<64x24xf32>, %out: memref<24xf32>):
    %0 = row.load %in : memref<64x24xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<24xf32>
  }
  return
}
}
