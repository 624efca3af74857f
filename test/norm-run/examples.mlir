// Every entry of the examples against the float64 reference, from a package and straight
// from the source.
//
// RUN: normc compile %examples/layer_norm.mlir -o %t.nrmk
// RUN: norm-run %t.nrmk layer_norm --check --in x=normal:0:37x1024 weight=normal:1 \
// RUN:     bias=normal:2 | FileCheck %s --check-prefix=FORWARD
// RUN: norm-run %t.nrmk layer_norm_backward --check --in dy=normal:0:300x1024 \
// RUN:     x=normal:1 mean=const:0.1 rstd=uniform:2::0.5:1 weight=normal:3 \
// RUN:   | FileCheck %s --check-prefix=BACKWARD
// RUN: norm-run %examples/rms_norm.mlir rms_norm --check --in x=normal:0:4x33x100 \
// RUN:     weight=normal:1 | FileCheck %s --check-prefixes=CHECK
// RUN: norm-run %examples/rms_norm.mlir rms_norm_backward --check \
// RUN:     --in dy=normal:0:3x50x100 --in-default uniform:1 | FileCheck %s
// RUN: norm-run %examples/dyt.mlir dyt --check --in x=normal:0:19x768 \
// RUN:     --in-default normal:1 | FileCheck %s
// RUN: norm-run %examples/dyt.mlir dyt_backward --check --in x=normal:0:200x768 \
// RUN:     --in-default normal:1 | FileCheck %s

// One head of a packed qkv, at an odd address, without a copy.
// RUN: norm-run %examples/rms_norm.mlir query_norm --check --in q=normal:0:64x8x128 \
// RUN:     weight=normal:1 --stride q=3072,128,1 --offset q=1 | FileCheck %s

// No rows at all: the gradients are zero.
// RUN: norm-run %t.nrmk layer_norm_backward --check --in dy=normal:0:0x1024 \
// RUN:     --in-default normal:1 | FileCheck %s --check-prefix=BACKWARD

// As many threads as one asks for, and the same numbers.
// RUN: norm-run %t.nrmk layer_norm_backward --device host:1 --in dy=normal:0:300x1024 \
// RUN:     --in-default normal:1 --out dweight=%t.1.bin dx=%t.dx1.bin
// RUN: norm-run %t.nrmk layer_norm_backward --device host:3 --in dy=normal:0:300x1024 \
// RUN:     --in-default normal:1 --out dweight=%t.3.bin dx=%t.dx3.bin
// RUN: cmp %t.1.bin %t.3.bin
// RUN: cmp %t.dx1.bin %t.dx3.bin

// CHECK: output {{ *}}type {{ *}}max abs {{ *}}max rel {{ *}}max ulp {{ *}}worst {{ *}}tolerance
// CHECK-NOT: FAIL
// CHECK: {{[yd]}}{{.*}} ok
// CHECK-NOT: FAIL

// FORWARD: layer_norm on host
// FORWARD: y {{ *}}bf16[37x1024] {{.*}} ok
// FORWARD-NEXT: mean {{ *}}f32[37] {{.*}} ok
// FORWARD-NEXT: rstd {{ *}}f32[37] {{.*}} ok

// BACKWARD: dx {{ *}}bf16[{{(300|0)}}x1024] {{.*}} ok
// BACKWARD-NEXT: dweight {{ *}}f32[1024] {{.*}} ok
// BACKWARD-NEXT: dbias {{ *}}f32[1024] {{.*}} ok
