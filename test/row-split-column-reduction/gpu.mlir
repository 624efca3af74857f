// What a GPU's decisions make of column sums: partials where rows are many, blocks of
// columns where they are few, and two kernels where no registers hold a row's sums.
//
// RUN: norm-opt %s --norm-attach-target=target=cuda:sm_90 --convert-norm-to-row \
// RUN:   --row-split-column-reduction --row-select-tiling \
// RUN:   | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: norm-opt %s --norm-attach-target=target=spirv:pvc --convert-norm-to-row \
// RUN:   --row-split-column-reduction --row-select-tiling \
// RUN:   | FileCheck %s --check-prefixes=CHECK,PVC

// CHECK-LABEL: func.func @narrow(
// CHECK:       row.partials
// CHECK:       row.kernel
// CHECK-SAME:    tiling = [[$NARROW:#row.tiling<.*loop = persistent.*>]]}
// CHECK:       row.accumulate {{.*}} to cols slot 0
// CHECK:       row.kernel
// CHECK:       row.finalize
// CHECK-NOT:   row.kernel
func.func @narrow(%dy: memref<401408x24xbf16>, %x: memref<401408x24xbf16>,
                  %mean: memref<401408xf32>, %rstd: memref<401408xf32>,
                  %weight: memref<24xbf16>, %dx: memref<401408x24xbf16>,
                  %dweight: memref<24xbf16>) {
  norm.layer_norm_backward dy(%dy : memref<401408x24xbf16>)
      x(%x : memref<401408x24xbf16>) mean(%mean : memref<401408xf32>)
      rstd(%rstd : memref<401408xf32>) weight(%weight : memref<24xbf16>)
      outs dx(%dx : memref<401408x24xbf16>) dweight(%dweight : memref<24xbf16>)
  return
}

// The same rows in two dimensions are split alike.
// CHECK-LABEL: func.func @narrow_in_three_dimensions
// CHECK:       row.partials
// CHECK:       row.kernel
// CHECK-SAME:    tiling = [[$NARROW]]}
// CHECK:       row.accumulate {{.*}} to cols slot 0
// CHECK:       row.kernel
// CHECK:       row.finalize
// CHECK-NOT:   row.kernel
func.func @narrow_in_three_dimensions(
    %dy: memref<25088x16x24xbf16>, %x: memref<25088x16x24xbf16>,
    %mean: memref<25088x16xf32>, %rstd: memref<25088x16xf32>, %weight: memref<24xbf16>,
    %dx: memref<25088x16x24xbf16>, %dweight: memref<24xbf16>) {
  norm.layer_norm_backward dy(%dy : memref<25088x16x24xbf16>)
      x(%x : memref<25088x16x24xbf16>) mean(%mean : memref<25088x16xf32>)
      rstd(%rstd : memref<25088x16xf32>) weight(%weight : memref<24xbf16>)
      outs dx(%dx : memref<25088x16x24xbf16>) dweight(%dweight : memref<24xbf16>)
  return
}

// CHECK-LABEL: func.func @few_wide_rows
// CHECK-NOT:   row.partials
// CHECK:       row.kernel
// CHECK-SAME:    kernel_name = "layer_norm_backward_rows"
// CHECK:       row.kernel
// CHECK-SAME:    kernel_name = "layer_norm_backward_columns"
// CHECK-SAME:    strategy = #row.strategy<direct>
// CHECK-SAME:    col_blocks = {{[0-9]+}}
// CHECK-NOT:   row.finalize
func.func @few_wide_rows(%dy: memref<8x65536xbf16>, %x: memref<8x65536xbf16>,
                         %mean: memref<8xf32>, %rstd: memref<8xf32>,
                         %weight: memref<65536xbf16>, %dx: memref<8x65536xbf16>,
                         %dweight: memref<65536xbf16>) {
  norm.layer_norm_backward dy(%dy : memref<8x65536xbf16>) x(%x : memref<8x65536xbf16>)
      mean(%mean : memref<8xf32>) rstd(%rstd : memref<8xf32>)
      weight(%weight : memref<65536xbf16>)
      outs dx(%dx : memref<8x65536xbf16>) dweight(%dweight : memref<65536xbf16>)
  return
}

