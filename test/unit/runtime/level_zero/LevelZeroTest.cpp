// Level Zero devices: names, facts, contexts, lists, memory, modules that are refused.
#include "../LaunchFixture.h"

#include <cstring>
#include <level_zero/ze_api.h>

using namespace normrt;
using namespace normrt::test;
using normrt::schema::BlobFormat;
using normrt::schema::ElementType;

namespace {

class LevelZero : public LaunchTest {
protected:
  ze_device_handle_t zeDevice = nullptr;
  ze_context_handle_t zeContext = nullptr;

  void SetUp() override {
    LaunchTest::SetUp();
    void *native = nullptr, *context = nullptr;
    ASSERT_EQ(normrt_device_native(device.get(), &native, &context), NORMRT_STATUS_OK);
    zeDevice = static_cast<ze_device_handle_t>(native);
    zeContext = static_cast<ze_context_handle_t>(context);
  }

  /// A kernel that no test package has, alone in an entry "own".
  void loadOwn(const std::string &kernel, int workgroup, int64_t shared,
               const std::vector<uint8_t> &spirv = readBytes(NORMRT_TEST_SPIRV)) {
    schema::PackageT package;
    package.targets.push_back(levelZeroTarget(spirv, {kernel}));
    auto own = entry("own", 1);
    own->params.push_back(output("out", ElementType::f64, {Ex::sym(0)}, 1));
    auto launched = launch(0, Ex(3), {argParam(0)});
    launched->workgroup_size = workgroup;
    launched->dynamic_shared_bytes = shared;
    lastVariant(*own).launches.push_back(std::move(launched));
    package.targets[0]->entries.push_back(std::move(own));
    const auto bytes = file(package);
    normrt_package *made = nullptr;
    status =
        normrt_package_load_memory(device.get(), bytes.data(), bytes.size(), &made);
    loaded.reset(made);
  }

  /// The package of the launch suites, for this backend.
  schema::PackageT ownPackage() const {
    schema::PackageT package = testPackage();
    auto target = memory->target();
    target->entries = std::move(package.targets[0]->entries);
    package.targets[0] = std::move(target);
    return package;
  }

  /// What loading that one on a device says.
  normrt_status loadOn(normrt_device *on) const {
    const auto bytes = file(ownPackage());
    normrt_package *made = nullptr;
    const normrt_status result =
        normrt_package_load_memory(on, bytes.data(), bytes.size(), &made);
    normrt_package_release(made);
    return result;
  }

