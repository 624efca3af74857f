// A package as C: it compiles without a warning, and launches what the plan says, on a
// driver that prints launches.

// REQUIRES: tool-normc
// RUN: mkdir -p %t && normc compile %s --target=cuda:sm_90 --ptxas=off --emit=header -o %t/norms.h
// RUN: %cc -std=c11 -Wall -Wextra -Werror -I %t -I %S/Inputs/driver %t/norms.c \
// RUN:   %S/Inputs/driver/main.c %S/Inputs/driver/driver.c -o %t/program
// RUN: %t/program | FileCheck %s
// RUN: FileCheck %s --input-file=%t/norms.h --check-prefix=HEADER

// HEADER: /* f. Device memory, row major without gaps:
// HEADER-NEXT: dy: reads bf16 [dy_dim0, 256]
// HEADER: CUresult norms_f(const norms_kernels *kernels, int64_t dy_dim0, const uint16_t *dy, const uint16_t *x, const float *rstd, uint16_t *dx, float *int_, void *workspace, size_t workspace_bytes, CUstream stream);

// CHECK: load 0
// Without rows the sums are zero: the finalize alone runs.
// CHECK: workspace 0 {{[0-9]+}} bytes
// CHECK: launch rms_norm_backward_finalize_f32_n256 grid
// CHECK: result 0
// CHECK: workspace 0 [[BYTES:[0-9]+]] bytes
// CHECK: launch rms_norm_backward_bf16_f32_n256 grid {{[0-9]+}} workgroup {{[0-9]+}} dependent 0 x 100000000
// CHECK-NEXT: launch rms_norm_backward_finalize_f32_n256 grid {{[0-9]+}} workgroup {{[0-9]+}} dependent 1
// CHECK-NEXT: result 0
// One that is not aligned takes the other variant.
// CHECK-NEXT: launch rms_norm_backward_bf16_f32_n256_unaligned grid
// CHECK: result 0
// CHECK: result 1
// CHECK: negative 1
// CHECK-NEXT: huge 1
// CHECK-NEXT: odd 1
// CHECK-NEXT: overlap 1
// CHECK-NEXT: null 1
// CHECK-NEXT: 0 modules left

// The example builds and launches; without a kernel that runs, it says that the statistics are wrong.
// RUN: mkdir -p %t.aot && normc compile %examples/layer_norm.mlir --target=cuda:sm_90 \
// RUN:   --ptxas=off --emit=header -o %t.aot/norms.h
// RUN: %cc -std=c11 -Wall -Wextra -Werror -I %t.aot -I %S/Inputs/driver %t.aot/norms.c \
// RUN:   %examples/aot/layer_norm.c %S/Inputs/driver/driver.c -lm -o %t.aot/layer_norm
// RUN: not %t.aot/layer_norm | FileCheck %s --check-prefix=EXAMPLE
// EXAMPLE: launch layer_norm_bf16_f32_n1024 grid
// EXAMPLE: largest error of mean and rstd

// RUN: not normc compile %s --target=host --emit=header -o %t/host.h 2>&1 \
// RUN:   | FileCheck %s --check-prefix=HOST
// HOST: error: expected one CUDA target, because a C source calls CUDA's driver, but got host
// RUN: not normc compile %s --target=cuda:sm_90 --emit=header -o %t/norms.c 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NAME
// NAME: error: expected -o FILE.h

func.func @f(%dy: memref<?x256xbf16> {norm.name = "dy"}, %x: memref<?x256xbf16> {norm.name = "x"},
             %rstd: memref<?xf32> {norm.name = "rstd"}, %dx: memref<?x256xbf16> {norm.name = "dx"},
             %dweight: memref<256xf32> {norm.name = "int"}) {
  norm.rms_norm_backward dy(%dy : memref<?x256xbf16>) x(%x : memref<?x256xbf16>)
      rstd(%rstd : memref<?xf32>)
      outs dx(%dx : memref<?x256xbf16>) dweight(%dweight : memref<256xf32>)
  return
}
