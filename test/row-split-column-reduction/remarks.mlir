// RUN: norm-opt %s -row-split-column-reduction -remarks-filter='row-.*' -verify-diagnostics

module attributes {norm.target = #norm.target<"host:x86-64-v4">} {
func.func @static(%x: memref<16384x1024xf32>, %d: memref<1024xf32>) {
  // expected-remark@+3 {{strategy | Category:row-split | Function=bias | Bound="bound by memory, a row is 70.4 ns of a core's instructions and 640.0 ns of its share of the memory's bandwidth; rows_per_tile 1: 4 vectors in flight in 32 vector registers; 83 dependent adds a sum, and at most 160 keep its error below 1e-5", Partials=256, Strategy=partials, WorkspaceBytes=1048576}}
  // expected-remark@+2 {{tiling | Category:row-tiling | Function=bias | Bound="bound by memory}}
  // expected-remark@+1 {{tiling | Category:row-tiling | Function=bias_finalize | Bound="rows_per_tile 32: 256 partials are added in that many chains", Tiling="#row.tiling<workgroup_size = 16, lanes_per_row = 16, col_blocks = 4, rows_per_tile = 32, vector_elems = 16, loop = persistent>", Workgroups=4}}
  row.kernel ins(%x : memref<16384x1024xf32>) outs(%d : memref<1024xf32>) norm_dims = 1
      attributes {kernel_name = "bias"} {
  ^bb0(%in: memref<16384x1024xf32>, %out: memref<1024xf32>):
    %0 = row.load %in : memref<16384x1024xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<1024xf32>
  }
  return
}

func.func @direct(%x: memref<2x24xf32>, %d: memref<24xf32>) {
  // expected-remark@+2 {{; one workgroup holds all 2 rows; 3 dependent adds a sum, and at most 160 keep its error below 1e-5", Strategy=direct}}
  // expected-remark@+1 {{tiling | Category:row-tiling | Function=kernel}}
  row.kernel ins(%x : memref<2x24xf32>) outs(%d : memref<24xf32>) norm_dims = 1 {
  ^bb0(%in: memref<2x24xf32>, %out: memref<24xf32>):
    %0 = row.load %in : memref<2x24xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<24xf32>
  }
  return
}

func.func @dynamic(%x: memref<?x?xf32>, %d: memref<?xf32>) {
  // expected-remark@+3 {{dependent adds a sum of 65536 rows, and at most 160 keep its error below 1e-5", Partials=dynamic, Strategy=partials, WorkspaceBytes=dynamic}}
  // expected-remark@+2 {{Workgroups=dynamic}}
  // expected-remark@+1 {{a dynamic number of partials are added in that many chains}}
  row.kernel ins(%x : memref<?x?xf32>) outs(%d : memref<?xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x?xf32>, %out: memref<?xf32>):
    %0 = row.load %in : memref<?x?xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<?xf32>
  }
  return
}
}
