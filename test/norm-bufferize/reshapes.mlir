// Reshaped and cast results are computed in their out-parameters.
// RUN: norm-opt %s --norm-bufferize --split-input-file | FileCheck %s \
// RUN:   --implicit-check-not=memref.copy --implicit-check-not=memref.alloc

// CHECK-LABEL: func @expand(
// CHECK-SAME: %[[X:[^ :]+]]: memref<2x?x8xf32>
// CHECK-SAME: %[[Y:[^ :]+]]: memref<2x?x8xf32> {norm.name = "res0", norm.out}
func.func @expand(%x: tensor<2x?x8xf32>) -> tensor<2x?x8xf32> {
  // CHECK-DAG: %[[X2:[^ :]+]] = memref.collapse_shape %[[X]] {{\[\[}}0, 1], [2]]
  // CHECK-DAG: %[[Y2:[^ :]+]] = memref.collapse_shape %[[Y]] {{\[\[}}0, 1], [2]]
  // CHECK: norm.rms_norm x(%[[X2]] : {{.*}}) outs y(%[[Y2]] :
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c1 : tensor<2x?x8xf32>
  %x2 = tensor.collapse_shape %x [[0, 1], [2]]
      : tensor<2x?x8xf32> into tensor<?x8xf32>
  %n = tensor.dim %x2, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %y2 = norm.rms_norm x(%x2 : tensor<?x8xf32>) outs y(%e : tensor<?x8xf32>)
      epsilon = 1.0e-5 -> tensor<?x8xf32>
  %y = tensor.expand_shape %y2 [[0, 1], [2]] output_shape [2, %b, 8]
      : tensor<?x8xf32> into tensor<2x?x8xf32>
  return %y : tensor<2x?x8xf32>
}

// -----

// CHECK-LABEL: func @collapse(
// CHECK-SAME: %[[X:[^ :]+]]: memref<2x?x8xf32>
// CHECK-SAME: %[[Y:[^ :]+]]: memref<?x8xf32> {norm.name = "res0", norm.out}
func.func @collapse(%x: tensor<2x?x8xf32>) -> tensor<?x8xf32> {
  // CHECK: %[[N:[^ :]+]] = memref.dim %[[X]], %c1
  // CHECK: %[[Y3:[^ :]+]] = memref.expand_shape %[[Y]] {{\[\[}}0, 1], [2]]
  // CHECK-SAME: output_shape [2, %[[N]], 8]
  // CHECK: norm.rms_norm x(%[[X]] : {{.*}}) outs y(%[[Y3]] :
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c1 : tensor<2x?x8xf32>
  %e = tensor.empty(%b) : tensor<2x?x8xf32>
  %y3 = norm.rms_norm x(%x : tensor<2x?x8xf32>) outs y(%e : tensor<2x?x8xf32>)
      epsilon = 1.0e-5 -> tensor<2x?x8xf32>
  %y = tensor.collapse_shape %y3 [[0, 1], [2]]
      : tensor<2x?x8xf32> into tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// CHECK-LABEL: func @cast(
// CHECK-SAME: %[[Y:[^ :]+]]: memref<?x8xf32> {norm.name = "res0", norm.out}
func.func @cast(%x: tensor<4x8xf32>) -> tensor<?x8xf32> {
  // CHECK: %[[C:[^ :]+]] = memref.cast %[[Y]] : memref<?x8xf32> to memref<4x8xf32>
  // CHECK: norm.rms_norm {{.*}} outs y(%[[C]] :
  %e = tensor.empty() : tensor<4x8xf32>
  %y = norm.rms_norm x(%x : tensor<4x8xf32>) outs y(%e : tensor<4x8xf32>)
      epsilon = 1.0e-5 -> tensor<4x8xf32>
  %c = tensor.cast %y : tensor<4x8xf32> to tensor<?x8xf32>
  return %c : tensor<?x8xf32>
}

// -----

// Two views, one behind the other.
// CHECK-LABEL: func @collapse_then_cast(
// CHECK-SAME: %[[Y:[^ :]+]]: memref<?xf32> {norm.name = "res0", norm.out}
func.func @collapse_then_cast(%x: tensor<4x8xf32>) -> tensor<?xf32> {
  // CHECK: %[[C:[^ :]+]] = memref.cast %[[Y]] : memref<?xf32> to memref<32xf32>
  // CHECK: %[[E:[^ :]+]] = memref.expand_shape %[[C]]
  // CHECK: norm.rms_norm {{.*}} outs y(%[[E]] :
  %e = tensor.empty() : tensor<4x8xf32>
  %y = norm.rms_norm x(%x : tensor<4x8xf32>) outs y(%e : tensor<4x8xf32>)
      epsilon = 1.0e-5 -> tensor<4x8xf32>
  %f = tensor.collapse_shape %y [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %c = tensor.cast %f : tensor<32xf32> to tensor<?xf32>
  return %c : tensor<?xf32>
}
