// The ways to write an entry that all end in the same package: the reference runs them as
// they are written, the compiled entry as they were bufferized.
//
// RUN: normc compile %s -o %t.nrmk
// RUN: norm-run %t.nrmk init_argument --check --in x=normal:0:9x40 | FileCheck %s
// RUN: norm-run %t.nrmk reshaped --check --in x=normal:0:3x5x40 weight=normal:1 \
// RUN:   | FileCheck %s
// RUN: norm-run %t.nrmk cast --check --in x=normal:0:9x40 | FileCheck %s
// RUN: norm-run %t.nrmk two_dims --check --in x=normal:0:9x5x8 dy=normal:1:9x5x8 \
// RUN:     --in-default uniform:2 | FileCheck %s --check-prefix=DIMS
// RUN: norm-run %t.nrmk one_row --check --in x=normal:0 | FileCheck %s
// RUN: norm-run %t.nrmk unnamed --check --in arg0=normal:0:9x40 \
// RUN:   | FileCheck %s --check-prefix=UNNAMED
// RUN: norm-run %t.nrmk init_of_two --check --in x=normal:0:9x40 | FileCheck %s
// RUN: norm-run %t.nrmk init_is_input --check --in x=normal:0:9x40 | FileCheck %s
// RUN: norm-run %t.nrmk init_is_read --check --in x=normal:0:9x40 | FileCheck %s
// RUN: norm-run %t.nrmk doubles --check --in x=normal:0:9x40 | FileCheck %s

// CHECK: y {{ *}}{{f32|f64|bf16}}[{{[0-9x]+}}] {{.*}} ok
// CHECK-NOT: FAIL
// DIMS: dweight {{ *}}f32[5x8] {{.*}} ok
// UNNAMED: res0 {{ *}}f32[9x40] {{.*}} ok

func.func @init_argument(%x: tensor<?x40xf32> {norm.name = "x"},
                         %y: tensor<?x40xf32> {norm.name = "y"})
    -> (tensor<?x40xf32> {norm.name = "result"}) {
  %0 = norm.rms_norm x(%x : tensor<?x40xf32>) outs y(%y : tensor<?x40xf32>)
      epsilon = 1.0e-5 -> tensor<?x40xf32>
  return %0 : tensor<?x40xf32>
}

func.func @reshaped(%x: tensor<?x5x40xbf16> {norm.name = "x"},
                    %weight: tensor<40xbf16> {norm.name = "weight"})
    -> (tensor<?x5x40xbf16> {norm.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %batch = tensor.dim %x, %c0 : tensor<?x5x40xbf16>
  %rows = arith.muli %batch, %c5 : index
  %flat = tensor.collapse_shape %x [[0, 1], [2]]
      : tensor<?x5x40xbf16> into tensor<?x40xbf16>
  %init = tensor.empty(%rows) : tensor<?x40xbf16>
  %0 = norm.layer_norm x(%flat : tensor<?x40xbf16>) weight(%weight : tensor<40xbf16>)
      outs y(%init : tensor<?x40xbf16>) epsilon = 1.0e-5 -> tensor<?x40xbf16>
  %y = tensor.expand_shape %0 [[0, 1], [2]] output_shape [%batch, 5, 40]
      : tensor<?x40xbf16> into tensor<?x5x40xbf16>
  return %y : tensor<?x5x40xbf16>
}

func.func @cast(%x: memref<?x?xf32> {norm.name = "x"}, %y: memref<?x?xf32> {norm.name = "y"}) {
  %s = memref.cast %x : memref<?x?xf32> to memref<?x40xf32>
  %d = memref.cast %y : memref<?x?xf32> to memref<?x40xf32>
  norm.rms_norm x(%s : memref<?x40xf32>) outs y(%d : memref<?x40xf32>) epsilon = 1.0e-5
  return
}

func.func @two_dims(%x: memref<?x5x8xf32> {norm.name = "x"},
    %dy: memref<?x5x8xf32> {norm.name = "dy"}, %mean: memref<?xf32>, %rstd: memref<?xf32>,
    %dweight: memref<5x8xf32> {norm.name = "dweight"}) {
  norm.layer_norm_backward dy(%dy : memref<?x5x8xf32>) x(%x : memref<?x5x8xf32>)
      mean(%mean : memref<?xf32>) rstd(%rstd : memref<?xf32>)
      outs dweight(%dweight : memref<5x8xf32>) {norm_dims = 2 : i64}
  return
}

func.func @one_row(%x: memref<40xf32> {norm.name = "x"}, %y: memref<40xf32> {norm.name = "y"}) {
  norm.layer_norm x(%x : memref<40xf32>) outs y(%y : memref<40xf32>) epsilon = 1.0e-5
  return
}

func.func @unnamed(%x: tensor<?x40xf32>) -> tensor<?x40xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x40xf32>
  %init = tensor.empty(%rows) : tensor<?x40xf32>
  %0 = norm.rms_norm x(%x : tensor<?x40xf32>) outs y(%init : tensor<?x40xf32>)
      epsilon = 1.0e-5 -> tensor<?x40xf32>
  return %0 : tensor<?x40xf32>
}

func.func @doubles(%x: memref<?x40xf64> {norm.name = "x"}, %y: memref<?x40xf64> {norm.name = "y"}) {
  norm.layer_norm x(%x : memref<?x40xf64>) outs y(%y : memref<?x40xf64>) epsilon = 1.0e-5
  return
}

// Only one of the two can have the argument's buffer.
func.func @init_of_two(%x: tensor<?x40xf32> {norm.name = "x"},
                       %init: tensor<?x40xf32> {norm.name = "init"})
    -> (tensor<?x40xf32> {norm.name = "y"}, tensor<?x40xf32> {norm.name = "z"}) {
  %0 = norm.rms_norm x(%x : tensor<?x40xf32>) outs y(%init : tensor<?x40xf32>)
      epsilon = 1.0e-5 -> tensor<?x40xf32>
  %1 = norm.rms_norm x(%x : tensor<?x40xf32>) outs y(%init : tensor<?x40xf32>)
      epsilon = 1.0 -> tensor<?x40xf32>
  return %0, %1 : tensor<?x40xf32>, tensor<?x40xf32>
}

// An input stays as it is.
func.func @init_is_input(%x: tensor<?x40xf32> {norm.name = "x"})
    -> (tensor<?x40xf32> {norm.name = "y"}) {
  %0 = norm.rms_norm x(%x : tensor<?x40xf32>) outs y(%x : tensor<?x40xf32>)
      epsilon = 1.0e-5 -> tensor<?x40xf32>
  return %0 : tensor<?x40xf32>
}

// The second op reads what it is asked to write over.
func.func @init_is_read(%x: tensor<?x40xf32> {norm.name = "x"},
                        %init: tensor<?x40xf32> {norm.name = "init"})
    -> (tensor<?x40xf32> {norm.name = "y"}) {
  %0 = norm.rms_norm x(%x : tensor<?x40xf32>) outs y(%init : tensor<?x40xf32>)
      epsilon = 1.0e-5 -> tensor<?x40xf32>
  %1 = norm.layer_norm x(%0 : tensor<?x40xf32>) outs y(%0 : tensor<?x40xf32>)
      epsilon = 1.0 -> tensor<?x40xf32>
  return %1 : tensor<?x40xf32>
}