  normrt_status status = NORMRT_STATUS_OK;
};

INSTANTIATE_TEST_SUITE_P(Backends, LevelZero, allBackends(), labelOf);

TEST_P(LevelZero, NamesOfDevices) {
  normrt_device *opened = nullptr;
  for (const char *name : {"level_zero:", "level_zero:x", "level_zero:-1",
                           "level_zero:1024", "level_zero:0.", "level_zero:0.x"})
    EXPECT_TRUE(failsWith(normrt_device_open(name, &opened),
                          NORMRT_STATUS_INVALID_ARGUMENT, "expected"))
        << name;
  EXPECT_TRUE(
      failsWith(normrt_device_open("level_zero:7", &opened), NORMRT_STATUS_NOT_FOUND,
                "expected a Level Zero device below 1, because the drivers show "
                "1 GPUs, but got 7"));
  EXPECT_TRUE(failsWith(normrt_device_open("level_zero:0.2", &opened),
                        NORMRT_STATUS_NOT_FOUND,
                        "expected a tile below 2, because Level Zero device 0 has 2 of "
                        "them, but got 2"));
  EXPECT_EQ(opened, nullptr);
}

TEST_P(LevelZero, Facts) {
  normrt_device_info info{};
  info.struct_size = sizeof(info);
  ASSERT_EQ(normrt_device_query(device.get(), &info), NORMRT_STATUS_OK);
  EXPECT_STREQ(info.name, "normc test device (a CPU)");
  EXPECT_EQ(info.architecture, testChip().empty() ? "spirv" : testChip());
  EXPECT_EQ(info.device.device_type, kOneApi);
  EXPECT_EQ(info.device.device_id, 0);
  EXPECT_EQ(info.compute_units, 8);
  EXPECT_EQ(info.max_workgroup_size, 1024);
  EXPECT_EQ(info.clusters, 0);
  EXPECT_EQ(info.max_shared_bytes, 128 << 10);
  EXPECT_STREQ(normrt_device_description(device.get()),
               "level_zero:0, normc test device (a CPU), 8 compute units, subgroups of "
               "8, 16, 32, 128 KiB of shared memory a workgroup");
  // A tile has half of the compute units.
  const DevicePtr tile = openDevice("level_zero:0.1");
  ASSERT_EQ(normrt_device_query(tile.get(), &info), NORMRT_STATUS_OK);
  EXPECT_EQ(info.compute_units, 4);
}

/// The module without its OpExecutionMode SubgroupSize (SPIR-V 1.6, 3.49.5).
std::vector<uint8_t> withoutSubgroupSizes(const std::vector<uint8_t> &bytes) {
  constexpr uint32_t kExecutionMode = 16, kSubgroupSize = 35;
  constexpr size_t kHeaderBytes = 20;
  auto word = [&](size_t at) {
    uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    return value;
  };
  auto begin = bytes.begin();
  std::vector<uint8_t> result(begin, begin + kHeaderBytes);
  for (size_t at = kHeaderBytes, next = 0; at < bytes.size(); at = next) {
    next = at + sizeof(uint32_t) * (word(at) >> 16);
    if ((word(at) & 0xffff) != kExecutionMode || word(at + 8) != kSubgroupSize)
      result.insert(result.end(), begin + ptrdiff_t(at), begin + ptrdiff_t(next));
  }
  return result;
}

TEST_P(LevelZero, ADeviceThatTellsOfNoSubgroups) {
  setenv("NORMC_ZE_TEST_SUBGROUPS", "", 1);
  const DevicePtr none = openDevice("level_zero:0");
  unsetenv("NORMC_ZE_TEST_SUBGROUPS");
  ASSERT_NE(none, nullptr);
  normrt_device_info info{};
  info.struct_size = sizeof(info);
  ASSERT_EQ(normrt_device_query(none.get(), &info), NORMRT_STATUS_OK);
  EXPECT_EQ(info.subgroup_size, 1);
  EXPECT_TRUE(failsWith(loadOn(none.get()), NORMRT_STATUS_UNSUPPORTED, "has none"));
  // Kernels that ask for none run.
  schema::PackageT package = ownPackage();
  package.targets[0]->blobs.clear();
  addBlob(*package.targets[0], BlobFormat::spirv,
          withoutSubgroupSizes(readBytes(NORMRT_TEST_SPIRV)));
  EXPECT_NE(loadPackage(none.get(), package), nullptr);
}

TEST_P(LevelZero, TilesUseTheMemoryOfTheirDevice) {
  // Through one context, as a framework has it.
  uint32_t count = 1;
  ze_device_handle_t tile = nullptr;
  ASSERT_EQ(zeDeviceGetSubDevices(zeDevice, &count, &tile), ZE_RESULT_SUCCESS);
  normrt_device *opened = nullptr;
  ASSERT_EQ(normrt_device_open_level_zero(tile, zeContext, &opened), NORMRT_STATUS_OK)
      << normrt_last_error_message();
  const DevicePtr onTile(opened);
  EXPECT_NE(std::string(normrt_device_description(opened)).find("level_zero:0.0"),
            std::string::npos);
  loaded = loadPackage(opened, ownPackage());
  Tensor x(*memory, kF32, {9, 2}), out(*memory, kF32, {2});
  x.fill(std::vector<float>(18, 1));
  EXPECT_EQ(launchOn("sums", {x.get(), out.get()}), NORMRT_STATUS_OK)
      << normrt_last_error_message();
  EXPECT_EQ(normrt_device_synchronize(opened), NORMRT_STATUS_OK);
  EXPECT_EQ(out.values<float>(), (std::vector<float>{9, 9}));
}

TEST_P(LevelZero, ADeviceThatIsNone) {
  int other = 0;
  normrt_device *opened = nullptr;
  EXPECT_TRUE(failsWith(normrt_device_open_level_zero(&other, zeContext, &opened),
                        NORMRT_STATUS_NOT_FOUND, "none of theirs"));
  EXPECT_TRUE(failsWith(normrt_device_open_level_zero(nullptr, zeContext, &opened),
                        NORMRT_STATUS_INVALID_ARGUMENT, "expected ze_device"));
  const DevicePtr host = openDevice("host:1");
  void *native = nullptr, *context = nullptr;
  EXPECT_TRUE(failsWith(normrt_device_native(host.get(), &native, &context),
                        NORMRT_STATUS_UNSUPPORTED, "expected a Level Zero device"));
}

TEST_P(LevelZero, MemoryOfAnotherContext) {
  LevelZeroTestDevice other;
  Tensor x(other, kF32, {9, 2}), out(*memory, kF32, {2});
  EXPECT_TRUE(failsWith(launchOn("sums", {x.get(), out.get()}),
                        NORMRT_STATUS_DEVICE_MISMATCH,
                        "parameter \"x\": expected memory of the context of Level Zero "
                        "device 0"));
  EXPECT_TRUE(out.untouched());
  // Of no context at all.
  std::vector<float> host(18);
  Tensor inside(*memory, kF32, {9, 2});
  inside->data = host.data();
  EXPECT_TRUE(failsWith(launchOn("sums", {inside.get(), out.get()}),
                        NORMRT_STATUS_DEVICE_MISMATCH, "was not allocated there"));
  // A workspace.
  Tensor good(*memory, kF32, {9, 2}), workspace(other, kF32, {1024});
  normrt_launch_options options = withWorkspace(workspace->data, 4096);
  EXPECT_TRUE(failsWith(launchOn("sums", {good.get(), out.get()}, &options),
                        NORMRT_STATUS_DEVICE_MISMATCH, "workspace: expected memory"));
}

TEST_P(LevelZero, MemoryThatEndsTooSoon) {
  void *small = memory->allocate(64);
  Tensor x(*memory, kF32, {9, 2}), out(*memory, kF32, {2});
  x->data = small;
  EXPECT_TRUE(failsWith(launchOn("sums", {x.get(), out.get()}),
                        NORMRT_STATUS_INVALID_ARGUMENT,
                        "expected 72 bytes from its first on, but the allocation ends "
                        "after 64"));
  memory->free(small);
}

TEST_P(LevelZero, CommandListsOfTheCaller) {
  Tensor x(*memory, kF32, {9, 2}), out(*memory, kF32, {2});
  x.fill(std::vector<float>(18, 2));
  ze_command_list_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC;
  description.commandQueueGroupOrdinal = 1;
  ze_command_list_handle_t list = nullptr;
  ASSERT_EQ(zeCommandListCreate(zeContext, zeDevice, &description, &list),
            ZE_RESULT_SUCCESS);
  normrt_launch_options options{sizeof(options), list, nullptr, 0};
  EXPECT_TRUE(failsWith(launchOn("sums", {x.get(), out.get()}, &options),
                        NORMRT_STATUS_UNSUPPORTED, "expected options.workspace"));
  void *workspace = memory->allocate(4096);
  options = {sizeof(options), list, workspace, 4096};
  ASSERT_EQ(launchOn("sums", {x.get(), out.get()}, &options), NORMRT_STATUS_OK)
      << normrt_last_error_message();
  EXPECT_TRUE(out.untouched()); // It is recorded, not run.
  ASSERT_EQ(zeCommandListClose(list), ZE_RESULT_SUCCESS);
  ze_command_queue_desc_t queueDescription{};
  queueDescription.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
  queueDescription.ordinal = 1;
  ze_command_queue_handle_t queue = nullptr;
  ASSERT_EQ(zeCommandQueueCreate(zeContext, zeDevice, &queueDescription, &queue),
            ZE_RESULT_SUCCESS);
  for (float value : {2.0f, 5.0f}) {
    x.fill(std::vector<float>(18, value));
    ASSERT_EQ(zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr),
              ZE_RESULT_SUCCESS);
    ASSERT_EQ(zeCommandQueueSynchronize(queue, UINT64_MAX), ZE_RESULT_SUCCESS);
    EXPECT_EQ(out.values<float>(), (std::vector<float>{9 * value, 9 * value}));
  }
  zeCommandQueueDestroy(queue);
  zeCommandListDestroy(list);
  memory->free(workspace);
}

