// The contract of normrt_entry_launch: what is checked, which status and which message,
// and that outputs are untouched. Strides and overlap are in LaunchLayoutTest.cpp.
#include "LaunchFixture.h"

using namespace normrt::test;

namespace {

class LaunchContract : public LaunchTest {};
INSTANTIATE_TEST_SUITE_P(Backends, LaunchContract, allBackends(), labelOf);

TEST_P(LaunchContract, ComputesAndWritesNothingElse) {
  Tensor x(*memory, kF32, {10, 3}), y(*memory, kF32, {10, 3});
  std::vector<float> values(30), expected(30);
  for (int i = 0; i < 30; ++i) {
    values[size_t(i)] = float(i);
    expected[size_t(i)] = 3 * float(i);
  }
  x.fill(values);
  ASSERT_EQ(launchOn("scale", {x.get(), y.get()}), NORMRT_STATUS_OK)
      << normrt_last_error_message();
  EXPECT_EQ(y.values<float>(), expected);
  EXPECT_EQ(x.values<float>(), values);
  EXPECT_TRUE(y.guardsUntouched());
}

TEST_P(LaunchContract, WrongNumberOfTensors) {
  Tensor x(*memory, kF32, {4, 4}), y(*memory, kF32, {4, 4});
  EXPECT_TRUE(failsWith(launchOn("scale", {x.get()}), NORMRT_STATUS_INVALID_ARGUMENT,
                        "expected 2 tensors, because entry \"scale\" has 2 parameters, "
                        "but got 1"));
  EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), y.get(), y.get()}),
                        NORMRT_STATUS_INVALID_ARGUMENT, "but got 3"));
  EXPECT_TRUE(failsWith(normrt_entry_launch(find("scale"), nullptr, 2, nullptr),
                        NORMRT_STATUS_INVALID_ARGUMENT, "expected 2 tensors"));
  EXPECT_TRUE(y.untouched());
}

TEST_P(LaunchContract, NullHandlesAndTensors) {
  Tensor x(*memory, kF32, {4, 4});
  EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), nullptr}),
                        NORMRT_STATUS_INVALID_ARGUMENT,
                        "parameter \"y\": expected a tensor, but got null"));
  const DLTensor *tensors[] = {x.get(), x.get()};
  EXPECT_TRUE(failsWith(normrt_entry_launch(nullptr, tensors, 2, nullptr),
                        NORMRT_STATUS_INVALID_ARGUMENT, "expected entry"));
}

TEST_P(LaunchContract, WrongDevice) {
  Tensor x(*memory, kF32, {4, 4}), y(*memory, kF32, {4, 4});
  x->device = memory->otherDevice();
  EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), y.get()}),
                        NORMRT_STATUS_DEVICE_MISMATCH,
                        "parameter \"x\": expected a tensor on "));
  EXPECT_TRUE(y.untouched());
}

TEST_P(LaunchContract, WrongType) {
  Tensor x(*memory, kF32, {4, 4});
  const std::pair<DLDataType, const char *> types[] = {
      {kF16, "expected element type f32, but got f16"},
      {kBF16, "but got bf16"},
      {kF64, "but got f64"},
      {{kDLInt, 32, 1}, "but got i32"},
      {{kDLUInt, 32, 1}, "but got u32"},
      {{kDLFloat, 32, 2}, "but got f32x2"},
      {{kDLFloat, 32, 0}, "but got f32x0"},
      {{77, 32, 1}, "but got type code 77"}};
  for (const auto &[type, message] : types) {
    Tensor y(*memory, kF32, {4, 4});
    y->dtype = type;
    EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), y.get()}),
                          NORMRT_STATUS_TYPE_MISMATCH, message));
    EXPECT_TRUE(y.untouched());
  }
}

TEST_P(LaunchContract, WrongRankAndShape) {
  Tensor x(*memory, kF32, {8, 4}), y(*memory, kF32, {7, 4}), z(*memory, kF32, {8});
  EXPECT_TRUE(failsWith(
      launchOn("scale", {x.get(), y.get()}), NORMRT_STATUS_SHAPE_MISMATCH,
      "parameter \"y\": expected shape [8, 4], because dimension 0 equals dimension 0 "
      "of \"x\", but got [7, 4]"));
  EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), z.get()}),
                        NORMRT_STATUS_SHAPE_MISMATCH,
                        "parameter \"y\": expected rank 2, but got 1"));
  z->ndim = -3;
  EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), z.get()}),
                        NORMRT_STATUS_SHAPE_MISMATCH, "but got -3"));
  y.shape()[0] = -8;
  EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), y.get()}),
                        NORMRT_STATUS_SHAPE_MISMATCH,
                        "expected no negative dimension, but got [-8, 4]"));
  y->shape = nullptr;
  EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), y.get()}),
                        NORMRT_STATUS_INVALID_ARGUMENT, "expected a shape"));
  EXPECT_TRUE(y.untouched());
}

