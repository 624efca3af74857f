// No output is put in the place of what an op reads, and no caller's input is written.
// RUN: norm-opt %s --norm-bufferize --split-input-file | FileCheck %s \
// RUN:   --implicit-check-not=memref.copy

// x is the init as well.
// CHECK-LABEL: func @input_is_init(
// CHECK-SAME: %[[X:[^ :]+]]: memref<4x8xf32>
// CHECK-SAME: %[[Y:[^ :]+]]: memref<4x8xf32> {norm.name = "res0", norm.out}
func.func @input_is_init(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: norm.rms_norm x(%[[X]] : {{.*}}) outs y(%[[Y]] :
  %y = norm.rms_norm x(%x : tensor<4x8xf32>) outs y(%x : tensor<4x8xf32>)
      epsilon = 1.0e-5 -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// x is the init of a later op, after its last use.
// CHECK-LABEL: func @input_reused(
// CHECK-SAME: %[[X:[^ :]+]]: memref<4x8xf32>
// CHECK-SAME: %[[Z:[^ :]+]]: memref<4x8xf32> {norm.name = "res0", norm.out}
func.func @input_reused(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[Y:[^ :]+]] = memref.alloc()
  // CHECK: norm.rms_norm x(%[[X]] : {{.*}}) outs y(%[[Y]] :
  // CHECK: norm.rms_norm x(%[[Y]] : {{.*}}) outs y(%[[Z]] :
  %e = tensor.empty() : tensor<4x8xf32>
  %y = norm.rms_norm x(%x : tensor<4x8xf32>) outs y(%e : tensor<4x8xf32>)
      epsilon = 1.0e-5 -> tensor<4x8xf32>
  %z = norm.rms_norm x(%y : tensor<4x8xf32>) outs y(%x : tensor<4x8xf32>)
      epsilon = 1.0e-5 -> tensor<4x8xf32>
  return %z : tensor<4x8xf32>
}

// -----

// One tensor.empty for two ops: the second op reads the first one's result. The
// intermediate has a buffer of its own, as large as x says.
// CHECK-LABEL: func @chain(
// CHECK-SAME: %[[X:[^ :]+]]: memref<?x8xf32>
// CHECK-SAME: %[[Z:[^ :]+]]: memref<?x8xf32> {norm.name = "res0", norm.out}
func.func @chain(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // CHECK: %[[N:[^ :]+]] = memref.dim %[[X]], %c0
  // CHECK: %[[Y:[^ :]+]] = memref.alloc(%[[N]])
  // CHECK: norm.rms_norm x(%[[X]] : {{.*}}) outs y(%[[Y]] :
  // CHECK: norm.rms_norm x(%[[Y]] : {{.*}}) outs y(%[[Z]] :
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %y = norm.rms_norm x(%x : tensor<?x8xf32>) outs y(%e : tensor<?x8xf32>)
      epsilon = 1.0e-5 -> tensor<?x8xf32>
  %z = norm.rms_norm x(%y : tensor<?x8xf32>) outs y(%e : tensor<?x8xf32>)
      epsilon = 1.0e-5 -> tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}

// -----

// An intermediate that is returned as well is in its out-parameter.
// CHECK-LABEL: func @intermediate_returned(
// CHECK-SAME: %[[X:[^ :]+]]: memref<4x8xf32> {norm.name = "arg0"}
// CHECK-SAME: %[[Y:[^ :]+]]: memref<4x8xf32> {norm.name = "res0", norm.out}
// CHECK-SAME: %[[Z:[^ :]+]]: memref<4x8xf32> {norm.name = "res1", norm.out}
func.func @intermediate_returned(%x: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK-NEXT: norm.rms_norm x(%[[X]] : {{.*}}) outs y(%[[Y]] :
  // CHECK-NEXT: norm.rms_norm x(%[[Y]] : {{.*}}) outs y(%[[Z]] :
  %e = tensor.empty() : tensor<4x8xf32>
  %y = norm.rms_norm x(%x : tensor<4x8xf32>) outs y(%e : tensor<4x8xf32>)
      epsilon = 1.0e-5 -> tensor<4x8xf32>
  %z = norm.rms_norm x(%y : tensor<4x8xf32>) outs y(%y : tensor<4x8xf32>)
      epsilon = 1.0e-5 -> tensor<4x8xf32>
  return %y, %z : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// One init for two results of an op.
// CHECK-LABEL: func @shared_init(
// CHECK-SAME: %[[DW:[^ :]+]]: memref<8xf32> {norm.name = "res0", norm.out}
// CHECK-SAME: %[[DB:[^ :]+]]: memref<8xf32> {norm.name = "res1", norm.out}
func.func @shared_init(%x: tensor<4x8xf32>, %s: tensor<4xf32>)
    -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: outs dweight(%[[DW]] : memref<8xf32>) dbias(%[[DB]] : memref<8xf32>)
  %e = tensor.empty() : tensor<8xf32>
  %d:2 = norm.layer_norm_backward dy(%x : tensor<4x8xf32>) x(%x : tensor<4x8xf32>)
      mean(%s : tensor<4xf32>) rstd(%s : tensor<4xf32>)
      outs dweight(%e : tensor<8xf32>) dbias(%e : tensor<8xf32>)
      -> tensor<8xf32>, tensor<8xf32>
  return %d#0, %d#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Forward and backward in one function: the statistics pass from one to the other.
// CHECK-LABEL: func @forward_backward(
func.func @forward_backward(%x: tensor<?x8xbf16>, %dy: tensor<?x8xbf16>)
    -> (tensor<?x8xbf16>, tensor<?x8xbf16>) {
  // CHECK-DAG: %[[M:[^ :]+]] = memref.alloc(%{{[^ ]+}}) {{.*}} : memref<?xf32>
  // CHECK-DAG: %[[R:[^ :]+]] = memref.alloc(%{{[^ ]+}}) {{.*}} : memref<?xf32>
  // CHECK: norm.layer_norm {{.*}} mean(%[[M]] : {{.*}}) rstd(%[[R]] :
  // CHECK: norm.layer_norm_backward {{.*}} mean(%[[M]] : {{.*}}) rstd(%[[R]] :
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xbf16>
  %yi = tensor.empty(%n) : tensor<?x8xbf16>
  %si = tensor.empty(%n) : tensor<?xf32>
  %y:3 = norm.layer_norm x(%x : tensor<?x8xbf16>) outs y(%yi : tensor<?x8xbf16>)
      mean(%si : tensor<?xf32>) rstd(%si : tensor<?xf32>) epsilon = 1.0e-5
      -> tensor<?x8xbf16>, tensor<?xf32>, tensor<?xf32>
  %dx = norm.layer_norm_backward dy(%dy : tensor<?x8xbf16>) x(%x : tensor<?x8xbf16>)
      mean(%y#1 : tensor<?xf32>) rstd(%y#2 : tensor<?xf32>)
      outs dx(%yi : tensor<?x8xbf16>) -> tensor<?x8xbf16>
  return %y#0, %dx : tensor<?x8xbf16>, tensor<?x8xbf16>
}
