// Every op prints as it parses, in custom form, generic form and bytecode: on tensors and
// memrefs, static and dynamic, of any rank, with every optional operand and without.
// RUN: norm-opt %s | FileCheck %s
// RUN: norm-opt %s | norm-opt | FileCheck %s
// RUN: norm-opt %s --mlir-print-op-generic | norm-opt | FileCheck %s
// RUN: norm-opt %s --emit-bytecode | norm-opt | FileCheck %s

// CHECK-LABEL: func @layer_norm_tensor
func.func @layer_norm_tensor(%x: tensor<?x1024xbf16>, %w: tensor<1024xf32>,
    %b: tensor<1024xf16>, %yi: tensor<?x1024xbf16>, %mi: tensor<?xf32>,
    %ri: tensor<?xf32>) -> (tensor<?x1024xbf16>, tensor<?xf32>, tensor<?xf32>) {
  // CHECK: %{{[^ ]+}}:3 = norm.layer_norm x(%{{[^ ]+}} : tensor<?x1024xbf16>)
  // CHECK-SAME: weight(%{{[^ ]+}} : tensor<1024xf32>) bias(%{{[^ ]+}} : tensor<1024xf16>)
  // CHECK-SAME: outs y(%{{[^ ]+}} : tensor<?x1024xbf16>) mean(%{{[^ ]+}} : tensor<?xf32>)
  // CHECK-SAME: rstd(%{{[^ ]+}} : tensor<?xf32>) epsilon = 1.000000e-05
  // CHECK-SAME: {weight_offset = 1.000000e+00 : f64}
  // CHECK-SAME: -> tensor<?x1024xbf16>, tensor<?xf32>, tensor<?xf32>
  %y, %m, %r = norm.layer_norm x(%x : tensor<?x1024xbf16>)
      weight(%w : tensor<1024xf32>) bias(%b : tensor<1024xf16>)
      outs y(%yi : tensor<?x1024xbf16>) mean(%mi : tensor<?xf32>)
      rstd(%ri : tensor<?xf32>) epsilon = 1.0e-5 {weight_offset = 1.0 : f64}
      -> tensor<?x1024xbf16>, tensor<?xf32>, tensor<?xf32>
  return %y, %m, %r : tensor<?x1024xbf16>, tensor<?xf32>, tensor<?xf32>
}

// Defaults are not printed.
// CHECK-LABEL: func @layer_norm_memref
func.func @layer_norm_memref(%x: memref<2x3x4xf16>, %y: memref<2x3x4xf32>) {
  // CHECK: norm.layer_norm x(%{{[^ ]+}} : memref<2x3x4xf16>)
  // CHECK-SAME: outs y(%{{[^ ]+}} : memref<2x3x4xf32>) epsilon = 0.000000e+00{{$}}
  norm.layer_norm x(%x : memref<2x3x4xf16>) outs y(%y : memref<2x3x4xf32>)
      epsilon = 0.0 {norm_dims = 1 : i64, weight_offset = 0.0 : f64}
  return
}

// All dimensions are normalized: one row, and statistics of rank 0. f64 makes f64.
// CHECK-LABEL: func @one_row
func.func @one_row(%x: memref<2x?x4xf64>, %w: memref<2x?x4xf16>, %m: memref<f64>,
                   %r: memref<f64>) {
  // CHECK: norm.layer_norm x(%{{[^ ]+}} : memref<2x?x4xf64>)
  // CHECK-SAME: weight(%{{[^ ]+}} : memref<2x?x4xf16>)
  // CHECK-SAME: outs mean(%{{[^ ]+}} : memref<f64>) rstd(%{{[^ ]+}} : memref<f64>)
  // CHECK-SAME: epsilon = 1.000000e-05 {norm_dims = 3 : i64}
  norm.layer_norm x(%x : memref<2x?x4xf64>) weight(%w : memref<2x?x4xf16>)
      outs mean(%m : memref<f64>) rstd(%r : memref<f64>)
      epsilon = 1.0e-5 {norm_dims = 3 : i64}
  return
}

