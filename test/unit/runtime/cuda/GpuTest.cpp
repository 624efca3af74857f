// What only a GPU can show: clusters, shared memory, dependent launches, graphs,
// faults, and what a launch costs.
#include "GpuTarget.h"
#include "runtime/src/PackageHeader.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace normrt::test;

namespace {

constexpr auto f64 = normrt::schema::ElementType::f64;

class Gpu : public ::testing::Test {
protected:
  void SetUp() override {
    device = openDevice("cuda:0");
    ASSERT_NE(device, nullptr);
    normrt_device_info info{};
    info.struct_size = sizeof(info);
    ASSERT_EQ(normrt_device_query(device.get(), &info), NORMRT_STATUS_OK);
    if (!info.clusters)
      GTEST_SKIP() << "needs compute capability 9.0";
    maxShared = info.max_shared_bytes;
  }

  void loadEntry(std::unique_ptr<normrt::schema::EntryT> entry) {
    auto target = gpuTarget90();
    target->entries.push_back(std::move(entry));
    normrt::schema::PackageT package;
    package.targets.push_back(std::move(target));
    loaded = loadPackage(device.get(), package);
    ASSERT_NE(loaded, nullptr);
    ASSERT_EQ(normrt_package_entry(loaded.get(), 0, &entryUnderTest), NORMRT_STATUS_OK);
  }
  normrt_status tryLoad(const normrt::schema::PackageT &package) {
    const auto bytes = file(package);
    normrt_package *result = nullptr;
    const normrt_status status =
        normrt_package_load_memory(device.get(), bytes.data(), bytes.size(), &result);
    loaded.reset(result);
    return status;
  }
  normrt_status launchOn(std::vector<DLTensor *> tensors, void *stream = nullptr,
                         void *workspace = nullptr, size_t bytes = 0) {
    const normrt_launch_options options{sizeof(options), stream, workspace, bytes};
    return normrt_entry_launch(entryUnderTest, tensors.data(), int(tensors.size()),
                               &options);
  }

