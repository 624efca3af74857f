// Dynamic tanh, y = tanh(alpha*x)*weight + bias: a normalization layer without statistics.
// The backward sums three parameter gradients, one of them a single number.
//
//   norm-run dyt.mlir dyt_backward --check \
//       --in dy=normal:0:1000x768 x=normal:1 alpha=const:0.5 weight=normal:2

func.func @dyt(
    %x: tensor<?x768xbf16> {norm.name = "x"}, %alpha: tensor<1xf32> {norm.name = "alpha"},
    %weight: tensor<768xf32> {norm.name = "weight"},
    %bias: tensor<768xf32> {norm.name = "bias"})
    -> (tensor<?x768xbf16> {norm.name = "y"}) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x768xbf16>
  %y_init = tensor.empty(%rows) : tensor<?x768xbf16>
  %y = norm.dyt x(%x : tensor<?x768xbf16>) alpha(%alpha : tensor<1xf32>)
      weight(%weight : tensor<768xf32>) bias(%bias : tensor<768xf32>)
      outs y(%y_init : tensor<?x768xbf16>) -> tensor<?x768xbf16>
  return %y : tensor<?x768xbf16>
}

func.func @dyt_backward(
    %dy: tensor<?x768xbf16> {norm.name = "dy"}, %x: tensor<?x768xbf16> {norm.name = "x"},
    %alpha: tensor<1xf32> {norm.name = "alpha"},
    %weight: tensor<768xf32> {norm.name = "weight"})
    -> (tensor<?x768xbf16> {norm.name = "dx"}, tensor<1xf32> {norm.name = "dalpha"},
        tensor<768xf32> {norm.name = "dweight"}, tensor<768xf32> {norm.name = "dbias"}) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x768xbf16>
  %dx_init = tensor.empty(%rows) : tensor<?x768xbf16>
  %dalpha_init = tensor.empty() : tensor<1xf32>
  %dweight_init = tensor.empty() : tensor<768xf32>
  %dbias_init = tensor.empty() : tensor<768xf32>
  %dx, %dalpha, %dweight, %dbias = norm.dyt_backward dy(%dy : tensor<?x768xbf16>)
      x(%x : tensor<?x768xbf16>) alpha(%alpha : tensor<1xf32>)
      weight(%weight : tensor<768xf32>)
      outs dx(%dx_init : tensor<?x768xbf16>) dalpha(%dalpha_init : tensor<1xf32>)
      dweight(%dweight_init : tensor<768xf32>) dbias(%dbias_init : tensor<768xf32>)
      -> tensor<?x768xbf16>, tensor<1xf32>, tensor<768xf32>, tensor<768xf32>
  return %dx, %dalpha, %dweight, %dbias
      : tensor<?x768xbf16>, tensor<1xf32>, tensor<768xf32>, tensor<768xf32>
}
