//===- ForcedTilings.cpp - Ways to run that the decisions may not choose ----===//
#include "DeviceCases.h"

namespace normc::device {

using numerics::describe;
using numerics::fullSpec;
using numerics::isBackward;
using numerics::kOps;
using numerics::setTypes;

namespace {

/// Loops over tiles that a tiling is tried with.
enum class Loops : uint8_t { Both, Persistent };

/// One way to run a kernel, for columns that suit it.
struct ForcedTiling {
  const char *tiling;
  int64_t cols;
  Loops loops = Loops::Both;
  /// Forward alone: there are no sums to keep.
  bool forward = false;
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
     16384, Loops::Both, true},
    {"workgroup_size = 128, lanes_per_row = 32, rows_per_tile = 4, vector_elems = 4, "
     "residency = reload",
     771, Loops::Both, true},
};

void addTilings(std::vector<DeviceCase> &cases) {
  for (Op op : kOps)
    for (const ForcedTiling &forced : kTilings)
      for (bool persistent : {true, false}) {
        if ((isBackward(op) || forced.loops == Loops::Persistent) && !persistent)
          continue;
        if (isBackward(op) && forced.forward)
          continue;
        DeviceCase one;
        one.spec = fullSpec(op);
        setTypes(one.spec, Type::BF16);
        one.spec.inner = {forced.cols};
        one.strategy = isBackward(op) ? "partials" : "";
        one.tiling = forced.tiling;
        if (isBackward(op))
          one.tiling += ", rows_per_workgroup = 1024";
        one.tiling += persistent ? ", min_workgroups_per_cu = 1, loop = persistent"
                                 : ", loop = one_shot";
        one.name = "tilings/" + one.tiling + "/" + describe(one.spec);
        for (int64_t rows : {1, 37, 3000})
          for (auto arrangement : {Arrangement::Compact, Arrangement::OneOff})
            one.launches.push_back(
                {.outer = {rows}, .inner = {forced.cols}, .arrangement = arrangement});
        cases.push_back(std::move(one));
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

} // namespace normc::device
