func.func @sums(%dy: memref<25088x16x24xbf16>, %x: memref<25088x16x24xbf16>,
    %mean: memref<25088x16xf32>, %rstd: memref<25088x16xf32>, %weight: memref<24xbf16>,
    %dweight: memref<24xbf16>, %dbias: memref<24xbf16>) {
  norm.layer_norm_backward dy(%dy : memref<25088x16x24xbf16>) x(%x : memref<25088x16x24xbf16>)
      mean(%mean : memref<25088x16xf32>) rstd(%rstd : memref<25088x16xf32>)
      weight(%weight : memref<24xbf16>)
      outs dweight(%dweight : memref<24xbf16>) dbias(%dbias : memref<24xbf16>)
  return
}
func.func @backward(%dy: memref<25088x16x24xbf16>, %x: memref<25088x16x24xbf16>,
    %mean: memref<25088x16xf32>, %rstd: memref<25088x16xf32>, %weight: memref<24xbf16>,
    %dx: memref<25088x16x24xbf16>, %dweight: memref<24xbf16>, %dbias: memref<24xbf16>) {
  norm.layer_norm_backward dy(%dy : memref<25088x16x24xbf16>) x(%x : memref<25088x16x24xbf16>)
      mean(%mean : memref<25088x16xf32>) rstd(%rstd : memref<25088x16xf32>)
      weight(%weight : memref<24xbf16>) outs dx(%dx : memref<25088x16x24xbf16>)
      dweight(%dweight : memref<24xbf16>) dbias(%dbias : memref<24xbf16>)
  return
}
