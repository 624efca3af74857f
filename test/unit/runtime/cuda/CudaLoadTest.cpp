// Loading packages on CUDA devices: which code is taken, what the driver refuses, and
// launches that a device has no room for.
#include "FakeFixture.h"

using namespace normrt::test;
using normrt::cuda::Result;
using normrt::schema::BlobFormat;
using normrt::schema::ExprOp;
using normrt::schema::GuardKind;

namespace {

std::vector<uint8_t> bytesOf(const std::string &text) {
  return {text.begin(), text.end()};
}
/// The test kernels as PTX.
std::vector<uint8_t> ptxFor(const std::string &architecture) {
  return bytesOf(fake::ptx(architecture, NORMRT_TEST_KERNELS));
}
fake::DeviceConfig device80(int major, int minor) {
  fake::DeviceConfig config;
  config.name = "Fake";
  config.major = major;
  config.minor = minor;
  return config;
}

class CudaLoad : public FakeTest {
protected:
  /// The index of the target that a package with these targets is loaded from.
  int selected() {
    normrt_target_info info{};
    info.struct_size = sizeof(info);
    for (int i = 0; i < normrt_package_target_count(loaded.get()); ++i)
      if (normrt_package_target(loaded.get(), i, &info) == NORMRT_STATUS_OK &&
          info.selected)
        return i;
    return -1;
  }
};

TEST_F(CudaLoad, TheTargetOfTheDevicesOwnArchitecture) {
  open();
  normrt::schema::PackageT package = testPackage(); // The host's target first.
  for (const char *architecture : {"sm_80", "sm_90", "sm_100"})
    package.targets.push_back(
        cudaTarget(architecture, BlobFormat::cubin, testKernels(), testKernelNames()));
  ASSERT_EQ(tryLoad(package), NORMRT_STATUS_OK) << normrt_last_error_message();
  EXPECT_EQ(selected(), 2);
}

TEST_F(CudaLoad, AnEarlierCubinOfTheSameMajorNumber) {
  open(device80(8, 9));
  normrt::schema::PackageT package;
  package.targets.push_back(
      cudaTarget("sm_80", BlobFormat::cubin, testKernels(), testKernelNames()));
  package.targets.push_back(
      cudaTarget("sm_86", BlobFormat::cubin, testKernels(), testKernelNames()));
  package.targets.push_back(
      cudaTarget("sm_89", BlobFormat::ptx, ptxFor("sm_89"), testKernelNames()));
  ASSERT_EQ(tryLoad(package), NORMRT_STATUS_OK) << normrt_last_error_message();
  EXPECT_EQ(selected(), 1);
}

TEST_F(CudaLoad, PtxIsCompiledHere) {
  open(device80(12, 0));
  normrt::schema::PackageT package;
  package.targets.push_back(
      cudaTarget("sm_80", BlobFormat::ptx, ptxFor("sm_80"), testKernelNames()));
  package.targets.push_back(
      cudaTarget("sm_90", BlobFormat::ptx, ptxFor("sm_90"), testKernelNames()));
  package.targets.push_back(
      cudaTarget("sm_90", BlobFormat::cubin, testKernels(), testKernelNames()));
  ASSERT_EQ(tryLoad(package), NORMRT_STATUS_OK) << normrt_last_error_message();
  EXPECT_EQ(selected(), 1);
  EXPECT_EQ(fake::loadedImages(), std::vector<std::string>{".ver"});
  EXPECT_EQ(fake::jitOptimizationLevel(), 4);
}

TEST_F(CudaLoad, NoTargetForTheDevice) {
  open(device80(9, 0));
  normrt::schema::PackageT package = testPackage();
  package.targets.push_back(
      cudaTarget("sm_80", BlobFormat::cubin, testKernels(), testKernelNames()));
  package.targets.push_back(
      cudaTarget("sm_100", BlobFormat::ptx, ptxFor("sm_100"), testKernelNames()));
  package.targets.push_back(
      cudaTarget("ninety", BlobFormat::cubin, testKernels(), testKernelNames()));
  EXPECT_TRUE(failsWith(tryLoad(package), NORMRT_STATUS_ARCHITECTURE_MISMATCH,
                        "expected a target that runs on this device (cuda:0, Fake, "
                        "sm_90"));
  const std::string message = normrt_last_error_message();
  for (const char *part : {"\"cuda:sm_80\" for sm_80", "\"cuda:sm_100\" for sm_100",
                           "\"cuda:ninety\" for ninety", "\"host\""})
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST_F(CudaLoad, ThePtxBesideACubin) {
  for (const auto &[major, image] : {std::pair(8, "\x7f"
                                                  "ELF"),
                                     std::pair(9, ".ver")}) {
    fake::reset();
    open(device80(major, 0));
    auto target =
        cudaTarget("sm_80", BlobFormat::cubin, testKernels(), testKernelNames());
    target->blobs[0]->alternative = 1;
    addBlob(*target, BlobFormat::ptx, "sm_80", ptxFor("sm_80"));
    ASSERT_EQ(tryLoad(std::move(target)), NORMRT_STATUS_OK)
        << normrt_last_error_message();
    EXPECT_EQ(fake::loadedImages(), std::vector<std::string>{image});
    loaded.reset();
    device.reset();
  }
}

TEST_F(CudaLoad, ThePtxBesideACubinThatTheDriverRefuses) {
  open();
  auto target =
      cudaTarget("sm_90", BlobFormat::cubin, testKernels(), testKernelNames());
  target->blobs[0]->alternative = 1;
  addBlob(*target, BlobFormat::ptx, "", ptxFor("sm_90"));
  normrt::schema::PackageT package;
  package.targets.push_back(std::move(target));
  fake::failCalls("cuModuleLoadDataEx", Result::NoBinaryForGpu);
  ASSERT_EQ(tryLoad(package), NORMRT_STATUS_OK) << normrt_last_error_message();
  EXPECT_EQ(fake::loadedImages(), std::vector<std::string>{".ver"});
  fake::failCalls("cuModuleLoadDataEx", Result::NoBinaryForGpu, 2);
  EXPECT_TRUE(failsWith(tryLoad(package), NORMRT_STATUS_LOAD_FAILED,
                        "blob 0 (cubin for sm_90): cuModuleLoadDataEx failed"));
  EXPECT_TRUE(failsWith(NORMRT_STATUS_OK, NORMRT_STATUS_OK, "blob 1 (ptx for sm_90)"));
  // Memory that is missing is missing for the other, too.
  fake::failCalls("cuModuleLoadDataEx", Result::OutOfMemory);
  EXPECT_TRUE(failsWith(tryLoad(package), NORMRT_STATUS_OUT_OF_MEMORY,
                        "CUDA_ERROR_OUT_OF_MEMORY (2)"));
}

TEST_F(CudaLoad, WhatTheDriverSaysOfPtx) {
  open();
  EXPECT_TRUE(failsWith(
      tryLoad(cudaTarget("sm_90", BlobFormat::ptx, bytesOf(".version 8.0\nwrong"),
                         testKernelNames())),
      NORMRT_STATUS_LOAD_FAILED,
      "blob 0 (ptx for sm_90): cuModuleLoadDataEx failed with CUDA_ERROR_INVALID_PTX "
      "(218); the driver's log: ptxas error: a word that is none"));
  EXPECT_TRUE(failsWith(tryLoad(cudaTarget("sm_90", BlobFormat::cubin,
                                           bytesOf("garbage"), testKernelNames())),
                        NORMRT_STATUS_LOAD_FAILED, "(200)"));
}

/// A driver that is new enough for the runtime, and older than the PTX.
TEST_F(CudaLoad, PtxOfALaterVersion) {
  open();
  fake::failCalls("cuModuleLoadDataEx", Result::UnsupportedPtxVersion);
  EXPECT_TRUE(failsWith(
      tryLoad(cudaTarget("sm_90", BlobFormat::ptx, ptxFor("sm_90"), testKernelNames())),
      NORMRT_STATUS_LOAD_FAILED,
      "blob 0 (ptx for sm_90): cuModuleLoadDataEx failed with "
      "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)"));
}

TEST_F(CudaLoad, AKernelThatIsNotThere) {
  open();
  EXPECT_TRUE(
      failsWith(tryLoad(cudaTarget("sm_90", BlobFormat::cubin, testKernels(),
                                   {"scale_rows", "nothing"})),
                NORMRT_STATUS_LOAD_FAILED,
                "expected blob 0 to export kernel \"nothing\", but it does not: "
                "cuModuleGetFunction failed with CUDA_ERROR_NOT_FOUND (500)"));
}

TEST_F(CudaLoad, AWrongNumberOfArguments) {
  open();
  auto wrong = countEntry();
  lastLaunch(*wrong).args.clear();
  EXPECT_TRUE(failsWith(tryLoadEntry(std::move(wrong)), NORMRT_STATUS_LOAD_FAILED,
                        "entry \"count\": variant 0: launch 0: expected kernel "
                        "\"count_workgroups\" to have 0 parameters, because its launch "
                        "gives as many arguments, but got 1"));
}

TEST_F(CudaLoad, WhatTheVerifierRefuses) {
  open();
  auto target = cudaTestTarget();
  target->blobs[0]->alternative = 0;
  EXPECT_TRUE(failsWith(tryLoad(std::move(target)), NORMRT_STATUS_CORRUPTED,
                        "target 0: blob 0: expected the alternative from 1 to 0"));
  normrt::schema::PackageT host = testPackage();
  lastLaunch(*host.targets[0]->entries[0]).dependent = true;
  EXPECT_TRUE(failsWith(tryLoad(host), NORMRT_STATUS_CORRUPTED,
                        "expected no dependent launch, because host has none"));
}

/// An entry whose first variant is changed by the tests and whose last one always runs.
std::unique_ptr<normrt::schema::EntryT> twoVariants() {
  auto result = countEntry();
  auto &first = addVariant(*result);
  first.guards.push_back(shapeGuard(GuardKind::at_least, Ex::sym(0), 1));
  first.launches.push_back(launch(CountWorkgroups, Ex::sym(0), {argParam(0)}));
  return result;
}

TEST_F(CudaLoad, AVariantWithoutRoomIsNeverTaken) {
  struct Case {
    void (*change)(normrt::schema::LaunchT &);
    bool clusters;
    bool taken;
    const char *message; // Where it is the only variant.
  };
  const Case cases[] = {
      {[](auto &launch) { launch.workgroup_size = 1024; }, true, true, ""},
      {[](auto &launch) { launch.workgroup_size = 1025; }, true, false,
       "expected a workgroup of at most 1024, because that is what kernel "
       "\"count_workgroups\" takes on CUDA device 0 (Fake 90, sm_90), but got 1025"},
      {[](auto &launch) { launch.dynamic_shared_bytes = 232448; }, true, true, ""},
      {[](auto &launch) { launch.dynamic_shared_bytes = 232449; }, true, false,
       "expected at most 232448 bytes of shared memory, because CUDA device 0 (Fake "
       "90, sm_90) has no more for a workgroup, but kernel \"count_workgroups\" needs "
       "232449"},
      {[](auto &launch) { launch.cluster_size = 8; }, true, true, ""},
      {[](auto &launch) { launch.cluster_size = 16; }, true, true, ""},
      {[](auto &launch) { launch.cluster_size = 17; }, true, false,
       "expected clusters of 17 workgroups to fit on CUDA device 0"},
      {[](auto &launch) { launch.cluster_size = 2; }, false, false,
       "expected no clusters, because CUDA device 0 (Fake 90, sm_90) has none, but "
       "kernel \"count_workgroups\" needs clusters of 2"},
      {[](auto &launch) {
         launch.cluster_size = 16; // On 4 compute units with room for one each.
         launch.dynamic_shared_bytes = 200000;
       },
       true, false, "expected clusters of 16 workgroups to fit"}};
  CudaTestDevice memory;
  for (size_t i = 0; i < std::size(cases); ++i) {
    fake::DeviceConfig config;
    config.clusters = cases[i].clusters;
    open(config);
    auto both = twoVariants();
    cases[i].change(*both->variants[0]->launches[0]);
    loadEntry(std::move(both));
    Tensor counts(memory, kF64, {272});
    const DLTensor *tensors[] = {counts.get()};
    int32_t variant = -1;
    EXPECT_EQ(normrt_entry_select_variant(find("count"), tensors, 1, &variant),
              NORMRT_STATUS_OK);
    EXPECT_EQ(variant, cases[i].taken ? 0 : 1) << i;
    EXPECT_EQ(launchOn("count", {counts.get()}), NORMRT_STATUS_OK)
        << i << normrt_last_error_message();
    auto alone = countEntry();
    cases[i].change(lastLaunch(*alone));
    const normrt_status status = tryLoadEntry(std::move(alone));
    if (cases[i].taken)
      EXPECT_EQ(status, NORMRT_STATUS_OK) << i << normrt_last_error_message();
    else
      EXPECT_TRUE(failsWith(status, NORMRT_STATUS_UNSUPPORTED, cases[i].message)) << i;
  }
}

TEST_F(CudaLoad, AKernelsOwnLimits) {
  open();
  const auto load = [&](int workgroup, int64_t shared) {
    auto target = cudaTarget("sm_90", BlobFormat::cubin, testKernels(), {"limited"});
    auto limited = countEntry();
    lastLaunch(*limited).kernel = 0;
    lastLaunch(*limited).args.clear();
    lastLaunch(*limited).workgroup_size = workgroup;
    lastLaunch(*limited).dynamic_shared_bytes = shared;
    target->entries.push_back(std::move(limited));
    return tryLoad(std::move(target));
  };
  EXPECT_EQ(load(256, 231424), NORMRT_STATUS_OK) << normrt_last_error_message();
  EXPECT_TRUE(failsWith(load(257, 0), NORMRT_STATUS_UNSUPPORTED, "at most 256"));
  EXPECT_TRUE(failsWith(load(1, 231425), NORMRT_STATUS_UNSUPPORTED, "needs 232449"));
}

TEST_F(CudaLoad, ResidencyIsAskedForEachLaunch) {
  open();
  // The same kernel with and without much shared memory, and in clusters.
  auto three = countEntry();
  three->params[0]->shape[0] = Ex(1000).build();
  three->symbols = 0;
  auto &launches = lastVariant(*three).launches;
  launches.clear();
  const Ex units = Ex::leaf(ExprOp::compute_units),
           resident = Ex::leaf(ExprOp::resident);
  launches.push_back(launch(CountWorkgroups, units * resident, {argParam(0)}));
  launches.push_back(launch(CountWorkgroups, units * resident, {argParam(0)}));
  launches[1]->workgroup_size = 256;
  launches[1]->dynamic_shared_bytes = 100000;
  launches.push_back(
      launch(CountWorkgroups, Ex::leaf(ExprOp::resident_clusters) * 4, {argParam(0)}));
  launches[2]->workgroup_size = 1024;
  launches[2]->cluster_size = 4;
  loadEntry(std::move(three));
  CudaTestDevice memory;
  Tensor counts(memory, kF64, {1000});
  ASSERT_EQ(launchOn("count", {counts.get()}), NORMRT_STATUS_OK)
      << normrt_last_error_message();
  const auto seen = fake::launches();
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].grid, 4u * 32);
  EXPECT_EQ(seen[1].grid, 4u * 2);
  EXPECT_EQ(seen[1].sharedBytes, 100000u);
  EXPECT_EQ(seen[2].grid, 4u * 2 / 4 * 4);
  EXPECT_EQ(seen[2].cluster, 4u);
}

} // namespace
