// RUN: norm-opt %s -plan-create-entries -split-input-file -verify-diagnostics

// expected-error@below {{expected no results, because an entry writes its outputs to parameters (norm-bufferize makes them), but got 1}}
func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>) -> memref<?x16xf32> {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return %y : memref<?x16xf32>
}

// -----

// expected-error@below {{expected a public function with a body, because every function of the module is an entry, but got a declaration}}
func.func private @f(memref<?x16xf32>)

// -----

// expected-error@below {{because every function of the module is an entry, but got a private one}}
func.func private @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// -----

// expected-error@below {{expected a name of letters, digits and _, because it becomes a name in C, but got "f g"}}
func.func @"f g"(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// -----

// expected-error@below {{expected at least one parameter, but got none}}
func.func @f() {
  return
}

// -----

// expected-error@below {{expected at least one norm op or row.kernel, but got none}}
func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  return
}

// -----

// expected-error@below {{expected parameter 2 to be a memref of f16, bf16, f32 or f64, but got 'index'}}
func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>, %i: index) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// -----

// expected-error@below {{expected parameter 2 to be a memref of f16, bf16, f32 or f64, but got 'memref<4xi32>'}}
func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>, %i: memref<4xi32>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// -----

// expected-error@below {{expected parameter 2 in the default memory space, because it is in the device's memory, but got 'memref<4xf32, 1>'}}
func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>, %i: memref<4xf32, 1>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// -----

// expected-error@below {{expected parameter 2 to be a memref of f16, bf16, f32 or f64, but got 'memref<*xf32>'}}
func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>, %i: memref<*xf32>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// -----

// expected-error@below {{expected one block, because an entry's kernels run in order, but got 2}}
func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  cf.br ^bb1
^bb1:
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// -----

// expected-error@below {{expected a name of its own for each parameter, but parameters 0 and 1 are both "a"}}
func.func @f(%x: memref<?x16xf32> {norm.name = "a"}, %y: memref<?x16xf32> {norm.name = "a"}) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// -----

// expected-error@below {{expected a name of its own for each parameter, but parameters 0 and 1 are both "arg1"}}
func.func @f(%x: memref<?x16xf32> {norm.name = "arg1"}, %y: memref<?x16xf32>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// -----

// expected-error@below {{expected a kernel to write parameter "arg0", because it is marked norm.out, but none does}}
func.func @f(%x: memref<?x16xf32> {norm.out}, %y: memref<?x16xf32>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// -----

func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  // expected-error@below {{expected no copy, because an entry's kernels write its outputs themselves, but got one}}
  memref.copy %x, %y : memref<?x16xf32> to memref<?x16xf32>
  return
}

// -----

func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  // expected-error@below {{expected norm ops and row.kernels among allocations, casts and reshapes, because an entry holds nothing else, but got arith.constant}}
  %c = arith.constant 1.0 : f32
  return
}

// -----

func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  // expected-error@below {{expected norm ops and row.kernels among allocations, casts and reshapes, because an entry holds nothing else, but got memref.subview}}
  %s = memref.subview %x[0, 0] [4, 16] [1, 1] : memref<?x16xf32> to memref<4x16xf32, strided<[16, 1]>>
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// -----

func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  // expected-error@below {{expected a row.kernel, because norm ops become kernels before entries are made (convert-norm-to-row)}}
  norm.rms_norm x(%x : memref<?x16xf32>) outs y(%y : memref<?x16xf32>) epsilon = 1.0e-5
  return
}

// -----

func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>, %z: memref<?x16xf32>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  // expected-error@below {{expected output 0 to be written once, but parameter 1 is written by a kernel before}}
  row.kernel ins(%z : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// -----

func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>, %z: memref<?x16xf32>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  // expected-error@below {{expected output 0 not to be an input, because no output overlaps an input, but parameter 0 is read by a kernel before}}
  row.kernel ins(%z : memref<?x16xf32>) outs(%x : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// -----

func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  // expected-error@below {{expected output 0 in a buffer of its own, because a kernel's rows run in any order, but it overlaps another operand}}
  row.kernel ins(%x : memref<?x16xf32>) outs(%x : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// -----

func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  %c = memref.cast %x : memref<?x16xf32> to memref<4x16xf32>
  // expected-error@below {{expected output 0 in a buffer of its own}}
  row.kernel ins(%x : memref<?x16xf32>) outs(%c : memref<4x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<4x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<4x16xf32>
  }
  return
}

// -----

func.func @f(%y: memref<4x16xf32>) {
  %a = memref.alloc() : memref<4x16xf32>
  // expected-error@below {{expected input 0 to be a parameter or written by a kernel before, because its contents are undefined otherwise}}
  row.kernel ins(%a : memref<4x16xf32>) outs(%y : memref<4x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<4x16xf32>, %out: memref<4x16xf32>):
    %0 = row.load %in : memref<4x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<4x16xf32>
  }
  return
}

// -----

func.func @f(%x: memref<?x16xf32>, %y: memref<?x?xf32>) {
  %c = memref.cast %y : memref<?x?xf32> to memref<?x8xf32>
  %d = memref.cast %y : memref<?x?xf32> to memref<?x?xf32>
  // expected-error@below {{expected equal sizes, because two dimensions that it relates are one, but got 16 and 8}}
  row.kernel ins(%x : memref<?x16xf32>) outs(%d : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x?xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

func.func @f(%x: memref<24x16xf32>, %y: memref<?x7x16xf32>) {
  // expected-error@below {{expected a size that is a multiple of 7, because it is reshaped to dimensions of that product, but got 24}}
  %c = memref.collapse_shape %y [[0, 1], [2]] : memref<?x7x16xf32> into memref<?x16xf32>
  row.kernel ins(%x : memref<24x16xf32>) outs(%c : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<24x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<24x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// -----

func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  %m = arith.shli %n, %n : index
  // expected-error@below {{expected sizes made from constants and dimensions of the parameters, because a launch must know them, but got}}
  %a = memref.alloc(%m) : memref<?x16xf32>
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// -----

func.func @f(%x: memref<?x0xf32>, %y: memref<?x0xf32>) {
  // expected-error@below {{expected at least 1 for cols, because a row without elements has no mean, but got 0}}
  row.kernel ins(%x : memref<?x0xf32>) outs(%y : memref<?x0xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x0xf32>, %out: memref<?x0xf32>):
    %0 = row.load %in : memref<?x0xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x0xf32>
  }
  return
}

// -----

// What is not an entry is not passed over, nested functions neither.
func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// expected-error@below {{expected functions alone at the top of the module, because each is an entry of the package and nothing else is, but got llvm.func}}
llvm.func @g() {
  llvm.return
}

// -----

// expected-error@below {{expected functions alone at the top of the module, because each is an entry of the package and nothing else is, but got builtin.module}}
module @nested {
func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}
}
func.func @g(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// -----

func.func @f(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  // expected-error@below {{expected norm ops and row.kernels among allocations, casts and reshapes, because an entry holds nothing else, but got builtin.module}}
  builtin.module {
    func.func @g() {
      return
    }
  }
  return
}

// -----

// expected-error@below {{expected at least one norm op or row.kernel, but got none}}
func.func @f(%x: memref<?x16xf32>) {
  %0 = memref.alloc() : memref<4xf32>
  return
}

// -----

// expected-error@below {{expected a function, because a package without entries has nothing to launch, but got none}}
module {
}
