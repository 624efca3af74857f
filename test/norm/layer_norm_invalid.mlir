// One test for each numbered constraint of norm.layer_norm.
// RUN: norm-opt %s --split-input-file --verify-diagnostics

func.func @c1(%x: memref<4x8xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected norm_dims in [1, 2], because it counts the last dimensions of x, which has rank 2, but got 3 (layer_norm_c1)}}
  norm.layer_norm x(%x : memref<4x8xf32>) outs y(%y_init : memref<4x8xf32>)
      epsilon = 1.0e-5 {norm_dims = 3 : i64}
  return
}

// -----

func.func @c1(%x: memref<4x8xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected norm_dims in [1, 2], because it counts the last dimensions of x, which has rank 2, but got 0 (layer_norm_c1)}}
  norm.layer_norm x(%x : memref<4x8xf32>) outs y(%y_init : memref<4x8xf32>)
      epsilon = 1.0e-5 {norm_dims = 0 : i64}
  return
}

// -----

func.func @c1(%x: memref<4x8xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{but got -1 (layer_norm_c1)}}
  norm.layer_norm x(%x : memref<4x8xf32>) outs y(%y_init : memref<4x8xf32>)
      epsilon = 1.0e-5 {norm_dims = -1 : i64}
  return
}

// -----

// x of rank 0 has no dimension to normalize.
func.func @c1(%x: memref<f32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected x of rank >= 1, because its last dimensions are normalized, but got rank 0 (layer_norm_c1)}}
  norm.layer_norm x(%x : memref<f32>) outs y(%y_init : memref<4x8xf32>)
      epsilon = 1.0e-5
  return
}

// -----

func.func @c2(%x: memref<4x8xf32>) {
  // expected-error @+1 {{expected at least one init, because an init asks for its result, but got none (layer_norm_c2)}}
  norm.layer_norm x(%x : memref<4x8xf32>) outs epsilon = 1.0e-5
  return
}

// -----

func.func @c3(%x: memref<4x8xf32>, %y_init: tensor<4x8xf32>) {
  // expected-error @+1 {{expected y to be a memref, because x is one and all operands are of one form, but got a tensor (layer_norm_c3)}}
  %r = norm.layer_norm x(%x : memref<4x8xf32>) outs y(%y_init : tensor<4x8xf32>)
      epsilon = 1.0e-5 -> tensor<4x8xf32>
  return
}

// -----

func.func @c4(%x: memref<4x8xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected 0 result(s), because every tensor init has one and memrefs have none, but got 1 (layer_norm_c4)}}
  %r = norm.layer_norm x(%x : memref<4x8xf32>) outs y(%y_init : memref<4x8xf32>)
      epsilon = 1.0e-5 -> tensor<4x8xf32>
  return
}

// -----

func.func @c4(%x: tensor<4x8xf32>, %y_init: tensor<4x8xf32>) {
  // expected-error @+1 {{expected 1 result(s), because every tensor init has one and memrefs have none, but got 0 (layer_norm_c4)}}
  norm.layer_norm x(%x : tensor<4x8xf32>) outs y(%y_init : tensor<4x8xf32>)
      epsilon = 1.0e-5
  return
}

// -----

func.func @c4(%x: tensor<4x8xf32>, %y_init: tensor<4x8xf32>) {
  // expected-error @+1 {{expected result y to be 'tensor<4x8xf32>', because its init is, but got 'tensor<?x8xf32>' (layer_norm_c4)}}
  %r = norm.layer_norm x(%x : tensor<4x8xf32>) outs y(%y_init : tensor<4x8xf32>)
      epsilon = 1.0e-5 -> tensor<?x8xf32>
  return
}

// -----

func.func @c5(%x: memref<?x8xf32>, %y_init: memref<4x9xf32>) {
  // expected-error @+1 {{expected y of shape [?, 8], because that is the shape of x, but got [4, 9] (layer_norm_c5)}}
  norm.layer_norm x(%x : memref<?x8xf32>) outs y(%y_init : memref<4x9xf32>)
      epsilon = 1.0e-5
  return
}

