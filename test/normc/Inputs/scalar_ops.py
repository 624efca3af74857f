"""Prints a module with a hand-written row.kernel for every op that regions may have.

scalar_ops.py dialects/row/ScalarOps.cpp f32|f64 [OP ...]

The list is read from the source, so that an op that joins it is a kernel of the tests.
"""
import re
import sys

SOURCE, TYPE, *ONLY = sys.argv[1:]
INTEGER = {"f32": "i32", "f64": "i64"}[TYPE]
OTHER = {"f32": "f64", "f64": "f32"}[TYPE]

BINARY = {"arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.remf", "arith.maximumf",
          "arith.minimumf", "arith.maxnumf", "arith.minnumf", "math.atan2", "math.copysign",
          "math.powf"}
INTEGERS = {"arith." + name for name in ("addi", "subi", "muli", "andi", "ori", "xori", "shli",
                                         "shrsi", "shrui", "maxsi", "maxui", "minsi", "minui")}
EXTENDED = {"arith.addui_extended", "arith.mulsi_extended", "arith.mului_extended"}
TO_BOOL = {"math.isfinite", "math.isnan"}


def bits(line):
    """On the element's bits."""
    return [f"%i = arith.bitcast %e : {TYPE} to {INTEGER}", line,
            f"%r = arith.bitcast %j : {INTEGER} to {TYPE}"]


def body(op):
    """Lines from %e to %r."""
    if op in BINARY:
        return [f"%r = {op} %e, %e : {TYPE}"]
    if op in INTEGERS:
        return bits(f"%j = {op} %i, %i : {INTEGER}")
    if op in EXTENDED:
        second = "i1" if op == "arith.addui_extended" else INTEGER
        types = f"{INTEGER}, {second}" if second == "i1" else INTEGER
        return bits(f"%j, %k = {op} %i, %i : {types}")
    if op == "math.absi":
        return bits(f"%j = {op} %i : {INTEGER}")
    if op in TO_BOOL:
        return [f"%b = {op} %e : {TYPE}", "%n = arith.negf %e : " + TYPE,
                f"%r = arith.select %b, %e, %n : {TYPE}"]
    if op in ("arith.cmpf", "arith.select"):
        return [f"%n = arith.negf %e : {TYPE}", f"%b = arith.cmpf olt, %e, %n : {TYPE}",
                f"%r = arith.select %b, %e, %n : {TYPE}"]
    if op == "arith.cmpi":
        return [f"%i = arith.bitcast %e : {TYPE} to {INTEGER}",
                f"%k = arith.addi %i, %i : {INTEGER}",
                f"%b = arith.cmpi slt, %i, %k : {INTEGER}", f"%n = arith.negf %e : {TYPE}",
                f"%r = arith.select %b, %e, %n : {TYPE}"]
    if op in ("arith.extsi", "arith.extui", "arith.trunci"):
        extend = "arith.extsi" if op == "arith.trunci" else op
        return bits(f"%n = arith.trunci %i : {INTEGER} to i16\n"
                    f"      %j = {extend} %n : i16 to {INTEGER}")
    if op in ("arith.sitofp", "arith.uitofp"):
        return [f"%i = arith.bitcast %e : {TYPE} to {INTEGER}",
                f"%r = {op} %i : {INTEGER} to {TYPE}"]
    if op in ("arith.fptosi", "arith.fptoui"):
        return [f"%j = {op} %e : {TYPE} to {INTEGER}",
                f"%r = arith.bitcast %j : {INTEGER} to {TYPE}"]
    if op == "arith.bitcast":
        return bits(f"%j = arith.addi %i, %i : {INTEGER}")
    if op in ("arith.extf", "arith.truncf"):
        there, back = (("extf", "truncf") if TYPE == "f32" else ("truncf", "extf"))
        return [f"%w = arith.{there} %e : {TYPE} to {OTHER}", f"%p = arith.addf %w, %w : {OTHER}",
                f"%r = arith.{back} %p : {OTHER} to {TYPE}"]
    if op == "math.fma":
        return [f"%r = {op} %e, %e, %e : {TYPE}"]
    return [f"%r = {op} %e : {TYPE}"]


def main():
    with open(SOURCE, encoding="utf-8") as source:
        ops = re.findall(r'^    \{"((?:arith|math)\.\w+)"', source.read(), re.MULTILINE)
    assert len(ops) > 70, ops
    memref = f"memref<?x64x{TYPE}>"
    for op in ONLY or ops:
        name = op.replace(".", "_")
        lines = "\n      ".join(body(op))
        print(f"""func.func @{name}(%x: {memref}, %y: {memref}) {{
  row.kernel ins(%x : {memref}) outs(%y : {memref}) norm_dims = 1
      attributes {{kernel_name = "{name}"}} {{
  ^bb0(%in: {memref}, %out: {memref}):
    %t = row.load %in : {memref} -> !row.tile<{TYPE}>
    %s = row.map ins(%t : !row.tile<{TYPE}>) -> !row.tile<{TYPE}> {{
    ^bb0(%e: {TYPE}):
      {lines}
      row.yield %r : {TYPE}
    }}
    row.store %s, %out : !row.tile<{TYPE}>, {memref}
  }}
  return
}}""")


if __name__ == "__main__":
    main()
