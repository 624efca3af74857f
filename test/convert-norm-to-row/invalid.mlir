// RUN: norm-opt %s -convert-norm-to-row -split-input-file -verify-diagnostics

func.func @tensors(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error@+1 {{expected memrefs, because tensors are bufferized first (norm-bufferize), but got 'tensor<?x?xf32>'}}
  %0 = norm.layer_norm x(%x : tensor<?x?xf32>) outs y(%y : tensor<?x?xf32>) epsilon = 1.0e-5
    -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Nothing to convert is no error.
func.func @empty() {
  return
}
