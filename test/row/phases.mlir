// RUN: norm-opt %s -test-print-phases -verify-diagnostics -o /dev/null
// RUN: norm-opt %s -test-print-kernel-facts 2>&1 -o /dev/null | FileCheck %s

// A backward: the sums down the columns leave phase 0 though phase 1 stores dx; xh is
// computed again, the tiles and the per-row values cross. 11 operations: 6 in phase 0
// (two products, two sums of a row, two down the columns), 5 in phase 1 (xh and four).
// CHECK: rows ?, cols 64, accumulator f32, phases 2, row reductions 2, column sums 2, scalar sums 0, ops 11, special 0{{.*}}, buffers tile:bf16 tile:bf16 rows:f32 tile:bf16:out cols:f32:out cols:f32:out
func.func @backward(%dy: memref<?x64xbf16>, %x: memref<?x64xbf16>, %r: memref<?xf32>,
                    %dx: memref<?x64xbf16>, %dw: memref<64xf32>, %db: memref<64xf32>) {
  // expected-remark@+1 {{2 phases}}
  row.kernel ins(%dy, %x, %r : memref<?x64xbf16>, memref<?x64xbf16>, memref<?xf32>)
      outs(%dx, %dw, %db : memref<?x64xbf16>, memref<64xf32>, memref<64xf32>) norm_dims = 1 {
  ^bb0(%bdy: memref<?x64xbf16>, %bx: memref<?x64xbf16>, %br: memref<?xf32>,
       %bdx: memref<?x64xbf16>, %bdw: memref<64xf32>, %bdb: memref<64xf32>):
    // expected-remark@+2 {{phase 0}}
    // expected-remark@+1 {{result 0 crosses into phase 1}}
    %g = row.load %bdy : memref<?x64xbf16> -> !row.tile<f32>
    // expected-remark@+2 {{phase 0}}
    // expected-remark@+1 {{result 0 crosses into phase 1}}
    %0 = row.load %bx : memref<?x64xbf16> -> !row.tile<f32>
    // expected-remark@+2 {{phase 0}}
    // expected-remark@+1 {{result 0 crosses into phase 1}}
    %rstd = row.load %br : memref<?xf32> -> !row.vec<rows, f32>
    // expected-remark@+2 {{phase 0}}
    // expected-remark@+1 {{computed again in phase 1}}
    %xh = row.map ins(%0, %rstd : !row.tile<f32>, !row.vec<rows, f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %1 = arith.mulf %a, %b : f32
      row.yield %1 : f32
    }
    // expected-remark@+1 {{phase 0}}
    %gxh = row.map ins(%g, %xh : !row.tile<f32>, !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %1 = arith.mulf %a, %b : f32
      row.yield %1 : f32
    }
    // expected-remark@+3 {{phase 0, root}}
    // expected-remark@+2 {{result 0 crosses into phase 1}}
    // expected-remark@+1 {{result 1 crosses into phase 1}}
    %s0, %s1 = row.reduce ins(%g, %gxh : !row.tile<f32>, !row.tile<f32>)
        identities = [0.0 : f32, 0.0 : f32] -> !row.vec<rows, f32>, !row.vec<rows, f32> {
    ^bb0(%a0: f32, %a1: f32, %b0: f32, %b1: f32):
      %1 = arith.addf %a0, %b0 : f32
      %2 = arith.addf %a1, %b1 : f32
      row.yield %1, %2 : f32, f32
    }
    // expected-remark@+1 {{phase 1}}
    %1 = row.map ins(%g, %xh, %rstd, %s0, %s1 : !row.tile<f32>, !row.tile<f32>,
        !row.vec<rows, f32>, !row.vec<rows, f32>, !row.vec<rows, f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32):
      %2 = arith.subf %a, %d : f32
      %3 = arith.negf %b : f32
      %4 = math.fma %3, %e, %2 : f32
      %5 = arith.mulf %c, %4 : f32
      row.yield %5 : f32
    }
    // expected-remark@+1 {{phase 1, root}}
    row.store %1, %bdx : !row.tile<f32>, memref<?x64xbf16>
    // expected-remark@+1 {{phase 0, root}}
    row.accumulate %gxh, %bdw to cols : !row.tile<f32>, memref<64xf32>
    // expected-remark@+1 {{phase 0, root}}
    row.accumulate %g, %bdb to cols : !row.tile<f32>, memref<64xf32>
  }
  return
}

