// One test for each numbered constraint of norm.dyt.
// RUN: norm-opt %s --split-input-file --verify-diagnostics

func.func @c1(%x: memref<4x8xf32>, %alpha: memref<1xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected norm_dims in [1, 2], because it counts the last dimensions of x, which has rank 2, but got 3 (dyt_c1)}}
  norm.dyt x(%x : memref<4x8xf32>) alpha(%alpha : memref<1xf32>) outs
      y(%y_init : memref<4x8xf32>) {norm_dims = 3 : i64}
  return
}

// -----

func.func @c1(%x: memref<4x8xf32>, %alpha: memref<1xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected norm_dims in [1, 2], because it counts the last dimensions of x, which has rank 2, but got 0 (dyt_c1)}}
  norm.dyt x(%x : memref<4x8xf32>) alpha(%alpha : memref<1xf32>) outs
      y(%y_init : memref<4x8xf32>) {norm_dims = 0 : i64}
  return
}

// -----

func.func @c1(%x: memref<4x8xf32>, %alpha: memref<1xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{but got -1 (dyt_c1)}}
  norm.dyt x(%x : memref<4x8xf32>) alpha(%alpha : memref<1xf32>) outs
      y(%y_init : memref<4x8xf32>) {norm_dims = -1 : i64}
  return
}

// -----

// x of rank 0 has no dimension to normalize.
func.func @c1(%x: memref<f32>, %alpha: memref<1xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected x of rank >= 1, because its last dimensions are normalized, but got rank 0 (dyt_c1)}}
  norm.dyt x(%x : memref<f32>) alpha(%alpha : memref<1xf32>) outs
      y(%y_init : memref<4x8xf32>)
  return
}

// -----

func.func @c2(%x: memref<4x8xf32>, %alpha: memref<1xf32>) {
  // expected-error @+1 {{expected at least one init, because an init asks for its result, but got none (dyt_c2)}}
  norm.dyt x(%x : memref<4x8xf32>) alpha(%alpha : memref<1xf32>) outs
  return
}

// -----

func.func @c3(%x: memref<4x8xf32>, %alpha: memref<1xf32>, %y_init: tensor<4x8xf32>) {
  // expected-error @+1 {{expected y to be a memref, because x is one and all operands are of one form, but got a tensor (dyt_c3)}}
  %r = norm.dyt x(%x : memref<4x8xf32>) alpha(%alpha : memref<1xf32>) outs
      y(%y_init : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @c4(%x: memref<4x8xf32>, %alpha: memref<1xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected 0 result(s), because every tensor init has one and memrefs have none, but got 1 (dyt_c4)}}
  %r = norm.dyt x(%x : memref<4x8xf32>) alpha(%alpha : memref<1xf32>) outs
      y(%y_init : memref<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @c4(%x: tensor<4x8xf32>, %alpha: tensor<1xf32>, %y_init: tensor<4x8xf32>) {
  // expected-error @+1 {{expected 1 result(s), because every tensor init has one and memrefs have none, but got 0 (dyt_c4)}}
  norm.dyt x(%x : tensor<4x8xf32>) alpha(%alpha : tensor<1xf32>) outs
      y(%y_init : tensor<4x8xf32>)
  return
}

// -----

func.func @c4(%x: tensor<4x8xf32>, %alpha: tensor<1xf32>, %y_init: tensor<4x8xf32>) {
  // expected-error @+1 {{expected result y to be 'tensor<4x8xf32>', because its init is, but got 'tensor<?x8xf32>' (dyt_c4)}}
  %r = norm.dyt x(%x : tensor<4x8xf32>) alpha(%alpha : tensor<1xf32>) outs
      y(%y_init : tensor<4x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @c5(%x: memref<?x8xf32>, %alpha: memref<1xf32>, %y_init: memref<4x9xf32>) {
  // expected-error @+1 {{expected y of shape [?, 8], because that is the shape of x, but got [4, 9] (dyt_c5)}}
  norm.dyt x(%x : memref<?x8xf32>) alpha(%alpha : memref<1xf32>) outs
      y(%y_init : memref<4x9xf32>)
  return
}

// -----

func.func @c5(%x: memref<4x8xf32>, %alpha: memref<1xf32>, %y_init: memref<4x8x1xf32>) {
  // expected-error @+1 {{expected y of shape [4, 8], because that is the shape of x, but got [4, 8, 1] (dyt_c5)}}
  norm.dyt x(%x : memref<4x8xf32>) alpha(%alpha : memref<1xf32>) outs
      y(%y_init : memref<4x8x1xf32>)
  return
}

// -----

func.func @c6(%x: memref<4x8xf32>, %alpha: memref<1xf32>, %weight: memref<4xf32>,
      %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected weight of shape [8], because those are the normalized dimensions of x, but got [4] (dyt_c6)}}
  norm.dyt x(%x : memref<4x8xf32>) alpha(%alpha : memref<1xf32>)
      weight(%weight : memref<4xf32>) outs y(%y_init : memref<4x8xf32>)
  return
}

// -----

// Two normalized dimensions stay two.
func.func @c6(%x: memref<4x8xf32>, %alpha: memref<1xf32>, %weight: memref<32xf32>,
      %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected weight of shape [4, 8], because those are the normalized dimensions of x, but got [32] (dyt_c6)}}
  norm.dyt x(%x : memref<4x8xf32>) alpha(%alpha : memref<1xf32>)
      weight(%weight : memref<32xf32>) outs y(%y_init : memref<4x8xf32>)
      {norm_dims = 2 : i64}
  return
}

