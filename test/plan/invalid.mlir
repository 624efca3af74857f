// RUN: norm-opt %s -split-input-file -verify-diagnostics

// expected-error@below {{expected as many params as region arguments, 1, but got 0 (entry_c1)}}
plan.entry @e symbols = 1 params = [] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
  }
}

// -----

// expected-error@below {{expected parameter x to be a memref of rank 1 and 'f32', but got 'memref<?x8xf32>' (entry_c1)}}
plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
  }
}

// -----

// expected-error@below {{expected parameter x to be a memref of rank 2 and 'f16', but got 'memref<?x8xf32>' (entry_c1)}}
plan.entry @e symbols = 1 params = [#plan.param<"x", in, f16, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
  }
}

// -----

// expected-error@below {{expected contiguous_dims of x from 0 to its rank 2, but got 3 (entry_c1)}}
plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 3>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
  }
}

// -----

plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  // expected-error@below {{expected plan.variant alone in an entry (entry_c2)}}
  %c = arith.constant 1 : index
  plan.variant guards = [] {
  }
}

// -----

// expected-error@below {{expected the last variant to have no guards, because it must always work (entry_c2)}}
plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [#plan.guard<aligned, param = 0, value = 16>] {
  }
}

// -----

// expected-error@below {{expected the last variant to have no guards, because it must always work (entry_c2)}}
plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
}

// -----

// expected-error@below {{expected a dimension that is symbol s0 alone, because launches bind it there (entry_c3)}}
plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0 * 2, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
  }
}

// -----

// expected-error@below {{expected at least 0 symbols, but got -1 (entry_c3)}}
plan.entry @e symbols = -1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
  }
}

// -----

// expected-error@below {{expected a shape to be a map from 0 dimensions and 4 symbols, because the entry has that many with the device's three, but got affine_map<()[s0] -> (s0, 8)> (entry_c4)}}
plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
  }
}

// -----

// expected-error@below {{expected a shape not to use s1, because that is not known there}}
plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, s1), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
  }
}

// -----

// expected-error@below {{expected a requirement not to use s2, because that is not known there}}
plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] requirements = [#plan.requirement<"cols", expr = ()[s0, s1, s2, s3] -> (s2), at_least = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
  }
}

// -----

// expected-error@below {{expected a requirement to have one result}}
plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] requirements = [#plan.requirement<"cols", expr = ()[s0, s1, s2, s3] -> (s0, s0), at_least = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
  }
}

// -----

// expected-error@below {{expected a name of its own for each parameter, but got "x" (entry_c5)}}
plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>, #plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>, %y: memref<?x8xf32>):
  plan.variant guards = [] {
  }
}

// -----

// expected-error@below {{expected parameter x to be of f16, bf16, f32 or f64, but got 'i32' (entry_c1)}}
plan.entry @e symbols = 1 params = [#plan.param<"x", in, i32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xi32>):
  plan.variant guards = [] {
  }
}

// -----

plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  // expected-error@below {{expected a guard's param below 1, because the entry has that many, but got 1 (variant_c1)}}
  plan.variant guards = [#plan.guard<collapsible, param = 1, value = 1>] {
  }
  plan.variant guards = [] {
  }
}

// -----

plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  // expected-error@below {{expected a guard's value from 0 to 2, because x has that rank, but got 3 (variant_c1)}}
  plan.variant guards = [#plan.guard<collapsible, param = 0, value = 3>] {
  }
  plan.variant guards = [] {
  }
}

// -----

plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  // expected-error@below {{expected a guard not to use s2, because that is not known there}}
  plan.variant guards = [#plan.guard<at_least, value = 3, expr = ()[s0, s1, s2, s3] -> (s2)>] {
  }
  plan.variant guards = [] {
  }
}

// -----

plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  // expected-error@below {{expected a guard to have one result}}
  plan.variant guards = [#plan.guard<at_least, value = 3, expr = ()[s0, s1, s2, s3] -> (s0, s0)>] {
  }
  plan.variant guards = [] {
  }
}

// -----

// expected-error@+1 {{expected expr alone, because that is what at_most asks about}}
#g = #plan.guard<at_most, param = 0, value = 3>

// -----

// expected-error@+1 {{expected param alone, because that is what aligned asks about}}
#g = #plan.guard<aligned, value = 3>

// -----

// expected-error@+1 {{expected an alignment of at least 1 byte, but got 0}}
#g = #plan.guard<aligned, param = 0, value = 0>

// -----

// expected-error@+1 {{expected buffer and dim alone, because row_stride is made from that}}
#a = #plan.arg<row_stride, buffer = 0>

// -----

// expected-error@+1 {{expected buffer alone, because pointer is made from that}}
#a = #plan.arg<pointer, buffer = 0, dim = 1>

// -----

// expected-error@+1 {{expected expr alone, because expr is made from that}}
#a = #plan.arg<expr, buffer = 0, expr = ()[s0, s1, s2, s3] -> (s0)>

// -----

plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
    // expected-error@below {{expected bytes to have one result}}
    %w = plan.workspace bytes = ()[s0, s1, s2, s3] -> (s0, s0) : memref<?xf32>
  }
}

// -----

plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
    // expected-error@below {{expected bytes not to use s2, because that is not known there}}
    %w = plan.workspace bytes = ()[s0, s1, s2, s3] -> (s2) : memref<?xf32>
  }
}

// -----

func.func private @k(memref<?x8xf32>)
plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
    %w = memref.alloc() : memref<4x8xf32>
    %x2 = memref.cast %w : memref<4x8xf32> to memref<?x8xf32>
    // expected-error@below {{expected buffer 0 to be a parameter of the entry or a plan.workspace (launch_c1)}}
    plan.launch @k grid = ()[s0, s1, s2, s3] -> (s0) workgroup_size = 1 buffers(%x2 : memref<?x8xf32>) args = []
  }
}

// -----

func.func private @k(memref<?x8xf32>)
plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
    // expected-error@below {{expected at least one result of grid}}
    plan.launch @k grid = ()[s0, s1, s2, s3] -> () workgroup_size = 1 buffers(%x : memref<?x8xf32>) args = []
  }
}

// -----

func.func private @k(memref<?x8xf32>)
plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
    // expected-error@below {{expected workgroup_size and cluster_size of at least 1 and dynamic_shared_bytes of at least 0, but got 0, 1 and 0 (launch_c2)}}
    plan.launch @k grid = ()[s0, s1, s2, s3] -> (s0) workgroup_size = 0 buffers(%x : memref<?x8xf32>) args = []
  }
}

// -----

func.func private @k(memref<?x8xf32>)
plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
    // expected-error@below {{expected an argument's buffer below 1, because the launch has that many, but got 1 (launch_c3)}}
    plan.launch @k grid = ()[s0, s1, s2, s3] -> (s0) workgroup_size = 1 buffers(%x : memref<?x8xf32>) args = [#plan.arg<pointer, buffer = 1>]
  }
}

// -----

func.func private @k(memref<?x8xf32>)
plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
    %w = plan.workspace bytes = ()[s0, s1, s2, s3] -> (s0) : memref<?x8xf32>
    // expected-error@below {{expected a stride of a parameter, because a workspace has no strides of its own, but got buffer 0 (launch_c3)}}
    plan.launch @k grid = ()[s0, s1, s2, s3] -> (s0) workgroup_size = 1 buffers(%w : memref<?x8xf32>) args = [#plan.arg<stride, buffer = 0, dim = 0>]
  }
}

// -----

func.func private @k(memref<?x8xf32>)
plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
    // expected-error@below {{expected dim below 2, because x has that rank, but got 2 (launch_c3)}}
    plan.launch @k grid = ()[s0, s1, s2, s3] -> (s0) workgroup_size = 1 buffers(%x : memref<?x8xf32>) args = [#plan.arg<stride, buffer = 0, dim = 2>]
  }
}

// -----

func.func private @k(memref<?x8xf32>)
plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
    // expected-error@below {{expected dim at most 2, because x has that rank, but got 3 (launch_c3)}}
    plan.launch @k grid = ()[s0, s1, s2, s3] -> (s0) workgroup_size = 1 buffers(%x : memref<?x8xf32>) args = [#plan.arg<row_stride, buffer = 0, dim = 3>]
  }
}

// -----

func.func private @k(memref<?x8xf32>)
plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
    // expected-error@below {{expected a collapsible guard on x, because its row stride is an argument, but the variant has none (launch_c4)}}
    plan.launch @k grid = ()[s0, s1, s2, s3] -> (s0) workgroup_size = 1 buffers(%x : memref<?x8xf32>) args = [#plan.arg<row_stride, buffer = 0, dim = 0>]
  }
}

// -----

func.func private @k(memref<?x8xf32>)
plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
    // expected-error@below {{expected an argument to have one result}}
    plan.launch @k grid = ()[s0, s1, s2, s3] -> (s0) workgroup_size = 1 buffers(%x : memref<?x8xf32>) args = [#plan.arg<expr, expr = ()[s0, s1, s2, s3] -> (s0, s1)>]
  }
}

// -----

plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
    // expected-error@below {{expected @missing to be a function of the module (launch_c5)}}
    plan.launch @missing grid = ()[s0, s1, s2, s3] -> (s0) workgroup_size = 1 buffers(%x : memref<?x8xf32>) args = []
  }
}

// -----

func.func private @k(memref<?x8xf32>)
plan.entry @e symbols = 1 params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8), contiguous_dims = 1>] {
^bb0(%x: memref<?x8xf32>):
  plan.variant guards = [] {
    // expected-error@below {{expected a launch ahead of a dependent one, because its kernel waits for that, but got none (launch_c6)}}
    plan.launch @k grid = ()[s0, s1, s2, s3] -> (s0) workgroup_size = 1 buffers(%x : memref<?x8xf32>) args = [#plan.arg<pointer, buffer = 0>] {dependent}
  }
}
