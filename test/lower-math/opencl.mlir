// Functions that LLVM has no intrinsics for are OpenCL's, by their mangled names.
//
// RUN: norm-opt %s --pass-pipeline="builtin.module(gpu.module(lower-opencl-math))" \
// RUN:   | FileCheck %s --enable-var-scope

gpu.module @kernels {
  // CHECK-DAG: llvm.func spir_funccc @_Z5acoshf(f32) -> f32
  // CHECK-DAG: llvm.func spir_funccc @_Z5asinhd(f64) -> f64
  // CHECK-DAG: llvm.func spir_funccc @_Z5atanhf(f32) -> f32
  // CHECK-DAG: llvm.func spir_funccc @_Z4cbrtf(f32) -> f32
  // CHECK-DAG: llvm.func spir_funccc @_Z4erfcf(f32) -> f32

  // Declared once, called for each element.
  // CHECK-LABEL: gpu.func @calls(
  // CHECK-COUNT-2: llvm.call spir_funccc @_Z4erfcf
  // CHECK: vector.from_elements
  // CHECK: llvm.call spir_funccc @_Z4erfcf
  // CHECK: math.sin
  gpu.func @calls(%x: f32, %y: f64, %v: vector<2xf32>, %to: !llvm.ptr<1>) kernel {
    %0 = math.erfc %v : vector<2xf32>
    llvm.store %0, %to : vector<2xf32>, !llvm.ptr<1>
    %1 = math.erfc %x : f32
    %2 = math.sin %1 : f32
    llvm.store %2, %to : f32, !llvm.ptr<1>
    %3 = math.asinh %y : f64
    llvm.store %3, %to : f64, !llvm.ptr<1>
    %4 = math.acosh %x : f32
    %5 = math.atanh %4 : f32
    %6 = math.cbrt %5 : f32
    llvm.store %6, %to : f32, !llvm.ptr<1>
    gpu.return
  }
}
