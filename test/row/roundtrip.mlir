// RUN: norm-opt %s | norm-opt | FileCheck %s
// RUN: norm-opt --mlir-print-op-generic %s | norm-opt | FileCheck %s
// RUN: norm-opt --emit-bytecode %s | norm-opt | FileCheck %s

// CHECK-LABEL: func @every_op
func.func @every_op(%x: memref<?x16xbf16>, %w: memref<16xf32>, %m: memref<?xf32>,
                    %a: memref<f64>, %y: memref<?x16xf16>, %r: memref<?xf32>,
                    %dw: memref<16xf32>, %da: memref<1xf64>) {
  // CHECK: row.kernel ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : memref<?x16xbf16>, memref<16xf32>, memref<?xf32>, memref<f64>)
  // CHECK-SAME: outs(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : memref<?x16xf16>, memref<?xf32>, memref<16xf32>, memref<1xf64>)
  // CHECK-SAME: norm_dims = 1 attributes {kernel_name = "every_op"}
  row.kernel ins(%x, %w, %m, %a : memref<?x16xbf16>, memref<16xf32>, memref<?xf32>, memref<f64>)
      outs(%y, %r, %dw, %da : memref<?x16xf16>, memref<?xf32>, memref<16xf32>, memref<1xf64>)
      norm_dims = 1 attributes {kernel_name = "every_op"} {
  ^bb0(%bx: memref<?x16xbf16>, %bw: memref<16xf32>, %bm: memref<?xf32>, %ba: memref<f64>,
       %by: memref<?x16xf16>, %br: memref<?xf32>, %bdw: memref<16xf32>, %bda: memref<1xf64>):
    // CHECK: row.load %{{.*}} : memref<?x16xbf16> -> !row.tile<f32>
    %t = row.load %bx : memref<?x16xbf16> -> !row.tile<f32>
    // CHECK: row.load %{{.*}} : memref<16xf32> -> !row.vec<cols, f32>
    %c = row.load %bw : memref<16xf32> -> !row.vec<cols, f32>
    // CHECK: row.load %{{.*}} : memref<?xf32> -> !row.vec<rows, f32>
    %v = row.load %bm : memref<?xf32> -> !row.vec<rows, f32>
    // CHECK: row.load %{{.*}} : memref<f64> -> f64
    %s = row.load %ba : memref<f64> -> f64
    // CHECK: row.dim rows : f32
    %n = row.dim rows : f32
    // CHECK: row.dim cols : f64
    %k = row.dim cols : f64
    // CHECK: row.round %{{.*}} to bf16 : !row.tile<f32>
    %h = row.round %t to bf16 : !row.tile<f32>
    // CHECK: row.map keep ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : !row.tile<f32>, !row.vec<cols, f32>, !row.vec<rows, f32>, f64, f32) -> !row.tile<f32>
    %g = row.map keep ins(%h, %c, %v, %s, %n : !row.tile<f32>, !row.vec<cols, f32>,
                          !row.vec<rows, f32>, f64, f32) -> !row.tile<f32> {
    ^bb0(%e0: f32, %e1: f32, %e2: f32, %e3: f64, %e4: f32):
      // CHECK: row.yield %{{.*}} : f32
      %0 = math.fma %e0, %e1, %e2 : f32
      %1 = arith.truncf %e3 : f64 to f32
      %2 = arith.addf %0, %1 : f32
      %3 = arith.mulf %2, %e4 : f32
      row.yield %3 : f32
    }
    // CHECK: row.map -> f64
    %one = row.map -> f64 {
      %0 = arith.constant 1.0 : f64
      row.yield %0 : f64
    }
    // CHECK: row.map ins(%{{.*}} : !row.tile<f32>) -> !row.tile<f64>
    %wide = row.map ins(%g : !row.tile<f32>) -> !row.tile<f64> {
    ^bb0(%e: f32):
      %0 = arith.extf %e : f32 to f64
      row.yield %0 : f64
    }
    // CHECK: row.reduce ins(%{{.*}}, %{{.*}} : !row.tile<f32>, !row.tile<f32>)
    // CHECK-SAME: identities = [0xFF800000 : f32, 0.000000e+00 : f32] -> !row.vec<rows, f32>, !row.vec<rows, f32>
    %max, %sum = row.reduce ins(%t, %g : !row.tile<f32>, !row.tile<f32>)
        identities = [0xFF800000 : f32, 0.0 : f32] -> !row.vec<rows, f32>, !row.vec<rows, f32> {
    ^bb0(%a0: f32, %a1: f32, %b0: f32, %b1: f32):
      %0 = arith.maximumf %a0, %b0 : f32
      %1 = arith.addf %a1, %b1 : f32
      // CHECK: row.yield %{{.*}}, %{{.*}} : f32, f32
      row.yield %0, %1 : f32, f32
    }
    // CHECK: row.moments %{{.*}} : !row.tile<f32> -> !row.vec<rows, f32>, !row.vec<rows, f32>
    %mean, %m2 = row.moments %t : !row.tile<f32> -> !row.vec<rows, f32>, !row.vec<rows, f32>
    // CHECK: row.store %{{.*}}, %{{.*}} : !row.tile<f32>, memref<?x16xf16>
    row.store %g, %by : !row.tile<f32>, memref<?x16xf16>
    // CHECK: row.store %{{.*}}, %{{.*}} : !row.vec<rows, f32>, memref<?xf32>
    row.store %mean, %br : !row.vec<rows, f32>, memref<?xf32>
    // CHECK: row.accumulate %{{.*}}, %{{.*}} to cols : !row.tile<f32>, memref<16xf32>
    row.accumulate %g, %bdw to cols : !row.tile<f32>, memref<16xf32>
    // CHECK: row.accumulate %{{.*}}, %{{.*}} to scalar : !row.tile<f64>, memref<1xf64>
    row.accumulate %wide, %bda to scalar : !row.tile<f64>, memref<1xf64>
  }
  return
}

