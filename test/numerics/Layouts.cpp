//===- Layouts.cpp - Strides, gaps, ranks and alignment ---------------------===//
#include "Cases.h"

#include <cstring>
#include <numeric>

namespace normc::numerics {
namespace {

using Sizes = std::vector<int64_t>;

/// How the outer dimensions of the tensors lie.
struct Arrangement {
  std::string name;
  /// The outer dimensions from the nearest to the farthest; empty: row major.
  std::vector<size_t> order = {};
  /// Elements between two rows, as a multiple of the row and some more.
  int64_t rowFactor = 1, gap = 0;
  /// Elements between the farther dimensions.
  int64_t outerGap = 0;
  bool inputs = true, outputs = true;
  /// Inputs of which the first outer dimension has stride 0, or runs backwards.
  bool broadcast = false, backwards = false;
  int64_t offset = 0;
};

/// Strides of a tensor of those sizes, of which the first `outer` dimensions are rows.
Sizes stridesOf(const Sizes &shape, size_t outer, const Arrangement &arrangement) {
  Sizes strides = reference::rowMajorStrides(shape);
  int64_t row = 1;
  for (size_t dim = outer; dim < shape.size(); ++dim)
    row *= shape[dim];
  int64_t step = row * arrangement.rowFactor + arrangement.gap;
  std::vector<size_t> order = arrangement.order;
  if (order.empty()) {
    order.resize(outer);
    std::iota(order.rbegin(), order.rend(), size_t{0});
  }
  for (size_t dim : order) {
    strides[dim] = step;
    step = step * shape[dim] + arrangement.outerGap;
  }
  return strides;
}

/// Every index of the first dimension has the elements of the first one.
void repeatFirst(Array &array) {
  if (array.shape[0] == 0)
    return;
  size_t part = array.bytes.size() / static_cast<size_t>(array.shape[0]);
  for (size_t at = part; at < array.bytes.size(); at += part)
    std::memcpy(&array.bytes[at], array.bytes.data(), part);
}

void arrange(Run &run, const Spec &spec, const Arrangement &arrangement) {
  size_t outer = spec.outer.size();
  for (const Operand &operand : operandsOf(spec)) {
    Layout layout;
    layout.offset = arrangement.offset;
    bool byRow = operand.extent == Extent::Tile || operand.extent == Extent::Rows;
    if (byRow && outer > 0 &&
        (operand.isOutput ? arrangement.outputs : arrangement.inputs)) {
      Array *input = operand.isOutput ? nullptr : &run.inputs.at(operand.name);
      layout.strides = stridesOf(input ? input->shape : run.shapes.at(operand.name),
                                 outer, arrangement);
      if (input && arrangement.broadcast) {
        layout.strides[0] = 0;
        repeatFirst(*input);
      }
      if (input && arrangement.backwards)
        layout.strides[0] = -layout.strides[0];
    }
    run.layouts[operand.name] = layout;
  }
}

std::vector<Arrangement> arrangementsOf(size_t outer) {
  std::vector<Arrangement> all = {
      {.name = "one element off", .inputs = false, .outputs = false, .offset = 1},
      {.name = "seven elements off", .inputs = false, .outputs = false, .offset = 7},
  };
  if (outer == 0)
    return all;
  all.push_back({.name = "rows of a packed three", .rowFactor = 3});
  all.push_back(
      {.name = "inputs from a packed three", .rowFactor = 3, .outputs = false});
  all.push_back({.name = "gaps of 1", .gap = 1, .inputs = false});
  all.push_back({.name = "gaps of 5, one off", .gap = 5, .offset = 1});
  all.push_back({.name = "broadcast", .outputs = false, .broadcast = true});
  all.push_back({.name = "backwards", .outputs = false, .backwards = true});
  if (outer == 1)
    return all;
  std::vector<size_t> forward(outer);
  std::iota(forward.begin(), forward.end(), size_t{0});
  all.push_back({.name = "transposed", .order = forward});
  all.push_back({.name = "transposed inputs", .order = forward, .outputs = false});
  all.push_back({.name = "transposed outputs", .order = forward, .inputs = false});
  all.push_back({.name = "transposed with gaps",
                 .order = forward,
                 .gap = 3,
                 .outerGap = 11,
                 .offset = 3});
  all.push_back({.name = "outer gaps", .outerGap = 7});
  if (outer > 2) {
    std::vector<size_t> mixed = forward;
    std::swap(mixed[0], mixed[1]);
    all.push_back({.name = "mixed", .order = mixed, .gap = 2});
  }
  return all;
}

void runLayouts(Bench &bench, const Spec &spec, const Sizes &outer,
                const Sizes &inner) {
  auto program = bench.compile(spec);
  if (!program)
    return;
  Run compact = makeRun(spec, outer, inner);
  auto expected = bench.check(*program, compact, "compact");
  for (const Arrangement &arrangement : arrangementsOf(outer.size())) {
    Run run = compact;
    arrange(run, spec, arrangement);
    auto outputs = bench.check(*program, run, arrangement.name);
    // Forward, a row's bits depend on nothing but the row; where the inputs are the
    // same so are the outputs.
    bool comparable = !isBackward(spec.op) && !arrangement.broadcast;
    if (outputs && expected && comparable)
      bench.expectSame(*expected, *outputs, arrangement.name);
  }
}

std::string join(const Sizes &sizes) { return reference::formatShape(sizes); }

} // namespace

void addLayoutCases(Cases &cases, const Settings &settings) {
  struct {
    Sizes outer, inner;
    bool dynamicOuter, dynamicInner;
  } shapes[] = {{{29}, {40}, true, false},         {{29}, {40}, true, true},
                {{21}, {7}, true, false},          {{5, 7}, {24}, true, false},
                {{5, 7}, {33}, true, true},        {{5, 7}, {8}, false, false},
                {{3, 4, 5}, {19}, true, true},     {{3, 4, 5}, {64}, false, false},
                {{3, 4}, {3, 8}, true, false},     {{9}, {2, 3, 5}, true, true},
                {{}, {3, 50}, true, false},        {{}, {700}, true, true},
                {{4, 1, 6}, {20}, true, true},     {{1, 9}, {16}, true, false},
                {{2, 3, 2, 5}, {4, 9}, true, true}};
  for (Type type : {Type::F32, Type::BF16})
    for (Op op : kOps)
      for (const auto &shape : shapes) {
        // Of a selection, every second shape of an op, in types by turns.
        auto turn = static_cast<unsigned>(&shape - shapes) + static_cast<unsigned>(op);
        if (settings.selection && turn % 4 != (type == Type::BF16 ? 0 : 2))
          continue;
        Spec spec = fullSpec(op, /*erf=*/op == Op::DytBackward);
        setTypes(spec, type);
        spec.outer =
            shape.dynamicOuter ? Sizes(shape.outer.size(), kDynamic) : shape.outer;
        spec.inner =
            shape.dynamicInner ? Sizes(shape.inner.size(), kDynamic) : shape.inner;
        Sizes outer = shape.outer, inner = shape.inner;
        cases.push_back({"layouts/" + join(outer) + " of " + join(inner) +
                             (shape.dynamicInner ? " at launch/" : "/") +
                             describe(spec),
                         [=](Bench &bench) { runLayouts(bench, spec, outer, inner); }});
      }
}

} // namespace normc::numerics
