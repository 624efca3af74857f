// One test for each numbered constraint of norm.dyt_backward.
// RUN: norm-opt %s --split-input-file --verify-diagnostics

func.func @c1(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<1xf32>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected norm_dims in [1, 2], because it counts the last dimensions of x, which has rank 2, but got 3 (dyt_backward_c1)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1xf32>) outs dx(%dx_init : memref<4x8xf32>)
      {norm_dims = 3 : i64}
  return
}

// -----

func.func @c1(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<1xf32>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected norm_dims in [1, 2], because it counts the last dimensions of x, which has rank 2, but got 0 (dyt_backward_c1)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1xf32>) outs dx(%dx_init : memref<4x8xf32>)
      {norm_dims = 0 : i64}
  return
}

// -----

func.func @c1(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<1xf32>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{but got -1 (dyt_backward_c1)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1xf32>) outs dx(%dx_init : memref<4x8xf32>)
      {norm_dims = -1 : i64}
  return
}

// -----

// x of rank 0 has no dimension to normalize.
func.func @c1(%dy: memref<4x8xf32>, %x: memref<f32>, %alpha: memref<1xf32>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected x of rank >= 1, because its last dimensions are normalized, but got rank 0 (dyt_backward_c1)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<f32>)
      alpha(%alpha : memref<1xf32>) outs dx(%dx_init : memref<4x8xf32>)
  return
}

// -----

func.func @c2(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<1xf32>) {
  // expected-error @+1 {{expected at least one init, because an init asks for its result, but got none (dyt_backward_c2)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1xf32>) outs
  return
}

// -----

func.func @c3(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<1xf32>,
      %dx_init: tensor<4x8xf32>) {
  // expected-error @+1 {{expected dx to be a memref, because dy is one and all operands are of one form, but got a tensor (dyt_backward_c3)}}
  %r = norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1xf32>) outs dx(%dx_init : tensor<4x8xf32>)
      -> tensor<4x8xf32>
  return
}

// -----

func.func @c4(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<1xf32>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected 0 result(s), because every tensor init has one and memrefs have none, but got 1 (dyt_backward_c4)}}
  %r = norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1xf32>) outs dx(%dx_init : memref<4x8xf32>)
      -> tensor<4x8xf32>
  return
}

// -----

func.func @c4(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %alpha: tensor<1xf32>,
      %dx_init: tensor<4x8xf32>) {
  // expected-error @+1 {{expected 1 result(s), because every tensor init has one and memrefs have none, but got 0 (dyt_backward_c4)}}
  norm.dyt_backward dy(%dy : tensor<4x8xf32>) x(%x : tensor<4x8xf32>)
      alpha(%alpha : tensor<1xf32>) outs dx(%dx_init : tensor<4x8xf32>)
  return
}

// -----

func.func @c4(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %alpha: tensor<1xf32>,
      %dx_init: tensor<4x8xf32>) {
  // expected-error @+1 {{expected result dx to be 'tensor<4x8xf32>', because its init is, but got 'tensor<?x8xf32>' (dyt_backward_c4)}}
  %r = norm.dyt_backward dy(%dy : tensor<4x8xf32>) x(%x : tensor<4x8xf32>)
      alpha(%alpha : tensor<1xf32>) outs dx(%dx_init : tensor<4x8xf32>)
      -> tensor<?x8xf32>
  return
}

// -----

func.func @c5(%dy: memref<4x9xf32>, %x: memref<4x8xf32>, %alpha: memref<1xf32>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected dy of shape [4, 8], because that is the shape of x, but got [4, 9] (dyt_backward_c5)}}
  norm.dyt_backward dy(%dy : memref<4x9xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1xf32>) outs dx(%dx_init : memref<4x8xf32>)
  return
}

// -----

func.func @c5(%dy: memref<4x8xf32>, %x: memref<?x8xf32>, %alpha: memref<1xf32>,
      %dx_init: memref<4x9xf32>) {
  // expected-error @+1 {{expected dx of shape [?, 8], because that is the shape of x, but got [4, 9] (dyt_backward_c5)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<?x8xf32>)
      alpha(%alpha : memref<1xf32>) outs dx(%dx_init : memref<4x9xf32>)
  return
}

// -----