// CHECK-LABEL: func @split
func.func @split(%x: memref<?x?xf32>, %dw: memref<?xf32>, %ds: memref<f32>) {
  // CHECK: %[[P:.*]] = row.partials : memref<?x?xf32>
  %p = row.partials : memref<?x?xf32>
  row.kernel ins(%x : memref<?x?xf32>) outs(%p : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %bp: memref<?x?xf32>):
    %t = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    // CHECK: row.accumulate %{{.*}}, %{{.*}} to cols slot 0 : !row.tile<f32>, memref<?x?xf32>
    row.accumulate %t, %bp to cols slot 0 : !row.tile<f32>, memref<?x?xf32>
    // CHECK: row.accumulate %{{.*}}, %{{.*}} to scalar slot 0 : !row.tile<f32>, memref<?x?xf32>
    row.accumulate %t, %bp to scalar slot 0 : !row.tile<f32>, memref<?x?xf32>
  }
  row.kernel ins(%p : memref<?x?xf32>) outs(%dw, %ds : memref<?xf32>, memref<f32>) norm_dims = 1 {
  ^bb0(%bp: memref<?x?xf32>, %bdw: memref<?xf32>, %bds: memref<f32>):
    // CHECK: row.finalize %{{.*}}, %{{.*}} to cols slot 0 of 1 : memref<?x?xf32>, memref<?xf32>
    row.finalize %bp, %bdw to cols slot 0 of 1 : memref<?x?xf32>, memref<?xf32>
    // CHECK: row.finalize %{{.*}}, %{{.*}} to scalar slot 0 of 1 : memref<?x?xf32>, memref<f32>
    row.finalize %bp, %bds to scalar slot 0 of 1 : memref<?x?xf32>, memref<f32>
  }
  return
}

// Any rank: two outer and two inner dimensions, and none of either.
// CHECK-LABEL: func @ranks
func.func @ranks(%x: memref<?x3x8x?xf32>, %w: memref<8x?xf32>, %m: memref<?x3xf32>,
                 %y: memref<?x3x8x?xf32>, %s: memref<5xf32>, %t: memref<5xf32>) {
  row.kernel ins(%x, %w, %m : memref<?x3x8x?xf32>, memref<8x?xf32>, memref<?x3xf32>)
      outs(%y : memref<?x3x8x?xf32>) norm_dims = 2 {
  ^bb0(%bx: memref<?x3x8x?xf32>, %bw: memref<8x?xf32>, %bm: memref<?x3xf32>,
       %by: memref<?x3x8x?xf32>):
    %0 = row.load %bx : memref<?x3x8x?xf32> -> !row.tile<f32>
    %1 = row.load %bw : memref<8x?xf32> -> !row.vec<cols, f32>
    %2 = row.load %bm : memref<?x3xf32> -> !row.vec<rows, f32>
    // Per row with per column is a tile.
    // CHECK: row.map ins(%{{.*}}, %{{.*}} : !row.vec<cols, f32>, !row.vec<rows, f32>) -> !row.tile<f32>
    %3 = row.map ins(%1, %2 : !row.vec<cols, f32>, !row.vec<rows, f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %4 = arith.mulf %a, %b : f32
      row.yield %4 : f32
    }
    row.store %3, %by : !row.tile<f32>, memref<?x3x8x?xf32>
  }
  // CHECK: norm_dims = 0
  row.kernel ins(%s : memref<5xf32>) outs(%t : memref<5xf32>) norm_dims = 0 {
  ^bb0(%bs: memref<5xf32>, %bt: memref<5xf32>):
    %0 = row.load %bs : memref<5xf32> -> !row.tile<f32>
    row.store %0, %bt : !row.tile<f32>, memref<5xf32>
  }
  return
}
