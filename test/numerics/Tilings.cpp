//===- Tilings.cpp - Every strategy and knob of the host, by attribute ------===//
#include "Cases.h"

#include "dialects/row/Row.h"
#include "normc/Analysis/KernelFacts.h"
#include "normc/Compiler/Pipelines.h"
#include "normc/Schedule/Decision.h"
#include "normc/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <limits>

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
  // Of 16-bit tiles a vector holds twice as many.
  for (int64_t lanes = 1; lanes <= 2 * target.subgroup_size; lanes *= 2)
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

/// What is tried of a GPU's knobs: every way to spread a row over lanes, loops, tiles
/// of one batch and of several, blocks of columns, and tiles kept or read again.
std::vector<Tiling> legalGpuTilings(const schedule::KernelFacts &kernel,
                                    const schedule::TargetFacts &target) {
  std::vector<Tiling> tilings;
  auto add = [&](const Tiling &tiling) {
    if (schedule::checkTiling(kernel, target, tiling).empty())
      tilings.push_back(tiling);
  };
  const int64_t subgroup = target.subgroup_size;
  for (int64_t size : {subgroup, 3 * subgroup, 8 * subgroup})
    for (int64_t lanes : {int64_t(1), int64_t(2), subgroup / 2, subgroup, 2 * subgroup,
                          3 * subgroup, 8 * subgroup})
      for (int64_t elems : {1, 2, 4, 8})
        for (int64_t batches : {1, 2})
          for (int64_t flight = 1; flight <= batches; ++flight)
            for (int64_t blocks : {1, 0, 3})
              for (auto loop : {schedule::Loop::OneShot, schedule::Loop::Persistent})
                for (auto residency :
                     {schedule::Residency::Registers, schedule::Residency::Reload}) {
                  if (size % lanes != 0)
                    continue;
                  Tiling tiling;
                  tiling.workgroup_size = size;
                  tiling.lanes_per_row = lanes;
                  tiling.vector_elems = elems;
                  tiling.rows_per_tile = size / lanes * batches;
                  tiling.rows_in_flight = flight;
                  tiling.col_blocks = blocks;
                  tiling.loop = loop;
                  tiling.residency = residency;
                  tiling.min_workgroups_per_cu = kernel.writesPartials() ? 2 : 0;
                  if (kernel.hasSums() && !kernel.is_finalize)
                    tiling.rows_per_workgroup = tiling.rows_per_tile * 64;
                  add(tiling);
                }
  return tilings;
}

/// The map from columns to lanes, on which a row's order of sums depends. On a GPU a
/// lane counts its columns where it keeps them, and not where it reads them again.
std::string mapOf(const Tiling &tiling, schedule::Backend backend) {
  std::string kept = backend == schedule::Backend::Host
                         ? ""
                         : std::string(schedule::toString(tiling.residency)) + ",";
  return kept + std::to_string(tiling.vector_elems) + "," +
         std::to_string(tiling.lanes_per_row) + "," +
         std::to_string(tiling.vectors_in_flight);
}

std::string describe(const Tiling &tiling, const schedule::KernelFacts &kernel,
                     schedule::Backend backend) {
  std::string text = mapOf(tiling, backend) + " lanes, row, vectors; ";
  if (backend != schedule::Backend::Host)
    text += std::to_string(tiling.workgroup_size) + " a workgroup, " +
            std::string(schedule::toString(tiling.loop)) + ", " +
            std::to_string(tiling.rows_in_flight) + " in flight, " +
            std::to_string(tiling.col_blocks) + " blocks; ";
  if (kernel.is_finalize)
    return "finalize " + text + std::to_string(tiling.rows_per_tile) + " chains, " +
           std::to_string(tiling.col_blocks) + " blocks";
  return text + std::to_string(tiling.rows_per_tile) + " of " +
         std::to_string(tiling.rows_per_workgroup) + " rows, " +
         std::string(schedule::toString(tiling.residency));
}

struct TilingCase {
  std::string ir;
  /// Its inputs, for a number of rows and columns.
  std::function<Run()> inputs;
  int64_t rows, cols;
  /// Rows are computed one by one, so equal maps give equal bits.
  bool isForward;
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
    Run run = one.inputs();
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
      if (outputs && one.isForward)
        compareWithEqualMap(*outputs);
      if (outputs)
        tried.push_back({std::move(program), chosen, std::move(*outputs)});
    }
    takeTurns(run);
    const Run hard = withSpecials(run);
    for (const Tried &each : tried)
      bench.check(*each.program, hard, each.tilings + ", with special values");
  }

