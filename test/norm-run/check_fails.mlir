// What --check is for: this program breaks the rule that combining two identities gives
// the identity (1 + 1 is not 1), so that a kernel's empty lanes count and the reference
// knows better. The table says so, the outputs are written all the same, and the exit
// code is 1.
//
// RUN: not norm-run %s --check --in x=const:1:4x100 --out sum=%t.npy | FileCheck %s
// RUN: not norm-run %s --check --json --in x=const:1:4x100 \
// RUN:   | FileCheck %s --check-prefix=JSON
// RUN: norm-run %s --in x=const:1:4x100 --out sum=%t.npy

// CHECK: sum {{ *}}f32[4] {{.*}} FAIL {{ *}}4 of 4 elements, the worst is
// JSON: "failures": 4
// JSON: "pass": false

func.func @row_sums(%x: memref<?x100xf32> {norm.name = "x"},
                    %sum: memref<?xf32> {norm.name = "sum"}) {
  row.kernel ins(%x : memref<?x100xf32>) outs(%sum : memref<?xf32>) norm_dims = 1
      attributes {kernel_name = "row_sums"} {
  ^bb0(%in: memref<?x100xf32>, %out: memref<?xf32>):
    %t = row.load %in : memref<?x100xf32> -> !row.tile<f32>
    %s = row.reduce ins(%t : !row.tile<f32>) identities = [1.0 : f32]
        -> !row.vec<rows, f32> {
    ^bb0(%a: f32, %b: f32):
      %r = arith.addf %a, %b : f32
      row.yield %r : f32
    }
    row.store %s, %out : !row.vec<rows, f32>, memref<?xf32>
  }
  return
}
