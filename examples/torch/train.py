#!/usr/bin/env python3
"""Trains one model with torch's normalization layers and with normc's, beside each other.

The model is a small Transformer-in-Transformer: an image is `--patches` patches of 16
pixels; an inner block works on the pixels, 24 wide, so that its LayerNorm sees rows as
narrow as [25088, 16, 24] for 128 images of 196 patches; an outer block with DyT works on
the patches, 384 wide. Both copies begin with the same weights and see the same images.
Printed are the losses of both, the time of a step of both, and the time of the narrow
rows' backward of both.

    python examples/torch/train.py                        # what this machine has
    python examples/torch/train.py --batch 2 --steps 3    # small

For a machine with a GPU and without libnormc, packages are made before, here:

    python examples/torch/train.py --save-packages FOLDER --targets cuda:sm_90

and there NORMC_PACKAGES=FOLDER makes normc take them.
"""
import argparse
import copy
import json
import statistics
import time

import normc
import normc.torch
import torch
from torch import nn
from torch.nn import functional as F

PIXELS, NARROW, WIDE, CLASSES = 16, 24, 384, 10

#: Backwards that are timed alone: x's shape, and its normalized dimensions.
SHAPES = [((25088, 16, 24), 1), ((25088, 16, 48), 1), ((25088, 24), 1), ((25088, 384), 1)]


class ComposedDyT(nn.Module):
    """DyT as its paper writes it, of torch's ops; parameters as of normc.torch.DyT."""

    def __init__(self, width):
        super().__init__()
        self.alpha = nn.Parameter(torch.full((1,), 0.5))
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        return torch.tanh(self.alpha * x) * self.weight + self.bias


