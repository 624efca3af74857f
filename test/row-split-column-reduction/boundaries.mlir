// RUN: norm-opt %s -row-split-column-reduction | FileCheck %s

module attributes {norm.target = #norm.target<"host:x86-64-v4">} {

// Few rows are one workgroup's: no partials.
// CHECK-LABEL: func @one_row
func.func @one_row(%x: memref<1x24xf32>, %d: memref<24xf32>) {
  // CHECK-NOT: row.partials
  // CHECK: row.kernel {{.*}}strategy = #row.strategy<direct>, tiling = #row.tiling<{{.*}}rows_per_workgroup = 1,
  // CHECK: row.accumulate %{{.*}}, %{{.*}} to cols : !row.tile<f32>, memref<24xf32>
  row.kernel ins(%x : memref<1x24xf32>) outs(%d : memref<24xf32>) norm_dims = 1 {
  ^bb0(%in: memref<1x24xf32>, %out: memref<24xf32>):
    %0 = row.load %in : memref<1x24xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<24xf32>
  }
  return
}

// Without rows nothing would store the zeros of a direct sum: the finalize does.
// CHECK-LABEL: func @no_rows
func.func @no_rows(%x: memref<0x24xf32>, %d: memref<24xf32>) {
  // CHECK: row.partials
  row.kernel ins(%x : memref<0x24xf32>) outs(%d : memref<24xf32>) norm_dims = 1 {
  ^bb0(%in: memref<0x24xf32>, %out: memref<24xf32>):
    %0 = row.load %in : memref<0x24xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<24xf32>
  }
  return
}

// Many rows.
// CHECK-LABEL: func @many_rows
func.func @many_rows(%x: memref<1048576x24xf32>, %d: memref<24xf32>) {
  // CHECK: row.partials
  row.kernel ins(%x : memref<1048576x24xf32>) outs(%d : memref<24xf32>) norm_dims = 1 {
  ^bb0(%in: memref<1048576x24xf32>, %out: memref<24xf32>):
    %0 = row.load %in : memref<1048576x24xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<24xf32>
  }
  return
}

// One column: a lane a row.
// CHECK-LABEL: func @one_column
func.func @one_column(%x: memref<?x1xf32>, %d: memref<1xf32>) {
  // CHECK: row.partials
  // CHECK: tiling = #row.tiling<workgroup_size = 16, rows_per_tile = 16,
  row.kernel ins(%x : memref<?x1xf32>) outs(%d : memref<1xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x1xf32>, %out: memref<1xf32>):
    %0 = row.load %in : memref<?x1xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<1xf32>
  }
  return
}

// A bf16 sum of few but wide rows would be added to in memory, in bf16: one partial.
// CHECK-LABEL: func @rounded_output
func.func @rounded_output(%x: memref<1x65537xbf16>, %d: memref<65537xbf16>) {
  // CHECK: row.partials
  row.kernel ins(%x : memref<1x65537xbf16>) outs(%d : memref<65537xbf16>) norm_dims = 1 {
  ^bb0(%in: memref<1x65537xbf16>, %out: memref<65537xbf16>):
    %0 = row.load %in : memref<1x65537xbf16> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<65537xbf16>
  }
  return
}

// A sum to a scalar alone.
// CHECK-LABEL: func @scalar
func.func @scalar(%x: memref<?x24xf32>, %d: memref<f32>) {
  // CHECK: row.accumulate {{.*}} to scalar slot 0
  // CHECK: row.finalize {{.*}} to scalar slot 0 of 0
  row.kernel ins(%x : memref<?x24xf32>) outs(%d : memref<f32>) norm_dims = 1 {
  ^bb0(%in: memref<?x24xf32>, %out: memref<f32>):
    %0 = row.load %in : memref<?x24xf32> -> !row.tile<f32>
    row.accumulate %0, %out to scalar : !row.tile<f32>, memref<f32>
  }
  return
}
}
