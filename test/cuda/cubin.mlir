// With ptxas the package holds machine code, and PTX for the devices that it does not fit.

// REQUIRES: tool-normc, ptxas
// RUN: normc compile %s --target=cuda:sm_90,cuda:sm_100 --ptxas=%ptxas --remarks -o %t.nrmk 2>%t.err
// RUN: normc inspect %t.nrmk | FileCheck %s
// RUN: FileCheck %s --input-file=%t.err --check-prefix=REMARK

// CHECK: target 0 "cuda:sm_90", backend cuda, architecture sm_90
// CHECK-NEXT: blob 0 cubin, architecture sm_90, {{[0-9]+}} bytes, checksum {{0x[0-9a-f]+}}, else blob 1
// CHECK-NEXT: blob 1 ptx, architecture sm_90
// CHECK: kernel 0 dyt_f32_n64, blob 0
// CHECK: target 1 "cuda:sm_100", backend cuda, architecture sm_100
// CHECK-NEXT: blob 0 cubin, architecture sm_100

// REMARK: Category:nvvm | Function=dyt_f32_n64 | Registers={{[1-9][0-9]*}}

func.func @dyt(%x: memref<?x64xf32>, %alpha: memref<1xf32>, %y: memref<?x64xf32>) {
  norm.dyt x(%x : memref<?x64xf32>) alpha(%alpha : memref<1xf32>)
      outs y(%y : memref<?x64xf32>)
  return
}
