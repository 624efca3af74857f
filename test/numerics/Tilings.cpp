//===- Tilings.cpp - Every strategy and knob of the host, by attribute ------===//
#include "Cases.h"

#include "dialects/row/Row.h"
#include "normc/Analysis/KernelFacts.h"
#include "normc/Compiler/Pipelines.h"
#include "normc/Schedule/Decision.h"
#include "normc/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace normc::numerics {
namespace {

using schedule::Tiling;

/// Every legal combination of the host's knobs. Rows come in blocks of one tile, of
/// three, of some, and of all `rows`.
std::vector<Tiling> legalTilings(const schedule::KernelFacts &kernel,
                                 const schedule::TargetFacts &target, int64_t rows) {
  std::vector<Tiling> tilings;
  auto add = [&](Tiling tiling) {
    tiling.loop = schedule::Loop::Persistent;
    if (kernel.is_finalize) {
      for (int64_t blocks : {1, 2, 3, 5}) {
        tiling.col_blocks = blocks;
        if (schedule::checkTiling(kernel, target, tiling).empty())
          tilings.push_back(tiling);
      }
      return;
    }
    int64_t all = (rows + tiling.rows_per_tile - 1) / tiling.rows_per_tile;
    for (int64_t tiles : {int64_t(1), int64_t(3), int64_t(10), all}) {
      tiling.rows_per_workgroup = std::max<int64_t>(tiles, 1) * tiling.rows_per_tile;
      if (schedule::checkTiling(kernel, target, tiling).empty())
        tilings.push_back(tiling);
    }
  };
  for (int64_t lanes = 1; lanes <= target.subgroup_size; lanes *= 2)
    for (int64_t lanesPerRow : {lanes, int64_t(1)})
      for (int64_t rowsPerTile = 1; rowsPerTile <= 16; rowsPerTile *= 2)
        for (int64_t vectors = 1; vectors <= 8; vectors *= 2)
          for (auto residency :
               {schedule::Residency::Registers, schedule::Residency::Reload}) {
            if (lanesPerRow == 1 && lanes == 1 && lanesPerRow != lanes)
              continue;
            Tiling tiling;
            tiling.vector_elems = tiling.workgroup_size = lanes;
            tiling.lanes_per_row = lanesPerRow;
            tiling.rows_per_tile = rowsPerTile;
            tiling.vectors_in_flight = vectors;
            tiling.residency = residency;
            add(tiling);
          }
  return tilings;
}

/// The map from columns to lanes, on which a row's order of sums depends.
std::string mapOf(const Tiling &tiling) {
  return std::to_string(tiling.vector_elems) + "," +
         std::to_string(tiling.lanes_per_row) + "," +
         std::to_string(tiling.vectors_in_flight);
}

std::string describe(const Tiling &tiling, const schedule::KernelFacts &kernel) {
  std::string text = mapOf(tiling) + " lanes, row, vectors; ";
  if (kernel.is_finalize)
    return "finalize " + text + std::to_string(tiling.rows_per_tile) + " chains, " +
           std::to_string(tiling.col_blocks) + " blocks";
  return text + std::to_string(tiling.rows_per_tile) + " of " +
         std::to_string(tiling.rows_per_workgroup) + " rows, " +
         std::string(schedule::toString(tiling.residency));
}

struct TilingCase {
  Spec spec;
  int64_t rows, cols;
  std::optional<row::Strategy> strategy;
  std::string target;
  /// How many of the legal tilings are tried, spread over all of them, and where that
  /// begins.
  int64_t tries;
  uint64_t seed;
};

class Tiler {
public:
  Tiler(Bench &bench, const TilingCase &one) : bench(bench), one(one) {}

