// PTX of tiles that are copied ahead: bulk copies and their barriers from sm_90 on, copies
// of lanes on sm_80; results that leave by bulk copies; rows that a cluster shares; and
// accesses of less than 16 bytes.

// REQUIRES: tool-normc
// RUN: split-file %s %t
// RUN: normc compile %t/bulk.mlir --target=cuda:sm_90 --emit=asm -o %t/bulk.s
// RUN: FileCheck %t/bulk.mlir --input-file=%t/bulk.s
// RUN: FileCheck %t/bulk.mlir --input-file=%t/bulk.s --check-prefix=ONLY
// RUN: normc compile %t/bulk.mlir --target=cuda:sm_100 --emit=asm \
// RUN:   | FileCheck %t/bulk.mlir --check-prefixes=CHECK,SM100
// RUN: normc compile %t/cluster.mlir --target=cuda:sm_90 --emit=asm | FileCheck %t/cluster.mlir
// RUN: normc compile %t/lanes.mlir --target=cuda:sm_80 --emit=asm | FileCheck %t/lanes.mlir
// RUN: normc compile %t/narrow.mlir --target=cuda:sm_90 --emit=asm | FileCheck %t/narrow.mlir

//--- bulk.mlir
// One lane initializes the barriers of the stages, tells each how many bytes come, and
// asks for them. All lanes wait for the barrier and read the stage. The results take the
// place of the tile and leave once all lanes' stores are seen by the copies; a stage is
// filled again when they are gone.
// SM100: .version 8.6
// CHECK-LABEL: .entry center_bf16_n256(
// CHECK: .maxntid 128, 1, 1
// CHECK: mbarrier.init.shared.b64
// CHECK: fence.mbarrier_init.release.cluster
// CHECK: bar.sync 0
// CHECK: mbarrier.arrive.expect_tx.shared.b64
// CHECK: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
// CHECK-DAG: mbarrier.try_wait.parity.shared.b64
// CHECK-DAG: ld.shared.v4.b32
// CHECK-DAG: shfl.sync.bfly.b32
// CHECK-DAG: st.shared.v4.b32
// CHECK-DAG: fence.proxy.async.shared::cta
// CHECK-DAG: cp.async.bulk.global.shared::cta.bulk_group
// CHECK-DAG: cp.async.bulk.commit_group
// CHECK-DAG: cp.async.bulk.wait_group.read 1
// CHECK-DAG: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
// CHECK-DAG: cp.async.bulk.wait_group.read 0
// No lane loads or stores a tile itself.
// ONLY-LABEL: .entry center_bf16_n256(
// ONLY-NOT: {{(ld|st)[.]global}}
// ONLY-LABEL: .entry center_bf16_n256_unaligned(
// Elsewhere there are neither copies nor barriers.
// CHECK-LABEL: .entry center_bf16_n256_unaligned(
// CHECK-NOT: mbarrier
// CHECK-NOT: cp.async
// CHECK: ld.global.nc.b16
func.func @center(%x: memref<?x256xbf16>, %y: memref<?x256xbf16>) {
  row.kernel ins(%x : memref<?x256xbf16>) outs(%y : memref<?x256xbf16>) norm_dims = 1
      attributes {kernel_name = "center", tiling = #row.tiling<workgroup_size = 128,
                  lanes_per_row = 32, rows_per_tile = 4, vector_elems = 8,
                  min_workgroups_per_cu = 2, loop = persistent, staging = async,
                  stages = 3, store = from_stage, residency = registers>} {
  ^bb0(%in: memref<?x256xbf16>, %out: memref<?x256xbf16>):
    %t = row.load %in : memref<?x256xbf16> -> !row.tile<f32>
    %sum = row.reduce ins(%t : !row.tile<f32>) identities = [0.0 : f32]
        -> !row.vec<rows, f32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      row.yield %s : f32
    }
    %d = row.map ins(%t, %sum : !row.tile<f32>, !row.vec<rows, f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %s: f32):
      %r = arith.subf %a, %s : f32
      row.yield %r : f32
    }
    row.store %d, %out : !row.tile<f32>, memref<?x256xbf16>
  }
  return
}