func.func @c5(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<1xf32>,
      %dx_init: memref<4x8x1xf32>) {
  // expected-error @+1 {{expected dx of shape [4, 8], because that is the shape of x, but got [4, 8, 1] (dyt_backward_c5)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1xf32>) outs dx(%dx_init : memref<4x8x1xf32>)
  return
}

// -----

func.func @c6(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<1xf32>,
      %weight: memref<4xf32>, %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected weight of shape [8], because those are the normalized dimensions of x, but got [4] (dyt_backward_c6)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1xf32>) weight(%weight : memref<4xf32>) outs
      dx(%dx_init : memref<4x8xf32>)
  return
}

// -----

// Two normalized dimensions stay two.
func.func @c6(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<1xf32>,
      %weight: memref<32xf32>, %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected weight of shape [4, 8], because those are the normalized dimensions of x, but got [32] (dyt_backward_c6)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1xf32>) weight(%weight : memref<32xf32>) outs
      dx(%dx_init : memref<4x8xf32>) {norm_dims = 2 : i64}
  return
}

// -----

func.func @c6(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<1xf32>,
      %dweight_init: memref<f32>) {
  // expected-error @+1 {{expected dweight of shape [8], because those are the normalized dimensions of x, but got [] (dyt_backward_c6)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1xf32>) outs dweight(%dweight_init : memref<f32>)
  return
}

// -----

func.func @c6(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<1xf32>,
      %dbias_init: memref<9xf32>) {
  // expected-error @+1 {{expected dbias of shape [8], because those are the normalized dimensions of x, but got [9] (dyt_backward_c6)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1xf32>) outs dbias(%dbias_init : memref<9xf32>)
  return
}

// -----

func.func @c7(%dy: memref<4x0xf32>, %x: memref<4x0xf32>, %alpha: memref<1xf32>,
      %dx_init: memref<4x0xf32>) {
  // expected-error @+1 {{expected cols >= 1, because a row without elements has no mean, but got dy with 0 in normalized dimension 0 (dyt_backward_c7)}}
  norm.dyt_backward dy(%dy : memref<4x0xf32>) x(%x : memref<4x0xf32>)
      alpha(%alpha : memref<1xf32>) outs dx(%dx_init : memref<4x0xf32>)
  return
}

// -----

// Any operand can tell.
func.func @c7(%dy: memref<4x?xf32>, %x: memref<4x?xf32>, %alpha: memref<1xf32>,
      %weight: memref<0xf32>, %dx_init: memref<4x?xf32>) {
  // expected-error @+1 {{expected cols >= 1, because a row without elements has no mean, but got weight with 0 in normalized dimension 0 (dyt_backward_c7)}}
  norm.dyt_backward dy(%dy : memref<4x?xf32>) x(%x : memref<4x?xf32>)
      alpha(%alpha : memref<1xf32>) weight(%weight : memref<0xf32>) outs
      dx(%dx_init : memref<4x?xf32>)
  return
}

// -----

func.func @c8(%dy: memref<4x8xf32>, %x: memref<4x8xf32, strided<[16, 2]>>,
      %alpha: memref<1xf32>, %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected stride 1 of dimension 1 of x, because the normalized dimensions are contiguous, but got 2 (dyt_backward_c8)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32, strided<[16, 2]>>)
      alpha(%alpha : memref<1xf32>) outs dx(%dx_init : memref<4x8xf32>)
  return
}

// -----

func.func @c8(%dy: memref<2x4x8xf32>, %x: memref<2x4x8xf32, strided<[64, 16, 1]>>,
      %alpha: memref<1xf32>, %dx_init: memref<2x4x8xf32>) {
  // expected-error @+1 {{expected stride 8 of dimension 1 of x, because the normalized dimensions are contiguous, but got 16 (dyt_backward_c8)}}
  norm.dyt_backward dy(%dy : memref<2x4x8xf32>)
      x(%x : memref<2x4x8xf32, strided<[64, 16, 1]>>) alpha(%alpha : memref<1xf32>)
      outs dx(%dx_init : memref<2x4x8xf32>) {norm_dims = 2 : i64}
  return
}

// -----

