// A sum along the columns in a loop: R rows side by side, U accumulators each, lanes added
// in a tree at the end; what does not fill a step is masked.
// RUN: norm-opt %s --convert-row-to-host | FileCheck %s --enable-var-scope

// CHECK-LABEL: llvm.func @sum_static(
// CHECK-SAME: %[[ARGS:.*]]: !llvm.ptr, %[[WORKGROUP:.*]]: i64)
// The block of rows: 64 of them, and no row past the last one.
// CHECK: arith.muli %[[WORKGROUP]], %{{.*}} : i64
// CHECK: arith.minsi
// Two rows a tile, two accumulators a row: four running vectors.
// CHECK: scf.for
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-4: llvm.load {{.*}} -> vector<8xf32>
// CHECK: scf.yield
// 37 = 2 * 16 + 5: one cut vector for each row, its mask a constant.
// CHECK-COUNT-2: llvm.intr.masked.load
// CHECK: arith.select
// CHECK: vector.shuffle
// The rows that do not fill a tile, one by one.
// CHECK: scf.for
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>)
func.func private @sum_static(%x: memref<?x37xf32>, %s: memref<?xf32>)
    attributes {plan.kernel, plan.collapsed} {
  row.kernel ins(%x : memref<?x37xf32>) outs(%s : memref<?xf32>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 8, lanes_per_row = 8, rows_per_tile = 2,
          rows_per_workgroup = 64, vector_elems = 8, vectors_in_flight = 2, loop = persistent>} {
  ^bb0(%in: memref<?x37xf32>, %out: memref<?xf32>):
    %t = row.load %in : memref<?x37xf32> -> !row.tile<f32>
    %r = row.reduce ins(%t : !row.tile<f32>) identities = [0.0 : f32] -> !row.vec<rows, f32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      row.yield %c : f32
    }
    row.store %r, %out : !row.vec<rows, f32>, memref<?xf32>
  }
  return
}

// With dynamic columns the last step is a loop over its vectors, one masked vector for
// each row: those past the last column are left out, and the running vectors change places
// so that each gets those that it would get in a whole step.
// CHECK-LABEL: llvm.func @sum_dynamic(
// CHECK: scf.for
// CHECK: arith.divui
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-NOT: masked
// CHECK: scf.for {{.*}} iter_args(%[[A0:.*]] = %{{.*}}, %[[A1:.*]] = %{{.*}}, %[[B0:.*]] = %{{.*}}, %[[B1:.*]] = %{{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt
// CHECK: %[[NEW:.*]]:4 = scf.if %[[INSIDE]]
// CHECK-COUNT-2: llvm.intr.masked.load
// CHECK-NOT: masked
// CHECK: scf.yield %{{.*}}, %[[A1]], %{{.*}}, %[[B1]]
// CHECK: scf.yield %[[A0]], %[[A1]], %[[B0]], %[[B1]]
// CHECK: scf.yield %[[NEW]]#1, %[[NEW]]#0, %[[NEW]]#3, %[[NEW]]#2
func.func private @sum_dynamic(%x: memref<?x?xbf16>, %s: memref<?xf32>)
    attributes {plan.kernel, plan.collapsed} {
  row.kernel ins(%x : memref<?x?xbf16>) outs(%s : memref<?xf32>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 8, lanes_per_row = 8, rows_per_tile = 2,
          vector_elems = 8, vectors_in_flight = 2, rows_per_workgroup = 4, loop = persistent>} {
  ^bb0(%in: memref<?x?xbf16>, %out: memref<?xf32>):
    %t = row.load %in : memref<?x?xbf16> -> !row.tile<f32>
    %r = row.reduce ins(%t : !row.tile<f32>) identities = [0.0 : f32] -> !row.vec<rows, f32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      row.yield %c : f32
    }
    row.store %r, %out : !row.vec<rows, f32>, memref<?xf32>
  }
  return
}
