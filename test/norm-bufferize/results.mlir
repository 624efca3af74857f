// Results become out-parameters behind the arguments, and nothing is copied.
// RUN: norm-opt %s --norm-bufferize --split-input-file | FileCheck %s \
// RUN:   --implicit-check-not=memref.copy

// Dynamic sizes, several results, given names and default ones.
// CHECK-LABEL: func @results(
// CHECK-SAME: %[[X:[^ :]+]]: memref<?x8xf32> {norm.name = "x"},
// CHECK-SAME: %[[W:[^ :]+]]: memref<8xf32> {norm.name = "arg1"},
// CHECK-SAME: %[[Y:[^ :]+]]: memref<?x8xf32> {norm.name = "y", norm.out},
// CHECK-SAME: %[[R:[^ :]+]]: memref<?xf32> {norm.name = "res1", norm.out}) {
func.func @results(%x: tensor<?x8xf32> {norm.name = "x"}, %w: tensor<8xf32>)
    -> (tensor<?x8xf32> {norm.name = "y"}, tensor<?xf32>) {
  // CHECK-NOT: memref.alloc
  // CHECK: norm.rms_norm x(%[[X]] : memref<?x8xf32>) weight(%[[W]] : memref<8xf32>)
  // CHECK-SAME: outs y(%[[Y]] : memref<?x8xf32>) rstd(%[[R]] : memref<?xf32>)
  // CHECK-NEXT: return{{$}}
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %yi = tensor.empty(%n) : tensor<?x8xf32>
  %ri = tensor.empty(%n) : tensor<?xf32>
  %y:2 = norm.rms_norm x(%x : tensor<?x8xf32>) weight(%w : tensor<8xf32>)
      outs y(%yi : tensor<?x8xf32>) rstd(%ri : tensor<?xf32>) epsilon = 1.0e-5
      -> tensor<?x8xf32>, tensor<?xf32>
  return %y#0, %y#1 : tensor<?x8xf32>, tensor<?xf32>
}

// -----

// A result that nobody reads gets no buffer.
// CHECK-LABEL: func @unused_result(
// CHECK-SAME: %{{[^ ]+}}: memref<4x8xf32> {norm.name = "arg0"},
// CHECK-SAME: %{{[^ ]+}}: memref<4x8xf32> {norm.name = "res0", norm.out}) {
func.func @unused_result(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NOT: memref.alloc
  %yi = tensor.empty() : tensor<4x8xf32>
  %ri = tensor.empty() : tensor<4xf32>
  %y:2 = norm.rms_norm x(%x : tensor<4x8xf32>) outs y(%yi : tensor<4x8xf32>)
      rstd(%ri : tensor<4xf32>) epsilon = 1.0e-5 -> tensor<4x8xf32>, tensor<4xf32>
  return %y#0 : tensor<4x8xf32>
}

// -----

// An init of the caller is the output.
// CHECK-LABEL: func @init_argument(
// CHECK-SAME: %[[X:[^ :]+]]: memref<?x8xf32> {norm.name = "x"},
// CHECK-SAME: %[[Y:[^ :]+]]: memref<?x8xf32> {norm.name = "y_init", norm.out}) {
func.func @init_argument(%x: tensor<?x8xf32> {norm.name = "x"},
    %yi: tensor<?x8xf32> {norm.name = "y_init"})
    -> (tensor<?x8xf32> {norm.name = "y"}) {
  // CHECK-NEXT: norm.rms_norm x(%[[X]] : {{.*}}) outs y(%[[Y]] : memref<?x8xf32>)
  // CHECK-NEXT: return{{$}}
  %y = norm.rms_norm x(%x : tensor<?x8xf32>) outs y(%yi : tensor<?x8xf32>)
      epsilon = 1.0e-5 -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// So it is through views, and beside a result that has no init of the caller.
// CHECK-LABEL: func @init_view(
// CHECK-SAME: %[[X:[^ :]+]]: memref<2x4x8xf32> {norm.name = "arg0"},
// CHECK-SAME: %[[Y:[^ :]+]]: memref<2x4x8xf32> {norm.name = "arg1", norm.out},
// CHECK-SAME: %[[R:[^ :]+]]: memref<8xf32> {norm.name = "res0", norm.out}) {
func.func @init_view(%x: tensor<2x4x8xf32>, %yi: tensor<2x4x8xf32>)
    -> (tensor<8xf32>, tensor<2x4x8xf32>) {
  // CHECK-DAG: %[[X2:[^ :]+]] = memref.collapse_shape %[[X]]
  // CHECK-DAG: %[[Y2:[^ :]+]] = memref.collapse_shape %[[Y]]
  // CHECK: norm.rms_norm x(%[[X2]] : {{.*}}) outs y(%[[Y2]] : {{.*}}) rstd(%[[R]] :
  // CHECK-NEXT: return{{$}}
  %x2 = tensor.collapse_shape %x [[0, 1], [2]]
      : tensor<2x4x8xf32> into tensor<8x8xf32>
  %y2 = tensor.collapse_shape %yi [[0, 1], [2]]
      : tensor<2x4x8xf32> into tensor<8x8xf32>
  %ri = tensor.empty() : tensor<8xf32>
  %y:2 = norm.rms_norm x(%x2 : tensor<8x8xf32>) outs y(%y2 : tensor<8x8xf32>)
      rstd(%ri : tensor<8xf32>) epsilon = 1.0e-5 -> tensor<8x8xf32>, tensor<8xf32>
  %z = tensor.expand_shape %y#0 [[0, 1], [2]] output_shape [2, 4, 8]
      : tensor<8x8xf32> into tensor<2x4x8xf32>
  return %y#1, %z : tensor<8xf32>, tensor<2x4x8xf32>
}

// -----

// Functions on memrefs get names and nothing else.
// CHECK-LABEL: func @memrefs(
// CHECK-SAME: %{{[^ ]+}}: memref<?x8xf32> {norm.name = "arg0"},
// CHECK-SAME: %{{[^ ]+}}: memref<?x8xf32> {norm.name = "y"}) {
func.func @memrefs(%x: memref<?x8xf32>, %y: memref<?x8xf32> {norm.name = "y"}) {
  // CHECK-NEXT: norm.rms_norm
  // CHECK-NEXT: return{{$}}
  norm.rms_norm x(%x : memref<?x8xf32>) outs y(%y : memref<?x8xf32>) epsilon = 1.0e-5
  return
}