// Rank 1, and rank 9; strides are the outer dimensions' own, and any where a normalized
// dimension has one element.
// CHECK-LABEL: func @ranks
func.func @ranks(%x1: memref<?xf32>, %y1: memref<?xf32>,
    %x9: memref<1x2x1x2x1x2x1x2x8xf32>, %y9: memref<1x2x1x2x1x2x1x2x8xf32>,
    %xs: memref<4x2x8xf32, strided<[0, 100, 1], offset: ?>>, %ys: memref<4x2x8xf32>,
    %xo: memref<4x1x8xf32, strided<[16, 5, 1]>>, %yo: memref<4x1x8xf32>) {
  // CHECK: norm.rms_norm x(%{{[^ ]+}} : memref<?xf32>)
  norm.rms_norm x(%x1 : memref<?xf32>) outs y(%y1 : memref<?xf32>) epsilon = 1.0e-5
  // CHECK: norm.rms_norm x(%{{[^ ]+}} : memref<1x2x1x2x1x2x1x2x8xf32>)
  norm.rms_norm x(%x9 : memref<1x2x1x2x1x2x1x2x8xf32>)
      outs y(%y9 : memref<1x2x1x2x1x2x1x2x8xf32>) epsilon = 1.0e-5 {norm_dims = 2 : i64}
  // CHECK: norm.rms_norm x(%{{[^ ]+}} : memref<4x2x8xf32, strided<[0, 100, 1], offset: ?>>)
  norm.rms_norm x(%xs : memref<4x2x8xf32, strided<[0, 100, 1], offset: ?>>)
      outs y(%ys : memref<4x2x8xf32>) epsilon = 1.0e-5
  // CHECK: norm.rms_norm x(%{{[^ ]+}} : memref<4x1x8xf32, strided<[16, 5, 1]>>)
  norm.rms_norm x(%xo : memref<4x1x8xf32, strided<[16, 5, 1]>>)
      outs y(%yo : memref<4x1x8xf32>) epsilon = 1.0e-5 {norm_dims = 2 : i64}
  return
}

// A dynamic dimension fits every size.
// CHECK-LABEL: func @dynamic_fits_static
func.func @dynamic_fits_static(%x: memref<?x8xf32>, %w: memref<?xf32>,
                               %y: memref<4x?xf32>, %r: memref<4xf32>) {
  // CHECK: norm.rms_norm
  norm.rms_norm x(%x : memref<?x8xf32>) weight(%w : memref<?xf32>)
      outs y(%y : memref<4x?xf32>) rstd(%r : memref<4xf32>) epsilon = 1.0e-5
  return
}

// CHECK-LABEL: func @layer_norm_backward
func.func @layer_norm_backward(%dy: tensor<64x24xf16>, %x: tensor<64x24xbf16>,
    %m: tensor<64xf32>, %r: tensor<64xf32>, %w: tensor<24xf32>,
    %dxi: tensor<64x24xbf16>, %dwi: tensor<24xf64>, %dbi: tensor<24xf32>)
    -> (tensor<64x24xbf16>, tensor<24xf64>, tensor<24xf32>) {
  // CHECK: %{{[^ ]+}}:3 = norm.layer_norm_backward dy(%{{[^ ]+}} : tensor<64x24xf16>)
  // CHECK-SAME: x(%{{[^ ]+}} : tensor<64x24xbf16>) mean(%{{[^ ]+}} : tensor<64xf32>)
  // CHECK-SAME: rstd(%{{[^ ]+}} : tensor<64xf32>) weight(%{{[^ ]+}} : tensor<24xf32>)
  // CHECK-SAME: outs dx(%{{[^ ]+}} : tensor<64x24xbf16>) dweight(%{{[^ ]+}} : tensor<24xf64>)
  // CHECK-SAME: dbias(%{{[^ ]+}} : tensor<24xf32>)
  // CHECK-SAME: -> tensor<64x24xbf16>, tensor<24xf64>, tensor<24xf32>
  %dx, %dw, %db = norm.layer_norm_backward dy(%dy : tensor<64x24xf16>)
      x(%x : tensor<64x24xbf16>) mean(%m : tensor<64xf32>) rstd(%r : tensor<64xf32>)
      weight(%w : tensor<24xf32>)
      outs dx(%dxi : tensor<64x24xbf16>) dweight(%dwi : tensor<24xf64>)
      dbias(%dbi : tensor<24xf32>) -> tensor<64x24xbf16>, tensor<24xf64>, tensor<24xf32>
  return %dx, %dw, %db : tensor<64x24xbf16>, tensor<24xf64>, tensor<24xf32>
}

