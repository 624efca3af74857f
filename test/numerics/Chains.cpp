//===- Chains.cpp - Functions of several ops --------------------------------===//
//
// Intermediates live in the workspace, in their own type; reshapes move nothing.
//
//===----------------------------------------------------------------------===//
#include "Cases.h"

namespace normc::numerics {
namespace {

/// `text` with every TYPE and COLS replaced.
std::string fill(std::string text, Type type, int64_t cols) {
  auto replace = [&](const std::string &word, const std::string &by) {
    for (size_t at = 0; (at = text.find(word, at)) != std::string::npos;)
      text.replace(at, word.size(), by);
  };
  replace("TYPE", std::string(reference::typeName(type)));
  replace("COLS", cols == kDynamic ? "?" : std::to_string(cols));
  return text;
}

/// layer_norm, then rms_norm of what it stored, on memrefs.
constexpr const char *kTwoForward = R"(
func.func @f(%x: memref<?xCOLSxTYPE> {norm.name = "x"},
             %w: memref<COLSxf32> {norm.name = "weight"},
             %y: memref<?xCOLSxf32> {norm.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %x, %c0 : memref<?xCOLSxTYPE>
  ALLOC
  norm.layer_norm x(%x : memref<?xCOLSxTYPE>) outs y(%t : memref<?xCOLSxTYPE>)
      epsilon = 1.0e-5
  norm.rms_norm x(%t : memref<?xCOLSxTYPE>) weight(%w : memref<COLSxf32>)
      outs y(%y : memref<?xCOLSxf32>) epsilon = 1.0e-6
  return
})";

/// The forward's statistics go straight into the backward.
constexpr const char *kForwardBackward = R"(
func.func @f(%x: tensor<?x40xTYPE> {norm.name = "x"},
             %dy: tensor<?x40xTYPE> {norm.name = "dy"},
             %w: tensor<40xf32> {norm.name = "weight"})
    -> (tensor<?x40xTYPE> {norm.name = "y"}, tensor<?x40xTYPE> {norm.name = "dx"},
        tensor<40xf32> {norm.name = "dweight"}, tensor<40xf32> {norm.name = "dbias"}) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x40xTYPE>
  %yi = tensor.empty(%rows) : tensor<?x40xTYPE>
  %mi = tensor.empty(%rows) : tensor<?xf32>
  %ri = tensor.empty(%rows) : tensor<?xf32>
  %y, %m, %r = norm.layer_norm x(%x : tensor<?x40xTYPE>) weight(%w : tensor<40xf32>)
      outs y(%yi : tensor<?x40xTYPE>) mean(%mi : tensor<?xf32>) rstd(%ri : tensor<?xf32>)
      epsilon = 1.0e-5 -> tensor<?x40xTYPE>, tensor<?xf32>, tensor<?xf32>
  %dxi = tensor.empty(%rows) : tensor<?x40xTYPE>
  %dwi = tensor.empty() : tensor<40xf32>
  %dbi = tensor.empty() : tensor<40xf32>
  %dx, %dw, %db = norm.layer_norm_backward dy(%dy : tensor<?x40xTYPE>)
      x(%x : tensor<?x40xTYPE>) mean(%m : tensor<?xf32>) rstd(%r : tensor<?xf32>)
      weight(%w : tensor<40xf32>)
      outs dx(%dxi : tensor<?x40xTYPE>) dweight(%dwi : tensor<40xf32>)
      dbias(%dbi : tensor<40xf32>)
      -> tensor<?x40xTYPE>, tensor<40xf32>, tensor<40xf32>
  return %y, %dx, %dw, %db
      : tensor<?x40xTYPE>, tensor<?x40xTYPE>, tensor<40xf32>, tensor<40xf32>
})";

/// A packed row seen as heads and back again: [n, 6 * 32] as [n * 6, 32].
constexpr const char *kReshape = R"(
func.func @f(%x: tensor<?x192xTYPE> {norm.name = "x"},
             %w: tensor<32xf32> {norm.name = "weight"})
    -> (tensor<?x192xTYPE> {norm.name = "y"}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x192xTYPE>
  %heads = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 6, 32]
      : tensor<?x192xTYPE> into tensor<?x6x32xTYPE>
  %flat = tensor.collapse_shape %heads [[0, 1], [2]]
      : tensor<?x6x32xTYPE> into tensor<?x32xTYPE>
  %rows = tensor.dim %flat, %c0 : tensor<?x32xTYPE>
  %yi = tensor.empty(%rows) : tensor<?x32xTYPE>
  %y = norm.rms_norm x(%flat : tensor<?x32xTYPE>) weight(%w : tensor<32xf32>)
      outs y(%yi : tensor<?x32xTYPE>) epsilon = 1.0e-6
      {cast = #norm.cast<before_weight>} -> tensor<?x32xTYPE>
  %back = tensor.expand_shape %y [[0, 1], [2]] output_shape [%n, 6, 32]
      : tensor<?x32xTYPE> into tensor<?x6x32xTYPE>
  %out = tensor.collapse_shape %back [[0], [1, 2]]
      : tensor<?x6x32xTYPE> into tensor<?x192xTYPE>
  return %out : tensor<?x192xTYPE>
})";

