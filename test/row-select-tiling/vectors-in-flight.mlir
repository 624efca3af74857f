// vectors_in_flight is the host's number of accumulators of a row; on a GPU there is one,
// whatever becomes of the row between phases.

// RUN: norm-opt --split-input-file --verify-diagnostics --norm-attach-target=target=cuda:sm_90 \
// RUN:   --row-select-tiling %s
// RUN: norm-opt --split-input-file --verify-diagnostics --norm-attach-target=target=spirv:pvc \
// RUN:   --row-select-tiling %s

func.func @registers(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error@+1 {{expected vectors_in_flight to be 1, because a lane adds the accesses of a row in one chain, but got 2}}
  row.kernel ins(%x : memref<?x64xf32>) outs(%y : memref<?x64xf32>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 64, lanes_per_row = 8,
                  rows_per_tile = 8, vector_elems = 4, vectors_in_flight = 2,
                  residency = registers>} {
  ^bb0(%in: memref<?x64xf32>, %out: memref<?x64xf32>):
    %0 = row.load %in : memref<?x64xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x64xf32>
  }
  return
}

// -----

func.func @reload(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  // expected-error@+1 {{expected vectors_in_flight to be 1, because a lane adds the accesses of a row in one chain, but got 4}}
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 64, lanes_per_row = 64,
                  rows_per_tile = 1, vector_elems = 4, vectors_in_flight = 4,
                  residency = reload>} {
  ^bb0(%in: memref<?x?xf32>, %out: memref<?x?xf32>):
    %0 = row.load %in : memref<?x?xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x?xf32>
  }
  return
}
