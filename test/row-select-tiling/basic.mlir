// RUN: norm-opt %s -norm-attach-target=target=host:x86-64-v4 -row-select-tiling | FileCheck %s --check-prefixes=CHECK,V4
// RUN: norm-opt %s -norm-attach-target=target=host:x86-64-v3 -row-select-tiling | FileCheck %s --check-prefixes=CHECK,V3
// RUN: norm-opt %s -norm-attach-target=target=host:x86-64-v4 -row-select-tiling -row-select-tiling | FileCheck %s --check-prefixes=CHECK,V4

// Vectors along the columns, rows unrolled.
// CHECK-LABEL: func @narrow
func.func @narrow(%x: memref<401408x24xf32>, %y: memref<401408x24xf32>) {
  // V4: tiling = #row.tiling<workgroup_size = 16, lanes_per_row = 16, rows_per_tile = 8, rows_per_workgroup = 512, vector_elems = 16, loop = persistent, residency = registers>
  // V3: tiling = #row.tiling<workgroup_size = 8, lanes_per_row = 8,
  row.kernel ins(%x : memref<401408x24xf32>) outs(%y : memref<401408x24xf32>) norm_dims = 1 {
  ^bb0(%in: memref<401408x24xf32>, %out: memref<401408x24xf32>):
    %0 = row.load %in : memref<401408x24xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<401408x24xf32>
  }
  return
}

// f64 has half the lanes.
// CHECK-LABEL: func @wide_type
func.func @wide_type(%x: memref<?x24xf64>, %y: memref<?x24xf64>) {
  // V4: tiling = #row.tiling<workgroup_size = 8, lanes_per_row = 8,
  // V3: tiling = #row.tiling<workgroup_size = 4, lanes_per_row = 4,
  row.kernel ins(%x : memref<?x24xf64>) outs(%y : memref<?x24xf64>) norm_dims = 1 {
  ^bb0(%in: memref<?x24xf64>, %out: memref<?x24xf64>):
    %0 = row.load %in : memref<?x24xf64> -> !row.tile<f64>
    row.store %0, %out : !row.tile<f64>, memref<?x24xf64>
  }
  return
}

// Nothing is known: a loop over the columns.
// CHECK-LABEL: func @dynamic
func.func @dynamic(%x: memref<?x?xbf16>, %y: memref<?x?xbf16>) {
  // CHECK: tiling = #row.tiling<
  // CHECK-SAME: vectors_in_flight = 4, loop = persistent>
  row.kernel ins(%x : memref<?x?xbf16>) outs(%y : memref<?x?xbf16>) norm_dims = 1 {
  ^bb0(%in: memref<?x?xbf16>, %out: memref<?x?xbf16>):
    %0 = row.load %in : memref<?x?xbf16> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x?xbf16>
  }
  return
}

// One row: a tile of one.
// CHECK-LABEL: func @one_row
func.func @one_row(%x: memref<1x4096xf32>, %y: memref<1x4096xf32>) {
  // CHECK: tiling = #row.tiling<
  // CHECK-NOT: rows_per_tile
  // CHECK-SAME: rows_per_workgroup = 1,
  row.kernel ins(%x : memref<1x4096xf32>) outs(%y : memref<1x4096xf32>) norm_dims = 1 {
  ^bb0(%in: memref<1x4096xf32>, %out: memref<1x4096xf32>):
    %0 = row.load %in : memref<1x4096xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<1x4096xf32>
  }
  return
}

// A kernel that is split already, and one of finalizes.
// CHECK-LABEL: func @split
func.func @split(%x: memref<?x2048xf32>, %d: memref<2048xf32>) {
  %p = row.partials : memref<?x?xf32>
  // CHECK: tiling = #row.tiling<{{.*}}rows_per_workgroup
  row.kernel ins(%x : memref<?x2048xf32>) outs(%p : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x2048xf32>, %out: memref<?x?xf32>):
    %0 = row.load %in : memref<?x2048xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols slot 0 : !row.tile<f32>, memref<?x?xf32>
  }
  // CHECK: tiling = #row.tiling<{{.*}}col_blocks = 4
  row.kernel ins(%p : memref<?x?xf32>) outs(%d : memref<2048xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x?xf32>, %out: memref<2048xf32>):
    row.finalize %in, %out to cols slot 0 of 1 : memref<?x?xf32>, memref<2048xf32>
  }
  return
}

// Kernels in nested regions are found.
// CHECK-LABEL: func @nested
func.func @nested(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %c: i1) {
  scf.if %c {
    // CHECK: row.kernel {{.*}} attributes {tiling = #row.tiling<
    row.kernel ins(%x : memref<?x64xf32>) outs(%y : memref<?x64xf32>) norm_dims = 1 {
    ^bb0(%in: memref<?x64xf32>, %out: memref<?x64xf32>):
      %0 = row.load %in : memref<?x64xf32> -> !row.tile<f32>
      row.store %0, %out : !row.tile<f32>, memref<?x64xf32>
    }
  }
  return
}

// Without a column there is nothing to copy, and still a block of rows.
// CHECK-LABEL: @no_columns
func.func @no_columns(%x: memref<?x0xf32>, %y: memref<?x0xf32>) {
  // CHECK: rows_per_workgroup = {{[0-9]+}}
  row.kernel ins(%x : memref<?x0xf32>) outs(%y : memref<?x0xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x0xf32>, %out: memref<?x0xf32>):
    %0 = row.load %in : memref<?x0xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x0xf32>
  }
  return
}
