//===- Large.cpp - Tensors past 2^31 elements -------------------------------===//
#include "Large.h"

#include "Expected.h"

#include "normc/Testing/Mirror.h"

#include <algorithm>
#include <cstring>

namespace normc::device {

using numerics::Array;
using numerics::Extent;
using numerics::Operand;
using test::DeviceMemory;
using test::statusText;

namespace {

/// A parameter of which some rows are known here, and all are on the device.
struct Param {
  explicit Param(normrt_device *device) : memory(device) {}

  Operand operand;
  DeviceMemory memory;
  /// Of the rows here, and of all.
  size_t periodBytes = 0, bytes = 0;
  Sizes shape;
  DLTensor tensor = {};
};

class Large {
public:
  Large(normrt_device *device, void *stream, normrt_entry *entry, const Spec &spec,
        const Launch &launch, const numerics::Run &run)
      : device(device), stream(stream), entry(entry), spec(spec), launch(launch),
        run(run), copies(launch.rowsInAll / launch.outer.front()) {}

  std::string test() {
    std::string error = prepare();
    if (error.empty())
      error = launchOnce();
    numerics::Arrays outputs;
    for (const auto &param : params)
      if (error.empty() && param->operand.isOutput)
        error = fetch(*param, outputs[param->operand.name]);
    return error.empty() ? compareWithReference(spec, run, launch, outputs, copies)
                         : error;
  }

private:
  /// Bytes that are copied at once: about 32 MiB of whole periods.
  static size_t chunkOf(const Param &param) {
    return std::max<size_t>((size_t{32} << 20) / param.periodBytes, 1) *
           param.periodBytes;
  }

  std::string prepare() {
    normrt_device_info info = {};
    info.struct_size = sizeof(info);
    if (std::string error = statusText(normrt_device_query(device, &info));
        !error.empty())
      return error;
    for (const Operand &operand : operandsOf(spec)) {
      auto param = std::make_unique<Param>(device);
      param->operand = operand;
      const bool repeated =
          operand.extent == Extent::Tile || operand.extent == Extent::Rows;
      param->shape = shapeOf(spec, operand.extent, launch.outer, launch.inner);
      param->periodBytes = reference::byteSize(operand.type);
      for (int64_t size : param->shape)
        param->periodBytes *= static_cast<size_t>(size);
      param->bytes = param->periodBytes;
      if (repeated) {
        param->shape.front() = launch.rowsInAll;
        param->bytes *= static_cast<size_t>(copies);
      }
      if (std::string error = param->memory.allocate(param->bytes); !error.empty())
        return operand.name + ": " + error;
      if (std::string error = fill(*param); !error.empty())
        return operand.name + ": " + error;
      DLTensor &tensor = param->tensor;
      tensor.data = param->memory.get();
      tensor.device = info.device;
      tensor.ndim = static_cast<int32_t>(param->shape.size());
      tensor.shape = param->shape.data();
      tensor.dtype = {uint8_t(operand.type == Type::BF16 ? kDLBfloat : kDLFloat),
                      uint8_t(8 * reference::byteSize(operand.type)), 1};
      tensors.push_back(&tensor);
      params.push_back(std::move(param));
    }
    return "";
  }

  std::string fill(const Param &param) {
    if (param.operand.isOutput)
      return statusText(
          normrt_memory_fill(device, param.memory.get(), 0xff, param.bytes));
    const Array &array = run.inputs.at(param.operand.name);
    std::vector<std::byte> chunk(std::min(chunkOf(param), param.bytes));
    for (size_t at = 0; at < chunk.size(); at += param.periodBytes)
      std::memcpy(chunk.data() + at, array.bytes.data(), param.periodBytes);
    for (size_t at = 0; at < param.bytes; at += chunk.size())
      if (std::string error = statusText(normrt_memory_copy_to_device(
              device, param.memory.get() + at, chunk.data(),
              std::min(chunk.size(), param.bytes - at)));
          !error.empty())
        return error;
    return "";
  }

  std::string launchOnce() {
    size_t bytes = 0;
    const auto count = static_cast<int32_t>(tensors.size());
    std::string error =
        statusText(normrt_entry_workspace_size(entry, tensors.data(), count, &bytes));
    DeviceMemory workspace(device);
    if (error.empty())
      error = workspace.allocate(bytes + 256);
    normrt_launch_options options = {};
    options.struct_size = sizeof(options);
    options.stream = stream;
    options.workspace = workspace.get();
    options.workspace_bytes = bytes;
    if (error.empty())
      error = statusText(normrt_entry_launch(entry, tensors.data(), count, &options));
    if (error.empty())
      error = statusText(normrt_device_synchronize(device));
    return error;
  }

  /// The first rows, after all others were seen to repeat them.
  std::string fetch(const Param &param, Array &array) {
    std::vector<std::byte> chunk(std::min(chunkOf(param), param.bytes));
    Sizes shape = shapeOf(spec, param.operand.extent, launch.outer, launch.inner);
    array = reference::makeArray(param.operand.type, shape);
    for (size_t at = 0; at < param.bytes; at += chunk.size()) {
      const size_t size = std::min(chunk.size(), param.bytes - at);
      if (std::string error = statusText(normrt_memory_copy_from_device(
              device, chunk.data(), param.memory.get() + at, size));
          !error.empty())
        return error;
      if (at == 0)
        std::copy_n(chunk.begin(), param.periodBytes, array.bytes.begin());
      for (size_t i = 0; i < size; i += param.periodBytes)
        if (std::memcmp(chunk.data() + i, array.bytes.data(), param.periodBytes) != 0)
          return param.operand.name + " does not repeat at byte " +
                 std::to_string(at + i);
    }
    return "";
  }

  normrt_device *device;
  void *stream;
  normrt_entry *entry;
  const Spec &spec;
  const Launch &launch;
  const numerics::Run &run;
  int64_t copies;
  std::vector<std::unique_ptr<Param>> params;
  std::vector<const DLTensor *> tensors;
};

} // namespace

std::string runLarge(normrt_device *device, void *stream, normrt_entry *entry,
                     const Spec &spec, const Launch &launch, const numerics::Run &run) {
  return Large(device, stream, entry, spec, launch, run).test();
}

} // namespace normc::device
