"""Checks the mlir examples in TableGen descriptions, so that they cannot rot.

check_examples.py NORM_OPT ops FILE.td
    Each example parses, its free values taken as arguments of a function.
check_examples.py NORM_OPT pass FILE.td PASS
    The pass, and canonicalization, turn the first example of its description into the
    second.
"""
import re
import subprocess
import sys


def examples(text):
    """The contents of the ```mlir fences of a description."""
    return re.findall(r"```mlir\n(.*?)```", text, re.DOTALL)


def norm_opt(tool, source, *options):
    run = subprocess.run([tool, *options], input=source, text=True, capture_output=True)
    if run.returncode:
        sys.exit(f"not accepted:\n{source}\n{run.stderr}")
    return run.stdout


def check_ops(tool, text):
    found = examples(text)
    for example in found:
        free = dict(re.findall(r"\((%\w+) : ([^()]*(?:\([^()]*\)[^()]*)*)\)", example))
        arguments = ", ".join(f"{name}: {type}" for name, type in free.items())
        norm_opt(tool, f"func.func @example({arguments}) {{\n{example}\nreturn\n}}\n")
    print(f"{len(found)} examples parsed")


def check_pass(tool, text, name):
    description = text[text.index(f'Pass<"{name}"') :].split("\ndef ")[0]
    before, after = examples(description)
    got = norm_opt(tool, before, f"--{name}", "--canonicalize")
    expected = norm_opt(tool, after)
    if got != expected:
        sys.exit(f"expected\n{expected}\nbut got\n{got}")
    print(f"the example of {name} holds")


def main():
    tool, kind, path, *rest = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if kind == "ops":
        check_ops(tool, text)
    else:
        check_pass(tool, text, *rest)


if __name__ == "__main__":
    main()
