//===- DeviceRunner.cpp - Launches the cases on one device ------------------===//
#include "DeviceRunner.h"

#include "Expected.h"
#include "Large.h"

#include <cstring>

namespace normc::device {

using numerics::Arrays;
using test::Buffer;
using test::Mirror;
using test::statusText;

std::string DeviceRunner::open(const std::string &name) {
  normrt_device *opened = nullptr;
  if (std::string error = statusText(normrt_device_open(name.c_str(), &opened));
      !error.empty())
    return error;
  device.reset(opened);
  normrt_device_info info = {};
  info.struct_size = sizeof(info);
  if (std::string error = statusText(normrt_device_query(opened, &info));
      !error.empty() || info.device.device_type == kDLCPU)
    return error;
  return statusText(normrt_stream_create(opened, &stream));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// An entry with a buffer here and on the device for each parameter, and for its
/// workspace.
struct DeviceRunner::Bound {
  normrt_entry *entry = nullptr;
  std::vector<normrt_param_info> params;
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<std::unique_ptr<Mirror>> mirrors;
  std::vector<const DLTensor *> tensors;
  std::unique_ptr<Buffer> workspace;
  std::unique_ptr<Mirror> workspaceMirror;
  size_t workspaceBytes = 0;

  int32_t count() const { return static_cast<int32_t>(params.size()); }
  bool isOutput(size_t index) const {
    return params[index].direction == NORMRT_DIRECTION_OUT;
  }
};

static Type typeOf(DLDataType type) {
  if (type.code == kDLBfloat)
    return Type::BF16;
  return type.bits == 16 ? Type::F16 : type.bits == 64 ? Type::F64 : Type::F32;
}

std::string DeviceRunner::bind(normrt_entry *entry, const numerics::Run &run,
                               Bound &bound) {
  bound.entry = entry;
  std::string error;
  for (int32_t i = 0, count = normrt_entry_param_count(entry); i < count; ++i) {
    normrt_param_info info = {};
    info.struct_size = sizeof(info);
    if (error = statusText(normrt_entry_param(entry, i, &info)); !error.empty())
      return error;
    bound.params.push_back(info);
    const std::string name = info.name;
    auto input = run.inputs.find(name);
    Sizes shape = input == run.inputs.end() ? run.shapes.at(name) : input->second.shape;
    auto own = run.layouts.find(name);
    const numerics::Layout &layout =
        own == run.layouts.end() ? run.layout : own->second;
    Sizes strides =
        layout.strides.empty() ? reference::rowMajorStrides(shape) : layout.strides;
    auto buffer = Buffer::allocate(typeOf(info.type), shape, strides, layout.offset);
    if (!buffer)
      return "no memory for " + name;
    if (input != run.inputs.end())
      buffer->fill(input->second);
    auto mirror = Mirror::make(device.get(), *buffer, error);
    if (!mirror)
      return name + ": " + error;
    bound.tensors.push_back(mirror->tensor());
    bound.buffers.push_back(std::move(buffer));
    bound.mirrors.push_back(std::move(mirror));
    if (input != run.inputs.end())
      if (error = bound.mirrors.back()->upload(); !error.empty())
        return error;
  }
  if (error = statusText(normrt_entry_workspace_size(
          entry, bound.tensors.data(), bound.count(), &bound.workspaceBytes));
      !error.empty())
    return "workspace: " + error;
  // Elements of two bytes, at a multiple of 256 from the beginning.
  const auto elements = static_cast<int64_t>((bound.workspaceBytes + 1) / 2);
  bound.workspace = Buffer::allocate(Type::BF16, {elements}, {1}, 0);
  if (!bound.workspace)
    return "no memory for the workspace";
  bound.workspaceMirror = Mirror::make(device.get(), *bound.workspace, error);
  return error;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Launches over stale bytes, and brings everything back.
std::string DeviceRunner::launchOnce(Bound &bound, std::byte poison) {
  std::string error;
  for (size_t i = 0; i < bound.buffers.size(); ++i)
    if (bound.isOutput(i)) {
      bound.buffers[i]->fill(poison);
      if (error = bound.mirrors[i]->upload(); !error.empty())
        return error;
    }
  bound.workspace->fill(poison);
  if (error = bound.workspaceMirror->upload(); !error.empty())
    return error;
  normrt_launch_options options = {};
  options.struct_size = sizeof(options);
  options.stream = stream;
  options.workspace = bound.workspaceMirror->data();
  options.workspace_bytes = bound.workspaceBytes;
  ++outcome.launches;
  error = statusText(
      normrt_entry_launch(bound.entry, bound.tensors.data(), bound.count(), &options));
  if (!error.empty())
    return "launch: " + error;
  if (stream)
    if (error = statusText(normrt_stream_synchronize(device.get(), stream));
        !error.empty())
      return "kernel: " + error;
  if (error = bound.workspaceMirror->download(); !error.empty())
    return error;
  if (!bound.workspace->guardsAreIntact())
    return "bytes around the workspace were written";
  for (size_t i = 0; i < bound.buffers.size(); ++i) {
    if (error = bound.mirrors[i]->download(); !error.empty())
      return error;
    if (!bound.buffers[i]->guardsAreIntact())
      return std::string("bytes around ") + bound.params[i].name + " were written";
  }
  return "";
}

/// The first element in which two arrays differ; "" where they have the same bits.
static std::string difference(const numerics::Array &a, const numerics::Array &b) {
  if (a.bytes == b.bytes)
    return "";
  size_t at = 0;
  while (a.bytes[at] == b.bytes[at])
    ++at;
  return "element " + std::to_string(at / reference::byteSize(a.type));
}

std::string DeviceRunner::launchAll(Bound &bound, const numerics::Run &run, int repeats,
                                    Arrays &outputs) {
  // A stale value that is read shows in the second launch's bits: it is no NaN then.
  constexpr std::byte kSmall{0x27};
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const std::byte poison = repeat % 2 ? kSmall : test::kGuard;
    if (std::string error = launchOnce(bound, poison); !error.empty())
      return error;
    for (size_t i = 0; i < bound.buffers.size(); ++i) {
      const std::string name = bound.params[i].name;
      numerics::Array array = bound.buffers[i]->read();
      if (bound.isOutput(i) && repeat == 0) {
        outputs[name] = std::move(array);
        continue;
      }
      const std::string different =
          difference(array, bound.isOutput(i) ? outputs.at(name) : run.inputs.at(name));
      if (!different.empty())
        return (bound.isOutput(i) ? "launch " + std::to_string(repeat + 1) + " gives " +
                                        name + " other bits: "
                                  : "input " + name + " was written: ") +
               different;
    }
  }
  return "";
}

/// Captures three launches, and runs the graph over stale bytes.
std::string DeviceRunner::launchGraph(Bound &bound, const Arrays &expected) {
  std::string error = statusText(normrt_graph_begin(device.get(), stream));
  normrt_launch_options options = {};
  options.struct_size = sizeof(options);
  options.stream = stream;
  options.workspace = bound.workspaceMirror->data();
  options.workspace_bytes = bound.workspaceBytes;
  for (int i = 0; i < 3 && error.empty(); ++i)
    error = statusText(normrt_entry_launch(bound.entry, bound.tensors.data(),
                                           bound.count(), &options));
  normrt_graph *graph = nullptr;
  const std::string ended = statusText(normrt_graph_end(device.get(), stream, &graph));
  if (!error.empty() || !ended.empty())
    return "capture: " + (error.empty() ? ended : error);
  const std::unique_ptr<normrt_graph, Releaser<normrt_graph_release>> handle(graph);
  for (size_t i = 0; i < bound.buffers.size() && error.empty(); ++i)
    if (bound.isOutput(i)) {
      bound.buffers[i]->fill(test::kGuard);
      error = bound.mirrors[i]->upload();
    }
  double seconds[2];
  if (error.empty())
    error = statusText(normrt_graph_time(graph, 2, seconds));
  for (size_t i = 0; i < bound.buffers.size() && error.empty(); ++i) {
    error = bound.mirrors[i]->download();
    if (error.empty() && bound.isOutput(i))
      if (std::string different =
              difference(bound.buffers[i]->read(), expected.at(bound.params[i].name));
          !different.empty())
        error = std::string(bound.params[i].name) + " has other bits: " + different;
  }
  return error.empty() ? "" : "graph: " + error;
}

std::string DeviceRunner::runLaunch(normrt_entry *entry, const DeviceCase &one,
                                    const Launch &launch) {
  numerics::Run run = makeRun(one.spec, launch.outer, launch.inner, recipeOf(launch));
  if (launch.rowsInAll)
    return runLarge(device.get(), stream, entry, one.spec, launch, run);
  arrange(run, one.spec, launch);
  Bound bound;
  Arrays outputs;
  if (std::string error = bind(entry, run, bound); !error.empty())
    return error;
  if (std::string error = launchAll(bound, run, launch.repeats, outputs);
      !error.empty())
    return error;
  if (launch.captured && stream)
    if (std::string error = launchGraph(bound, outputs); !error.empty())
      return error;
  return compareWithReference(one.spec, run, launch, outputs);
}

Outcome DeviceRunner::run(const DeviceCase &one, const Archive &archive) {
  outcome = {};
  const std::string *bytes = archive.find(programOf(one));
  if (!bytes) {
    outcome.failure = "expected its package in the archive, but there is none";
    return outcome;
  }
  normrt_package *loaded = nullptr;
  normrt_entry *entry = nullptr;
  outcome.failure = statusText(
      normrt_package_load_memory(device.get(), bytes->data(), bytes->size(), &loaded));
  const PackageHandle package(loaded);
  if (outcome.failure.empty())
    outcome.failure = statusText(normrt_package_entry(loaded, 0, &entry));
  for (const Launch &launch : one.launches) {
    if (!outcome.failure.empty())
      break;
    if (std::string error = runLaunch(entry, one, launch); !error.empty())
      outcome.failure = reference::formatShape(launch.outer) + " of " +
                        reference::formatShape(launch.inner) +
                        name(launch.arrangement) + name(launch.input) + ": " + error;
  }
  // A kernel that faults takes the context with it.
  outcome.lost = stream && normrt_device_synchronize(device.get()) != NORMRT_STATUS_OK;
  return outcome;
}

} // namespace normc::device
