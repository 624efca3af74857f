// Copies that norm-elide-result-copies must leave: the out-parameter has another use,
// the buffer changes after the copy, the source is no allocation, the sizes of a
// dynamic view are not known.
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-elide-result-copies))' \
// RUN:   --split-input-file | FileCheck %s

// CHECK-LABEL: func @elided
// CHECK-NOT: memref.copy
func.func @elided(%x: memref<4x8xf32>, %out: memref<32xf32>) {
  %a = memref.alloc() : memref<4x8xf32>
  norm.rms_norm x(%x : memref<4x8xf32>) outs y(%a : memref<4x8xf32>) epsilon = 1.0e-5
  %v = memref.collapse_shape %a [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  memref.copy %v, %out : memref<32xf32> to memref<32xf32>
  return
}

// -----

// CHECK-LABEL: func @second_use
// CHECK: memref.copy
func.func @second_use(%x: memref<4x8xf32>, %out: memref<32xf32>, %o: memref<32xf32>) {
  %a = memref.alloc() : memref<4x8xf32>
  norm.rms_norm x(%out : memref<32xf32>) outs y(%o : memref<32xf32>) epsilon = 1.0e-5
  norm.rms_norm x(%x : memref<4x8xf32>) outs y(%a : memref<4x8xf32>) epsilon = 1.0e-5
  %v = memref.collapse_shape %a [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  memref.copy %v, %out : memref<32xf32> to memref<32xf32>
  return
}

// -----

// CHECK-LABEL: func @changes_later
// CHECK: memref.copy
func.func @changes_later(%x: memref<4x8xf32>, %out: memref<32xf32>) {
  %a = memref.alloc() : memref<4x8xf32>
  %v = memref.collapse_shape %a [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  memref.copy %v, %out : memref<32xf32> to memref<32xf32>
  norm.rms_norm x(%x : memref<4x8xf32>) outs y(%a : memref<4x8xf32>) epsilon = 1.0e-5
  return
}

// -----

// CHECK-LABEL: func @argument_source
// CHECK: memref.copy
func.func @argument_source(%a: memref<4x8xf32>, %out: memref<32xf32>) {
  %v = memref.collapse_shape %a [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  memref.copy %v, %out : memref<32xf32> to memref<32xf32>
  return
}

// -----

// Only the outer one of two collapses is of the allocation's shape.
// CHECK-LABEL: func @unknown_sizes
// CHECK-NOT: memref.expand_shape
// CHECK: memref.copy
func.func @unknown_sizes(%n: index, %out: memref<?xf32>) {
  %a = memref.alloc(%n) : memref<?x4x8xf32>
  %v = memref.collapse_shape %a [[0, 1], [2]] : memref<?x4x8xf32> into memref<?x8xf32>
  %w = memref.collapse_shape %v [[0, 1]] : memref<?x8xf32> into memref<?xf32>
  memref.copy %w, %out : memref<?xf32> to memref<?xf32>
  return
}

// -----

// A size that is not collapsed with others is that of the out-parameter.
// CHECK-LABEL: func @own_sizes
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<?x12xf32>
// CHECK: %[[N:.*]] = memref.dim %[[OUT]]
// CHECK: memref.expand_shape %[[OUT]] {{.*}} output_shape [%[[N]], 3, 4]
// CHECK-NOT: memref.copy
func.func @own_sizes(%n: index, %rows: index, %out: memref<?x12xf32>) {
  %a = memref.alloc(%rows) : memref<?x4xf32>
  %v = memref.expand_shape %a [[0, 1], [2]] output_shape [%n, 3, 4]
      : memref<?x4xf32> into memref<?x3x4xf32>
  %w = memref.collapse_shape %v [[0], [1, 2]]
      : memref<?x3x4xf32> into memref<?x12xf32>
  memref.copy %w, %out : memref<?x12xf32> to memref<?x12xf32>
  return
}

// -----

// A plain copy of an allocation is not this pass's.
// CHECK-LABEL: func @no_view
// CHECK: memref.copy
func.func @no_view(%out: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %out : memref<8xf32> to memref<8xf32>
  return
}
