// RUN: norm-run %examples/layer_norm.mlir layer_norm --bench --bench-seconds 0.05 \
// RUN:     --in x=normal:0:128x1024 --in-default normal:1 | FileCheck %s
// RUN: norm-run %examples/layer_norm.mlir layer_norm --bench --bench-seconds=0.05 \
// RUN:     --check --json --device host:1 --in x=normal:0:128x1024 \
// RUN:     --in-default normal:1 | FileCheck %s --check-prefix=JSON
// RUN: norm-run %examples/layer_norm.mlir layer_norm --bench --bench-repeat 7 \
// RUN:     --bench-seconds 0.05 --in x=normal:0:128x1024 --in-default normal:1 \
// RUN:   | FileCheck %s --check-prefix=REPEAT
// REPEAT: , 7 runs,
// RUN: not norm-run %examples/layer_norm.mlir layer_norm --bench --bench-repeat 0 \
// RUN:     --in x=normal:0:128x1024 --in-default normal:1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// NONE: error: expected --bench-repeat to be from 1 to 1000000

// Each input and each output once: 2 * 128 * 1024 * 2 + 2 * 1024 * 4 + 2 * 128 * 4.
// CHECK: time {{[0-9.]+}} us (min {{[0-9.]+}}, {{[0-9]+}} runs, {{[0-9]+}} threads), 533504 bytes, {{[0-9.]+}} GB/s, {{[0-9]+}}% of a copy's {{[0-9.]+}} GB/s

// JSON: "bytes": 533504
// JSON: "copy_bytes_per_s": {{[0-9.]+}}
// JSON: "threads": 1
// JSON: "entry": "layer_norm"
// JSON: "max_ulp": 1,
// JSON-NEXT: "name": "y"
// JSON: "pass": true
// JSON: "stray_writes": []
