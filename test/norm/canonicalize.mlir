// RUN: norm-opt %s --canonicalize --resolve-ranked-shaped-type-result-dims --canonicalize --split-input-file | FileCheck %s

// Statistics that nobody reads are not computed, in any position of the results.
// CHECK-LABEL: func @unused_statistics
func.func @unused_statistics(%x: tensor<4x8xf32>, %yi: tensor<4x8xf32>,
    %mi: tensor<4xf32>, %ri: tensor<4xf32>)
    -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[Y:[^ :]+]] = norm.layer_norm x(%{{[^ ]+}} : tensor<4x8xf32>)
  // CHECK-SAME: outs y(%{{[^ ]+}} : tensor<4x8xf32>) epsilon = 1.000000e-05
  // CHECK-SAME: -> tensor<4x8xf32>{{$}}
  %y:3 = norm.layer_norm x(%x : tensor<4x8xf32>)
      outs y(%yi : tensor<4x8xf32>) mean(%mi : tensor<4xf32>) rstd(%ri : tensor<4xf32>)
      epsilon = 1.0e-5 -> tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
  // CHECK: %[[M:[^ :]+]] = norm.layer_norm
  // CHECK-SAME: outs mean(%{{[^ ]+}} : tensor<4xf32>)
  // CHECK-SAME: -> tensor<4xf32>{{$}}
  %m:3 = norm.layer_norm x(%x : tensor<4x8xf32>)
      outs y(%yi : tensor<4x8xf32>) mean(%mi : tensor<4xf32>) rstd(%ri : tensor<4xf32>)
      epsilon = 1.0e-5 -> tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
  // CHECK: %[[R:[^ :]+]] = norm.rms_norm
  // CHECK-SAME: outs rstd(%{{[^ ]+}} : tensor<4xf32>)
  // CHECK-SAME: {cast = #norm.cast<before_weight>} -> tensor<4xf32>
  %r:2 = norm.rms_norm x(%x : tensor<4x8xf32>)
      outs y(%yi : tensor<4x8xf32>) rstd(%ri : tensor<4xf32>)
      epsilon = 1.0e-5 {cast = #norm.cast<before_weight>}
      -> tensor<4x8xf32>, tensor<4xf32>
  // CHECK: return %[[Y]], %[[M]], %[[R]]
  return %y#0, %m#1, %r#1 : tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Unused gradients leave the mask; the ones that stay keep their order and attributes.
// CHECK-LABEL: func @unused_gradients
func.func @unused_gradients(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>,
    %s: tensor<4xf32>, %w: tensor<8xf32>, %ti: tensor<4x8xf32>, %ci: tensor<8xf32>,
    %a: tensor<f32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<f32>, tensor<8xf32>) {
  // CHECK: %[[L:[^ :]+]]:2 = norm.layer_norm_backward
  // CHECK-SAME: weight(%{{[^ ]+}} : tensor<8xf32>)
  // CHECK-SAME: outs dx(%{{[^ ]+}} : tensor<4x8xf32>) dbias(%{{[^ ]+}} : tensor<8xf32>)
  // CHECK-SAME: {weight_offset = 1.000000e+00 : f64} -> tensor<4x8xf32>, tensor<8xf32>
  %l:3 = norm.layer_norm_backward dy(%dy : tensor<4x8xf32>) x(%x : tensor<4x8xf32>)
      mean(%s : tensor<4xf32>) rstd(%s : tensor<4xf32>) weight(%w : tensor<8xf32>)
      outs dx(%ti : tensor<4x8xf32>) dweight(%ci : tensor<8xf32>)
      dbias(%ci : tensor<8xf32>) {weight_offset = 1.0 : f64}
      -> tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
  // CHECK: %[[D:[^ :]+]]:2 = norm.dyt_backward
  // CHECK-SAME: outs dalpha(%{{[^ ]+}} : tensor<f32>) dweight(%{{[^ ]+}} : tensor<8xf32>)
  // CHECK-SAME: -> tensor<f32>, tensor<8xf32>
  %d:4 = norm.dyt_backward dy(%dy : tensor<4x8xf32>) x(%x : tensor<4x8xf32>)
      alpha(%a : tensor<f32>)
      outs dx(%ti : tensor<4x8xf32>) dalpha(%a : tensor<f32>)
      dweight(%ci : tensor<8xf32>) dbias(%ci : tensor<8xf32>)
      -> tensor<4x8xf32>, tensor<f32>, tensor<8xf32>, tensor<8xf32>
  // CHECK: return %[[L]]#0, %[[L]]#1, %[[D]]#0, %[[D]]#1
  return %l#0, %l#2, %d#1, %d#2
      : tensor<4x8xf32>, tensor<8xf32>, tensor<f32>, tensor<8xf32>
}

// -----

// On tensors an op is pure: unused, it goes. On memrefs it writes, and stays.
// CHECK-LABEL: func @unused_op
func.func @unused_op(%x: tensor<4x8xf32>, %yi: tensor<4x8xf32>, %xm: memref<4x8xf32>,
                     %ym: memref<4x8xf32>) {
  // CHECK-NOT: tensor<4x8xf32>)
  // CHECK: norm.rms_norm x(%{{[^ ]+}} : memref<4x8xf32>)
  // CHECK-NOT: norm
  %y = norm.rms_norm x(%x : tensor<4x8xf32>) outs y(%yi : tensor<4x8xf32>)
      epsilon = 1.0e-5 -> tensor<4x8xf32>
  norm.rms_norm x(%xm : memref<4x8xf32>) outs y(%ym : memref<4x8xf32>) epsilon = 1.0e-5
  return
}

// -----

// An operand's own type says more than that of its cast: sizes, and strides.
// CHECK-LABEL: func @memref_casts
// CHECK-SAME: %[[X:[^ :]+]]: memref<4x8xf32>, %[[W:[^ :]+]]: memref<8xf32>,
// CHECK-SAME: %[[Y:[^ :]+]]: memref<4x8xf32>
func.func @memref_casts(%x: memref<4x8xf32>, %w: memref<8xf32>, %y: memref<4x8xf32>) {
  // CHECK-NOT: memref.cast
  // CHECK: norm.rms_norm x(%[[X]] : memref<4x8xf32>) weight(%[[W]] : memref<8xf32>)
  // CHECK-SAME: outs y(%[[Y]] : memref<4x8xf32>)
  %xc = memref.cast %x : memref<4x8xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  %wc = memref.cast %w : memref<8xf32> to memref<?xf32>
  %yc = memref.cast %y : memref<4x8xf32> to memref<?x8xf32>
  norm.rms_norm x(%xc : memref<?x?xf32, strided<[?, ?], offset: ?>>)
      weight(%wc : memref<?xf32>) outs y(%yc : memref<?x8xf32>) epsilon = 1.0e-5
  return
}

// -----

// A cast to a more static type is an assertion, and stays.
// CHECK-LABEL: func @asserting_cast
func.func @asserting_cast(%x: memref<?x?xf32>, %y: memref<4x8xf32>) {
  // CHECK: %[[C:[^ :]+]] = memref.cast
  // CHECK: norm.rms_norm x(%[[C]] : memref<4x8xf32>)
  %xc = memref.cast %x : memref<?x?xf32> to memref<4x8xf32>
  norm.rms_norm x(%xc : memref<4x8xf32>) outs y(%y : memref<4x8xf32>) epsilon = 1.0e-5
  return
}

// -----

// What a fold would make invalid stays as it is: the launch finds the error. x has 5
// rows, or columns that are not contiguous, or is the output as well.
// CHECK-LABEL: func @wrong_casts
func.func @wrong_casts(%x5: memref<5x8xf32>, %xs: memref<4x8xf32, strided<[16, 2]>>,
                       %y: memref<4x8xf32>) {
  // CHECK: norm.rms_norm x(%{{[^ ]+}} : memref<?x8xf32>)
  %c0 = memref.cast %x5 : memref<5x8xf32> to memref<?x8xf32>
  norm.rms_norm x(%c0 : memref<?x8xf32>) outs y(%y : memref<4x8xf32>) epsilon = 1.0e-5
  // CHECK: norm.rms_norm x(%{{[^ ]+}} : memref<4x8xf32, strided<[16, ?]>>)
  %c1 = memref.cast %xs : memref<4x8xf32, strided<[16, 2]>>
      to memref<4x8xf32, strided<[16, ?]>>
  norm.rms_norm x(%c1 : memref<4x8xf32, strided<[16, ?]>>) outs y(%y : memref<4x8xf32>)
      epsilon = 1.0e-5
  // CHECK: norm.rms_norm x(%{{[^ ]+}} : memref<?x8xf32>)
  %c2 = memref.cast %y : memref<4x8xf32> to memref<?x8xf32>
  norm.rms_norm x(%c2 : memref<?x8xf32>) outs y(%y : memref<4x8xf32>) epsilon = 1.0e-5
  return
}

// -----

// The tensor dialect folds casts of every op in destination style; results keep their
// types through a cast behind the op.
// CHECK-LABEL: func @tensor_casts
func.func @tensor_casts(%x: tensor<4x8xf32>, %yi: tensor<4x8xf32>) -> tensor<?x?xf32> {
  // CHECK: %[[Y:[^ :]+]] = norm.rms_norm x(%{{[^ ]+}} : tensor<4x8xf32>)
  // CHECK-SAME: outs y(%{{[^ ]+}} : tensor<4x8xf32>)
  // CHECK: %[[C:[^ :]+]] = tensor.cast %[[Y]] : tensor<4x8xf32> to tensor<?x?xf32>
  // CHECK: return %[[C]]
  %xc = tensor.cast %x : tensor<4x8xf32> to tensor<?x?xf32>
  %yc = tensor.cast %yi : tensor<4x8xf32> to tensor<?x?xf32>
  %y = norm.rms_norm x(%xc : tensor<?x?xf32>) outs y(%yc : tensor<?x?xf32>)
      epsilon = 1.0e-5 -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// A result's size is its init's.
// CHECK-LABEL: func @dim_of_result
// CHECK-SAME: %{{[^ ]+}}: tensor<?x8xf32>, %[[I:[^ :]+]]: tensor<?x8xf32>
func.func @dim_of_result(%x: tensor<?x8xf32>, %yi: tensor<?x8xf32>) -> (index, index) {
  // CHECK-DAG: %[[D:[^ :]+]] = tensor.dim %[[I]], %c0
  // CHECK-DAG: %[[C8:[^ :]+]] = arith.constant 8 : index
  // CHECK-NOT: norm
  // CHECK: return %[[D]], %[[C8]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = norm.rms_norm x(%x : tensor<?x8xf32>) outs y(%yi : tensor<?x8xf32>)
      epsilon = 1.0e-5 -> tensor<?x8xf32>
  %d0 = tensor.dim %y, %c0 : tensor<?x8xf32>
  %d1 = tensor.dim %y, %c1 : tensor<?x8xf32>
  return %d0, %d1 : index, index
}
