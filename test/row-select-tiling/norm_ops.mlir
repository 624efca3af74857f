// RUN: norm-opt %s -convert-norm-to-row -canonicalize -norm-attach-target=target=host:x86-64-v4 -row-split-column-reduction -row-select-tiling | FileCheck %s
// RUN: norm-opt %s -convert-norm-to-row -canonicalize -test-print-kernel-facts -verify-diagnostics

// The facts are those that test/unit/schedule pins the choices for, and the choices are
// the ones pinned there.

// CHECK-LABEL: func @forward
func.func @forward(%x: memref<401408x24xbf16>, %w: memref<24xf32>, %b: memref<24xf32>,
                   %y: memref<401408x24xbf16>, %mean: memref<401408xf32>,
                   %rstd: memref<401408xf32>) {
  // CHECK: kernel_name = "layer_norm"
  // CHECK-SAME: lanes_per_row = 32, rows_per_tile = 16, rows_per_workgroup = 1024, vector_elems = 32, loop = persistent, residency = registers
  // expected-remark@+1 {{rows 401408, cols 24, accumulator f32, phases 2, row reductions 2, column sums 0, scalar sums 0, ops 7, special 0, buffers tile:bf16 cols:f32 cols:f32 tile:bf16:out rows:f32:out rows:f32:out, moments 1, special per row 2}}
  norm.layer_norm x(%x : memref<401408x24xbf16>) weight(%w : memref<24xf32>)
      bias(%b : memref<24xf32>) outs y(%y : memref<401408x24xbf16>)
      mean(%mean : memref<401408xf32>) rstd(%rstd : memref<401408xf32>) epsilon = 1.0e-5
  return
}

// CHECK-LABEL: func @backward
func.func @backward(%dy: memref<401408x24xbf16>, %x: memref<401408x24xbf16>,
                    %mean: memref<401408xf32>, %rstd: memref<401408xf32>,
                    %w: memref<24xf32>, %dx: memref<401408x24xbf16>,
                    %dw: memref<24xf32>, %db: memref<24xf32>) {
  // CHECK: kernel_name = "layer_norm_backward"
  // CHECK-SAME: lanes_per_row = 32, rows_per_tile = 8, rows_per_workgroup = 1024, vector_elems = 32, loop = persistent>
  // CHECK: kernel_name = "layer_norm_backward_finalize"
  // CHECK-SAME: rows_per_tile = 32
  // expected-remark@+1 {{rows 401408, cols 24, accumulator f32, phases 2, row reductions 2, column sums 2, scalar sums 0, ops 16, special 0, buffers tile:bf16 tile:bf16 rows:f32 rows:f32 cols:f32 tile:bf16:out cols:f32:out cols:f32:out, moments 0, special per row 0}}
  norm.layer_norm_backward dy(%dy : memref<401408x24xbf16>)
      x(%x : memref<401408x24xbf16>) mean(%mean : memref<401408xf32>)
      rstd(%rstd : memref<401408xf32>) weight(%w : memref<24xf32>)
      outs dx(%dx : memref<401408x24xbf16>) dweight(%dw : memref<24xf32>)
      dbias(%db : memref<24xf32>)
  return
}
