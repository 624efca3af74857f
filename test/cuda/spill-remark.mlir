// A bound on registers that a kernel does not fit makes ptxas spill: a missed remark at the
// op, with the bytes. The same kernel without the bound spills nothing.

// REQUIRES: tool-normc, ptxas
// RUN: normc compile %s --target=cuda:sm_90 --ptxas=%ptxas --remarks -o %t.nrmk 2>&1 \
// RUN:   | FileCheck %s
// RUN: normc explain %s --target=cuda:sm_90 --ptxas=%ptxas | FileCheck %s --check-prefix=EXPLAIN

// CHECK-DAG: spill-remark.mlir:[[#@LINE+7]]:3: remark: [Missed] spills | Category:nvvm | Function=bound_bf16_n512 | Registers={{[1-9][0-9]*}}, SpillLoadBytes={{[1-9][0-9]*}}, SpillStoreBytes={{[1-9][0-9]*}}
// CHECK-DAG: [Passed] resources | Category:nvvm | Function=free_bf16_n512 | Registers={{[1-9][0-9]*}}, SpillLoadBytes=0, SpillStoreBytes=0

// EXPLAIN-DAG: bound_bf16_n512: 32 registers a lane, {{[1-9][0-9]*}} bytes spilled
// EXPLAIN-DAG: free_bf16_n512: {{[1-9][0-9]*}} registers a lane, 0 bytes spilled
func.func @bound(%x: memref<?x512xbf16>, %y: memref<?x512xbf16>) {
  // 32 workgroups of 64 lanes leave 32 registers for the 64 elements of a lane.
  row.kernel ins(%x : memref<?x512xbf16>) outs(%y : memref<?x512xbf16>) norm_dims = 1
      attributes {kernel_name = "bound", tiling = #row.tiling<workgroup_size = 64,
                  lanes_per_row = 32, rows_per_tile = 8, rows_in_flight = 4,
                  vector_elems = 8, min_workgroups_per_cu = 32, residency = registers>} {
  ^bb0(%in: memref<?x512xbf16>, %out: memref<?x512xbf16>):
    %t = row.load %in : memref<?x512xbf16> -> !row.tile<f32>
    %sum = row.reduce ins(%t : !row.tile<f32>) identities = [0.0 : f32]
        -> !row.vec<rows, f32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      row.yield %s : f32
    }
    %d = row.map ins(%t, %sum : !row.tile<f32>, !row.vec<rows, f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %s: f32):
      %r = arith.subf %a, %s : f32
      row.yield %r : f32
    }
    row.store %d, %out : !row.tile<f32>, memref<?x512xbf16>
  }
  return
}

func.func @free(%x: memref<?x512xbf16>, %y: memref<?x512xbf16>) {
  row.kernel ins(%x : memref<?x512xbf16>) outs(%y : memref<?x512xbf16>) norm_dims = 1
      attributes {kernel_name = "free", tiling = #row.tiling<workgroup_size = 64,
                  lanes_per_row = 32, rows_per_tile = 8, rows_in_flight = 4,
                  vector_elems = 8, residency = registers>} {
  ^bb0(%in: memref<?x512xbf16>, %out: memref<?x512xbf16>):
    %t = row.load %in : memref<?x512xbf16> -> !row.tile<f32>
    %sum = row.reduce ins(%t : !row.tile<f32>) identities = [0.0 : f32]
        -> !row.vec<rows, f32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      row.yield %s : f32
    }
    %d = row.map ins(%t, %sum : !row.tile<f32>, !row.vec<rows, f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %s: f32):
      %r = arith.subf %a, %s : f32
      row.yield %r : f32
    }
    row.store %d, %out : !row.tile<f32>, memref<?x512xbf16>
  }
  return
}
