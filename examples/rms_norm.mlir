// Root mean square normalization, as language models use it: of each token, with rows in
// two dimensions (batch, tokens) and every size dynamic, and of each head of a packed
// qkv, whose rows are not next to each other in memory. Written on memrefs: an argument
// that an op writes is a result.
//
//   norm-run rms_norm.mlir rms_norm --check --in x=normal:0:4x128x512 weight=normal:1
//   norm-run rms_norm.mlir query_norm --check --in q=normal:0:64x8x128 weight=normal:1 \
//       --stride q=3072,128,1

func.func @rms_norm(
    %x: memref<?x?x?xbf16> {norm.name = "x"}, %weight: memref<?xbf16> {norm.name = "weight"},
    %y: memref<?x?x?xbf16> {norm.name = "y"}, %rstd: memref<?x?xf32> {norm.name = "rstd"}) {
  norm.rms_norm x(%x : memref<?x?x?xbf16>) weight(%weight : memref<?xbf16>)
      outs y(%y : memref<?x?x?xbf16>) rstd(%rstd : memref<?x?xf32>) epsilon = 1.0e-6
  return
}

func.func @rms_norm_backward(
    %dy: memref<?x?x?xbf16> {norm.name = "dy"}, %x: memref<?x?x?xbf16> {norm.name = "x"},
    %rstd: memref<?x?xf32> {norm.name = "rstd"}, %weight: memref<?xbf16> {norm.name = "weight"},
    %dx: memref<?x?x?xbf16> {norm.name = "dx"},
    %dweight: memref<?xbf16> {norm.name = "dweight"}) {
  norm.rms_norm_backward dy(%dy : memref<?x?x?xbf16>) x(%x : memref<?x?x?xbf16>)
      rstd(%rstd : memref<?x?xf32>) weight(%weight : memref<?xbf16>)
      outs dx(%dx : memref<?x?x?xbf16>) dweight(%dweight : memref<?xbf16>)
  return
}

// Gemma's parameter is an offset from one; the sum is formed in f32.
func.func @query_norm(
    %q: memref<?x8x128xbf16> {norm.name = "q"}, %weight: memref<128xbf16> {norm.name = "weight"},
    %y: memref<?x8x128xbf16> {norm.name = "y"}) {
  norm.rms_norm x(%q : memref<?x8x128xbf16>) weight(%weight : memref<128xbf16>)
      outs y(%y : memref<?x8x128xbf16>) epsilon = 1.0e-6 {weight_offset = 1.0}
  return
}
