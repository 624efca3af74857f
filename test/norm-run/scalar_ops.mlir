// Every op that a region may hold, on the host against the interpreter, and as machine
// code of a GPU.
//
// RUN: norm-run %s --check --in x=uniform:1:9x37 y=uniform:2 | FileCheck %s
// RUN: sed -e s/f32/f64/g -e s/i32/i64/g %s > %t.f64.mlir
// RUN: norm-run %t.f64.mlir --check --in x=uniform:1:9x37 y=uniform:2 | FileCheck %s
// REQUIRES: tool-norm-run
// CHECK: r0 {{.*}} ok
// CHECK: r1 {{.*}} ok
// CHECK: r2 {{.*}} ok
// CHECK: r3 {{.*}} ok
// CHECK: r4 {{.*}} ok
// CHECK: r5 {{.*}} ok
// CHECK: r6 {{.*}} ok
// CHECK: r7 {{.*}} ok
// CHECK: r8 {{.*}} ok
// CHECK: r9 {{.*}} ok
// CHECK: r10 {{.*}} ok
// CHECK: r11 {{.*}} ok

func.func @scalar_ops(
    %in_x: memref<?x?xf32> {norm.name = "x"},
    %in_y: memref<?x?xf32> {norm.name = "y"},
    %out_0: memref<?x?xf32> {norm.name = "r0"},
    %out_1: memref<?x?xf32> {norm.name = "r1"},
    %out_2: memref<?x?xf32> {norm.name = "r2"},
    %out_3: memref<?x?xf32> {norm.name = "r3"},
    %out_4: memref<?x?xf32> {norm.name = "r4"},
    %out_5: memref<?x?xf32> {norm.name = "r5"},
    %out_6: memref<?x?xf32> {norm.name = "r6"},
    %out_7: memref<?x?xf32> {norm.name = "r7"},
    %out_8: memref<?x?xf32> {norm.name = "r8"},
    %out_9: memref<?x?xf32> {norm.name = "r9"},
    %out_10: memref<?x?xf32> {norm.name = "r10"},
    %out_11: memref<?x?xf32> {norm.name = "r11"}) {
  row.kernel ins(%in_x, %in_y : memref<?x?xf32>, memref<?x?xf32>)
      outs(%out_0, %out_1, %out_2, %out_3, %out_4, %out_5, %out_6, %out_7, %out_8,
           %out_9, %out_10, %out_11 : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>,
           memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>,
           memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>,
           memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %by: memref<?x?xf32>, %b0: memref<?x?xf32>,
       %b1: memref<?x?xf32>, %b2: memref<?x?xf32>, %b3: memref<?x?xf32>,
       %b4: memref<?x?xf32>, %b5: memref<?x?xf32>, %b6: memref<?x?xf32>,
       %b7: memref<?x?xf32>, %b8: memref<?x?xf32>, %b9: memref<?x?xf32>,
       %b10: memref<?x?xf32>, %b11: memref<?x?xf32>):
    %tx = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    %ty = row.load %by : memref<?x?xf32> -> !row.tile<f32>
    %m0 = row.map ins(%tx, %ty : !row.tile<f32>, !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %s = math.sin %a : f32
      %c = math.cos %b : f32
      %t = math.tan %a : f32
      %u = arith.addf %s, %c : f32
      %result = arith.subf %u, %t : f32
      row.yield %result : f32
    }
    row.store %m0, %b0 : !row.tile<f32>, memref<?x?xf32>
    %m1 = row.map ins(%tx, %ty : !row.tile<f32>, !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %s = math.asin %a : f32
      %c = math.acos %b : f32
      %t = math.atan %a : f32
      %u = math.fma %s, %c, %t : f32
      %v = math.atan2 %a, %b : f32
      %result = arith.addf %u, %v : f32
      row.yield %result : f32
    }
    row.store %m1, %b1 : !row.tile<f32>, memref<?x?xf32>
    %m2 = row.map ins(%tx, %ty : !row.tile<f32>, !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %s = math.sinh %a : f32
      %c = math.cosh %b : f32
      %t = math.tanh %a : f32
      %u = math.asinh %s : f32
      %v = math.acosh %c : f32
      %w = arith.mulf %u, %v : f32
      %result = arith.subf %w, %t : f32
      row.yield %result : f32
    }
    row.store %m2, %b2 : !row.tile<f32>, memref<?x?xf32>
    %m3 = row.map ins(%tx, %ty : !row.tile<f32>, !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %s = math.atanh %a : f32
      %c = math.erf %b : f32
      %t = math.erfc %a : f32
      %u = arith.mulf %s, %c : f32
      %result = arith.divf %u, %t : f32
      row.yield %result : f32
    }
    row.store %m3, %b3 : !row.tile<f32>, memref<?x?xf32>
    %m4 = row.map ins(%tx, %ty : !row.tile<f32>, !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %s = math.exp %a : f32
      %c = math.exp2 %b : f32
      %t = math.expm1 %a : f32
      %u = arith.addf %s, %c : f32
      %result = arith.addf %u, %t : f32
      row.yield %result : f32
    }
    row.store %m4, %b4 : !row.tile<f32>, memref<?x?xf32>
    %m5 = row.map ins(%tx, %ty : !row.tile<f32>, !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %p = math.exp %b : f32
      %s = math.log %p : f32
      %c = math.log2 %p : f32
      %t = math.log10 %p : f32
      %u = math.log1p %a : f32
      %v = arith.addf %s, %c : f32
      %w = arith.addf %v, %t : f32
      %result = arith.addf %w, %u : f32
      row.yield %result : f32
    }
    row.store %m5, %b5 : !row.tile<f32>, memref<?x?xf32>
    %m6 = row.map ins(%tx, %ty : !row.tile<f32>, !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %p = math.exp %b : f32
      %s = math.sqrt %p : f32
      %c = math.rsqrt %p : f32
      %t = math.cbrt %a : f32
      %u = math.powf %p, %a : f32
      %v = arith.addf %s, %c : f32
      %w = arith.addf %v, %t : f32
      %result = arith.addf %w, %u : f32
      row.yield %result : f32
    }
    row.store %m6, %b6 : !row.tile<f32>, memref<?x?xf32>
    %m7 = row.map ins(%tx, %ty : !row.tile<f32>, !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %ten = arith.constant 10.0 : f32
      %p = arith.mulf %a, %ten : f32
      %s = math.floor %p : f32
      %c = math.ceil %p : f32
      %t = math.trunc %p : f32
      %u = math.round %p : f32
      %v = math.roundeven %p : f32
      %w = arith.remf %p, %b : f32
      %x = math.copysign %s, %b : f32
      %y = math.absf %c : f32
      %z = arith.negf %t : f32
      %1 = arith.addf %x, %y : f32
      %2 = arith.addf %z, %u : f32
      %3 = arith.addf %v, %w : f32
      %4 = arith.addf %1, %2 : f32
      %result = arith.addf %3, %4 : f32
      row.yield %result : f32
    }
    row.store %m7, %b7 : !row.tile<f32>, memref<?x?xf32>
    %m8 = row.map ins(%tx, %ty : !row.tile<f32>, !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.maximumf %a, %b : f32
      %c = arith.minimumf %a, %b : f32
      %t = arith.maxnumf %a, %b : f32
      %u = arith.minnumf %a, %b : f32
      %x = math.isfinite %a : f32
      %y = math.isnan %b : f32
      %z = math.isnan %a : f32
      %l = arith.cmpf olt, %a, %b : f32
      %1 = arith.select %x, %s, %c : f32
      %2 = arith.select %y, %t, %u : f32
      %3 = arith.select %z, %c, %1 : f32
      %4 = arith.select %l, %2, %3 : f32
      %result = arith.subf %4, %a : f32
      row.yield %result : f32
    }
    row.store %m8, %b8 : !row.tile<f32>, memref<?x?xf32>
    %m9 = row.map ins(%tx, %ty : !row.tile<f32>, !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %k = arith.constant 20000.0 : f32
      %p = arith.mulf %a, %k : f32
      %q = arith.mulf %b, %k : f32
      %i = arith.fptosi %p : f32 to i32
      %j = arith.fptosi %q : f32 to i32
      %1 = arith.addi %i, %j : i32
      %2 = arith.subi %i, %j : i32
      %3 = arith.muli %1, %2 : i32
      %4 = arith.maxsi %3, %i : i32
      %5 = arith.minsi %4, %1 : i32
      %6 = arith.maxui %5, %j : i32
      %7 = arith.minui %6, %3 : i32
      %8 = math.absi %2 : i32
      %9 = arith.xori %7, %8 : i32
      %10 = arith.andi %9, %1 : i32
      %11 = arith.ori %10, %i : i32
      %12 = arith.cmpi sle, %i, %j : i32
      %13 = arith.select %12, %11, %9 : i32
      %result = arith.sitofp %13 : i32 to f32
      row.yield %result : f32
    }
    row.store %m9, %b9 : !row.tile<f32>, memref<?x?xf32>
    %m10 = row.map ins(%tx, %ty : !row.tile<f32>, !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %i = arith.bitcast %a : f32 to i32
      %j = arith.bitcast %b : f32 to i32
      %one = arith.constant 1 : i32
      %three = arith.constant 3 : i32
      %1 = arith.shli %i, %one : i32
      %2 = arith.shrui %j, %three : i32
      %3 = arith.shrsi %i, %three : i32
      %4, %5 = arith.addui_extended %1, %2 : i32, i1
      %6, %7 = arith.mulsi_extended %i, %3 : i32
      %8, %9 = arith.mului_extended %j, %4 : i32
      %10 = arith.xori %7, %9 : i32
      %11 = arith.xori %10, %6 : i32
      %12 = arith.xori %11, %8 : i32
      %13 = arith.trunci %12 : i32 to i16
      %14 = arith.extsi %13 : i16 to i32
      %15 = arith.extui %13 : i16 to i32
      %16 = arith.select %5, %14, %15 : i32
      %17 = arith.uitofp %16 : i32 to f32
      %18 = math.absf %17 : f32
      %19 = arith.constant 1000.0 : f32
      %20 = arith.minimumf %18, %19 : f32
      %21 = arith.fptoui %20 : f32 to i16
      %22 = arith.uitofp %21 : i16 to f32
      %result = arith.addf %17, %22 : f32
      row.yield %result : f32
    }
    row.store %m10, %b10 : !row.tile<f32>, memref<?x?xf32>
    %m11 = row.map ins(%tx, %ty : !row.tile<f32>, !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %n = arith.truncf %a : f32 to bf16
      %h = arith.truncf %b : f32 to f16
      %i = arith.bitcast %n : bf16 to i16
      %j = arith.bitcast %h : f16 to i16
      %k = arith.xori %i, %j : i16
      %l = arith.xori %k, %j : i16
      %m = arith.bitcast %l : i16 to bf16
      %s = arith.extf %m : bf16 to f32
      %t = arith.extf %h : f16 to f32
      %result = arith.addf %s, %t : f32
      row.yield %result : f32
    }
    row.store %m11, %b11 : !row.tile<f32>, memref<?x?xf32>
  }
  return
}
