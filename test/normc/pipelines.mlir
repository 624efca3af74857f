// The compiler's pipelines by name, for norm-opt, do what `normc compile --emit` does.
//
// RUN: norm-opt %s --norm-to-row -o %t.row
// RUN: normc compile %s --emit=row | norm-opt | diff - %t.row
// RUN: norm-opt %s --norm-to-scheduled=target=host:x86-64-v3 -o %t.scheduled
// RUN: normc compile %s --emit=scheduled --target=host:x86-64-v3 | norm-opt \
// RUN:   | diff - %t.scheduled
// RUN: norm-opt %s --norm-to-llvm=target=host:x86-64-v3 -o %t.llvm
// RUN: normc compile %s --emit=llvm --target=host:x86-64-v3 | norm-opt | diff - %t.llvm
// RUN: not norm-opt %s --norm-to-llvm=target=host:z80 2>&1 | FileCheck %s

// CHECK: error: expected a target that is known

func.func @f(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  norm.rms_norm x(%x : memref<?x64xf32>) outs y(%y : memref<?x64xf32>) epsilon = 1.0e-5
  return
}
