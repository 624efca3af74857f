// RUN: norm-opt %s -split-input-file -verify-diagnostics

// One test a constraint, named after it.

// row_load_c1: no kernel
func.func @f(%x: memref<?x?xf32>) {
  // expected-error@+1 {{expected the buffer to be a region argument of the enclosing row.kernel, because a program reaches memory only through its kernel's operands (row_load_c1)}}
  %0 = row.load %x : memref<?x?xf32> -> !row.tile<f32>
  return
}

// -----

// The types of values hold f32 and f64 only.
// expected-error@+1 {{expected f32 or f64, because values of a row program are in an accumulator type, but got 'bf16'}}
func.func private @f(!row.tile<bf16>)

// -----

// expected-error@+1 {{expected f32 or f64, because values of a row program are in an accumulator type, but got 'i32'}}
func.func private @f(!row.vec<rows, i32>)

// -----

// row_store_c1
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    // expected-error@+1 {{expected an output of the kernel, because inputs are never written, but got input 0 (row_store_c1)}}
    row.store %0, %bx : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_store_c2
func.func @f(%x: memref<?xf32>, %y: memref<?xf32>) {
  row.kernel ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?xf32>, %by: memref<?xf32>):
    %0 = row.load %bx : memref<?xf32> -> !row.vec<cols, f32>
    // expected-error@+1 {{expected a tile or a per-row value, because sums down the columns leave through row.accumulate, but got '!row.vec<cols, f32>' (row_store_c2)}}
    row.store %0, %by : !row.vec<cols, f32>, memref<?xf32>
  }
  return
}

// -----

// row_dim_c1
func.func @f() {
  // expected-error@+1 {{expected to stand in the body of a row.kernel, because only a kernel has rows and columns (row_dim_c1)}}
  %0 = row.dim rows : f32
  return
}

// -----

// row_round_c1: f64
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    // expected-error@+1 {{expected to round to f16, bf16 or f32 and not to a wider type than 'f32', because the result is a value of the narrower type, but got 'f64' (row_round_c1)}}
    %1 = row.round %0 to f64 : !row.tile<f32>
    row.store %1, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_round_c1: f64
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f64>
    // expected-error@+1 {{expected to round to f16, bf16 or f32 and not to a wider type than 'f64', because the result is a value of the narrower type, but got 'f64' (row_round_c1)}}
    %1 = row.round %0 to f64 : !row.tile<f64>
    row.store %1, %by : !row.tile<f64>, memref<?x?xf32>
  }
  return
}

// -----

// row_round_c1: f8E5M2
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    // expected-error@+1 {{expected to round to f16, bf16 or f32 and not to a wider type than 'f32', because the result is a value of the narrower type, but got 'f8E5M2' (row_round_c1)}}
    %1 = row.round %0 to f8E5M2 : !row.tile<f32>
    row.store %1, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_map_c1: arguments
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    // expected-error@+1 {{expected region arguments of the inputs' element types ('f32'), but got ('f64') (row_map_c1)}}
    %1 = row.map ins(%0 : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f64):
      %2 = arith.truncf %a : f64 to f32
      row.yield %2 : f32
    }
    row.store %1, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_map_c1: result
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    // expected-error@+1 {{expected the region to yield one value of the result's element type ('f32'), but got ('f64') (row_map_c1)}}
    %1 = row.map ins(%0 : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32):
      %2 = arith.extf %a : f32 to f64
      row.yield %2 : f64
    }
    row.store %1, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_map_c1: two results
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    // expected-error@+1 {{but got ('f32', 'f32') (row_map_c1)}}
    %1 = row.map ins(%0 : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32):
      row.yield %a, %a : f32, f32
    }
    row.store %1, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_map_c2: a call
