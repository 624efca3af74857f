//===- Edges.cpp - Sizes at which something changes -------------------------===//
#include "Cases.h"

namespace normc::numerics {

/// One column, less and more than a vector, not a multiple of one, a power of two, one
/// past it, more than an unrolled row, more than a cache.
static constexpr int64_t kCols[] = {1,   2,   3,    7,    17,   24,   127,
                                    128, 769, 1024, 4096, 4097, 65537};

/// With dynamic columns and the fewest lanes and accumulators, the longest chain of
/// adds along a row.
static int64_t longestChain(int64_t cols) {
  constexpr int64_t kLeastLanes = 4 * 4;
  return std::max<int64_t>(1024, cols / kLeastLanes + 1);
}

static Run edgeRun(const Spec &spec, int64_t rows, int64_t cols) {
  Recipe recipe;
  recipe.seed = static_cast<uint64_t>(cols);
  Run run = makeRun(spec, {rows}, {cols}, recipe);
  run.longestChain = longestChain(cols);
  return run;
}

/// The first rows alone have the same bits.
static void checkPrefix(Bench &bench, Program &program, Run run, const Arrays &whole,
                        int64_t rows, const std::string &what) {
  Arrays expected;
  for (auto &[name, array] : run.inputs)
    if (name == "x")
      array = firstRows(array, rows);
  for (auto &[name, shape] : run.shapes)
    shape[0] = rows;
  for (const auto &[name, array] : whole)
    expected[name] = firstRows(array, rows);
  if (auto part = bench.launch(program, run, what))
    bench.expectSame(*part, expected, what + ": the first " + std::to_string(rows));
}

static void runSize(Bench &bench, Program &program, const Spec &spec, int64_t cols) {
  const int64_t large = std::max<int64_t>(3, 80000 / cols);
  auto what = [&](int64_t rows, const char *how) {
    return std::to_string(rows) + "x" + std::to_string(cols) + how;
  };
  // Around tiles of 8 and 16 rows.
  for (int64_t rows : {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33})
    if (rows <= large)
      bench.check(program, edgeRun(spec, rows, cols), what(rows, ""));
  Run run = edgeRun(spec, large, cols);
  auto whole = bench.check(program, run, what(large, ""));
  if (!whole)
    return;
  if (!isBackward(spec.op))
    for (int64_t rows : {large - 1, (large + 1) / 2, int64_t(1)})
      checkPrefix(bench, program, run, *whole, rows, what(large, ""));
  for (int threads : {1, 2, 5})
    if (auto again = bench.launch(program, run, what(large, ""), threads))
      bench.expectSame(*whole, *again,
                       what(large, " on ") + std::to_string(threads) + " threads");
  struct {
    Layout layout;
    const char *how;
  } places[] = {{{{}, 1, Placement::Guarded}, ", one element off"},
                {{{}, 0, Placement::EndsAtPage}, ", up to the end of a page"},
                {{{}, 0, Placement::BeginsAtPage}, ", from the start of a page"}};
  for (const auto &place : places) {
    run.layout = place.layout;
    if (auto moved = bench.launch(program, run, what(large, place.how)))
      bench.expectSameElsewhere(*whole, *moved, what(large, place.how));
  }
}

/// Of a selection, every second size; the other type of the op has the others.
static void addSizes(Cases &cases, Spec spec, bool selection) {
  bool isOdd = spec.x == Type::BF16;
  for (int64_t cols : kCols) {
    isOdd = !isOdd;
    if (selection && isOdd)
      continue;
    spec.inner = {cols};
    cases.push_back({"edges/" + std::to_string(cols) + " columns/" + describe(spec),
                     [=](Bench &bench) {
                       if (auto program = bench.compile(spec))
                         runSize(bench, *program, spec, cols);
                     }});
  }
  spec.inner = {kDynamic};
  cases.push_back({"edges/columns at launch/" + describe(spec), [=](Bench &bench) {
                     auto program = bench.compile(spec);
                     for (int64_t cols : kCols)
                       if (program)
                         runSize(bench, *program, spec, cols);
                   }});
}

void addEdgeCases(Cases &cases, const Settings &settings) {
  for (Type type : {Type::F32, Type::BF16})
    for (Op op : kOps) {
      Spec spec = fullSpec(op);
      setTypes(spec, type);
      addSizes(cases, spec, settings.selection);
      if (op != Op::Dyt && op != Op::DytBackward)
        continue;
      spec = fullSpec(op, /*erf=*/true);
      setTypes(spec, type);
      addSizes(cases, spec, settings.selection);
    }
}

} // namespace normc::numerics
