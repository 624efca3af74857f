// RUN: norm-opt %s -norm-attach-target=target=cuda:sm_90 -convert-norm-to-row \
// RUN:   -plan-create-entries | FileCheck %s
// RUN: norm-opt %s -norm-attach-target=target=spirv:pvc -convert-norm-to-row \
// RUN:   -plan-create-entries | FileCheck %s --check-prefix=PVC
// RUN: norm-opt %s -norm-attach-target=target=host:x86-64-v3 -convert-norm-to-row \
// RUN:   -plan-create-entries | FileCheck %s --check-prefix=HOST

// Few rows and many: one launch against partials and a finalize, aligned and not. On a
// chip with clusters one cluster holds few rows, elsewhere one workgroup does. On the host
// one block does, and the outputs of this kernel are not what it adds in.

// CHECK-LABEL: plan.entry @backward
// CHECK:       plan.variant guards = [{{.*}}#plan.guard<at_most, value = [[FEW:[0-9]+]], expr = ()[s0, s1, s2, s3] -> (s0)>, #plan.guard<at_least, value = 16, expr = ()[s0, s1, s2, s3] -> (s1)>] collapsed {
// CHECK:         max_rows = [[FEW]] : i64, strategy = #row.strategy<cluster>
// CHECK:       plan.variant guards = [#plan.guard<aligned
// CHECK-NOT:     at_most
// CHECK-NOT:     strategy
// CHECK:       plan.variant guards = [#plan.guard<at_most, value = [[ANY:[0-9]+]], expr = ()[s0, s1, s2, s3] -> (s0)>, #plan.guard<at_least, value = 16, expr = ()[s0, s1, s2, s3] -> (s1)>] collapsed attributes {norm.target = #norm.target<"cuda:sm_90", any_alignment = true>} {
// CHECK:         max_rows = [[ANY]] : i64, strategy = #row.strategy<cluster>
// CHECK:       plan.variant guards = [] collapsed attributes {norm.target = #norm.target<"cuda:sm_90", portable = true, any_alignment = true>} {
// CHECK-NOT:   plan.variant
// CHECK-LABEL: plan.entry @in_place
// PVC-LABEL:   plan.entry @backward
// PVC:         #plan.guard<at_most, value = [[FEW:[0-9]+]], expr = ()[s0, s1, s2, s3] -> (s0)>] collapsed {
// PVC:           max_rows = [[FEW]] : i64, strategy = #row.strategy<direct>
// PVC:         plan.variant guards = [#plan.guard<aligned
// PVC-NOT:       at_most
// PVC:         plan.variant guards = [#plan.guard<at_most, value = [[ANY:[0-9]+]], expr = ()[s0, s1, s2, s3] -> (s0)>] collapsed
// PVC:           max_rows = [[ANY]] : i64, strategy = #row.strategy<direct>
// PVC:         plan.variant guards = [] collapsed
// HOST-LABEL:  plan.entry @backward
// HOST:        plan.variant guards = [] collapsed {
// HOST-NOT:    plan.variant
// HOST-LABEL:  plan.entry @in_place
// HOST:        plan.variant guards = [#plan.guard<at_most, value = [[FEW:[0-9]+]], expr = ()[s0, s1, s2, s3] -> (s0)>] collapsed {
// HOST:          max_rows = [[FEW]] : i64, strategy = #row.strategy<direct>
// HOST:        plan.variant guards = [] collapsed {
// HOST-NOT:      max_rows
// HOST:        plan.entry @static_rows
func.func @backward(%dy: memref<?x1024xbf16>, %x: memref<?x1024xbf16>,
                    %rstd: memref<?xf32>, %dx: memref<?x1024xbf16>,
                    %dweight: memref<1024xbf16>) {
  norm.rms_norm_backward dy(%dy : memref<?x1024xbf16>) x(%x : memref<?x1024xbf16>)
      rstd(%rstd : memref<?xf32>)
      outs dx(%dx : memref<?x1024xbf16>) dweight(%dweight : memref<1024xbf16>)
  return
}

func.func @in_place(%dy: memref<?x1024xf32>, %x: memref<?x1024xf32>, %rstd: memref<?xf32>,
                    %dx: memref<?x1024xf32>, %dweight: memref<1024xf32>) {
  norm.rms_norm_backward dy(%dy : memref<?x1024xf32>) x(%x : memref<?x1024xf32>)
      rstd(%rstd : memref<?xf32>)
      outs dx(%dx : memref<?x1024xf32>) dweight(%dweight : memref<1024xf32>)
  return
}

// With static rows there is nothing to ask at launch.
// CHECK-LABEL: plan.entry @static_rows
// CHECK-NOT:   at_most
func.func @static_rows(%dy: memref<4096x1024xbf16>, %x: memref<4096x1024xbf16>,
                       %rstd: memref<4096xf32>, %dx: memref<4096x1024xbf16>,
                       %dweight: memref<1024xbf16>) {
  norm.rms_norm_backward dy(%dy : memref<4096x1024xbf16>)
      x(%x : memref<4096x1024xbf16>) rstd(%rstd : memref<4096xf32>)
      outs dx(%dx : memref<4096x1024xbf16>) dweight(%dweight : memref<1024xbf16>)
  return
}

// Wide rows are shared by a cluster, in an order that does not depend on alignment: so a
// variant of clusters for every alignment. What runs on every device has none.
// CHECK-LABEL: plan.entry @wide
// CHECK:       plan.variant guards = [#plan.guard<aligned, {{.*}}#plan.guard<at_least, value = 16, expr = ()[s0, s1, s2, s3] -> (s1)>] collapsed {
// CHECK:       plan.variant guards = [#plan.guard<at_least, value = 16, expr = ()[s0, s1, s2, s3] -> (s1)>] collapsed attributes {norm.target = #norm.target<"cuda:sm_90", any_alignment = true>} {
// CHECK:       plan.variant guards = [] collapsed attributes {norm.target = #norm.target<"cuda:sm_90", portable = true, any_alignment = true>} {
// CHECK-NOT:   plan.variant
func.func @wide(%x: memref<?x65536xbf16>, %y: memref<?x65536xbf16>) {
  norm.layer_norm x(%x : memref<?x65536xbf16>) outs y(%y : memref<?x65536xbf16>)
      epsilon = 1.0e-5
  return
}

// The user's own strategy is every variant's.
// CHECK-LABEL: plan.entry @asked
// CHECK-NOT:   at_most
func.func @asked(%x: memref<?x64xf32>, %sum: memref<64xf32>) {
  row.kernel ins(%x : memref<?x64xf32>) outs(%sum : memref<64xf32>) norm_dims = 1
      attributes {strategy = #row.strategy<partials>} {
  ^bb0(%in: memref<?x64xf32>, %out: memref<64xf32>):
    %0 = row.load %in : memref<?x64xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<64xf32>
  }
  return
}
