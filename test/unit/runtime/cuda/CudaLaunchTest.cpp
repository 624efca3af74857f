// Launches on CUDA devices: what the driver is given, streams, workspaces, graphs, and
// what it refuses.
#include "FakeFixture.h"

#include <climits>

using namespace normrt::test;
using normrt::cuda::Result;

namespace {

class CudaLaunch : public FakeTest {
protected:
  void SetUp() override {
    FakeTest::SetUp();
    open();
  }
  void *createStream(normrt_device *on) {
    void *stream = nullptr;
    EXPECT_EQ(normrt_stream_create(on, &stream), NORMRT_STATUS_OK)
        << normrt_last_error_message();
    return stream;
  }
};

TEST_F(CudaLaunch, TheDriverIsGivenThePlan) {
  auto under = countEntry();
  lastLaunch(*under).workgroup_size = 96;
  lastLaunch(*under).cluster_size = 2;
  lastLaunch(*under).dynamic_shared_bytes = 70000;
  auto &launches = lastVariant(*under).launches;
  launches.push_back(launch(CountWorkgroups, 3, {argParam(0)}));
  launches[1]->dependent = true;
  loadEntry(std::move(under));
  CudaTestDevice memory;
  Tensor counts(memory, kF64, {10});
  counts.fill(std::vector<int64_t>(10, 0));
  void *stream = createStream(device.get());
  for (void *on : {static_cast<void *>(nullptr), stream}) {
    const auto options = optionsOf(on);
    ASSERT_EQ(launchOn("count", {counts.get()}, &options), NORMRT_STATUS_OK)
        << normrt_last_error_message();
    const auto seen = fake::launches();
    const auto &first = seen[seen.size() - 2], &second = seen.back();
    EXPECT_EQ(first.kernel, "count_workgroups");
    EXPECT_EQ(first.grid, 10u);
    EXPECT_EQ(first.workgroup, 96u);
    EXPECT_EQ(first.cluster, 2u);
    EXPECT_EQ(first.sharedBytes, 70000u);
    EXPECT_FALSE(first.dependent);
    EXPECT_EQ(first.stream, on);
    EXPECT_EQ(second.grid, 3u);
    EXPECT_EQ(second.cluster, 1u);
    EXPECT_TRUE(second.dependent);
    EXPECT_EQ(second.stream, on);
  }
  EXPECT_EQ(counts.values<int64_t>(),
            (std::vector<int64_t>{4, 4, 4, 2, 2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(normrt_stream_synchronize(device.get(), stream), NORMRT_STATUS_OK);
  EXPECT_EQ(normrt_stream_destroy(device.get(), stream), NORMRT_STATUS_OK);
}

TEST_F(CudaLaunch, DependentLaunchesWhereTheDeviceHasThem) {
  for (const auto major : {8, 9}) {
    fake::DeviceConfig config;
    config.major = major;
    open(config);
    auto target = cudaTarget("sm_80", normrt::schema::BlobFormat::cubin, testKernels(),
                             testKernelNames());
    target->architecture = major == 8 ? "sm_80" : "sm_90";
    target->entries.push_back(countEntry());
    lastLaunch(*target->entries[0]).dependent = true;
    ASSERT_EQ(tryLoad(std::move(target)), NORMRT_STATUS_OK)
        << normrt_last_error_message();
    CudaTestDevice memory;
    Tensor counts(memory, kF64, {1});
    ASSERT_EQ(launchOn("count", {counts.get()}), NORMRT_STATUS_OK);
    EXPECT_EQ(fake::launches().back().dependent, major == 9);
  }
}

TEST_F(CudaLaunch, TensorsOfOtherDevices) {
  loadTestPackage();
  CudaTestDevice memory, otherMemory(1);
  Tensor x(memory, kF32, {2, 2}), y(memory, kF32, {2, 2});
  Tensor other(otherMemory, kF32, {2, 2});
  EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), other.get()}),
                        NORMRT_STATUS_DEVICE_MISMATCH,
                        "parameter \"y\": expected a tensor on CUDA device 0, because "
                        "the package was loaded there, but got one on CUDA device 1"));
  y->device = {kDLCPU, 0};
  EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), y.get()}),
                        NORMRT_STATUS_DEVICE_MISMATCH, "but got one on the CPU"));
  EXPECT_TRUE(y.untouched());
  EXPECT_TRUE(fake::launches().empty());
}

