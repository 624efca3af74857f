// RUN: norm-opt %s -plan-create-entries -plan-outline-kernels -split-input-file -verify-diagnostics

module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  // expected-error@below {{expected a #row.tiling, because the grid follows from it (row-select-tiling attaches one)}}
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 attributes {kernel_name = "copy"} {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}
}

// -----

// expected-error@below {{expected a norm.target attribute on it or the module, because grids depend on the target (norm-attach-target)}}
func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 attributes {kernel_name = "copy", tiling = #row.tiling<workgroup_size = 16, rows_per_workgroup = 32>} {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// -----

module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
func.func @f(%x: memref<?x16xf32>, %g: memref<16xf32>) {
  // expected-error@below {{expected rows_per_workgroup to be 0 or at least the static number of rows or max_rows, because one workgroup sees every row where sums are stored without partials, but got 32}}
  row.kernel ins(%x : memref<?x16xf32>) outs(%g : memref<16xf32>) norm_dims = 1 attributes {kernel_name = "sums", tiling = #row.tiling<workgroup_size = 16, rows_per_workgroup = 32>} {
  ^bb0(%in: memref<?x16xf32>, %out: memref<16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<16xf32>
  }
  return
}
}

// -----

module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
func.func @f(%x: memref<33x16xf32>, %g: memref<16xf32>) {
  // expected-error@below {{because one workgroup sees every row where sums are stored without partials, but got 32}}
  row.kernel ins(%x : memref<33x16xf32>) outs(%g : memref<16xf32>) norm_dims = 1 attributes {kernel_name = "sums", tiling = #row.tiling<workgroup_size = 16, rows_per_workgroup = 32>} {
  ^bb0(%in: memref<33x16xf32>, %out: memref<16xf32>):
    %0 = row.load %in : memref<33x16xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<16xf32>
  }
  return
}
}

// -----

module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
func.func @f(%x: memref<?x16xf32>, %g: memref<?x?xf32>) {
  // expected-error@below {{expected row.partials at operand 1, because partials live in the workspace, but got another buffer}}
  row.kernel ins(%x : memref<?x16xf32>) outs(%g : memref<?x?xf32>) norm_dims = 1 attributes {kernel_name = "sums", tiling = #row.tiling<workgroup_size = 16, rows_per_workgroup = 32>} {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x?xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols slot 0 : !row.tile<f32>, memref<?x?xf32>
  }
  return
}
}

// -----

module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  // expected-error@below {{expected rows_per_workgroup of at least 0 and col_blocks of at least 1, but got 0 and 0}}
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 attributes {kernel_name = "copy", tiling = #row.tiling<workgroup_size = 16, col_blocks = 0>} {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}
}

// -----

module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
func.func @f(%x: memref<?x16xf32>, %g: memref<16xf32>, %a: memref<f32>) {
  %p = row.partials : memref<?x?xf32>
  row.kernel ins(%x : memref<?x16xf32>) outs(%p : memref<?x?xf32>) norm_dims = 1 attributes {tiling = #row.tiling<workgroup_size = 16>} {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x?xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols slot 0 : !row.tile<f32>, memref<?x?xf32>
    row.accumulate %0, %out to scalar slot 0 : !row.tile<f32>, memref<?x?xf32>
  }
  row.kernel ins(%p : memref<?x?xf32>) outs(%g, %a : memref<16xf32>, memref<f32>) norm_dims = 1 attributes {tiling = #row.tiling<workgroup_size = 16>} {
  ^bb0(%in: memref<?x?xf32>, %out0: memref<16xf32>, %out1: memref<f32>):
    // expected-error@below {{expected segments of 1 sums with one result a column, because the partials hold that many, but got 2}}
    row.finalize %in, %out0 to cols slot 0 of 2 : memref<?x?xf32>, memref<16xf32>
    row.finalize %in, %out1 to scalar slot 0 of 2 : memref<?x?xf32>, memref<f32>
  }
  return
}
}

// -----

module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
func.func @f(%x: memref<?x16xf32>, %g: memref<16xf32>) {
  %p = row.partials : memref<?x?xf32>
  row.kernel ins(%x : memref<?x16xf32>) outs(%p : memref<?x?xf32>) norm_dims = 1 attributes {tiling = #row.tiling<workgroup_size = 16>} {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x?xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols slot 0 : !row.tile<f32>, memref<?x?xf32>
    row.accumulate %0, %out to scalar slot 0 : !row.tile<f32>, memref<?x?xf32>
  }
  // expected-error@below {{expected it to finalize every segment of its partials, 1 of columns and 1 scalars, but got 1 and 0}}
  row.kernel ins(%p : memref<?x?xf32>) outs(%g : memref<16xf32>) norm_dims = 1 attributes {tiling = #row.tiling<workgroup_size = 16>} {
  ^bb0(%in: memref<?x?xf32>, %out0: memref<16xf32>):
    row.finalize %in, %out0 to cols slot 0 of 1 : memref<?x?xf32>, memref<16xf32>
  }
  return
}
}

// -----

module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
func.func @f(%p: memref<6x16xf32>, %g: memref<16xf32>) {
  // expected-error@below {{expected row.partials at operand 0, because partials live in the workspace, but got another buffer}}
  row.kernel ins(%p : memref<6x16xf32>) outs(%g : memref<16xf32>) norm_dims = 1 attributes {tiling = #row.tiling<workgroup_size = 16>} {
  ^bb0(%in: memref<6x16xf32>, %out0: memref<16xf32>):
    row.finalize %in, %out0 to cols slot 0 of 1 : memref<6x16xf32>, memref<16xf32>
  }
  return
}
}

// -----

module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
plan.entry @f symbols = 1
    params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0), contiguous_dims = 1>] {
^bb0(%x: memref<?xf32>):
  // expected-error@below {{expected a row.kernel or a plan.launch, because an entry writes its outputs by those, but got none}}
  plan.variant guards = [] {
    %0 = memref.alloc() : memref<4xf32>
  }
}
}