private:
  /// The program with the `number`-th tiling of each of its kernels.
  std::unique_ptr<Program> tiled(int64_t number) {
    OwningOpRef<ModuleOp> module = bench.worker.parse(one.ir);
    if (!module || failed(lower(*module))) {
      bench.fail("cannot split the kernel: " + bench.worker.takeDiagnostics());
      return nullptr;
    }
    uint64_t turn = 0;
    module->walk([&](row::KernelOp kernel) {
      schedule::KernelFacts facts = row::computeKernelFacts(kernel);
      std::vector<Tiling> legal = target.backend == schedule::Backend::Host
                                      ? legalTilings(facts, target, one.rows)
                                      : legalGpuTilings(facts, target);
      if (legal.empty()) {
        bench.fail("no legal tiling");
        return;
      }
      // A step that has no factor with the list's length in common, mostly.
      auto pick =
          one.seed + static_cast<uint64_t>(number) * 2654435761u + turn++ * 40503u;
      const Tiling &tiling = legal[pick % legal.size()];
      kernel.setTilingAttr(row::TilingAttr::get(kernel.getContext(), tiling));
      chosen += (chosen.empty() ? "" : " | ") + describe(tiling, facts, target.backend);
      map = mapOf(tiling, target.backend);
    });
    return bench.compile(std::move(module), one.target, chosen);
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

  /// NaN, infinities and negative zeros in some rows of x, and nowhere else: a row
  /// beside them, or what lies behind the last column, must not become NaN by them.
  /// GPUs get no infinities, of which the mean is outside of what is promised
  /// (docs/numerics.md).
  Run withSpecials(Run run) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    std::vector<double> specials = {std::numeric_limits<double>::quiet_NaN(), -0.0};
    if (target.backend == schedule::Backend::Host)
      specials.insert(specials.end(), {kInfinity, -kInfinity});
    auto named = run.inputs.find("x");
    reference::Array &x =
        named != run.inputs.end() ? named->second : run.inputs.begin()->second;
    std::vector<double> values = x.toDoubles();
    const auto cols = static_cast<size_t>(x.shape.back());
    size_t turn = 0;
    for (size_t row = 1; row * cols < values.size(); row += 5, ++turn)
      for (size_t col : {cols - 1, row % cols})
        values[row * cols + col] = specials[turn % specials.size()];
    x = reference::makeArray(x.type, x.shape, values);
    run.mayLeaveDomain = true;
    return run;
  }

  /// Forward, tilings with one map differ in nothing that a row's sums depend on.
  void compareWithEqualMap(const Arrays &outputs) {
    auto [first, isNew] = byMap.try_emplace(map, chosen, outputs);
    if (!isNew)
      bench.expectSame(first->second.second, outputs,
                       chosen + " and " + first->second.first);
  }

  /// The programs, twice in turn, on one workspace: each finds there what the others
  /// left, partials of other blocks of rows, and has the bits that it had on its own.
  void takeTurns(const Run &run) {
    size_t bytes = 0;
    for (const Tried &each : tried) {
      auto need = bench.worker.workspaceBytes(*each.program, run);
      if (!need)
        return bench.fail(each.tilings + ": " + bench.worker.error());
      bytes = std::max(bytes, *need);
    }
    if (bytes == 0)
      return;
    test::Workspace workspace(bytes);
    for (int turn = 0; turn < 2; ++turn)
      for (const Tried &each : tried) {
        std::string what = each.tilings + ", where other tilings left their partials";
        auto outputs = bench.worker.launchOn(workspace, *each.program, run);
        if (!outputs)
          return bench.fail(what + ": " + bench.worker.error());
        bench.expectSame(each.outputs, *outputs, what);
      }
  }

  struct Tried {
    std::unique_ptr<Program> program;
    std::string tilings;
    Arrays outputs;
  };

  Bench &bench;
  const TilingCase &one;
  std::vector<Tried> tried;
  schedule::TargetFacts target;
  std::string chosen, map;
  std::set<std::string> seen;
  std::map<std::string, std::pair<std::string, Arrays>> byMap;
};

std::string strategyName(std::optional<row::Strategy> strategy) {
  return strategy ? row::stringifyStrategy(*strategy).str() : "rows";
}