TEST_P(LevelZero, ImmediateListsOfTheCaller) {
  Tensor x(*memory, kF32, {9, 2}), out(*memory, kF32, {2});
  x.fill(std::vector<float>(18, 2));
  ze_command_queue_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
  description.ordinal = 1;
  description.mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
  ze_command_list_handle_t list = nullptr;
  ASSERT_EQ(zeCommandListCreateImmediate(zeContext, zeDevice, &description, &list),
            ZE_RESULT_SUCCESS);
  void *workspace = memory->allocate(4096);
  normrt_launch_options options{sizeof(options), list, workspace, 4096};
  ASSERT_EQ(launchOn("sums", {x.get(), out.get()}, &options), NORMRT_STATUS_OK)
      << normrt_last_error_message();
  EXPECT_EQ(out.values<float>(), (std::vector<float>{18, 18}));
  zeCommandListDestroy(list);

  // One that only copies.
  description.ordinal = 0;
  ASSERT_EQ(zeCommandListCreateImmediate(zeContext, zeDevice, &description, &list),
            ZE_RESULT_SUCCESS);
  options.stream = list;
  EXPECT_TRUE(failsWith(launchOn("sums", {x.get(), out.get()}, &options),
                        NORMRT_STATUS_INVALID_ARGUMENT,
                        "zeCommandListAppendLaunchKernel failed with "
                        "ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE (0x78000019)"));
  zeCommandListDestroy(list);
  memory->free(workspace);
}

