// What a GPU has for f32: 2^x, a rough tanh where it is allowed, 1/sqrt with a step of
// Newton's, 1/x where it is allowed.
// RUN: norm-opt %s --lower-gpu-math | FileCheck %s --enable-var-scope

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @exp(
  // CHECK: llvm.call_intrinsic "llvm.exp2"(%{{.*}}) {fastmathFlags = #llvm.fastmath<afn>}
  // CHECK: llvm.call_intrinsic "llvm.fma"
  gpu.func @exp(%x: f32, %to: !llvm.ptr<1>) kernel {
    %0 = math.exp %x : f32
    llvm.store %0, %to : f32, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @rough_tanh(
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.tanh"(%{{.*}}) {fastmathFlags = #llvm.fastmath<afn>}
  gpu.func @rough_tanh(%x: vector<2xf32>, %to: !llvm.ptr<1>) kernel {
    %0 = math.tanh %x fastmath<afn> : vector<2xf32>
    llvm.store %0, %to : vector<2xf32>, !llvm.ptr<1>
    gpu.return
  }

  // From one exponential; by a series for small arguments, where that cancels.
  // CHECK-LABEL: gpu.func @exact_tanh(
  // CHECK-NOT: llvm.tanh
  // CHECK: llvm.call_intrinsic "llvm.exp2"
  // CHECK-NOT: llvm.call_intrinsic "llvm.exp2"
  // CHECK: llvm.call_intrinsic "llvm.copysign"
  // CHECK: arith.select
  // CHECK: llvm.store
  gpu.func @exact_tanh(%x: f32, %to: !llvm.ptr<1>) kernel {
    %0 = math.tanh %x : f32
    llvm.store %0, %to : f32, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @rsqrt(
  // CHECK: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"
  // CHECK-NOT: arith.divf
  // CHECK: llvm.store
  gpu.func @rsqrt(%x: f32, %to: !llvm.ptr<1>) kernel {
    %one = arith.constant 1.0 : f32
    %0 = math.sqrt %x : f32
    %1 = arith.divf %one, %0 : f32
    llvm.store %1, %to : f32, !llvm.ptr<1>
    gpu.return
  }

  // Of several, each, whatever the order is in which they are met.
  // CHECK-LABEL: gpu.func @rsqrts(
  // CHECK-COUNT-3: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"
  // CHECK-NOT: llvm.sqrt
  // CHECK-NOT: arith.divf
  // CHECK: gpu.return
  gpu.func @rsqrts(%x: f32, %y: f32, %z: f32, %to: !llvm.ptr<1>) kernel {
    %one0 = arith.constant 1.0 : f32
    %0 = math.sqrt %x : f32
    %1 = arith.divf %one0, %0 : f32
    llvm.store %1, %to : f32, !llvm.ptr<1>
    %one1 = arith.constant 1.0 : f32
    %2 = math.sqrt %y : f32
    %3 = arith.divf %one1, %2 : f32
    llvm.store %3, %to : f32, !llvm.ptr<1>
    %one2 = arith.constant 1.0 : f32
    %4 = math.sqrt %z : f32
    %5 = arith.divf %one2, %4 : f32
    llvm.store %5, %to : f32, !llvm.ptr<1>
    gpu.return
  }

  // A quotient that may not be approximated stays.
  // CHECK-LABEL: gpu.func @quotients(
  // CHECK: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
  // CHECK: arith.divf
  gpu.func @quotients(%x: f32, %to: !llvm.ptr<1>) kernel {
    %one = arith.constant 1.0 : f32
    %0 = arith.divf %one, %x fastmath<arcp> : f32
    %1 = arith.divf %one, %0 : f32
    llvm.store %1, %to : f32, !llvm.ptr<1>
    gpu.return
  }
}
