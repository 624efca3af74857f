// A package: from text and from bytecode, the same bytes each time, for several targets,
// with the source and without.
//
// RUN: normc compile %s -o %t.nrmk --target=host:x86-64-v3,host:x86-64-v4
// RUN: normc inspect %t.nrmk | FileCheck %s --check-prefixes=CHECK,SOURCE
// RUN: normc compile %s -o %t.again --target=host:x86-64-v3,host:x86-64-v4
// RUN: cmp %t.nrmk %t.again
// RUN: normc compile - -o - --target=host:x86-64-v3,host:x86-64-v4 < %s > %t.piped
// RUN: cmp %t.nrmk %t.piped
// RUN: normc inspect - < %t.nrmk | FileCheck %s --check-prefixes=CHECK,SOURCE
// RUN: normc compile %s --emit=manifest --target=host:x86-64-v3,host:x86-64-v4 \
// RUN:   | FileCheck %s --check-prefixes=CHECK,SOURCE
// RUN: normc compile %s -o %t.bare --no-source --target=host:x86-64-v3,host:x86-64-v4
// RUN: normc inspect %t.bare | FileCheck %s --check-prefixes=CHECK,BARE
// RUN: normc inspect %t.nrmk --json | FileCheck %s --check-prefix=JSON

// CHECK: producer normc 0.1.0
// SOURCE: source MLIR bytecode, {{[1-9][0-9]*}} bytes
// BARE: source none
// CHECK: target 0 "host:x86-64-v3"
// CHECK: entry first
// CHECK: entry second
// CHECK: target 1 "host:x86-64-v4"
// CHECK: entry first
// CHECK: entry second

// JSON: "targets"
// JSON: "name": "host:x86-64-v3"
// JSON: "name": "first"

func.func @first(%x: memref<4x64xf32>, %y: memref<4x64xf32>) {
  norm.rms_norm x(%x : memref<4x64xf32>) outs y(%y : memref<4x64xf32>) epsilon = 1.0e-5
  return
}
func.func @second(%x: memref<4x64xbf16>, %y: memref<4x64xbf16>) {
  norm.rms_norm x(%x : memref<4x64xbf16>) outs y(%y : memref<4x64xbf16>) epsilon = 1.0e-5
  return
}
