// Loading: the header, the choice of a target, files, the system's loader.
#include "TestDevice.h"

#include "runtime/src/PackageHeader.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

using namespace normrt::test;

namespace {

class Package : public ::testing::Test {
protected:
  normrt_status load(const std::vector<uint8_t> &bytes) {
    normrt_package *package = nullptr;
    const normrt_status status =
        normrt_package_load_memory(device.get(), bytes.data(), bytes.size(), &package);
    EXPECT_EQ(package != nullptr, status == NORMRT_STATUS_OK);
    normrt_package_release(package);
    return status;
  }
  normrt_status load(const normrt::schema::PackageT &package) {
    return load(file(package));
  }
  /// The header's checksum made right again after a change.
  static void sign(std::vector<uint8_t> &bytes) {
    const uint64_t sum = normrt::checksum(bytes.data(), 56);
    std::memcpy(&bytes[56], &sum, 8);
  }

  DevicePtr device = openDevice("host:1");
};

TEST_F(Package, IsLoadedFromAnyAlignment) {
  const auto bytes = file(testPackage());
  for (size_t offset = 0; offset < 8; ++offset) {
    std::vector<uint8_t> shifted(offset, 0);
    shifted.insert(shifted.end(), bytes.begin(), bytes.end());
    normrt_package *package = nullptr;
    ASSERT_EQ(normrt_package_load_memory(device.get(), shifted.data() + offset,
                                         bytes.size(), &package),
              NORMRT_STATUS_OK)
        << normrt_last_error_message();
    normrt_package_release(package);
  }
}

TEST_F(Package, NullArguments) {
  const auto bytes = file(testPackage());
  normrt_package *package = nullptr;
  EXPECT_TRUE(failsWith(
      normrt_package_load_memory(nullptr, bytes.data(), bytes.size(), &package),
      NORMRT_STATUS_INVALID_ARGUMENT, "expected device"));
  EXPECT_TRUE(failsWith(normrt_package_load_memory(device.get(), nullptr, 9, &package),
                        NORMRT_STATUS_INVALID_ARGUMENT, "expected data"));
  EXPECT_TRUE(failsWith(
      normrt_package_load_memory(device.get(), bytes.data(), bytes.size(), nullptr),
      NORMRT_STATUS_INVALID_ARGUMENT, "expected package"));
}

TEST_F(Package, OtherBytesAreNoPackage) {
  const std::string text =
      "module { func.func @f() { return } } // more than a header's";
  EXPECT_TRUE(failsWith(load(std::vector<uint8_t>(text.begin(), text.end())),
                        NORMRT_STATUS_CORRUPTED, "does not begin with"));
}

TEST_F(Package, Truncated) {
  const auto bytes = file(testPackage());
  for (size_t size : {size_t(0), size_t(5), size_t(63), size_t(64), bytes.size() - 1})
    EXPECT_TRUE(failsWith(load({bytes.begin(), bytes.begin() + int64_t(size)}),
                          NORMRT_STATUS_TRUNCATED, "expected"))
        << size;
}

TEST_F(Package, LongerThanItSays) {
  auto bytes = file(testPackage());
  bytes.push_back(0);
  EXPECT_TRUE(failsWith(load(bytes), NORMRT_STATUS_CORRUPTED, "but 1 more follow"));
}

TEST_F(Package, OfAnotherVersion) {
  auto bytes = file(testPackage());
  bytes[8] = 2;
  sign(bytes);
  EXPECT_TRUE(failsWith(load(bytes), NORMRT_STATUS_VERSION_MISMATCH,
                        "expected package format version 1, because this runtime reads "
                        "no other, but got 2"));
}

TEST_F(Package, HeaderFieldsBehindAGoodChecksum) {
  const auto good = file(testPackage());
  auto bytes = good;
  bytes[12] = 65;
  sign(bytes);
  EXPECT_TRUE(failsWith(load(bytes), NORMRT_STATUS_CORRUPTED, "header of 64 bytes"));
  bytes = good;
  bytes[40] = 1;
  sign(bytes);
  EXPECT_TRUE(failsWith(load(bytes), NORMRT_STATUS_CORRUPTED, "header byte 40"));
  bytes = good;
  bytes[23] = 0xff;
  sign(bytes);
  EXPECT_TRUE(failsWith(load(bytes), NORMRT_STATUS_CORRUPTED, "expected a payload"));
}

TEST_F(Package, DamagedHeaderAndPayload) {
  auto bytes = file(testPackage());
  bytes[17] ^= 1;
  EXPECT_TRUE(failsWith(load(bytes), NORMRT_STATUS_CORRUPTED, "header's checksum"));
  bytes = file(testPackage());
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_TRUE(failsWith(load(bytes), NORMRT_STATUS_CORRUPTED, "payload's checksum"));
}

TEST_F(Package, PayloadThatIsNoFlatBuffer) {
  const std::vector<uint8_t> zeros(100, 0);
  EXPECT_TRUE(failsWith(load(normrt::wrapPackage(zeros.data(), zeros.size())),
                        NORMRT_STATUS_CORRUPTED, "FlatBuffer"));
}

TEST_F(Package, ForAnotherArchitecture) {
  auto package = testPackage();
  package.targets[0]->architecture = "riscv64";
  package.targets[0]->features = "rva23";
  EXPECT_TRUE(failsWith(load(package), NORMRT_STATUS_ARCHITECTURE_MISMATCH,
                        "but the package has \"host\" for riscv64 with rva23"));
  EXPECT_TRUE(failsWith(load(package), NORMRT_STATUS_ARCHITECTURE_MISMATCH,
                        normrt_device_description(device.get())));
}

#if defined(__x86_64__)
TEST_F(Package, ForALevelThatThisProcessorLacks) {
  auto package = testPackage();
  package.targets[0]->features = "x86-64-v9";
  EXPECT_TRUE(
      failsWith(load(package), NORMRT_STATUS_ARCHITECTURE_MISMATCH, "with x86-64-v9"));
}

TEST_F(Package, TheBestLevelIsTaken) {
  // Levels in any order, each with an entry that names it.
  const char *levels[] = {"x86-64-v2", "x86-64-v4", "",
                          "x86-64-v9", "x86-64",    "x86-64-v3"};
  normrt::schema::PackageT package;
  for (const char *level : levels) {
    auto target = hostTarget(testKernels(), {});
    target->features = level;
    target->entries.push_back(entry(std::string("level ") + level, 0));
    target->entries[0]->params.push_back(
        output("y", normrt::schema::ElementType::f32, {1}, 1));
    package.targets.push_back(std::move(target));
  }
  std::string expected = "level x86-64-v";
  expected += __builtin_cpu_supports("x86-64-v4")   ? "4"
              : __builtin_cpu_supports("x86-64-v3") ? "3"
                                                    : "2";
  const PackagePtr loaded = loadPackage(device.get(), package);
  normrt_entry *first = nullptr;
  ASSERT_EQ(normrt_package_entry(loaded.get(), 0, &first), NORMRT_STATUS_OK);
  EXPECT_EQ(normrt_entry_name(first), expected);
}
#endif

TEST_F(Package, KernelsThatTheLoaderRefuses) {
  auto package = testPackage();
  package.targets[0]->kernels[2]->name = "no_such_kernel";
  EXPECT_TRUE(failsWith(load(package), NORMRT_STATUS_LOAD_FAILED,
                        "expected blob 0 to export kernel \"no_such_kernel\""));
  package = testPackage();
  auto &blob = *package.targets[0]->blobs[0];
  blob.data = {'n', 'o', ' ', 'E', 'L', 'F'};
  blob.checksum = normrt::checksum(blob.data.data(), blob.data.size());
  EXPECT_TRUE(failsWith(load(package), NORMRT_STATUS_LOAD_FAILED,
                        "blob 0: the system's loader refused the kernels"));
}

TEST_F(Package, EachRunsItsOwnKernels) {
  // The same kernel name in two shared objects, loaded at the same time.
  auto recording = [](const std::vector<uint8_t> &blob) {
    normrt::schema::PackageT package;
    package.targets.push_back(hostTarget(blob, {"record_args"}));
    auto record = entry("record", 0);
    record->params.push_back(output("out", normrt::schema::ElementType::f64, {1}, 1));
    lastVariant(*record).launches.push_back(
        launch(0, 1, {argParam(0), argExpr(1), argExpr(5)}));
    package.targets[0]->entries.push_back(std::move(record));
    return package;
  };
  std::vector<PackagePtr> packages;
  for (int i = 0; i < 6; ++i)
    packages.push_back(
        loadPackage(device.get(), recording(i % 2 ? otherKernels() : testKernels())));
  HostTestDevice memory("host:1");
  for (int i = 0; i < 6; ++i) {
    normrt_entry *record = nullptr;
    ASSERT_EQ(normrt_package_find_entry(packages[size_t(i)].get(), "record", &record),
              NORMRT_STATUS_OK);
    Tensor out(memory, kF64, {1});
    const DLTensor *tensors[] = {out.get()};
    ASSERT_EQ(normrt_entry_launch(record, tensors, 1, nullptr), NORMRT_STATUS_OK);
    EXPECT_EQ(out.values<double>()[0], i % 2 ? -5 : 5);
  }
}

class PackageOnDisk : public Package {
protected:
  void SetUp() override {
    path = std::filesystem::temp_directory_path() /
           ("normrt-test-" + std::to_string(getpid()) + ".nrmk");
  }
  void TearDown() override { std::filesystem::remove(path); }
  normrt_status loadFile(const std::string &name) {
    normrt_package *package = nullptr;
    const normrt_status status =
        normrt_package_load_file(device.get(), name.c_str(), &package);
    EXPECT_EQ(package != nullptr, status == NORMRT_STATUS_OK);
    normrt_package_release(package);
    return status;
  }
  void write(const std::vector<uint8_t> &bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()), int64_t(bytes.size()));
  }
  std::filesystem::path path;
};

TEST_F(PackageOnDisk, IsLoaded) {
  write(file(testPackage()));
  EXPECT_EQ(loadFile(path), NORMRT_STATUS_OK) << normrt_last_error_message();
}

TEST_F(PackageOnDisk, FailuresNameTheFile) {
  EXPECT_TRUE(failsWith(loadFile(path), NORMRT_STATUS_NOT_FOUND, path));
  EXPECT_TRUE(failsWith(loadFile("/"), NORMRT_STATUS_IO_ERROR, "regular file"));
  EXPECT_TRUE(failsWith(loadFile("/dev/zero"), NORMRT_STATUS_IO_ERROR, "regular file"));
  auto bytes = file(testPackage());
  bytes.pop_back();
  write(bytes);
  EXPECT_TRUE(failsWith(loadFile(path), NORMRT_STATUS_TRUNCATED, path));
  write({});
  EXPECT_TRUE(failsWith(loadFile(path), NORMRT_STATUS_TRUNCATED, path));
}

} // namespace