//--- cluster.mlir
// The size of a cluster is an attribute of the launch, which the kernel does not fix. One
// subgroup more copies. The sums of a row go to the memory and the barrier of every
// workgroup that shares it: the whole cluster waits for each other only at the beginning
// and at the end.
// CHECK-LABEL: .entry center_bf16_n16384(
// CHECK: .maxntid 288, 1, 1
// CHECK: .minnctapersm 1
// CHECK: fence.mbarrier_init.release.cluster
// CHECK: barrier.cluster.arrive
// CHECK: barrier.cluster.wait
// CHECK-NOT: barrier.cluster
// CHECK: mapa.shared::cluster
// CHECK-NOT: barrier.cluster
// CHECK: st.async.shared::cluster.mbarrier::complete_tx::bytes.f32
// CHECK-NOT: barrier.cluster
// CHECK: mbarrier.try_wait.parity.acquire.cluster.shared.b64
// CHECK-NOT: barrier.cluster
// CHECK: mbarrier.arrive.shared.b64
// CHECK-NOT: barrier.cluster
// CHECK: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
// CHECK: barrier.cluster.arrive
// CHECK: barrier.cluster.wait
// CHECK-NOT: barrier.cluster
// Without copies the workgroups write to each other's memory and all wait, in every row.
// CHECK-LABEL: .entry center_bf16_n16384_unaligned(
// CHECK-NOT: mbarrier
// CHECK-DAG: mapa.shared::cluster
// CHECK-DAG: st.shared::cluster
// CHECK-DAG: barrier.cluster.arrive
// CHECK-DAG: barrier.cluster.wait
func.func @center(%x: memref<?x16384xbf16>, %y: memref<?x16384xbf16>) {
  row.kernel ins(%x : memref<?x16384xbf16>) outs(%y : memref<?x16384xbf16>) norm_dims = 1
      attributes {kernel_name = "center", tiling = #row.tiling<workgroup_size = 256,
                  lanes_per_row = 256, cluster_cols = 4, rows_per_tile = 1,
                  vector_elems = 8, min_workgroups_per_cu = 1, loop = persistent,
                  staging = async, stages = 3, residency = shared, skew = 1>} {
  ^bb0(%in: memref<?x16384xbf16>, %out: memref<?x16384xbf16>):
    %t = row.load %in : memref<?x16384xbf16> -> !row.tile<f32>
    %sum = row.reduce ins(%t : !row.tile<f32>) identities = [0.0 : f32]
        -> !row.vec<rows, f32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      row.yield %s : f32
    }
    %d = row.map ins(%t, %sum : !row.tile<f32>, !row.vec<rows, f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %s: f32):
      %r = arith.subf %a, %s : f32
      row.yield %r : f32
    }
    row.store %d, %out : !row.tile<f32>, memref<?x16384xbf16>
  }
  return
}

//--- lanes.mlir
// Every lane copies what it reads itself, 16 bytes past the first cache, and waits for its
// own copies: no barrier.
// CHECK: .target sm_80
// CHECK: .entry negate_bf16_n256(
// CHECK: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16
// CHECK: cp.async.commit_group
// CHECK: cp.async.wait_group 2
// CHECK-NOT: bar.sync
// CHECK-NOT: ld.global
// CHECK: ld.shared.v4.b32
// CHECK: st.global.v4.b32
// CHECK: cp.async.cg.shared.global
// CHECK: .entry negate_bf16_n256_unaligned(
// CHECK-NOT: cp.async
func.func @negate(%x: memref<?x256xbf16>, %y: memref<?x256xbf16>) {
  row.kernel ins(%x : memref<?x256xbf16>) outs(%y : memref<?x256xbf16>) norm_dims = 1
      attributes {kernel_name = "negate", tiling = #row.tiling<workgroup_size = 128,
                  lanes_per_row = 32, rows_per_tile = 4, vector_elems = 8,
                  min_workgroups_per_cu = 2, loop = persistent, staging = async,
                  stages = 3, residency = registers>} {
  ^bb0(%in: memref<?x256xbf16>, %out: memref<?x256xbf16>):
    %t = row.load %in : memref<?x256xbf16> -> !row.tile<f32>
    %n = row.map ins(%t : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32):
      %r = arith.negf %a : f32
      row.yield %r : f32
    }
    row.store %n, %out : !row.tile<f32>, memref<?x256xbf16>
  }
  return
}

//--- narrow.mlir
// Four elements of bf16 are 8 bytes, two are 4.
// CHECK: .entry negate_bf16_n64(
// CHECK-NOT: {{global.*(v4|b16)}}
// CHECK: ld.global.nc.v2.b32
// CHECK-NOT: {{global.*(v4|b16)}}
// CHECK: st.global.v2.b32
// CHECK: .entry pairs_bf16_n64(
// CHECK-NOT: {{global.*(v4|v2|b16)}}
// CHECK: ld.global.nc.b32
// CHECK: st.global.b32
// CHECK-NOT: {{global.*(v4|v2|b16)}}
// CHECK: .entry
func.func @negate(%x: memref<?x64xbf16>, %y: memref<?x64xbf16>) {
  row.kernel ins(%x : memref<?x64xbf16>) outs(%y : memref<?x64xbf16>) norm_dims = 1
      attributes {kernel_name = "negate", tiling = #row.tiling<workgroup_size = 64,
                  lanes_per_row = 16, rows_per_tile = 4, vector_elems = 4,
                  residency = registers>} {
  ^bb0(%in: memref<?x64xbf16>, %out: memref<?x64xbf16>):
    %t = row.load %in : memref<?x64xbf16> -> !row.tile<f32>
    %n = row.map ins(%t : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32):
      %r = arith.negf %a : f32
      row.yield %r : f32
    }
    row.store %n, %out : !row.tile<f32>, memref<?x64xbf16>
  }
  return
}
func.func @pairs(%x: memref<?x64xbf16>, %y: memref<?x64xbf16>) {
  row.kernel ins(%x : memref<?x64xbf16>) outs(%y : memref<?x64xbf16>) norm_dims = 1
      attributes {kernel_name = "pairs", tiling = #row.tiling<workgroup_size = 64,
                  lanes_per_row = 32, rows_per_tile = 2, vector_elems = 2,
                  residency = registers>} {
  ^bb0(%in: memref<?x64xbf16>, %out: memref<?x64xbf16>):
    %t = row.load %in : memref<?x64xbf16> -> !row.tile<f32>
    %n = row.map ins(%t : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32):
      %r = arith.negf %a : f32
      row.yield %r : f32
    }
    row.store %n, %out : !row.tile<f32>, memref<?x64xbf16>
  }
  return
}
