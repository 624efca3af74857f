module attributes {norm.target = #norm.target<"spirv:pvc", subgroup_size = 32>} {
  func.func @rms_norm(%x: memref<?x1024xbf16>, %y: memref<?x1024xbf16>) {
    norm.rms_norm x(%x : memref<?x1024xbf16>) outs y(%y : memref<?x1024xbf16>)
        epsilon = 1.0e-6
    return
  }
}