  void run() {
    std::string error;
    auto facts = schedule::lookupTarget(one.target, error);
    if (!facts)
      return bench.fail(error);
    target = *facts;
    Run run = makeRun(one.spec, {one.rows}, {one.cols});
    // One lane with one accumulator adds a row in one chain.
    run.longestChain = std::max<int64_t>(1024, one.cols);
    for (int64_t number = 0; number < one.tries; ++number) {
      chosen.clear();
      std::unique_ptr<Program> program = tiled(number);
      if (!program)
        return;
      if (!seen.insert(chosen).second)
        continue;
      auto outputs = bench.check(*program, run, chosen);
      if (outputs && !isBackward(one.spec.op))
        compareWithEqualMap(*outputs);
    }
  }

private:
  /// The program with the `number`-th tiling of each of its kernels.
  std::unique_ptr<Program> tiled(int64_t number) {
    OwningOpRef<ModuleOp> module = bench.worker.parse(toIr(one.spec));
    if (!module || failed(lower(*module))) {
      bench.fail("cannot split the kernel: " + bench.worker.takeDiagnostics());
      return nullptr;
    }
    uint64_t turn = 0;
    module->walk([&](row::KernelOp kernel) {
      schedule::KernelFacts facts = row::computeKernelFacts(kernel);
      std::vector<Tiling> legal = legalTilings(facts, target, one.rows);
      if (legal.empty()) {
        bench.fail("no legal tiling");
        return;
      }
      // A step that has no factor with the list's length in common, mostly.
      auto pick =
          one.seed + static_cast<uint64_t>(number) * 2654435761u + turn++ * 40503u;
      const Tiling &tiling = legal[pick % legal.size()];
      kernel.setTilingAttr(row::TilingAttr::get(kernel.getContext(), tiling));
      chosen += (chosen.empty() ? "" : " | ") + describe(tiling, facts);
      map = mapOf(tiling);
    });
    auto program = bench.worker.compile(std::move(module), one.target);
    if (!program)
      bench.fail(chosen + ": " + bench.worker.error());
    return program;
  }

  LogicalResult lower(ModuleOp module) {
    PassManager rows(module.getContext(), ModuleOp::getOperationName());
    buildNormToRowPipeline(rows);
    AttachTargetPassOptions attach;
    attach.target = one.target;
    rows.addPass(createAttachTargetPass(attach));
    if (failed(rows.run(module)))
      return failure();
    if (one.strategy)
      module.walk([&](row::KernelOp kernel) { kernel.setStrategy(*one.strategy); });
    PassManager split(module.getContext(), ModuleOp::getOperationName());
    split.addPass(createSplitColumnReductionPass());
    return split.run(module);
  }

  /// Forward, tilings with one map differ in nothing that a row's sums depend on.
  void compareWithEqualMap(const Arrays &outputs) {
    auto [first, isNew] = byMap.try_emplace(map, chosen, outputs);
    if (!isNew)
      bench.expectSame(first->second.second, outputs,
                       chosen + " and " + first->second.first);
  }

  Bench &bench;
  const TilingCase &one;
  schedule::TargetFacts target;
  std::string chosen, map;
  std::set<std::string> seen;
  std::map<std::string, std::pair<std::string, Arrays>> byMap;
};

std::string strategyName(std::optional<row::Strategy> strategy) {
  return strategy ? row::stringifyStrategy(*strategy).str() : "rows";
}

std::vector<std::optional<row::Strategy>> strategiesOf(const Spec &spec) {
  if (!isBackward(spec.op))
    return {std::nullopt};
  return {row::Strategy::direct, row::Strategy::partials, row::Strategy::fission};
}

} // namespace

void addTilingCases(Cases &cases, const Settings &settings) {
  struct {
    int64_t rows, cols;
    bool dynamic;
  } sizes[] = {{37, 1, false},   {50, 7, false},   {37, 24, false},
               {100, 40, false}, {17, 100, false}, {37, 100, true},
               {5, 300, false},  {9, 1025, true},  {33, 7, true}};
  for (const std::string &target : settings.targets)
    for (Op op : kOps)
      for (auto size : sizes) {
        Spec spec = fullSpec(op, /*erf=*/op == Op::DytBackward && size.cols == 100);
        setTypes(spec, size.cols == 24 ? Type::BF16 : Type::F32);
        spec.castBeforeWeight = op == Op::RmsNormBackward && size.cols == 24;
        spec.inner = {size.dynamic ? kDynamic : size.cols};
        for (auto strategy : strategiesOf(spec)) {
          // One workgroup that stores sums itself sees all rows, so there must be a
          // number of them.
          bool direct = strategy == row::Strategy::direct;
          spec.outer = {direct ? size.rows : kDynamic};
          TilingCase one{spec,
                         size.rows,
                         size.cols,
                         strategy,
                         target,
                         target == settings.targets.front() ? 4 : 2,
                         settings.seed * 31 + cases.size()};
          cases.push_back({"tilings/" + target + "/" + strategyName(strategy) + "/" +
                               std::to_string(size.rows) + "x" +
                               std::to_string(size.cols) +
                               (size.dynamic ? " at launch/" : "/") + describe(spec),
                           [one](Bench &bench) { Tiler(bench, one).run(); }});
        }
      }
}

} // namespace normc::numerics
