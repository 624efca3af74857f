// f64 has square roots and divisions on every GPU; exp, tanh and erf are libdevice's.

// REQUIRES: tool-normc
// RUN: split-file %s %t
// RUN: normc compile %t/rms_norm.mlir --target=cuda:sm_90 --ptxas=off --emit=asm \
// RUN:   | FileCheck %t/rms_norm.mlir
// RUN: not normc compile %t/dyt.mlir --target=cuda:sm_90 --ptxas=off --emit=asm 2>&1 \
// RUN:   | FileCheck %t/dyt.mlir --check-prefix=WITHOUT
// RUN: %if ptxas %{ normc compile %t/dyt.mlir --target=cuda:sm_90 --ptxas=%ptxas \
// RUN:   --emit=asm | FileCheck %t/dyt.mlir %}

//--- rms_norm.mlir
// CHECK: .entry rms_norm_f64_n32(
// CHECK: sqrt.rn.f64
// CHECK: {{div|rcp}}.rn.f64
// CHECK-NOT: call.uni
func.func @rms_norm(%x: memref<?x32xf64>, %y: memref<?x32xf64>) {
  norm.rms_norm x(%x : memref<?x32xf64>) outs y(%y : memref<?x32xf64>) epsilon = 1.0e-6
  return
}

//--- dyt.mlir
// WITHOUT: dyt.mlir:8:3: error: expected libdevice (nvvm/libdevice/libdevice.10.bc beside ptxas), because tanh has no instruction on this target, but got none
// CHECK: .entry dyt_f64_n32(
// CHECK-NOT: call.uni
// CHECK: fma.rn.f64
// CHECK-NOT: call.uni
func.func @dyt(%x: memref<?x32xf64>, %alpha: memref<1xf64>, %y: memref<?x32xf64>) {
  // The op that the error is at.
  norm.dyt x(%x : memref<?x32xf64>) alpha(%alpha : memref<1xf64>)
      outs y(%y : memref<?x32xf64>)
  return
}
