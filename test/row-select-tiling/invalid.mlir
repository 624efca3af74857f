// RUN: norm-opt %s -row-select-tiling -split-input-file -verify-diagnostics

func.func @no_target(%x: memref<?x24xf32>, %y: memref<?x24xf32>) {
  // expected-error@+1 {{expected a norm.target attribute on an op around it, because a decision depends on the machine, but got none; run norm-attach-target first}}
  row.kernel ins(%x : memref<?x24xf32>) outs(%y : memref<?x24xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x24xf32>, %out: memref<?x24xf32>):
    %0 = row.load %in : memref<?x24xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x24xf32>
  }
  return
}

// -----

module attributes {norm.target = #norm.target<"host:x86-64-v4">} {
func.func @sums_not_split(%x: memref<?x24xf32>, %d: memref<24xf32>) {
  // expected-error@+1 {{but got direct with dynamic rows; run row-split-column-reduction first}}
  row.kernel ins(%x : memref<?x24xf32>) outs(%d : memref<24xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x24xf32>, %out: memref<24xf32>):
    %0 = row.load %in : memref<?x24xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<24xf32>
  }
  return
}
}

// -----

// A tiling for the vectors of another machine.
module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
func.func @too_wide(%x: memref<?x24xf32>, %y: memref<?x24xf32>) {
  // expected-error@+1 {{'row.kernel' op expected vector_elems to be a power of two at most 8, because a vector of host:x86-64-v3 has 8 lanes of f32, but got 16}}
  row.kernel ins(%x : memref<?x24xf32>) outs(%y : memref<?x24xf32>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 16, lanes_per_row = 16, rows_per_workgroup = 7, vector_elems = 16, loop = persistent>} {
  ^bb0(%in: memref<?x24xf32>, %out: memref<?x24xf32>):
    %0 = row.load %in : memref<?x24xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x24xf32>
  }
  return
}
}

// -----

module attributes {norm.target = #norm.target<"host:x86-64-v4">} {
func.func @negative(%x: memref<?x24xf32>, %y: memref<?x24xf32>) {
  // expected-error@+1 {{expected rows_per_workgroup to be a positive multiple of rows_per_tile (1), because a block is a number of whole tiles, but got -7}}
  row.kernel ins(%x : memref<?x24xf32>) outs(%y : memref<?x24xf32>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 16, lanes_per_row = 16, rows_per_workgroup = -7, vector_elems = 16, loop = persistent>} {
  ^bb0(%in: memref<?x24xf32>, %out: memref<?x24xf32>):
    %0 = row.load %in : memref<?x24xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x24xf32>
  }
  return
}
}
