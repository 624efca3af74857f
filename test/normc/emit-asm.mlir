// Assembly uses the vectors of its level, and calls nothing that the C library has not.
//
// REQUIRES: host-x86_64
// RUN: normc compile %s --emit=asm --target=host:x86-64-v3 -o %t.v3
// RUN: FileCheck %s --check-prefixes=ASM,V3 --input-file=%t.v3
// RUN: normc compile %s --emit=asm --target=host:x86-64-v4 -o - \
// RUN:   | FileCheck %s --check-prefixes=ASM,V4

// ASM-LABEL: bias_free_f32_n64:
// V3-NOT: zmm
// V3: ymm
// V4: zmm
// ASM-NOT: __truncsfbf2

func.func @f(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  row.kernel ins(%x : memref<?x64xf32>) outs(%y : memref<?x64xf32>) norm_dims = 1
      attributes {kernel_name = "bias_free"} {
  ^bb0(%in: memref<?x64xf32>, %out: memref<?x64xf32>):
    %t = row.load %in : memref<?x64xf32> -> !row.tile<f32>
    %s = row.map ins(%t : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%e: f32):
      %r = arith.addf %e, %e : f32
      row.yield %r : f32
    }
    row.store %s, %out : !row.tile<f32>, memref<?x64xf32>
  }
  return
}
