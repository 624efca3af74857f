// exp(-c |x|) is computed in units of |x| where c is a power of two that is not extreme:
// the polynomial's coefficients hold powers of c. Every c must give right numbers.
//
// RUN: sed s/SCALE/-2.0/ %s > %t.mlir
// RUN: norm-run %t.mlir exp --check --in x=uniform:1:3x37 | FileCheck %s
// RUN: sed s/SCALE/-65536.0/ %s > %t.mlir
// RUN: norm-run %t.mlir exp --check --in x=const:1e-5:3x37 | FileCheck %s
// RUN: sed s/SCALE/-16777216.0/ %s > %t.mlir
// RUN: norm-run %t.mlir exp --check --in x=const:4e-8:3x37 | FileCheck %s
// RUN: sed s/SCALE/0xF1800000/ %s > %t.mlir
// RUN: norm-run %t.mlir exp --check --in x=const:5e-31:3x37 | FileCheck %s
// RUN: sed s/SCALE/-1.52587890625e-05/ %s > %t.mlir
// RUN: norm-run %t.mlir exp --check --in x=const:4e4:3x37 | FileCheck %s
// RUN: sed s/SCALE/0x8D800000/ %s > %t.mlir
// RUN: norm-run %t.mlir exp --check --in x=const:9e29:3x37 | FileCheck %s
// REQUIRES: tool-norm-run
// CHECK: y {{.*}} ok

func.func @exp(%x: memref<?x?xf32> {norm.name = "x"},
               %y: memref<?x?xf32> {norm.name = "y"}) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x?xf32>, %out: memref<?x?xf32>):
    %t = row.load %in : memref<?x?xf32> -> !row.tile<f32>
    %e = row.map ins(%t : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%element: f32):
      %c = arith.constant SCALE : f32
      %abs = math.absf %element : f32
      %scaled = arith.mulf %abs, %c : f32
      %r = math.exp %scaled : f32
      row.yield %r : f32
    }
    row.store %e, %out : !row.tile<f32>, memref<?x?xf32>
  }
  return
}
