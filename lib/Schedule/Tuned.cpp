//===- Tuned.cpp - Decisions that were measured -----------------------------===//
#include "normc/Schedule/Tuned.h"

#include "Expected.h"
#include "Rank.h"
#include "Words.h"

namespace normc::schedule {

static constexpr Word<Extent> kExtents[] = {{"tile", Extent::Tile},
                                            {"rows", Extent::Rows},
                                            {"cols", Extent::Cols},
                                            {"one", Extent::Scalar},
                                            {"partials", Extent::Partials}};

static std::string rowsOf(const KernelFacts &kernel) {
  if (kernel.rows)
    return num(*kernel.rows);
  return kernel.max_rows ? "at most " + num(*kernel.max_rows) : "any";
}

static std::string buffersOf(const KernelFacts &kernel, bool outputs) {
  std::string text;
  for (const BufferFacts &buffer : kernel.buffers)
    if (buffer.is_output == outputs)
      text.append(text.empty() ? "" : ", ")
          .append(wordOf(kExtents, buffer.extent))
          .append(" ")
          .append(toString(buffer.type));
  return text;
}

std::string factsKey(const KernelFacts &kernel, const TargetFacts &target) {
  std::string key = kernel.is_finalize ? "finalize, " : "";
  if (kernel.hasSums())
    key += "rows " + rowsOf(kernel) + ", ";
  key += "cols " + (kernel.cols ? num(*kernel.cols) : "any") + ", in " +
         std::string(toString(kernel.accumulator)) + "; " + buffersOf(kernel, false) +
         " -> " + buffersOf(kernel, true) + "; phases " + num(kernel.phases) +
         ", row reductions " + num(kernel.row_reductions) + ", moments " +
         num(kernel.moments) + ", sums " + num(kernel.column_sums) + " and " +
         num(kernel.scalar_sums);
  if (kernel.sums_wait)
    key += " that wait";
  key += "; operations " + num(kernel.ops_per_element) + ", special " +
         num(kernel.special_ops_per_element) + ", special a row " +
         num(kernel.special_ops_per_row);
  if (target.any_alignment)
    key += "; any alignment";
  return key + (target.portable ? "; any device" : "");
}

std::string tuningTarget(const TargetFacts &target) {
  return target.name == "host" ? "host:" + target.features : target.name;
}

/// Why a kernel cannot have the strategy, or "".
static std::string checkStrategy(const KernelFacts &kernel, Strategy strategy,
                                 const Tiling &tiling) {
  const std::string name(toString(strategy));
  if (strategy == Strategy::Fission)
    return expected("strategy rows, direct, partials or cluster",
                    "the kernels of a fission are two, each with a choice of its own",
                    name);
  const Strategy as_is = strategyAsIs(kernel);
  if ((as_is != Strategy::Direct || strategy == Strategy::Rows) && strategy != as_is)
    return expected("strategy " + std::string(toString(as_is)),
                    kernel.hasSums() ? "the kernel has sums down the columns"
                                     : "the kernel has no sums down the columns",
                    name);
  const bool shares = tiling.cluster_cols > 1;
  if (strategy == Strategy::Direct && shares)
    return expected("cluster_cols 1", "with strategy direct one workgroup sees all",
                    tiling.cluster_cols);
  if (strategy == Strategy::Cluster && !shares)
    return expected("cluster_cols of at least 2",
                    "with strategy cluster several workgroups share a row",
                    tiling.cluster_cols);
  return "";
}

std::optional<Decision> tunedDecision(const KernelFacts &kernel,
                                      const TargetFacts &target, Strategy strategy,
                                      const Tiling &tiling, std::string &reason) {
  reason = checkStrategy(kernel, strategy, tiling);
  if (!reason.empty())
    return std::nullopt;
  const bool splits = strategy == Strategy::Partials && !kernel.writesPartials();
  const KernelFacts part = splits ? partialsPart(kernel) : kernel;
  reason = checkTiling(part, target, tiling);
  if (!reason.empty())
    return std::nullopt;
  Decision decision = decisionOf(part, target, tiling);
  if (!ColumnMap(kernel, target).keeps(decision)) {
    reason = "expected the map from columns to lanes that every variant has, because a "
             "row's sum has one order, but got lanes_per_row " +
             num(tiling.lanes_per_row) + ", vector_elems " + num(tiling.vector_elems);
    return std::nullopt;
  }
  if (splits) {
    const KernelFacts last = finalizeFacts(part, rowWorkgroups(part, target, tiling));
    for (KernelChoice &choice : choose(last, target).kernels) {
      decision.model_ns += choice.cost.model_ns;
      decision.kernels.push_back(std::move(choice));
    }
  }
  return decision;
}

} // namespace normc::schedule
