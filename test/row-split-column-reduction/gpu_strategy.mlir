// A cluster, asked for: kept where one can hold all rows, an error that says why else;
// and what the remark says of it.
//
// RUN: norm-opt %s -row-split-column-reduction -split-input-file -verify-diagnostics \
// RUN:   -remarks-filter='row-split' | FileCheck %s

module attributes {norm.target = #norm.target<"cuda:sm_90">} {
// CHECK-LABEL: func.func @cluster
// CHECK-NOT:   row.partials
// CHECK:       strategy = #row.strategy<cluster>, tiling = #row.tiling<{{.*}}cluster_cols = {{[0-9]+}}
// CHECK:       row.store
// CHECK:       row.accumulate {{.*}} to cols : !row.tile<f32>, memref<4096xbf16>
// CHECK-NOT:   row.finalize
func.func @cluster(%x: memref<16x4096xbf16>, %r: memref<16xf32>, %d: memref<4096xbf16>) {
  // expected-remark@+1 {{workgroups, which hold all rows: one is launched}}
  row.kernel ins(%x : memref<16x4096xbf16>)
      outs(%r, %d : memref<16xf32>, memref<4096xbf16>)
      norm_dims = 1 attributes {strategy = #row.strategy<cluster>} {
  ^bb0(%in: memref<16x4096xbf16>, %row: memref<16xf32>, %out: memref<4096xbf16>):
    %0 = row.load %in : memref<16x4096xbf16> -> !row.tile<f32>
    %1 = row.reduce ins(%0 : !row.tile<f32>) identities = [0.0 : f32] -> !row.vec<rows, f32> {
    ^bb1(%a: f32, %b: f32):
      %2 = arith.addf %a, %b : f32
      row.yield %2 : f32
    }
    row.store %1, %row : !row.vec<rows, f32>, memref<16xf32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<4096xbf16>
  }
  return
}

// A bound on the rows is as good as their number.
// CHECK-LABEL: func.func @bounded
// CHECK:       max_rows = 16 : i64, strategy = #row.strategy<direct>, tiling = #row.tiling<
// CHECK-SAME:    rows_per_workgroup = {{16|32|64}}
func.func @bounded(%x: memref<?x64xf32>, %d: memref<64xf32>) {
  // expected-remark@+1 {{Strategy=direct}}
  row.kernel ins(%x : memref<?x64xf32>) outs(%d : memref<64xf32>) norm_dims = 1
      attributes {max_rows = 16 : i64, strategy = #row.strategy<direct>} {
  ^bb0(%in: memref<?x64xf32>, %out: memref<64xf32>):
    %0 = row.load %in : memref<?x64xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<64xf32>
  }
  return
}
}

// -----

module attributes {norm.target = #norm.target<"spirv:pvc">} {
func.func @scalars_beside_dynamic_columns(%x: memref<16x?xf32>, %d: memref<?xf32>,
    %s: memref<1xf32>) {
  // expected-error@+1 {{expected strategy fission, because where the columns are dynamic they are in blocks, which a reduction along the row crosses, but got direct}}
  row.kernel ins(%x : memref<16x?xf32>) outs(%d, %s : memref<?xf32>, memref<1xf32>)
      norm_dims = 1 attributes {strategy = #row.strategy<direct>} {
  ^bb0(%in: memref<16x?xf32>, %out: memref<?xf32>, %scalar: memref<1xf32>):
    %0 = row.load %in : memref<16x?xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<?xf32>
    row.accumulate %0, %scalar to scalar : !row.tile<f32>, memref<1xf32>
  }
  return
}
}

// -----

module attributes {norm.target = #norm.target<"spirv:pvc">} {
func.func @no_clusters(%x: memref<16x64xf32>, %d: memref<64xf32>) {
  // expected-error@+1 {{expected strategy direct, partials or fission, because spirv:pvc has no clusters, but got cluster}}
  row.kernel ins(%x : memref<16x64xf32>) outs(%d : memref<64xf32>) norm_dims = 1
      attributes {strategy = #row.strategy<cluster>} {
  ^bb0(%in: memref<16x64xf32>, %out: memref<64xf32>):
    %0 = row.load %in : memref<16x64xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<64xf32>
  }
  return
}
}

// -----

module attributes {norm.target = #norm.target<"cuda:sm_90">} {
func.func @many_rows(%x: memref<?x64xf32>, %d: memref<64xf32>) {
  // expected-error@+1 {{because one cluster can see every row only where rows is static or bounded, and registers hold every column, but got cluster with dynamic rows of 64 columns}}
  row.kernel ins(%x : memref<?x64xf32>) outs(%d : memref<64xf32>) norm_dims = 1
      attributes {strategy = #row.strategy<cluster>} {
  ^bb0(%in: memref<?x64xf32>, %out: memref<64xf32>):
    %0 = row.load %in : memref<?x64xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<64xf32>
  }
  return
}
}
