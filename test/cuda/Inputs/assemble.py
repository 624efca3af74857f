"""Assembles kernels for one CUDA target and judges what ptxas says of them.

usage: assemble.py TARGET [--ptxas PATH] [--spills] [--cols N,N,...] [--types T,T,...]

Compiles every op, forward and backward, for rows at launch. Fails when ptxas refuses a
kernel, when the registers of a workgroup's lanes do not fit a compute unit and, with
--spills, when a kernel for aligned tensors keeps registers in memory.
"""
import argparse
import json
import re
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "Inputs"))
from norm_ops import OPS, function, run

# The registers of a compute unit and the most that one lane has: CUDA C++ Programming
# Guide 13.0, "Technical Specifications per Compute Capability".
REGISTERS = 65536


def workgroup_sizes(package):
    manifest = json.loads(run(["normc", "inspect", "--json", package]).stdout)
    return {
        launch["kernel"]: launch["workgroup_size"]
        for target in manifest["targets"]
        for entry in target["entries"]
        for variant in entry["variants"]
        for launch in variant["launches"]
    }


def judge(text, label, target, ptxas="", spills=False):
    """Kernels assembled, those of them that spill where aligned, and what is wrong."""
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
        aligned = not name[1].endswith("_unaligned")
        spilled += bytes_spilled > 0 and aligned
        if spills and bytes_spilled and aligned:
            problems.append(f"{label}: {name[1]} spills {bytes_spilled} bytes")
        if fact["Registers"] * sizes[name[1]] > REGISTERS:
            problems.append(
                f"{name[1]}: {fact['Registers']} registers of {sizes[name[1]]} lanes"
            )
    if seen != len(sizes):
        problems.append(f"{label}: ptxas reports {seen} kernels of {len(sizes)}")
    return seen, spilled, problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("--ptxas", default="")
    parser.add_argument("--spills", action="store_true")
    parser.add_argument("--cols", default="24,1024")
    parser.add_argument("--types", default="bf16")
    options = parser.parse_args()
    kernels, spilled, problems = 0, 0, []
    for op in OPS:
        text = "".join(
            function(op, element, cols)
            for element in options.types.split(",")
            for cols in options.cols.split(",")
        )
        seen, spill, wrong = judge(text, op, options.target, options.ptxas, options.spills)
        kernels, spilled, problems = kernels + seen, spilled + spill, problems + wrong
    for problem in problems:
        print(f"{options.target}: {problem}")
    print(f"{options.target}: {kernels} kernels assembled, {spilled} with spills where aligned")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
