// f32 by polynomials on whole vectors, f64 by the C library lane by lane, and what the
// processor has itself is left alone.
// RUN: norm-opt %s --lower-host-math | FileCheck %s --enable-var-scope

// CHECK-LABEL: llvm.func @f32(
// CHECK-NOT: math.exp
// CHECK-NOT: math.tanh
// CHECK-NOT: math.erf
// CHECK-NOT: call
// CHECK: math.sqrt {{.*}} : vector<8xf32>
// CHECK: llvm.return
llvm.func @f32(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.exp %x : vector<8xf32>
  %1 = math.tanh %0 : vector<8xf32>
  %2 = math.erf %1 : vector<8xf32>
  %3 = math.sqrt %2 : vector<8xf32>
  llvm.return %3 : vector<8xf32>
}

// CHECK-LABEL: llvm.func @f64(
// CHECK-COUNT-2: func.call @tanh
// CHECK-NOT: math.tanh
llvm.func @f64(%x: vector<2xf64>) -> vector<2xf64> {
  %0 = math.tanh %x : vector<2xf64>
  llvm.return %0 : vector<2xf64>
}
