#!/usr/bin/env python3
"""Times the host target against PyTorch's CPU kernels and a copy of the same bytes.

Needs a build (scripts/test makes one) and a Python with PyTorch:

  python3 -m venv .venv && .venv/bin/pip install torch
  .venv/bin/python bench/host.py

All three run in one process, in turns, each with the same number of threads; a figure is
the median over the turns. Bytes count each input and each output once. The percentage is
of the faster of two copies of as many bytes: torch's copy_, and memcpy by threads.
Results are compared with torch's in f64, so that no wrong kernel is praised.

Everything is measured twice. "torch" is PyTorch as it comes: each call returns new
tensors, and large ones get new pages, which the system has to clear. "kernels" is the same
calls with a malloc that uses freed memory again: what torch's kernels alone take. normc
writes to tensors that its caller has.
"""
import argparse
import ctypes
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import normrt  # noqa: E402
import report  # noqa: E402
from programs import DIRECTIONS, OPS, Program  # noqa: E402

try:
    import torch
except ImportError:
    sys.exit("error: expected PyTorch, because the benchmark compares with it:\n"
             "  python3 -m venv .venv && .venv/bin/pip install torch\n"
             "  .venv/bin/python bench/host.py")

SHAPES = ((401408, 24), (65536, 128), (16384, 1024), (2048, 8192))
TYPES = ("f32", "bf16")
TORCH_TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
EPSILON = 1e-5
# Between turns, so that a thread pool that still spins for work does not take a core
# from the next one.
PAUSE_SECONDS = 0.002


def keep_freed_memory():
    """From here on malloc hands torch the memory that its earlier results had."""
    m_mmap_max, m_trim_threshold = -4, -1
    libc = ctypes.CDLL(None)
    libc.mallopt(m_mmap_max, 0)
    libc.mallopt(m_trim_threshold, 2**31 - 1)


def make_tensors(program):
    """Inputs that resemble activations; outputs filled with NaN, so that none is missed."""
    generator = torch.Generator().manual_seed(1)
    tensors = {}
    for param in program.params:
        shape = param.shape(program.rows, program.cols)
        dtype = TORCH_TYPES[param.type]
        if param.is_output:
            tensors[param.name] = torch.full(shape, float("nan"), dtype=dtype)
        elif param.kind == "scalar":
            tensors[param.name] = torch.full(shape, 0.5, dtype=dtype)
        else:
            tensors[param.name] = torch.randn(shape, generator=generator).to(dtype)
    if "mean" in tensors and program.direction == "backward":
        tensors["mean"] = tensors["x"].float().mean(-1)
    if "rstd" in tensors and program.direction == "backward":
        x = tensors["x"].double()
        square = x.var(-1, unbiased=False) if program.op == "layer_norm" else (x * x).mean(-1)
        tensors["rstd"] = (square + EPSILON).rsqrt().float()
    return tensors


def torch_forward(op, t, cols):
    if op == "layer_norm":
        return torch.nn.functional.layer_norm(t["x"], (cols,), t["weight"], t["bias"], EPSILON)
    if op == "rms_norm":
        return torch.nn.functional.rms_norm(t["x"], (cols,), t["weight"], EPSILON)
    return torch.tanh(t["alpha"] * t["x"]) * t["weight"] + t["bias"]


def torch_call(program, tensors):
    """A function that runs torch's kernels, and the results' names in its order."""
    op, cols = program.op, program.cols
    if program.direction == "forward":
        def forward():
            with torch.no_grad():
                return (torch_forward(op, tensors, cols),)
        return forward, ("y",)
    if op == "layer_norm":
        t = tensors
        # Where all types agree, torch keeps the statistics in that type.
        mean = t["mean"].to(t["x"].dtype).unsqueeze(-1)
        rstd = t["rstd"].to(t["x"].dtype).unsqueeze(-1)
        bias = torch.zeros_like(t["weight"])

        def layer_norm_backward():
            return torch.ops.aten.native_layer_norm_backward(
                t["dy"], t["x"], [cols], mean, rstd, t["weight"], bias, [True, True, True])
        return layer_norm_backward, ("dx", "dweight", "dbias")
    # The backward alone, of a graph that is made once.
    names = ("x", "weight") if op == "rms_norm" else ("x", "alpha", "weight", "bias")
    leaves = {name: tensors.get(name, torch.zeros(cols, dtype=tensors["x"].dtype))
              .clone().requires_grad_() for name in names}
    y = torch_forward(op, leaves, cols)

    def backward():
        return torch.autograd.grad(y, list(leaves.values()), tensors["dy"], retain_graph=True)
    return backward, tuple("d" + name for name in names)


