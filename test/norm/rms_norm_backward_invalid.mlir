// One test for each numbered constraint of norm.rms_norm_backward.
// RUN: norm-opt %s --split-input-file --verify-diagnostics

func.func @c1(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %rstd: memref<4xf32>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected norm_dims in [1, 2], because it counts the last dimensions of x, which has rank 2, but got 3 (rms_norm_backward_c1)}}
  norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      rstd(%rstd : memref<4xf32>) outs dx(%dx_init : memref<4x8xf32>)
      {norm_dims = 3 : i64}
  return
}

// -----

func.func @c1(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %rstd: memref<4xf32>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected norm_dims in [1, 2], because it counts the last dimensions of x, which has rank 2, but got 0 (rms_norm_backward_c1)}}
  norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      rstd(%rstd : memref<4xf32>) outs dx(%dx_init : memref<4x8xf32>)
      {norm_dims = 0 : i64}
  return
}

// -----

func.func @c1(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %rstd: memref<4xf32>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{but got -1 (rms_norm_backward_c1)}}
  norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      rstd(%rstd : memref<4xf32>) outs dx(%dx_init : memref<4x8xf32>)
      {norm_dims = -1 : i64}
  return
}

// -----

// x of rank 0 has no dimension to normalize.
func.func @c1(%dy: memref<4x8xf32>, %x: memref<f32>, %rstd: memref<4xf32>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected x of rank >= 1, because its last dimensions are normalized, but got rank 0 (rms_norm_backward_c1)}}
  norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<f32>)
      rstd(%rstd : memref<4xf32>) outs dx(%dx_init : memref<4x8xf32>)
  return
}

// -----

func.func @c2(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %rstd: memref<4xf32>) {
  // expected-error @+1 {{expected at least one init, because an init asks for its result, but got none (rms_norm_backward_c2)}}
  norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      rstd(%rstd : memref<4xf32>) outs
  return
}

// -----

func.func @c3(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %rstd: memref<4xf32>,
      %dx_init: tensor<4x8xf32>) {
  // expected-error @+1 {{expected dx to be a memref, because dy is one and all operands are of one form, but got a tensor (rms_norm_backward_c3)}}
  %r = norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      rstd(%rstd : memref<4xf32>) outs dx(%dx_init : tensor<4x8xf32>)
      -> tensor<4x8xf32>
  return
}

// -----

func.func @c4(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %rstd: memref<4xf32>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected 0 result(s), because every tensor init has one and memrefs have none, but got 1 (rms_norm_backward_c4)}}
  %r = norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      rstd(%rstd : memref<4xf32>) outs dx(%dx_init : memref<4x8xf32>)
      -> tensor<4x8xf32>
  return
}

// -----

func.func @c4(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %rstd: tensor<4xf32>,
      %dx_init: tensor<4x8xf32>) {
  // expected-error @+1 {{expected 1 result(s), because every tensor init has one and memrefs have none, but got 0 (rms_norm_backward_c4)}}
  norm.rms_norm_backward dy(%dy : tensor<4x8xf32>) x(%x : tensor<4x8xf32>)
      rstd(%rstd : tensor<4xf32>) outs dx(%dx_init : tensor<4x8xf32>)
  return
}

// -----

func.func @c4(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %rstd: tensor<4xf32>,
      %dx_init: tensor<4x8xf32>) {
  // expected-error @+1 {{expected result dx to be 'tensor<4x8xf32>', because its init is, but got 'tensor<?x8xf32>' (rms_norm_backward_c4)}}
  %r = norm.rms_norm_backward dy(%dy : tensor<4x8xf32>) x(%x : tensor<4x8xf32>)
      rstd(%rstd : tensor<4xf32>) outs dx(%dx_init : tensor<4x8xf32>)
      -> tensor<?x8xf32>
  return
}

// -----

func.func @c5(%dy: memref<4x9xf32>, %x: memref<4x8xf32>, %rstd: memref<4xf32>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected dy of shape [4, 8], because that is the shape of x, but got [4, 9] (rms_norm_backward_c5)}}
  norm.rms_norm_backward dy(%dy : memref<4x9xf32>) x(%x : memref<4x8xf32>)
      rstd(%rstd : memref<4xf32>) outs dx(%dx_init : memref<4x8xf32>)
  return
}

