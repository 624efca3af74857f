// A package for SPIR-V targets: machine code where ocloc has it, SPIR-V always, the
// workgroup memory of each launch, and a kernel's arguments.

// REQUIRES: tool-normc
// RUN: normc compile %s --target=spirv:pvc,spirv:bmg,spirv --ocloc=off --emit=manifest | FileCheck %s

// CHECK: target 0   "spirv:pvc", backend level_zero, architecture pvc
// CHECK-NEXT: blob 0   spirv, architecture pvc
// CHECK: launch 0 layer_norm_bf16_f32_n1024, grid ceildiv(s0, {{[0-9]+}}), workgroup {{[0-9]+}}, {{[0-9]+}} bytes shared
// CHECK-NEXT: args x, weight, bias, y, row_stride(x, 1), row_stride(y, 1), s0
// CHECK: target 1   "spirv:bmg", backend level_zero, architecture bmg
// CHECK: target 2   "spirv", backend level_zero
// CHECK-NEXT: blob 0   spirv,
// CHECK-NOT: native

func.func @layer_norm(
    %x: memref<?x1024xbf16> {norm.name = "x"},
    %weight: memref<1024xf32> {norm.name = "weight"},
    %bias: memref<1024xf32> {norm.name = "bias"},
    %y: memref<?x1024xbf16> {norm.name = "y"}) {
  norm.layer_norm x(%x : memref<?x1024xbf16>) weight(%weight : memref<1024xf32>)
      bias(%bias : memref<1024xf32>) outs y(%y : memref<?x1024xbf16>) epsilon = 1.0e-5
  return
}
