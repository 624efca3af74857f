#!/usr/bin/env python3
"""Times other implementations on the cells of a norm-bench run, and prints ratios.

  norm-bench --device cuda:0 --json normc.json
  bench/peers.py normc.json --json peers.json

Peers are PyTorch's own kernels (torch), torch.compile (inductor, reset for each cell), and,
where they are installed, Liger-Kernel (liger) and quack. The method is that of norm-bench:
CUDA graphs of at least 20 launches that take turns on sets of tensors which fill the
last-level cache four times, results included; the time of a launch is the median of at
least 11 graphs. A forward with statistics is one whose inputs want gradients. A backward is
autograd's alone, of a forward that ran before, and makes every gradient.

With --device cpu calls are timed by the process's clock, as norm-bench does on the host.
"""
import argparse
import collections
import json
import math
import os
import statistics
import sys
import time

EPSILON = 1e-5
LEAST_LAUNCHES, MOST_SETS, LEAST_REPEATS = 20, 512, 11
OPS = ("layer_norm", "rms_norm", "dyt", "softmax")
# What an op takes: tile, cols or one, and all of it has a gradient.
INPUTS = {
    "layer_norm": {"x": "tile", "weight": "cols", "bias": "cols"},
    "rms_norm": {"x": "tile", "weight": "cols"},
    "dyt": {"x": "tile", "alpha": "one", "weight": "cols", "bias": "cols"},
    "softmax": {"x": "tile"},
}


class Torch:
    """PyTorch's functions, run as they come."""

    name = "torch"

    def __init__(self, torch):
        self.torch = torch

    def forward(self, op):
        functional, torch = self.torch.nn.functional, self.torch
        return {
            "layer_norm": lambda x, weight, bias: functional.layer_norm(
                x, weight.shape, weight, bias, EPSILON),
            "rms_norm": lambda x, weight: functional.rms_norm(x, weight.shape, weight, EPSILON),
            "dyt": lambda x, alpha, weight, bias: torch.tanh(alpha * x) * weight + bias,
            "softmax": lambda x: torch.softmax(x, -1),
        }[op]


class Inductor(Torch):
    """The same functions through torch.compile, which forgets the cell before."""

    name = "inductor"

    def forward(self, op):
        import torch._functorch.config  # pylint: disable=import-outside-toplevel

        self.torch._dynamo.reset()
        # A backward is run many times for one forward.
        self.torch._functorch.config.donated_buffer = False
        return self.torch.compile(super().forward(op), dynamic=False)


class Liger:
    name = "liger"

    def __init__(self, _):
        import liger_kernel.ops  # pylint: disable=import-outside-toplevel,unused-import

    def forward(self, op):
        # pylint: disable=import-outside-toplevel
        if op == "layer_norm":
            from liger_kernel.ops.layer_norm import LigerLayerNormFunction
            return lambda x, weight, bias: LigerLayerNormFunction.apply(x, weight, bias, EPSILON)
        if op == "rms_norm":
            from liger_kernel.ops.rms_norm import LigerRMSNormFunction
            # All in f32, as torch; in place, a backward could not run again.
            return lambda x, weight: LigerRMSNormFunction.apply(x, weight, EPSILON, 0.0, "gemma",
                                                                False)
        if op == "dyt":
            from liger_kernel.ops.dyt import LigerDyTFunction
            return LigerDyTFunction.apply
        from liger_kernel.ops.softmax import LigerSoftmaxFunction
        return LigerSoftmaxFunction.apply


class Quack:
    name = "quack"

    def __init__(self, _):
        import quack  # pylint: disable=import-outside-toplevel,unused-import

    def forward(self, op):
        # pylint: disable=import-outside-toplevel
        if op == "layer_norm":
            from quack.rmsnorm import layernorm_fwd
            # Its parameters are f32.
            return lambda x, weight, bias: layernorm_fwd(x, weight.float(), bias.float(),
                                                         eps=EPSILON)
        if op == "rms_norm":
            from quack.rmsnorm import rmsnorm
            return lambda x, weight: rmsnorm(x, weight, eps=EPSILON)
        if op == "softmax":
            from quack.softmax import softmax
            return softmax
        raise NotImplementedError("quack has no dyt")


PEERS = {peer.name: peer for peer in (Torch, Inductor, Liger, Quack)}