// -----

func.func @c5(%dy: memref<4x8xf32>, %x: memref<?x8xf32>, %rstd: memref<4xf32>,
      %dx_init: memref<4x9xf32>) {
  // expected-error @+1 {{expected dx of shape [?, 8], because that is the shape of x, but got [4, 9] (rms_norm_backward_c5)}}
  norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<?x8xf32>)
      rstd(%rstd : memref<4xf32>) outs dx(%dx_init : memref<4x9xf32>)
  return
}

// -----

func.func @c5(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %rstd: memref<4xf32>,
      %dx_init: memref<4x8x1xf32>) {
  // expected-error @+1 {{expected dx of shape [4, 8], because that is the shape of x, but got [4, 8, 1] (rms_norm_backward_c5)}}
  norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      rstd(%rstd : memref<4xf32>) outs dx(%dx_init : memref<4x8x1xf32>)
  return
}

// -----

func.func @c6(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %rstd: memref<4xf32>,
      %weight: memref<4xf32>, %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected weight of shape [8], because those are the normalized dimensions of x, but got [4] (rms_norm_backward_c6)}}
  norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      rstd(%rstd : memref<4xf32>) weight(%weight : memref<4xf32>) outs
      dx(%dx_init : memref<4x8xf32>)
  return
}

// -----

// Two normalized dimensions stay two.
func.func @c6(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %rstd: memref<f32>,
      %weight: memref<32xf32>, %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected weight of shape [4, 8], because those are the normalized dimensions of x, but got [32] (rms_norm_backward_c6)}}
  norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      rstd(%rstd : memref<f32>) weight(%weight : memref<32xf32>) outs
      dx(%dx_init : memref<4x8xf32>) {norm_dims = 2 : i64}
  return
}

// -----

func.func @c6(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %rstd: memref<4xf32>,
      %dweight_init: memref<f32>) {
  // expected-error @+1 {{expected dweight of shape [8], because those are the normalized dimensions of x, but got [] (rms_norm_backward_c6)}}
  norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      rstd(%rstd : memref<4xf32>) outs dweight(%dweight_init : memref<f32>)
  return
}

// -----

func.func @c7(%dy: memref<4x0xf32>, %x: memref<4x0xf32>, %rstd: memref<4xf32>,
      %dx_init: memref<4x0xf32>) {
  // expected-error @+1 {{expected cols >= 1, because a row without elements has no mean, but got dy with 0 in normalized dimension 0 (rms_norm_backward_c7)}}
  norm.rms_norm_backward dy(%dy : memref<4x0xf32>) x(%x : memref<4x0xf32>)
      rstd(%rstd : memref<4xf32>) outs dx(%dx_init : memref<4x0xf32>)
  return
}

// -----

// Any operand can tell.
func.func @c7(%dy: memref<4x?xf32>, %x: memref<4x?xf32>, %rstd: memref<4xf32>,
      %weight: memref<0xf32>, %dx_init: memref<4x?xf32>) {
  // expected-error @+1 {{expected cols >= 1, because a row without elements has no mean, but got weight with 0 in normalized dimension 0 (rms_norm_backward_c7)}}
  norm.rms_norm_backward dy(%dy : memref<4x?xf32>) x(%x : memref<4x?xf32>)
      rstd(%rstd : memref<4xf32>) weight(%weight : memref<0xf32>) outs
      dx(%dx_init : memref<4x?xf32>)
  return
}

// -----

func.func @c8(%dy: memref<4x8xf32>, %x: memref<4x8xf32, strided<[16, 2]>>,
      %rstd: memref<4xf32>, %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected stride 1 of dimension 1 of x, because the normalized dimensions are contiguous, but got 2 (rms_norm_backward_c8)}}
  norm.rms_norm_backward dy(%dy : memref<4x8xf32>)
      x(%x : memref<4x8xf32, strided<[16, 2]>>) rstd(%rstd : memref<4xf32>) outs
      dx(%dx_init : memref<4x8xf32>)
  return
}

// -----

