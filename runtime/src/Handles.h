// The objects behind the handles of the C API, and the boundary that every call
// crosses.
#ifndef NORMRT_HANDLES_H
#define NORMRT_HANDLES_H

#include "runtime/src/Launch.h"
#include "runtime/src/PackageReader.h"

#include <atomic>
#include <deque>
#include <memory>
#include <new>
#include <string>
#include <vector>

struct normrt_device {
  std::atomic<int64_t> references{1};
  std::unique_ptr<normrt::Backend> backend;
  /// Asked once, so that their texts live as long as the device.
  normrt::DeviceFacts facts;
};

struct normrt_graph {
  normrt_device *device = nullptr;
  std::unique_ptr<normrt::Graph> graph;
};

/// An entry and the texts that introspection hands out.
struct normrt_entry {
  struct ParamTexts {
    std::vector<int64_t> shape;
    std::vector<std::string> dims;
    std::vector<const char *> dimPointers;
  };
  struct VariantTexts {
    std::string guards;
    std::vector<std::string> grids;
  };

  normrt_package *package = nullptr;
  normrt::EntryPlan plan;
  std::vector<ParamTexts> params;
  std::vector<VariantTexts> variants;

  normrt::LoadedEntry loaded() const;
};

struct normrt_package {
  std::atomic<int64_t> references{1};
  normrt_device *device = nullptr;
  normrt::PackageFile file;
  int selected = 0;
  std::unique_ptr<normrt::Module> module;
  // Entries are handed out by address.
  std::deque<normrt_entry> entries;

  ~normrt_package();
};

namespace normrt {

/// Remembers a failure for normrt_last_error_message.
normrt_status report(const Status &status) noexcept;
/// The same for failures in which no message can be built.
normrt_status reportLiteral(normrt_status code, const char *message) noexcept;

/// Runs the body of a C function that returns a status: no exception leaves it.
template <class Body> normrt_status boundary(Body body) noexcept {
  try {
    const Status status = body();
    return status.failed() ? report(status) : NORMRT_STATUS_OK;
  } catch (const std::bad_alloc &) {
    return reportLiteral(NORMRT_STATUS_OUT_OF_MEMORY, "there is no memory left");
  } catch (...) {
    return reportLiteral(NORMRT_STATUS_INTERNAL, "an exception that is not expected");
  }
}

/// An argument that must not be null.
Status checkNotNull(const void *pointer, const char *name);

/// Fills in the texts of an entry.
void describeEntry(normrt_entry &entry);

} // namespace normrt

#endif // NORMRT_HANDLES_H
