"""Modules of one norm op each, for tests that compile all of them."""
import subprocess
import sys

# op: inputs and outputs; t a tile, r one a row, c one a column, s one in all.
OPS = {
    "layer_norm": ("x:t weight:c bias:c", "y:t mean:r rstd:r", " epsilon = 1.0e-5"),
    "layer_norm_backward": ("dy:t x:t mean:r rstd:r weight:c", "dx:t dweight:c dbias:c", ""),
    "rms_norm": ("x:t weight:c", "y:t rstd:r", " epsilon = 1.0e-6"),
    "rms_norm_backward": ("dy:t x:t rstd:r weight:c", "dx:t dweight:c", ""),
    "dyt": ("x:t alpha:s weight:c bias:c", "y:t", ""),
    "dyt_backward": ("dy:t x:t alpha:s weight:c", "dx:t dalpha:s dweight:c dbias:c", ""),
}
ERF = " {activation = #norm.activation<erf>}"
# Those and the ones beside them; what stands behind a dot tells two of one op apart.
ALL_OPS = OPS | {
    "dyt.erf": ("x:t alpha:s shift:s weight:c bias:c", "y:t", ERF),
    "dyt_backward.erf": (
        "dy:t x:t alpha:s shift:s weight:c",
        "dx:t dalpha:s dshift:s dweight:c dbias:c",
        ERF,
    ),
}


def type_of(extent, element, cols, rows="?", wide=False):
    """wide: what is per row is in f64."""
    if extent == "t":
        return f"memref<{rows}x{cols}x{element}>"
    if extent == "r":
        return f"memref<{rows}x{'f64' if wide else 'f32'}>"
    return f"memref<{cols if extent == 'c' else 1}x{element}>"


def function(op, element, cols, rows="?", parameters="", results=""):
    """A function of one op: x and dy of the element type, parameters and results too
    where they are not given."""
    parameters, results = parameters or element, results or element
    inputs, outputs, attributes = ALL_OPS[op]
    types = {}
    for word in (inputs + " " + outputs).split():
        name, extent = word.split(":")
        is_result = word in outputs.split()
        kind = results if is_result else element if extent == "t" else parameters
        types[name] = type_of(extent, kind, cols, rows, element == "f64")
    use = lambda words: " ".join(
        f"{name}(%{name} : {types[name]})" for name in (w.split(":")[0] for w in words.split())
    )
    arguments = ", ".join(f"%{name}: {text}" for name, text in types.items())
    size = "_".join("n" if word == "?" else str(word) for word in (rows, cols))
    name = f"{op.replace('.', '_')}_{element}_{parameters}_{results}_{size}"
    return (
        f"func.func @{name}({arguments}) {{\n"
        f"  norm.{op.split('.')[0]} {use(inputs)} outs {use(outputs)}{attributes}\n  return\n}}\n"
    )


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        errors = [line for line in result.stderr.splitlines() if "remark:" not in line]
        sys.exit(" ".join(command) + "\n" + "\n".join(errors))
    return result
