// RUN: normc compile %s -o %t.nrmk --target=host:x86-64-v4 --remarks 2>&1 | FileCheck %s
// RUN: normc compile %s -o %t.nrmk --target=host:x86-64-v4 2>&1 | count 0

// CHECK: remarks.mlir:[[@LINE+8]]:3: remark: [Passed] strategy
// CHECK-SAME: Strategy=direct
// CHECK: remarks.mlir:[[@LINE+6]]:3: remark: [Passed] strategy
// CHECK-SAME: Strategy=partials
// CHECK: remark: [Passed] tiling
// CHECK-SAME: Tiling="#row.tiling<

func.func @f(%x: memref<?x256xf32>, %dy: memref<?x256xf32>, %rstd: memref<?xf32>, %dx: memref<?x256xf32>, %dweight: memref<256xf32>) {
  norm.rms_norm_backward dy(%dy : memref<?x256xf32>) x(%x : memref<?x256xf32>)
      rstd(%rstd : memref<?xf32>)
      outs dx(%dx : memref<?x256xf32>) dweight(%dweight : memref<256xf32>)
  return
}
