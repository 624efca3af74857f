// Arrays from files and to files: .npy, where bf16 stands as f32, and raw elements.
//
// RUN: norm-run %s first --in x=normal:7:5x64 --out y=%t.npy
// RUN: norm-run %s first --in x=normal:7:5x64 --out y=%t.bin
// RUN: norm-run %s first --check --in x=%t.npy | FileCheck %s
// RUN: norm-run %s first --check --in x=%t.bin:5x64 | FileCheck %s
// RUN: norm-run %s first --in x=%t.npy --out y=%t.from-npy.bin
// RUN: norm-run %s first --in x=%t.bin:5x64 --out y=%t.from-bin.bin
// RUN: cmp %t.from-npy.bin %t.from-bin.bin

// A pipe is written to, not replaced by a file.
// RUN: %python -c "import os, subprocess, sys; p = r'%t.pipe.bin'; os.path.exists(p) and os.remove(p); os.mkfifo(p); pipe = os.open(p, os.O_RDONLY | os.O_NONBLOCK); sys.exit(subprocess.run(['norm-run', r'%s', 'first', '--in', 'x=normal:7:5x64', '--out', 'y=' + p]).returncode or len(os.read(pipe, 4096)) == 0)"

// A raw file's shape follows from the others where they say it.
// RUN: norm-run %s add --check --in a=%t.npy b=%t.bin | FileCheck %s --check-prefix=SUM

// CHECK: y {{ *}}bf16[5x64] {{.*}} ok
// SUM: y {{ *}}bf16[5x64] {{.*}} ok

func.func @first(%x: memref<?x64xbf16> {norm.name = "x"},
                 %y: memref<?x64xbf16> {norm.name = "y"}) {
  norm.rms_norm x(%x : memref<?x64xbf16>) outs y(%y : memref<?x64xbf16>)
      epsilon = 1.0e-5
  return
}

func.func @add(%a: memref<?x64xbf16> {norm.name = "a"},
               %b: memref<?x64xbf16> {norm.name = "b"},
               %y: memref<?x64xbf16> {norm.name = "y"}) {
  row.kernel ins(%a, %b : memref<?x64xbf16>, memref<?x64xbf16>)
      outs(%y : memref<?x64xbf16>) norm_dims = 1 attributes {kernel_name = "add"} {
  ^bb0(%ain: memref<?x64xbf16>, %bin: memref<?x64xbf16>, %out: memref<?x64xbf16>):
    %0 = row.load %ain : memref<?x64xbf16> -> !row.tile<f32>
    %1 = row.load %bin : memref<?x64xbf16> -> !row.tile<f32>
    %2 = row.map ins(%0, %1 : !row.tile<f32>, !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%p: f32, %q: f32):
      %r = arith.addf %p, %q : f32
      row.yield %r : f32
    }
    row.store %2, %out : !row.tile<f32>, memref<?x64xbf16>
  }
  return
}
