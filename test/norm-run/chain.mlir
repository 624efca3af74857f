// Several ops in one entry, with intermediates in the workspace that are rounded to their
// type, and reshapes between them. The tolerance of the later ops knows that rounding may
// have gone either way.
//
// RUN: norm-run %s chain --check --in x=normal:0:4000x96 weight=normal:1 | FileCheck %s
// RUN: norm-run %s tensors --check --in x=normal:0:6x96 dy=normal:2 weight=normal:1 \
// RUN:   | FileCheck %s --check-prefix=TENSORS

// CHECK: y {{ *}}bf16[4000x96] {{.*}} ok
// TENSORS: dx {{ *}}bf16[6x96] {{.*}} ok
// TENSORS-NEXT: dweight {{ *}}f32[96] {{.*}} ok

func.func @chain(%x: memref<?x96xbf16> {norm.name = "x"},
                 %weight: memref<96xf32> {norm.name = "weight"},
                 %y: memref<?x96xbf16> {norm.name = "y"}) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %x, %c0 : memref<?x96xbf16>
  %h = memref.alloc(%rows) : memref<?x96xbf16>
  norm.layer_norm x(%x : memref<?x96xbf16>) weight(%weight : memref<96xf32>)
      outs y(%h : memref<?x96xbf16>) epsilon = 1.0e-5
  %heads = memref.expand_shape %h [[0], [1, 2]] output_shape [%rows, 4, 24]
      : memref<?x96xbf16> into memref<?x4x24xbf16>
  %yheads = memref.expand_shape %y [[0], [1, 2]] output_shape [%rows, 4, 24]
      : memref<?x96xbf16> into memref<?x4x24xbf16>
  norm.rms_norm x(%heads : memref<?x4x24xbf16>) outs y(%yheads : memref<?x4x24xbf16>)
      epsilon = 1.0e-6
  memref.dealloc %h : memref<?x96xbf16>
  return
}

// Forward and backward in one entry: the statistics never leave it.
func.func @tensors(%x: tensor<?x96xbf16> {norm.name = "x"},
                   %dy: tensor<?x96xbf16> {norm.name = "dy"},
                   %weight: tensor<96xf32> {norm.name = "weight"})
    -> (tensor<?x96xbf16> {norm.name = "dx"}, tensor<96xf32> {norm.name = "dweight"}) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x96xbf16>
  %mean_init = tensor.empty(%rows) : tensor<?xf32>
  %rstd_init = tensor.empty(%rows) : tensor<?xf32>
  %mean, %rstd = norm.layer_norm x(%x : tensor<?x96xbf16>)
      outs mean(%mean_init : tensor<?xf32>) rstd(%rstd_init : tensor<?xf32>)
      epsilon = 1.0e-5 -> tensor<?xf32>, tensor<?xf32>
  %dx_init = tensor.empty(%rows) : tensor<?x96xbf16>
  %dweight_init = tensor.empty() : tensor<96xf32>
  %dx, %dweight = norm.layer_norm_backward dy(%dy : tensor<?x96xbf16>)
      x(%x : tensor<?x96xbf16>) mean(%mean : tensor<?xf32>) rstd(%rstd : tensor<?xf32>)
      weight(%weight : tensor<96xf32>)
      outs dx(%dx_init : tensor<?x96xbf16>) dweight(%dweight_init : tensor<96xf32>)
      -> tensor<?x96xbf16>, tensor<96xf32>
  return %dx, %dweight : tensor<?x96xbf16>, tensor<96xf32>
}