func.func private @g(f32) -> f32
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    %1 = row.map ins(%0 : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32):
      // expected-error@+1 {{expected a constant or one of the scalar ops that row.map lists, because every target has those (row_map_c2)}}
      %2 = func.call @g(%a) : (f32) -> f32
      row.yield %2 : f32
    }
    row.store %1, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_map_c2: a vector
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    %1 = row.map ins(%0 : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32):
      // expected-error@+1 {{expected scalars of f32, f64, i1, i8, i16, i32 or i64, because the region is a scalar function, but got 'vector<4xf32>' (row_map_c2)}}
      %c = arith.constant dense<1.0> : vector<4xf32>
      %2 = arith.addf %c, %c : vector<4xf32>
      row.yield %a : f32
    }
    row.store %1, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_map_c2: a division that may be by zero
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    %1 = row.map ins(%0 : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32):
      %i = arith.bitcast %a : f32 to i32
      // expected-error@+1 {{expected a constant or one of the scalar ops that row.map lists, because every target has those (row_map_c2)}}
      %j = arith.divsi %i, %i : i32
      row.yield %a : f32
    }
    row.store %1, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_map_c2: an op that targets lack
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    %1 = row.map ins(%0 : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32):
      // expected-error@+1 {{expected a constant or one of the scalar ops that row.map lists, because every target has those (row_map_c2)}}
      %i = math.clampf %a to [%a, %a] : f32
      row.yield %a : f32
    }
    row.store %1, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_map_c2: arithmetic in a type of memory
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    %1 = row.map ins(%0 : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32):
      %i = arith.truncf %a : f32 to bf16
      // expected-error@+1 {{expected f32 or f64, because f16 and bf16 are types to convert from and to, but got 'bf16' (row_map_c2)}}
      %j = arith.addf %i, %i : bf16
      row.yield %a : f32
    }
    row.store %1, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_map_c2: a type that no target has
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    %1 = row.map ins(%0 : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32):
      // expected-error@+1 {{expected scalars of f32, f64, i1, i8, i16, i32 or i64, because the region is a scalar function, but got 'f80' (row_map_c2)}}
      %i = arith.extf %a : f32 to f80
      row.yield %a : f32
    }
    row.store %1, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_map_c2: an integer of another width
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    %1 = row.map ins(%0 : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32):
      // expected-error@+1 {{expected scalars of f32, f64, i1, i8, i16, i32 or i64, because the region is a scalar function, but got 'i7' (row_map_c2)}}
      %i = arith.constant 1 : i7
      row.yield %a : f32
    }
    row.store %1, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_map_c2: another rounding
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    %1 = row.map ins(%0 : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32):
      // expected-error@+1 {{expected no roundingmode, because a row program rounds to nearest even (row_map_c2)}}
      %i = arith.truncf %a toward_zero : f32 to bf16
      row.yield %a : f32
    }
    row.store %1, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_map_c3: narrower
func.func @f(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    // expected-error@+1 {{expected a result that is a tile, because that is the join of the inputs' kinds, but got '!row.vec<rows, f32>' (row_map_c3)}}
    %1 = row.map ins(%0 : !row.tile<f32>) -> !row.vec<rows, f32> {
    ^bb0(%a: f32):
      row.yield %a : f32
    }
    row.store %1, %by : !row.vec<rows, f32>, memref<?xf32>
  }
  return
}

// -----

// row_map_c3: a tile of nothing
func.func @f(%y: memref<?x?xf32>) {
  row.kernel outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%by: memref<?x?xf32>):
    // expected-error@+1 {{expected a result that is a scalar, because that is the join of the inputs' kinds, but got '!row.tile<f32>' (row_map_c3)}}
    %1 = row.map -> !row.tile<f32> {
      %a = arith.constant 1.0 : f32
      row.yield %a : f32
    }
    row.store %1, %by : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_reduce_c1: no identity
func.func @f(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    // expected-error@+1 {{expected one identity and one result an input, but got 1 inputs, 0 identities and 1 results (row_reduce_c1)}}
    %1 = row.reduce ins(%0 : !row.tile<f32>) identities = [] -> !row.vec<rows, f32> {
    ^bb0(%a: f32, %b: f32):
      row.yield %a : f32
    }
    row.store %1, %by : !row.vec<rows, f32>, memref<?xf32>
  }
  return
}

// -----

// row_reduce_c1: an identity of another type
func.func @f(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    // expected-error@+1 {{expected identities of the inputs' element types, because a lane without an element takes part with one, but got 0.000000e+00 : f64 for '!row.tile<f32>' (row_reduce_c1)}}
    %1 = row.reduce ins(%0 : !row.tile<f32>) identities = [0.0 : f64] -> !row.vec<rows, f32> {
    ^bb0(%a: f32, %b: f32):
      row.yield %a : f32
    }
    row.store %1, %by : !row.vec<rows, f32>, memref<?xf32>
  }
  return
}

