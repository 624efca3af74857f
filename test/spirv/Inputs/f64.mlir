func.func @rms_norm(%x: memref<?x32xf64>, %y: memref<?x32xf64>) {
  norm.rms_norm x(%x : memref<?x32xf64>) outs y(%y : memref<?x32xf64>) epsilon = 1.0e-6
  return
}