class Bench:
    """Tensors, launches and times on one device of torch."""

    def __init__(self, torch, device, seconds):
        self.torch, self.device, self.seconds = torch, device, seconds
        self.is_cuda = device.startswith("cuda")
        self.stream = torch.cuda.Stream() if self.is_cuda else None

    def cache_bytes(self):
        return self.torch.cuda.get_device_properties(self.device).L2_cache_size

    def tensors(self, cell, wants_gradients):
        dtype = {"bf16": self.torch.bfloat16, "f16": self.torch.float16,
                 "f32": self.torch.float32, "f64": self.torch.float64}[cell["type"]]
        rows, cols = cell["rows"], cell["cols"]
        shapes = {"tile": (rows, cols), "cols": (cols,), "one": (1,)}
        make = lambda shape: (self.torch.rand(shape, device=self.device) * 3 - 1.5).to(dtype)
        inputs = {name: make(shapes[kind]).requires_grad_(wants_gradients)
                  for name, kind in INPUTS[cell["op"]].items()}
        return inputs, make(shapes["tile"])

    def launches(self, peer, cell):
        """A function for each set of tensors."""
        backward = cell["direction"] == "backward"
        wants_gradients = backward or cell["statistics"]
        forward = peer.forward(cell["op"])
        sets = 1
        if self.is_cuda:
            sets = 4 * self.cache_bytes() // (cell["bytes"] + 1) + 1
            sets = min(max(sets, 2), MOST_SETS)
        calls = []
        for _ in range(sets):
            inputs, dy = self.tensors(cell, wants_gradients)
            if backward:
                y = forward(*inputs.values())
                y = y[0] if isinstance(y, tuple) else y
                calls.append(lambda y=y, dy=dy, leaves=tuple(inputs.values()):
                             self.torch.autograd.grad(y, leaves, dy, retain_graph=True))
            else:
                calls.append(lambda arguments=tuple(inputs.values()): forward(*arguments))
        return calls

    def time(self, peer, cell):
        """Seconds of one launch."""
        gradients = cell["direction"] == "backward" or cell["statistics"]
        with self.torch.set_grad_enabled(gradients):
            if not self.is_cuda:
                return self.time_calls(self.launches(peer, cell)[0])
            with self.torch.cuda.stream(self.stream):
                calls = self.launches(peer, cell)
                for call in calls:
                    call()
                self.stream.synchronize()
            return self.time_graph(calls)

    def time_calls(self, call):
        for _ in range(2):
            call()
        times, began = [], time.perf_counter()
        while len(times) < 5 or time.perf_counter() - began < self.seconds:
            before = time.perf_counter()
            call()
            times.append(time.perf_counter() - before)
        return statistics.median(times)

    def time_graph(self, calls):
        torch = self.torch
        launches = -(-LEAST_LAUNCHES // len(calls)) * len(calls)
        # Results stay alive for a turn, so that each set has memory of its own.
        results = collections.deque(maxlen=len(calls))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=self.stream):
            for index in range(launches):
                results.append(calls[index % len(calls)]())
        with torch.cuda.stream(self.stream):
            once = min(self.replay(graph, 3))
            repeats = min(max(round(self.seconds / max(once, 1e-6)), LEAST_REPEATS), 10000)
            times = self.replay(graph, repeats)
        graph.reset()
        return statistics.median(times) / launches

    def replay(self, graph, repeats):
        """Seconds from the end of one replay to the end of the next."""
        event = lambda: self.torch.cuda.Event(enable_timing=True)
        events = [event() for _ in range(repeats + 1)]
        self.stream.synchronize()
        events[0].record()
        for each in events[1:]:
            graph.replay()
            each.record()
        self.stream.synchronize()
        return [a.elapsed_time(b) / 1e3 for a, b in zip(events, events[1:])]

    def copy_bytes_per_s(self):
        """The best of some large copies by torch, read and written bytes counted."""
        if not self.is_cuda:
            return None
        best = 0
        for mebibytes in (256, 512, 1024):
            half = mebibytes << 19
            pairs = [tuple(self.torch.ones(half, dtype=self.torch.uint8, device=self.device)
                           for _ in range(2)) for _ in range(2)]
            calls = [lambda a=a, b=b: b.copy_(a) for a, b in pairs]
            self.stream.wait_stream(self.torch.cuda.current_stream())
            best = max(best, 2 * half / self.time_graph(calls))
        return best


def title(cell):
    name = cell["op"] + ("_backward" if cell["direction"] == "backward" else "")
    return f"{name} {cell['rows']}x{cell['cols']} {cell['type']}" + \
        ("" if cell["statistics"] else " without statistics")


def is_wanted(cell, options):
    keeps = lambda chosen, value: not chosen or value in chosen.split(",")
    return "us" in cell and keeps(options.ops, cell["op"]) and \
        keeps(options.directions, cell["direction"]) and keeps(options.types, cell["type"]) and \
        keeps(options.shapes, f"{cell['rows']}x{cell['cols']}")


def load_cells(options):
    with open(options.results, encoding="utf-8") as file:
        results = json.load(file)
    if not isinstance(results, dict) or results.get("norm_bench") != 1:
        raise ValueError(f"{options.results}: expected the results of norm-bench --json "
                         "(\"norm_bench\": 1), but got something else")
    cells = [{"statistics": True, **cell} for cell in results["cells"]]
    cells = [cell for cell in cells if is_wanted(cell, options)]
    if not cells:
        raise ValueError(f"{options.results}: expected cells of --ops, --directions, --types and "
                         "--shapes, but it has none")
    return results, cells


