// Layer normalization over the last dimension of a bf16 activation with f32 parameters,
// forward with its statistics, and backward with every gradient. Rows are dynamic.
//
//   normc compile layer_norm.mlir --target=host -o layer_norm.nrmk
//   norm-run layer_norm.nrmk layer_norm --check \
//       --in x=normal:0:128x1024 weight=normal:1 bias=normal:2

func.func @layer_norm(
    %x: tensor<?x1024xbf16> {norm.name = "x"},
    %weight: tensor<1024xf32> {norm.name = "weight"},
    %bias: tensor<1024xf32> {norm.name = "bias"})
    -> (tensor<?x1024xbf16> {norm.name = "y"}, tensor<?xf32> {norm.name = "mean"},
        tensor<?xf32> {norm.name = "rstd"}) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x1024xbf16>
  // An init says that a result is wanted, and its type.
  %y_init = tensor.empty(%rows) : tensor<?x1024xbf16>
  %mean_init = tensor.empty(%rows) : tensor<?xf32>
  %rstd_init = tensor.empty(%rows) : tensor<?xf32>
  %y, %mean, %rstd = norm.layer_norm x(%x : tensor<?x1024xbf16>)
      weight(%weight : tensor<1024xf32>) bias(%bias : tensor<1024xf32>)
      outs y(%y_init : tensor<?x1024xbf16>) mean(%mean_init : tensor<?xf32>)
      rstd(%rstd_init : tensor<?xf32>) epsilon = 1.0e-5
      -> tensor<?x1024xbf16>, tensor<?xf32>, tensor<?xf32>
  return %y, %mean, %rstd : tensor<?x1024xbf16>, tensor<?xf32>, tensor<?xf32>
}

func.func @layer_norm_backward(
    %dy: tensor<?x1024xbf16> {norm.name = "dy"},
    %x: tensor<?x1024xbf16> {norm.name = "x"},
    %mean: tensor<?xf32> {norm.name = "mean"},
    %rstd: tensor<?xf32> {norm.name = "rstd"},
    %weight: tensor<1024xf32> {norm.name = "weight"})
    -> (tensor<?x1024xbf16> {norm.name = "dx"}, tensor<1024xf32> {norm.name = "dweight"},
        tensor<1024xf32> {norm.name = "dbias"}) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x1024xbf16>
  %dx_init = tensor.empty(%rows) : tensor<?x1024xbf16>
  %dweight_init = tensor.empty() : tensor<1024xf32>
  %dbias_init = tensor.empty() : tensor<1024xf32>
  %dx, %dweight, %dbias = norm.layer_norm_backward dy(%dy : tensor<?x1024xbf16>)
      x(%x : tensor<?x1024xbf16>) mean(%mean : tensor<?xf32>) rstd(%rstd : tensor<?xf32>)
      weight(%weight : tensor<1024xf32>)
      outs dx(%dx_init : tensor<?x1024xbf16>) dweight(%dweight_init : tensor<1024xf32>)
      dbias(%dbias_init : tensor<1024xf32>)
      -> tensor<?x1024xbf16>, tensor<1024xf32>, tensor<1024xf32>
  return %dx, %dweight, %dbias
      : tensor<?x1024xbf16>, tensor<1024xf32>, tensor<1024xf32>
}