/// On a GPU dynamic columns are in blocks, which reductions along rows and sums to
/// scalars cross: what is summed down such columns has to be parted from them.
std::vector<std::optional<row::Strategy>> strategiesOf(const Spec &spec, bool dynamic,
                                                       bool isGpu) {
  if (!isBackward(spec.op))
    return {std::nullopt};
  if (isGpu && dynamic)
    return {row::Strategy::fission};
  return {row::Strategy::direct, row::Strategy::partials, row::Strategy::fission};
}

/// examples/row, by name.
const std::map<std::string, std::string> kRowPrograms = {
#include "RowPrograms.inc"
};

void replaceAll(std::string &text, const std::string &word, const std::string &by) {
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
    text.replace(at, word.size(), by);
}

/// Row programs written by hand: reductions whose identity is no zero, or of two
/// values.
void addRowPrograms(Cases &cases, const Settings &settings, const std::string &target) {
  struct {
    std::string name;
    Type type;
    std::vector<std::string> tiles;
  } programs[] = {{"softmax_forward", Type::F32, {"x"}},
                  {"softmax_online", Type::F32, {"x"}},
                  {"softmax_backward", Type::F32, {"dy", "y"}},
                  {"l2_normalize", Type::BF16, {"x"}},
                  {"add_rms_norm", Type::BF16, {"x", "residual", "weight"}}};
  for (const auto &program : programs)
    for (int64_t cols : {7, 40, 129}) {
      bool atLaunch = cols == 129;
      std::string ir = kRowPrograms.at(program.name);
      if (!atLaunch) {
        std::string size = std::to_string(cols);
        replaceAll(ir, "memref<?x?x", "memref<?x" + size + "x");
        replaceAll(ir, "%weight: memref<?x", "%weight: memref<" + size + "x");
        replaceAll(ir, "memref<?xbf16>", "memref<" + size + "xbf16>");
      }
      constexpr int64_t kRows = 37;
      auto inputs = [=] {
        Run run;
        for (const std::string &name : program.tiles) {
          std::string shape =
              name == "weight" ? std::to_string(cols) : "37x" + std::to_string(cols);
          run.inputs[name] = *reference::generate(
              "normal:" + std::to_string(name.size()) + ":" + shape, program.type);
        }
        return run;
      };
      TilingCase one{ir,     inputs, kRows,
                     cols,   true,   std::nullopt,
                     target, 5,      settings.seed * 31 + cases.size()};
      cases.push_back({"tilings/" + target + "/" + program.name + "/" +
                           std::to_string(cols) + " columns",
                       [one](Bench &bench) { Tiler(bench, one).run(); }});
    }
}

} // namespace

void addTilingCases(Cases &cases, const Settings &settings) {
  struct {
    int64_t rows, cols;
    bool dynamic;
  } sizes[] = {{37, 1, false},   {50, 7, false},   {37, 24, false},
               {100, 40, false}, {17, 100, false}, {37, 100, true},
               {5, 300, false},  {9, 1025, true},  {33, 7, true}};
  const bool isGpu = !settings.device.empty();
  for (const std::string &target : settings.targets) {
    addRowPrograms(cases, settings, target);
    for (Op op : kOps)
      for (auto size : sizes) {
        Spec spec = fullSpec(op, /*erf=*/op == Op::DytBackward && size.cols == 100);
        setTypes(spec, size.cols == 24 ? Type::BF16 : Type::F32);
        spec.castBeforeWeight = op == Op::RmsNormBackward && size.cols == 24;
        spec.inner = {size.dynamic ? kDynamic : size.cols};
        for (auto strategy : strategiesOf(spec, size.dynamic, isGpu)) {
          // One workgroup that stores sums itself sees all rows, so there must be a
          // number of them.
          bool direct = strategy == row::Strategy::direct;
          spec.outer = {direct ? size.rows : kDynamic};
          auto inputs = [=] { return makeRun(spec, {size.rows}, {size.cols}); };
          TilingCase one{toIr(spec),
                         inputs,
                         size.rows,
                         size.cols,
                         !isBackward(op),
                         strategy,
                         target,
                         target == settings.targets.front() && !settings.selection ? 4
                                                                                   : 2,
                         settings.seed * 31 + cases.size()};
          cases.push_back({"tilings/" + target + "/" + strategyName(strategy) + "/" +
                               std::to_string(size.rows) + "x" +
                               std::to_string(size.cols) +
                               (size.dynamic ? " at launch/" : "/") + describe(spec),
                           [one](Bench &bench) { Tiler(bench, one).run(); }});
        }
      }
  }
}

} // namespace normc::numerics
