// AVX2 has no masked accesses of 16-bit elements: those of a kernel are calls of a function
// for each kind, so that the branch for every lane is there once. Those of f32, which it
// has, and those by constant masks are made in place.
//
// REQUIRES: host-x86_64
// RUN: normc compile %s --emit=asm --target=host:x86-64-v3 -o - | FileCheck %s
// RUN: normc compile %s --emit=asm --target=host:x86-64-v4 -o - \
// RUN:   | FileCheck %s --check-prefix=V4

// CHECK-LABEL: copy_bf16_n:
// CHECK: callq normc.llvm.masked.load.v{{[0-9]+}}i16.p0
// CHECK: callq normc.llvm.masked.store.v{{[0-9]+}}i16.p0
// CHECK-LABEL: {{^}}normc.llvm.masked.load.v{{[0-9]+}}i16.p0:
// CHECK-COUNT-8: {{test|bt}}
// CHECK-LABEL: {{^}}normc.llvm.masked.store.v{{[0-9]+}}i16.p0:
// CHECK-LABEL: copy_f32_n:
// CHECK-NOT: callq
// CHECK: vmaskmov
// CHECK-NOT: callq
// CHECK-LABEL: copy_bf16_n1021:
// CHECK-NOT: callq

// V4-NOT: callq

func.func @f0(%x: memref<?x?xbf16>, %y: memref<?x?xbf16>) {
  row.kernel ins(%x : memref<?x?xbf16>) outs(%y : memref<?x?xbf16>) norm_dims = 1
      attributes {kernel_name = "copy"} {
  ^bb0(%in: memref<?x?xbf16>, %out: memref<?x?xbf16>):
    %t = row.load %in : memref<?x?xbf16> -> !row.tile<f32>
    row.store %t, %out : !row.tile<f32>, memref<?x?xbf16>
  }
  return
}

func.func @f1(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1
      attributes {kernel_name = "copy"} {
  ^bb0(%in: memref<?x?xf32>, %out: memref<?x?xf32>):
    %t = row.load %in : memref<?x?xf32> -> !row.tile<f32>
    row.store %t, %out : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

func.func @f2(%x: memref<?x1021xbf16>, %y: memref<?x1021xbf16>) {
  row.kernel ins(%x : memref<?x1021xbf16>) outs(%y : memref<?x1021xbf16>) norm_dims = 1
      attributes {kernel_name = "copy"} {
  ^bb0(%in: memref<?x1021xbf16>, %out: memref<?x1021xbf16>):
    %t = row.load %in : memref<?x1021xbf16> -> !row.tile<f32>
    row.store %t, %out : !row.tile<f32>, memref<?x1021xbf16>
  }
  return
}
