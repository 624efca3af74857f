#!/usr/bin/env python3
"""Runs the tests of the Python package with a Python that has torch, else without torch's.

run.py --package FOLDER --source FOLDER [pytest's arguments]
"""
import argparse
import os
import subprocess
import sys
from pathlib import Path


def imports(python, module):
    """Whether a Python has a module; it may be a path that is not there."""
    try:
        return subprocess.run([python, "-c", f"import {module}"],
                              capture_output=True).returncode == 0
    except OSError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--package", type=Path, required=True, help="what holds normc/")
    parser.add_argument("--source", type=Path, required=True, help="the project")
    arguments, rest = parser.parse_known_args()

    named = os.environ.get("NORMC_TORCH_PYTHON")
    candidates = [named] if named else [
        str(arguments.source / ".cache/torch-venv/bin/python"), sys.executable,
        "/usr/bin/python3"]
    usable = [python for python in candidates if imports(python, "pytest")]
    if not usable:
        print(f"left out: pytest is in none of {', '.join(candidates)}")
        return 77
    with_torch = [python for python in usable if imports(python, "torch")]
    python = (with_torch or usable)[0]
    if not with_torch:
        print("left out: the tests of normc.torch, because torch is in none of "
              f"{', '.join(usable)}; set NORMC_TORCH_PYTHON to a Python that has it",
              flush=True)
    environment = dict(os.environ, PYTHONPATH=str(arguments.package))
    return subprocess.run([python, "-m", "pytest", str(arguments.source / "test/python"),
                           *rest], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
