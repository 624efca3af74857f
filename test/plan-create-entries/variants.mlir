// RUN: norm-opt %s -plan-create-entries | FileCheck %s

// Two variants where rows walk over two or more outer dimensions of a parameter, one
// where one stride walks over them in any case.

// CHECK-LABEL: plan.entry @rank3 symbols = 2
// CHECK: plan.variant guards = [#plan.guard<collapsible, param = 0, value = 1>, #plan.guard<collapsible, param = 1, value = 1>] collapsed {
// CHECK-NEXT: row.kernel
// CHECK: plan.variant guards = [] {
// CHECK-NEXT: row.kernel
func.func @rank3(%x: memref<?x?x16xf32>, %y: memref<?x?x16xf32>) {
  row.kernel ins(%x : memref<?x?x16xf32>) outs(%y : memref<?x?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x?x16xf32>, %out: memref<?x?x16xf32>):
    %0 = row.load %in : memref<?x?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x?x16xf32>
  }
  return
}

// Two dimensions are normalized: one is left.

// CHECK-LABEL: plan.entry @rank3_norm2 symbols = 1
// CHECK-SAME: contiguous_dims = 2
// CHECK: plan.variant guards = [] collapsed {
// CHECK-NOT: plan.variant
func.func @rank3_norm2(%x: memref<?x8x16xf32>, %y: memref<?x8x16xf32>) {
  row.kernel ins(%x : memref<?x8x16xf32>) outs(%y : memref<?x8x16xf32>) norm_dims = 2 {
  ^bb0(%in: memref<?x8x16xf32>, %out: memref<?x8x16xf32>):
    %0 = row.load %in : memref<?x8x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x8x16xf32>
  }
  return
}

// One row.

// CHECK-LABEL: plan.entry @rank1 symbols = 1
// CHECK-SAME: shape = ()[s0, s1, s2, s3] -> (s0), contiguous_dims = 1
// CHECK: plan.variant guards = [] collapsed {
// CHECK-NOT: plan.variant
func.func @rank1(%x: memref<?xf32>, %y: memref<?xf32>) {
  row.kernel ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?xf32>, %out: memref<?xf32>):
    %0 = row.load %in : memref<?xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?xf32>
  }
  return
}

// A buffer of one value a row walks over the outer dimensions too.

// CHECK-LABEL: plan.entry @rows symbols = 2
// CHECK: plan.variant guards = [#plan.guard<collapsible, param = 0, value = 1>, #plan.guard<collapsible, param = 1, value = 0>] collapsed
func.func @rows(%x: memref<?x?x16xf32>, %r: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?x16xf32>) outs(%r : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x?x16xf32>, %out: memref<?x?xf32>):
    %0 = row.load %in : memref<?x?x16xf32> -> !row.tile<f32>
    %mean, %m2 = row.moments %0 : !row.tile<f32> -> !row.vec<rows, f32>, !row.vec<rows, f32>
    row.store %mean, %out : !row.vec<rows, f32>, memref<?x?xf32>
  }
  return
}

// A parameter that must be contiguous for one kernel needs no guard for another.

// CHECK-LABEL: plan.entry @contiguous symbols = 2
// CHECK-SAME: #plan.param<"arg0", in, f32, shape = ()[s0, s1, s2, s3, s4] -> (s0, s1, 16), contiguous_dims = 3>
// CHECK: plan.variant guards = [#plan.guard<collapsible, param = 1, value = 1>] collapsed
func.func @contiguous(%x: memref<?x?x16xf32>, %y: memref<?x?x16xf32>, %z: memref<?x?x16xf32>) {
  row.kernel ins(%x : memref<?x?x16xf32>) outs(%y : memref<?x?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x?x16xf32>, %out: memref<?x?x16xf32>):
    %0 = row.load %in : memref<?x?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x?x16xf32>
  }
  row.kernel ins(%x : memref<?x?x16xf32>) outs(%z : memref<?x?x16xf32>) norm_dims = 3 {
  ^bb0(%in: memref<?x?x16xf32>, %out: memref<?x?x16xf32>):
    %0 = row.load %in : memref<?x?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x?x16xf32>
  }
  return
}