// Columns that are not known: each phase reads a row again, blocks cover the columns.
// CHECK-LABEL: func.func @dynamic
// CHECK:       kernel_name = "layer_norm_backward_rows"
// CHECK-NOT:     residency = registers
// CHECK:       kernel_name = "layer_norm_backward_columns"
// CHECK-SAME:    col_blocks = 0
// CHECK-SAME:    residency = registers
// CHECK:       row.finalize
func.func @dynamic(%dy: memref<?x?xbf16>, %x: memref<?x?xbf16>, %mean: memref<?xf32>,
                   %rstd: memref<?xf32>, %weight: memref<?xbf16>, %dx: memref<?x?xbf16>,
                   %dweight: memref<?xbf16>) {
  norm.layer_norm_backward dy(%dy : memref<?x?xbf16>) x(%x : memref<?x?xbf16>)
      mean(%mean : memref<?xf32>) rstd(%rstd : memref<?xf32>)
      weight(%weight : memref<?xbf16>)
      outs dx(%dx : memref<?x?xbf16>) dweight(%dweight : memref<?xbf16>)
  return
}

// A sum to a scalar stays with the rows, so that the other kernel can block columns. A
// cluster does without a second kernel.
// CHECK-LABEL: func.func @wide_with_scalar
// SM90:        kernel_name = "dyt_backward", strategy = #row.strategy<partials>
// SM90-SAME:     cluster_cols =
// SM90:        row.store
// SM90:        row.accumulate {{.*}} to scalar
// SM90:        row.accumulate {{.*}} to cols
// PVC:         kernel_name = "dyt_backward_rows"
// PVC:         row.store
// PVC:         row.accumulate {{.*}} to scalar
// PVC:         row.finalize {{.*}} to scalar
// PVC:         kernel_name = "dyt_backward_columns"
// PVC-NOT:     row.store
// PVC:         row.accumulate {{.*}} to cols
func.func @wide_with_scalar(%dy: memref<1024x65536xbf16>, %x: memref<1024x65536xbf16>,
                            %alpha: memref<1xf32>, %weight: memref<65536xf32>,
                            %dx: memref<1024x65536xbf16>, %dalpha: memref<1xf32>,
                            %dweight: memref<65536xf32>) {
  norm.dyt_backward dy(%dy : memref<1024x65536xbf16>) x(%x : memref<1024x65536xbf16>)
      alpha(%alpha : memref<1xf32>) weight(%weight : memref<65536xf32>)
      outs dx(%dx : memref<1024x65536xbf16>) dalpha(%dalpha : memref<1xf32>)
      dweight(%dweight : memref<65536xf32>)
  return
}

// One cluster holds few rows: each of its workgroups stores the sums of its columns.
// CHECK-LABEL: func.func @few_rows
// CHECK-NOT:   row.partials
// SM90:        strategy = #row.strategy<cluster>
// SM90-SAME:     cluster_cols = {{[0-9]+}}
// SM90-SAME:     rows_per_workgroup = {{(8|16)}},
// PVC:         strategy = #row.strategy<
// CHECK-NOT:   row.finalize
func.func @few_rows(%dy: memref<8x4096xbf16>, %x: memref<8x4096xbf16>,
                    %mean: memref<8xf32>, %rstd: memref<8xf32>,
                    %weight: memref<4096xbf16>, %dx: memref<8x4096xbf16>,
                    %dweight: memref<4096xbf16>, %dbias: memref<4096xbf16>) {
  norm.layer_norm_backward dy(%dy : memref<8x4096xbf16>) x(%x : memref<8x4096xbf16>)
      mean(%mean : memref<8xf32>) rstd(%rstd : memref<8xf32>)
      weight(%weight : memref<4096xbf16>)
      outs dx(%dx : memref<8x4096xbf16>) dweight(%dweight : memref<4096xbf16>)
      dbias(%dbias : memref<4096xbf16>)
  return
}
