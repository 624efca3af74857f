// Where no bits depend on it, a grid of clusters is what the driver says of the device: for
// every part of an architecture, and for slices of one. Partials follow from the number of
// compute units alone, since the driver's answer is another after an update.
// RUN: normc compile %s --target=cuda:sm_90 --ptxas=off --emit=manifest -o - | FileCheck %s

// CHECK-LABEL: entry forward,
// CHECK: launch 0 rms_norm_bf16_n65536, grid min(s0 * [[SIZE:[0-9]+]], resident_clusters * [[SIZE]]), {{.*}}, cluster [[SIZE]],
func.func @forward(%x: memref<?x65536xbf16> {norm.name = "x"},
                   %y: memref<?x65536xbf16> {norm.name = "y"}) {
  norm.rms_norm x(%x : memref<?x65536xbf16>) outs y(%y : memref<?x65536xbf16>)
      epsilon = 1.0e-5
  return
}

// CHECK-LABEL: entry backward,
// CHECK-NOT: resident_clusters
// CHECK: launch 0 rms_norm_backward_bf16_f32_n65536, grid {{.*}}compute_units{{.*}}, cluster
// CHECK-NOT: resident_clusters
func.func @backward(%dy: memref<?x65536xbf16> {norm.name = "dy"},
                    %x: memref<?x65536xbf16> {norm.name = "x"},
                    %rstd: memref<?xf32> {norm.name = "rstd"},
                    %dx: memref<?x65536xbf16> {norm.name = "dx"},
                    %dweight: memref<65536xbf16> {norm.name = "dweight"}) {
  norm.rms_norm_backward dy(%dy : memref<?x65536xbf16>) x(%x : memref<?x65536xbf16>)
      rstd(%rstd : memref<?xf32>) outs dx(%dx : memref<?x65536xbf16>)
      dweight(%dweight : memref<65536xbf16>)
  return
}