def open_torch(options):
    try:
        import torch  # pylint: disable=import-outside-toplevel
    except ImportError:
        raise RuntimeError("expected PyTorch, because peers are run by it; pip install torch") \
            from None
    if options.device.startswith("cuda") and not torch.cuda.is_available():
        raise RuntimeError("expected a CUDA device, because peers are timed on "
                           f"\"{options.device}\", but torch {torch.__version__} sees none; "
                           "--device cpu times them on the host")
    return torch


def open_peers(torch, names):
    peers = []
    for name in names.split(","):
        if name not in PEERS:
            raise ValueError(f"expected --peers to be of {', '.join(PEERS)}, but got \"{name}\"")
        try:
            peers.append(PEERS[name](torch))
        except ImportError as error:
            print(f"left out: {name}: {error}", file=sys.stderr)
    return peers


def measure(bench, peers, cells, options):
    """Each cell with the microseconds of each peer; what there is when time is over."""
    began = time.monotonic()
    done = []
    for index, cell in enumerate(cells):
        if time.monotonic() - began > options.limit:
            print(f"time is over: {len(cells) - index} cells are not measured", file=sys.stderr)
            break
        result = {**cell, "peers": {}}
        for peer in peers:
            print(f"[{index}/{len(cells)}] {title(cell)}: {peer.name}", file=sys.stderr)
            try:
                result["peers"][peer.name] = bench.time(peer, cell) * 1e6
            # A peer that cannot do a shape is no reason to stop.
            except Exception as error:  # pylint: disable=broad-exception-caught
                print(f"  not measured: {type(error).__name__}: {str(error)[:200]}",
                      file=sys.stderr)
            if bench.is_cuda:
                bench.torch.cuda.empty_cache()
        done.append(result)
        save(options, bench, done)
    return done


def save(options, bench, cells, **more):
    if not options.json:
        return
    about = {"torch": bench.torch.__version__}
    if bench.is_cuda:
        about["device"] = bench.torch.cuda.get_device_name(bench.device)
        about["cuda"] = bench.torch.version.cuda
    with open(options.json + ".part", "w", encoding="utf-8") as file:
        json.dump({"norm_bench_peers": 1, **about, **more, "cells": cells}, file, indent=1)
    os.replace(options.json + ".part", options.json)


def report(cells, names):
    """Times, and how many times as long as normc each peer takes."""
    print(f"{'':48}{'normc us':>10}" + "".join(f"{name + ' us':>14}  ratio" for name in names))
    ratios = collections.defaultdict(list)
    for cell in cells:
        line = f"{title(cell):48}{cell['us']:10.2f}"
        found = {name: us / cell["us"] for name, us in cell["peers"].items()}
        for name in names:
            line += f"{cell['peers'][name]:14.2f}  {found[name]:5.2f}" if name in found \
                else f"{'-':>14}{'':7}"
            if name in found:
                ratios[name].append(found[name])
        if found:
            ratios["best peer"].append(min(found.values()))
        print(line)
    for name, values in ratios.items():
        mean = math.exp(statistics.fmean(math.log(value) for value in values))
        behind = sum(value < 1 for value in values)
        print(f"{name} / normc: geometric mean {mean:.2f}, least {min(values):.2f}, "
              f"below 1 in {behind} of {len(values)}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="what norm-bench --json wrote")
    parser.add_argument("--device", default="cuda", help="of torch (default: cuda)")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--ops", help="cells of the results to measure, as for norm-bench")
    parser.add_argument("--directions")
    parser.add_argument("--types")
    parser.add_argument("--shapes")
    parser.add_argument("--seconds", type=float, default=0.1, help="for each (default: 0.1)")
    parser.add_argument("--limit", type=float, default=math.inf,
                        help="begin no cell after so many seconds")
    parser.add_argument("--json", help="write all figures to a file, as they come")
    return parser.parse_args()


def main():
    options = parse_arguments()
    try:
        results, cells = load_cells(options)
        torch = open_torch(options)
        peers = open_peers(torch, options.peers)
        bench = Bench(torch, options.device, options.seconds)
        copy = bench.copy_bytes_per_s()
        done = measure(bench, peers, cells, options)
        save(options, bench, done, copy_bytes_per_s=copy)
    except (OSError, RuntimeError, ValueError, KeyError) as error:
        sys.exit(f"error: {error}")
    print(f"torch {torch.__version__} on {options.device}, normc on {results.get('description')}")
    if copy:
        print(f"torch's copy: {copy / 1e9:.0f} GB/s")
    report(done, [peer.name for peer in peers])


if __name__ == "__main__":
    main()
