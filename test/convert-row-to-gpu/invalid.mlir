// RUN: norm-opt %s --convert-row-to-gpu --split-input-file --verify-diagnostics

// expected-error @below {{expected a norm.target on the module, because a lowering is for one target, but got none}}
module {
  func.func private @k(%x: memref<?x64xf32>, %y: memref<?x64xf32>) attributes {plan.kernel, plan.collapsed} {
    row.kernel ins(%x : memref<?x64xf32>) outs(%y : memref<?x64xf32>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 64, lanes_per_row = 8>} {
    ^bb0(%in: memref<?x64xf32>, %out: memref<?x64xf32>):
      %t = row.load %in : memref<?x64xf32> -> !row.tile<f32>
      row.store %t, %out : !row.tile<f32>, memref<?x64xf32>
    }
    return
  }
}

// -----

module attributes {norm.target = #norm.target<"cuda:sm_90">} {
  func.func private @k(%x: memref<?x64xf32>, %y: memref<?x64xf32>) attributes {plan.kernel, plan.collapsed} {
    // expected-error @below {{expected workgroup_size to be a multiple of the subgroup's 32 lanes and at most 1024, but got 48}}
    row.kernel ins(%x : memref<?x64xf32>) outs(%y : memref<?x64xf32>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 48, lanes_per_row = 8>} {
    ^bb0(%in: memref<?x64xf32>, %out: memref<?x64xf32>):
      %t = row.load %in : memref<?x64xf32> -> !row.tile<f32>
      row.store %t, %out : !row.tile<f32>, memref<?x64xf32>
    }
    return
  }
}

// -----

module attributes {norm.target = #norm.target<"cuda:sm_90">} {
  func.func private @k(%x: memref<?x64xf32>, %y: memref<?x64xf32>) attributes {plan.kernel, plan.collapsed} {
    // expected-error @below {{expected rows_per_tile to be a multiple of the 8 rows that the workgroup works on side by side, but got 12}}
    row.kernel ins(%x : memref<?x64xf32>) outs(%y : memref<?x64xf32>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 64, lanes_per_row = 8, rows_per_tile = 12>} {
    ^bb0(%in: memref<?x64xf32>, %out: memref<?x64xf32>):
      %t = row.load %in : memref<?x64xf32> -> !row.tile<f32>
      row.store %t, %out : !row.tile<f32>, memref<?x64xf32>
    }
    return
  }
}

// -----

module attributes {norm.target = #norm.target<"cuda:sm_80">} {
  func.func private @k(%x: memref<?x512xf32>, %y: memref<?x512xf32>) attributes {plan.kernel, plan.collapsed} {
    // expected-error @below {{expected cluster_cols from 1 to the target's 1, but got cluster_cols 2}}
    row.kernel ins(%x : memref<?x512xf32>) outs(%y : memref<?x512xf32>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 32, lanes_per_row = 32, cluster_cols = 2, residency = registers>} {
    ^bb0(%in: memref<?x512xf32>, %out: memref<?x512xf32>):
      %t = row.load %in : memref<?x512xf32> -> !row.tile<f32>
      row.store %t, %out : !row.tile<f32>, memref<?x512xf32>
    }
    return
  }
}

// -----

// What goes through workgroup memory is held to the rules of the decisions.
module attributes {norm.target = #norm.target<"cuda:sm_90">} {
  func.func private @k(%x: memref<?x512xf32>, %y: memref<?x512xf32>) attributes {plan.kernel, plan.collapsed, plan.aligned} {
    // expected-error @below {{expected skew to be 0, because rows are summed once and then ended only in kernels of two phases, but got 1 phases}}
    row.kernel ins(%x : memref<?x512xf32>) outs(%y : memref<?x512xf32>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 64, lanes_per_row = 64, vector_elems = 4, loop = persistent, staging = async, stages = 2, residency = shared, skew = 1>} {
    ^bb0(%in: memref<?x512xf32>, %out: memref<?x512xf32>):
      %t = row.load %in : memref<?x512xf32> -> !row.tile<f32>
      row.store %t, %out : !row.tile<f32>, memref<?x512xf32>
    }
    return
  }
}

// -----

module attributes {norm.target = #norm.target<"cuda:sm_120">} {
  func.func private @k(%x: memref<?x8192xf32>, %y: memref<?x8192xf32>) attributes {plan.kernel, plan.collapsed, plan.aligned} {
    // expected-error @below {{expected at most 101376 bytes of workgroup memory, because that is the limit of cuda:sm_120, but got 131200}}
    row.kernel ins(%x : memref<?x8192xf32>) outs(%y : memref<?x8192xf32>) norm_dims = 1
        attributes {tiling = #row.tiling<workgroup_size = 512, lanes_per_row = 512, vector_elems = 4, loop = persistent, staging = async, stages = 2, store = own_stage, residency = registers>} {
    ^bb0(%in: memref<?x8192xf32>, %out: memref<?x8192xf32>):
      %t = row.load %in : memref<?x8192xf32> -> !row.tile<f32>
      row.store %t, %out : !row.tile<f32>, memref<?x8192xf32>
    }
    return
  }
}
