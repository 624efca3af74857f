// RUN: norm-opt %s -cse -canonicalize | FileCheck %s

// A static size is a constant, which goes into the map; what is left of 1/cols is a
// constant in the map that multiplies with it.
// CHECK-LABEL: func @static_cols
func.func @static_cols(%x: memref<?x4xf32>, %y: memref<?x4xf32>) {
  row.kernel ins(%x : memref<?x4xf32>) outs(%y : memref<?x4xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x4xf32>, %by: memref<?x4xf32>):
    // CHECK-NOT: row.dim
    %n = row.dim cols : f32
    // CHECK: row.load
    %0 = row.load %bx : memref<?x4xf32> -> !row.tile<f32>
    %1 = row.map ins(%n : f32) -> f32 {
    ^bb0(%a: f32):
      %c = arith.constant 1.0 : f32
      %2 = arith.divf %c, %a : f32
      row.yield %2 : f32
    }
    // CHECK-NEXT: row.map ins(%{{.*}} : !row.tile<f32>)
    // CHECK-NEXT: ^bb0(%[[E:.*]]: f32)
    // CHECK-NEXT: %[[C:.*]] = arith.constant 2.500000e-01 : f32
    // CHECK-NEXT: arith.mulf %[[E]], %[[C]]
    %3 = row.map ins(%0, %1 : !row.tile<f32>, f32) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %2 = arith.mulf %a, %b : f32
      row.yield %2 : f32
    }
    row.store %3, %by : !row.tile<f32>, memref<?x4xf32>
  }
  return
}

// CHECK-LABEL: func @dynamic_rows
func.func @dynamic_rows(%x: memref<?x4xf32>, %y: memref<?x4xf32>) {
  row.kernel ins(%x : memref<?x4xf32>) outs(%y : memref<?x4xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x4xf32>, %by: memref<?x4xf32>):
    // CHECK: row.dim rows : f32
    %n = row.dim rows : f32
    %0 = row.load %bx : memref<?x4xf32> -> !row.tile<f32>
    %3 = row.map ins(%0, %n : !row.tile<f32>, f32) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %2 = arith.mulf %a, %b : f32
      row.yield %2 : f32
    }
    row.store %3, %by : !row.tile<f32>, memref<?x4xf32>
  }
  return
}

// Rounding to the type a value has is nothing, rounding twice is rounding once, and one
// rounding stays.
// CHECK-LABEL: func @round
func.func @round(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %z: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y, %z : memref<?x?xf32>, memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>, %bz: memref<?x?xf32>):
    // CHECK: %[[X:.*]] = row.load
    // CHECK-NEXT: %[[R:.*]] = row.round %[[X]] to bf16
    // CHECK-NEXT: row.store %[[X]]
    // CHECK-NEXT: row.store %[[R]]
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    %1 = row.round %0 to f32 : !row.tile<f32>
    %2 = row.round %1 to bf16 : !row.tile<f32>
    %3 = row.round %2 to bf16 : !row.tile<f32>
    row.store %1, %by : !row.tile<f32>, memref<?x?xf32>
    row.store %3, %bz : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// The unused input and the second mention go, and then the load and the kernel's input.
// CHECK-LABEL: func @inputs
// CHECK-SAME: (%[[X:.*]]: memref<?x?xf32>, %[[U:.*]]: memref<?x?xf32>, %[[Y:.*]]: memref<?x?xf32>)
func.func @inputs(%x: memref<?x?xf32>, %u: memref<?x?xf32>, %y: memref<?x?xf32>) {
  // CHECK: row.kernel ins(%[[X]] : memref<?x?xf32>) outs(%[[Y]] : memref<?x?xf32>)
  row.kernel ins(%u, %x : memref<?x?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bu: memref<?x?xf32>, %bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    // CHECK-NEXT: ^bb0
    // CHECK-NEXT: %[[T:.*]] = row.load
    // CHECK-NEXT: row.map ins(%[[T]] : !row.tile<f32>)
    // CHECK-NEXT: ^bb0(%[[E:.*]]: f32)
    // CHECK-NEXT: arith.mulf %[[E]], %[[E]]
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    %1 = row.load %bu : memref<?x?xf32> -> !row.tile<f32>
    %2 = row.map ins(%0, %1, %0 : !row.tile<f32>, !row.tile<f32>, !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %3 = arith.mulf %a, %c : f32
      row.yield %3 : f32
    }
    row.store %2, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// An unused input that gives the result its kind stays; so does a map that broadcasts.
// CHECK-LABEL: func @kinds
func.func @kinds(%x: memref<?x?xf32>, %m: memref<?xf32>, %y: memref<?x?xf32>) {
  row.kernel ins(%x, %m : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %bm: memref<?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    %1 = row.load %bm : memref<?xf32> -> !row.vec<rows, f32>
    // CHECK: row.map ins(%{{.*}}, %{{.*}} : !row.tile<f32>, !row.vec<rows, f32>) -> !row.tile<f32>
    %2 = row.map ins(%0, %1 : !row.tile<f32>, !row.vec<rows, f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      row.yield %b : f32
    }
    row.store %2, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// A map that yields an input of its kind is that input.
// CHECK-LABEL: func @identity
func.func @identity(%x: memref<?x?xf32>, %m: memref<?xf32>, %y: memref<?x?xf32>) {
  // CHECK: row.kernel ins(%{{[^,]*}} : memref<?x?xf32>)
  row.kernel ins(%x, %m : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %bm: memref<?xf32>, %by: memref<?x?xf32>):
    // CHECK: %[[X:.*]] = row.load
    // CHECK-NEXT: row.store %[[X]]
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    %1 = row.load %bm : memref<?xf32> -> !row.vec<rows, f32>
    %2 = row.map ins(%0, %1 : !row.tile<f32>, !row.vec<rows, f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      row.yield %a : f32
    }
    row.store %2, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// What nothing stores is not computed; a second load of one buffer is the first.
// CHECK-LABEL: func @dead
func.func @dead(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    // CHECK-NOT: row.moments
    // CHECK-NOT: row.reduce
    // CHECK: %[[X:.*]] = row.load
    // CHECK-NEXT: row.map ins(%[[X]] : !row.tile<f32>)
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    %1 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    %mean, %m2 = row.moments %0 : !row.tile<f32> -> !row.vec<rows, f32>, !row.vec<rows, f32>
    %sum = row.reduce ins(%0 : !row.tile<f32>) identities = [0.0 : f32] -> !row.vec<rows, f32> {
    ^bb0(%a: f32, %b: f32):
      %3 = arith.addf %a, %b : f32
      row.yield %3 : f32
    }
    %2 = row.map ins(%0, %1 : !row.tile<f32>, !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %3 = arith.mulf %a, %b : f32
      row.yield %3 : f32
    }
    row.store %2, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}
