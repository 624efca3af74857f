// Tilings that a user gives for a GPU: each error names the limit that is broken.
//
// RUN: norm-opt %s -row-select-tiling -split-input-file -verify-diagnostics

module attributes {norm.target = #norm.target<"cuda:sm_80">} {
func.func @no_clusters(%x: memref<?x512xbf16>, %s: memref<?xf32>) {
  // expected-error@+1 {{because cuda:sm_80 has no clusters, but got 2}}
  row.kernel ins(%x : memref<?x512xbf16>) outs(%s : memref<?xf32>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 32, lanes_per_row = 32, cluster_cols = 2, vector_elems = 8, residency = registers>} {
  ^bb0(%in: memref<?x512xbf16>, %out: memref<?xf32>):
    %0 = row.load %in : memref<?x512xbf16> -> !row.tile<f32>
    %1 = row.reduce ins(%0 : !row.tile<f32>) identities = [0.0 : f32] -> !row.vec<rows, f32> {
    ^bb1(%a: f32, %b: f32):
      %2 = arith.addf %a, %b : f32
      row.yield %2 : f32
    }
    row.store %1, %out : !row.vec<rows, f32>, memref<?xf32>
  }
  return
}
}

// -----

module attributes {norm.target = #norm.target<"cuda:sm_90">} {
func.func @too_large(%x: memref<?x512xbf16>, %y: memref<?x512xbf16>) {
  // expected-error@+1 {{to be at least 1 and at most 16, because}}
  row.kernel ins(%x : memref<?x512xbf16>) outs(%y : memref<?x512xbf16>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 32, lanes_per_row = 32, cluster_cols = 32, vector_elems = 8, residency = registers>} {
  ^bb0(%in: memref<?x512xbf16>, %out: memref<?x512xbf16>):
    %0 = row.load %in : memref<?x512xbf16> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x512xbf16>
  }
  return
}
}

// -----

module attributes {norm.target = #norm.target<"cuda:sm_90">} {
func.func @few_lanes(%x: memref<?x512xbf16>, %y: memref<?x512xbf16>) {
  // expected-error@+1 {{expected lanes_per_row to be at least cluster_cols (8), because one lane of a row writes to each workgroup of the cluster, but got 4}}
  row.kernel ins(%x : memref<?x512xbf16>) outs(%y : memref<?x512xbf16>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 32, lanes_per_row = 4, cluster_cols = 8, rows_per_tile = 8, vector_elems = 8, residency = registers>} {
  ^bb0(%in: memref<?x512xbf16>, %out: memref<?x512xbf16>):
    %0 = row.load %in : memref<?x512xbf16> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x512xbf16>
  }
  return
}
}

// -----

module attributes {norm.target = #norm.target<"cuda:sm_90">} {
func.func @few_columns(%x: memref<?x24xbf16>, %y: memref<?x24xbf16>) {
  // expected-error@+1 {{expected cluster_cols to be at most 3, because 24 columns are that many parts of 8, but got 8}}
  row.kernel ins(%x : memref<?x24xbf16>) outs(%y : memref<?x24xbf16>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 32, lanes_per_row = 32, cluster_cols = 8, vector_elems = 8, residency = registers>} {
  ^bb0(%in: memref<?x24xbf16>, %out: memref<?x24xbf16>):
    %0 = row.load %in : memref<?x24xbf16> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x24xbf16>
  }
  return
}
}

// -----

module attributes {norm.target = #norm.target<"cuda:sm_90">} {
func.func @blocks_and_clusters(%x: memref<?x512xbf16>, %y: memref<?x512xbf16>) {
  // expected-error@+1 {{expected col_blocks to be 1, because the workgroups of a cluster share a row, but got 2}}
  row.kernel ins(%x : memref<?x512xbf16>) outs(%y : memref<?x512xbf16>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 32, lanes_per_row = 32, cluster_cols = 2, col_blocks = 2, vector_elems = 8, residency = registers>} {
  ^bb0(%in: memref<?x512xbf16>, %out: memref<?x512xbf16>):
    %0 = row.load %in : memref<?x512xbf16> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x512xbf16>
  }
  return
}
}

// -----

module attributes {norm.target = #norm.target<"spirv:pvc">} {
func.func @subgroups(%x: memref<?x512xbf16>, %y: memref<?x512xbf16>) {
  // expected-error@+1 {{expected workgroup_size to be a multiple of 16 and at most 1024, because a workgroup of spirv:pvc is whole subgroups, but got 2048}}
  row.kernel ins(%x : memref<?x512xbf16>) outs(%y : memref<?x512xbf16>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 2048, lanes_per_row = 2048, vector_elems = 8>} {
  ^bb0(%in: memref<?x512xbf16>, %out: memref<?x512xbf16>):
    %0 = row.load %in : memref<?x512xbf16> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x512xbf16>
  }
  return
}
}