// -----

// row_reduce_c1: two results
func.func @f(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    // expected-error@+1 {{expected one identity and one result an input, but got 1 inputs, 1 identities and 2 results (row_reduce_c1)}}
    %1, %2 = row.reduce ins(%0 : !row.tile<f32>) identities = [0.0 : f32] -> !row.vec<rows, f32>, !row.vec<rows, f32> {
    ^bb0(%a: f32, %b: f32):
      row.yield %a : f32
    }
    row.store %1, %by : !row.vec<rows, f32>, memref<?xf32>
  }
  return
}

// -----

// row_reduce_c1: a result of another type
func.func @f(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    // expected-error@+1 {{expected results of the inputs' element types, but got '!row.vec<rows, f64>' for '!row.tile<f32>' (row_reduce_c1)}}
    %2 = row.reduce ins(%0 : !row.tile<f32>) identities = [0.0 : f32] -> !row.vec<rows, f64> {
    ^bb0(%a: f32, %b: f32):
      row.yield %a : f32
    }
    %1 = row.map ins(%2 : !row.vec<rows, f64>) -> !row.vec<rows, f32> {
    ^bb0(%a: f64):
      %3 = arith.truncf %a : f64 to f32
      row.yield %3 : f32
    }
    row.store %1, %by : !row.vec<rows, f32>, memref<?xf32>
  }
  return
}

// -----

// row_reduce_c2: one side only
func.func @f(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    // expected-error@+1 {{expected region arguments of the inputs' element types, once a side ('f32', 'f32'), but got ('f32') (row_reduce_c2)}}
    %1 = row.reduce ins(%0 : !row.tile<f32>) identities = [0.0 : f32] -> !row.vec<rows, f32> {
    ^bb0(%a: f32):
      row.yield %a : f32
    }
    row.store %1, %by : !row.vec<rows, f32>, memref<?xf32>
  }
  return
}

// -----

// row_reduce_c2: yields too much
func.func @f(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    // expected-error@+1 {{expected the region to yield values of the inputs' element types ('f32'), but got ('f32', 'f32') (row_reduce_c2)}}
    %1 = row.reduce ins(%0 : !row.tile<f32>) identities = [0.0 : f32] -> !row.vec<rows, f32> {
    ^bb0(%a: f32, %b: f32):
      row.yield %a, %b : f32, f32
    }
    row.store %1, %by : !row.vec<rows, f32>, memref<?xf32>
  }
  return
}

// -----

// row_reduce_c3
func.func private @g(f32) -> f32
func.func @f(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    %1 = row.reduce ins(%0 : !row.tile<f32>) identities = [0.0 : f32] -> !row.vec<rows, f32> {
    ^bb0(%a: f32, %b: f32):
      // expected-error@+1 {{expected a constant or one of the scalar ops that row.map lists, because every target has those (row_reduce_c3)}}
      %2 = func.call @g(%a) : (f32) -> f32
      row.yield %2 : f32
    }
    row.store %1, %by : !row.vec<rows, f32>, memref<?xf32>
  }
  return
}

// -----

// row_moments_c1
func.func @f(%x: memref<?x?xf32>, %y: memref<?xf64>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?xf64>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?xf64>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    // expected-error@+1 {{expected results of the value's element type 'f32', but got '!row.vec<rows, f64>' and '!row.vec<rows, f32>' (row_moments_c1)}}
    %1, %2 = row.moments %0 : !row.tile<f32> -> !row.vec<rows, f64>, !row.vec<rows, f32>
    row.store %1, %by : !row.vec<rows, f64>, memref<?xf64>
  }
  return
}

// -----

// row_accumulate_c1
func.func @f(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    // expected-error@+1 {{expected an output of the kernel, because inputs are never written, but got input 0 (row_accumulate_c1)}}
    row.accumulate %0, %bx to cols : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// row_accumulate_c2: to cols of a per-row value
func.func @f(%x: memref<?xf32>, %y: memref<?xf32>) {
  row.kernel ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?xf32>, %by: memref<?xf32>):
    %0 = row.load %bx : memref<?xf32> -> !row.vec<rows, f32>
    // expected-error@+1 {{expected a tile, because the sum runs over the rows, but got '!row.vec<rows, f32>' (row_accumulate_c2)}}
    row.accumulate %0, %by to cols : !row.vec<rows, f32>, memref<?xf32>
  }
  return
}

