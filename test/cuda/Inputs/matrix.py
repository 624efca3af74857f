"""Assembles a sparse matrix of kernels for one CUDA target, as assemble.py does.

usage: matrix.py TARGET [--ptxas PATH]

Every op with each of the types below, each of them with other columns and another number
of rows, and other pairs of those for each target; and the row programs of examples/row.
"""
import argparse
from pathlib import Path

import assemble

# x, parameters, results.
TYPES = [
    ("f16", "f16", "f16"),
    ("f16", "f32", "bf16"),
    ("bf16", "f32", "f32"),
    ("f32", "bf16", "f16"),
    ("f32", "f64", "f32"),
    ("f64", "f64", "f64"),
    ("bf16", "f16", "f64"),
]
COLS = [1, 24, 100, 769, 4096, 16384, "?"]
ROWS = [1, "?", 3, 64, 1000]
TARGETS = ["cuda:sm_80", "cuda:sm_90", "cuda:sm_100", "cuda:sm_120"]
EXAMPLES = sorted((Path(__file__).parents[3] / "examples" / "row").glob("*.mlir"))


def cases(target):
    """Label and text of each module."""
    turn = TARGETS.index(target)
    for i, op in enumerate(assemble.OPS):
        text = ""
        for k, (element, parameters, results) in enumerate(TYPES):
            cols = COLS[(k + 2 * i + 3 * turn) % len(COLS)]
            rows = ROWS[(k + i + turn) % len(ROWS)]
            text += assemble.function(op, element, cols, rows, parameters, results)
        yield op, text
    for i, path in enumerate(EXAMPLES):
        text = path.read_text(encoding="utf-8")
        for cols in ("?", COLS[1 + (i + turn) % 5]):
            # Of add_rms_norm the weight is per column; of the others nothing is.
            yield path.stem, text.replace("<?x?x", f"<?x{cols}x").replace(
                "<?xbf16>", f"<{cols}xbf16>"
            )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("--ptxas", default="")
    options = parser.parse_args()
    kernels, spilled, problems = 0, 0, []
    for label, text in cases(options.target):
        seen, spill, wrong = assemble.judge(text, label, options.target, options.ptxas)
        kernels, spilled, problems = kernels + seen, spilled + spill, problems + wrong
    assemble.conclude(options.target, kernels, spilled, problems)


if __name__ == "__main__":
    main()
