// RUN: norm-opt %s -row-split-column-reduction -split-input-file | FileCheck %s
// RUN: norm-opt %s -row-split-column-reduction -row-split-column-reduction -split-input-file | FileCheck %s

// One sum a column: a partial each workgroup, and a kernel that adds them.

module attributes {norm.target = #norm.target<"host:x86-64-v4">} {
// CHECK-LABEL: func @bias
// CHECK-SAME: (%[[DY:.*]]: memref<?x1024xbf16>, %[[DB:.*]]: memref<1024xbf16>)
func.func @bias(%dy: memref<?x1024xbf16>, %db: memref<1024xbf16>) {
  // CHECK: %[[P:.*]] = row.partials : memref<?x?xf32>
  // CHECK: row.kernel ins(%[[DY]] : memref<?x1024xbf16>) outs(%[[P]] : memref<?x?xf32>) norm_dims = 1
  // CHECK-SAME: kernel_name = "bias", strategy = #row.strategy<partials>, tiling = #row.tiling<
  // CHECK-NEXT: ^bb0(%[[IN:.*]]: memref<?x1024xbf16>, %[[OUT:.*]]: memref<?x?xf32>):
  // CHECK-NEXT: %[[T:.*]] = row.load %[[IN]]
  // CHECK-NEXT: row.accumulate %[[T]], %[[OUT]] to cols slot 0 : !row.tile<f32>, memref<?x?xf32>
  // CHECK: row.kernel ins(%[[P]] : memref<?x?xf32>) outs(%[[DB]] : memref<1024xbf16>) norm_dims = 1
  // CHECK-SAME: kernel_name = "bias_finalize", tiling = #row.tiling<
  // CHECK-NEXT: ^bb0(%[[IN:.*]]: memref<?x?xf32>, %[[OUT:.*]]: memref<1024xbf16>):
  // CHECK-NEXT: row.finalize %[[IN]], %[[OUT]] to cols slot 0 of 1 : memref<?x?xf32>, memref<1024xbf16>
  row.kernel ins(%dy : memref<?x1024xbf16>) outs(%db : memref<1024xbf16>)
      norm_dims = 1 attributes {kernel_name = "bias"} {
  ^bb0(%in: memref<?x1024xbf16>, %out: memref<1024xbf16>):
    %0 = row.load %in : memref<?x1024xbf16> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<1024xbf16>
  }
  return
}
}

// -----

// Sums to columns and to scalars have slots of their own. What is stored per row stays
// where it was, and the partials come last.

module attributes {norm.target = #norm.target<"host:x86-64-v4">} {
// CHECK-LABEL: func @kinds
// CHECK-SAME: (%[[X:.*]]: memref<?x24xf32>, %[[Y:.*]]: memref<?x24xf32>, %[[A:.*]]: memref<f16>, %[[B:.*]]: memref<24xf16>, %[[C:.*]]: memref<1xf32>, %[[D:.*]]: memref<24xf32>)
func.func @kinds(%x: memref<?x24xf32>, %y: memref<?x24xf32>, %a: memref<f16>,
                 %b: memref<24xf16>, %c: memref<1xf32>, %d: memref<24xf32>) {
  // CHECK: row.kernel ins(%[[X]] : memref<?x24xf32>) outs(%[[Y]], %[[P:.*]] : memref<?x24xf32>, memref<?x?xf32>)
  // CHECK-NEXT: ^bb0(%{{.*}}: memref<?x24xf32>, %[[OUT:.*]]: memref<?x24xf32>, %[[BP:.*]]: memref<?x?xf32>):
  // CHECK: row.accumulate %{{.*}}, %[[BP]] to scalar slot 0
  // CHECK: row.accumulate %{{.*}}, %[[BP]] to cols slot 0
  // CHECK: row.store %{{.*}}, %[[OUT]]
  // CHECK: row.accumulate %{{.*}}, %[[BP]] to scalar slot 1
  // CHECK: row.accumulate %{{.*}}, %[[BP]] to cols slot 1
  // CHECK: row.kernel ins(%[[P]] : memref<?x?xf32>) outs(%[[A]], %[[B]], %[[C]], %[[D]] :
  // CHECK-SAME: kernel_name = "kernel_finalize"
  // CHECK: row.finalize %{{.*}} to scalar slot 0 of 2 : memref<?x?xf32>, memref<f16>
  // CHECK: row.finalize %{{.*}} to cols slot 0 of 2 : memref<?x?xf32>, memref<24xf16>
  // CHECK: row.finalize %{{.*}} to scalar slot 1 of 2 : memref<?x?xf32>, memref<1xf32>
  // CHECK: row.finalize %{{.*}} to cols slot 1 of 2 : memref<?x?xf32>, memref<24xf32>
  row.kernel ins(%x : memref<?x24xf32>) outs(%a, %b, %y, %c, %d : memref<f16>, memref<24xf16>, memref<?x24xf32>, memref<1xf32>, memref<24xf32>)
      norm_dims = 1 {
  ^bb0(%in: memref<?x24xf32>, %oa: memref<f16>, %ob: memref<24xf16>,
       %oy: memref<?x24xf32>, %oc: memref<1xf32>, %od: memref<24xf32>):
    %0 = row.load %in : memref<?x24xf32> -> !row.tile<f32>
    row.accumulate %0, %oa to scalar : !row.tile<f32>, memref<f16>
    row.accumulate %0, %ob to cols : !row.tile<f32>, memref<24xf16>
    row.store %0, %oy : !row.tile<f32>, memref<?x24xf32>
    row.accumulate %0, %oc to scalar : !row.tile<f32>, memref<1xf32>
    row.accumulate %0, %od to cols : !row.tile<f32>, memref<24xf32>
  }
  return
}
}

// -----

// Partials have the accumulator type.

module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
// CHECK-LABEL: func @wide
func.func @wide(%x: memref<?x?xf64>, %d: memref<?xf32>) {
  // CHECK: row.partials : memref<?x?xf64>
  // CHECK: row.accumulate {{.*}} slot 0 : !row.tile<f64>, memref<?x?xf64>
  row.kernel ins(%x : memref<?x?xf64>) outs(%d : memref<?xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x?xf64>, %out: memref<?xf32>):
    %0 = row.load %in : memref<?x?xf64> -> !row.tile<f64>
    row.accumulate %0, %out to cols : !row.tile<f64>, memref<?xf32>
  }
  return
}

// A kernel without sums is not touched.
// CHECK-LABEL: func @forward
func.func @forward(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // CHECK-NOT: row.partials
  // CHECK: row.kernel ins(%{{.*}}) outs(%{{.*}}) norm_dims = 1 {
  row.kernel ins(%x : memref<?x64xf32>) outs(%y : memref<?x64xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x64xf32>, %out: memref<?x64xf32>):
    %0 = row.load %in : memref<?x64xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x64xf32>
  }
  return
}
}
