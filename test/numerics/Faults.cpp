//===- Faults.cpp - Wrong programs, which must be noticed -------------------===//
//
// Each pairs a program with the oracle of another one: what a compiler that makes this
// mistake would hand out. A comparison that passes here would pass there.
//
//===----------------------------------------------------------------------===//
#include "Cases.h"

namespace normc::numerics {
namespace {

/// Fails unless the outputs of `wrong` differ from what `right` means.
void expectNoticed(Bench &bench, const std::string &right, const std::string &wrong,
                   const Run &run) {
  auto meant = bench.compile(right), made = bench.compile(wrong);
  if (!meant || !made)
    return;
  auto outputs = bench.launch(*made, run, "the wrong program");
  if (outputs && bench.worker.agrees(*meant, run, *outputs))
    bench.fail("the results of a wrong program pass");
}

void expectNoticed(Bench &bench, const Spec &right, const Spec &wrong, const Run &run) {
  expectNoticed(bench, toIr(right), toIr(wrong), run);
}

Spec bf16Spec(Op op) {
  Spec spec = fullSpec(op);
  setTypes(spec, Type::BF16);
  spec.inner = {40};
  return spec;
}

void wrongEpsilon(Bench &bench) {
  Spec right = bf16Spec(Op::LayerNorm), wrong = right;
  setTypes(right, Type::F32);
  setTypes(wrong, Type::F32);
  wrong.epsilon = right.epsilon * 1.5;
  // The variance is no larger than some epsilons.
  Recipe recipe;
  recipe.xScale = 0.01;
  expectNoticed(bench, right, wrong, makeRun(right, {30}, {40}, recipe));
}

void missingCast(Bench &bench) {
  for (Op op : {Op::RmsNorm, Op::RmsNormBackward}) {
    Spec right = bf16Spec(op), wrong = right;
    right.castBeforeWeight = true;
    // A wider result, so that its own rounding does not hide the one in the middle.
    right.result = wrong.result = right.gradient = wrong.gradient = Type::F32;
    expectNoticed(bench, right, wrong, makeRun(right, {30}, {40}));
  }
}

/// 1 + w rounded to the type of w.
void roundedOffset(Bench &bench) {
  Spec right = fullSpec(Op::RmsNorm);
  right.types = {{"weight", Type::BF16}};
  right.weightOffset = 1;
  right.inner = {16};
  Spec wrong = right;
  wrong.weightOffset = 0;
  Recipe recipe;
  recipe.specifications["weight"] = "const:0.00390625";
  Run run = makeRun(right, {4}, {16}, recipe);
  auto meant = bench.compile(right), made = bench.compile(wrong);
  if (!meant || !made)
    return;
  Run rounded = run;
  rounded.inputs["weight"] = *reference::generate("const:1:16", Type::BF16);
  auto outputs = bench.launch(*made, rounded, "weight 1");
  if (outputs && bench.worker.agrees(*meant, run, *outputs))
    bench.fail("an offset that was added in bf16 passes");
}

/// Sums that lack the last of many rows, or have the first one twice.
void wrongRows(Bench &bench) {
  for (Op op : {Op::LayerNormBackward, Op::DytBackward}) {
    Spec spec = fullSpec(op);
    spec.present = {"dbias"};
    spec.inner = {3};
    auto program = bench.compile(spec);
    if (!program)
      return;
    Recipe recipe;
    recipe.change = [](const std::string &name, std::vector<double> &values) {
      if (name == "dy")
        std::fill(values.begin(), values.end(), 1);
    };
    Run run = makeRun(spec, {70000}, {3}, recipe);
    run.exact = {"dbias"};
    for (double value : {0.0, 2.0}) {
      Run wrong = run;
      std::vector<double> dy = run.inputs["dy"].toDoubles();
      dy[value == 0 ? dy.size() - 1 : 0] = value;
      wrong.inputs["dy"] = reference::makeArray(Type::F32, run.inputs["dy"].shape, dy);
      auto outputs = bench.launch(*program, wrong, "one row off");
      if (outputs && bench.worker.agrees(*program, run, *outputs))
        bench.fail("sums of one row too few or too many pass");
    }
  }
}

/// f64 that is rounded to f32 on its way to bf16.
void roundedTwice(Bench &bench) {
  auto ir = [](bool twice) {
    std::string round =
        twice ? "%1 = row.round %0 to f32 : !row.tile<f64>\n" : std::string();
    return R"(
func.func @f(%x: memref<?x16xf64> {norm.name = "x"},
             %y: memref<?x16xbf16> {norm.name = "y"}) {
  row.kernel ins(%x : memref<?x16xf64>) outs(%y : memref<?x16xbf16>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf64>, %out: memref<?x16xbf16>):
    %0 = row.load %in : memref<?x16xf64> -> !row.tile<f64>
    )" + round +
           "row.store " + (twice ? "%1" : "%0") +
           R"(, %out : !row.tile<f64>, memref<?x16xbf16>
  }
  return
})";
  };
  Run run;
  // Just above the middle of 1 and the next bf16.
  std::vector<double> values(32, 1 + 0x1p-8 + 0x1p-30);
  run.inputs["x"] = reference::makeArray(Type::F64, {2, 16}, values);
  expectNoticed(bench, ir(false), ir(true), run);
}