func.func @c8(%dy: memref<2x4x8xf32>, %x: memref<2x4x8xf32, strided<[64, 16, 1]>>,
      %rstd: memref<2xf32>, %dx_init: memref<2x4x8xf32>) {
  // expected-error @+1 {{expected stride 8 of dimension 1 of x, because the normalized dimensions are contiguous, but got 16 (rms_norm_backward_c8)}}
  norm.rms_norm_backward dy(%dy : memref<2x4x8xf32>)
      x(%x : memref<2x4x8xf32, strided<[64, 16, 1]>>) rstd(%rstd : memref<2xf32>) outs
      dx(%dx_init : memref<2x4x8xf32>) {norm_dims = 2 : i64}
  return
}

// -----

func.func @c8(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %rstd: memref<4xf32>,
      %weight: memref<8xf32, affine_map<(d0) -> (d0 mod 4)>>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected weight to have a strided layout, because the normalized dimensions are contiguous, but got a layout that is not strided (rms_norm_backward_c8)}}
  norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      rstd(%rstd : memref<4xf32>)
      weight(%weight : memref<8xf32, affine_map<(d0) -> (d0 mod 4)>>) outs
      dx(%dx_init : memref<4x8xf32>)
  return
}

// -----

func.func @c9(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %rstd: memref<4xf32>) {
  // expected-error @+1 {{expected init dx to be a buffer of its own, because outputs do not overlap other operands, but got the same memref as x (rms_norm_backward_c9)}}
  norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      rstd(%rstd : memref<4xf32>) outs dx(%x : memref<4x8xf32>)
  return
}

// -----

func.func @c10(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %rstd: memref<8xf32>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected rstd of shape [4], because those are the dimensions of x that are not normalized, but got [8] (rms_norm_backward_c10)}}
  norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      rstd(%rstd : memref<8xf32>) outs dx(%dx_init : memref<4x8xf32>)
  return
}

// -----

func.func @c10(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %rstd: memref<4x1xf32>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected rstd of shape [4], because those are the dimensions of x that are not normalized, but got [4, 1] (rms_norm_backward_c10)}}
  norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      rstd(%rstd : memref<4x1xf32>) outs dx(%dx_init : memref<4x8xf32>)
  return
}

// -----

func.func @c11(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %rstd: memref<4xf64>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected rstd of element type 'f32', because x has 'f32', but got 'f64' (rms_norm_backward_c11)}}
  norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      rstd(%rstd : memref<4xf64>) outs dx(%dx_init : memref<4x8xf32>)
  return
}

// -----

func.func @c11(%dy: memref<4x8xf32>, %x: memref<4x8xbf16>, %rstd: memref<4xbf16>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected rstd of element type 'f32', because x has 'bf16', but got 'bf16' (rms_norm_backward_c11)}}
  norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xbf16>)
      rstd(%rstd : memref<4xbf16>) outs dx(%dx_init : memref<4x8xf32>)
  return
}

// -----

func.func @c11(%dy: memref<4x8xf32>, %x: memref<4x8xf64>, %rstd: memref<4xf32>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected rstd of element type 'f64', because x has 'f64', but got 'f32' (rms_norm_backward_c11)}}
  norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf64>)
      rstd(%rstd : memref<4xf32>) outs dx(%dx_init : memref<4x8xf32>)
  return
}

// -----

func.func @c12(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %rstd: memref<4xf32>,
      %weight: memref<8xf32>, %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected weight_offset to be finite, because it is added to the weight, but got inf (rms_norm_backward_c12)}}
  norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      rstd(%rstd : memref<4xf32>) weight(%weight : memref<8xf32>) outs
      dx(%dx_init : memref<4x8xf32>) {weight_offset = 0x7FF0000000000000 : f64}
  return
}

// -----

func.func @c12(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %rstd: memref<4xf32>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected weight_offset 0, because there is no weight to add it to, but got 1 (rms_norm_backward_c12)}}
  norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      rstd(%rstd : memref<4xf32>) outs dx(%dx_init : memref<4x8xf32>)
      {weight_offset = 1.0 : f64}
  return
}

// -----

// Element types and ranks are in the operand's type constraint.
func.func @c(%dy: memref<4x8xf32>, %x: memref<4x8xi32>, %rstd: memref<4xf32>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{must be ranked tensor or memref of f16, bf16, f32 or f64, but got 'memref<4x8xi32>'}}
  norm.rms_norm_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xi32>)
      rstd(%rstd : memref<4xf32>) outs dx(%dx_init : memref<4x8xf32>)
  return
}
