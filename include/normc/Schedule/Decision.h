//===- Decision.h - Strategy and tiling of a row kernel ---------------------===//
//
// Two plain functions: `candidates` lists what is legal with what it costs, `choose`
// ranks by a model. No MLIR: a pass converts IR to KernelFacts and the choice back.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_SCHEDULE_DECISION_H
#define NORMC_SCHEDULE_DECISION_H

#include "normc/Schedule/Facts.h"
#include "normc/Schedule/Tiling.h"

#include <string>
#include <vector>

namespace normc::schedule {

/// How a kernel's sums down the columns are made.
enum class Strategy : uint8_t {
  /// There are none.
  Rows,
  /// One workgroup sees every row and stores the sums itself.
  Direct,
  /// Every workgroup writes its partial sums, a second kernel adds them.
  Partials,
  /// Two kernels read the inputs: one for what is per row, one for the sums.
  Fission,
  /// One cluster sees every row; each of its workgroups has some of the columns and
  /// stores their sums itself.
  Cluster,
};
std::string_view toString(Strategy strategy);
std::optional<Strategy> parseStrategy(std::string_view word);

/// What a kernel with a tiling costs on a target. Absent: not known before launch.
struct Cost {
  int64_t registers_per_lane = 0;
  int64_t shared_bytes = 0;
  /// Bytes that a compute unit has under way.
  int64_t bytes_in_flight = 0;
  /// Least bytes that the kernel moves for one row, and once.
  int64_t bytes_per_row = 0;
  int64_t bytes_fixed = 0;
  std::optional<int64_t> workgroups;
  std::optional<double> waves;
  /// Resident lanes over the most that a compute unit holds, 0 to 1.
  double occupancy = 0;
  /// Longest chain of dependent adds down the rows within this kernel. A scalar sum
  /// adds along each row first, as a row reduction does; that chain is not in here.
  /// Where rows is dynamic, for the most rows that are assumed.
  std::optional<int64_t> dependent_adds;
  /// Partial rows written, and their bytes.
  std::optional<int64_t> partials;
  std::optional<int64_t> workspace_bytes;
  /// The model's time for rows x cols (for a nominal size where they are dynamic).
  double model_ns = 0;
};

/// One resulting kernel of a decision.
struct KernelChoice {
  /// "fused", "rows", "columns" or "finalize".
  std::string role;
  Tiling tiling;
  Cost cost;
};

struct Decision {
  Strategy strategy = Strategy::Rows;
  std::vector<KernelChoice> kernels;
  double model_ns = 0;
  /// Fission: sums to a scalar stay with what is per row, as those would keep the other
  /// kernel from blocking the columns.
  bool scalars_with_rows = false;
  /// Whose mapping it is, for those that are known by a name.
  std::string name;
  /// The limit that bound the choice, as a sentence with its numbers.
  std::string bound;
};

/// Dependent adds of a sum, through the kernel that begins it and the one that ends it;
/// the most of all sums.
int64_t depthOf(const Decision &decision);

/// Every legal decision. Empty only for what a lowering to GPUs cannot do: sums down
/// the columns that wait for a row reduction, where no lane's registers hold a row.
std::vector<Decision> candidates(const KernelFacts &kernel, const TargetFacts &target);

/// The best of the candidates by the model. The map from columns to lanes
/// (lanes_per_row, vector_elems, vectors_in_flight) is chosen without a look at `rows`,
/// so that a row's bits do not depend on how many there are. Without candidates it has
/// no kernels, and `bound` is what was expected.
Decision choose(const KernelFacts &kernel, const TargetFacts &target);

/// Where few rows want a form of their own: at most so many, and how their sums are
/// made.
struct FewRows {
  int64_t rows;
  Strategy strategy;
};
/// For a kernel with sums and a dynamic number of rows, the most rows (a power of two)
/// up to which one launch without a finalize takes a tenth less by the model than what
/// is chosen for many rows. Nothing where that is never so.
std::optional<FewRows> fewRows(const KernelFacts &kernel, const TargetFacts &target);

/// A decision, and why it lost to the first one of the list: empty for that one.
struct Ranked {
  Decision decision;
  std::string lost;
};
/// The best decisions by the model, `count` and behind them those that have a name; the
/// first is that of `choose`. With a strategy, of those that have it.
std::vector<Ranked> rank(const KernelFacts &kernel, const TargetFacts &target,
                         size_t count, std::optional<Strategy> strategy = {});

/// A decision in a line of words and numbers.
std::string describe(const Decision &decision, const TargetFacts &target);

/// The strategy of a kernel that is taken as it is: Rows without sums, Partials where
/// they are split already, else Direct, or Cluster with a tiling that has one.
Strategy strategyAsIs(const KernelFacts &kernel);

/// The best of the candidates that have this strategy; nothing, and a reason as
/// "expected ..., because ..., but got ...", where none does.
std::optional<Decision> chooseStrategy(const KernelFacts &kernel,
                                       const TargetFacts &target, Strategy strategy,
                                       std::string &reason);

/// The kernel as it is with a legal tiling that something else chose: what the model
/// says of it, and the limit that binds it.
Decision decisionOf(const KernelFacts &kernel, const TargetFacts &target,
                    const Tiling &tiling);

/// Empty when the tiling is legal for the kernel on the target, else the limit that it
/// breaks, as "expected ..., because ..., but got ...".
std::string checkTiling(const KernelFacts &kernel, const TargetFacts &target,
                        const Tiling &tiling);

/// Elements of one partial of the kernel (W): its column sums, then its scalar sums,
/// padded to 16 bytes. Absent where cols is.
std::optional<int64_t> partialElems(const KernelFacts &kernel);

/// Workgroups of the kernel, on a GPU for the table's number of compute units. Absent
/// where they depend on rows or columns that are dynamic.
std::optional<int64_t> workgroups(const KernelFacts &kernel, const TargetFacts &target,
                                  const Tiling &tiling);

/// Those of them that are side by side on the rows: the partials of a kernel that
/// writes partials.
std::optional<int64_t> rowWorkgroups(const KernelFacts &kernel,
                                     const TargetFacts &target, const Tiling &tiling);

/// The kernel that adds `partials` partials of `kernel` into its sums' outputs.
KernelFacts finalizeFacts(const KernelFacts &kernel, std::optional<int64_t> partials);

/// The kernel with its sums going to partials.
KernelFacts partialsPart(const KernelFacts &kernel);

/// The two kernels of a fission: without the sums, and with the sums alone; with
/// `scalars_with_rows` the first has the sums to a scalar. What each reads is taken to
/// be all that the whole reads.
KernelFacts rowsPart(const KernelFacts &kernel, bool scalars_with_rows = false);
KernelFacts columnsPart(const KernelFacts &kernel, bool scalars_with_rows = false);

} // namespace normc::schedule

#endif // NORMC_SCHEDULE_DECISION_H
