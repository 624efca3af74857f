// Every stage on the way to a package, each by what it has and the one before has not.
//
// RUN: normc compile %s --emit=norm | FileCheck %s --check-prefix=NORM
// RUN: normc compile %s --emit=row | FileCheck %s --check-prefix=ROW
// RUN: normc compile %s --emit=scheduled --target=host:x86-64-v3 \
// RUN:   | FileCheck %s --check-prefix=SCHEDULED
// RUN: normc compile %s --emit=llvm --target=host:x86-64-v3 \
// RUN:   | FileCheck %s --check-prefix=LLVM
// RUN: normc compile %s --emit=manifest --target=host:x86-64-v3 \
// RUN:   | FileCheck %s --check-prefix=MANIFEST

// A text stage is IR that is read again: row from stdin, norm as bytecode.
// RUN: normc compile %s --emit=norm | norm-opt --emit-bytecode \
// RUN:   | normc compile - --emit=row | FileCheck %s --check-prefix=ROW
// RUN: normc compile %s --emit=row | norm-opt | FileCheck %s --check-prefix=ROW

// Several targets follow one another.
// RUN: normc compile %s --emit=scheduled --target=host:x86-64-v3,host:x86-64-v4 \
// RUN:   | FileCheck %s --check-prefix=TWO
// RUN: normc compile %s --emit=row --target=host:x86-64-v3,host:x86-64-v4 \
// RUN:   | FileCheck %s --check-prefix=ONCE

// NORM: func.func @rms_norm(%{{.*}}: tensor<?x256xf32> {norm.name = "x"})
// NORM: norm.rms_norm
// NORM-NOT: row.kernel

// ROW-LABEL: func.func @rms_norm(
// ROW-SAME: memref<?x256xf32> {norm.name = "x"}
// ROW-SAME: memref<?x256xf32> {norm.name = "y", norm.out}
// ROW: row.kernel
// ROW-NOT: tiling
// ROW-NOT: norm.rms_norm

// SCHEDULED: norm.target = #norm.target<"host:x86-64-v3">
// SCHEDULED: plan.entry @rms_norm symbols = 1
// SCHEDULED: plan.variant
// SCHEDULED: row.kernel
// SCHEDULED-SAME: tiling = #row.tiling<workgroup_size = 8

// LLVM: plan.entry @rms_norm
// LLVM: plan.launch @[[KERNEL:rms_norm_f32_n256]]
// LLVM: llvm.func @[[KERNEL]](%{{.*}}: !llvm.ptr
// LLVM-NOT: row.kernel

// MANIFEST: target 0 "host:x86-64-v3", backend host, architecture x86_64, features x86-64-v3
// MANIFEST: kernel 0 rms_norm_f32_n256
// MANIFEST: entry rms_norm, symbols 1
// MANIFEST-NEXT: param 0 in x: f32 [s0, 256]
// MANIFEST-NEXT: param 1 out y: f32 [s0, 256]

// TWO: // target host:x86-64-v3
// TWO: workgroup_size = 8,
// TWO: // target host:x86-64-v4
// TWO: workgroup_size = 16,

// ONCE-COUNT-1: func.func @rms_norm
// ONCE-NOT: func.func

func.func @rms_norm(%x: tensor<?x256xf32> {norm.name = "x"})
    -> (tensor<?x256xf32> {norm.name = "y"}) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x256xf32>
  %init = tensor.empty(%rows) : tensor<?x256xf32>
  %y = norm.rms_norm x(%x : tensor<?x256xf32>) outs y(%init : tensor<?x256xf32>)
      epsilon = 1.0e-5 -> tensor<?x256xf32>
  return %y : tensor<?x256xf32>
}
