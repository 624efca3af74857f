// A package for several targets: PTX always, machine code before it where there is a
// ptxas; variants by layout and alignment; grids of one dimension; a dependent finalize.

// REQUIRES: tool-normc
// RUN: normc compile %s --target=cuda:sm_80,cuda:sm_90 --ptxas=off --remarks --emit=manifest \
// RUN:   -o %t.txt 2>%t.err
// RUN: FileCheck %s --input-file=%t.txt
// RUN: FileCheck %s --input-file=%t.err --check-prefix=REMARK

// REMARK: remark: [Missed] no-ptxas {{.*}}no ptxas: the package holds PTX alone

// CHECK: target 0 "cuda:sm_80", backend cuda, architecture sm_80
// CHECK-NEXT: blob 0 ptx, architecture sm_80
// CHECK-NOT: dependent
// CHECK: target 1 "cuda:sm_90", backend cuda, architecture sm_90
// CHECK-NEXT: blob 0 ptx, architecture sm_90
// CHECK-NEXT: kernel 0 rms_norm_backward_bf16_f32_n256_few, blob 0
// CHECK-NEXT: kernel 1 rms_norm_backward_bf16_f32_n256, blob 0
// CHECK-NEXT: kernel 2 rms_norm_backward_finalize_f32_n256, blob 0
// CHECK-NEXT: kernel 3 rms_norm_backward_bf16_f32_n256_few_unaligned, blob 0
// CHECK-NEXT: kernel 4 rms_norm_backward_bf16_f32_n256_unaligned, blob 0
// CHECK-NEXT: kernel 5 rms_norm_backward_bf16_f32_n256_strided_unaligned, blob 0
// CHECK-NOT: kernel 6

// Few rows are one launch of one cluster, without a workspace.
// CHECK: variant 0, if
// CHECK: guard s0 * s1 <= {{[0-9]+}}
// CHECK-NEXT: guard compute_units >= 16
// CHECK-NEXT: launch 0 rms_norm_backward_bf16_f32_n256_few, grid [[SIZE:[0-9]+]], workgroup {{[0-9]+}}, cluster [[SIZE]]

// What lanes access by column is aligned: neither rstd nor a sum's result.
// CHECK: variant 1, if
// CHECK-NEXT: guard dy is aligned to 16 bytes
// CHECK-NEXT: guard x is aligned to 16 bytes
// CHECK-NEXT: guard weight is aligned to 16 bytes
// CHECK-NEXT: guard dx is aligned to 16 bytes
// CHECK-NEXT: guard dy but for its last 1 dimensions walks with one stride
// CHECK: workspace 0, bytes
// CHECK-NEXT: launch 0 rms_norm_backward_bf16_f32_n256, grid
// CHECK-SAME: workgroup
// CHECK: launch 1 rms_norm_backward_finalize_f32_n256, grid
// CHECK-SAME: dependent
// Few rows are one launch at any address, too.
// CHECK: variant 2, if
// CHECK-NOT: aligned
// CHECK: guard s0 * s1 <= {{[0-9]+}}
// CHECK: launch 0 rms_norm_backward_bf16_f32_n256_few_unaligned, grid
// CHECK-NOT: launch 1
// CHECK: variant 3, if
// CHECK-NEXT: guard dy but for its last 1 dimensions walks with one stride
// CHECK: launch 0 rms_norm_backward_bf16_f32_n256_unaligned, grid
// CHECK: launch 1 rms_norm_backward_finalize_f32_n256, grid
// CHECK: variant 4, always
// CHECK: launch 0 rms_norm_backward_bf16_f32_n256_strided_unaligned, grid
// CHECK-NOT: cluster
// CHECK: launch 1 rms_norm_backward_finalize_f32_n256, grid

func.func @rms_norm_backward(
    %dy: memref<?x?x256xbf16> {norm.name = "dy"}, %x: memref<?x?x256xbf16> {norm.name = "x"},
    %rstd: memref<?x?xf32> {norm.name = "rstd"}, %weight: memref<256xf32> {norm.name = "weight"},
    %dx: memref<?x?x256xbf16> {norm.name = "dx"}, %dweight: memref<256xf32> {norm.name = "dweight"}) {
  norm.rms_norm_backward dy(%dy : memref<?x?x256xbf16>) x(%x : memref<?x?x256xbf16>)
      rstd(%rstd : memref<?x?xf32>) weight(%weight : memref<256xf32>)
      outs dx(%dx : memref<?x?x256xbf16>) dweight(%dweight : memref<256xf32>)
  return
}
