"""Validates the SPIR-V of kernels for one target, and compiles it with ocloc.

usage: validate.py TARGET --subgroup N [--ocloc DEVICE] [--cols N,N,...] [--types T,T,...]

Compiles every op, forward and backward, for rows at launch. Fails when spirv-val refuses a
module, when a kernel does not ask for subgroups of N lanes or may be contracted and, with
--ocloc, when ocloc refuses a module or a kernel spills registers.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "Inputs"))
from norm_ops import ALL_OPS, function, run

# A compiler that hangs must not hang the suite; a module takes a few seconds.
SECONDS = 300


def kernels_of(text):
    return {
        match[1]: match[2]
        for match in re.finditer(r'OpEntryPoint Kernel (%\S+) "(\w+)"', text)
    }


def has_mode(text, kernel, mode):
    return re.search(rf"OpExecutionMode {re.escape(kernel)} {mode}$", text, re.M)


def module_of(target, subgroup):
    return (
        f'module attributes {{norm.target = #norm.target<"{target}", '
        f"subgroup_size = {subgroup}>}} {{\n"
    )


def spills_of(module, device, folder):
    result = subprocess.run(
        ["ocloc", "compile", "-spirv_input", "-file", module, "-device", device]
        + ["-output", "kernels", "-out_dir", folder, "-output_no_suffix"],
        capture_output=True, text=True, timeout=SECONDS)
    said = result.stdout + result.stderr
    if result.returncode:
        sys.exit(f"ocloc ends with {result.returncode}:\n{said}")
    # 22.43 says "kernel k  compiled ...", newer ones "in kernel 'k': compiled ...".
    return [line for line in said.splitlines() if "spill" in line]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("--subgroup", type=int, required=True)
    parser.add_argument("--ocloc", default="")
    parser.add_argument("--cols", default="24,1024")
    parser.add_argument("--types", default="bf16")
    options = parser.parse_args()
    count, problems = 0, []
    for op in ALL_OPS:
        with tempfile.TemporaryDirectory() as folder:
            source, module = f"{folder}/{op}.mlir", f"{folder}/{op}.spv"
            with open(source, "w", encoding="utf-8") as file:
                file.write(module_of(options.target, options.subgroup))
                for element in options.types.split(","):
                    for cols in options.cols.split(","):
                        file.write(function(op, element, cols))
                file.write("}\n")
            run(["normc", "compile", "--emit=spirv", f"--target={options.target}"]
                + [source, "-o", module])
            run(["spirv-val", "--target-env", "spv1.4", module])
            text = run(["spirv-dis", "--raw-id", "--no-color", module]).stdout
            kernels = kernels_of(text)
            count += len(kernels)
            for kernel, name in kernels.items():
                if not has_mode(text, kernel, f"SubgroupSize {options.subgroup}"):
                    problems.append(f"{name} asks for no subgroups of {options.subgroup}")
                if not has_mode(text, kernel, "ContractionOff"):
                    problems.append(f"{name} may be contracted")
            if not options.ocloc:
                continue
            problems += spills_of(module, options.ocloc, folder)
    for problem in problems:
        print(f"{options.target}: {problem}")
    done = f"compiled for {options.ocloc}" if options.ocloc else "validated"
    print(f"{options.target}: {count} kernels {done}, {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()