TEST_P(LevelZero, StreamsAndGraphs) {
  Tensor x(*memory, kF32, {9, 2}), out(*memory, kF32, {2});
  x.fill(std::vector<float>(18, 3));
  void *stream = nullptr;
  ASSERT_EQ(normrt_stream_create(device.get(), &stream), NORMRT_STATUS_OK);
  normrt_launch_options options{sizeof(options), stream, nullptr, 0};
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(launchOn("sums", {x.get(), out.get()}, &options), NORMRT_STATUS_OK)
        << normrt_last_error_message();
  ASSERT_EQ(normrt_stream_synchronize(device.get(), stream), NORMRT_STATUS_OK);
  EXPECT_EQ(out.values<float>(), (std::vector<float>{27, 27}));
  normrt_device_trim(device.get());

  ASSERT_EQ(normrt_graph_begin(device.get(), stream), NORMRT_STATUS_OK);
  EXPECT_TRUE(failsWith(launchOn("sums", {x.get(), out.get()}, &options),
                        NORMRT_STATUS_UNSUPPORTED, "expected options.workspace"));
  void *workspace = memory->allocate(4096);
  normrt_launch_options whole{sizeof(whole), stream, workspace, 4096};
  ASSERT_EQ(launchOn("sums", {x.get(), out.get()}, &whole), NORMRT_STATUS_OK);
  normrt_graph *graph = nullptr;
  ASSERT_EQ(normrt_graph_end(device.get(), stream, &graph), NORMRT_STATUS_OK);
  x.fill(std::vector<float>(18, 4));
  double seconds[4] = {-1, -1, -1, -1};
  ASSERT_EQ(normrt_graph_time(graph, 4, seconds), NORMRT_STATUS_OK)
      << normrt_last_error_message();
  for (double second : seconds) {
    EXPECT_GT(second, 0);
    EXPECT_LT(second, 10);
  }
  EXPECT_EQ(out.values<float>(), (std::vector<float>{36, 36}));
  normrt_graph_release(graph);
  EXPECT_TRUE(failsWith(normrt_graph_end(device.get(), stream, &graph),
                        NORMRT_STATUS_INVALID_ARGUMENT, "captured"));
  ASSERT_EQ(normrt_stream_destroy(device.get(), stream), NORMRT_STATUS_OK);
  EXPECT_TRUE(failsWith(normrt_stream_synchronize(device.get(), stream),
                        NORMRT_STATUS_INVALID_ARGUMENT, "normrt_stream_create"));
  memory->free(workspace);
}

