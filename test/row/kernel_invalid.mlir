// RUN: norm-opt %s -split-input-file -verify-diagnostics

// One test a constraint, named after it.

// row_kernel_c1: one argument too many
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  // expected-error@+1 {{expected one region argument of the same type an operand, because the program reaches its buffers through them (row_kernel_c1)}}
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>, %more: memref<f32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    row.store %0, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_kernel_c1: another type
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf16>) {
  // expected-error@+1 {{expected one region argument of the same type an operand}}
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf16>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    row.store %0, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_kernel_c2: inner dimensions
func.func @f(%x: memref<?x4xf32>, %w: memref<5xf32>, %y: memref<?x4xf32>) {
  // expected-error@+1 {{expected all buffers to agree on the inner dimensions, but got 'memref<?x4xf32>' and 'memref<5xf32>' with norm_dims = 1 (row_kernel_c2)}}
  row.kernel ins(%x, %w : memref<?x4xf32>, memref<5xf32>) outs(%y : memref<?x4xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x4xf32>, %bw: memref<5xf32>, %by: memref<?x4xf32>):
    %0 = row.load %bx : memref<?x4xf32> -> !row.tile<f32>
    %1 = row.load %bw : memref<5xf32> -> !row.vec<cols, f32>
    %2 = row.map ins(%0, %1 : !row.tile<f32>, !row.vec<cols, f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %3 = arith.mulf %a, %b : f32
      row.yield %3 : f32
    }
    row.store %2, %by : !row.tile<f32>, memref<?x4xf32>
  }
  return
}

// -----

// row_kernel_c2: outer dimensions
func.func @f(%x: memref<3x?xf32>, %y: memref<4x?xf32>) {
  // expected-error@+1 {{expected all buffers to agree on the outer dimensions, but got 'memref<3x?xf32>' and 'memref<4x?xf32>' with norm_dims = 1 (row_kernel_c2)}}
  row.kernel ins(%x : memref<3x?xf32>) outs(%y : memref<4x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<3x?xf32>, %by: memref<4x?xf32>):
    %0 = row.load %bx : memref<3x?xf32> -> !row.tile<f32>
    row.store %0, %by : !row.tile<f32>, memref<4x?xf32>
  }
  return
}

// -----

// row_kernel_c2: ranks
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?x?xf32>) {
  // expected-error@+1 {{expected all buffers to agree on the outer dimensions}}
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    row.store %0, %by : !row.tile<f32>, memref<?x?x?xf32>
  }
  return
}

// -----

// row_kernel_c2: a scalar of two elements
func.func @f(%x: memref<?x?xf32>, %alpha: memref<2xf32>, %y: memref<?x?xf32>) {
  // expected-error@+1 {{expected a scalar to have one element, but got 'memref<2xf32>' (row_kernel_c2)}}
  row.kernel ins(%x, %alpha : memref<?x?xf32>, memref<2xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %balpha: memref<2xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    %1 = row.load %balpha : memref<2xf32> -> f32
    %2 = row.map ins(%0, %1 : !row.tile<f32>, f32) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %3 = arith.mulf %a, %b : f32
      row.yield %3 : f32
    }
    row.store %2, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_kernel_c3
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    // expected-error@+1 {{expected region argument 0 to be used with one extent, but it is a tile here and per column elsewhere (row_kernel_c3)}}
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    %1 = row.load %bx : memref<?x?xf32> -> !row.vec<cols, f32>
    row.store %0, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_kernel_c4: an output that nothing writes
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  // expected-error@+1 {{expected every output to be written, but got no write of region argument 1 (row_kernel_c4)}}
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
  }
  return
}

// -----

// row_kernel_c4: written twice
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  // expected-error@+1 {{expected each output to be written once, but got 2 writes of region argument 1 (row_kernel_c4)}}
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    row.store %0, %by : !row.tile<f32>, memref<?x?xf32>
    row.store %0, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_kernel_c4: an output that is read
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    row.store %0, %by : !row.tile<f32>, memref<?x?xf32>
    // expected-error@+1 {{expected outputs to be written only, because what they hold before the kernel is not defined, but region argument 1 is read (row_kernel_c4)}}
    %1 = row.load %by : memref<?x?xf32> -> !row.tile<f32>
  }
  return
}

