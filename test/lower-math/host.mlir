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

// A tanh that may be approximate is a quotient of two polynomials of x^2.
// CHECK-LABEL: llvm.func @approximate(
// CHECK-COUNT-4: math.fma
// CHECK-NOT: math.fma
// CHECK: arith.divf
// CHECK-NOT: arith
// CHECK: llvm.return
llvm.func @approximate(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.tanh %x fastmath<afn> : vector<8xf32>
  llvm.return %0 : vector<8xf32>
}

// tanh beside exp(-2|u|) shares its power and polynomial: one of each is left, and no
// branch for small u.
// RUN: norm-opt %s --lower-host-math --cse | FileCheck %s --check-prefix=SHARED
// SHARED-LABEL: llvm.func @tanh_and_decay(
// SHARED-COUNT-1: arith.shli
// SHARED-NOT: arith.shli
// SHARED-COUNT-1: arith.divf
// SHARED-NOT: arith.divf
// SHARED: math.copysign
// SHARED-NOT: arith.select
// SHARED: llvm.return
llvm.func @tanh_and_decay(%u: vector<8xf32>, %to: !llvm.ptr) {
  %c = arith.constant dense<-2.0> : vector<8xf32>
  %one = arith.constant dense<1.0> : vector<8xf32>
  %0 = math.tanh %u : vector<8xf32>
  %1 = math.absf %u : vector<8xf32>
  %2 = arith.mulf %1, %c : vector<8xf32>
  %e = math.exp %2 : vector<8xf32>
  %3 = arith.addf %e, %one : vector<8xf32>
  %r = arith.divf %one, %3 : vector<8xf32>
  %4 = arith.mulf %0, %e : vector<8xf32>
  %5 = arith.mulf %4, %r : vector<8xf32>
  llvm.store %5, %to : vector<8xf32>, !llvm.ptr
  llvm.return
}

// exp of -c*|u| does not overflow: one bound, and no check of the result.
// CHECK-LABEL: llvm.func @decay(
// CHECK-COUNT-1: arith.select
// CHECK: arith.shli
// CHECK-NOT: arith.select
// CHECK: llvm.return
llvm.func @decay(%x: vector<8xf32>) -> vector<8xf32> {
  %c = arith.constant dense<-2.0> : vector<8xf32>
  %0 = math.absf %x : vector<8xf32>
  %1 = arith.mulf %c, %0 : vector<8xf32>
  %2 = math.exp %1 : vector<8xf32>
  llvm.return %2 : vector<8xf32>
}

// A NaN sets all bits of its bf16.
// CHECK-LABEL: llvm.func @to_bf16(
// CHECK-NOT: arith.truncf
// CHECK: arith.cmpf uno
// CHECK: arith.extsi
// CHECK: arith.ori
// CHECK: arith.trunci {{.*}} : vector<8xi32> to vector<8xi16>
// CHECK: llvm.return
llvm.func @to_bf16(%x: vector<8xf32>) -> vector<8xbf16> {
  %0 = arith.truncf %x : vector<8xf32> to vector<8xbf16>
  llvm.return %0 : vector<8xbf16>
}
