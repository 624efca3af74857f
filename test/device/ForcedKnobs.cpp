//===- ForcedKnobs.cpp - Single knobs that the decisions seldom choose ------===//
#include "DeviceCases.h"

namespace normc::device {

using numerics::describe;
using numerics::fullSpec;
using numerics::isBackward;
using numerics::kDynamic;
using numerics::kOps;
using numerics::setTypes;

namespace {

constexpr Op kBackwardOps[] = {Op::LayerNormBackward, Op::RmsNormBackward,
                               Op::DytBackward};

class Knobs {
public:
  std::vector<DeviceCase> make() {
    addFinalizes();
    addOccupancies();
    addGradientsOfXAlone();
    addColumnBlocks();
    addClusterSizes();
    return std::move(cases);
  }

private:
  /// Few rows and many, one element off as well.
  void add(const std::string &knob, DeviceCase one, int64_t cols,
           std::initializer_list<int64_t> rowCounts = {1, 37, 3000}) {
    setTypes(one.spec, Type::BF16);
    one.name = "knobs/" + knob + "/" + describe(one.spec);
    for (int64_t rows : rowCounts)
      for (auto arrangement : {Arrangement::Compact, Arrangement::OneOff})
        one.launches.push_back(
            {.outer = {rows}, .inner = {cols}, .arrangement = arrangement});
    cases.push_back(std::move(one));
  }

  static DeviceCase full(Op op, int64_t cols) {
    DeviceCase one;
    one.spec = fullSpec(op);
    one.spec.inner = {cols};
    return one;
  }

  /// Ways to add partials: of many workgroups and of few, of one column a lane and of
  /// several chains.
  void addFinalizes() {
    for (Op op : kBackwardOps)
      for (const char *finalize :
           {"workgroup_size = 32, lanes_per_row = 32, loop = one_shot",
            "workgroup_size = 256, lanes_per_row = 32, rows_per_tile = 8, loop = "
            "one_shot",
            "workgroup_size = 256, lanes_per_row = 8, rows_per_tile = 64, loop = "
            "persistent",
            "workgroup_size = 1024, lanes_per_row = 32, rows_per_tile = 32, loop = "
            "persistent",
            "workgroup_size = 256, lanes_per_row = 256, loop = one_shot",
            "workgroup_size = 96, lanes_per_row = 1, rows_per_tile = 96, loop = "
            "one_shot"})
        for (int64_t cols : {257, 768}) {
          DeviceCase one = full(op, cols);
          one.strategy = "partials";
          one.finalize = finalize;
          one.tiling = "workgroup_size = 128, lanes_per_row = 32, rows_per_tile = 4, "
                       "rows_per_workgroup = 128, vector_elems = 4, "
                       "min_workgroups_per_cu = 2, loop = persistent, residency = "
                       "registers";
          add(std::string("finalize: ") + finalize, std::move(one), cols,
              {1, 3000, 6007});
        }
  }

  /// A backward writes partials, of at most so many rows each.
  static void inPartials(DeviceCase &one, Op op, int64_t rows) {
    if (!isBackward(op))
      return;
    one.strategy = "partials";
    one.tiling += ", rows_per_workgroup = " + std::to_string(rows);
  }

  /// Registers so few that so many workgroups fit.
  void addOccupancies() {
    for (Op op : kOps)
      for (int64_t count : {1, 2, 4, 8}) {
        DeviceCase one = full(op, 512);
        one.tiling = "workgroup_size = 128, lanes_per_row = 64, rows_per_tile = 2, "
                     "vector_elems = 4, loop = persistent, residency = registers, "
                     "min_workgroups_per_cu = " +
                     std::to_string(count);
        inPartials(one, op, 512);
        add("min_workgroups_per_cu = " + std::to_string(count), std::move(one), 512,
            {1, 6007});
      }
  }

  /// Without sums to keep, a backward op runs as a forward one may.
  void addGradientsOfXAlone() {
    for (Op op : kBackwardOps)
      for (const char *tiling :
           {"loop = one_shot, residency = registers", "loop = one_shot",
            "loop = persistent", "loop = persistent, residency = registers"}) {
        DeviceCase one = full(op, 768);
        for (const std::string &output : possibleOutputs(op, one.spec.erf))
          if (output != "dx")
            one.spec.present.erase(output);
        one.tiling = "workgroup_size = 256, lanes_per_row = 64, rows_per_tile = 4, "
                     "vector_elems = 4, " +
                     std::string(tiling);
        add("dx alone, " + std::string(tiling), std::move(one), 768);
      }
  }

  /// Workgroups side by side on the columns, of ops that reduce no rows.
  void addColumnBlocks() {
    for (bool backward : {false, true})
      for (int64_t blocks : {0, 2, 3})
        for (int64_t cols : {int64_t(1000), kDynamic}) {
          // Of dynamic columns each block has what its lanes take at once.
          if (cols == kDynamic && blocks != 0)
            continue;
          DeviceCase one = full(backward ? Op::DytBackward : Op::Dyt, cols);
          one.spec.present.erase("dalpha");
          one.tiling = "workgroup_size = 128, lanes_per_row = 32, rows_per_tile = 4, "
                       "vector_elems = 4, residency = registers, col_blocks = " +
                       std::to_string(blocks);
          if (backward) {
            one.strategy = "partials";
            one.tiling += ", loop = persistent, min_workgroups_per_cu = 1, "
                          "rows_per_workgroup = 1024";
          }
          add("col_blocks = " + std::to_string(blocks) +
                  (cols == kDynamic ? ", columns at launch" : ""),
              std::move(one), 1000);
        }
  }

  /// A row in a cluster of each size, that comes straight from memory.
  void addClusterSizes() {
    for (Op op : kOps)
      for (int64_t size : {2, 4, 8, 16}) {
        const int64_t cols = 1024 * size - 24;
        DeviceCase one = full(op, cols);
        one.tiling = "workgroup_size = 128, lanes_per_row = 128, rows_per_tile = 1, "
                     "vector_elems = 8, loop = persistent, residency = registers, "
                     "min_workgroups_per_cu = 1, cluster_cols = " +
                     std::to_string(size);
        inPartials(one, op, 1024);
        add("cluster_cols = " + std::to_string(size), std::move(one), cols, {1, 700});
      }
  }

  std::vector<DeviceCase> cases;
};

} // namespace

void addKnobs(std::vector<DeviceCase> &cases) {
  for (DeviceCase &one : Knobs().make())
    cases.push_back(std::move(one));
}

} // namespace normc::device
