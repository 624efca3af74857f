// Which variant runs, what its kernels are given, and what its workspace needs.
#include "LaunchFixture.h"

#include <cmath>
#include <limits>

using namespace normrt::test;
using normrt::schema::GuardKind;

namespace {

constexpr auto f32 = normrt::schema::ElementType::f32;
constexpr auto f64 = normrt::schema::ElementType::f64;
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

/// One launch that records up to four given arguments in the output at index `out`. The
/// kernel has as many parameters whatever is recorded.
std::unique_ptr<normrt::schema::LaunchT> record(int out, std::vector<ArgSpec> values,
                                                Ex grid = 1) {
  std::vector<ArgSpec> args = {argParam(out), argExpr(int64_t(values.size()))};
  values.resize(4, argExpr(0));
  args.insert(args.end(), values.begin(), values.end());
  return launch(RecordArgs, std::move(grid), std::move(args));
}

/// x [a, b, c] with one contiguous dimension, and out [4] in which variants write a
/// number each. Variants are added by the tests; the last one writes -1.
std::unique_ptr<normrt::schema::EntryT> variantsEntry() {
  auto result = entry("variants", 3);
  result->params.push_back(input("x", f32, {Ex::sym(0), Ex::sym(1), Ex::sym(2)}, 1));
  result->params.push_back(output("out", f64, {4}, 1));
  lastVariant(*result).launches.push_back(record(1, {argExpr(-1)}));
  return result;
}

class LaunchVariants : public LaunchTest {
protected:
  double taken(Tensor &x) {
    Tensor out(*memory, kF64, {4});
    EXPECT_EQ(launchOn("variants", {x.get(), out.get()}), NORMRT_STATUS_OK)
        << normrt_last_error_message();
    return out.values<double>()[0];
  }
  int selected(Tensor &x) {
    Tensor out(*memory, kF64, {4});
    const DLTensor *tensors[] = {x.get(), out.get()};
    int32_t variant = -1;
    EXPECT_EQ(normrt_entry_select_variant(find("variants"), tensors, 2, &variant),
              NORMRT_STATUS_OK);
    return variant;
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, LaunchVariants, allBackends(), labelOf);

TEST_P(LaunchVariants, TheFirstWhoseGuardsHold) {
  auto under = variantsEntry();
  auto &few = addVariant(*under);
  few.guards.push_back(shapeGuard(GuardKind::at_most, Ex::sym(0), 8));
  few.launches.push_back(record(1, {argExpr(0)}));
  auto &some = addVariant(*under);
  some.guards.push_back(shapeGuard(GuardKind::at_most, Ex::sym(0), 16));
  some.guards.push_back(shapeGuard(GuardKind::at_least, Ex::sym(1) * Ex::sym(2), 6));
  some.launches.push_back(record(1, {argExpr(1)}));
  loadEntry(std::move(under));
  const std::pair<std::vector<int64_t>, double> cases[] = {{{8, 2, 3}, 0},
                                                           {{9, 2, 3}, 1},
                                                           {{16, 2, 3}, 1},
                                                           {{16, 1, 5}, -1},
                                                           {{17, 2, 3}, -1}};
  for (const auto &[shape, expected] : cases) {
    Tensor x(*memory, kF32, shape);
    EXPECT_EQ(taken(x), expected) << shape[0];
    EXPECT_EQ(selected(x), expected < 0 ? 2 : int(expected));
  }
}

TEST_P(LaunchVariants, Collapsible) {
  auto under = variantsEntry();
  auto &variant = addVariant(*under);
  variant.guards.push_back(layoutGuard(GuardKind::collapsible, 0, 1, 0));
  variant.launches.push_back(record(1, {argRowStride(0, 1)}));
  loadEntry(std::move(under));
  struct Case {
    std::vector<int64_t> shape, strides;
    double expected; // The row stride, -1 where it does not collapse.
  };
  const Case cases[] = {{{2, 3, 4}, {}, 4},
                        {{2, 3, 4}, {30, 10, 1}, 10},
                        {{2, 3, 4}, {31, 10, 1}, -1},
                        {{1, 3, 4}, {99, 10, 1}, 10},
                        {{2, 1, 4}, {30, 99, 1}, 30},
                        {{1, 1, 4}, {99, 98, 1}, 4},
                        {{2, 3, 4}, {0, 0, 1}, 0},
                        {{2, 3, 4}, {0, 4, 1}, -1},
                        {{2, 3, 4}, {-30, -10, 1}, -10}};
  for (const Case &c : cases) {
    // Room below the first element for the strides that run backwards.
    Tensor x(*memory, kF32, c.shape, c.strides, 128, 256);
    EXPECT_EQ(taken(x), c.expected)
        << ::testing::PrintToString(c.shape) << ::testing::PrintToString(c.strides);
  }
  Tensor empty(*memory, kF32, {0, 3, 4}, {31, 10, 1}, 1);
  EXPECT_NE(taken(empty), -1) << "there is nothing to walk";
}

TEST_P(LaunchVariants, Aligned) {
  auto under = variantsEntry();
  auto &variant = addVariant(*under);
  variant.guards.push_back(layoutGuard(GuardKind::aligned, 0, 0, 16));
  variant.launches.push_back(record(1, {argExpr(0)}));
  loadEntry(std::move(under));
  struct Case {
    std::vector<int64_t> shape, strides;
    size_t offset;
    bool aligned;
  };
  const Case cases[] = {
      {{2, 3, 8}, {}, 0, true},           {{2, 3, 8}, {}, 16, true},
      {{2, 3, 8}, {}, 4, false},          {{2, 3, 6}, {}, 0, false},
      {{2, 1, 6}, {24, 7, 1}, 0, true},   {{2, 3, 6}, {36, 12, 1}, 0, true},
      {{2, 3, 6}, {38, 12, 1}, 0, false}, {{2, 3, 6}, {0, 8, 1}, 0, true},
      {{1, 1, 3}, {5, 7, 1}, 0, true},    {{0, 3, 6}, {}, 4, true}};
  for (const Case &c : cases) {
    Tensor x(*memory, kF32, c.shape, c.strides, 128, c.offset);
    EXPECT_EQ(taken(x), c.aligned ? 0 : -1)
        << ::testing::PrintToString(c.shape) << ::testing::PrintToString(c.strides);
  }
}

TEST_P(LaunchVariants, AlignedCountsTheDimensionsItIsTold) {
  // All of x is contiguous, but the guard asks for the rows' alignment.
  auto under = variantsEntry();
  under->params[0]->contiguous_dims = 3;
  auto &variant = addVariant(*under);
  variant.guards.push_back(layoutGuard(GuardKind::aligned, 0, 1, 16));
  variant.launches.push_back(record(1, {argExpr(0)}));
  loadEntry(std::move(under));
  Tensor even(*memory, kF32, {2, 3, 8}), odd(*memory, kF32, {2, 3, 7});
  EXPECT_EQ(taken(even), 0);
  EXPECT_EQ(taken(odd), -1);
}

TEST_P(LaunchVariants, Arguments) {
  auto under = variantsEntry();
  lastVariant(*under).launches.clear();
  lastVariant(*under).launches.push_back(
      record(1, {argStride(0, 0), argStride(0, 1), argStride(0, 2),
                 argExpr(Ex::sym(0) * 100 + Ex::sym(2))}));
  loadEntry(std::move(under));
  Tensor x(*memory, kF32, {2, 3, 4}, {40, 8, 1}, 128), out(*memory, kF64, {4});
  ASSERT_EQ(launchOn("variants", {x.get(), out.get()}), NORMRT_STATUS_OK);
  EXPECT_EQ(out.values<double>(), (std::vector<double>{40, 8, 1, 204}));
  x->strides = nullptr;
  ASSERT_EQ(launchOn("variants", {x.get(), out.get()}), NORMRT_STATUS_OK);
  EXPECT_EQ(out.values<double>(), (std::vector<double>{12, 4, 1, 204}));
}

TEST_P(LaunchVariants, RankZero) {
  auto scalar = entry("variants", 0);
  scalar->params.push_back(input("alpha", f32, {}, 0));
  scalar->params.push_back(output("out", f64, {4}, 1));
  lastVariant(*scalar).launches.push_back(record(1, {argRowStride(0, 0)}));
  loadEntry(std::move(scalar));
  Tensor alpha(*memory, kF32, {});
  EXPECT_EQ(taken(alpha), 1);
  alpha->shape = nullptr;
  EXPECT_EQ(taken(alpha), 1);
}

TEST_P(LaunchVariants, WorkspaceIsTheLargestOfThoseThatTheShapesAllow) {
  auto under = variantsEntry();
  auto &few = addVariant(*under);
  few.guards.push_back(shapeGuard(GuardKind::at_most, Ex::sym(0), 8));
  addWorkspace(few, 1000000);
  auto &alignedOnly = addVariant(*under);
  alignedOnly.guards.push_back(layoutGuard(GuardKind::aligned, 0, 1, 16));
  addWorkspace(alignedOnly, Ex::sym(0) * 256);
  addWorkspace(alignedOnly, 1);
  auto &many = addVariant(*under);
  many.guards.push_back(shapeGuard(GuardKind::at_least, Ex::sym(0), 100));
  addWorkspace(many, 257);
  addWorkspace(lastVariant(*under), 4000000);
  loadEntry(std::move(under));
  const std::pair<int64_t, size_t> cases[] = {
      // A variant whose guards are all shapes hides what follows.
      {8, 1000192},
      // The guard on alignment may hold or not; then the last one.
      {9, 4000000},
      {100, 100 * 256 + 256},
  };
  for (const auto &[rows, expected] : cases) {
    Tensor x(*memory, kF32, {rows, 1, 1}), out(*memory, kF64, {4});
    const DLTensor *tensors[] = {x.get(), out.get()};
    size_t bytes = 0;
    ASSERT_EQ(normrt_entry_workspace_size(find("variants"), tensors, 2, &bytes),
              NORMRT_STATUS_OK);
    EXPECT_EQ(bytes, expected) << rows;
  }
}

TEST_P(LaunchVariants, WorkspacesLieSideBySide) {
  auto under = variantsEntry();
  auto &variant = lastVariant(*under);
  addWorkspace(variant, 100);
  addWorkspace(variant, 0);
  addWorkspace(variant, 256);
  addWorkspace(variant, 1);
  variant.launches.clear();
  variant.launches.push_back(
      record(1, {argWorkspace(0), argWorkspace(1), argWorkspace(2), argWorkspace(3)}));
  loadEntry(std::move(under));
  Tensor x(*memory, kF32, {2, 3, 4}), out(*memory, kF64, {4});
  Tensor workspace(*memory, kF32, {192});
  const auto own = withWorkspace(workspace->data, 768);
  for (const auto *options :
       {static_cast<const normrt_launch_options *>(nullptr), &own}) {
    ASSERT_EQ(launchOn("variants", {x.get(), out.get()}, options), NORMRT_STATUS_OK)
        << normrt_last_error_message();
    const auto at = out.values<double>();
    EXPECT_EQ(std::fmod(at[0], 256), 0);
    EXPECT_EQ(at[1] - at[0], 256);
    EXPECT_EQ(at[2] - at[0], 256);
    EXPECT_EQ(at[3] - at[0], 512);
    if (options)
      EXPECT_EQ(at[0], double(reinterpret_cast<uintptr_t>(workspace->data)));
  }
}

TEST_P(LaunchVariants, WorkspaceSizeReadsShapesAlone) {
  DLTensor x{nullptr, memory->dlDevice(), 2, kF32, nullptr, nullptr, 3};
  int64_t xShape[] = {64, 5}, outShape[] = {5};
  x.shape = xShape;
  DLTensor out{nullptr, memory->dlDevice(), 1, kF32, outShape, nullptr, 1};
  const DLTensor *tensors[] = {&x, &out};
  size_t bytes = 0;
  ASSERT_EQ(normrt_entry_workspace_size(find("sums"), tensors, 2, &bytes),
            NORMRT_STATUS_OK)
      << normrt_last_error_message();
  EXPECT_EQ(bytes, 256u);
  outShape[0] = 6;
  bytes = 7;
  EXPECT_TRUE(failsWith(normrt_entry_workspace_size(find("sums"), tensors, 2, &bytes),
                        NORMRT_STATUS_SHAPE_MISMATCH, "expected shape [5]"));
  EXPECT_EQ(bytes, 7u);
  xShape[0] = int64_t(1) << 60;
  outShape[0] = xShape[1] = int64_t(1) << 40;
  EXPECT_TRUE(failsWith(normrt_entry_workspace_size(find("sums"), tensors, 2, &bytes),
                        NORMRT_STATUS_OVERFLOW, "workspace 0: expected mul of"));
  EXPECT_TRUE(failsWith(normrt_entry_workspace_size(find("sums"), tensors, 2, nullptr),
                        NORMRT_STATUS_INVALID_ARGUMENT, "expected bytes"));
}

TEST_P(LaunchVariants, LateFailuresLeaveOutputsUntouched) {
  // The first launch would write, the second one's grid or argument cannot be computed.
  const Ex zero = Ex::sym(0) + Ex::raw({{ExprOp::constant, -2}});
  const std::pair<Ex, const char *> cases[] = {
      {ceilDiv(1, zero), "expected a divisor other than 0"},
      {Ex(kMax) * Ex::sym(0), "to fit in 64 bits"},
      {Ex(-5), "expected a grid that is not negative"}};
  for (const auto &[grid, message] : cases) {
    auto under = variantsEntry();
    lastVariant(*under).launches.push_back(record(1, {}, grid));
    loadEntry(std::move(under));
    Tensor x(*memory, kF32, {2, 1, 1}), out(*memory, kF64, {4});
    const normrt_status status = launchOn("variants", {x.get(), out.get()});
    EXPECT_TRUE(failsWith(status, status, message));
    EXPECT_NE(status, NORMRT_STATUS_OK);
    EXPECT_TRUE(out.untouched());
  }
}

/// Evaluates an expression over symbols 7 and -, by asking for a shape.
class Expressions : public LaunchTest {
protected:
  normrt_status evaluate(const Ex &expression, int64_t symbol, int64_t &value) {
    auto under = entry("shape", 1);
    under->params.push_back(input("x", f32, {Ex::sym(0)}, 1));
    under->params.push_back(output("y", f32, {expression}, 1));
    loadEntry(std::move(under));
    DLTensor x{nullptr, memory->dlDevice(), 1, kF32, &symbol, nullptr, 0};
    const DLTensor *tensors[] = {&x, nullptr};
    return normrt_entry_infer_shape(find("shape"), tensors, 2, 1, &value);
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, Expressions, allBackends(), labelOf);

TEST_P(Expressions, Values) {
  const Ex s = Ex::sym(0);
  struct Case {
    Ex expression;
    int64_t expected;
  };
  auto op = [](ExprOp kind, int64_t a, int64_t b) { return Ex::binary(kind, a, b); };
  const Case cases[] = {{s, 7},
                        {5, 5},
                        {s + 5, 12},
                        {s * 5, 35},
                        {s * s + s, 56},
                        {op(ExprOp::floordiv, 7, 2), 3},
                        {op(ExprOp::floordiv, -7, 2), -4},
                        {op(ExprOp::floordiv, 7, -2), -4},
                        {op(ExprOp::floordiv, -7, -2), 3},
                        {op(ExprOp::ceildiv, 7, 2), 4},
                        {op(ExprOp::ceildiv, 8, 2), 4},
                        {op(ExprOp::ceildiv, -7, 2), -3},
                        {op(ExprOp::ceildiv, 7, -2), -3},
                        {op(ExprOp::mod, 7, 4), 3},
                        {op(ExprOp::mod, -7, 4), 1},
                        {op(ExprOp::mod, kMin, -1), 0},
                        {op(ExprOp::min, 3, -4), -4},
                        {op(ExprOp::max, 3, -4), 3}};
  for (size_t i = 0; i < std::size(cases); ++i) {
    int64_t value = 0;
    EXPECT_EQ(evaluate(cases[i].expression, 7, value), NORMRT_STATUS_OK) << i;
    EXPECT_EQ(value, cases[i].expected) << i;
  }
}

TEST_P(Expressions, OverflowAndDivisionByZeroAreErrors) {
  const Ex s = Ex::sym(0);
  struct Case {
    Ex expression;
    normrt_status status;
  };
  const Case cases[] = {
      {s + kMax, NORMRT_STATUS_OVERFLOW},
      {s * kMax, NORMRT_STATUS_OVERFLOW},
      {Ex::binary(ExprOp::floordiv, kMin, -1), NORMRT_STATUS_OVERFLOW},
      {Ex::binary(ExprOp::ceildiv, kMin, -1), NORMRT_STATUS_OVERFLOW},
      {Ex::binary(ExprOp::floordiv, s, 0), NORMRT_STATUS_INVALID_ARGUMENT},
      {Ex::binary(ExprOp::mod, s, 0), NORMRT_STATUS_INVALID_ARGUMENT}};
  for (size_t i = 0; i < std::size(cases); ++i) {
    int64_t value = 42;
    EXPECT_EQ(evaluate(cases[i].expression, 7, value), cases[i].status) << i;
    EXPECT_EQ(value, 42) << i;
  }
}

} // namespace