func.func @c8(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<1xf32>,
      %weight: memref<8xf32, affine_map<(d0) -> (d0 mod 4)>>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected weight to have a strided layout, because the normalized dimensions are contiguous, but got a layout that is not strided (dyt_backward_c8)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1xf32>)
      weight(%weight : memref<8xf32, affine_map<(d0) -> (d0 mod 4)>>) outs
      dx(%dx_init : memref<4x8xf32>)
  return
}

// -----

func.func @c9(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<1xf32>) {
  // expected-error @+1 {{expected init dx to be a buffer of its own, because outputs do not overlap other operands, but got the same memref as x (dyt_backward_c9)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1xf32>) outs dx(%x : memref<4x8xf32>)
  return
}

// -----

func.func @c10(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<2xf32>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected alpha of shape [] or [1], because it is one number, but got [2] (dyt_backward_c10)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<2xf32>) outs dx(%dx_init : memref<4x8xf32>)
  return
}

// -----

func.func @c10(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<1x1xf32>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected alpha of shape [] or [1], because it is one number, but got [1, 1] (dyt_backward_c10)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1x1xf32>) outs dx(%dx_init : memref<4x8xf32>)
  return
}

// -----

func.func @c10(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<?xf32>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected alpha of shape [] or [1], because it is one number, but got [?] (dyt_backward_c10)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<?xf32>) outs dx(%dx_init : memref<4x8xf32>)
  return
}

// -----

func.func @c10(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<1xf32>,
      %shift: memref<8xf32>, %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected shift of shape [] or [1], because it is one number, but got [8] (dyt_backward_c10)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1xf32>) shift(%shift : memref<8xf32>) outs
      dx(%dx_init : memref<4x8xf32>) {activation = #norm.activation<erf>}
  return
}

// -----

func.func @c11(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<1xf32>,
      %shift: memref<1xf32>, %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected no shift, because activation = tanh has none, but got one (dyt_backward_c11)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1xf32>) shift(%shift : memref<1xf32>) outs
      dx(%dx_init : memref<4x8xf32>)
  return
}

// -----

func.func @c10(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<1xf32>,
      %dalpha_init: memref<8xf32>) {
  // expected-error @+1 {{expected dalpha of shape [] or [1], because it is one number, but got [8] (dyt_backward_c10)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1xf32>) outs dalpha(%dalpha_init : memref<8xf32>)
  return
}

// -----

func.func @c10(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<1xf32>,
      %dshift_init: memref<4xf32>) {
  // expected-error @+1 {{expected dshift of shape [] or [1], because it is one number, but got [4] (dyt_backward_c10)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1xf32>) outs dshift(%dshift_init : memref<4xf32>)
      {activation = #norm.activation<erf>}
  return
}

// -----

func.func @c11(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<1xf32>,
      %dshift_init: memref<1xf32>) {
  // expected-error @+1 {{expected no dshift, because activation = tanh has none, but got one (dyt_backward_c11)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1xf32>) outs dshift(%dshift_init : memref<1xf32>)
  return
}

// -----

func.func @c12(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<1xf32>,
      %dalpha_init: memref<f32>) {
  // expected-error @+1 {{expected dalpha of shape [1], because that is the shape of alpha, but got [] (dyt_backward_c12)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1xf32>) outs dalpha(%dalpha_init : memref<f32>)
  return
}

// -----

func.func @c12(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %alpha: memref<1xf32>,
      %shift: memref<f32>, %dshift_init: memref<1xf32>) {
  // expected-error @+1 {{expected dshift of shape [], because that is the shape of shift, but got [1] (dyt_backward_c12)}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xf32>)
      alpha(%alpha : memref<1xf32>) shift(%shift : memref<f32>) outs
      dshift(%dshift_init : memref<1xf32>) {activation = #norm.activation<erf>}
  return
}

// -----

// Element types and ranks are in the operand's type constraint.
func.func @c(%dy: memref<4x8xf32>, %x: memref<4x8xi32>, %alpha: memref<1xf32>,
      %dx_init: memref<4x8xf32>) {
  // expected-error @+1 {{must be ranked tensor or memref of f16, bf16, f32 or f64, but got 'memref<4x8xi32>'}}
  norm.dyt_backward dy(%dy : memref<4x8xf32>) x(%x : memref<4x8xi32>)
      alpha(%alpha : memref<1xf32>) outs dx(%dx_init : memref<4x8xf32>)
  return
}
