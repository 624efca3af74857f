//===- ForcedTilings.cpp - Ways to run that the decisions may not choose ----===//
#include "DeviceCases.h"

#include <algorithm>

namespace normc::device {

using numerics::describe;
using numerics::fullSpec;
using numerics::isBackward;
using numerics::kOps;
using numerics::setTypes;

namespace {

/// Loops over tiles that a tiling is tried with.
enum class Loops : uint8_t { Both, Persistent };

/// Ops that a tiling is for: those without sums to keep, those with partials to add,
/// those that reduce rows, those with both.
enum class Ops : uint8_t { All, Forward, Backward, Reducing, ReducingBackward };

/// One way to run a kernel, for columns that suit it.
struct ForcedTiling {
  const char *tiling;
  int64_t cols;
  Loops loops = Loops::Both;
  Ops ops = Ops::All;
};

} // namespace

static constexpr ForcedTiling kTilings[] = {
    // A lane a row.
    {"workgroup_size = 64, rows_per_tile = 128, rows_in_flight = 2, vector_elems = 8, "
     "residency = registers",
     24},
    {"workgroup_size = 256, rows_per_tile = 256, vector_elems = 1, residency = "
     "registers",
     7},
    // Part of a subgroup, a subgroup.
    {"workgroup_size = 128, lanes_per_row = 4, rows_per_tile = 64, rows_in_flight = 2, "
     "vector_elems = 4, residency = registers",
     24},
    {"workgroup_size = 128, lanes_per_row = 16, rows_per_tile = 8, vector_elems = 8, "
     "residency = registers",
     128},
    {"workgroup_size = 256, lanes_per_row = 32, rows_per_tile = 16, rows_in_flight = "
     "2, "
     "vector_elems = 8, residency = registers",
     768},
    {"workgroup_size = 64, lanes_per_row = 32, rows_per_tile = 2, vector_elems = 2, "
     "residency = registers",
     257},
    // Several subgroups, a workgroup.
    {"workgroup_size = 256, lanes_per_row = 128, rows_per_tile = 2, vector_elems = 8, "
     "residency = registers",
     2048},
    {"workgroup_size = 512, lanes_per_row = 512, rows_per_tile = 1, vector_elems = 8, "
     "residency = registers",
     4096},
    {"workgroup_size = 192, lanes_per_row = 96, rows_per_tile = 4, rows_in_flight = 2, "
     "vector_elems = 4, residency = registers",
     769},
    // Tiles copied ahead.
    {"workgroup_size = 256, lanes_per_row = 32, rows_per_tile = 8, vector_elems = 8, "
     "staging = async, stages = 3, residency = registers",
     1024, Loops::Persistent},
    {"workgroup_size = 256, lanes_per_row = 256, rows_per_tile = 1, vector_elems = 8, "
     "staging = async, stages = 2, residency = registers",
     4096, Loops::Persistent},
    {"workgroup_size = 128, lanes_per_row = 4, rows_per_tile = 32, vector_elems = 8, "
     "staging = async, stages = 4, residency = registers",
     24, Loops::Persistent},
    // Read again in each phase.
    {"workgroup_size = 256, lanes_per_row = 256, rows_per_tile = 1, vector_elems = 8, "
     "residency = reload",
     16384, Loops::Both, Ops::Forward},
    {"workgroup_size = 128, lanes_per_row = 32, rows_per_tile = 4, vector_elems = 4, "
     "residency = reload",
     771, Loops::Both, Ops::Forward},
};

/// Tiles that come through workgroup memory, for every chip that copies asynchronously.
static constexpr ForcedTiling kCopies[] = {
    {"workgroup_size = 256, lanes_per_row = 32, rows_per_tile = 8, vector_elems = 8, "
     "stages = 3, residency = registers",
     1024},
    {"workgroup_size = 128, lanes_per_row = 4, rows_per_tile = 64, vector_elems = 8, "
     "stages = 2, residency = registers",
     24},
    {"workgroup_size = 64, lanes_per_row = 16, rows_per_tile = 16, rows_in_flight = 2, "
     "vector_elems = 2, stages = 4, residency = shared",
     40},
    {"workgroup_size = 256, lanes_per_row = 32, rows_per_tile = 16, vector_elems = 8, "
     "stages = 2, residency = shared",
     1024},
    {"workgroup_size = 256, lanes_per_row = 256, rows_per_tile = 1, vector_elems = 8, "
     "stages = 3, residency = shared",
     4096},
    {"workgroup_size = 128, lanes_per_row = 64, rows_per_tile = 4, vector_elems = 4, "
     "stages = 1, residency = shared",
     1032},
};

/// What bulk copies and clusters allow besides.
static constexpr ForcedTiling kBulkCopies[] = {
    // Results from the stage of an input, and from their own.
    {"workgroup_size = 64, lanes_per_row = 1, rows_per_tile = 128, vector_elems = 8, "
     "stages = 2, residency = registers, store = from_stage",
     24},
    {"workgroup_size = 128, lanes_per_row = 4, rows_per_tile = 64, vector_elems = 8, "
     "stages = 3, residency = registers, store = from_stage",
     24},
    {"workgroup_size = 128, lanes_per_row = 4, rows_per_tile = 64, rows_in_flight = 2, "
     "vector_elems = 8, stages = 2, residency = registers, store = own_stage",
     24},
    {"workgroup_size = 256, lanes_per_row = 8, rows_per_tile = 64, vector_elems = 8, "
     "stages = 3, residency = shared, store = from_stage",
     64},
    {"workgroup_size = 256, lanes_per_row = 256, rows_per_tile = 1, vector_elems = 8, "
     "stages = 3, residency = registers, store = from_stage",
     4096},
    {"workgroup_size = 256, lanes_per_row = 256, rows_per_tile = 1, vector_elems = 8, "
     "stages = 2, residency = registers, store = own_stage",
     4096},
    {"workgroup_size = 128, lanes_per_row = 64, rows_per_tile = 2, vector_elems = 4, "
     "stages = 1, residency = shared, store = own_stage",
     1032},
    {"workgroup_size = 128, lanes_per_row = 128, rows_per_tile = 1, cluster_cols = 2, "
     "vector_elems = 8, stages = 2, residency = registers, store = from_stage",
     4096},
    // The sums of a row before the end of the one before it.
    {"workgroup_size = 512, lanes_per_row = 512, rows_per_tile = 1, vector_elems = 8, "
     "stages = 4, residency = shared, skew = 1",
     8192, Loops::Persistent, Ops::Reducing},
    {"workgroup_size = 256, lanes_per_row = 256, rows_per_tile = 1, vector_elems = 8, "
     "stages = 2, residency = shared, skew = 1",
     2048, Loops::Persistent, Ops::Reducing},
    {"workgroup_size = 96, lanes_per_row = 96, rows_per_tile = 1, vector_elems = 4, "
     "stages = 3, residency = shared, skew = 1",
     1032, Loops::Persistent, Ops::Reducing},
    {"workgroup_size = 128, lanes_per_row = 128, rows_per_tile = 1, cluster_cols = 2, "
     "vector_elems = 8, stages = 3, residency = shared, skew = 1",
     4096, Loops::Persistent, Ops::Reducing},
    {"workgroup_size = 64, lanes_per_row = 64, rows_per_tile = 1, cluster_cols = 4, "
     "vector_elems = 8, stages = 3, residency = shared, skew = 1",
     4136, Loops::Persistent, Ops::Reducing},
    {"workgroup_size = 256, lanes_per_row = 256, rows_per_tile = 1, cluster_cols = 8, "
     "vector_elems = 8, stages = 4, residency = shared, skew = 1",
     32768, Loops::Persistent, Ops::Reducing},
    {"workgroup_size = 256, lanes_per_row = 256, rows_per_tile = 1, cluster_cols = 16, "
     "vector_elems = 8, stages = 4, residency = shared, skew = 1",
     65536, Loops::Persistent, Ops::Reducing},
    // Partials added in clusters.
    {"workgroup_size = 256, lanes_per_row = 8, rows_per_tile = 64, vector_elems = 8, "
     "cluster_partials = 2, stages = 3, residency = registers, store = from_stage",
     64, Loops::Persistent, Ops::Backward},
    {"workgroup_size = 128, lanes_per_row = 32, rows_per_tile = 8, vector_elems = 8, "
     "cluster_partials = 8, stages = 2, residency = registers",
     768, Loops::Persistent, Ops::Backward},
    {"workgroup_size = 256, lanes_per_row = 256, rows_per_tile = 1, vector_elems = 8, "
     "cluster_partials = 4, stages = 2, residency = registers",
     4096, Loops::Persistent, Ops::Backward},
    {"workgroup_size = 256, lanes_per_row = 256, rows_per_tile = 1, vector_elems = 8, "
     "cluster_partials = 2, stages = 3, residency = shared, skew = 1",
     4096, Loops::Persistent, Ops::ReducingBackward},
};

static bool suits(const ForcedTiling &forced, Op op) {
  switch (forced.ops) {
  case Ops::All:
    return true;
  case Ops::Forward:
    return !isBackward(op);
  case Ops::Backward:
    return isBackward(op);
  case Ops::Reducing:
    return op != Op::Dyt && op != Op::DytBackward;
  case Ops::ReducingBackward:
    return isBackward(op) && op != Op::DytBackward;
  }
  return false;
}

/// Several tiles for each workgroup, and no more than the reference computes in a
/// second.
static int64_t manyRows(int64_t cols) {
  return std::min<int64_t>(3000, 4'000'000 / cols);
}

static DeviceCase caseOf(const ForcedTiling &forced, Op op, const std::string &knobs) {
  DeviceCase one;
  one.spec = fullSpec(op);
  setTypes(one.spec, Type::BF16);
  one.spec.inner = {forced.cols};
  one.strategy = isBackward(op) ? "partials" : "";
  one.tiling = forced.tiling + knobs;
  if (isBackward(op))
    one.tiling += ", rows_per_workgroup = 1024";
  return one;
}

/// Packed and strided rows, aligned and not, few and many, and many times the same.
static void addCopies(std::vector<DeviceCase> &cases, const std::string &group, Op op,
                      const ForcedTiling &forced) {
  DeviceCase one = caseOf(
      forced, op, ", min_workgroups_per_cu = 1, loop = persistent, staging = async");
  one.name = group + "/" + one.tiling + "/" + describe(one.spec);
  const int64_t many = manyRows(forced.cols);
  for (int64_t rows : {int64_t(1), int64_t(37), many})
    for (auto arrangement :
         {Arrangement::Compact, Arrangement::OneOff, Arrangement::Packed})
      one.launches.push_back(
          {.outer = {rows}, .inner = {forced.cols}, .arrangement = arrangement});
  one.launches.push_back({.outer = {many / 2}, .inner = {forced.cols}, .repeats = 100});
  cases.push_back(std::move(one));
}

/// The programs of copies in one launch of few rows, for tools under which all is slow.
static void addReduced(std::vector<DeviceCase> &cases, Op op,
                       const ForcedTiling &forced) {
  std::vector<DeviceCase> all;
  addCopies(all, "reduced", op, forced);
  for (DeviceCase &one : all) {
    one.launches = {{.outer = {37}, .inner = {forced.cols}}};
    cases.push_back(std::move(one));
  }
}

void addTilings(std::vector<DeviceCase> &cases) {
  for (Op op : {Op::LayerNorm, Op::LayerNormBackward}) {
    for (const ForcedTiling &forced : kCopies)
      addReduced(cases, op, forced);
    for (const ForcedTiling &forced : kBulkCopies)
      if (suits(forced, op))
        addReduced(cases, op, forced);
  }
  for (Op op : kOps) {
    for (const ForcedTiling &forced : kTilings)
      for (bool persistent : {true, false}) {
        if ((isBackward(op) || forced.loops == Loops::Persistent) && !persistent)
          continue;
        if (!suits(forced, op))
          continue;
        DeviceCase one =
            caseOf(forced, op,
                   persistent ? ", min_workgroups_per_cu = 1, loop = persistent"
                              : ", loop = one_shot");
        one.name = "tilings/" + one.tiling + "/" + describe(one.spec);
        for (int64_t rows : {int64_t(1), int64_t(37), manyRows(forced.cols)})
          for (auto arrangement : {Arrangement::Compact, Arrangement::OneOff})
            one.launches.push_back(
                {.outer = {rows}, .inner = {forced.cols}, .arrangement = arrangement});
        cases.push_back(std::move(one));
      }
    for (const ForcedTiling &forced : kCopies)
      addCopies(cases, "copies", op, forced);
    for (const ForcedTiling &forced : kBulkCopies)
      if (suits(forced, op))
        addCopies(cases, "bulk", op, forced);
  }
}

/// Every way to add down the columns, with the tilings that the decisions choose for
/// it.
void addStrategies(std::vector<DeviceCase> &cases) {
  for (Op op : {Op::LayerNormBackward, Op::RmsNormBackward, Op::DytBackward})
    for (const char *strategy : {"partials", "fission", "direct"})
      for (int64_t cols : {24, 257, 1024}) {
        const int64_t rows = 403;
        DeviceCase one;
        one.spec = fullSpec(op);
        setTypes(one.spec, Type::BF16);
        // One workgroup that stores sums itself sees a known number of rows.
        one.spec.outer = {rows};
        one.spec.inner = {cols};
        one.strategy = strategy;
        one.name = std::string("strategies/") + strategy + "/" + describe(one.spec);
        for (auto arrangement : {Arrangement::Compact, Arrangement::OneOff})
          one.launches.push_back(
              {.outer = {rows}, .inner = {cols}, .arrangement = arrangement});
        cases.push_back(std::move(one));
      }
}

/// One cluster that sees every row, for known numbers of rows; the columns of a
/// workgroup are whole steps, or not.
static void addOneCluster(std::vector<DeviceCase> &cases) {
  for (Op op : {Op::LayerNormBackward, Op::RmsNormBackward, Op::DytBackward})
    for (int64_t cols : {257, 768, 4096, 4104, 20008})
      for (int64_t rows : {1, 8, 65}) {
        DeviceCase one;
        one.spec = fullSpec(op);
        setTypes(one.spec, Type::BF16);
        one.spec.outer = {rows};
        one.spec.inner = {cols};
        one.strategy = "cluster";
        one.name = "strategies/cluster/" + describe(one.spec);
        for (auto arrangement : {Arrangement::Compact, Arrangement::OneOff})
          one.launches.push_back(
              {.outer = {rows}, .inner = {cols}, .arrangement = arrangement});
        cases.push_back(std::move(one));
      }
}

void addClusters(std::vector<DeviceCase> &cases) {
  addOneCluster(cases);
  // Wide rows, which clusters share, and every variant of few rows and many.
  for (Op op : kOps)
    for (int64_t cols : {768, 4096, 16384, 20008, 32768, 65536}) {
      DeviceCase one;
      one.spec = fullSpec(op);
      setTypes(one.spec, Type::BF16);
      one.spec.inner = {cols};
      one.name = "clusters/" + describe(one.spec);
      for (int64_t rows : {int64_t(0), int64_t(1), int64_t(5), int64_t(31), int64_t(64),
                           int64_t(65), std::min<int64_t>(700, 6'000'000 / cols)})
        for (auto arrangement : {Arrangement::Compact, Arrangement::OneOff})
          one.launches.push_back(
              {.outer = {rows}, .inner = {cols}, .arrangement = arrangement});
      cases.push_back(std::move(one));
    }
}

} // namespace normc::device