TEST_P(LevelZero, WorkgroupMemoryOfALaunch) {
  loadOwn("sum_shared", 32, 32 * sizeof(double));
  ASSERT_EQ(status, NORMRT_STATUS_OK) << normrt_last_error_message();
  Tensor out(*memory, kF64, {3});
  ASSERT_EQ(launchOn("own", {out.get()}), NORMRT_STATUS_OK)
      << normrt_last_error_message();
  EXPECT_EQ(normrt_device_synchronize(device.get()), NORMRT_STATUS_OK);
  EXPECT_EQ(out.values<double>(), (std::vector<double>{496, 496, 496}));
  // Without the memory there is an argument too few, with too much of it no room.
  loadOwn("sum_shared", 32, 0);
  EXPECT_TRUE(failsWith(status, NORMRT_STATUS_LOAD_FAILED,
                        "expected kernel \"sum_shared\" to have 1 parameters"));
  loadOwn("sum_shared", 32, 1 << 20);
  EXPECT_TRUE(failsWith(status, NORMRT_STATUS_UNSUPPORTED, "bytes of shared memory"));
  loadOwn("sum_shared", 2048, 64);
  EXPECT_TRUE(failsWith(status, NORMRT_STATUS_UNSUPPORTED, "a workgroup of at most"));
}

TEST_P(LevelZero, ModulesThatAreRefused) {
  std::vector<uint8_t> spirv = readBytes(NORMRT_TEST_SPIRV);
  loadOwn("no_such_kernel", 1, 0);
  EXPECT_TRUE(failsWith(status, NORMRT_STATUS_LOAD_FAILED,
                        "to export kernel \"no_such_kernel\""));
  loadOwn("subgroups_of_16", 16, 0,
          std::vector<uint8_t>(spirv.begin(), spirv.end() - 8));
  EXPECT_TRUE(failsWith(status, NORMRT_STATUS_TRUNCATED, "SPIR-V"));
  // Readable, but no valid module: the log of the driver is in the message.
  std::vector<uint8_t> invalid = spirv;
  invalid[12] = 1; // The bound of ids.
  invalid[13] = invalid[14] = invalid[15] = 0;
  loadOwn("subgroups_of_16", 16, 0, invalid);
  EXPECT_TRUE(failsWith(status, NORMRT_STATUS_LOAD_FAILED,
                        "zeModuleCreate failed with "
                        "ZE_RESULT_ERROR_MODULE_BUILD_FAILURE (0x70000004); the "
                        "driver's log: error"));
}

TEST_P(LevelZero, MachineCodeThatIsRefused) {
  // The device is no PVC: machine code for one is not even tried. What stands behind it
  // is.
  schema::PackageT package = ownPackage();
  schema::TargetT &target = *package.targets[0];
  addBlob(target, BlobFormat::native, {1, 2, 3, 4});
  std::swap(target.blobs[0], target.blobs[1]);
  target.blobs[0]->architecture = "pvc";
  target.blobs[0]->alternative = 1;
  loaded = loadPackage(device.get(), package);
  ASSERT_NE(loaded, nullptr);
  Tensor x(*memory, kF32, {9, 2}), out(*memory, kF32, {2});
  x.fill(std::vector<float>(18, 1));
  EXPECT_EQ(launchOn("sums", {x.get(), out.get()}), NORMRT_STATUS_OK);
}

/// While it lives the driver refuses every module.
struct RefusingDriver {
  RefusingDriver() { setenv("NORMC_ZE_TEST_VALIDATOR", "false", 1); }
  ~RefusingDriver() { unsetenv("NORMC_ZE_TEST_VALIDATOR"); }
};

TEST_P(LevelZero, PackagesOfTheSameModuleAtOnce) {
  Tensor x(*memory, kF32, {9, 2}), out(*memory, kF32, {2});
  x.fill(std::vector<float>(18, 1));
  PackagePtr first = std::move(loaded);
  {
    const RefusingDriver driver;
    load(testPackage()); // Not built again.
    const DevicePtr other = openDevice("level_zero:0");
    EXPECT_EQ(loadOn(other.get()), NORMRT_STATUS_LOAD_FAILED);
  }
  first.reset();
  EXPECT_EQ(launchOn("sums", {x.get(), out.get()}), NORMRT_STATUS_OK);
  EXPECT_EQ(normrt_device_synchronize(device.get()), NORMRT_STATUS_OK);
  EXPECT_EQ(out.values<float>(), (std::vector<float>{9, 9}));
}

} // namespace
