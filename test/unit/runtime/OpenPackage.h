// A device with a package on it, and calls of its entries: what fixtures build on.
#ifndef NORMRT_TEST_OPENPACKAGE_H
#define NORMRT_TEST_OPENPACKAGE_H

#include "TestDevice.h"

namespace normrt::test {

class OpenPackage {
protected:
  /// Loads the package in place of the one before, none where that fails.
  normrt_status tryLoad(const schema::PackageT &package) {
    const auto bytes = file(package);
    normrt_package *result = nullptr;
    const normrt_status status =
        normrt_package_load_memory(device.get(), bytes.data(), bytes.size(), &result);
    loaded.reset(result);
    return status;
  }
  normrt_status tryLoad(std::unique_ptr<schema::TargetT> target) {
    schema::PackageT package;
    package.targets.push_back(std::move(target));
    return tryLoad(package);
  }
  /// The test package's entries on another target's kernels.
  void loadTestPackage(std::unique_ptr<schema::TargetT> target) {
    target->entries = std::move(testPackage().targets[0]->entries);
    ASSERT_EQ(tryLoad(std::move(target)), NORMRT_STATUS_OK)
        << normrt_last_error_message();
  }
  /// One entry on a target's kernels.
  normrt_status tryLoadEntry(std::unique_ptr<schema::TargetT> target,
                             std::unique_ptr<schema::EntryT> entry) {
    target->entries.push_back(std::move(entry));
    return tryLoad(std::move(target));
  }

  normrt_entry *find(const char *name) {
    normrt_entry *entry = nullptr;
    EXPECT_EQ(normrt_package_find_entry(loaded.get(), name, &entry), NORMRT_STATUS_OK)
        << normrt_last_error_message();
    return entry;
  }
  normrt_status launchOn(const char *name, std::vector<DLTensor *> tensors,
                         const normrt_launch_options *options = nullptr) {
    return normrt_entry_launch(find(name), tensors.data(), int(tensors.size()),
                               options);
  }
  static normrt_launch_options optionsOf(void *stream, void *workspace = nullptr,
                                         size_t bytes = 0) {
    return {sizeof(normrt_launch_options), stream, workspace, bytes};
  }
  static normrt_launch_options withWorkspace(void *workspace, size_t bytes) {
    return optionsOf(nullptr, workspace, bytes);
  }

  DevicePtr device;
  PackagePtr loaded;
};

} // namespace normrt::test

#endif // NORMRT_TEST_OPENPACKAGE_H
