// RUN: norm-opt %s -plan-create-entries | FileCheck %s

// Intermediates stay allocations until outlining; what frees them goes.

// CHECK-LABEL: plan.entry @chain symbols = 1
// CHECK-SAME: "arg0", in
// CHECK-SAME: "arg1", out
// CHECK: plan.variant
// CHECK: %[[A:.*]] = memref.alloc(%{{.*}}) : memref<?x16xf32>
// CHECK-NEXT: row.kernel ins(%{{.*}}) outs(%[[A]] :
// CHECK: row.kernel ins(%[[A]] :
// CHECK-NOT: memref.dealloc
// CHECK-NOT: return
func.func @chain(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %x, %c0 : memref<?x16xf32>
  %a = memref.alloc(%rows) : memref<?x16xf32>
  row.kernel ins(%x : memref<?x16xf32>) outs(%a : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  row.kernel ins(%a : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  memref.dealloc %a : memref<?x16xf32>
  return
}

// An output may be read by the kernels after the one that wrote it, and an allocation
// may be used again.

// CHECK-LABEL: plan.entry @both symbols = 1
// CHECK-SAME: "arg0", in
// CHECK-SAME: "arg1", out
// CHECK-SAME: "arg2", out
func.func @both(%x: memref<?x16xf32>, %y: memref<?x16xf32>, %z: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %x, %c0 : memref<?x16xf32>
  %a = memref.alloc(%rows) : memref<?x16xf32>
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  row.kernel ins(%y : memref<?x16xf32>) outs(%a : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  row.kernel ins(%a : memref<?x16xf32>) outs(%z : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// A size may be arithmetic on dimensions.

// CHECK-LABEL: plan.entry @arithmetic symbols = 1
func.func @arithmetic(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %rows = memref.dim %x, %c0 : memref<?x16xf32>
  %all = affine.apply affine_map<()[s0] -> (s0 * 16)>()[%rows]
  %a = memref.alloc(%all) : memref<?xf32>
  %again = arith.divui %all, %c16 : index
  %b = memref.expand_shape %a [[0, 1]] output_shape [%again, 16] : memref<?xf32> into memref<?x16xf32>
  row.kernel ins(%x : memref<?x16xf32>) outs(%b : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  row.kernel ins(%b : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}
