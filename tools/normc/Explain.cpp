//===- Explain.cpp - normc explain ------------------------------------------===//
#include "Tool.h"

#include "normc/Compiler/Compiler.h"
#include "normc/Compiler/Explain.h"
#include "normc/Compiler/Source.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace normc::tool {

namespace {
/// Rows of cells, printed with columns as wide as they need to be.
class Table {
public:
  explicit Table(std::vector<std::string> header) { add(std::move(header)); }

  void add(std::vector<std::string> cells) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (auto [cell, width] : llvm::zip(cells, widths))
      width = std::max(width, cell.size());
    rows.push_back(std::move(cells));
  }
  void print(llvm::raw_ostream &os) const {
    for (const std::vector<std::string> &row : rows) {
      os << "  ";
      for (auto [index, cell] : llvm::enumerate(row)) {
        os << cell;
        if (index + 1 < row.size())
          os.indent(widths[index] - cell.size() + 2);
      }
      os << "\n";
    }
  }

private:
  std::vector<size_t> widths;
  std::vector<std::vector<std::string>> rows;
};
} // namespace

static std::string text(std::string_view word) { return std::string(word); }

/// How the tiling takes a row, in words.
static std::string describeRow(const schedule::Tiling &tiling) {
  std::string lanes = tiling.lanes_per_row == 1
                          ? "a lane a row"
                          : std::to_string(tiling.vectors_in_flight) + " x " +
                                std::to_string(tiling.vector_elems);
  return lanes + ", " + text(schedule::toString(tiling.residency));
}

static void print(const VariantExplanation &variant) {
  Table table({"kernel", "strategy", "workgroups", "rows/workgroup", "rows/tile",
               "columns", "bytes/row", "bytes once", "occupancy", "model us"});
  for (const LaunchExplanation &launch : variant.launches)
    table.add({launch.kernel, text(schedule::toString(launch.strategy)), launch.grid,
               launch.tiling.rows_per_workgroup
                   ? std::to_string(launch.tiling.rows_per_workgroup)
                   : "all",
               std::to_string(launch.tiling.rows_per_tile), describeRow(launch.tiling),
               std::to_string(launch.cost.bytes_per_row),
               std::to_string(launch.cost.bytes_fixed),
               llvm::formatv("{0:P0}", launch.cost.occupancy),
               llvm::formatv("{0:F1}", launch.cost.model_ns / 1000)});
  table.print(llvm::outs());
  for (const std::string &bytes : variant.workspaces)
    llvm::outs() << "  workspace: " << bytes << " bytes\n";
  for (const LaunchExplanation &launch : variant.launches)
    llvm::outs() << "  " << launch.kernel << ": " << launch.bound << "\n";
  for (const LaunchExplanation &launch : variant.launches)
    if (launch.resources)
      llvm::outs() << "  " << launch.kernel << ": "
                   << launch.resources->registers_per_lane << " registers a lane, "
                   << launch.resources->spill_store_bytes +
                          launch.resources->spill_load_bytes
                   << " bytes spilled\n";
}

/// The candidates of one kernel in the model's order.
static void print(const ChoiceExplanation &choice) {
  llvm::outs() << choice.kernel << (choice.rows.empty() ? "" : " for " + choice.rows)
               << ", the first by the model of:\n";
  for (const ChoiceExplanation::Candidate &candidate : choice.candidates)
    llvm::outs() << "  " << llvm::formatv("{0:F2}", candidate.model_ns / 1000)
                 << " us  " << candidate.decision
                 << (candidate.lost.empty() ? "" : "\n      lost: " + candidate.lost)
                 << "\n";
  llvm::outs() << "\n";
}

static void print(const EntryExplanation &entry, StringRef target) {
  for (auto [index, variant] : llvm::enumerate(entry.variants)) {
    llvm::outs() << entry.entry << " on " << target;
    if (entry.variants.size() > 1)
      llvm::outs() << ", variant " << index + 1 << " of " << entry.variants.size()
                   << ", taken "
                   << (variant.guards.empty() ? "otherwise"
                                              : "where " + variant.guards);
    llvm::outs() << "\n";
    print(variant);
    llvm::outs() << "\n";
    for (const ChoiceExplanation &choice : variant.choices)
      print(choice);
  }
}

/// What a program needs of the choices: candidates with their tilings.
static void writeJson(const EntryExplanation &entry, StringRef target,
                      llvm::json::OStream &json) {
  for (auto [index, variant] : llvm::enumerate(entry.variants))
    for (const ChoiceExplanation &choice : variant.choices)
      json.object([&, index = index] {
        json.attribute("entry", entry.entry);
        json.attribute("target", target);
        json.attribute("variant", static_cast<int64_t>(index));
        json.attribute("guards", variant.guards);
        json.attribute("kernel", choice.kernel);
        json.attribute("rows", choice.rows);
        if (choice.max_rows)
          json.attribute("max_rows", *choice.max_rows);
        json.attribute("tuning_target", choice.target);
        json.attribute("facts", choice.facts);
        json.attributeArray("candidates", [&] {
          for (const ChoiceExplanation::Candidate &candidate : choice.candidates)
            json.object([&] {
              json.attribute("decision", candidate.decision);
              json.attribute("strategy",
                             StringRef(schedule::toString(candidate.strategy)));
              json.attribute("model_us", candidate.model_ns / 1000);
              json.attribute("lost", candidate.lost);
              json.attributeArray("kernels", [&] {
                for (const auto &kernel : candidate.kernels)
                  json.object([&] {
                    json.attribute("role", kernel.role);
                    json.attribute("tiling", kernel.tiling);
                  });
              });
            });
        });
      });
}

using TargetEntries = std::pair<std::string, std::vector<EntryExplanation>>;

static void writeJson(llvm::ArrayRef<TargetEntries> all) {
  llvm::json::OStream json(llvm::outs(), 2);
  json.array([&] {
    for (const auto &[target, entries] : all)
      for (const EntryExplanation &entry : entries)
        writeJson(entry, target, json);
  });
  llvm::outs() << "\n";
}

ExitCode runExplain(const ExplainRequest &request) {
  if (ExitCode code = checkTargets(request.targets, /*areCompiled=*/false))
    return code;
  if (request.candidates == 0)
    return fail("expected --candidates to be at least 1, because the chosen one is "
                "listed, but got 0",
                UsageError);
  // Choices are printed as they are made, without code.
  std::string error;
  std::optional<nvvm::Toolkit> toolkit =
      nvvm::findToolkit(request.json ? "off" : request.ptxas, error);
  if (!toolkit)
    return fail(error);
  SourceContext context(llvm::errs());
  OwningOpRef<ModuleOp> module = context.readFile(request.input);
  if (!module)
    return Failure;
  std::vector<TargetEntries> all;
  for (const std::string &target : request.targets) {
    FailureOr<std::vector<EntryExplanation>> entries =
        explain(*module, target, *toolkit, request.candidates, request.tunings);
    if (failed(entries))
      return Failure;
    all.emplace_back(target, std::move(*entries));
  }
  if (request.json) {
    writeJson(all);
    return Success;
  }
  for (const auto &[target, entries] : all)
    for (const EntryExplanation &entry : entries)
      print(entry, target);
  llvm::outs() << "model us: what the ranking of the choices assumes; where rows are "
                  "dynamic, for many MiB of them.\n";
  return Success;
}

} // namespace normc::tool