TEST_F(CudaLaunch, AStreamOfAnotherDevice) {
  loadTestPackage();
  CudaTestDevice memory;
  Tensor x(memory, kF32, {2, 2}), y(memory, kF32, {2, 2});
  const DevicePtr second = openDevice("cuda:1");
  void *stream = createStream(second.get());
  const auto options = optionsOf(stream);
  EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), y.get()}, &options),
                        NORMRT_STATUS_INVALID_ARGUMENT,
                        "cuLaunchKernelEx failed with an unknown error (400)"));
  EXPECT_TRUE(y.untouched());
  EXPECT_EQ(normrt_stream_destroy(second.get(), stream), NORMRT_STATUS_OK);
}

TEST_F(CudaLaunch, GridsPastTheLimit) {
  auto under = countEntry();
  auto &launches = lastVariant(*under).launches;
  launches[0]->grid = Ex(1).build();
  launches.push_back(
      launch(CountWorkgroups, Ex::sym(0) * int64_t(INT_MAX), {argParam(0)}));
  loadEntry(std::move(under));
  CudaTestDevice memory;
  Tensor counts(memory, kF64, {2});
  EXPECT_TRUE(failsWith(launchOn("count", {counts.get()}), NORMRT_STATUS_UNSUPPORTED,
                        "launch 1: expected a grid of at most 2147483647 workgroups, "
                        "because CUDA launches no more, but got 4294967294"));
  EXPECT_TRUE(counts.untouched()) << "the first launch did not run either";
}

TEST_F(CudaLaunch, GridsOfBrokenClusters) {
  auto under = countEntry();
  lastLaunch(*under).cluster_size = 4;
  loadEntry(std::move(under));
  CudaTestDevice memory;
  Tensor counts(memory, kF64, {6});
  EXPECT_TRUE(failsWith(launchOn("count", {counts.get()}), NORMRT_STATUS_INTERNAL,
                        "expected a grid of whole clusters of 4, but the plan computes "
                        "6 workgroups"));
  EXPECT_TRUE(counts.untouched());
}

TEST_F(CudaLaunch, WhatTheDriverRefuses) {
  loadTestPackage();
  CudaTestDevice memory;
  Tensor x(memory, kF32, {2, 2}), y(memory, kF32, {2, 2});
  const std::pair<Result, normrt_status> cases[] = {
      {Result::LaunchOutOfResources, NORMRT_STATUS_UNSUPPORTED},
      {Result::OutOfMemory, NORMRT_STATUS_OUT_OF_MEMORY},
      {Result::InvalidValue, NORMRT_STATUS_INVALID_ARGUMENT},
      {Result::LaunchFailed, NORMRT_STATUS_DEVICE_ERROR}};
  for (const auto &[result, status] : cases) {
    fake::failCalls("cuLaunchKernelEx", result);
    EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), y.get()}), status,
                          "launch 0 on CUDA device 0 (Fake 90, sm_90): "
                          "cuLaunchKernelEx failed with "));
    const std::string code = "(" + std::to_string(int(result)) + ")";
    EXPECT_NE(std::string(normrt_last_error_message()).find(code), std::string::npos);
  }
}

