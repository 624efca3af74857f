//===- DeviceCases.cpp - What is run on a device ----------------------------===//
#include "DeviceCases.h"

#include "test/numerics/Choices.h"

#include <algorithm>

namespace normc::device {

using numerics::describe;
using numerics::fullSpec;
using numerics::isBackward;
using numerics::kDynamic;
using numerics::kOps;
using numerics::Operand;
using numerics::setTypes;

bool isForced(const DeviceCase &one) {
  return !one.strategy.empty() || !one.tiling.empty() || !one.finalize.empty();
}

std::string programOf(const DeviceCase &one) {
  std::string text = toIr(one.spec);
  if (isForced(one))
    text += "// " + one.strategy + " | " + one.tiling + " | " + one.finalize + "\n";
  return text;
}

static bool isDyt(Op op) { return op == Op::Dyt || op == Op::DytBackward; }

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

const char *name(Arrangement arrangement) {
  switch (arrangement) {
  case Arrangement::Compact:
    return "";
  case Arrangement::OneOff:
    return ", one element off";
  case Arrangement::OneOffInput:
    return ", x one element off";
  case Arrangement::Gaps:
    return ", gaps between rows";
  case Arrangement::Padded:
    return ", padded rows";
  case Arrangement::Packed:
    return ", rows of 3 * cols";
  case Arrangement::Broadcast:
    return ", one row for all";
  case Arrangement::Transposed:
    break;
  }
  return ", transposed";
}

static int64_t product(const Sizes &sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

/// Strides of a tensor with one element every `step` in the outer dimensions.
static Sizes stridesOf(const Sizes &outer, const Sizes &inner, int64_t step,
                       bool transposed) {
  Sizes strides(outer.size() + inner.size());
  for (size_t k = 0; k < outer.size(); ++k) {
    size_t dim = transposed ? k : outer.size() - 1 - k;
    strides[dim] = step;
    step *= std::max<int64_t>(outer[dim], 1);
  }
  int64_t at = 1;
  for (size_t dim = strides.size(); dim > outer.size(); --dim) {
    strides[dim - 1] = at;
    at *= inner[dim - 1 - outer.size()];
  }
  return strides;
}

static int64_t rowStep(Arrangement arrangement, int64_t cols, Type type) {
  const int64_t line = 64 / static_cast<int64_t>(reference::byteSize(type));
  switch (arrangement) {
  case Arrangement::Gaps:
    return cols + 5;
  case Arrangement::Padded:
    return (cols + line - 1) / line * line;
  case Arrangement::Packed:
    return 3 * cols;
  default:
    return cols;
  }
}

/// Every row the first one, as a stride of 0 shows it.
static void repeatFirstRow(numerics::Array &array, int64_t rows) {
  const size_t bytes = rows ? array.bytes.size() / static_cast<size_t>(rows) : 0;
  for (int64_t row = 1; row < rows; ++row)
    std::copy_n(array.bytes.begin(), bytes,
                array.bytes.begin() + static_cast<std::ptrdiff_t>(bytes) * row);
}

void arrange(numerics::Run &run, const Spec &spec, const Launch &launch) {
  const Arrangement how = launch.arrangement;
  if (how == Arrangement::Compact)
    return;
  const bool strided = how != Arrangement::OneOff && how != Arrangement::OneOffInput;
  for (const Operand &operand : operandsOf(spec)) {
    numerics::Layout &layout = run.layouts[operand.name];
    const bool isX = operand.name == "x";
    if (how == Arrangement::OneOff || (how == Arrangement::OneOffInput && isX))
      layout.offset = 1;
    if (!strided)
      continue;
    const bool tile = operand.extent == numerics::Extent::Tile;
    const bool rows = operand.extent == numerics::Extent::Rows;
    const Sizes inner = tile ? launch.inner : Sizes{};
    const bool transposed = how == Arrangement::Transposed;
    if (tile)
      layout.strides =
          stridesOf(launch.outer, inner,
                    rowStep(how, product(launch.inner), operand.type), transposed);
    if (rows && transposed)
      layout.strides = stridesOf(launch.outer, inner, 1, transposed);
    if (how == Arrangement::Broadcast && isX) {
      std::fill(layout.strides.begin(),
                layout.strides.begin() + std::ptrdiff_t(launch.outer.size()), 0);
      repeatFirstRow(run.inputs.at("x"), product(launch.outer));
    }
  }
}

//===----------------------------------------------------------------------===//
// Suites
//===----------------------------------------------------------------------===//

namespace {

class Suite {
public:
  std::vector<DeviceCase> make() {
    addEdges();
    addRows();
    addMasks();
    addLayouts();
    addTilings(cases);
    addKnobs(cases);
    addStrategies(cases);
    addClusters(cases);
    addInputs();
    addGraphs();
    addLarge();
    return std::move(cases);
  }

private:
  void add(const std::string &group, Spec spec, std::vector<Launch> launches) {
    cases.push_back({group + "/" + describe(spec), std::move(spec), "", "", "",
                     std::move(launches)});
  }

  /// Calls with every op in full, dyt with either activation.
  template <typename Function> void forEachOp(Function function) {
    for (Op op : kOps) {
      function(fullSpec(op));
      if (isDyt(op))
        function(fullSpec(op, /*erf=*/true));
    }
  }

  /// Static and dynamic columns at which something changes.
  void addEdges() {
    constexpr int64_t kCols[] = {1,   2,   3,   7,    17,   24,   127,   128,  255,
                                 256, 257, 769, 1024, 4096, 4097, 16384, 65537};
    for (Type type : {Type::BF16, Type::F32})
      forEachOp([&](Spec spec) {
        setTypes(spec, type);
        std::vector<Launch> dynamic;
        for (int64_t cols : kCols) {
          // In f32 those that no power of two divides.
          if (type == Type::F32 && cols % 2 == 0)
            continue;
          const int64_t large = std::max<int64_t>(5, 300000 / cols);
          std::vector<Launch> launches;
          for (int64_t rows : {int64_t(0), int64_t(1), int64_t(33), large})
            launches.push_back(
                {.outer = {rows}, .inner = {cols}, .seed = uint64_t(cols + rows)});
          launches.push_back({.outer = {large},
                              .inner = {cols},
                              .arrangement = Arrangement::OneOff,
                              .seed = uint64_t(cols)});
          dynamic.insert(dynamic.end(), launches.begin() + 2, launches.end());
          spec.inner = {cols};
          add("edges/" + std::to_string(cols), spec, launches);
        }
        spec.inner = {kDynamic};
        add("edges/columns at launch", spec, dynamic);
      });
  }

  /// Many rows of few columns, around the limits of a grid's dimensions.
  void addRows() {
    for (Op op : kOps) {
      Spec spec = fullSpec(op);
      setTypes(spec, Type::BF16);
      for (int64_t cols : {7, 24, 32, 255, 256, 257}) {
        spec.inner = {cols};
        std::vector<Launch> launches;
        for (int64_t rows : {65535, 65536, 1000003})
          if (rows * cols < 25'000'000)
            launches.push_back({.outer = {rows}, .inner = {cols}});
        add("rows/" + std::to_string(cols), spec, launches);
      }
      // Case 5 of real use: more rows than one wave of workgroups, few columns.
      spec.inner = {128};
      add("rows/128", spec,
          {{.outer = {65536}, .inner = {128}},
           {.outer = {6007}, .inner = {128}, .repeats = 100}});
    }
  }

  /// Every set of optional operands and of results, with types by turns in which every
  /// two operands meet in every pair.
  void addMasks() {
    unsigned number = 0;
    for (Op op : kOps)
      for (numerics::Mask &mask : numerics::masksOf(op)) {
        Spec &spec = mask.spec;
        setTypeChoice(spec, number);
        spec.rank0 = ++number % 3 == 0;
        spec.inner = {number % 4 < 3 ? 24 : kDynamic};
        add("masks", spec,
            {{.outer = {1}, .inner = {24}}, {.outer = {5300}, .inner = {24}}});
      }
  }

  void addLayouts() {
    struct {
      Sizes outer, inner;
      bool dynamic;
    } shapes[] = {
        {{290}, {40}, false},     {{290}, {40}, true},    {{210}, {7}, false},
        {{50, 7}, {24}, false},   {{50, 7}, {33}, true},  {{5, 9, 8}, {64}, false},
        {{30, 4}, {3, 8}, false}, {{}, {3, 50}, false},   {{}, {700}, true},
        {{4, 1, 60}, {20}, true}, {{9, 5}, {2048}, false}};
    for (Type type : {Type::BF16, Type::F32})
      for (Op op : kOps)
        for (const auto &shape : shapes) {
          if (type == Type::F32 && !shape.dynamic)
            continue;
          Spec spec = fullSpec(op);
          setTypes(spec, type);
          spec.outer = Sizes(shape.outer.size(), kDynamic);
          spec.inner =
              shape.dynamic ? Sizes(shape.inner.size(), kDynamic) : shape.inner;
          std::vector<Launch> launches;
          for (auto arrangement :
               {Arrangement::Compact, Arrangement::OneOff, Arrangement::OneOffInput,
                Arrangement::Gaps, Arrangement::Padded, Arrangement::Packed,
                Arrangement::Broadcast, Arrangement::Transposed})
            launches.push_back({.outer = shape.outer,
                                .inner = shape.inner,
                                .arrangement = arrangement});
          add("layouts", spec, launches);
        }
  }

  void addInputs() {
    forEachOp([&](Spec spec) {
      const bool dyt = isDyt(spec.op);
      for (Type type : {Type::BF16, Type::F32})
        for (int64_t cols : {24, 127, 768, 4096}) {
          setTypes(spec, type);
          spec.inner = {cols};
          // The reference is slow on NaN.
          const int64_t rows = std::max<int64_t>(71, 100000 / cols);
          std::vector<Launch> launches;
          for (auto input :
               {Input::ConstantRows, Input::NanInX, Input::InfinityInX, Input::NanInDy,
                Input::InfiniteAlpha, Input::NegativeInfiniteAlpha}) {
            const bool ofAlpha = input >= Input::InfiniteAlpha;
            if ((ofAlpha && !dyt) || (input == Input::NanInDy && !isBackward(spec.op)))
              continue;
            launches.push_back({.outer = {rows}, .inner = {cols}, .input = input});
          }
          launches.push_back(
              {.outer = {517}, .inner = {cols}, .xScale = 0.01, .xOffset = 100});
          add("inputs", spec, launches);
        }
    });
  }

  void addGraphs() {
    for (Op op : kOps)
      for (int64_t cols : {24, 1024, 8192}) {
        Spec spec = fullSpec(op);
        setTypes(spec, Type::BF16);
        spec.inner = {cols};
        add("graphs", spec, {{.outer = {3001}, .inner = {cols}, .captured = true}});
      }
  }

  /// Tensors of more than 2^31 elements.
  void addLarge() {
    constexpr int64_t kRows = 8388624, kCols = 256;
    for (Op op : kOps) {
      Spec spec = fullSpec(op);
      setTypes(spec, Type::BF16);
      spec.inner = {kCols};
      // 48 divides the number of rows.
      add("large", spec, {{.outer = {48}, .inner = {kCols}, .rowsInAll = kRows}});
    }
  }

  std::vector<DeviceCase> cases;
};

} // namespace

std::vector<DeviceCase> allCases() { return Suite().make(); }

} // namespace normc::device
