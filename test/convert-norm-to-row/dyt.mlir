// RUN: norm-opt %s -convert-norm-to-row -split-input-file | FileCheck %s

// A 16-bit result may come from the hardware's tanh, an f32 one may not, unless asked.
// CHECK-LABEL: func @accuracy
func.func @accuracy(%x: memref<?x?xbf16>, %a: memref<1xf32>, %y: memref<?x?xbf16>,
                    %z: memref<?x?xf32>) {
  // CHECK: row.kernel
  // CHECK: kernel_name = "dyt"
  // CHECK: %[[X:.*]] = row.load {{.*}} -> !row.tile<f32>
  // CHECK: %[[A:.*]] = row.load {{.*}} : memref<1xf32> -> f32
  // CHECK: %[[U:.*]] = row.map ins(%[[A]], %[[X]] : f32, !row.tile<f32>) -> !row.tile<f32>
  // CHECK: row.map keep ins(%[[U]] : !row.tile<f32>)
  // CHECK: math.tanh %{{.*}} fastmath<afn> : f32
  norm.dyt x(%x : memref<?x?xbf16>) alpha(%a : memref<1xf32>) outs y(%y : memref<?x?xbf16>)
  // CHECK: row.kernel
  // CHECK: math.tanh %{{[^ ]*}} : f32
  norm.dyt x(%x : memref<?x?xbf16>) alpha(%a : memref<1xf32>) outs y(%z : memref<?x?xf32>)
  // CHECK: row.kernel
  // CHECK: math.tanh %{{[^ ]*}} : f32
  norm.dyt x(%x : memref<?x?xbf16>) alpha(%a : memref<1xf32>) outs y(%y : memref<?x?xbf16>)
    {accuracy = #norm.accuracy<exact>}
  // CHECK: row.kernel
  // CHECK: math.tanh %{{.*}} fastmath<afn> : f32
  norm.dyt x(%x : memref<?x?xbf16>) alpha(%a : memref<1xf32>) outs y(%z : memref<?x?xf32>)
    {accuracy = #norm.accuracy<approximate>}
  return
}

// -----

// CHECK-LABEL: func @erf
func.func @erf(%x: memref<?x?xf32>, %a: memref<f32>, %s: memref<f32>, %w: memref<?xf32>,
               %b: memref<?xf32>, %y: memref<?x?xf32>) {
  // CHECK: %[[U:.*]] = row.map ins(%{{.*}}, %{{.*}}, %{{.*}} : f32, !row.tile<f32>, f32)
  // CHECK: math.fma
  // CHECK: %[[F:.*]] = row.map keep ins(%[[U]] : !row.tile<f32>)
  // CHECK: math.erf
  // CHECK: row.map ins(%[[F]], %{{.*}}, %{{.*}} : !row.tile<f32>, !row.vec<cols, f32>, !row.vec<cols, f32>)
  // CHECK: math.fma
  norm.dyt x(%x : memref<?x?xf32>) alpha(%a : memref<f32>) shift(%s : memref<f32>)
    weight(%w : memref<?xf32>) bias(%b : memref<?xf32>) outs y(%y : memref<?x?xf32>)
    {activation = #norm.activation<erf>}
  return
}

// -----

// One exponential and one division give the derivative; targets make tanh of the same.
// CHECK-LABEL: func @backward
func.func @backward(%dy: memref<?x?xf32>, %x: memref<?x?xf32>, %a: memref<f32>,
                    %w: memref<?xf32>, %dx: memref<?x?xf32>, %da: memref<f32>,
                    %dw: memref<?xf32>, %db: memref<?xf32>) {
  // CHECK: %[[U:.*]] = row.map ins(%{{.*}}, %{{.*}} : f32, !row.tile<f32>)
  // CHECK: %[[F:.*]] = row.map keep ins(%[[U]] : !row.tile<f32>)
  // CHECK: math.tanh %{{[^ ]*}} : f32
  // CHECK: %[[E:.*]] = row.map keep ins(%[[U]] : !row.tile<f32>)
  // CHECK: math.exp
  // CHECK: %[[R:.*]] = row.map keep ins(%[[E]] : !row.tile<f32>)
  // CHECK: arith.divf
  // CHECK: %[[D:.*]] = row.map ins(%[[E]], %[[R]] :
  // CHECK: %[[G:.*]] = row.map ins(%{{.*}}, %[[D]] : !row.tile<f32>, !row.tile<f32>)
  // CHECK: row.store
  // CHECK: row.accumulate %{{.*}}, %{{.*}} to scalar
  // CHECK: %[[P:.*]] = row.map ins(%{{.*}}, %[[F]] : !row.tile<f32>, !row.tile<f32>)
  // CHECK: row.accumulate %[[P]], %{{.*}} to cols
  // CHECK: row.accumulate %{{.*}}, %{{.*}} to cols
  // CHECK-NOT: math.exp
  // CHECK-NOT: math.tanh
  norm.dyt_backward dy(%dy : memref<?x?xf32>) x(%x : memref<?x?xf32>) alpha(%a : memref<f32>)
    weight(%w : memref<?xf32>) outs dx(%dx : memref<?x?xf32>) dalpha(%da : memref<f32>)
    dweight(%dw : memref<?xf32>) dbias(%db : memref<?xf32>)
  return
}

// -----

// In f64 tanh itself is called; dx alone needs no tanh, and dweight alone no exponential.
// CHECK-LABEL: func @wide
func.func @wide(%dy: memref<?x?xf64>, %x: memref<?x?xf64>, %a: memref<f64>,
                %dx: memref<?x?xf64>, %dw: memref<?xf64>) {
  // CHECK: row.kernel
  // CHECK-NOT: math.tanh
  // CHECK: math.exp {{.*}} : f64
  // CHECK-NOT: math.tanh
  norm.dyt_backward dy(%dy : memref<?x?xf64>) x(%x : memref<?x?xf64>) alpha(%a : memref<f64>)
    outs dx(%dx : memref<?x?xf64>)
  // CHECK: row.kernel
  // CHECK-NOT: math.exp
  // CHECK: math.tanh %{{[^ ]*}} : f64
  // CHECK-NOT: math.exp
  // CHECK: return
  norm.dyt_backward dy(%dy : memref<?x?xf64>) x(%x : memref<?x?xf64>) alpha(%a : memref<f64>)
    outs dweight(%dw : memref<?xf64>)
  return
}

// -----

// CHECK-LABEL: func @backward_erf
func.func @backward_erf(%dy: memref<?x?xf32>, %x: memref<?x?xf32>, %a: memref<f32>,
                        %s: memref<f32>, %ds: memref<f32>) {
  // CHECK: row.map keep
  // CHECK: arith.constant 1.12837923 : f32
  // CHECK: math.exp
  // CHECK-NOT: math.erf
  // CHECK: row.accumulate %{{.*}}, %{{.*}} to scalar
  norm.dyt_backward dy(%dy : memref<?x?xf32>) x(%x : memref<?x?xf32>) alpha(%a : memref<f32>)
    shift(%s : memref<f32>) outs dshift(%ds : memref<f32>)
    {activation = #norm.activation<erf>}
  return
}

// -----

// The hardware's tanh in a backward only where it is asked for.
// CHECK-LABEL: func @approximate
func.func @approximate(%dy: memref<?x?xbf16>, %x: memref<?x?xbf16>, %a: memref<f32>,
                       %dx: memref<?x?xbf16>) {
  // CHECK: math.tanh %{{.*}} fastmath<afn> : f32
  // CHECK: math.fma
  norm.dyt_backward dy(%dy : memref<?x?xbf16>) x(%x : memref<?x?xbf16>) alpha(%a : memref<f32>)
    outs dx(%dx : memref<?x?xbf16>) {accuracy = #norm.accuracy<approximate>}
  return
}

// -----

// CHECK-LABEL: func @dbias_only
func.func @dbias_only(%dy: memref<?x?xf32>, %x: memref<?x?xf32>, %a: memref<f32>,
                      %db: memref<?xf32>) {
  // CHECK: row.kernel ins(%{{[^,]*}} : memref<?x?xf32>) outs(%{{[^,]*}} : memref<?xf32>)
  norm.dyt_backward dy(%dy : memref<?x?xf32>) x(%x : memref<?x?xf32>) alpha(%a : memref<f32>)
    outs dbias(%db : memref<?xf32>)
  return
}
