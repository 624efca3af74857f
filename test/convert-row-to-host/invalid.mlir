// RUN: norm-opt %s --convert-row-to-host --split-input-file --verify-diagnostics

func.func private @no_tiling(%x: memref<?x8xf32>, %y: memref<?x8xf32>) attributes {plan.kernel, plan.collapsed} {
  // expected-error @below {{expected a tiling, because row-select-tiling runs before the kernel is lowered, but got none}}
  row.kernel ins(%x : memref<?x8xf32>) outs(%y : memref<?x8xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x8xf32>, %out: memref<?x8xf32>):
    %t = row.load %in : memref<?x8xf32> -> !row.tile<f32>
    row.store %t, %out : !row.tile<f32>, memref<?x8xf32>
  }
  return
}

// -----

// expected-error @below {{expected one row.kernel in a kernel function, but got 0}}
func.func private @empty() attributes {plan.kernel, plan.collapsed} {
  return
}

// -----

func.func private @rows(%x: memref<?x8xf32>, %y: memref<?x8xf32>) attributes {plan.kernel, plan.collapsed} {
  // expected-error @below {{expected rows_per_tile to be a power of two at most 64, because rows are unrolled, but got 3}}
  row.kernel ins(%x : memref<?x8xf32>) outs(%y : memref<?x8xf32>) norm_dims = 1
      attributes {tiling = #row.tiling<lanes_per_row = 8, vector_elems = 8, rows_per_tile = 3>} {
  ^bb0(%in: memref<?x8xf32>, %out: memref<?x8xf32>):
    %t = row.load %in : memref<?x8xf32> -> !row.tile<f32>
    row.store %t, %out : !row.tile<f32>, memref<?x8xf32>
  }
  return
}

// -----

func.func private @direct_in_bf16(%x: memref<?x?xf32>, %d: memref<?xbf16>) attributes {plan.kernel, plan.collapsed} {
  row.kernel ins(%x : memref<?x?xf32>) outs(%d : memref<?xbf16>) norm_dims = 1
      attributes {tiling = #row.tiling<lanes_per_row = 8, vector_elems = 8>} {
  ^bb0(%in: memref<?x?xf32>, %out: memref<?xbf16>):
    %t = row.load %in : memref<?x?xf32> -> !row.tile<f32>
    // expected-error @below {{expected partials, or columns held in registers, because a direct sum in 'f32' does not fit an output of 'bf16'}}
    row.accumulate %t, %out to cols : !row.tile<f32>, memref<?xbf16>
  }
  return
}

// -----

func.func private @unrolled(%x: memref<?x?xf32>, %y: memref<?x?xf32>) attributes {plan.kernel, plan.collapsed} {
  // expected-error @below {{static columns with this residency and lanes_per_row, because the columns are unrolled, but got dynamic columns}}
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1
      attributes {tiling = #row.tiling<lanes_per_row = 8, vector_elems = 8, residency = registers>} {
  ^bb0(%in: memref<?x?xf32>, %out: memref<?x?xf32>):
    %t = row.load %in : memref<?x?xf32> -> !row.tile<f32>
    row.store %t, %out : !row.tile<f32>, memref<?x?xf32>
  }
  return
}
