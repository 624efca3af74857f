// What a tool can ask of a package and its entries.
#include "TestDevice.h"

using namespace normrt::test;

namespace {

class Introspection : public ::testing::Test {
protected:
  void SetUp() override {
    auto contents = testPackage();
    auto cuda = std::make_unique<normrt::schema::TargetT>();
    cuda->name = "cuda:sm_90";
    cuda->backend = normrt::schema::Backend::cuda;
    contents.targets.insert(contents.targets.begin(), std::move(cuda));
    package = loadPackage(device.get(), contents);
    ASSERT_NE(package, nullptr);
    ASSERT_EQ(normrt_package_find_entry(package.get(), "sums", &sums),
              NORMRT_STATUS_OK);
  }

  DevicePtr device = openDevice("host:1");
  PackagePtr package;
  normrt_entry *sums = nullptr;
};

TEST_F(Introspection, Entries) {
  ASSERT_EQ(normrt_package_entry_count(package.get()), 2);
  normrt_entry *entry = nullptr;
  ASSERT_EQ(normrt_package_entry(package.get(), 0, &entry), NORMRT_STATUS_OK);
  EXPECT_STREQ(normrt_entry_name(entry), "scale");
  EXPECT_TRUE(failsWith(normrt_package_entry(package.get(), 2, &entry),
                        NORMRT_STATUS_INVALID_ARGUMENT, "below 2, but got 2"));
  EXPECT_TRUE(failsWith(normrt_package_entry(package.get(), -1, &entry),
                        NORMRT_STATUS_INVALID_ARGUMENT, "but got -1"));
  EXPECT_TRUE(failsWith(normrt_package_find_entry(package.get(), "norm", &entry),
                        NORMRT_STATUS_NOT_FOUND,
                        "expected one of the entries \"scale\", \"sums\", but got "
                        "\"norm\""));
  EXPECT_STREQ(normrt_entry_name(entry), "scale") << "unchanged";
}

TEST_F(Introspection, Params) {
  ASSERT_EQ(normrt_entry_param_count(sums), 2);
  normrt_param_info info{};
  info.struct_size = sizeof(info);
  ASSERT_EQ(normrt_entry_param(sums, 1, &info), NORMRT_STATUS_OK);
  EXPECT_STREQ(info.name, "out");
  EXPECT_EQ(info.direction, NORMRT_DIRECTION_OUT);
  EXPECT_EQ(info.type.code, kDLFloat);
  EXPECT_EQ(info.type.bits, 32);
  EXPECT_EQ(info.rank, 1);
  EXPECT_EQ(info.contiguous_dims, 1);
  EXPECT_EQ(info.shape[0], -1);
  EXPECT_STREQ(info.shape_text[0], "x.shape[1]");
  info.struct_size = 1;
  EXPECT_TRUE(failsWith(normrt_entry_param(sums, 1, &info),
                        NORMRT_STATUS_INVALID_ARGUMENT, "info.struct_size"));
}

TEST_F(Introspection, VariantsAndLaunches) {
  ASSERT_EQ(normrt_entry_variant_count(sums), 1);
  normrt_variant_info variant{};
  variant.struct_size = sizeof(variant);
  ASSERT_EQ(normrt_entry_variant(sums, 0, &variant), NORMRT_STATUS_OK);
  EXPECT_EQ(variant.launch_count, 2);
  EXPECT_EQ(variant.workspace_count, 1);
  EXPECT_STREQ(variant.guards, "");
  normrt_launch_info launch{};
  launch.struct_size = sizeof(launch);
  ASSERT_EQ(normrt_entry_variant_launch(sums, 0, 0, &launch), NORMRT_STATUS_OK);
  EXPECT_STREQ(launch.kernel, "sum_partials");
  EXPECT_STREQ(launch.grid, "ceildiv(x.shape[0], 8)");
  EXPECT_EQ(launch.arg_count, 6);
  EXPECT_TRUE(failsWith(normrt_entry_variant_launch(sums, 0, 2, &launch),
                        NORMRT_STATUS_INVALID_ARGUMENT, "a launch index below 2"));
}

TEST_F(Introspection, TargetsKernelsAndBlobs) {
  ASSERT_EQ(normrt_package_target_count(package.get()), 2);
  normrt_target_info target{};
  target.struct_size = sizeof(target);
  ASSERT_EQ(normrt_package_target(package.get(), 0, &target), NORMRT_STATUS_OK);
  EXPECT_STREQ(target.backend, "cuda");
  EXPECT_STREQ(target.architecture, "");
  EXPECT_EQ(target.selected, 0);
  ASSERT_EQ(normrt_package_target(package.get(), 1, &target), NORMRT_STATUS_OK);
  EXPECT_STREQ(target.name, "host");
  EXPECT_EQ(target.selected, 1);
  EXPECT_EQ(target.kernel_count, int(testKernelNames().size()));
  normrt_kernel_info kernel{};
  kernel.struct_size = sizeof(kernel);
  ASSERT_EQ(normrt_package_kernel(package.get(), 1, SumFinalize, &kernel),
            NORMRT_STATUS_OK);
  EXPECT_STREQ(kernel.name, "sum_finalize");
  EXPECT_EQ(kernel.blob, 0);
  normrt_blob_info blob{};
  blob.struct_size = sizeof(blob);
  ASSERT_EQ(normrt_package_blob(package.get(), 1, 0, &blob), NORMRT_STATUS_OK);
  EXPECT_STREQ(blob.format, "elf_shared_object");
  ASSERT_EQ(blob.bytes, testKernels().size());
  EXPECT_EQ(std::memcmp(blob.data, testKernels().data(), blob.bytes), 0);
  EXPECT_NE(blob.checksum, 0u);
  EXPECT_TRUE(failsWith(normrt_package_blob(package.get(), 0, 0, &blob),
                        NORMRT_STATUS_INVALID_ARGUMENT, "a blob index below 0"));
  EXPECT_TRUE(failsWith(normrt_package_kernel(package.get(), 2, 0, &kernel),
                        NORMRT_STATUS_INVALID_ARGUMENT, "a target index below 2"));
}

TEST_F(Introspection, ProducerAndSource) {
  EXPECT_STREQ(normrt_package_producer(package.get()), "runtime tests");
  const void *data = nullptr;
  size_t bytes = 0;
  ASSERT_EQ(normrt_package_source(package.get(), &data, &bytes), NORMRT_STATUS_OK);
  ASSERT_EQ(bytes, 4u);
  EXPECT_EQ(std::memcmp(data, "ML\xefR", 4), 0);
  auto without = testPackage();
  without.source.clear();
  const PackagePtr other = loadPackage(device.get(), without);
  ASSERT_EQ(normrt_package_source(other.get(), &data, &bytes), NORMRT_STATUS_OK);
  EXPECT_EQ(data, nullptr);
  EXPECT_EQ(bytes, 0u);
}

TEST_F(Introspection, InferShape) {
  int64_t shape[2] = {30, 7};
  DLTensor x{nullptr, {kDLCPU, 0}, 2, kF32, shape, nullptr, 0};
  const DLTensor *tensors[] = {&x, nullptr};
  int64_t result = 0;
  ASSERT_EQ(normrt_entry_infer_shape(sums, tensors, 2, 1, &result), NORMRT_STATUS_OK);
  EXPECT_EQ(result, 7);
  const DLTensor *none[] = {nullptr, nullptr};
  EXPECT_TRUE(failsWith(normrt_entry_infer_shape(sums, none, 2, 1, &result),
                        NORMRT_STATUS_INVALID_ARGUMENT,
                        "parameter \"out\": expected tensors that determine dimension "
                        "0, which is x.shape[1]"));
  // A symbol that the first parameter binds may come from a later one.
  normrt_entry *scale = nullptr;
  ASSERT_EQ(normrt_package_find_entry(package.get(), "scale", &scale),
            NORMRT_STATUS_OK);
  const DLTensor *onlyY[] = {nullptr, &x};
  int64_t both[2] = {0, 0};
  ASSERT_EQ(normrt_entry_infer_shape(scale, onlyY, 2, 0, both), NORMRT_STATUS_OK);
  EXPECT_EQ(both[0], 30);
  EXPECT_EQ(both[1], 7);
  EXPECT_TRUE(failsWith(normrt_entry_infer_shape(scale, onlyY, 2, 5, both),
                        NORMRT_STATUS_INVALID_ARGUMENT, "a parameter below 2"));
}

TEST(IntrospectionOfNull, AnswersNothing) {
  EXPECT_EQ(normrt_package_entry_count(nullptr), 0);
  EXPECT_EQ(normrt_package_target_count(nullptr), 0);
  EXPECT_STREQ(normrt_package_producer(nullptr), "");
  EXPECT_STREQ(normrt_entry_name(nullptr), "");
  EXPECT_EQ(normrt_entry_param_count(nullptr), 0);
  EXPECT_EQ(normrt_entry_variant_count(nullptr), 0);
  normrt_param_info info{};
  EXPECT_EQ(normrt_entry_param(nullptr, 0, &info), NORMRT_STATUS_INVALID_ARGUMENT);
}

} // namespace
