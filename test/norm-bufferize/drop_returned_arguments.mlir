// RUN: norm-opt %s --norm-drop-returned-arguments --split-input-file | FileCheck %s

// Results that are arguments go, through casts; the others keep their order.
// CHECK-LABEL: func @some(
// CHECK-SAME: memref<8xf32> {norm.name = "dropped", norm.out}, %[[B:[^ :]+]]: memref<8xf32>)
// CHECK-SAME: -> (memref<4xf32> {norm.name = "kept"}) {
func.func @some(%a: memref<8xf32>, %b: memref<8xf32>)
    -> (memref<?xf32> {norm.name = "dropped"}, memref<4xf32> {norm.name = "kept"}) {
  // CHECK: return %{{[^ ]+}} : memref<4xf32>
  %c = memref.cast %a : memref<8xf32> to memref<?xf32>
  %d = memref.alloc() : memref<4xf32>
  return %c, %d : memref<?xf32>, memref<4xf32>
}

// -----

// A name that was given stays: the argument's, or else the result's.
// CHECK-LABEL: func @names(
// CHECK-SAME: {norm.name = "a", norm.out}, %{{[^ ]+}}: memref<8xf32> {norm.name = "y", norm.out}
// CHECK-SAME: {norm.name = "arg2", norm.out}) {
func.func @names(%a: memref<8xf32> {norm.name = "a"}, %b: memref<8xf32> {norm.name = "arg1"},
                 %c: memref<8xf32> {norm.name = "arg2"})
    -> (memref<8xf32> {norm.name = "x"}, memref<8xf32> {norm.name = "y"},
        memref<8xf32> {norm.name = "res2"}) {
  return %a, %b, %c : memref<8xf32>, memref<8xf32>, memref<8xf32>
}

// -----

// A function that is called stays, as do a caller's results that are no arguments.
// CHECK-LABEL: func @called(
// CHECK-SAME: -> memref<8xf32>
func.func @called(%a: memref<8xf32>) -> memref<8xf32> {
  return %a : memref<8xf32>
}
// CHECK-LABEL: func @caller(
// CHECK-SAME: -> memref<8xf32>
func.func @caller(%a: memref<8xf32>) -> memref<8xf32> {
  %b = call @called(%a) : (memref<8xf32>) -> memref<8xf32>
  return %b : memref<8xf32>
}

// -----

// CHECK-LABEL: func @scalars(
// CHECK-SAME: -> f32
func.func @scalars(%a: f32) -> f32 {
  return %a : f32
}

// -----

// CHECK-LABEL: func private @external(memref<8xf32>) -> memref<8xf32>
func.func private @external(%a: memref<8xf32>) -> memref<8xf32>
