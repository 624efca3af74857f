// A source of which the tests have the bytecode, too.
func.func @dyt(%x: memref<?x512xbf16> {norm.name = "x"}, %alpha: memref<1xf32>,
               %weight: memref<512xf32>, %y: memref<?x512xbf16>) {
  norm.dyt x(%x : memref<?x512xbf16>) alpha(%alpha : memref<1xf32>)
      weight(%weight : memref<512xf32>) outs y(%y : memref<?x512xbf16>)
  return
}
