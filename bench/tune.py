#!/usr/bin/env python3
"""Measures the candidates of an entry, beside what the model chooses.

tune.py make FILE --target cuda:sm_90 -o DIR [--candidates 8]
    Lists the first candidates of every entry of FILE (norm ops, static rows or --rows), and
    compiles each with its tiling forced by attribute, into packages in DIR.
norm-tune-times cuda:0 DIR/list.txt DIR/times.json
    Times them, on a machine with the device: the program needs the runtime alone.
tune.py report DIR
    Prints, for each entry, the tilings in the order of their times, the model's choice and
    what it loses, and writes DIR/measured.json.

Candidates that keep registers in memory are named and left out, and so is fission, whose
kernels are two of their own.
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import sys

FUNCTION = re.compile(r"(?=^ *func\.func )", re.MULTILINE)
ATTRIBUTES = re.compile(r"(norm_dims = \d+ attributes \{)")
TILING = re.compile(r"#row\.tiling<[^>]*>")


class Tools:
    """normc and norm-opt of one build."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, tool, *arguments, text=None):
        command = [str(self.folder / tool) if self.folder else tool, *arguments]
        result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        if result.returncode:
            errors = [line for line in result.stderr.splitlines() if "remark:" not in line]
            raise RuntimeError(" ".join(command) + "\n" + "\n".join(errors))
        return result


def candidates_of(tools, options):
    """The candidates of every entry: those of its first variant for any number of rows."""
    listed = tools.run("normc", "explain", str(options.file), f"--target={options.target}",
                       f"--candidates={options.candidates}", "--json")
    entries = {}
    for choice in json.loads(listed.stdout):
        if not choice["rows"]:
            entries.setdefault(choice["entry"], choice["candidates"])
    if not entries:
        sys.exit(f"expected entries of {options.file} whose tilings are free to choose, because "
                 "those are measured, but got none")
    return entries


def functions_of(module):
    """The head of a module and its functions by name."""
    head, *functions = FUNCTION.split(module)
    functions[-1] = functions[-1].rstrip().removesuffix("}")
    return head, {re.search(r"@(\w+)", text)[1]: text for text in functions}


def with_attribute(function, name, attribute):
    function = re.sub(r"@\w+", "@" + name, function, count=1)
    return ATTRIBUTES.sub(lambda match: match[1] + attribute + ", ", function, count=1)


def forced(tools, head, function, name, candidate):
    """A module of one function, with the candidate's tiling."""
    tiling = candidate["kernels"][0]["tiling"]
    if candidate["strategy"] != "partials":
        return head + with_attribute(function, name, f"tiling = {tiling}") + "}\n"
    whole = head + with_attribute(function, name, "strategy = #row.strategy<partials>") + "}\n"
    split = tools.run("norm-opt", "--row-split-column-reduction", "-", text=whole).stdout
    return TILING.sub(lambda _: tiling, split, count=1)


def spilled_bytes(remarks):
    """Of kernels for aligned tensors."""
    return sum(int(count) for line in remarks.splitlines() if "_unaligned" not in line
               for count in re.findall(r"SpillStoreBytes=(\d+)", line))


def make(options):
    tools = Tools(options.bin)
    entries = candidates_of(tools, options)
    rows = tools.run("norm-opt", f"--norm-attach-target=target={options.target}", "--norm-to-row",
                     str(options.file)).stdout
    head, functions = functions_of(rows)
    options.output.mkdir(parents=True, exist_ok=True)
    with open(options.output / "list.txt", "w", encoding="utf-8") as listing:
        for entry, candidates in entries.items():
            for index, candidate in enumerate(candidates):
                name = f"{entry}_{index}"
                if candidate["strategy"] == "fission":
                    continue
                source = forced(tools, head, functions[entry], name, candidate)
                compiled = tools.run("normc", "compile", "-", f"--target={options.target}",
                                     "--remarks", "-o", str(options.output / f"{name}.nrmk"),
                                     text=source)
                label = candidate["decision"]
                if spilled := spilled_bytes(compiled.stderr):
                    print(f"{entry}: left out, {spilled} bytes spilled: {label}")
                    continue
                listing.write(f"{entry}\t{label}\t{options.rows}\t{name}.nrmk\t{name}\n")
    (options.output / "candidates.json").write_text(json.dumps(entries, indent=1),
                                                    encoding="utf-8")


def report(options):
    entries = json.loads((options.output / "candidates.json").read_text(encoding="utf-8"))
    times = json.loads((options.output / "times.json").read_text(encoding="utf-8"))
    measured, losses = [], []
    for entry, candidates in entries.items():
        runs = sorted((t for t in times if t["cell"] == entry), key=lambda t: t["us"])
        if not runs:
            print(f"{entry}: nothing was timed")
            continue
        print(entry)
        for run in runs:
            index = int(run["entry"].rsplit("_", 1)[1])
            loss = run["us"] / runs[0]["us"] - 1
            print(f"  {run['us']:9.2f} us {100 * loss:+6.1f}%  model "
                  f"{candidates[index]['model_us']:9.2f} us  "
                  f"{'chosen: ' if index == 0 else ''}{run['label']}")
            if index == 0:
                losses.append(loss)
            measured.append({"entry": entry, "us": run["us"], **candidates[index]})
    if losses:
        mean = math.exp(sum(math.log1p(loss) for loss in losses) / len(losses)) - 1
        print(f"choices lose {100 * mean:.1f}% in the mean and {100 * max(losses):.1f}% at most "
              f"to the fastest that were measured, of {len(losses)} entries")
    (options.output / "measured.json").write_text(json.dumps(measured, indent=1),
                                                  encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("make", help="compile the candidates")
    command.add_argument("file", type=pathlib.Path)
    command.add_argument("--target", required=True)
    command.add_argument("--candidates", type=int, default=8)
    command.add_argument("--rows", type=int, default=0, help="where the entry's are dynamic")
    command.add_argument("--bin", type=pathlib.Path, help="of normc and norm-opt")
    command.add_argument("-o", "--output", type=pathlib.Path, required=True)
    command.set_defaults(function=make)
    command = commands.add_parser("report", help="print and write what was measured")
    command.add_argument("output", type=pathlib.Path)
    command.set_defaults(function=report)
    options = parser.parse_args()
    try:
        options.function(options)
    except (OSError, RuntimeError, ValueError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