// -----

// row_kernel_c4: a gap in the slots
func.func @f(%x: memref<?x?xf32>, %p: memref<?x?xf32>) {
  // expected-error@+1 {{expected the slots of kind cols to be 0 to 1, each once, because a partial has one segment a slot, but got 2 (row_kernel_c4)}}
  row.kernel ins(%x : memref<?x?xf32>) outs(%p : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %bp: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    row.accumulate %0, %bp to cols slot 0 : !row.tile<f32>, memref<?x?xf32>
    row.accumulate %0, %bp to cols slot 2 : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_kernel_c4: a slot twice
func.func @f(%x: memref<?x?xf32>, %p: memref<?x?xf32>) {
  // expected-error@+1 {{expected the slots of kind scalar to be 0 to 1, each once, because a partial has one segment a slot, but got 0 (row_kernel_c4)}}
  row.kernel ins(%x : memref<?x?xf32>) outs(%p : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %bp: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    row.accumulate %0, %bp to scalar slot 0 : !row.tile<f32>, memref<?x?xf32>
    row.accumulate %0, %bp to scalar slot 0 : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_kernel_c5: more than the rank
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  // expected-error@+1 {{expected norm_dims of at most the rank of every tile, but got 3 for 'memref<?x?xf32>' (row_kernel_c5)}}
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 3 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    row.store %0, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_kernel_c5: negative
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  // expected-error@+1 {{expected norm_dims of at least 0, but got -1 (row_kernel_c5)}}
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = -1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    row.store %0, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_kernel_c6: a stride between columns
func.func @f(%x: memref<?x4xf32, strided<[?, 2]>>, %y: memref<?x?xf32>) {
  // expected-error@+1 {{expected the columns of a buffer to be contiguous, but got stride 2 where 1 is contiguous}}
  row.kernel ins(%x : memref<?x4xf32, strided<[?, 2]>>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x4xf32, strided<[?, 2]>>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x4xf32, strided<[?, 2]>> -> !row.tile<f32>
    row.store %0, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_kernel_c6: a gap between two inner dimensions
func.func @f(%x: memref<?x2x4xf32, strided<[?, 5, 1]>>, %y: memref<?x2x4xf32>) {
  // expected-error@+1 {{expected the columns of a buffer to be contiguous, but got stride 5 where 4 is contiguous}}
  row.kernel ins(%x : memref<?x2x4xf32, strided<[?, 5, 1]>>) outs(%y : memref<?x2x4xf32>) norm_dims = 2 {
  ^bb0(%bx: memref<?x2x4xf32, strided<[?, 5, 1]>>, %by: memref<?x2x4xf32>):
    %0 = row.load %bx : memref<?x2x4xf32, strided<[?, 5, 1]>> -> !row.tile<f32>
    row.store %0, %by : !row.tile<f32>, memref<?x2x4xf32>
  }
  return
}

// -----

// row_kernel_c6: no strides at all
func.func @f(%x: memref<?x?xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>>, %y: memref<?x?xf32>) {
  // expected-error@+1 {{expected buffers with strides}}
  row.kernel ins(%x : memref<?x?xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>> -> !row.tile<f32>
    row.store %0, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_kernel_c7: elements
func.func @f(%x: memref<?x?xi32>, %y: memref<?x?xf32>) {
  // expected-error@+1 {{expected ranked memrefs of f16, bf16, f32 or f64, but got 'memref<?x?xi32>' (row_kernel_c7)}}
  row.kernel ins(%x : memref<?x?xi32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xi32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xi32> -> !row.tile<f32>
    row.store %0, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_kernel_c8: an op of another dialect
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    // expected-error@+1 {{expected an op of a row program or arith.constant, because arithmetic stands in row.map (row_kernel_c8)}}
    %d = memref.alloc() : memref<f32>
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    row.store %0, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_kernel_c8: finalize and something else
func.func @f(%x: memref<?x?xf32>, %p: memref<?x?xf32>, %y: memref<?x?xf32>, %w: memref<?xf32>) {
  row.kernel ins(%x, %p : memref<?x?xf32>, memref<?x?xf32>) outs(%y, %w : memref<?x?xf32>, memref<?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %bp: memref<?x?xf32>, %by: memref<?x?xf32>, %bw: memref<?xf32>):
    // expected-error@+1 {{expected row.finalize, because a kernel with a finalize has no other ops (row_kernel_c8)}}
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    row.store %0, %by : !row.tile<f32>, memref<?x?xf32>
    row.finalize %bp, %bw to cols slot 0 of 1 : memref<?x?xf32>, memref<?xf32>
  }
  return
}

// -----

// row_kernel_c9: a dimension
func.func @f(%x: memref<?x9223372036854775807xf32>, %y: memref<?x9223372036854775807xf32>) {
  // expected-error@+1 {{expected a buffer of at most 2^48 elements, because its size in bytes must fit in 64 bits, but got 'memref<?x9223372036854775807xf32>' (row_kernel_c9)}}
  row.kernel ins(%x : memref<?x9223372036854775807xf32>) outs(%y : memref<?x9223372036854775807xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x9223372036854775807xf32>, %by: memref<?x9223372036854775807xf32>):
    %0 = row.load %bx : memref<?x9223372036854775807xf32> -> !row.tile<f32>
    row.store %0, %by : !row.tile<f32>, memref<?x9223372036854775807xf32>
  }
  return
}

// -----

// row_kernel_c9: a product past 64 bits
func.func @f(%x: memref<4294967296x4294967296xf32>, %y: memref<4294967296x4294967296xf32>) {
  // expected-error@+1 {{(row_kernel_c9)}}
  row.kernel ins(%x : memref<4294967296x4294967296xf32>) outs(%y : memref<4294967296x4294967296xf32>) norm_dims = 2 {
  ^bb0(%bx: memref<4294967296x4294967296xf32>, %by: memref<4294967296x4294967296xf32>):
    %0 = row.load %bx : memref<4294967296x4294967296xf32> -> !row.tile<f32>
    row.store %0, %by : !row.tile<f32>, memref<4294967296x4294967296xf32>
  }
  return
}

// -----

// row_kernel_c9: 2^48 are allowed, and any sizes where there are no elements.
func.func @f(%x: memref<16777216x16777216xf64>, %y: memref<16777216x16777216xf64>) {
  row.kernel ins(%x : memref<16777216x16777216xf64>) outs(%y : memref<16777216x16777216xf64>) norm_dims = 1 {
  ^bb0(%bx: memref<16777216x16777216xf64>, %by: memref<16777216x16777216xf64>):
    %0 = row.load %bx : memref<16777216x16777216xf64> -> !row.tile<f64>
    row.store %0, %by : !row.tile<f64>, memref<16777216x16777216xf64>
  }
  return
}
func.func @g(%x: memref<0x9223372036854775807xf32>, %y: memref<0x9223372036854775807xf32>) {
  row.kernel ins(%x : memref<0x9223372036854775807xf32>) outs(%y : memref<0x9223372036854775807xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<0x9223372036854775807xf32>, %by: memref<0x9223372036854775807xf32>):
    %0 = row.load %bx : memref<0x9223372036854775807xf32> -> !row.tile<f32>
    row.store %0, %by : !row.tile<f32>, memref<0x9223372036854775807xf32>
  }
  return
}

// -----

// row_kernel_c7: a memory space
func.func @f(%x: memref<?x?xf32, 3>, %y: memref<?x?xf32>) {
  // expected-error@+1 {{expected buffers in the default memory space, because they are in the device's memory, but got 'memref<?x?xf32, 3>' (row_kernel_c7)}}
  row.kernel ins(%x : memref<?x?xf32, 3>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32, 3>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32, 3> -> !row.tile<f32>
    row.store %0, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}
