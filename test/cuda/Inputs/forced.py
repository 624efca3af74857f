"""Assembles kernels whose tilings go through workgroup memory, as assemble.py does.

usage: forced.py TARGET [--ptxas PATH]

Each mapping is for the columns of a benchmarked shape. None may spill where tensors are
aligned; elsewhere there are no stages and the registers are more.
"""
import argparse
import subprocess
import sys

import assemble

COPIES = "loop = persistent, staging = async"
BACKWARD = ("layer_norm_backward", "rms_norm_backward", "dyt_backward")
REDUCING = ("layer_norm_backward", "rms_norm_backward")


def workgroup(lanes, stages, more):
    return (
        f"workgroup_size = {lanes}, lanes_per_row = {lanes}, rows_per_tile = 1, "
        f"stages = {stages}, {more}, {COPIES}"
    )


def tile(size, lanes, rows, stages, more):
    return (
        f"workgroup_size = {size}, lanes_per_row = {lanes}, rows_per_tile = {rows}, "
        f"stages = {stages}, {more}, {COPIES}"
    )


SKEWED = "residency = shared, skew = 1"
REGISTERS = "residency = registers"
# Ops, columns, workgroups a compute unit, rows of a workgroup, tiling.
BULK = [
    (BACKWARD, 24, 3, 4096, tile(128, 4, 128, 3, f"{REGISTERS}, store = from_stage")),
    (BACKWARD, 64, 2, 4096, tile(256, 8, 64, 3, f"{REGISTERS}, store = own_stage")),
    (BACKWARD, 64, 2, 4096, tile(256, 8, 128, 3, f"{REGISTERS}, store = from_stage")),
    (BACKWARD, 256, 3, 4096, tile(128, 32, 16, 4, f"{REGISTERS}, store = from_stage")),
    (BACKWARD, 768, 2, 128, tile(128, 32, 4, 3, f"{REGISTERS}, cluster_partials = 2")),
    (REDUCING, 4096, 2, 128, workgroup(256, 3, f"{REGISTERS}, cluster_partials = 4")),
    (REDUCING, 4096, 2, 128, workgroup(256, 3, "residency = shared")),
    (REDUCING, 4096, 1, 128, workgroup(256, 3, SKEWED)),
    (("layer_norm", "rms_norm"), 4096, 3, 0, workgroup(256, 4, SKEWED)),
]
# Chips whose compute units hold 227 KiB for a workgroup.
LARGE = [
    (REDUCING, 8192, 1, 128, workgroup(512, 4, SKEWED)),
    (REDUCING, 16384, 1, 128, workgroup(256, 4, f"{SKEWED}, cluster_cols = 4")),
    (REDUCING, 32768, 1, 128, workgroup(256, 4, f"{SKEWED}, cluster_cols = 8")),
    (REDUCING, 65536, 1, 128, workgroup(256, 4, f"{SKEWED}, cluster_cols = 16")),
]
LANES = [
    (BACKWARD, 24, 2, 4096, tile(128, 4, 64, 3, REGISTERS)),
    (BACKWARD, 64, 2, 4096, tile(256, 8, 32, 3, REGISTERS)),
    (REDUCING, 1024, 2, 128, tile(128, 32, 4, 3, REGISTERS)),
    (REDUCING, 4096, 2, 128, workgroup(256, 2, "residency = shared")),
]
TILINGS = {
    "cuda:sm_80": LANES,
    "cuda:sm_90": BULK + LARGE,
    # There ptxas takes more for the first of LARGE than the 128 registers that 512 lanes
    # have: layer_norm_backward spills 40 bytes.
    "cuda:sm_100": BULK + LARGE[1:],
    "cuda:sm_120": BULK[:6],
}


def opt(arguments, text):
    result = subprocess.run(
        ["norm-opt", *arguments, "-"], input=text, capture_output=True, text=True, check=False
    )
    if result.returncode:
        sys.exit(" ".join(arguments) + "\n" + result.stderr)
    return result.stdout


def force(op, cols, tiling, target):
    """The op as a row program whose first kernel has the tiling."""
    text = opt(
        [f"--norm-attach-target=target={target}", "--norm-to-row"],
        assemble.function(op, "bf16", str(cols)),
    )
    attributes = "norm_dims = 1 attributes {"
    if "backward" not in op:
        return text.replace(attributes, f"{attributes}tiling = #row.tiling<{tiling}>, ", 1)
    strategy = f"{attributes}strategy = #row.strategy<partials>, "
    text = opt(["--row-split-column-reduction"], text.replace(attributes, strategy, 1))
    begin = text.index("#row.tiling<")
    end = text.index(">", begin)
    return text[:begin] + f"#row.tiling<{tiling}" + text[end:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("--ptxas", default="")
    options = parser.parse_args()
    kernels, problems = 0, []
    for ops, cols, held, rows, knobs in TILINGS[options.target]:
        for op in ops:
            tiling = f"{knobs}, vector_elems = 8, min_workgroups_per_cu = {held}"
            if rows:
                tiling += f", rows_per_workgroup = {rows}"
            text = force(op, cols, tiling, options.target)
            seen, _, wrong = assemble.judge(
                text, f"{op}_{cols}", options.target, options.ptxas,
                lambda kernel: "_unaligned" not in kernel,
            )
            kernels, problems = kernels + seen, problems + [f"{p} ({knobs})" for p in wrong]
    for problem in problems:
        print(f"{options.target}: {problem}")
    print(f"{options.target}: {kernels} kernels assembled, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
