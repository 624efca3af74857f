// The table says what was chosen for each kernel, and a line why.
//
// RUN: normc explain %s --target=host:x86-64-v4 | FileCheck %s
// RUN: normc explain %s --target=host:x86-64-v3,host:x86-64-v4 \
// RUN:   | FileCheck %s --check-prefix=BOTH

// CHECK: backward on host:x86-64-v4, variant 1 of 2, taken where x.shape[0] <= 64
// CHECK-NEXT: kernel {{ *}}strategy {{ *}}workgroups {{ *}}rows/workgroup
// CHECK-NEXT: layer_norm_backward_f32_n256_few {{ *}}direct {{ *}}1 {{ *}}64
// CHECK-NEXT: layer_norm_backward_f32_n256_few: {{.*}}one workgroup holds all 64 rows
// CHECK: layer_norm_backward for at most 64 rows, the first by the model of:
// CHECK: backward on host:x86-64-v4, variant 2 of 2, taken otherwise
// CHECK-NEXT: kernel {{ *}}strategy {{ *}}workgroups {{ *}}rows/workgroup
// CHECK-NEXT: layer_norm_backward_f32_n256 {{ *}}partials {{ *}}x.shape[0] ceildiv
// CHECK-NEXT: layer_norm_backward_finalize_f32_n256 {{ *}}rows
// CHECK-NEXT: workspace: {{.*}} bytes
// CHECK-NEXT: layer_norm_backward_f32_n256: bound by {{memory|arithmetic}}
// CHECK-NEXT: layer_norm_backward_finalize_f32_n256: rows_per_tile

// What the user wrote is what is explained.
// CHECK: by_hand on host:x86-64-v4
// CHECK: copy_f32_n256 {{ *}}rows {{ *}}x.shape[0] ceildiv 6 {{ *}}6 {{ *}}2 {{ *}}1 x 8

// The general variant of an entry whose rows are not in one dimension.
// CHECK: strided on host:x86-64-v4, variant 1 of 2, taken where x walks with one stride, y walks with one stride
// CHECK: strided on host:x86-64-v4, variant 2 of 2, taken otherwise

// BOTH: backward on host:x86-64-v3
// BOTH: backward on host:x86-64-v4

func.func @backward(
    %x: memref<?x256xf32> {norm.name = "x"}, %dy: memref<?x256xf32> {norm.name = "dy"},
    %mean: memref<?xf32>, %rstd: memref<?xf32>, %dx: memref<?x256xf32>,
    %dweight: memref<256xf32>) {
  norm.layer_norm_backward dy(%dy : memref<?x256xf32>) x(%x : memref<?x256xf32>)
      mean(%mean : memref<?xf32>) rstd(%rstd : memref<?xf32>)
      outs dx(%dx : memref<?x256xf32>) dweight(%dweight : memref<256xf32>)
  return
}

func.func @by_hand(%x: memref<?x256xf32> {norm.name = "x"}, %y: memref<?x256xf32>) {
  row.kernel ins(%x : memref<?x256xf32>) outs(%y : memref<?x256xf32>) norm_dims = 1
      attributes {kernel_name = "copy",
                  tiling = #row.tiling<workgroup_size = 8, lanes_per_row = 8,
                                       rows_per_tile = 2, rows_per_workgroup = 6,
                                       vector_elems = 8, loop = persistent>} {
  ^bb0(%in: memref<?x256xf32>, %out: memref<?x256xf32>):
    %t = row.load %in : memref<?x256xf32> -> !row.tile<f32>
    row.store %t, %out : !row.tile<f32>, memref<?x256xf32>
  }
  return
}

func.func @strided(%x: memref<?x4x256xf32> {norm.name = "x"},
                   %y: memref<?x4x256xf32> {norm.name = "y"}) {
  norm.rms_norm x(%x : memref<?x4x256xf32>) outs y(%y : memref<?x4x256xf32>)
      epsilon = 1.0e-5
  return
}