/// Variance as E[x^2] - E[x]^2.
void cancellingVariance(Bench &bench) {
  const std::string wrong = R"(
func.func @f(%x: memref<?x64xf32> {norm.name = "x"},
             %rstd: memref<?xf32> {norm.name = "rstd"}) {
  row.kernel ins(%x : memref<?x64xf32>) outs(%rstd : memref<?xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x64xf32>, %out: memref<?xf32>):
    %0 = row.load %in : memref<?x64xf32> -> !row.tile<f32>
    %1 = row.map ins(%0 : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32):
      %2 = arith.mulf %a, %a : f32
      row.yield %2 : f32
    }
    %s:2 = row.reduce ins(%0, %1 : !row.tile<f32>, !row.tile<f32>)
        identities = [0.0 : f32, 0.0 : f32]
        -> !row.vec<rows, f32>, !row.vec<rows, f32> {
    ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
      %3 = arith.addf %a, %c : f32
      %4 = arith.addf %b, %d : f32
      row.yield %3, %4 : f32, f32
    }
    %5 = row.map ins(%s#0, %s#1 : !row.vec<rows, f32>, !row.vec<rows, f32>)
        -> !row.vec<rows, f32> {
    ^bb0(%a: f32, %b: f32):
      %n = arith.constant 0.015625 : f32
      %epsilon = arith.constant 1.0e-5 : f32
      %one = arith.constant 1.0 : f32
      %mean = arith.mulf %a, %n : f32
      %square = arith.mulf %b, %n : f32
      %meanSquare = arith.mulf %mean, %mean : f32
      %v = arith.subf %square, %meanSquare : f32
      %ve = arith.addf %v, %epsilon : f32
      %root = math.sqrt %ve : f32
      %r = arith.divf %one, %root : f32
      row.yield %r : f32
    }
    row.store %5, %out : !row.vec<rows, f32>, memref<?xf32>
  }
  return
})";
  Spec spec = fullSpec(Op::LayerNorm);
  spec.present = {"rstd"};
  spec.inner = {64};
  Recipe recipe;
  recipe.xOffset = 300;
  expectNoticed(bench, toIr(spec), wrong, makeRun(spec, {20}, {64}, recipe));
}

void strayWrites(Bench &bench) {
  for (Placement placement : {Placement::Guarded, Placement::Sparse}) {
    auto buffer = test::Buffer::allocate(Type::F32, {4, 6}, {40, 1}, 0, placement);
    auto *floats = static_cast<float *>(buffer->tensor()->data);
    floats[40] = 1;
    if (!buffer->guardsAreIntact())
      bench.fail("an element counts as a guard");
    floats[6] = 1;
    if (buffer->guardsAreIntact())
      bench.fail("a write between two rows passes");
  }
  test::Workspace workspace(100);
  workspace.data()[100] = std::byte{0};
  if (workspace.guardsAreIntact())
    bench.fail("a write behind the workspace passes");
}

} // namespace

void addFaultCases(Cases &cases) {
  cases.push_back({"faults/epsilon half too large", wrongEpsilon});
  cases.push_back({"faults/cast before the weight left out", missingCast});
  cases.push_back({"faults/offset added in the type of the weight", roundedOffset});
  cases.push_back({"faults/a row missing or there twice", wrongRows});
  cases.push_back({"faults/f64 rounded twice", roundedTwice});
  cases.push_back({"faults/variance by E[x^2] - E[x]^2", cancellingVariance});
  cases.push_back({"faults/writes beside the elements", strayWrites});
}

} // namespace normc::numerics
