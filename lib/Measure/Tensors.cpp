//===- Tensors.cpp - Tensors of an entry, to launch and time it -------------===//
#include "normc/Measure/Tensors.h"

#include "normc/Reference/Types.h"
#include "normc/Testing/Mirror.h"

#include <algorithm>

namespace normc::measure {

using reference::Type;
using test::DeviceMemory;
using test::statusText;

static std::optional<Type> typeOf(DLDataType type) {
  if (type.lanes == 1 && type.code == kDLBfloat && type.bits == 16)
    return Type::BF16;
  if (type.lanes != 1 || type.code != kDLFloat)
    return std::nullopt;
  switch (type.bits) {
  case 16:
    return Type::F16;
  case 32:
    return Type::F32;
  case 64:
    return Type::F64;
  default:
    return std::nullopt;
  }
}

/// Elements of random numbers between -1.5 and 1.5, made once for each type. Zeros or
/// equal numbers would be faster than what is seen in use.
static const std::vector<std::byte> &noiseOf(Type type) {
  constexpr size_t kElements = size_t{1} << 21;
  static std::vector<std::byte> all[4];
  std::vector<std::byte> &noise = all[static_cast<size_t>(type)];
  if (!noise.empty())
    return noise;
  std::vector<double> values(kElements);
  uint32_t state = 1;
  for (double &value : values) {
    state = state * 1664525U + 1013904223U;
    value = (static_cast<double>(state >> 8) / 16777216.0 - 0.5) * 3;
  }
  noise.resize(kElements * reference::byteSize(type));
  reference::encodeAll(type, values, noise.data());
  return noise;
}

std::unique_ptr<Tensors> Tensors::make(normrt_device *device, normrt_entry *entry,
                                       int64_t rows, std::string &error) {
  std::optional<normrt_device_info> info = query(device, error);
  if (!info)
    return nullptr;
  std::unique_ptr<Tensors> tensors(new Tensors(device));
  for (int32_t i = 0, e = normrt_entry_param_count(entry); i < e; ++i) {
    normrt_param_info param = {};
    param.struct_size = sizeof(param);
    error = statusText(normrt_entry_param(entry, i, &param));
    if (error.empty())
      error = tensors->add(param, info->device, rows);
    if (!error.empty())
      return nullptr;
  }
  return tensors;
}

Tensors::~Tensors() {
  for (const auto &tensor : tensors)
    (void)normrt_memory_free(device, tensor->data);
}

std::string Tensors::add(const normrt_param_info &param, DLDevice where, int64_t rows) {
  std::optional<Type> type = typeOf(param.type);
  if (!type)
    return std::string("expected \"") + param.name +
           "\" to be of f16, bf16, f32 or f64, because those can be made";
  auto shape = std::make_unique<int64_t[]>(static_cast<size_t>(param.rank));
  size_t bytes = reference::byteSize(*type);
  for (int32_t d = 0; d < param.rank; ++d) {
    if (param.shape[d] < 0 && (d != 0 || rows < 0))
      return std::string("expected the shape of \"") + param.name +
             "\" to be static but for its first dimension, which is that of rows; "
             "dimension " +
             std::to_string(d) + " is not";
    shape[static_cast<size_t>(d)] = param.shape[d] < 0 ? rows : param.shape[d];
    bytes *= static_cast<size_t>(shape[static_cast<size_t>(d)]);
  }
  auto tensor = std::make_unique<DLTensor>();
  *tensor = {nullptr, where, param.rank, param.type, shape.get(), nullptr, 0};
  std::string error = statusText(normrt_memory_allocate(device, bytes, &tensor->data));
  const std::vector<std::byte> &noise = noiseOf(*type);
  for (size_t at = 0; at < bytes && error.empty(); at += noise.size())
    error = statusText(normrt_memory_copy_to_device(
        device, static_cast<std::byte *>(tensor->data) + at, noise.data(),
        std::min(noise.size(), bytes - at)));
  total += bytes;
  all.push_back(tensor.get());
  tensors.push_back(std::move(tensor));
  shapes.push_back(std::move(shape));
  return error;
}

std::unique_ptr<TensorSets> TensorSets::make(normrt_device *device, normrt_entry *entry,
                                             int64_t rows, std::string &error) {
  auto result = std::make_unique<TensorSets>();
  std::optional<normrt_device_info> info = query(device, error);
  if (!info)
    return nullptr;
  result->device = device;
  result->info = *info;
  for (size_t count = 1; result->sets.size() < count;) {
    auto set = Tensors::make(device, entry, rows, error);
    if (!set)
      return nullptr;
    count = setsOf(set->bytes(), *info);
    result->sets.push_back(std::move(set));
  }
  return result;
}

std::optional<Times> TensorSets::time(normrt_entry *entry, const Effort &effort,
                                      std::string &error) {
  std::vector<std::unique_ptr<DeviceMemory>> workspaces;
  size_t bytes = 0;
  for (const auto &set : sets) {
    const auto &all = set->pointers();
    error = statusText(normrt_entry_workspace_size(
        entry, all.data(), static_cast<int32_t>(all.size()), &bytes));
    auto memory = std::make_unique<DeviceMemory>(device);
    if (error.empty())
      // An empty workspace is one too: the runtime brings none of its own.
      error = memory->allocate(std::max<size_t>(bytes, NORMRT_WORKSPACE_ALIGNMENT));
    if (!error.empty())
      return std::nullopt;
    workspaces.push_back(std::move(memory));
  }
  Launch launch = [&](size_t set, void *stream) {
    normrt_launch_options options = {};
    options.struct_size = sizeof(options);
    options.stream = stream;
    options.workspace = workspaces[set]->get();
    options.workspace_bytes = bytes;
    const auto &all = sets[set]->pointers();
    return statusText(normrt_entry_launch(entry, all.data(),
                                          static_cast<int32_t>(all.size()), &options));
  };
  if (hasStreams(info))
    return timeGraphs(device, launch, sets.size(), effort, error);
  return timeCalls([&] { return launch(0, nullptr); }, effort, error);
}

} // namespace normc::measure