// -----

func.func @c6(%x: memref<4x8xf32>, %alpha: memref<1xf32>, %bias: memref<1xf32>,
      %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected bias of shape [8], because those are the normalized dimensions of x, but got [1] (dyt_c6)}}
  norm.dyt x(%x : memref<4x8xf32>) alpha(%alpha : memref<1xf32>)
      bias(%bias : memref<1xf32>) outs y(%y_init : memref<4x8xf32>)
  return
}

// -----

func.func @c7(%x: memref<4x0xf32>, %alpha: memref<1xf32>, %y_init: memref<4x0xf32>) {
  // expected-error @+1 {{expected cols >= 1, because a row without elements has no mean, but got x with 0 in normalized dimension 0 (dyt_c7)}}
  norm.dyt x(%x : memref<4x0xf32>) alpha(%alpha : memref<1xf32>) outs
      y(%y_init : memref<4x0xf32>)
  return
}

// -----

// Any operand can tell.
func.func @c7(%x: memref<4x?xf32>, %alpha: memref<1xf32>, %weight: memref<0xf32>,
      %y_init: memref<4x?xf32>) {
  // expected-error @+1 {{expected cols >= 1, because a row without elements has no mean, but got weight with 0 in normalized dimension 0 (dyt_c7)}}
  norm.dyt x(%x : memref<4x?xf32>) alpha(%alpha : memref<1xf32>)
      weight(%weight : memref<0xf32>) outs y(%y_init : memref<4x?xf32>)
  return
}

// -----

func.func @c8(%x: memref<4x8xf32, strided<[16, 2]>>, %alpha: memref<1xf32>,
      %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected stride 1 of dimension 1 of x, because the normalized dimensions are contiguous, but got 2 (dyt_c8)}}
  norm.dyt x(%x : memref<4x8xf32, strided<[16, 2]>>) alpha(%alpha : memref<1xf32>) outs
      y(%y_init : memref<4x8xf32>)
  return
}

// -----

