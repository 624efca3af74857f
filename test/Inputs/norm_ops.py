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


def type_of(extent, element, cols):
    if extent == "t":
        return f"memref<?x{cols}x{element}>"
    if extent == "r":
        return "memref<?x%s>" % ("f64" if element == "f64" else "f32")
    return f"memref<{cols if extent == 'c' else 1}x{element}>"


def function(op, element, cols):
    inputs, outputs, attributes = OPS[op]
    operands = [word.split(":") for word in (inputs + " " + outputs).split()]
    types = {name: type_of(extent, element, cols) for name, extent in operands}
    use = lambda words: " ".join(
        f"{name}(%{name} : {types[name]})" for name in (w.split(":")[0] for w in words.split())
    )
    parameters = ", ".join(f"%{name}: {text}" for name, text in types.items())
    return (
        f"func.func @{op}_{element}_{cols if cols != '?' else 'n'}({parameters}) {{\n"
        f"  norm.{op} {use(inputs)} outs {use(outputs)}{attributes}\n  return\n}}\n"
    )


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        errors = [line for line in result.stderr.splitlines() if "remark:" not in line]
        sys.exit(" ".join(command) + "\n" + "\n".join(errors))
    return result