TEST_P(LaunchContract, ColsZeroIsAnErrorThatNamesCols) {
  Tensor x(*memory, kF32, {8, 0}), y(*memory, kF32, {8, 0});
  EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), y.get()}),
                        NORMRT_STATUS_SHAPE_MISMATCH,
                        "expected cols to be at least 1, but got 0"));
}

TEST_P(LaunchContract, RowsZeroLaunchesNothing) {
  Tensor x(*memory, kF32, {0, 8}), y(*memory, kF32, {0, 8});
  x->data = y->data = nullptr;
  EXPECT_EQ(launchOn("scale", {x.get(), y.get()}), NORMRT_STATUS_OK)
      << normrt_last_error_message();
  EXPECT_TRUE(y.untouched());
}

TEST_P(LaunchContract, RowsZeroStillWritesColumnSums) {
  Tensor x(*memory, kF32, {0, 3}), out(*memory, kF32, {3});
  x->data = nullptr;
  ASSERT_EQ(launchOn("sums", {x.get(), out.get()}), NORMRT_STATUS_OK)
      << normrt_last_error_message();
  EXPECT_EQ(out.values<float>(), (std::vector<float>{0, 0, 0}));
}

TEST_P(LaunchContract, MissingData) {
  Tensor x(*memory, kF32, {4, 4}), y(*memory, kF32, {4, 4});
  x->data = nullptr;
  EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), y.get()}),
                        NORMRT_STATUS_INVALID_ARGUMENT,
                        "parameter \"x\": expected data, because the tensor has 16 "
                        "elements, but got null"));
  EXPECT_TRUE(y.untouched());
}

TEST_P(LaunchContract, MisalignedData) {
  Tensor x(*memory, kF32, {4, 4}), y(*memory, kF32, {4, 4});
  y->byte_offset = 2;
  EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), y.get()}), NORMRT_STATUS_MISALIGNED,
                        "parameter \"y\": expected data + byte_offset aligned to 4 "
                        "bytes, because the element type is f32"));
  EXPECT_TRUE(y.untouched());
}

TEST_P(LaunchContract, ByteOffsetIsAdded) {
  Tensor x(*memory, kF32, {1, 4}, {}, 16, 16), y(*memory, kF32, {1, 4}, {}, 16, 32);
  x.fill<float>({9, 9, 9, 9, 1, 2, 3, 4});
  ASSERT_EQ(launchOn("scale", {x.get(), y.get()}), NORMRT_STATUS_OK);
  const auto values = y.values<float>();
  EXPECT_EQ(values[8], 3);
  EXPECT_EQ(values[11], 12);
  EXPECT_TRUE(y.untouched(48));
}

TEST_P(LaunchContract, SizesThatOverflow) {
  Tensor x(*memory, kF32, {4, 4}), y(*memory, kF32, {4, 4});
  x.shape() = y.shape() = {int64_t(1) << 61, 4};
  EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), y.get()}), NORMRT_STATUS_OVERFLOW,
                        "parameter \"x\": expected a size"));
  x.shape() = y.shape() = {int64_t(1) << 60, 2};
  EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), y.get()}), NORMRT_STATUS_OVERFLOW,
                        "parameter \"x\": expected"));
  x.shape() = y.shape() = {4, 4};
  x->byte_offset = UINT64_MAX - 3;
  EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), y.get()}), NORMRT_STATUS_OVERFLOW,
                        "byte offset"));
  EXPECT_TRUE(y.untouched());
}

TEST_P(LaunchContract, WorkspaceOfTheCaller) {
  Tensor x(*memory, kF32, {20, 5}), out(*memory, kF32, {5});
  x.fill(std::vector<float>(100, 1.0f));
  const DLTensor *tensors[] = {x.get(), out.get()};
  size_t bytes = 0;
  ASSERT_EQ(normrt_entry_workspace_size(find("sums"), tensors, 2, &bytes),
            NORMRT_STATUS_OK);
  EXPECT_EQ(bytes, 256u); // 3 partials of 5 columns, rounded up.
  Tensor workspace(*memory, kF32, {int64_t(bytes / 4)});
  const auto options = withWorkspace(workspace->data, bytes);
  ASSERT_EQ(launchOn("sums", {x.get(), out.get()}, &options), NORMRT_STATUS_OK)
      << normrt_last_error_message();
  EXPECT_EQ(out.values<float>(), std::vector<float>(5, 20.0f));
  EXPECT_TRUE(workspace.guardsUntouched());
  EXPECT_TRUE(out.guardsUntouched());
}