func.func @c8(%x: memref<2x4x8xf32, strided<[64, 16, 1]>>, %alpha: memref<1xf32>,
      %y_init: memref<2x4x8xf32>) {
  // expected-error @+1 {{expected stride 8 of dimension 1 of x, because the normalized dimensions are contiguous, but got 16 (dyt_c8)}}
  norm.dyt x(%x : memref<2x4x8xf32, strided<[64, 16, 1]>>)
      alpha(%alpha : memref<1xf32>) outs y(%y_init : memref<2x4x8xf32>)
      {norm_dims = 2 : i64}
  return
}

// -----

func.func @c8(%x: memref<4x8xf32>, %alpha: memref<1xf32>,
      %weight: memref<8xf32, affine_map<(d0) -> (d0 mod 4)>>,
      %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected weight to have a strided layout, because the normalized dimensions are contiguous, but got a layout that is not strided (dyt_c8)}}
  norm.dyt x(%x : memref<4x8xf32>) alpha(%alpha : memref<1xf32>)
      weight(%weight : memref<8xf32, affine_map<(d0) -> (d0 mod 4)>>) outs
      y(%y_init : memref<4x8xf32>)
  return
}

// -----

func.func @c9(%x: memref<4x8xf32>, %alpha: memref<1xf32>) {
  // expected-error @+1 {{expected init y to be a buffer of its own, because outputs do not overlap other operands, but got the same memref as x (dyt_c9)}}
  norm.dyt x(%x : memref<4x8xf32>) alpha(%alpha : memref<1xf32>) outs
      y(%x : memref<4x8xf32>)
  return
}

// -----

func.func @c10(%x: memref<4x8xf32>, %alpha: memref<2xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected alpha of shape [] or [1], because it is one number, but got [2] (dyt_c10)}}
  norm.dyt x(%x : memref<4x8xf32>) alpha(%alpha : memref<2xf32>) outs
      y(%y_init : memref<4x8xf32>)
  return
}

// -----

func.func @c10(%x: memref<4x8xf32>, %alpha: memref<1x1xf32>,
      %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected alpha of shape [] or [1], because it is one number, but got [1, 1] (dyt_c10)}}
  norm.dyt x(%x : memref<4x8xf32>) alpha(%alpha : memref<1x1xf32>) outs
      y(%y_init : memref<4x8xf32>)
  return
}

// -----

func.func @c10(%x: memref<4x8xf32>, %alpha: memref<?xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected alpha of shape [] or [1], because it is one number, but got [?] (dyt_c10)}}
  norm.dyt x(%x : memref<4x8xf32>) alpha(%alpha : memref<?xf32>) outs
      y(%y_init : memref<4x8xf32>)
  return
}

// -----

func.func @c10(%x: memref<4x8xf32>, %alpha: memref<1xf32>, %shift: memref<8xf32>,
      %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected shift of shape [] or [1], because it is one number, but got [8] (dyt_c10)}}
  norm.dyt x(%x : memref<4x8xf32>) alpha(%alpha : memref<1xf32>)
      shift(%shift : memref<8xf32>) outs y(%y_init : memref<4x8xf32>)
      {activation = #norm.activation<erf>}
  return
}

// -----

func.func @c11(%x: memref<4x8xf32>, %alpha: memref<1xf32>, %shift: memref<1xf32>,
      %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{expected no shift, because activation = tanh has none, but got one (dyt_c11)}}
  norm.dyt x(%x : memref<4x8xf32>) alpha(%alpha : memref<1xf32>)
      shift(%shift : memref<1xf32>) outs y(%y_init : memref<4x8xf32>)
  return
}

// -----

// Element types and ranks are in the operand's type constraint.
func.func @c(%x: memref<4x8xi32>, %alpha: memref<1xf32>, %y_init: memref<4x8xf32>) {
  // expected-error @+1 {{must be ranked tensor or memref of f16, bf16, f32 or f64, but got 'memref<4x8xi32>'}}
  norm.dyt x(%x : memref<4x8xi32>) alpha(%alpha : memref<1xf32>) outs
      y(%y_init : memref<4x8xf32>)
  return
}