class Block(nn.Module):
    """Attention and an MLP, each after a normalization."""

    def __init__(self, width, heads, norm):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = norm(width), norm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v).transpose(1, 2)
        x = x + self.out(mixed.reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Model(nn.Module):
    def __init__(self, dyt):
        super().__init__()
        self.embed = nn.Linear(3, NARROW)
        self.inner = nn.ModuleList(Block(NARROW, 4, nn.LayerNorm) for _ in range(2))
        self.join = nn.Sequential(nn.LayerNorm(PIXELS * NARROW),
                                  nn.Linear(PIXELS * NARROW, WIDE))
        self.outer = nn.ModuleList(Block(WIDE, 6, dyt) for _ in range(2))
        self.norm, self.head = nn.RMSNorm(WIDE, eps=1e-6), nn.Linear(WIDE, CLASSES)

    def forward(self, images):
        batch, patches = images.shape[:2]
        x = self.embed(images).view(batch * patches, PIXELS, NARROW)
        for block in self.inner:
            x = block(x)
        x = self.join(x.reshape(batch, patches, PIXELS * NARROW))
        for block in self.outer:
            x = block(x)
        return self.head(self.norm(x).mean(1))


def make_models(device, dtype):
    """The model with torch's norms and with normc's, of the same weights."""
    torch.manual_seed(0)
    theirs = Model(ComposedDyT)
    ours = Model(normc.torch.DyT)
    ours.load_state_dict(theirs.state_dict())
    normc.torch.replace_norms(ours)
    return theirs.to(device, dtype), ours.to(device, dtype)


def batches(options, device, dtype):
    """The same images and labels for every model; a label is in the image."""
    generator = torch.Generator().manual_seed(1)
    pattern = torch.randn(CLASSES, 1, PIXELS, 3, generator=generator)
    for _ in range(options.steps):
        labels = torch.randint(CLASSES, (options.batch,), generator=generator)
        noise = torch.randn(options.batch, options.patches, PIXELS, 3, generator=generator)
        yield (noise + 0.5 * pattern[labels]).to(device, dtype), labels.to(device)


def synchronize(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


def train(model, options, device, dtype, autocast):
    """Losses and seconds of every step."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.learning_rate)
    losses, seconds = [], []
    for images, labels in batches(options, device, dtype):
        synchronize(device)
        began = time.perf_counter()
        with torch.autocast(device.type, torch.bfloat16, enabled=autocast):
            loss = F.cross_entropy(model(images).float(), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        synchronize(device)
        seconds.append(time.perf_counter() - began)
        losses.append(loss.item())
    return losses, seconds


def compare(options, device, precision):
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    results = {}
    for name, model in zip(("torch", "normc"), make_models(device, dtype)):
        if options.compile:
            torch._dynamo.reset()
            torch._dynamo.utils.counters.clear()
            model = torch.compile(model, fullgraph=True)
        losses, seconds = train(model, options, device, dtype, precision == "autocast")
        # The first steps compile and tune.
        step = statistics.median(seconds[min(5, len(seconds) - 1):])
        results[name] = {"losses": losses, "step_ms": step * 1e3}
        if options.compile:
            results[name]["dynamo"] = dict(torch._dynamo.utils.counters["stats"])
            results[name]["graph_breaks"] = len(torch._dynamo.utils.counters["graph_break"])
    theirs, ours = results["torch"], results["normc"]
    way = "compiled" if options.compile else "eager"
    print(f"\n{precision}, {way}: step  loss of torch  loss of normc  difference")
    count = len(theirs["losses"])
    for index in sorted({*range(0, count, max(1, count // 8)), count - 1}):
        a, b = theirs["losses"][index], ours["losses"][index]
        print(f"{index:6d} {a:14.6f} {b:14.6f} {b - a:+11.2e}")
    most = max(abs(a - b) for a, b in zip(theirs["losses"], ours["losses"]))
    print(f"largest difference of a loss {most:.2e}; step {theirs['step_ms']:.2f} ms with "
          f"torch, {ours['step_ms']:.2f} ms with normc")
    return results | {"largest_difference": most}


def seconds_of(calls, device):
    """Median time of one call: on CUDA of a graph of them, so without the way there."""
    repeats = 20
    if device.type == "cuda":
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for call in calls:
                call()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            kept = [call() for call in calls]
        times = []
        for _ in range(repeats):
            first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            first.record()
            graph.replay()
            last.record()
            last.synchronize()
            times.append(first.elapsed_time(last) * 1e-3)
        del kept
    else:
        times = []
        for _ in range(repeats + 1):
            began = time.perf_counter()
            for call in calls:
                call()
            times.append(time.perf_counter() - began)
        times = times[1:]
    return statistics.median(times) / len(calls)


def check(gradients, dy, x, sizes):
    """Against float64: torch's own sums of bf16 rows are off by tenths on some devices."""
    x, dy = x.double(), dy.double()
    weight = torch.ones(sizes, device=x.device, dtype=x.dtype)
    _, mean, rstd = torch.native_layer_norm(x, sizes, weight, weight, 1e-5)
    exact = torch.ops.aten.native_layer_norm_backward(
        dy, x, sizes, mean, rstd, weight, weight, [True] * 3)
    for gradient, expected in zip(gradients, exact):
        torch.testing.assert_close(gradient.double(), expected, rtol=1e-2, atol=2e-2)


def backward_times(options, device, dtype):
    """layer_norm's backward, all gradients, alone: (microseconds of torch, of normc)."""
    print(f"\nbackward of LayerNorm, {str(dtype).removeprefix('torch.')}, all gradients: "
          "torch us  normc us  (GB/s)")
    found = {}
    for shape, dims in SHAPES:
        if options.rows:
            shape = (options.rows, *shape[1:])
        sizes = shape[-dims:]
        calls = {"torch": [], "normc": []}
        # Several sets, so that a GPU's cache holds none of them.
        for seed in range(options.sets):
            generator = torch.Generator().manual_seed(seed)
            x, dy = (torch.randn(shape, generator=generator).to(device, dtype)
                     for _ in range(2))
            weight = torch.ones(sizes, device=device, dtype=dtype)
            bias = torch.zeros_like(weight)
            _, mean, rstd = torch.native_layer_norm(x, sizes, weight, bias, 1e-5)
            own = torch.ops.normc.layer_norm(x, weight, bias, dims, 1e-5, dtype, True)[1:]
            calls["torch"].append(
                lambda dy=dy, x=x, mean=mean, rstd=rstd, weight=weight, bias=bias:
                torch.ops.aten.native_layer_norm_backward(
                    dy, x, sizes, mean, rstd, weight, bias, [True] * 3))
            calls["normc"].append(
                lambda dy=dy, x=x, own=own, weight=weight, bias=bias:
                torch.ops.normc.layer_norm_backward(
                    dy, x, *own, weight, bias, dims, [True] * 3))
        check(calls["normc"][-1](), dy, x, sizes)
        times = {name: seconds_of(each, device) for name, each in calls.items()}
        moved = 3 * x.numel() * x.element_size()
        print(f"{str(list(shape)):20s} {times['torch'] * 1e6:9.1f} "
              f"({moved / times['torch'] * 1e-9:6.0f}) {times['normc'] * 1e6:9.1f} "
              f"({moved / times['normc'] * 1e-9:6.0f})")
        found[str(list(shape))] = {name: each * 1e6 for name, each in times.items()}
    return found


def save_packages(options):
    """Every norm of a run is compiled for the targets, by a small run on the host."""
    from normc.torch import _functions

    normc.save_packages(options.save_packages, options.targets.split(","))
    small = copy.copy(options)
    small.batch, small.patches, small.steps, small.rows, small.sets = 2, 4, 1, 8, 1
    small.compile = False
    host = torch.device("cpu")
    for precision in ("f32", "bf16", "autocast"):
        compare(small, host, precision)
    # Autocast on CUDA runs layer_norm in float32, and rms_norm where torch is new enough.
    for op in ("layer_norm", "rms_norm"):
        _functions._AUTOCAST_IN_F32[op] = ("cuda", "cpu")
        compare(small, host, "autocast")
    for dtype in (torch.bfloat16, torch.float32):
        backward_times(small, host, dtype)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--batch", type=int, help="images a step (128; 4 on the host)")
    parser.add_argument("--patches", type=int, default=196, help="patches of an image")
    parser.add_argument("--steps", type=int, help="steps of each model (60; 8 on the host)")
    parser.add_argument("--precision", default="autocast,bf16",
                        help="any of f32, bf16 (parameters too) and autocast")
    parser.add_argument("--learning-rate", type=float, default=3e-4)
    parser.add_argument("--compile", action="store_true", help="with torch.compile")
    parser.add_argument("--rows", type=int, help="first size of the backwards' shapes")
    parser.add_argument("--sets", type=int, default=4, help="inputs that a backward has")
    parser.add_argument("--json", help="file for all numbers")
    parser.add_argument("--save-packages", metavar="FOLDER")
    parser.add_argument("--targets", default="cuda:sm_90")
    options = parser.parse_args()
    if options.save_packages:
        save_packages(options)
        return
    device = torch.device(options.device)
    on_cuda = device.type == "cuda"
    options.batch = options.batch or (128 if on_cuda else 4)
    options.steps = options.steps or (60 if on_cuda else 8)
    options.rows = options.rows or (None if on_cuda else 784)
    name = torch.cuda.get_device_name() if on_cuda else f"{torch.get_num_threads()} threads"
    print(f"torch {torch.__version__}, {device.type}: {name}; narrow rows "
          f"[{options.batch * options.patches}, {PIXELS}, {NARROW}]")
    results = {"device": name, "torch": torch.__version__}
    for precision in options.precision.split(","):
        results[precision] = compare(options, device, precision)
    for dtype in (torch.bfloat16, torch.float32):
        results[f"backward {dtype}"] = backward_times(options, device, dtype)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
