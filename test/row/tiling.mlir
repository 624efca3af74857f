// RUN: norm-opt %s -split-input-file -verify-diagnostics | norm-opt -split-input-file | FileCheck %s

// Knobs with their default are not printed; all others are, in one order.
// CHECK: module attributes
// CHECK-SAME: test.all = #row.tiling<workgroup_size = 256, lanes_per_row = 64, cluster_cols = 2, cluster_partials = 4, col_blocks = 3, rows_per_tile = 8, rows_per_workgroup = 128, rows_in_flight = 2, vector_elems = 4, vectors_in_flight = 5, min_workgroups_per_cu = 6, loop = persistent, staging = async, stages = 3, store = own_stage, residency = shared, skew = 1>
// CHECK-SAME: test.defaults = #row.tiling<>
// CHECK-SAME: test.words = #row.tiling<store = from_stage, residency = registers>
module attributes {
  test.all = #row.tiling<skew = 1, loop = persistent, staging = async, stages = 3,
    store = own_stage, residency = shared, workgroup_size = 256, lanes_per_row = 64,
    cluster_cols = 2, cluster_partials = 4, col_blocks = 3, rows_per_tile = 8,
    rows_per_workgroup = 128, rows_in_flight = 2, vector_elems = 4, vectors_in_flight = 5,
    min_workgroups_per_cu = 6>,
  test.defaults = #row.tiling<workgroup_size = 1, loop = one_shot, residency = reload>,
  test.words = #row.tiling<residency = registers, store = from_stage>} {}

// -----

// expected-error@+1 {{expected a knob of #row.tiling (workgroup_size, lanes_per_row, }}
module attributes {test.bad = #row.tiling<workgroups = 3>} {}

// -----

// expected-error@+1 {{knob rows_per_tile is given twice}}
module attributes {test.bad = #row.tiling<rows_per_tile = 3, rows_per_tile = 3>} {}

// -----

// expected-error@+1 {{expected one_shot or persistent, but got forever}}
module attributes {test.bad = #row.tiling<loop = forever>} {}

// -----

// expected-error@+1 {{expected direct or async, but got bulk}}
module attributes {test.bad = #row.tiling<staging = bulk>} {}

// -----

// expected-error@+1 {{expected direct, from_stage or own_stage, but got async}}
module attributes {test.bad = #row.tiling<store = async>} {}

// -----

// expected-error@+1 {{expected registers, shared or reload, but got cache}}
module attributes {test.bad = #row.tiling<residency = cache>} {}

// -----

// expected-error@+1 {{expected integer value}}
module attributes {test.bad = #row.tiling<vector_elems = direct>} {}

// -----

// expected-error@+1 {{expected '='}}
module attributes {test.bad = #row.tiling<vector_elems>} {}