def worst_difference(program, tensors):
    """The largest distance of a result from torch's in f64, over its largest magnitude."""
    worst = 0.0
    call, names = torch_call(program, {name: each.double() for name, each in tensors.items()})
    for name, right in zip(names, call()):
        ours = tensors[name].double()
        difference = ((ours - right.reshape(ours.shape)).abs().max() / right.abs().max()).item()
        worst = max(worst, difference) if difference == difference else float("inf")
    return worst


class ThreadedCopy:
    """memcpy of one buffer to another, split over threads that wait for work."""

    def __init__(self, size, threads):
        half = size // 2
        self.source = torch.ones(half, dtype=torch.uint8)
        self.target = torch.zeros(half, dtype=torch.uint8)
        self.barrier = threading.Barrier(threads)
        bounds = [half * index // threads for index in range(threads + 1)]
        self.parts = [(self.target.data_ptr() + low, self.source.data_ptr() + low, high - low)
                      for low, high in zip(bounds, bounds[1:])]
        self.running = True
        self.threads = [threading.Thread(target=self.work, args=(part,), daemon=True)
                        for part in self.parts[1:]]
        for thread in self.threads:
            thread.start()

    def work(self, part):
        while True:
            self.barrier.wait()
            if not self.running:
                return
            ctypes.memmove(*part)
            self.barrier.wait()

    def __call__(self):
        self.barrier.wait()
        ctypes.memmove(*self.parts[0])
        self.barrier.wait()

    def close(self):
        self.running = False
        self.barrier.wait()
        for thread in self.threads:
            thread.join()


def measure(calls, turns):
    """The median time in seconds of each call, all taken in turns."""
    times = {name: [] for name in calls}
    for turn in range(turns + 2):
        for name, call in calls.items():
            time.sleep(PAUSE_SECONDS)
            began = time.perf_counter()
            call()
            elapsed = time.perf_counter() - began
            if turn >= 2:  # the first two warm up
                times[name].append(elapsed)
    return {name: statistics.median(values) for name, values in times.items()}


def compile_program(normc, program, folder):
    """Compiles in a process of its own; the package and the seconds it took."""
    source, package = folder / "program.mlir", folder / "program.nrmk"
    source.write_text(program.text())
    began = time.perf_counter()
    done = subprocess.run([str(normc), "compile", str(source), "--target=host", "-o", str(package)],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"error: normc compile failed for {program.title}\n{done.stderr}{program.text()}")
    return package, time.perf_counter() - began


def run_case(program, runtime, arguments, folder):
    """The medians of one program, in seconds, and what else the report says of it."""
    package, compile_seconds = compile_program(arguments.normc, program, folder)
    tensors = make_tensors(program)
    entry = runtime.load(package, program.entry)
    launch = entry.bind([normrt.tensor(tensors[p.name].data_ptr(), tensors[p.name].shape, p.type)
                         for p in program.params])
    launch()
    difference = worst_difference(program, tensors)
    size = program.bytes
    source = torch.ones(size // 2, dtype=torch.uint8)
    target = torch.zeros(size // 2, dtype=torch.uint8)
    memcpy = ThreadedCopy(size, arguments.threads)
    times = measure({"normc": launch, "torch": torch_call(program, tensors)[0],
                     "copy_": lambda: target.copy_(source), "memcpy": memcpy}, arguments.turns)
    memcpy.close()
    entry.release()
    return times, difference, compile_seconds


def summarize(program, fresh, reused):
    """One case of the report, from a run of each kind."""
    first, _, _ = fresh
    times, difference, compile_seconds = reused
    copy = min(times["copy_"], times["memcpy"])
    return {
        "title": program.title, "op": program.op, "direction": program.direction,
        "rows": program.rows, "cols": program.cols, "type": program.type,
        "static_rows": program.static_rows, "bytes": program.bytes,
        "difference": difference, "compile_ms": compile_seconds * 1e3,
        "normc_ms": times["normc"] * 1e3, "torch_ms": first["torch"] * 1e3,
        "kernels_ms": times["torch"] * 1e3, "torch_copy_ms": times["copy_"] * 1e3,
        "memcpy_ms": times["memcpy"] * 1e3,
        "ratio": first["torch"] / first["normc"],
        "kernels_ratio": times["torch"] / times["normc"],
        "normc_gb_per_s": program.bytes / times["normc"] / 1e9,
        "copy_gb_per_s": program.bytes / copy / 1e9,
        "normc_percent": 100 * copy / times["normc"],
        "torch_percent": 100 * copy / first["torch"],
        "kernels_percent": 100 * copy / times["torch"],
    }


def programs(arguments):
    for op in arguments.ops:
        for direction in arguments.directions:
            for rows, cols in arguments.shapes:
                for type_name in arguments.types:
                    yield Program(op, direction, rows, cols, type_name, arguments.static_rows)


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shape = lambda text: tuple(int(size) for size in text.split("x"))
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=15, help="measurements of each (default 15)")
    parser.add_argument("--ops", nargs="+", choices=OPS, default=OPS)
    parser.add_argument("--directions", nargs="+", choices=DIRECTIONS, default=DIRECTIONS)
    parser.add_argument("--types", nargs="+", choices=TYPES, default=TYPES)
    parser.add_argument("--shapes", nargs="+", type=shape, default=SHAPES, metavar="ROWSxCOLS")
    parser.add_argument("--static-rows", action="store_true",
                        help="compile for exactly these rows (default: rows are dynamic)")
    parser.add_argument("--out", type=Path, metavar="PREFIX",
                        help="also write PREFIX.json, PREFIX.svg and PREFIX.md "
                        "(docs/benchmarks/host for those of the documentation)")
    arguments = parser.parse_args()
    arguments.normc = arguments.build / "bin" / "normc"
    arguments.library = arguments.build / "lib" / "libnormrt.so"
    for path in (arguments.normc, arguments.library):
        if not path.exists():
            parser.error(f"expected {path}; build first (scripts/test does)")
    return arguments


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown processor"


def main():
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    runtime = normrt.Runtime(arguments.library, f"host:{arguments.threads}")
    print(f"{processor()}; {runtime.description()}; PyTorch {torch.__version__}")
    results, wrong = [], []
    with tempfile.TemporaryDirectory() as folder:
        todo = list(programs(arguments))
        fresh = []
        for index, program in enumerate(todo, 1):
            if sys.stderr.isatty():
                print(f"\r\033[K[{index}/{len(todo)}] {program.title}", end="", file=sys.stderr,
                      flush=True)
            fresh.append(run_case(program, runtime, arguments, Path(folder)))
        keep_freed_memory()
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        print(f"{'':46s} {'normc ms':>9s} {'torch ms':>9s} {'ratio':>6s} {'kernels':>8s} "
              f"{'ratio':>6s} {'GB/s':>6s} {'of copy':>7s} {'copy GB/s':>9s}")
        for program, first in zip(todo, fresh):
            case = summarize(program, first, run_case(program, runtime, arguments, Path(folder)))
            results.append(case)
            print(f"{case['title']:46s} {case['normc_ms']:9.3f} {case['torch_ms']:9.3f} "
                  f"{case['ratio']:6.2f} {case['kernels_ms']:8.3f} {case['kernels_ratio']:6.2f} "
                  f"{case['normc_gb_per_s']:6.1f} {case['normc_percent']:6.0f}% "
                  f"{case['copy_gb_per_s']:9.1f}", flush=True)
            # Catches a wrong kernel, no more: the tests hold the derived bounds. Half a
            # unit of bf16 is 2e-3; the sum for dalpha cancels to 1e-3 of its terms.
            if not case["difference"] <= (1e-2 if program.type == "bf16" else 1e-3):
                wrong.append(f"{program.title}: off by {case['difference']:.3g} of the largest")
    print(report.closing(results))
    if arguments.out:
        about = {"processor": processor(), "device": runtime.description(),
                 "torch": torch.__version__, "threads": arguments.threads,
                 "turns": arguments.turns}
        report.write(arguments.out, about, results)
    for line in wrong:
        print(f"wrong result: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
