// SPIR-V of a forward and of a backward op, as text: the subgroup size and the size of
// workgroups that the tiling says, no contraction, shuffles and barriers, and bf16 as
// integers. No tool of Intel's is needed.

// REQUIRES: tool-normc
// RUN: normc compile %s --target=spirv:pvc --emit=asm -o %t.s
// RUN: FileCheck %s --input-file=%t.s
// RUN: FileCheck %s --input-file=%t.s --check-prefix=NONE
// RUN: normc compile %s --target=spirv:bmg --emit=asm | FileCheck %s
// RUN: normc compile %S/Inputs/subgroups_of_32.mlir --target=spirv:pvc --emit=asm | FileCheck %s --check-prefix=WIDE

// CHECK-DAG: OpCapability Kernel
// CHECK-DAG: OpCapability SubgroupDispatch
// CHECK: OpEntryPoint Kernel %[[FORWARD:[0-9]+]] "layer_norm_bf16_f32_n1024"
// CHECK: OpEntryPoint Kernel %[[BACKWARD:[0-9]+]] "layer_norm_backward_bf16_f32_n1024"
// CHECK-DAG: OpExecutionMode %[[FORWARD]] LocalSize {{[0-9]+}} 1 1
// CHECK-DAG: OpExecutionMode %[[FORWARD]] SubgroupSize 16
// CHECK-DAG: OpExecutionMode %[[FORWARD]] ContractionOff
// CHECK-DAG: OpExecutionMode %[[BACKWARD]] SubgroupSize 16
// CHECK-DAG: OpExecutionMode %[[BACKWARD]] ContractionOff
// CHECK: OpGroupNonUniformShuffle
// CHECK: OpControlBarrier

// A target whose subgroups have another size, by attribute.
// WIDE: OpExecutionMode %{{[0-9]+}} SubgroupSize 32
// WIDE-NOT: SubgroupSize 16

// NONE-NOT: bfloat
// NONE-NOT: OpCapability Float64
// NONE-NOT: SPV_

func.func @layer_norm(
    %x: memref<?x1024xbf16>, %weight: memref<1024xf32>, %bias: memref<1024xf32>,
    %y: memref<?x1024xbf16>, %mean: memref<?xf32>, %rstd: memref<?xf32>) {
  norm.layer_norm x(%x : memref<?x1024xbf16>) weight(%weight : memref<1024xf32>)
      bias(%bias : memref<1024xf32>) outs y(%y : memref<?x1024xbf16>)
      mean(%mean : memref<?xf32>) rstd(%rstd : memref<?xf32>) epsilon = 1.0e-5
  return
}
func.func @layer_norm_backward(
    %dy: memref<?x1024xbf16>, %x: memref<?x1024xbf16>, %mean: memref<?xf32>,
    %rstd: memref<?xf32>, %weight: memref<1024xf32>, %dx: memref<?x1024xbf16>,
    %dweight: memref<1024xf32>, %dbias: memref<1024xf32>) {
  norm.layer_norm_backward dy(%dy : memref<?x1024xbf16>) x(%x : memref<?x1024xbf16>)
      mean(%mean : memref<?xf32>) rstd(%rstd : memref<?xf32>)
      weight(%weight : memref<1024xf32>) outs dx(%dx : memref<?x1024xbf16>)
      dweight(%dweight : memref<1024xf32>) dbias(%dbias : memref<1024xf32>)
  return
}