// -----

func.func @c5(%x: memref<4x8xf32>, %y_init: memref<4x8x1xf32>) {
  // expected-error @+1 {{expected y of shape [4, 8], because that is the shape of x, but got [4, 8, 1] (layer_norm_c5)}}
  norm.layer_norm x(%x : memref<4x8xf32>) outs y(%y_init : memref<4x8x1xf32>)
      epsilon = 1.0e-5
  return
}

// -----

func.func @c6(%x: memref<4x8xf32>, %weight: memref<4xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected weight of shape [8], because those are the normalized dimensions of x, but got [4] (layer_norm_c6)}}
  norm.layer_norm x(%x : memref<4x8xf32>) weight(%weight : memref<4xf32>) outs
      y(%y_init : memref<4x8xf32>) epsilon = 1.0e-5
  return
}

// -----

// Two normalized dimensions stay two.
func.func @c6(%x: memref<4x8xf32>, %weight: memref<32xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected weight of shape [4, 8], because those are the normalized dimensions of x, but got [32] (layer_norm_c6)}}
  norm.layer_norm x(%x : memref<4x8xf32>) weight(%weight : memref<32xf32>) outs
      y(%y_init : memref<4x8xf32>) epsilon = 1.0e-5 {norm_dims = 2 : i64}
  return
}

// -----

func.func @c6(%x: memref<4x8xf32>, %bias: memref<1xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected bias of shape [8], because those are the normalized dimensions of x, but got [1] (layer_norm_c6)}}
  norm.layer_norm x(%x : memref<4x8xf32>) bias(%bias : memref<1xf32>) outs
      y(%y_init : memref<4x8xf32>) epsilon = 1.0e-5
  return
}

// -----

func.func @c7(%x: memref<4x0xf32>, %y_init: memref<4x0xf32>) {
  // expected-error @+1 {{expected cols >= 1, because a row without elements has no mean, but got x with 0 in normalized dimension 0 (layer_norm_c7)}}
  norm.layer_norm x(%x : memref<4x0xf32>) outs y(%y_init : memref<4x0xf32>)
      epsilon = 1.0e-5
  return
}

// -----

// Any operand can tell.
func.func @c7(%x: memref<4x?xf32>, %weight: memref<0xf32>, %y_init: memref<4x?xf32>) {
  // expected-error @+1 {{expected cols >= 1, because a row without elements has no mean, but got weight with 0 in normalized dimension 0 (layer_norm_c7)}}
  norm.layer_norm x(%x : memref<4x?xf32>) weight(%weight : memref<0xf32>) outs
      y(%y_init : memref<4x?xf32>) epsilon = 1.0e-5
  return
}

// -----

func.func @c8(%x: memref<4x8xf32, strided<[16, 2]>>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected stride 1 of dimension 1 of x, because the normalized dimensions are contiguous, but got 2 (layer_norm_c8)}}
  norm.layer_norm x(%x : memref<4x8xf32, strided<[16, 2]>>) outs
      y(%y_init : memref<4x8xf32>) epsilon = 1.0e-5
  return
}

// -----

func.func @c8(%x: memref<2x4x8xf32, strided<[64, 16, 1]>>,
      %y_init: memref<2x4x8xf32>) {
  // expected-error @+1 {{expected stride 8 of dimension 1 of x, because the normalized dimensions are contiguous, but got 16 (layer_norm_c8)}}
  norm.layer_norm x(%x : memref<2x4x8xf32, strided<[64, 16, 1]>>) outs
      y(%y_init : memref<2x4x8xf32>) epsilon = 1.0e-5 {norm_dims = 2 : i64}
  return
}

// -----

func.func @c8(%x: memref<4x8xf32>,
      %weight: memref<8xf32, affine_map<(d0) -> (d0 mod 4)>>,
      %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected weight to have a strided layout, because the normalized dimensions are contiguous, but got a layout that is not strided (layer_norm_c8)}}
  norm.layer_norm x(%x : memref<4x8xf32>)
      weight(%weight : memref<8xf32, affine_map<(d0) -> (d0 mod 4)>>) outs
      y(%y_init : memref<4x8xf32>) epsilon = 1.0e-5
  return
}