  DevicePtr device;
  PackagePtr loaded;
  normrt_entry *entryUnderTest = nullptr;
  int64_t maxShared = 0;
};

/// out [workgroups] of 8-byte integers, and one launch.
std::unique_ptr<normrt::schema::EntryT>
outEntry(std::unique_ptr<normrt::schema::LaunchT> launch) {
  auto result = entry("out", 1);
  result->params.push_back(output("out", f64, {Ex::sym(0)}, 1));
  lastVariant(*result).launches.push_back(std::move(launch));
  return result;
}

TEST_F(Gpu, ClustersOfEverySize) {
  for (int size : {1, 2, 4, 8, 16}) {
    auto launched = launch(ClusterRanks, Ex::sym(0), {argParam(0)});
    launched->cluster_size = size;
    loadEntry(outEntry(std::move(launched)));
    CudaTestDevice memory;
    Tensor out(memory, kF64, {48});
    ASSERT_EQ(launchOn({out.get()}), NORMRT_STATUS_OK) << normrt_last_error_message();
    const auto values = out.values<int64_t>();
    for (int i = 0; i < 48; ++i)
      EXPECT_EQ(values[size_t(i)], i % size + 100 * size) << size << " " << i;
  }
}

TEST_F(Gpu, AsMuchSharedMemoryAsThereIs) {
  for (int64_t bytes : {int64_t(1024), int64_t(49152), int64_t(65536), maxShared}) {
    auto launched = launch(SumShared, Ex::sym(0), {argParam(0), argExpr(bytes / 8)});
    launched->dynamic_shared_bytes = bytes;
    loadEntry(outEntry(std::move(launched)));
    CudaTestDevice memory;
    Tensor out(memory, kF64, {3});
    ASSERT_EQ(launchOn({out.get()}), NORMRT_STATUS_OK) << normrt_last_error_message();
    const int64_t count = bytes / 8;
    EXPECT_EQ(out.values<int64_t>(), std::vector<int64_t>(3, count * (count - 1) / 2));
  }
}

/// out = value of the first launch + 1, through a workspace, by a dependent launch.
std::unique_ptr<normrt::schema::EntryT> dependentEntry() {
  auto result = entry("chain", 1);
  result->params.push_back(output("out", f64, {Ex::sym(0)}, 1));
  auto &variant = lastVariant(*result);
  addWorkspace(variant, Ex::sym(0) * 8);
  variant.launches.push_back(
      launch(WriteSlowly, Ex::sym(0), {argWorkspace(0), argExpr(41)}));
  variant.launches.push_back(
      launch(AddOneDependent, Ex::sym(0), {argWorkspace(0), argParam(0)}));
  variant.launches[1]->dependent = true;
  return result;
}

TEST_F(Gpu, DependentLaunchesWaitForWhatTheyRead) {
  loadEntry(dependentEntry());
  CudaTestDevice memory;
  void *stream = nullptr;
  ASSERT_EQ(normrt_stream_create(device.get(), &stream), NORMRT_STATUS_OK);
  for (void *on : {static_cast<void *>(nullptr), stream})
    for (int run = 0; run < 20; ++run) {
      Tensor out(memory, kF64, {7}), workspace(memory, kF64, {64});
      const bool own = run % 2 == 0;
      ASSERT_EQ(
          launchOn({out.get()}, on, own ? nullptr : workspace->data, own ? 0 : 512),
          NORMRT_STATUS_OK)
          << normrt_last_error_message();
      ASSERT_EQ(normrt_stream_synchronize(device.get(), on), NORMRT_STATUS_OK);
      ASSERT_EQ(out.values<int64_t>(), std::vector<int64_t>(7, 42));
      ASSERT_TRUE(out.guardsUntouched());
    }
  EXPECT_EQ(normrt_stream_destroy(device.get(), stream), NORMRT_STATUS_OK);
}

TEST_F(Gpu, GraphsRunAgainAndAreTimed) {
  loadEntry(dependentEntry());
  CudaTestDevice memory;
  Tensor out(memory, kF64, {7}), workspace(memory, kF64, {64});
  void *stream = nullptr;
  ASSERT_EQ(normrt_stream_create(device.get(), &stream), NORMRT_STATUS_OK);
  ASSERT_EQ(normrt_graph_begin(device.get(), stream), NORMRT_STATUS_OK);
  EXPECT_TRUE(failsWith(launchOn({out.get()}, stream), NORMRT_STATUS_UNSUPPORTED,
                        "expected options.workspace"));
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(launchOn({out.get()}, stream, workspace->data, 512), NORMRT_STATUS_OK)
        << normrt_last_error_message();
  normrt_graph *graph = nullptr;
  ASSERT_EQ(normrt_graph_end(device.get(), stream, &graph), NORMRT_STATUS_OK)
      << normrt_last_error_message();
  EXPECT_TRUE(out.untouched());
  double seconds[5] = {};
  ASSERT_EQ(normrt_graph_time(graph, 5, seconds), NORMRT_STATUS_OK)
      << normrt_last_error_message();
  EXPECT_EQ(out.values<int64_t>(), std::vector<int64_t>(7, 42));
  // Three kernels that each sleep 20000 times.
  for (double time : seconds)
    EXPECT_GT(time, 1e-5);
  normrt_graph_release(graph);
  EXPECT_EQ(normrt_stream_destroy(device.get(), stream), NORMRT_STATUS_OK);
}

TEST_F(Gpu, TheSecondDevice) {
  normrt_device *second = nullptr;
  if (normrt_device_open("cuda:1", &second) != NORMRT_STATUS_OK)
    GTEST_SKIP() << "needs two CUDA devices";
  device.reset(second);
  loadEntry(dependentEntry());
  CudaTestDevice memory(1), first(0);
  Tensor out(memory, kF64, {7}), wrong(first, kF64, {7});
  EXPECT_EQ(launchOn({out.get()}), NORMRT_STATUS_OK) << normrt_last_error_message();
  EXPECT_EQ(out.values<int64_t>(), std::vector<int64_t>(7, 42));
  EXPECT_TRUE(failsWith(launchOn({wrong.get()}), NORMRT_STATUS_DEVICE_MISMATCH,
                        "expected a tensor on CUDA device 1"));
}

TEST_F(Gpu, WhatALaunchCostsTheHost) {
  loadEntry(dependentEntry());
  // One kernel that does almost nothing.
  loadEntry(outEntry(launch(ClusterRanks, Ex::sym(0), {argParam(0)})));
  CudaTestDevice memory;
  Tensor out(memory, kF64, {4});
  const DLTensor *tensors[] = {out.get()};
  void *stream = nullptr;
  ASSERT_EQ(normrt_stream_create(device.get(), &stream), NORMRT_STATUS_OK);
  const normrt_launch_options options{sizeof(options), stream, nullptr, 0};
  std::vector<int64_t> times;
  for (int batch = 0; batch < 100; ++batch) {
    // Few enough that the queue is never full.
    for (int i = 0; i < 100; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      ASSERT_EQ(normrt_entry_launch(entryUnderTest, tensors, 1, &options),
                NORMRT_STATUS_OK);
      times.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(
                          std::chrono::steady_clock::now() - begin)
                          .count());
    }
    ASSERT_EQ(normrt_stream_synchronize(device.get(), stream), NORMRT_STATUS_OK);
  }
  std::sort(times.begin(), times.end());
  const int64_t median = times[times.size() / 2];
  std::printf("host cost of a launch: median %ld ns, 99th percentile %ld ns\n",
              long(median), long(times[times.size() * 99 / 100]));
  EXPECT_EQ(normrt_stream_destroy(device.get(), stream), NORMRT_STATUS_OK);
}

