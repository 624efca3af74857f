// RUN: norm-opt %s -row-select-tiling -remarks-filter=row-tiling -verify-diagnostics

module attributes {norm.target = #norm.target<"host:x86-64-v4">} {
func.func @copy(%x: memref<512x128xf32>, %y: memref<512x128xf32>) {
  // expected-remark@+1 {{tiling | Category:row-tiling | Function=copy | Bound="bound by memory, a row is 4.8 ns of a core's instructions and 160.0 ns of its share of the memory's bandwidth; rows_per_tile 2: 32 vector registers", Tiling="#row.tiling<workgroup_size = 16, lanes_per_row = 16, rows_per_tile = 2, rows_per_workgroup = 8, vector_elems = 16, vectors_in_flight = 2, loop = persistent, residency = registers>", Workgroups=64}}
  row.kernel ins(%x : memref<512x128xf32>) outs(%y : memref<512x128xf32>) norm_dims = 1
      attributes {kernel_name = "copy"} {
  ^bb0(%in: memref<512x128xf32>, %out: memref<512x128xf32>):
    %0 = row.load %in : memref<512x128xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<512x128xf32>
  }
  return
}

// Nothing is said of a tiling that is there.
func.func @mine(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  row.kernel ins(%x : memref<?x64xf32>) outs(%y : memref<?x64xf32>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 4, lanes_per_row = 4, rows_per_workgroup = 7, vector_elems = 4, loop = persistent>} {
  ^bb0(%in: memref<?x64xf32>, %out: memref<?x64xf32>):
    %0 = row.load %in : memref<?x64xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x64xf32>
  }
  return
}
}
