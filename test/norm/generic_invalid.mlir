// The generic form can say what the custom form cannot.
// RUN: norm-opt %s --split-input-file --verify-diagnostics

func.func @two_in_a_segment(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-error @+1 {{expected operandSegmentSizes of 0 or 1, because an operand is one value, but got 2 at index 0}}
  "norm.layer_norm"(%x, %y) <{epsilon = 1.0e-5 : f64,
      operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0>}>
      : (memref<4x8xf32>, memref<4x8xf32>) -> ()
  return
}

// -----

func.func @no_x(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-error @+1 {{expected operandSegmentSizes of 1 for every operand that is not optional, but got array<i32: 0, 1, 0, 1, 0, 0>}}
  "norm.layer_norm"(%x, %y) <{epsilon = 1.0e-5 : f64,
      operandSegmentSizes = array<i32: 0, 1, 0, 1, 0, 0>}>
      : (memref<4x8xf32>, memref<4x8xf32>) -> ()
  return
}

// -----

func.func @segments_sum(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-error @+1 {{operand count (2) does not match with the total size (3)}}
  "norm.layer_norm"(%x, %y) <{epsilon = 1.0e-5 : f64,
      operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0>}>
      : (memref<4x8xf32>, memref<4x8xf32>) -> ()
  return
}

// -----

func.func @no_operands() {
  // expected-error @+1 {{expected 1 or more operands, but found 0}}
  "norm.layer_norm"() <{epsilon = 1.0e-5 : f64,
      operandSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0>}> : () -> ()
  return
}

// -----

func.func @no_epsilon(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-error @+1 {{requires attribute 'epsilon'}}
  "norm.layer_norm"(%x, %y) <{operandSegmentSizes = array<i32: 1, 0, 0, 1, 0, 0>}>
      : (memref<4x8xf32>, memref<4x8xf32>) -> ()
  return
}

// -----

func.func @epsilon_of_f32(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-error @+1 {{attribute 'epsilon' failed to satisfy constraint: 64-bit float attribute}}
  "norm.layer_norm"(%x, %y) <{epsilon = 1.0e-5 : f32,
      operandSegmentSizes = array<i32: 1, 0, 0, 1, 0, 0>}>
      : (memref<4x8xf32>, memref<4x8xf32>) -> ()
  return
}

// -----

func.func @unranked(%x: memref<*xf32>, %y: memref<4x8xf32>) {
  // expected-error @+1 {{must be ranked tensor or memref of f16, bf16, f32 or f64, but got 'memref<*xf32>'}}
  norm.layer_norm x(%x : memref<*xf32>) outs y(%y : memref<4x8xf32>) epsilon = 1.0e-5
  return
}
