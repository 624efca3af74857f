// Every strategy for the sums down the columns, asked for by attribute, on the same
// program: its numbers are right, and its sums round once to their type.
//
// RUN: sed -e 's/STRATEGY/partials/' %s > %t.partials.mlir
// RUN: norm-run %t.partials.mlir --check --in x=normal:0:300x100 | FileCheck %s
// RUN: normc explain %t.partials.mlir | FileCheck %s --check-prefix=PARTIALS
// RUN: sed -e 's/STRATEGY/fission/' %s > %t.fission.mlir
// RUN: norm-run %t.fission.mlir --check --in x=normal:0:300x100 | FileCheck %s
// RUN: normc explain %t.fission.mlir | FileCheck %s --check-prefix=FISSION
// RUN: sed -e 's/STRATEGY/direct/' %s > %t.direct.mlir
// RUN: norm-run %t.direct.mlir --check --in x=normal:0:300x100 | FileCheck %s
// RUN: normc explain %t.direct.mlir | FileCheck %s --check-prefix=DIRECT

// CHECK: y {{ *}}f32[300x100] {{.*}} ok
// CHECK-NEXT: sum {{ *}}bf16[100] {{.*}} ok

// PARTIALS: twice{{[^ ]*}} {{ *}}partials
// PARTIALS-NEXT: twice_finalize
// FISSION: twice{{[^ ]*}} {{ *}}rows
// FISSION-NEXT: twice{{[^ ]*}} {{ *}}{{partials|direct}}
// DIRECT: twice{{[^ ]*}} {{ *}}direct {{ *}}1
// DIRECT-NOT: finalize

func.func @twice(%x: memref<300x100xf32> {norm.name = "x"},
                 %y: memref<300x100xf32> {norm.name = "y"},
                 %sum: memref<100xbf16> {norm.name = "sum"}) {
  row.kernel ins(%x : memref<300x100xf32>)
      outs(%y, %sum : memref<300x100xf32>, memref<100xbf16>) norm_dims = 1
      attributes {kernel_name = "twice", strategy = #row.strategy<STRATEGY>} {
  ^bb0(%in: memref<300x100xf32>, %out: memref<300x100xf32>, %total: memref<100xbf16>):
    %t = row.load %in : memref<300x100xf32> -> !row.tile<f32>
    %d = row.map ins(%t : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%e: f32):
      %r = arith.addf %e, %e : f32
      row.yield %r : f32
    }
    row.store %d, %out : !row.tile<f32>, memref<300x100xf32>
    row.accumulate %t, %total to cols : !row.tile<f32>, memref<100xbf16>
  }
  return
}
