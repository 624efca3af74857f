"""Assembles kernels for one CUDA target and judges what ptxas says of them.

usage: assemble.py TARGET [--ptxas PATH] [--spills] [--cols N,N,...] [--shapes RxN,...]
                   [--types T,T,...]

Compiles every op, forward and backward, for rows at launch (--cols) and for rows that are
known (--shapes). Fails when ptxas refuses a
kernel, when the registers of a workgroup's lanes do not fit a compute unit and, with
--spills, when a kernel of any variant keeps registers in memory.
"""
import argparse
import json
import re
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "Inputs"))
from norm_ops import OPS, function, run

# The registers of a compute unit: CUDA C++ Programming Guide 13.0, "Technical
# Specifications per Compute Capability". Lanes are given them in units of eight (CUDA
# Occupancy Calculator).
REGISTERS = 65536
UNIT = 8


def workgroup_sizes(package):
    manifest = json.loads(run(["normc", "inspect", "--json", package]).stdout)
    return {
        launch["kernel"]: launch["workgroup_size"]
        for target in manifest["targets"]
        for entry in target["entries"]
        for variant in entry["variants"]
        for launch in variant["launches"]
    }


def judge(text, label, target, ptxas="", spills=lambda kernel: False):
    """Kernels assembled, those of them that spill, and what is wrong. spills: of which
    kernels it is wrong to spill."""
    with tempfile.TemporaryDirectory() as folder:
        source, package = f"{folder}/{label}.mlir", f"{folder}/{label}.nrmk"
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        command = ["normc", "compile", "--remarks", f"--target={target}"]
        command += [f"--ptxas={ptxas}"] if ptxas else []
        remarks = run(command + [source, "-o", package]).stderr
        sizes = workgroup_sizes(package)
    seen, spilled, problems = 0, 0, []
    for line in remarks.splitlines():
        name = re.search(r"Category:nvvm \| Function=(\w+)", line)
        if not name:
            continue
        fact = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", line)}
        seen += 1
        bytes_spilled = fact["SpillStoreBytes"] + fact["SpillLoadBytes"]
        spilled += bytes_spilled > 0
        if bytes_spilled and spills(name[1]):
            problems.append(f"{label}: {name[1]} spills {bytes_spilled} bytes")
        registers = -(-fact["Registers"] // UNIT) * UNIT
        if registers * sizes[name[1]] > REGISTERS:
            problems.append(f"{name[1]}: {registers} registers of {sizes[name[1]]} lanes")
    if seen != len(sizes):
        problems.append(f"{label}: ptxas reports {seen} kernels of {len(sizes)}")
    return seen, spilled, problems


def conclude(target, kernels, spilled, problems):
    for problem in problems:
        print(f"{target}: {problem}")
    print(f"{target}: {kernels} kernels assembled, {spilled} with spills")
    sys.exit(1 if problems else 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("--ptxas", default="")
    parser.add_argument("--spills", action="store_true")
    parser.add_argument("--cols", default="24,1024")
    parser.add_argument("--shapes", action="append", default=[])
    parser.add_argument("--types", default="bf16")
    options = parser.parse_args()
    sizes = [("?", cols) for cols in options.cols.split(",")]
    for shapes in options.shapes:
        sizes += [shape.split("x") for shape in shapes.split(",")]
    kernels, spilled, problems = 0, 0, []
    for op in OPS:
        text = "".join(
            function(op, element, cols, rows)
            for element in options.types.split(",")
            for rows, cols in sizes
        )
        seen, spill, wrong = judge(
            text, op, options.target, options.ptxas, lambda kernel: options.spills
        )
        kernels, spilled, problems = kernels + seen, spilled + spill, problems + wrong
    conclude(options.target, kernels, spilled, problems)


if __name__ == "__main__":
    main()
