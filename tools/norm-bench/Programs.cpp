//===- Programs.cpp - The sources of what is measured -----------------------===//
#include "Programs.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using llvm::StringRef;

namespace normc::bench {

namespace {
/// The parameters of an op: "name:extent" words, extent as tile, rows, cols or one.
struct Parameters {
  StringRef inputs, outputs;
};
} // namespace

static Parameters parametersOf(const Cell &cell) {
  if (cell.op == "softmax")
    return cell.backward ? Parameters{"dy:tile y:tile", "dx:tile"}
                         : Parameters{"x:tile", "y:tile"};
  if (cell.op == "dyt")
    return cell.backward
               ? Parameters{"dy:tile x:tile alpha:one weight:cols",
                            "dx:tile dalpha:one dweight:cols dbias:cols"}
               : Parameters{"x:tile alpha:one weight:cols bias:cols", "y:tile"};
  if (cell.op == "rms_norm")
    return cell.backward ? Parameters{"dy:tile x:tile rstd:rows weight:cols",
                                      "dx:tile dweight:cols"}
                         : Parameters{"x:tile weight:cols",
                                      cell.statistics ? "y:tile rstd:rows" : "y:tile"};
  return cell.backward
             ? Parameters{"dy:tile x:tile mean:rows rstd:rows weight:cols",
                          "dx:tile dweight:cols dbias:cols"}
             : Parameters{"x:tile weight:cols bias:cols",
                          cell.statistics ? "y:tile mean:rows rstd:rows" : "y:tile"};
}

/// The type that a row is computed in, and that its statistics have.
static std::string numberOf(const Cell &cell) {
  return cell.type == "f64" ? "f64" : "f32";
}

static std::string memref(StringRef extent, const Cell &cell) {
  std::string cols = std::to_string(cell.cols);
  std::string dims = llvm::StringSwitch<std::string>(extent)
                         .Case("tile", "?x" + cols + "x")
                         .Case("rows", "?x")
                         .Case("cols", cols + "x")
                         .Default("1x");
  return "memref<" + dims + (extent == "rows" ? numberOf(cell) : cell.type) + ">";
}

/// `call` with each word of "name:extent" in turn, and what it gives joined.
template <typename Call>
static std::string join(StringRef words, StringRef between, const Cell &cell,
                        Call call) {
  std::vector<std::string> parts;
  for (StringRef word : llvm::split(words, ' ')) {
    auto [name, extent] = word.split(':');
    parts.push_back(call(name, memref(extent, cell)));
  }
  return llvm::join(parts, between);
}

/// "func.func @name(parameters) {".
static std::string headOf(StringRef name, const Parameters &parameters,
                          const Cell &cell) {
  std::string all = (parameters.inputs + " " + parameters.outputs).str();
  return "func.func @" + name.str() + "(" +
         join(all, ", ", cell,
              [](StringRef param, const std::string &type) {
                return ("%" + param + ": " + type + " {norm.name = \"" + param + "\"}")
                    .str();
              }) +
         ") {\n";
}

static std::string normOp(const Cell &cell, const Parameters &parameters) {
  auto operand = [](StringRef param, const std::string &type) {
    return (param + "(%" + param + " : " + type + ")").str();
  };
  std::string epsilon = cell.backward || cell.op == "dyt" ? "" : " epsilon = 1.0e-5";
  return "  norm." + cell.entry() + " " + join(parameters.inputs, " ", cell, operand) +
         " outs " + join(parameters.outputs, " ", cell, operand) + epsilon + "\n";
}

// The programs of examples/row, over aliases: of a buffer, of a number as a row is
// computed in, and of what a kernel has for each element and for each row.
static constexpr StringRef kSoftmaxForward = R"(
    %t = row.load %in_x : !buffer -> !tile
    %max = row.reduce ins(%t : !tile) identities = [#lowest] -> !rows {
    ^bb0(%a: !num, %b: !num):
      %m = arith.maximumf %a, %b : !num
      row.yield %m : !num
    }
    %e = row.map keep ins(%t, %max : !tile, !rows) -> !tile {
    ^bb0(%element: !num, %largest: !num):
      %d = arith.subf %element, %largest : !num
      %r = math.exp %d : !num
      row.yield %r : !num
    }
    %sum = row.reduce ins(%e : !tile) identities = [0.0 : !num] -> !rows {
    ^bb0(%a: !num, %b: !num):
      %s = arith.addf %a, %b : !num
      row.yield %s : !num
    }
    %inverse = row.map ins(%sum : !rows) -> !rows {
    ^bb0(%s: !num):
      %one = arith.constant 1.0 : !num
      %r = arith.divf %one, %s : !num
      row.yield %r : !num
    }
    %p = row.map ins(%e, %inverse : !tile, !rows) -> !tile {
    ^bb0(%element: !num, %factor: !num):
      %r = arith.mulf %element, %factor : !num
      row.yield %r : !num
    }
    row.store %p, %out_y : !tile, !buffer
)";
static constexpr StringRef kSoftmaxBackward = R"(
    %g = row.load %in_dy : !buffer -> !tile
    %p = row.load %in_y : !buffer -> !tile
    %product = row.map ins(%g, %p : !tile, !tile) -> !tile {
    ^bb0(%a: !num, %b: !num):
      %r = arith.mulf %a, %b : !num
      row.yield %r : !num
    }
    %dot = row.reduce ins(%product : !tile) identities = [0.0 : !num] -> !rows {
    ^bb0(%a: !num, %b: !num):
      %s = arith.addf %a, %b : !num
      row.yield %s : !num
    }
    %d = row.map ins(%g, %p, %dot : !tile, !tile, !rows) -> !tile {
    ^bb0(%a: !num, %b: !num, %s: !num):
      %centered = arith.subf %a, %s : !num
      %r = arith.mulf %b, %centered : !num
      row.yield %r : !num
    }
    row.store %d, %out_dx : !tile, !buffer
)";
static constexpr StringRef kMoveOne = R"(
    %t = row.load %in_x : !buffer -> !tile
    row.store %t, %out_y : !tile, !buffer
)";
// An exact sum of elements that are as wide as the result: one rounding, no reduction.
static constexpr StringRef kMoveTwo = R"(
    %a = row.load %in_dy : !buffer -> !tile
    %b = row.load %in_x : !buffer -> !tile
    %sum = row.map ins(%a, %b : !tile, !tile) -> !tile {
    ^bb0(%left: !num, %right: !num):
      %s = arith.addf %left, %right : !num
      row.yield %s : !num
    }
    row.store %sum, %out_dx : !tile, !buffer
)";

