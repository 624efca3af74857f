// Tiles of a launch that moves more than 24 MiB go past the caches where their rows are
// whole lines; a fence is behind them.
// RUN: norm-opt %s --convert-row-to-host | FileCheck %s --enable-var-scope

// CHECK-LABEL: llvm.func @whole_lines(
// CHECK: llvm.ptrtoint
// CHECK: arith.constant 63 : i64
// CHECK: arith.cmpi eq
// CHECK: arith.constant 25165824 : i64
// CHECK: arith.cmpi sgt
// CHECK: scf.if
// CHECK: scf.for
// CHECK-COUNT-4: llvm.store {{.*}} {alignment = 32 : i64, nontemporal} : vector<8xf32>
// CHECK-NOT: nontemporal
// CHECK: llvm.fence seq_cst
// CHECK: } else {
// CHECK-COUNT-4: llvm.store {{.*}} {alignment = 4 : i64} : vector<8xf32>
// What does not fill a tile.
// CHECK: scf.for
// CHECK-COUNT-2: llvm.store {{.*}} {alignment = 4 : i64} : vector<8xf32>
// CHECK: llvm.return
func.func private @whole_lines(%x: memref<?x16xf32>, %y: memref<?x16xf32>)
    attributes {plan.kernel, plan.collapsed} {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 8, lanes_per_row = 8, rows_per_tile = 2,
          rows_per_workgroup = 64, vector_elems = 8, loop = persistent,
          residency = registers>} {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %t = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %t, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// 24 columns of f32 are a line and a half.
// CHECK-LABEL: llvm.func @cut_lines(
// CHECK-NOT: nontemporal
// CHECK: llvm.return
func.func private @cut_lines(%x: memref<?x24xf32>, %y: memref<?x24xf32>)
    attributes {plan.kernel, plan.collapsed} {
  row.kernel ins(%x : memref<?x24xf32>) outs(%y : memref<?x24xf32>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 8, lanes_per_row = 8, rows_per_tile = 2,
          rows_per_workgroup = 64, vector_elems = 8, loop = persistent>} {
  ^bb0(%in: memref<?x24xf32>, %out: memref<?x24xf32>):
    %t = row.load %in : memref<?x24xf32> -> !row.tile<f32>
    row.store %t, %out : !row.tile<f32>, memref<?x24xf32>
  }
  return
}

// Eight elements of bf16 are a quarter of a line.
// CHECK-LABEL: llvm.func @quarters(
// CHECK-NOT: nontemporal
// CHECK: llvm.return
func.func private @quarters(%x: memref<?x32xbf16>, %y: memref<?x32xbf16>)
    attributes {plan.kernel, plan.collapsed} {
  row.kernel ins(%x : memref<?x32xbf16>) outs(%y : memref<?x32xbf16>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 8, lanes_per_row = 8, rows_per_tile = 2,
          rows_per_workgroup = 64, vector_elems = 8, loop = persistent>} {
  ^bb0(%in: memref<?x32xbf16>, %out: memref<?x32xbf16>):
    %t = row.load %in : memref<?x32xbf16> -> !row.tile<f32>
    row.store %t, %out : !row.tile<f32>, memref<?x32xbf16>
  }
  return
}
