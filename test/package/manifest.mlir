// REQUIRES: tool-normc
// RUN: normc compile %s --target=host:x86-64-v3,host:x86-64-v4 --emit=manifest -o - | FileCheck %s
// RUN: normc compile %s --target=host:x86-64-v3,host:x86-64-v4 -o %t.nrmk
// RUN: normc inspect %t.nrmk | FileCheck %s
// RUN: normc inspect --json %t.nrmk | FileCheck %s --check-prefix=JSON
// RUN: normc compile %s --target=host:x86-64-v3,host:x86-64-v4 -o %t.again.nrmk
// RUN: cmp %t.nrmk %t.again.nrmk

// Same bytes for the same input, wherever the source lies.
// RUN: mkdir -p %t.dir
// RUN: cp %s %t.dir/elsewhere.mlir
// RUN: normc compile %t.dir/elsewhere.mlir --target=host:x86-64-v3,host:x86-64-v4 -o %t.elsewhere.nrmk
// RUN: cmp %t.nrmk %t.elsewhere.nrmk

// Without its source a package says so.
// RUN: normc compile %s --no-source --target=host --emit=manifest -o - | FileCheck %s --check-prefix=BARE
// BARE: source none

// CHECK: package format 1, {{[0-9]+}} bytes, checksum 0x{{[0-9a-f]+}}
// CHECK-NEXT: producer normc
// CHECK-NEXT: source MLIR bytecode, {{[0-9]+}} bytes
// CHECK: target 0 "host:x86-64-v3", backend host, architecture {{.*}}, features x86-64-v3
// CHECK-NEXT: blob 0 elf_shared_object
// CHECK-NEXT: kernel 0 rms_norm_backward_f32_n64_few, blob 0
// CHECK-NEXT: kernel 1 rms_norm_backward_f32_n64, blob 0
// CHECK: entry backward, symbols 1
// CHECK-NEXT: param 0 in dy: f32 [s0, 64], contiguous 1
// CHECK-NEXT: param 1 in x: f32 [s0, 64], contiguous 1
// CHECK-NEXT: param 2 in rstd: f32 [s0], contiguous 0
// CHECK-NEXT: param 3 out dx: f32 [s0, 64], contiguous 1
// CHECK-NEXT: param 4 out dweight: f32 [64], contiguous 1
// CHECK-NEXT: variant 0, if
// CHECK-NEXT: guard s0 <= [[FEW:[0-9]+]]
// CHECK-NEXT: launch 0 rms_norm_backward_f32_n64_few, grid 1, workgroup 8
// CHECK-NEXT: args dy, x, rstd, dx, dweight,
// CHECK-NEXT: variant 1, always
// CHECK-NEXT: workspace 0, bytes ceildiv(s0, [[BLOCK:[0-9]+]]) * 256
// CHECK-NEXT: launch 0 rms_norm_backward_f32_n64, grid ceildiv(s0, [[BLOCK]]), workgroup 8
// CHECK-NEXT: args dy, x, rstd, dx, workspace 0, row_stride(dy, 1), row_stride(x, 1), row_stride(rstd, 0), row_stride(dx, 1), s0
// CHECK-NEXT: launch 1 rms_norm_backward_finalize_f32_n64, grid {{[0-9]+}}, workgroup 8
// CHECK-NEXT: args workspace 0, dweight, ceildiv(s0, [[BLOCK]])
// CHECK: target 1 "host:x86-64-v4", backend host, architecture {{.*}}, features x86-64-v4

// JSON: "name": "backward"
// JSON: "kernel": "rms_norm_backward_f32_n64"
// JSON: "name": "host:x86-64-v3"
func.func @backward(
    %dy: memref<?x64xf32> {norm.name = "dy"}, %x: memref<?x64xf32> {norm.name = "x"},
    %rstd: memref<?xf32> {norm.name = "rstd"}, %dx: memref<?x64xf32> {norm.name = "dx"},
    %dweight: memref<64xf32> {norm.name = "dweight"}) {
  norm.rms_norm_backward dy(%dy : memref<?x64xf32>) x(%x : memref<?x64xf32>)
      rstd(%rstd : memref<?xf32>)
      outs dx(%dx : memref<?x64xf32>) dweight(%dweight : memref<64xf32>)
  return
}