/// What the bodies above name.
static std::string aliases(const Cell &cell) {
  const std::string number = numberOf(cell);
  return "!buffer = " + memref("tile", cell) + "\n!num = " + number +
         "\n!tile = !row.tile<" + number + ">\n!rows = !row.vec<rows, " + number +
         ">\n#lowest = " + (number == "f64" ? "0xFFF0000000000000" : "0xFF800000") +
         " : " + number + "\n";
}

/// A function of one row.kernel whose buffers are all tiles.
static std::string rowKernel(StringRef name, const Parameters &parameters,
                             StringRef body, const Cell &cell) {
  auto list = [&](StringRef words, StringRef prefix, StringRef suffix) {
    return join(words, ", ", cell, [&](StringRef param, const std::string &) {
      return ("%" + prefix + param + suffix).str();
    });
  };
  auto types = [&](StringRef words) {
    return join(words, ", ", cell,
                [](StringRef, const std::string &) { return std::string("!buffer"); });
  };
  const auto &[inputs, outputs] = parameters;
  return aliases(cell) + headOf(name, parameters, cell) + "  row.kernel ins(" +
         list(inputs, "", "") + " : " + types(inputs) + ") outs(" +
         list(outputs, "", "") + " : " + types(outputs) +
         ") norm_dims = 1\n      attributes {kernel_name = \"" + name.str() +
         "\"} {\n  ^bb0(" + list(inputs, "in_", ": !buffer") + ", " +
         list(outputs, "out_", ": !buffer") + "):" + body.str() + "  }\n  return\n}\n";
}

std::string sourceOf(const Cell &cell) {
  Parameters parameters = parametersOf(cell);
  if (cell.op == "softmax")
    return rowKernel(cell.entry(), parameters,
                     cell.backward ? kSoftmaxBackward : kSoftmaxForward, cell);
  return headOf(cell.entry(), parameters, cell) + normOp(cell, parameters) +
         "  return\n}\n";
}

std::string moverOf(const Cell &cell) {
  return cell.backward
             ? rowKernel(kMoverEntry, {"dy:tile x:tile", "dx:tile"}, kMoveTwo, cell)
             : rowKernel(kMoverEntry, {"x:tile", "y:tile"}, kMoveOne, cell);
}

std::string moverName(const Cell &cell) {
  return std::string("mover_of_") + (cell.backward ? "3" : "2") + "_" + cell.type +
         "_" + std::to_string(cell.cols);
}

std::string copySource() {
  Cell cell;
  cell.type = "f32";
  cell.cols = kCopyCols;
  return moverOf(cell);
}

} // namespace normc::bench