// -----

func.func @c9(%x: memref<4x8xf32>) {
  // expected-error @+1 {{expected init y to be a buffer of its own, because outputs do not overlap other operands, but got the same memref as x (layer_norm_c9)}}
  norm.layer_norm x(%x : memref<4x8xf32>) outs y(%x : memref<4x8xf32>) epsilon = 1.0e-5
  return
}

// -----

func.func @c9(%x: memref<4x8xf32>, %rstd_init: memref<4xf32>) {
  // expected-error @+1 {{expected init mean to be a buffer of its own, because outputs do not overlap other operands, but got the same memref as rstd (layer_norm_c9)}}
  norm.layer_norm x(%x : memref<4x8xf32>) outs mean(%rstd_init : memref<4xf32>)
      rstd(%rstd_init : memref<4xf32>) epsilon = 1.0e-5
  return
}

// -----

func.func @c10(%x: memref<4x8xf32>, %mean_init: memref<8xf32>) {
  // expected-error @+1 {{expected mean of shape [4], because those are the dimensions of x that are not normalized, but got [8] (layer_norm_c10)}}
  norm.layer_norm x(%x : memref<4x8xf32>) outs mean(%mean_init : memref<8xf32>)
      epsilon = 1.0e-5
  return
}

// -----

func.func @c10(%x: memref<4x8xf32>, %mean_init: memref<4x1xf32>) {
  // expected-error @+1 {{expected mean of shape [4], because those are the dimensions of x that are not normalized, but got [4, 1] (layer_norm_c10)}}
  norm.layer_norm x(%x : memref<4x8xf32>) outs mean(%mean_init : memref<4x1xf32>)
      epsilon = 1.0e-5
  return
}

// -----

func.func @c10(%x: memref<4x8xf32>, %rstd_init: memref<8xf32>) {
  // expected-error @+1 {{expected rstd of shape [4], because those are the dimensions of x that are not normalized, but got [8] (layer_norm_c10)}}
  norm.layer_norm x(%x : memref<4x8xf32>) outs rstd(%rstd_init : memref<8xf32>)
      epsilon = 1.0e-5
  return
}

// -----

func.func @c10(%x: memref<4x8xf32>, %rstd_init: memref<4x1xf32>) {
  // expected-error @+1 {{expected rstd of shape [4], because those are the dimensions of x that are not normalized, but got [4, 1] (layer_norm_c10)}}
  norm.layer_norm x(%x : memref<4x8xf32>) outs rstd(%rstd_init : memref<4x1xf32>)
      epsilon = 1.0e-5
  return
}

// -----

func.func @c11(%x: memref<4x8xf32>, %rstd_init: memref<4xf64>) {
  // expected-error @+1 {{expected rstd of element type 'f32', because x has 'f32', but got 'f64' (layer_norm_c11)}}
  norm.layer_norm x(%x : memref<4x8xf32>) outs rstd(%rstd_init : memref<4xf64>)
      epsilon = 1.0e-5
  return
}

// -----

func.func @c11(%x: memref<4x8xbf16>, %rstd_init: memref<4xbf16>) {
  // expected-error @+1 {{expected rstd of element type 'f32', because x has 'bf16', but got 'bf16' (layer_norm_c11)}}
  norm.layer_norm x(%x : memref<4x8xbf16>) outs rstd(%rstd_init : memref<4xbf16>)
      epsilon = 1.0e-5
  return
}

// -----

func.func @c11(%x: memref<4x8xf64>, %rstd_init: memref<4xf32>) {
  // expected-error @+1 {{expected rstd of element type 'f64', because x has 'f64', but got 'f32' (layer_norm_c11)}}
  norm.layer_norm x(%x : memref<4x8xf64>) outs rstd(%rstd_init : memref<4xf32>)
      epsilon = 1.0e-5
  return
}

// -----

