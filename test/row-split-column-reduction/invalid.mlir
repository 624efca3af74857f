// RUN: norm-opt %s -row-split-column-reduction -split-input-file -verify-diagnostics

func.func @no_target(%x: memref<?x24xf32>, %d: memref<24xf32>) {
  // expected-error@+1 {{'row.kernel' op expected a norm.target attribute on an op around it, because a decision depends on the machine, but got none; run norm-attach-target first}}
  row.kernel ins(%x : memref<?x24xf32>) outs(%d : memref<24xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x24xf32>, %out: memref<24xf32>):
    %0 = row.load %in : memref<?x24xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<24xf32>
  }
  return
}

// -----

module attributes {norm.target = #norm.target<"host:x86-64-v4">} {
func.func @direct_with_dynamic_rows(%x: memref<?x24xf32>, %d: memref<24xf32>) {
  // expected-error@+1 {{expected strategy partials or fission, because one workgroup can see every row only where rows is static, at least 1, and at most 1024 tiles, but got direct with dynamic rows}}
  row.kernel ins(%x : memref<?x24xf32>) outs(%d : memref<24xf32>) norm_dims = 1
      attributes {strategy = #row.strategy<direct>} {
  ^bb0(%in: memref<?x24xf32>, %out: memref<24xf32>):
    %0 = row.load %in : memref<?x24xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<24xf32>
  }
  return
}
}

// -----

module attributes {norm.target = #norm.target<"host:x86-64-v4">} {
func.func @fission_of_sums_alone(%x: memref<?x24xf32>, %d: memref<24xf32>) {
  // expected-error@+1 {{expected strategy direct or partials, because the kernel stores nothing but sums down the columns and there is nothing to part them from, but got fission}}
  row.kernel ins(%x : memref<?x24xf32>) outs(%d : memref<24xf32>) norm_dims = 1
      attributes {strategy = #row.strategy<fission>} {
  ^bb0(%in: memref<?x24xf32>, %out: memref<24xf32>):
    %0 = row.load %in : memref<?x24xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<24xf32>
  }
  return
}
}

// -----

module attributes {norm.target = #norm.target<"host:x86-64-v4">} {
func.func @tiling_over_a_limit(%x: memref<?x24xf32>, %d: memref<24xf32>) {
  // expected-error@+1 {{expected rows_per_tile to be a power of two at most 16, because the rows of a tile are reduced together, by a tree over the 16 lanes of a vector, but got 24}}
  row.kernel ins(%x : memref<?x24xf32>) outs(%d : memref<24xf32>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 16, lanes_per_row = 16, rows_per_tile = 24, rows_per_workgroup = 48, vector_elems = 16, loop = persistent>} {
  ^bb0(%in: memref<?x24xf32>, %out: memref<24xf32>):
    %0 = row.load %in : memref<?x24xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<24xf32>
  }
  return
}
}

// -----

module attributes {norm.target = #norm.target<"host:x86-64-v4">} {
func.func @half_split(%x: memref<?x24xf32>, %d: memref<24xf32>, %p: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x24xf32>) outs(%d, %p : memref<24xf32>, memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x24xf32>, %out: memref<24xf32>, %partials: memref<?x?xf32>):
    %0 = row.load %in : memref<?x24xf32> -> !row.tile<f32>
    // expected-error@+1 {{expected a slot, because a kernel writes all of its sums to partials or none}}
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<24xf32>
    // expected-note@+1 {{this sum has one}}
    row.accumulate %0, %partials to cols slot 0 : !row.tile<f32>, memref<?x?xf32>
  }
  return
}
}

// -----

module attributes {norm.target = #norm.target<"host:x86-64-v4">} {
func.func @sums_of_two_types(%x: memref<?x24xf32>, %z: memref<?x24xf64>, %d: memref<24xf32>, %e: memref<24xf64>) {
  row.kernel ins(%x, %z : memref<?x24xf32>, memref<?x24xf64>) outs(%d, %e : memref<24xf32>, memref<24xf64>) norm_dims = 1 {
  ^bb0(%in: memref<?x24xf32>, %iz: memref<?x24xf64>, %od: memref<24xf32>, %oe: memref<24xf64>):
    %0 = row.load %in : memref<?x24xf32> -> !row.tile<f32>
    %1 = row.load %iz : memref<?x24xf64> -> !row.tile<f64>
    // expected-error@+1 {{expected a sum in 'f64', because the partials of a kernel have one type, but got 'f32'}}
    row.accumulate %0, %od to cols : !row.tile<f32>, memref<24xf32>
    row.accumulate %1, %oe to cols : !row.tile<f64>, memref<24xf64>
  }
  return
}
}
