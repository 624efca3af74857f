"""The programs of the benchmark: one norm op in a function on memrefs, as IR text."""
from dataclasses import dataclass

OPS = ("layer_norm", "rms_norm", "dyt")
DIRECTIONS = ("forward", "backward")
BYTES = {"f32": 4, "bf16": 2, "f16": 2, "f64": 8}


@dataclass(frozen=True)
class Param:
    """A parameter of the entry: kind is tile, rows, cols or scalar."""

    name: str
    kind: str
    type: str
    is_output: bool

    def shape(self, rows, cols):
        return {"tile": (rows, cols), "rows": (rows,), "cols": (cols,), "scalar": (1,)}[self.kind]

    def bytes(self, rows, cols):
        count = 1
        for size in self.shape(rows, cols):
            count *= size
        return count * BYTES[self.type]


@dataclass(frozen=True)
class Program:
    """One op in one direction; parameters have x's type, statistics are f32."""

    op: str
    direction: str
    rows: int
    cols: int
    type: str
    static_rows: bool

    @property
    def entry(self):
        return self.op + ("_backward" if self.direction == "backward" else "")

    @property
    def title(self):
        rows = f"{self.rows}" if self.static_rows else f"{self.rows} (dynamic)"
        return f"{self.op} {self.direction} [{rows}, {self.cols}] {self.type}"

    @property
    def params(self):
        t = self.type
        inputs, outputs = {
            ("layer_norm", "forward"): (
                "x:tile weight:cols bias:cols", "y:tile mean:rows rstd:rows"),
            ("layer_norm", "backward"): (
                "dy:tile x:tile mean:rows rstd:rows weight:cols",
                "dx:tile dweight:cols dbias:cols"),
            ("rms_norm", "forward"): ("x:tile weight:cols", "y:tile rstd:rows"),
            ("rms_norm", "backward"): (
                "dy:tile x:tile rstd:rows weight:cols", "dx:tile dweight:cols"),
            ("dyt", "forward"): ("x:tile alpha:scalar weight:cols bias:cols", "y:tile"),
            ("dyt", "backward"): (
                "dy:tile x:tile alpha:scalar weight:cols",
                "dx:tile dalpha:scalar dweight:cols dbias:cols"),
        }[self.op, self.direction]
        result = []
        for text, is_output in ((inputs, False), (outputs, True)):
            for item in text.split():
                name, kind = item.split(":")
                result.append(Param(name, kind, "f32" if kind == "rows" else t, is_output))
        return result

    @property
    def bytes(self):
        """Each input read once, each output written once."""
        return sum(param.bytes(self.rows, self.cols) for param in self.params)

    def memref(self, param):
        rows = str(self.rows) if self.static_rows else "?"
        dims = {"tile": f"{rows}x{self.cols}x", "rows": f"{rows}x", "cols": f"{self.cols}x",
                "scalar": "1x"}[param.kind]
        return f"memref<{dims}{param.type}>"

    def text(self):
        arguments = ", ".join(f'%{p.name}: {self.memref(p)} {{norm.name = "{p.name}"}}'
                              for p in self.params)
        operand = lambda p: f"{p.name}(%{p.name} : {self.memref(p)})"
        inputs = " ".join(operand(p) for p in self.params if not p.is_output)
        outputs = " ".join(operand(p) for p in self.params if p.is_output)
        epsilon = " epsilon = 1.0e-5" if self.direction == "forward" and self.op != "dyt" else ""
        return (f"func.func @{self.entry}({arguments}) {{\n"
                f"  norm.{self.entry} {inputs} outs {outputs}{epsilon}\n  return\n}}\n")
