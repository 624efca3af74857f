// RUN: norm-opt %s --norm-bufferize --split-input-file --verify-diagnostics

// expected-error @+1 {{expected the name of argument 1 to be its own, because parameters are found by name, but got "x", which is that of argument 0 as well}}
func.func @same_name(%x: memref<4xf32> {norm.name = "x"},
                     %y: memref<4xf32> {norm.name = "x"}) {
  return
}

// -----

// A given name can be that of another argument by default.
// expected-error @+1 {{expected the name of argument 1 to be its own, because parameters are found by name, but got "arg1", which is that of argument 0 as well}}
func.func @default_name(%x: memref<4xf32> {norm.name = "arg1"}, %y: memref<4xf32>) {
  return
}

// -----

// expected-error @+1 {{expected the name of result 0 to be its own, because parameters are found by name, but got "x", which is that of argument 0 as well}}
func.func @result_name(%x: tensor<4x8xf32> {norm.name = "x"})
    -> (tensor<4x8xf32> {norm.name = "x"}) {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = norm.rms_norm x(%x : tensor<4x8xf32>) outs y(%e : tensor<4x8xf32>)
      epsilon = 1.0e-5 -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @argument_returned(%x: tensor<4x8xf32>) -> tensor<32xf32> {
  %v = tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  // expected-error @+1 {{expected result 0 to be computed, because it becomes an output, but got an argument of the function}}
  return %v : tensor<32xf32>
}

// -----

func.func @returned_twice(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<32xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = norm.rms_norm x(%x : tensor<4x8xf32>) outs y(%e : tensor<4x8xf32>)
      epsilon = 1.0e-5 -> tensor<4x8xf32>
  %v = tensor.collapse_shape %y [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  // expected-error @+1 {{expected result 1 to be a value of its own, because each result has a buffer, but got the value of result 0 or a view of it}}
  return %y, %v : tensor<4x8xf32>, tensor<32xf32>
}

// -----

func.func @unknown_op(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{op was not bufferized}}
  %y = math.absf %x : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