func.func @c12(%x: memref<4x8xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected epsilon to be finite and >= 0, because the root is taken of a sum with it, but got -1e-05 (layer_norm_c12)}}
  norm.layer_norm x(%x : memref<4x8xf32>) outs y(%y_init : memref<4x8xf32>)
      epsilon = -1.0e-5
  return
}

// -----

func.func @c12(%x: memref<4x8xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected epsilon to be finite and >= 0, because the root is taken of a sum with it, but got inf (layer_norm_c12)}}
  norm.layer_norm x(%x : memref<4x8xf32>) outs y(%y_init : memref<4x8xf32>)
      epsilon = 0x7FF0000000000000
  return
}

// -----

func.func @c12(%x: memref<4x8xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected epsilon to be finite and >= 0, because the root is taken of a sum with it, but got nan (layer_norm_c12)}}
  norm.layer_norm x(%x : memref<4x8xf32>) outs y(%y_init : memref<4x8xf32>)
      epsilon = 0x7FF8000000000000
  return
}

// -----

// Infinite in f32, the accumulator's type.
func.func @c12(%x: memref<4x8xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected epsilon to be finite and >= 0, because the root is taken of a sum with it, but got 1e+39 (layer_norm_c12)}}
  norm.layer_norm x(%x : memref<4x8xf32>) outs y(%y_init : memref<4x8xf32>)
      epsilon = 1.0e39
  return
}

// -----

func.func @c13(%x: memref<4x8xf32>, %weight: memref<8xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected weight_offset to be finite, because it is added to the weight, but got inf (layer_norm_c13)}}
  norm.layer_norm x(%x : memref<4x8xf32>) weight(%weight : memref<8xf32>) outs
      y(%y_init : memref<4x8xf32>) epsilon = 1.0e-5
      {weight_offset = 0x7FF0000000000000 : f64}
  return
}

// -----

func.func @c13(%x: memref<4x8xf32>, %weight: memref<8xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected weight_offset to be finite, because it is added to the weight, but got 1e+300 (layer_norm_c13)}}
  norm.layer_norm x(%x : memref<4x8xf32>) weight(%weight : memref<8xf32>) outs
      y(%y_init : memref<4x8xf32>) epsilon = 1.0e-5
      {weight_offset = 1.0e300 : f64}
  return
}

// -----

func.func @c13(%x: memref<4x8xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected weight_offset 0, because there is no weight to add it to, but got 1 (layer_norm_c13)}}
  norm.layer_norm x(%x : memref<4x8xf32>) outs y(%y_init : memref<4x8xf32>)
      epsilon = 1.0e-5 {weight_offset = 1.0 : f64}
  return
}

// -----

// Element types and ranks are in the operand's type constraint.
func.func @c(%x: memref<4x8xi32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{must be ranked tensor or memref of f16, bf16, f32 or f64, but got 'memref<4x8xi32>'}}
  norm.layer_norm x(%x : memref<4x8xi32>) outs y(%y_init : memref<4x8xf32>)
      epsilon = 1.0e-5
  return
}

// -----

// layer_norm_c3: a memory space
func.func @f(%x: memref<4x8xf32, 1>, %y: memref<4x8xf32>) {
  // expected-error @+1 {{expected x in the default memory space, because a kernel's parameters are in the device's memory, but got 1 : i64 (layer_norm_c3)}}
  norm.layer_norm x(%x : memref<4x8xf32, 1>) outs y(%y : memref<4x8xf32>)
      epsilon = 1.0e-5
  return
}

// -----

// layer_norm_c3: an encoding
func.func @f(%x: tensor<4x8xf32>, %y: tensor<4x8xf32, "rows">) -> tensor<4x8xf32, "rows"> {
  // expected-error @+1 {{expected y without an encoding, because elements are dense, but got "rows" (layer_norm_c3)}}
  %0 = norm.layer_norm x(%x : tensor<4x8xf32>) outs y(%y : tensor<4x8xf32, "rows">)
      epsilon = 1.0e-5 -> tensor<4x8xf32, "rows">
  return %0 : tensor<4x8xf32, "rows">
}