// Any gradient alone, and dweight without a weight.
// CHECK-LABEL: func @layer_norm_backward_masks
func.func @layer_norm_backward_masks(%dy: memref<?x?xf32>, %x: memref<?x?xf32>,
    %m: memref<?xf32>, %r: memref<?xf32>, %dw: memref<?xf32>, %db: memref<?xf32>) {
  // CHECK: outs dbias(%{{[^ ]+}} : memref<?xf32>){{$}}
  norm.layer_norm_backward dy(%dy : memref<?x?xf32>) x(%x : memref<?x?xf32>)
      mean(%m : memref<?xf32>) rstd(%r : memref<?xf32>) outs dbias(%db : memref<?xf32>)
  // CHECK: outs dweight(%{{[^ ]+}} : memref<?xf32>){{$}}
  norm.layer_norm_backward dy(%dy : memref<?x?xf32>) x(%x : memref<?x?xf32>)
      mean(%m : memref<?xf32>) rstd(%r : memref<?xf32>) outs dweight(%dw : memref<?xf32>)
  return
}

// CHECK-LABEL: func @rms_norm
func.func @rms_norm(%x: tensor<8x4096xbf16>, %w: tensor<4096xbf16>,
    %yi: tensor<8x4096xbf16>, %ri: tensor<8xf32>) -> tensor<8x4096xbf16> {
  // CHECK: %{{[^ ]+}}:2 = norm.rms_norm x(%{{[^ ]+}} : tensor<8x4096xbf16>)
  // CHECK-SAME: weight(%{{[^ ]+}} : tensor<4096xbf16>)
  // CHECK-SAME: outs y(%{{[^ ]+}} : tensor<8x4096xbf16>) rstd(%{{[^ ]+}} : tensor<8xf32>)
  // CHECK-SAME: epsilon = 9.9999999999999995E-7 {cast = #norm.cast<before_weight>}
  // CHECK-SAME: -> tensor<8x4096xbf16>, tensor<8xf32>
  %y, %r = norm.rms_norm x(%x : tensor<8x4096xbf16>) weight(%w : tensor<4096xbf16>)
      outs y(%yi : tensor<8x4096xbf16>) rstd(%ri : tensor<8xf32>)
      epsilon = 1.0e-6 {cast = #norm.cast<before_weight>}
      -> tensor<8x4096xbf16>, tensor<8xf32>
  return %y : tensor<8x4096xbf16>
}

// CHECK-LABEL: func @rms_norm_backward
func.func @rms_norm_backward(%dy: memref<?x24xf32>, %x: memref<?x24xf32>,
    %r: memref<?xf32>, %w: memref<24xf32>, %dx: memref<?x24xf32>, %dw: memref<24xf32>) {
  // CHECK: norm.rms_norm_backward dy(%{{[^ ]+}} : memref<?x24xf32>)
  // CHECK-SAME: x(%{{[^ ]+}} : memref<?x24xf32>) rstd(%{{[^ ]+}} : memref<?xf32>)
  // CHECK-SAME: weight(%{{[^ ]+}} : memref<24xf32>)
  // CHECK-SAME: outs dx(%{{[^ ]+}} : memref<?x24xf32>) dweight(%{{[^ ]+}} : memref<24xf32>)
  // CHECK-SAME: {cast = #norm.cast<before_weight>, weight_offset = 1.000000e+00 : f64}
  norm.rms_norm_backward dy(%dy : memref<?x24xf32>) x(%x : memref<?x24xf32>)
      rstd(%r : memref<?xf32>) weight(%w : memref<24xf32>)
      outs dx(%dx : memref<?x24xf32>) dweight(%dw : memref<24xf32>)
      {cast = #norm.cast<before_weight>, weight_offset = 1.0 : f64}
  return
}

// CHECK-LABEL: func @dyt
func.func @dyt(%x: tensor<?x768xf32>, %a: tensor<1xf16>, %s: tensor<f64>,
    %w: tensor<768xf32>, %b: tensor<768xf32>, %yi: tensor<?x768xf32>)
    -> (tensor<?x768xf32>, tensor<?x768xf32>) {
  // CHECK: norm.dyt x(%{{[^ ]+}} : tensor<?x768xf32>) alpha(%{{[^ ]+}} : tensor<1xf16>)
  // CHECK-SAME: outs y(%{{[^ ]+}} : tensor<?x768xf32>) {accuracy = #norm.accuracy<exact>}
  // CHECK-SAME: -> tensor<?x768xf32>
  %y0 = norm.dyt x(%x : tensor<?x768xf32>) alpha(%a : tensor<1xf16>)
      outs y(%yi : tensor<?x768xf32>)
      {accuracy = #norm.accuracy<exact>, activation = #norm.activation<tanh>}
      -> tensor<?x768xf32>
  // CHECK: norm.dyt x(%{{[^ ]+}} : tensor<?x768xf32>) alpha(%{{[^ ]+}} : tensor<1xf16>)
  // CHECK-SAME: shift(%{{[^ ]+}} : tensor<f64>) weight(%{{[^ ]+}} : tensor<768xf32>)
  // CHECK-SAME: bias(%{{[^ ]+}} : tensor<768xf32>) outs y(%{{[^ ]+}} : tensor<?x768xf32>)
  // CHECK-SAME: {activation = #norm.activation<erf>} -> tensor<?x768xf32>
  %y1 = norm.dyt x(%x : tensor<?x768xf32>) alpha(%a : tensor<1xf16>)
      shift(%s : tensor<f64>) weight(%w : tensor<768xf32>) bias(%b : tensor<768xf32>)
      outs y(%yi : tensor<?x768xf32>) {activation = #norm.activation<erf>}
      -> tensor<?x768xf32>
  return %y0, %y1 : tensor<?x768xf32>, tensor<?x768xf32>
}

// CHECK-LABEL: func @dyt_backward
func.func @dyt_backward(%dy: memref<64x24xf32>, %x: memref<64x24xf32>,
    %a: memref<f32>, %s: memref<1xf32>, %w: memref<24xf32>, %dx: memref<64x24xf32>,
    %da: memref<f32>, %ds: memref<1xf32>, %dw: memref<24xf32>, %db: memref<24xf32>) {
  // CHECK: norm.dyt_backward dy(%{{[^ ]+}} : memref<64x24xf32>) x(%{{[^ ]+}} : memref<64x24xf32>)
  // CHECK-SAME: alpha(%{{[^ ]+}} : memref<f32>) shift(%{{[^ ]+}} : memref<1xf32>)
  // CHECK-SAME: weight(%{{[^ ]+}} : memref<24xf32>) outs dx(%{{[^ ]+}} : memref<64x24xf32>)
  // CHECK-SAME: dalpha(%{{[^ ]+}} : memref<f32>) dshift(%{{[^ ]+}} : memref<1xf32>)
  // CHECK-SAME: dweight(%{{[^ ]+}} : memref<24xf32>) dbias(%{{[^ ]+}} : memref<24xf32>)
  // CHECK-SAME: {accuracy = #norm.accuracy<approximate>, activation = #norm.activation<erf>}
  norm.dyt_backward dy(%dy : memref<64x24xf32>) x(%x : memref<64x24xf32>)
      alpha(%a : memref<f32>) shift(%s : memref<1xf32>) weight(%w : memref<24xf32>)
      outs dx(%dx : memref<64x24xf32>) dalpha(%da : memref<f32>)
      dshift(%ds : memref<1xf32>) dweight(%dw : memref<24xf32>)
      dbias(%db : memref<24xf32>)
      {accuracy = #norm.accuracy<approximate>, activation = #norm.activation<erf>}
  // CHECK: norm.dyt_backward
  // CHECK-SAME: outs dalpha(%{{[^ ]+}} : memref<f32>){{$}}
  norm.dyt_backward dy(%dy : memref<64x24xf32>) x(%x : memref<64x24xf32>)
      alpha(%a : memref<f32>) outs dalpha(%da : memref<f32>)
  return
}