// A chain of two reductions makes three phases. The kept exponential is a root of phase 1
// and crosses; the tile is not needed after it. The scalar is computed where it is read.
// CHECK: rows 8, cols ?, accumulator f64, phases 3, row reductions 1, column sums 0, scalar sums 0, ops 5, special 1{{.*}}, buffers tile:f64 scalar:f32 tile:f64:out
func.func @softmax(%x: memref<8x?xf64>, %a: memref<f32>, %y: memref<8x?xf64>) {
  // expected-remark@+1 {{3 phases}}
  row.kernel ins(%x, %a : memref<8x?xf64>, memref<f32>) outs(%y : memref<8x?xf64>) norm_dims = 1 {
  ^bb0(%bx: memref<8x?xf64>, %ba: memref<f32>, %by: memref<8x?xf64>):
    // expected-remark@+2 {{phase 0}}
    // expected-remark@+1 {{computed again in phase 2}}
    %scale = row.load %ba : memref<f32> -> f64
    // expected-remark@+2 {{phase 0}}
    // expected-remark@+1 {{result 0 crosses into phase 1}}
    %0 = row.load %bx : memref<8x?xf64> -> !row.tile<f64>
    // expected-remark@+2 {{phase 0, root}}
    // expected-remark@+1 {{result 0 crosses into phase 1}}
    %max = row.reduce ins(%0 : !row.tile<f64>) identities = [0xFFF0000000000000 : f64]
        -> !row.vec<rows, f64> {
    ^bb0(%l: f64, %r: f64):
      %1 = arith.maximumf %l, %r : f64
      row.yield %1 : f64
    }
    // expected-remark@+2 {{phase 1, root}}
    // expected-remark@+1 {{result 0 crosses into phase 2}}
    %e = row.map keep ins(%0, %max : !row.tile<f64>, !row.vec<rows, f64>) -> !row.tile<f64> {
    ^bb0(%l: f64, %r: f64):
      %1 = arith.subf %l, %r : f64
      %2 = math.exp %1 : f64
      row.yield %2 : f64
    }
    // expected-remark@+2 {{phase 1, root}}
    // expected-remark@+1 {{result 0 crosses into phase 2}}
    %sum = row.reduce ins(%e : !row.tile<f64>) identities = [0.0 : f64]
        -> !row.vec<rows, f64> {
    ^bb0(%l: f64, %r: f64):
      %1 = arith.addf %l, %r : f64
      row.yield %1 : f64
    }
    // expected-remark@+1 {{phase 2}}
    %factor = row.map ins(%sum, %scale : !row.vec<rows, f64>, f64) -> !row.vec<rows, f64> {
    ^bb0(%s: f64, %c: f64):
      %1 = arith.divf %c, %s : f64
      row.yield %1 : f64
    }
    // expected-remark@+1 {{phase 2}}
    %2 = row.map ins(%e, %factor : !row.tile<f64>, !row.vec<rows, f64>) -> !row.tile<f64> {
    ^bb0(%l: f64, %r: f64):
      %3 = arith.mulf %l, %r : f64
      row.yield %3 : f64
    }
    // expected-remark@+1 {{phase 2, root}}
    row.store %2, %by : !row.tile<f64>, memref<8x?xf64>
  }
  return
}

// Partials of 6 workgroups; f64 ones make an f64 kernel though no value is f64.
// CHECK: rows 6, cols 32, accumulator f64, phases 1, row reductions 0, column sums 1, scalar sums 1, ops 2, special 0{{.*}}, finalize, buffers partials:f64 cols:bf16:out scalar:f32:out
func.func @finalize(%p: memref<6x34xf64>, %w: memref<32xbf16>, %s: memref<1xf32>) {
  // expected-remark@+1 {{1 phases}}
  row.kernel ins(%p : memref<6x34xf64>) outs(%w, %s : memref<32xbf16>, memref<1xf32>) norm_dims = 1 {
  ^bb0(%bp: memref<6x34xf64>, %bw: memref<32xbf16>, %bs: memref<1xf32>):
    // expected-remark@+1 {{phase 0, root}}
    row.finalize %bp, %bw to cols slot 0 of 1 : memref<6x34xf64>, memref<32xbf16>
    // expected-remark@+1 {{phase 0, root}}
    row.finalize %bp, %bs to scalar slot 0 of 1 : memref<6x34xf64>, memref<1xf32>
  }
  return
}
