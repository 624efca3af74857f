// PTX of a forward and of a backward op: what the accesses, the reductions and the
// order of dependent kernels look like. No tool of NVIDIA's is needed.

// REQUIRES: tool-normc
// RUN: normc compile %s --target=cuda:sm_90 --emit=asm -o %t.s
// RUN: FileCheck %s --input-file=%t.s
// RUN: FileCheck %s --input-file=%t.s --check-prefix=NONE
// RUN: normc compile %s --target=cuda:sm_80 --emit=asm | FileCheck %s --check-prefix=SM80
// RUN: normc compile %s --target=cuda:sm_120 --emit=asm | FileCheck %s --check-prefix=SM120

// As old a version as the instructions take.
// CHECK: .version 8.1
// CHECK: .target sm_90
// SM80: .version 8.0
// SM80: .target sm_80
// SM120: .version 8.7
// SM120: .target sm_120

// Aligned: 16 bytes an access, through the read-only path. A row is reduced by shuffles.
// CHECK-LABEL: .entry layer_norm_bf16_f32_n1024(
// CHECK: .maxntid
// CHECK-NOT: ld.global{{.*}}.b16
// CHECK-DAG: ld.global.nc.v4.b32
// CHECK-DAG: shfl.sync.bfly.b32
// CHECK-DAG: st.global.v4.b32
// CHECK-NOT: ld.global{{.*}}.b16

// Unaligned: an element an access.
// CHECK-LABEL: .entry layer_norm_bf16_f32_n1024_unaligned(
// CHECK-NOT: global{{.*}}.v4.b32
// CHECK-DAG: ld.global.nc.b16
// CHECK-DAG: shfl.sync.bfly.b32
// CHECK-DAG: st.global.b16
// CHECK-NOT: global{{.*}}.v4.b32

// Few rows are one cluster, whose workgroups write to each other's memory and store their
// sums themselves.
//
// The kernel of the partials lets its finalize start, which waits before it reads them,
// and reads them past the read-only path.
// CHECK-LABEL: .entry layer_norm_backward_bf16_f32_n1024_few(
// CHECK-NOT: griddepcontrol
// CHECK-DAG: barrier.cluster.arrive
// CHECK-DAG: mapa.shared::cluster
// CHECK-DAG: st.shared::cluster
// CHECK-DAG: barrier.cluster.wait
// CHECK-NOT: griddepcontrol
// CHECK-LABEL: .entry layer_norm_backward_bf16_f32_n1024(
// CHECK: griddepcontrol.launch_dependents
// CHECK: st.global.v4.b32
// CHECK-LABEL: .entry layer_norm_backward_finalize_f32_n1024(
// CHECK-NOT: ld.global
// CHECK: griddepcontrol.wait
// CHECK-NOT: ld.global.nc
// CHECK: ld.global
// CHECK-NOT: ld.global.nc
// CHECK: .entry layer_norm_backward_bf16_f32_n1024_few_unaligned(
// CHECK: .entry layer_norm_backward_bf16_f32_n1024_unaligned(

// No dependent launches before sm_90.
// SM80-NOT: griddepcontrol

// Nothing is called, and nothing kept in local memory by the code generator.
// NONE-NOT: call.uni
// NONE-NOT: .local

func.func @layer_norm(
    %x: memref<?x1024xbf16>, %weight: memref<1024xf32>, %bias: memref<1024xf32>,
    %y: memref<?x1024xbf16>, %mean: memref<?xf32>, %rstd: memref<?xf32>) {
  norm.layer_norm x(%x : memref<?x1024xbf16>) weight(%weight : memref<1024xf32>)
      bias(%bias : memref<1024xf32>) outs y(%y : memref<?x1024xbf16>)
      mean(%mean : memref<?xf32>) rstd(%rstd : memref<?xf32>) epsilon = 1.0e-5
  return
}

func.func @layer_norm_backward(
    %dy: memref<?x1024xbf16>, %x: memref<?x1024xbf16>, %mean: memref<?xf32>,
    %rstd: memref<?xf32>, %weight: memref<1024xf32>, %dx: memref<?x1024xbf16>,
    %dweight: memref<1024xf32>, %dbias: memref<1024xf32>) {
  norm.layer_norm_backward dy(%dy : memref<?x1024xbf16>) x(%x : memref<?x1024xbf16>)
      mean(%mean : memref<?xf32>) rstd(%rstd : memref<?xf32>)
      weight(%weight : memref<1024xf32>) outs dx(%dx : memref<?x1024xbf16>)
      dweight(%dweight : memref<1024xf32>) dbias(%dbias : memref<1024xf32>)
  return
}