TEST_F(CudaLaunch, WithTheCallersWorkspaceNothingIsAllocatedOrWaitedFor) {
  loadTestPackage();
  CudaTestDevice memory;
  Tensor x(memory, kF32, {20, 5}), out(memory, kF32, {5}),
      workspace(memory, kF32, {64});
  x.fill(std::vector<float>(100, 1));
  const auto options = optionsOf(nullptr, workspace->data, 256);
  const size_t bytes = fake::liveBytes();
  const char *forbidden[] = {"cuMemAlloc",          "cuMemAllocFromPoolAsync",
                             "cuStreamSynchronize", "cuCtxSynchronize",
                             "cuStreamIsCapturing", "cuFuncSetAttribute"};
  std::vector<int> before;
  for (const char *name : forbidden)
    before.push_back(fake::calls(name));
  ASSERT_EQ(launchOn("sums", {x.get(), out.get()}, &options), NORMRT_STATUS_OK);
  for (size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(fake::calls(forbidden[i]), before[i]) << forbidden[i];
  EXPECT_EQ(fake::liveBytes(), bytes);
  EXPECT_EQ(out.values<float>(), std::vector<float>(5, 20));
}

TEST_F(CudaLaunch, TheRuntimesOwnWorkspaceIsKeptUntilTrim) {
  loadTestPackage();
  CudaTestDevice memory;
  Tensor x(memory, kF32, {20, 5}), out(memory, kF32, {5});
  x.fill(std::vector<float>(100, 1));
  const size_t bytes = fake::liveBytes();
  for (int run = 0; run < 3; ++run) {
    ASSERT_EQ(launchOn("sums", {x.get(), out.get()}), NORMRT_STATUS_OK)
        << normrt_last_error_message();
    EXPECT_EQ(out.values<float>(), std::vector<float>(5, 20));
    EXPECT_EQ(fake::liveBytes(), bytes + 256) << "one that is used again";
  }
  normrt_device_trim(device.get());
  EXPECT_EQ(fake::liveBytes(), bytes);
}

TEST_F(CudaLaunch, AWorkspaceThatCannotBeHad) {
  loadTestPackage();
  CudaTestDevice memory;
  Tensor x(memory, kF32, {20, 5}), out(memory, kF32, {5});
  fake::failCalls("cuMemAllocFromPoolAsync", Result::OutOfMemory);
  EXPECT_TRUE(failsWith(launchOn("sums", {x.get(), out.get()}),
                        NORMRT_STATUS_OUT_OF_MEMORY,
                        "allocating a workspace of 256 bytes: cuMemAllocFromPoolAsync "
                        "failed with CUDA_ERROR_OUT_OF_MEMORY (2)"));
  EXPECT_TRUE(out.untouched());
}

TEST_F(CudaLaunch, ADeviceWithoutMemoryPools) {
  fake::DeviceConfig config;
  config.memoryPools = false;
  open(config);
  loadTestPackage();
  CudaTestDevice memory;
  Tensor x(memory, kF32, {20, 5}), out(memory, kF32, {5}),
      workspace(memory, kF32, {64});
  EXPECT_TRUE(failsWith(launchOn("sums", {x.get(), out.get()}),
                        NORMRT_STATUS_UNSUPPORTED, "has no memory pools"));
  EXPECT_TRUE(out.untouched());
  const auto options = optionsOf(nullptr, workspace->data, 256);
  EXPECT_EQ(launchOn("sums", {x.get(), out.get()}, &options), NORMRT_STATUS_OK);
}

TEST_F(CudaLaunch, ACapturedStream) {
  loadTestPackage();
  CudaTestDevice memory;
  Tensor x(memory, kF32, {20, 5}), out(memory, kF32, {5}),
      workspace(memory, kF32, {64});
  x.fill(std::vector<float>(100, 1));
  void *stream = createStream(device.get());
  ASSERT_EQ(normrt_graph_begin(device.get(), stream), NORMRT_STATUS_OK);
  auto options = optionsOf(stream);
  EXPECT_TRUE(failsWith(launchOn("sums", {x.get(), out.get()}, &options),
                        NORMRT_STATUS_UNSUPPORTED,
                        "expected options.workspace, because the stream is captured"));
  options = optionsOf(stream, workspace->data, 256);
  ASSERT_EQ(launchOn("sums", {x.get(), out.get()}, &options), NORMRT_STATUS_OK)
      << normrt_last_error_message();
  normrt_graph *graph = nullptr;
  ASSERT_EQ(normrt_graph_end(device.get(), stream, &graph), NORMRT_STATUS_OK)
      << normrt_last_error_message();
  EXPECT_TRUE(out.untouched()) << "captured, not run";
  EXPECT_TRUE(fake::launches().back().captured);
  double seconds[3] = {-1, -1, -1};
  ASSERT_EQ(normrt_graph_time(graph, 3, seconds), NORMRT_STATUS_OK)
      << normrt_last_error_message();
  EXPECT_EQ(out.values<float>(), std::vector<float>(5, 20));
  for (double time : seconds)
    EXPECT_GE(time, 0);
  for (int repeats : {0, -1, 1000001})
    EXPECT_TRUE(failsWith(normrt_graph_time(graph, repeats, seconds),
                          NORMRT_STATUS_INVALID_ARGUMENT, "expected repeats"));
  normrt_graph_release(graph);
  EXPECT_EQ(normrt_stream_destroy(device.get(), stream), NORMRT_STATUS_OK);
}

TEST_F(CudaLaunch, GraphsThatWereNotBegun) {
  void *stream = createStream(device.get());
  normrt_graph *graph = nullptr;
  EXPECT_TRUE(failsWith(normrt_graph_end(device.get(), stream, &graph),
                        NORMRT_STATUS_INVALID_ARGUMENT,
                        "cuStreamEndCapture failed with CUDA_ERROR_INVALID_VALUE (1)"));
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(normrt_stream_destroy(device.get(), stream), NORMRT_STATUS_OK);
}

} // namespace
