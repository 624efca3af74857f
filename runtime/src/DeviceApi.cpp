// The C API: what a device is, its memory, streams and graphs.
#include "runtime/src/Handles.h"

using namespace normrt;

namespace {

/// Runs body(backend) for a device that is not null.
template <class Body> normrt_status onDevice(normrt_device *device, Body body) {
  return boundary([&]() -> Status {
    NORMRT_TRY(checkNotNull(device, "device"));
    return body(*device->backend);
  });
}

/// The two ends of a copy, which may be null for 0 bytes.
Status checkRange(const void *memory, const char *name, size_t bytes) {
  return bytes > 0 ? checkNotNull(memory, name) : Status();
}

} // namespace

normrt_status normrt_device_query(const normrt_device *device,
                                  normrt_device_info *info) noexcept {
  return boundary([&]() -> Status {
    NORMRT_TRY(checkNotNull(device, "device"));
    NORMRT_TRY(checkNotNull(info, "info"));
    if (info->struct_size != sizeof(*info))
      return Status::error(NORMRT_STATUS_INVALID_ARGUMENT,
                           "expected info.struct_size to be ", sizeof(*info),
                           ", but got ", info->struct_size);
    const DeviceFacts &facts = device->facts;
    info->name = facts.name.c_str();
    info->architecture = facts.architecture.c_str();
    info->device = facts.dlDevice;
    info->compute_units = int32_t(device->backend->computeUnits());
    info->subgroup_size = facts.subgroupSize;
    info->max_workgroup_size = facts.maxWorkgroupSize;
    info->clusters = facts.clusters ? 1 : 0;
    info->max_shared_bytes = facts.maxSharedBytes;
    info->l2_bytes = facts.l2Bytes;
    info->memory_bytes = facts.memoryBytes;
    return Status();
  });
}

normrt_status normrt_device_native(const normrt_device *device, void **native_device,
                                   void **native_context) noexcept {
  return boundary([&]() -> Status {
    NORMRT_TRY(checkNotNull(device, "device"));
    NORMRT_TRY(checkNotNull(native_device, "native_device"));
    NORMRT_TRY(checkNotNull(native_context, "native_context"));
    if (device->backend->nativeHandles(*native_device, *native_context))
      return Status();
    return Status::error(NORMRT_STATUS_UNSUPPORTED,
                         "expected a Level Zero device, because the others have no "
                         "context that a caller would ask for");
  });
}

normrt_status normrt_device_synchronize(normrt_device *device) noexcept {
  return onDevice(device, [](Backend &backend) { return backend.synchronize(); });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

normrt_status normrt_memory_allocate(normrt_device *device, size_t bytes,
                                     void **memory) noexcept {
  return onDevice(device, [&](Backend &backend) -> Status {
    NORMRT_TRY(checkNotNull(memory, "memory"));
    void *allocated = nullptr;
    if (bytes > 0)
      NORMRT_TRY(backend.allocate(bytes, allocated));
    *memory = allocated;
    return Status();
  });
}

normrt_status normrt_memory_free(normrt_device *device, void *memory) noexcept {
  return onDevice(device, [&](Backend &backend) {
    return memory ? backend.free(memory) : Status();
  });
}

normrt_status normrt_memory_copy_to_device(normrt_device *device, void *to,
                                           const void *from, size_t bytes) noexcept {
  return onDevice(device, [&](Backend &backend) -> Status {
    NORMRT_TRY(checkRange(to, "to", bytes));
    NORMRT_TRY(checkRange(from, "from", bytes));
    return bytes > 0 ? backend.copyToDevice(to, from, bytes) : Status();
  });
}

normrt_status normrt_memory_copy_from_device(normrt_device *device, void *to,
                                             const void *from, size_t bytes) noexcept {
  return onDevice(device, [&](Backend &backend) -> Status {
    NORMRT_TRY(checkRange(to, "to", bytes));
    NORMRT_TRY(checkRange(from, "from", bytes));
    return bytes > 0 ? backend.copyFromDevice(to, from, bytes) : Status();
  });
}

normrt_status normrt_memory_fill(normrt_device *device, void *memory, uint8_t value,
                                 size_t bytes) noexcept {
  return onDevice(device, [&](Backend &backend) -> Status {
    NORMRT_TRY(checkRange(memory, "memory", bytes));
    return bytes > 0 ? backend.fill(memory, value, bytes) : Status();
  });
}

//===----------------------------------------------------------------------===//
// Streams and graphs
//===----------------------------------------------------------------------===//

normrt_status normrt_stream_create(normrt_device *device, void **stream) noexcept {
  return onDevice(device, [&](Backend &backend) -> Status {
    NORMRT_TRY(checkNotNull(stream, "stream"));
    return backend.createStream(*stream);
  });
}

normrt_status normrt_stream_destroy(normrt_device *device, void *stream) noexcept {
  return onDevice(device, [&](Backend &backend) {
    return stream ? backend.destroyStream(stream) : Status();
  });
}

normrt_status normrt_stream_synchronize(normrt_device *device, void *stream) noexcept {
  return onDevice(device,
                  [&](Backend &backend) { return backend.synchronizeStream(stream); });
}

normrt_status normrt_graph_begin(normrt_device *device, void *stream) noexcept {
  return onDevice(device, [&](Backend &backend) -> Status {
    NORMRT_TRY(checkNotNull(stream, "stream"));
    return backend.beginGraph(stream);
  });
}

normrt_status normrt_graph_end(normrt_device *device, void *stream,
                               normrt_graph **graph) noexcept {
  return onDevice(device, [&](Backend &backend) -> Status {
    NORMRT_TRY(checkNotNull(stream, "stream"));
    NORMRT_TRY(checkNotNull(graph, "graph"));
    auto captured = std::make_unique<normrt_graph>();
    NORMRT_TRY(backend.endGraph(stream, captured->graph));
    normrt_device_retain(device);
    captured->device = device;
    *graph = captured.release();
    return Status();
  });
}

normrt_status normrt_graph_time(normrt_graph *graph, int32_t repeats,
                                double *seconds) noexcept {
  return boundary([&]() -> Status {
    NORMRT_TRY(checkNotNull(graph, "graph"));
    NORMRT_TRY(checkNotNull(seconds, "seconds"));
    constexpr int32_t kMaxRepeats = 1000000;
    if (repeats < 1 || repeats > kMaxRepeats)
      return Status::error(NORMRT_STATUS_INVALID_ARGUMENT,
                           "expected repeats from 1 to ", kMaxRepeats, ", but got ",
                           repeats);
    return graph->graph->time(repeats, seconds);
  });
}

void normrt_graph_release(normrt_graph *graph) noexcept {
  if (!graph)
    return;
  normrt_device *device = graph->device;
  delete graph;
  normrt_device_release(device);
}
