// RUN: norm-opt %s -norm-attach-target=target=cuda:sm_90 -plan-create-entries \
// RUN:   | FileCheck %s
// RUN: norm-opt %s -norm-attach-target=target=host:x86-64-v3 -plan-create-entries \
// RUN:   | FileCheck %s --check-prefix=HOST

// On a GPU an entry has one more variant, for parameters that are aligned where lanes
// access them by column. The kernels of the others take no copies ahead, nor clusters or
// much of a workgroup's memory.

// CHECK-LABEL: plan.entry @copy symbols = 1
// CHECK: plan.variant guards = [#plan.guard<aligned, param = 0, value = 16>, #plan.guard<aligned, param = 1, value = 16>] collapsed {
// CHECK: plan.variant guards = [] collapsed attributes {norm.target = #norm.target<"cuda:sm_90", portable = true, any_alignment = true>} {
// CHECK-NOT: plan.variant guards
// HOST-LABEL: plan.entry @copy symbols = 1
// HOST: plan.variant guards = [] collapsed {
// HOST-NOT: aligned
func.func @copy(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// Over two outer dimensions there are three.
// CHECK-LABEL: plan.entry @rank3 symbols = 3
// CHECK: plan.variant guards = [#plan.guard<aligned, param = 0, value = 16>, #plan.guard<aligned, param = 1, value = 16>, #plan.guard<collapsible, param = 0, value = 1>, #plan.guard<collapsible, param = 1, value = 1>] collapsed {
// CHECK: plan.variant guards = [#plan.guard<collapsible, param = 0, value = 1>, #plan.guard<collapsible, param = 1, value = 1>] collapsed attributes {norm.target = #norm.target<"cuda:sm_90", portable = true,
// CHECK: plan.variant guards = [] attributes {norm.target
func.func @rank3(%x: memref<?x?x?xbf16>, %y: memref<?x?x?xbf16>) {
  row.kernel ins(%x : memref<?x?x?xbf16>) outs(%y : memref<?x?x?xbf16>) norm_dims = 1 {
  ^bb0(%in: memref<?x?x?xbf16>, %out: memref<?x?x?xbf16>):
    %0 = row.load %in : memref<?x?x?xbf16> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x?x?xbf16>
  }
  return
}

// Rows of 12 bf16 are 24 bytes: without gaps no second row is aligned.
// CHECK-LABEL: plan.entry @cut symbols = 1
// CHECK: plan.variant guards = [] collapsed attributes
// CHECK-NOT: aligned
// CHECK-LABEL: plan.entry @sums
func.func @cut(%x: memref<?x12xbf16>, %y: memref<?x12xbf16>) {
  row.kernel ins(%x : memref<?x12xbf16>) outs(%y : memref<?x12xbf16>) norm_dims = 1 {
  ^bb0(%in: memref<?x12xbf16>, %out: memref<?x12xbf16>):
    %0 = row.load %in : memref<?x12xbf16> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x12xbf16>
  }
  return
}

// A value a row, and the result of a sum, are accessed one by one. Few rows are summed in
// one launch.
// CHECK: plan.variant guards = [#plan.guard<aligned, param = 0, value = 16>, #plan.guard<at_most, value = 512, expr = ()[s0, s1, s2, s3] -> (s0)>] collapsed {
// CHECK: max_rows = 512 : i64, strategy = #row.strategy<direct>
// CHECK: plan.variant guards = [#plan.guard<aligned, param = 0, value = 16>] collapsed {
// CHECK-NOT: max_rows
// CHECK: plan.variant guards = [#plan.guard<at_most, value = 512, expr = ()[s0, s1, s2, s3] -> (s0)>] collapsed attributes {norm.target = #norm.target<"cuda:sm_90", any_alignment = true>} {
// CHECK: max_rows = 512 : i64, strategy = #row.strategy<direct>
// CHECK: plan.variant guards = [] collapsed
// CHECK-NOT: max_rows
func.func @sums(%x: memref<?x16xf32>, %r: memref<?xf32>, %sum: memref<16xf32>) {
  row.kernel ins(%x, %r : memref<?x16xf32>, memref<?xf32>) outs(%sum : memref<16xf32>)
      norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %scale: memref<?xf32>, %out: memref<16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    %1 = row.load %scale : memref<?xf32> -> !row.vec<rows, f32>
    %2 = row.map ins(%0, %1 : !row.tile<f32>, !row.vec<rows, f32>) -> !row.tile<f32> {
    ^bb1(%a: f32, %b: f32):
      %3 = arith.mulf %a, %b : f32
      row.yield %3 : f32
    }
    row.accumulate %2, %out to cols : !row.tile<f32>, memref<16xf32>
  }
  return
}