/// dyt, and its backward on the same x with a rank 0 alpha; two entries' worth of
/// column sums in one function.
constexpr const char *kTwoBackward = R"(
func.func @f(%x: memref<?x24xTYPE> {norm.name = "x"},
             %dy: memref<?x24xTYPE> {norm.name = "dy"},
             %rstd: memref<?xf32> {norm.name = "rstd"},
             %alpha: memref<f32> {norm.name = "alpha"},
             %dx: memref<?x24xTYPE> {norm.name = "dx"},
             %da: memref<f32> {norm.name = "dalpha"},
             %dw: memref<24xf32> {norm.name = "dweight"},
             %db: memref<24xTYPE> {norm.name = "dbias"}) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %x, %c0 : memref<?x24xTYPE>
  %g = memref.alloc(%rows) : memref<?x24xTYPE>
  norm.dyt_backward dy(%dy : memref<?x24xTYPE>) x(%x : memref<?x24xTYPE>)
      alpha(%alpha : memref<f32>)
      outs dx(%g : memref<?x24xTYPE>) dalpha(%da : memref<f32>)
      dbias(%db : memref<24xTYPE>)
  norm.rms_norm_backward dy(%g : memref<?x24xTYPE>) x(%x : memref<?x24xTYPE>)
      rstd(%rstd : memref<?xf32>)
      outs dx(%dx : memref<?x24xTYPE>) dweight(%dw : memref<24xf32>)
  return
})";

Array normal(uint64_t seed, Type type, std::vector<int64_t> shape, double offset = 0) {
  auto array = reference::generate("normal:" + std::to_string(seed) + ":" +
                                       reference::formatShape(shape) +
                                       ":1:" + std::to_string(offset),
                                   type);
  return *array;
}

void runChain(Bench &bench, const std::string &ir, Type type, int64_t cols,
              int64_t paramCols, const std::vector<std::string> &names) {
  auto program = bench.compile(ir);
  if (!program)
    return;
  for (int64_t rows : {0, 1, 9, 300}) {
    Run run;
    for (const std::string &name : names) {
      if (name == "weight")
        run.inputs[name] = normal(3, Type::F32, {paramCols}, 1);
      else if (name == "rstd")
        run.inputs[name] = normal(4, Type::F32, {rows}, 1);
      else if (name == "alpha")
        run.inputs[name] = normal(5, Type::F32, {}, 0.5);
      else
        run.inputs[name] = normal(name == "x" ? 1 : 2, type, {rows, cols}, 0.2);
    }
    auto outputs = bench.check(*program, run, std::to_string(rows) + " rows");
    run.layout.offset = 1;
    auto moved = bench.check(*program, run, std::to_string(rows) + " rows, one off");
    if (outputs && moved)
      bench.expectSameElsewhere(*outputs, *moved, "one element off");
  }
}

} // namespace

void addChainCases(Cases &cases) {
  for (Type type : {Type::F16, Type::BF16, Type::F32}) {
    std::string name = " in " + std::string(reference::typeName(type));
    for (int64_t cols : {int64_t(40), kDynamic}) {
      std::string ir = fill(kTwoForward, type, cols);
      bool dynamic = cols == kDynamic;
      std::string alloc = dynamic
                              ? "%cols = memref.dim %x, %c1 : memref<?x?xTYPE>\n"
                                "  %t = memref.alloc(%rows, %cols) : memref<?x?xTYPE>"
                              : "%t = memref.alloc(%rows) : memref<?xCOLSxTYPE>";
      ir.replace(ir.find("ALLOC"), 5, fill(alloc, type, cols));
      cases.push_back({"chains/layer_norm, rms_norm" + name +
                           (dynamic ? ", columns at launch" : ""),
                       [=](Bench &bench) {
                         runChain(bench, ir, type, dynamic ? 77 : cols,
                                  dynamic ? 77 : cols, {"x", "weight"});
                       }});
    }
    cases.push_back({"chains/layer_norm and its backward" + name, [=](Bench &bench) {
                       runChain(bench, fill(kForwardBackward, type, 40), type, 40, 40,
                                {"x", "dy", "weight"});
                     }});
    cases.push_back({"chains/rms_norm of heads" + name, [=](Bench &bench) {
                       runChain(bench, fill(kReshape, type, 32), type, 192, 32,
                                {"x", "weight"});
                     }});
    cases.push_back(
        {"chains/dyt backward, rms_norm backward" + name, [=](Bench &bench) {
           runChain(bench, fill(kTwoBackward, type, 24), type, 24, 24,
                    {"x", "dy", "rstd", "alpha"});
         }});
  }
}

} // namespace normc::numerics