// -----

// row_accumulate_c2: to scalar of a per-column value
func.func @f(%x: memref<?xf32>, %y: memref<f32>) {
  row.kernel ins(%x : memref<?xf32>) outs(%y : memref<f32>) norm_dims = 1 {
  ^bb0(%bx: memref<?xf32>, %by: memref<f32>):
    %0 = row.load %bx : memref<?xf32> -> !row.vec<cols, f32>
    // expected-error@+1 {{expected a tile or a per-row value, because the sum runs over the rows, but got '!row.vec<cols, f32>' (row_accumulate_c2)}}
    row.accumulate %0, %by to scalar : !row.vec<cols, f32>, memref<f32>
  }
  return
}

// -----

// row_accumulate_c3: another type
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xbf16>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xbf16>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xbf16>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    // expected-error@+1 {{expected partials, a two-dimensional memref of 'f32', because a slot is a segment of a partial, but got 'memref<?x?xbf16>' (row_accumulate_c3)}}
    row.accumulate %0, %by to cols slot 0 : !row.tile<f32>, memref<?x?xbf16>
  }
  return
}

// -----

// row_accumulate_c3: one dimension
func.func @f(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    // expected-error@+1 {{expected partials, a two-dimensional memref of 'f32', because a slot is a segment of a partial, but got 'memref<?xf32>' (row_accumulate_c3)}}
    row.accumulate %0, %by to cols slot 0 : !row.tile<f32>, memref<?xf32>
  }
  return
}

// -----

// row_finalize_c1: the wrong way round
func.func @f(%p: memref<?x?xf32>, %y: memref<?xf32>) {
  row.kernel ins(%p : memref<?x?xf32>) outs(%y : memref<?xf32>) norm_dims = 1 {
  ^bb0(%bp: memref<?x?xf32>, %by: memref<?xf32>):
    // expected-error@+1 {{expected an input of the kernel, because outputs are never read, but got region argument 1, an output (row_finalize_c1)}}
    row.finalize %by, %bp to cols slot 0 of 1 : memref<?xf32>, memref<?x?xf32>
  }
  return
}

// -----

// row_finalize_c2
func.func @f(%p: memref<?x?xbf16>, %y: memref<?xf32>) {
  row.kernel ins(%p : memref<?x?xbf16>) outs(%y : memref<?xf32>) norm_dims = 1 {
  ^bb0(%bp: memref<?x?xbf16>, %by: memref<?xf32>):
    // expected-error@+1 {{expected partials, a two-dimensional memref of f32 or f64, but got 'memref<?x?xbf16>' (row_finalize_c2)}}
    row.finalize %bp, %by to cols slot 0 of 1 : memref<?x?xbf16>, memref<?xf32>
  }
  return
}

// -----

// row_finalize_c3: past the end
func.func @f(%p: memref<?x?xf32>, %y: memref<?xf32>) {
  row.kernel ins(%p : memref<?x?xf32>) outs(%y : memref<?xf32>) norm_dims = 1 {
  ^bb0(%bp: memref<?x?xf32>, %by: memref<?xf32>):
    // expected-error@+1 {{expected a slot of at least 0, and of kind cols less than 1, because a partial has that many segments of columns, but got 1 (row_finalize_c3)}}
    row.finalize %bp, %by to cols slot 1 of 1 : memref<?x?xf32>, memref<?xf32>
  }
  return
}

// -----

// row_finalize_c3: negative
func.func @f(%p: memref<?x?xf32>, %y: memref<f32>) {
  row.kernel ins(%p : memref<?x?xf32>) outs(%y : memref<f32>) norm_dims = 1 {
  ^bb0(%bp: memref<?x?xf32>, %by: memref<f32>):
    // expected-error@+1 {{expected a slot of at least 0, and of kind cols less than 0, because a partial has that many segments of columns, but got -1 (row_finalize_c3)}}
    row.finalize %bp, %by to scalar slot -1 of 0 : memref<?x?xf32>, memref<f32>
  }
  return
}

// -----

// row_partials_c1
func.func @f() {
  // expected-error@+1 {{expected a two-dimensional memref of f32 or f64, but got 'memref<?xf32>' (row_partials_c1)}}
  %0 = row.partials : memref<?xf32>
  return
}