TEST_P(LaunchContract, WorkspaceTooSmallOrMisalignedOrShared) {
  Tensor x(*memory, kF32, {20, 5}), out(*memory, kF32, {5});
  Tensor workspace(*memory, kF32, {256});
  auto options = withWorkspace(workspace->data, 255);
  EXPECT_TRUE(failsWith(launchOn("sums", {x.get(), out.get()}, &options),
                        NORMRT_STATUS_WORKSPACE_TOO_SMALL,
                        "expected a workspace of at least 256 bytes, but got 255"));
  options = withWorkspace(static_cast<char *>(workspace->data) + 64, 512);
  EXPECT_TRUE(failsWith(launchOn("sums", {x.get(), out.get()}, &options),
                        NORMRT_STATUS_MISALIGNED,
                        "expected a workspace aligned to 256"));
  options = withWorkspace(x->data, 256);
  EXPECT_TRUE(failsWith(launchOn("sums", {x.get(), out.get()}, &options),
                        NORMRT_STATUS_OVERLAP,
                        "parameter \"x\": expected memory apart from the workspace"));
  options = withWorkspace(nullptr, 256);
  EXPECT_TRUE(failsWith(launchOn("sums", {x.get(), out.get()}, &options),
                        NORMRT_STATUS_INVALID_ARGUMENT, "expected options.workspace"));
  options = withWorkspace(reinterpret_cast<void *>(~uintptr_t(255)), 256);
  EXPECT_TRUE(failsWith(launchOn("sums", {x.get(), out.get()}, &options),
                        NORMRT_STATUS_OVERFLOW, "wrap around"));
  EXPECT_TRUE(out.untouched());
  EXPECT_TRUE(workspace.untouched());
}

TEST_P(LaunchContract, StaleWorkspaceDoesNotMatter) {
  Tensor x(*memory, kF32, {20, 5}), clean(*memory, kF32, {5}), out(*memory, kF32, {5});
  std::vector<float> values(100);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = 0.1f * float(i);
  x.fill(values);
  ASSERT_EQ(launchOn("sums", {x.get(), clean.get()}), NORMRT_STATUS_OK);
  Tensor workspace(*memory, kF32, {64});
  workspace.fill(std::vector<float>(64, std::numeric_limits<float>::quiet_NaN()));
  const auto options = withWorkspace(workspace->data, 256);
  for (int run = 0; run < 20; ++run) {
    ASSERT_EQ(launchOn("sums", {x.get(), out.get()}, &options), NORMRT_STATUS_OK);
    EXPECT_EQ(out.values<float>(), clean.values<float>());
  }
}

TEST_P(LaunchContract, OptionsOfOtherVersions) {
  Tensor x(*memory, kF32, {1, 4}), y(*memory, kF32, {1, 4});
  x.fill<float>({1, 2, 3, 4});
  struct Newer {
    normrt_launch_options known;
    uint64_t added;
  } newer{{sizeof(Newer), nullptr, nullptr, 0}, 0};
  EXPECT_EQ(launchOn("scale", {x.get(), y.get()}, &newer.known), NORMRT_STATUS_OK);
  newer.added = 1;
  EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), y.get()}, &newer.known),
                        NORMRT_STATUS_UNSUPPORTED, "expected zeros"));
  for (size_t size : {size_t(0), sizeof(normrt_launch_options) - 1, SIZE_MAX}) {
    newer.known.struct_size = size;
    EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), y.get()}, &newer.known),
                          NORMRT_STATUS_INVALID_ARGUMENT, "options.struct_size"));
  }
}

TEST_P(LaunchContract, HostHasNoStreams) {
  if (memory->dlDevice().device_type != kDLCPU)
    GTEST_SKIP() << "this backend has streams";
  Tensor x(*memory, kF32, {1, 4}), y(*memory, kF32, {1, 4});
  normrt_launch_options options{sizeof(options), x.get(), nullptr, 0};
  EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), y.get()}, &options),
                        NORMRT_STATUS_INVALID_ARGUMENT, "expected no stream"));
  EXPECT_TRUE(y.untouched());
}

} // namespace
