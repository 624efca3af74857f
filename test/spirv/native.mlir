// Machine code of PVC stands before the SPIR-V where there is an ocloc, which knows no
// newer chip; what else a tool may do is an error.

// REQUIRES: tool-normc, ocloc
// RUN: normc compile %s --target=spirv:pvc,spirv:bmg --emit=manifest | FileCheck %s
// CHECK: target 0   "spirv:pvc"
// CHECK-NEXT: blob 0   native, architecture pvc, {{.*}}, else blob 1
// CHECK-NEXT: blob 1   spirv, architecture pvc
// CHECK: target 1   "spirv:bmg"
// CHECK-NEXT: blob 0   spirv, architecture bmg

func.func @dyt(%x: memref<?x768xbf16>, %alpha: memref<1xf32>, %y: memref<?x768xbf16>) {
  norm.dyt x(%x : memref<?x768xbf16>) alpha(%alpha : memref<1xf32>)
      outs y(%y : memref<?x768xbf16>)
  return
}