/// More than any device has, and more than one launch may take.
TEST_F(Gpu, MoreThanThereIs) {
  void *memory = nullptr;
  EXPECT_TRUE(failsWith(normrt_memory_allocate(device.get(), size_t{1} << 46, &memory),
                        NORMRT_STATUS_OUT_OF_MEMORY,
                        "failed with CUDA_ERROR_OUT_OF_MEMORY (2)"));
  EXPECT_EQ(memory, nullptr);

  auto shared = launch(SumShared, Ex::sym(0), {argParam(0), argExpr(1)});
  shared->dynamic_shared_bytes = maxShared + 1;
  auto lanes = launch(ClusterRanks, Ex::sym(0), {argParam(0)});
  lanes->workgroup_size = 1025;
  std::pair<std::unique_ptr<normrt::schema::LaunchT>, const char *> launches[] = {
      {std::move(shared), "bytes of shared memory, because CUDA device 0"},
      {std::move(lanes), "expected a workgroup of at most 1024"}};
  for (auto &[one, message] : launches) {
    auto target = gpuTarget90();
    target->entries.push_back(outEntry(std::move(one)));
    normrt::schema::PackageT package;
    package.targets.push_back(std::move(target));
    EXPECT_TRUE(failsWith(tryLoad(package), NORMRT_STATUS_UNSUPPORTED, message));
  }

  loadEntry(
      outEntry(launch(ClusterRanks, Ex::sym(0) * (int64_t{1} << 31), {argParam(0)})));
  CudaTestDevice there;
  Tensor out(there, kF64, {2});
  EXPECT_TRUE(failsWith(launchOn({out.get()}), NORMRT_STATUS_UNSUPPORTED,
                        "expected a grid of at most 2147483647 workgroups"));
  EXPECT_TRUE(out.untouched());

  // How many workgroups a cluster may have is the driver's to say, at the launch.
  auto clusters = launch(ClusterRanks, Ex::sym(0) * int64_t{17}, {argParam(0)});
  clusters->cluster_size = 17;
  loadEntry(outEntry(std::move(clusters)));
  EXPECT_TRUE(
      failsWith(launchOn({out.get()}), NORMRT_STATUS_UNSUPPORTED, "CUDA_ERROR_"));
  EXPECT_TRUE(out.untouched());
}

TEST_F(Gpu, CodeThatTheDriverDoesNotTake) {
  auto later = gpuTarget90();
  later->architecture = later->blobs[0]->architecture = "sm_300";
  normrt::schema::PackageT package;
  package.targets.push_back(std::move(later));
  EXPECT_TRUE(failsWith(tryLoad(package), NORMRT_STATUS_ARCHITECTURE_MISMATCH,
                        "expected a target that runs on this device"));
  auto garbage = gpuTarget90();
  const std::string text = ".version 8.0\n.target sm_90\nno word of PTX";
  std::vector<uint8_t> &data = garbage->blobs[0]->data;
  data.assign(text.begin(), text.end());
  garbage->blobs[0]->checksum = normrt::checksum(data.data(), data.size());
  package.targets[0] = std::move(garbage);
  EXPECT_TRUE(failsWith(tryLoad(package), NORMRT_STATUS_LOAD_FAILED,
                        "cuModuleLoadDataEx failed with CUDA_ERROR_"));
  const std::string message = normrt_last_error_message();
  EXPECT_NE(message.find("the driver's log: ptxas"), std::string::npos) << message;
}

/// In a process of its own, whose device is of no use afterwards.
TEST_F(Gpu, AFaultIsReportedByTheNextCall) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto faulty = [&] {
    loadEntry(outEntry(launch(Fault, 1, {argParam(0), argExpr(int64_t(1) << 45)})));
    CudaTestDevice memory;
    auto *out = new Tensor(memory, kF64, {4});
    if (launchOn({out->get()}) != NORMRT_STATUS_OK)
      std::_Exit(1);
    const normrt_status status = normrt_device_synchronize(device.get());
    std::fprintf(stderr, "%s: %s\n", normrt_status_name(status),
                 normrt_last_error_message());
    const normrt_status next = launchOn({out->get()});
    std::fprintf(stderr, "%s: %s\n", normrt_status_name(next),
                 normrt_last_error_message());
    std::_Exit(0);
  };
  EXPECT_EXIT(
      faulty(), ::testing::ExitedWithCode(0),
      "device_error: cuCtxSynchronize failed with CUDA_ERROR_[A-Z_]* \\([0-9]+\\)"
      "[^\n]*\ndevice_error: .*CUDA_ERROR_");
}

} // namespace
