//===- Worker.cpp - Compiles, launches and compares, on one thread ----------===//
#include "Worker.h"

#include "normc/Oracle/Oracle.h"
#include "normc/Reference/Compare.h"

#include <algorithm>
#include <cstring>

namespace normc::numerics {

Worker::Worker(std::string target, std::string device, Packages &packages)
    : packages(packages), targetName(std::move(target)), deviceName(std::move(device)),
      stream(diagnostics), source(stream) {}

std::nullopt_t Worker::fail(std::string text) {
  message = std::move(text);
  return std::nullopt;
}

std::string Worker::takeDiagnostics() {
  std::string text = std::move(diagnostics);
  diagnostics.clear();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

//===----------------------------------------------------------------------===//
// Compiling and loading
//===----------------------------------------------------------------------===//

std::string Program::text() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  source().print(stream);
  return text;
}

mlir::OwningOpRef<mlir::ModuleOp> Worker::parse(const std::string &ir) {
  mlir::OwningOpRef<mlir::ModuleOp> module = source.readBytes(ir, "program");
  if (!module)
    fail("cannot parse: " + takeDiagnostics());
  return module;
}

std::unique_ptr<Program> Worker::compile(const std::string &ir) {
  return compile(ir, targetName);
}

std::unique_ptr<Program> Worker::compile(const std::string &ir,
                                         const std::string &target) {
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(ir);
  return module ? compile(std::move(module), target) : nullptr;
}

std::unique_ptr<Program> Worker::compile(mlir::OwningOpRef<mlir::ModuleOp> module,
                                         const std::string &target) {
  auto program = std::make_unique<Program>();
  program->module = std::move(module);
  std::string error;
  auto package = packages.get(program->source(), target, error);
  if (!package) {
    fail("cannot compile: " + error + takeDiagnostics());
    return nullptr;
  }
  program->bytes = std::move(*package);
  ++counts.programs;
  return program;
}

using test::statusText;

/// A device other than the host has no number of threads.
normrt_entry *Worker::load(Program &program, int threads) {
  if (onlyCompiles()) {
    fail("compiled for later");
    return nullptr;
  }
  if (!deviceName.empty())
    threads = 0;
  PackageHandle &package = program.loaded[threads];
  if (!package) {
    DeviceHandle &device = devices[threads];
    normrt_device *opened = nullptr;
    std::string name =
        deviceName.empty() ? "host:" + std::to_string(threads) : deviceName;
    if (!device) {
      if (auto status = normrt_device_open(name.c_str(), &opened)) {
        fail(name + ": " + statusText(status));
        return nullptr;
      }
      device.reset(opened);
    }
    normrt_package *loaded = nullptr;
    if (auto status = normrt_package_load_memory(device.get(), program.bytes.data(),
                                                 program.bytes.size(), &loaded)) {
      fail("cannot load: " + statusText(status));
      return nullptr;
    }
    package.reset(loaded);
  }
  normrt_entry *entry = nullptr;
  if (auto status = normrt_package_entry(package.get(), 0, &entry))
    fail("no entry: " + statusText(status));
  return entry;
}

bool Worker::lost() {
  return !deviceName.empty() && devices[0] &&
         normrt_device_synchronize(devices[0].get()) != NORMRT_STATUS_OK;
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

/// An entry with a buffer for each parameter, and their copies on the device.
struct Worker::Bound {
  normrt_entry *entry = nullptr;
  normrt_device *device = nullptr;
  std::vector<normrt_param_info> params;
  std::vector<std::unique_ptr<test::Buffer>> buffers;
  std::vector<std::unique_ptr<test::Mirror>> mirrors;
  /// The workspace's copy, where there is a device.
  std::unique_ptr<test::Buffer> scratch;
  std::unique_ptr<test::Mirror> scratchMirror;
  std::vector<const DLTensor *> tensors;

  Arrays outputs() const {
    Arrays result;
    for (size_t i = 0; i < params.size(); ++i)
      if (isOutput(i))
        result[params[i].name] = buffers[i]->read();
    return result;
  }
  int32_t count() const { return static_cast<int32_t>(params.size()); }
  bool isOutput(size_t index) const {
    return params[index].direction == NORMRT_DIRECTION_OUT;
  }
};

static reference::Type typeOf(DLDataType type) {
  if (type.code == kDLBfloat)
    return reference::Type::BF16;
  return type.bits == 16   ? reference::Type::F16
         : type.bits == 64 ? reference::Type::F64
                           : reference::Type::F32;
}

static const Layout &layoutOf(const Run &run, const std::string &name) {
  auto own = run.layouts.find(name);
  return own == run.layouts.end() ? run.layout : own->second;
}

/// Makes the buffer of one parameter. The inputs come first, so that the runtime can
/// say the shapes of the outputs.
bool Worker::bindParam(int32_t index, const Run &run, Bound &bound) {
  const normrt_param_info &info = bound.params[static_cast<size_t>(index)];
  std::string name = info.name;
  auto rank = static_cast<size_t>(info.rank);
  std::vector<int64_t> shape(rank);
  auto input = run.inputs.find(name);
  auto given = run.shapes.find(name);
  if (input != run.inputs.end()) {
    shape = input->second.shape;
  } else if (auto status =
                 normrt_entry_infer_shape(bound.entry, bound.tensors.data(),
                                          bound.count(), index, shape.data())) {
    fail("no shape of " + name + ": " + statusText(status));
    return false;
  } else if (given != run.shapes.end() && shape != given->second) {
    fail("the runtime takes " + name + " to be " + reference::formatShape(shape) +
         ", not " + reference::formatShape(given->second));
    return false;
  }
  const Layout &layout = layoutOf(run, name);
  std::vector<int64_t> strides =
      layout.strides.empty() ? reference::rowMajorStrides(shape) : layout.strides;
  auto at = static_cast<size_t>(index);
  bound.buffers[at] = test::Buffer::allocate(typeOf(info.type), shape, strides,
                                             layout.offset, layout.placement);
  if (!bound.buffers[at]) {
    fail("no memory for " + name);
    return false;
  }
  if (input != run.inputs.end())
    bound.buffers[at]->fill(input->second);
  std::string error;
  bound.mirrors[at] = test::Mirror::make(bound.device, *bound.buffers[at], error);
  if (!bound.mirrors[at]) {
    fail("no memory for " + name + " on the device: " + error);
    return false;
  }
  bound.tensors[at] = bound.mirrors[at]->tensor();
  return true;
}

bool Worker::bind(Program &program, const Run &run, int threads, Bound &bound) {
  bound.entry = load(program, threads);
  if (!bound.entry)
    return false;
  bound.device = devices[deviceName.empty() ? threads : 0].get();
  int32_t count = normrt_entry_param_count(bound.entry);
  for (int32_t i = 0; i < count; ++i) {
    normrt_param_info info = {};
    info.struct_size = sizeof(info);
    if (auto status = normrt_entry_param(bound.entry, i, &info)) {
      fail("no parameter: " + statusText(status));
      return false;
    }
    bound.params.push_back(info);
  }
  bound.buffers.resize(bound.params.size());
  bound.mirrors.resize(bound.params.size());
  bound.tensors.resize(bound.params.size());
  for (bool outputs : {false, true})
    for (int32_t i = 0; i < count; ++i)
      if (bound.isOutput(static_cast<size_t>(i)) == outputs &&
          !bindParam(i, run, bound))
        return false;
  return true;
}

/// Copies all of a launch's memory to the device, where there is one; the workspace
/// between guard bytes.
bool Worker::bringOver(Bound &bound, test::Workspace &workspace) {
  std::string error;
  for (const auto &mirror : bound.mirrors)
    if (error.empty())
      error = mirror->upload();
  if (!deviceName.empty() && error.empty()) {
    auto elements = static_cast<int64_t>((workspace.size() + 1) / 2);
    bound.scratch = test::Buffer::allocate(reference::Type::BF16, {elements}, {1}, 0);
    std::memcpy(bound.scratch->storage().data() + bound.scratch->firstByte(),
                workspace.data(), workspace.size());
    bound.scratchMirror = test::Mirror::make(bound.device, *bound.scratch, error);
    if (bound.scratchMirror)
      error = bound.scratchMirror->upload();
  }
  if (!error.empty())
    fail("copying: " + error);
  return error.empty();
}

/// The other way.
bool Worker::bringBack(Bound &bound, test::Workspace &workspace) {
  std::string error;
  for (const auto &mirror : bound.mirrors)
    if (error.empty())
      error = mirror->download();
  if (bound.scratchMirror && error.empty()) {
    error = bound.scratchMirror->download();
    std::memcpy(workspace.data(),
                bound.scratch->storage().data() + bound.scratch->firstByte(),
                workspace.size());
  }
  if (!error.empty())
    fail("copying: " + error);
  return error.empty();
}

bool Worker::launchOnce(Bound &bound, test::Workspace &workspace, std::byte poison) {
  for (size_t i = 0; i < bound.params.size(); ++i)
    if (bound.isOutput(i))
      bound.buffers[i]->fill(poison);
  if (!bringOver(bound, workspace))
    return false;
  normrt_launch_options options = {};
  options.struct_size = sizeof(options);
  options.workspace =
      bound.scratchMirror ? bound.scratchMirror->data() : workspace.data();
  options.workspace_bytes = workspace.size();
  ++counts.launches;
  auto status =
      normrt_entry_launch(bound.entry, bound.tensors.data(), bound.count(), &options);
  if (status == NORMRT_STATUS_OK)
    status = normrt_device_synchronize(bound.device);
  if (status != NORMRT_STATUS_OK) {
    fail("launch: " + statusText(status));
    return false;
  }
  if (!bringBack(bound, workspace))
    return false;
  if (!workspace.guardsAreIntact() ||
      (bound.scratch && !bound.scratch->guardsAreIntact())) {
    fail("bytes around the workspace were written");
    return false;
  }
  for (size_t i = 0; i < bound.params.size(); ++i)
    if (!bound.buffers[i]->guardsAreIntact()) {
      fail(std::string("bytes around ") + bound.params[i].name + " were written");
      return false;
    }
  return true;
}

std::optional<size_t> Worker::sizeOf(const Bound &bound) {
  size_t bytes = 0;
  if (auto status = normrt_entry_workspace_size(bound.entry, bound.tensors.data(),
                                                bound.count(), &bytes))
    return fail("workspace: " + statusText(status));
  return bytes;
}

std::optional<Arrays> Worker::launch(Program &program, const Run &run, int threads) {
  // Any stale value that is read shows in the second launch's bits: it is no NaN then.
  constexpr std::byte kSmall{0x27};
  Bound bound;
  if (!bind(program, run, threads, bound))
    return std::nullopt;
  std::optional<size_t> bytes = sizeOf(bound);
  if (!bytes)
    return std::nullopt;
  test::Workspace workspace(*bytes);
  workspace.fill(test::kGuard);
  if (!launchOnce(bound, workspace, test::kGuard))
    return std::nullopt;
  Arrays outputs = bound.outputs();
  workspace.fill(kSmall);
  if (!launchOnce(bound, workspace, kSmall))
    return std::nullopt;
  for (size_t i = 0; i < bound.params.size(); ++i) {
    std::string name = bound.params[i].name;
    bool isOutput = bound.isOutput(i);
    std::string different = difference(
        bound.buffers[i]->read(), isOutput ? outputs.at(name) : run.inputs.at(name));
    if (!different.empty())
      return fail((isOutput ? "over other stale bytes " + name + " is different: "
                            : "input " + name + " was written: ") +
                  different);
  }
  return outputs;
}

std::optional<Arrays> Worker::launchOn(test::Workspace &workspace, Program &program,
                                       const Run &run, int threads) {
  Bound bound;
  if (!bind(program, run, threads, bound) ||
      !launchOnce(bound, workspace, test::kGuard))
    return std::nullopt;
  return bound.outputs();
}

std::optional<size_t> Worker::workspaceBytes(Program &program, const Run &run) {
  Bound bound;
  if (!bind(program, run, 1, bound))
    return std::nullopt;
  return sizeOf(bound);
}

int32_t Worker::variantOf(Program &program, const Run &run) {
  Bound bound;
  int32_t variant = -1;
  if (!bind(program, run, 1, bound))
    return -1;
  if (auto status = normrt_entry_select_variant(bound.entry, bound.tensors.data(),
                                                bound.count(), &variant))
    fail("variant: " + statusText(status));
  return variant;
}

int32_t Worker::launchesOf(Program &program) {
  normrt_entry *entry = load(program, 1);
  if (!entry)
    return -1;
  normrt_variant_info info = {};
  info.struct_size = sizeof(info);
  int32_t last = normrt_entry_variant_count(entry) - 1;
  if (auto status = normrt_entry_variant(entry, last, &info)) {
    fail("no variant: " + statusText(status));
    return -1;
  }
  return info.launch_count;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

std::string difference(const Array &a, const Array &b) {
  if (a.shape != b.shape || a.bytes.size() != b.bytes.size())
    return "shapes " + reference::formatShape(a.shape) + " and " +
           reference::formatShape(b.shape);
  if (a.bytes == b.bytes)
    return "";
  size_t width = reference::byteSize(a.type);
  for (size_t at = 0; at < a.bytes.size(); at += width) {
    if (std::memcmp(&a.bytes[at], &b.bytes[at], width) == 0)
      continue;
    uint64_t bits[2] = {};
    std::memcpy(&bits[0], &a.bytes[at], width);
    std::memcpy(&bits[1], &b.bytes[at], width);
    return "element " + std::to_string(at / width) + ", " +
           std::to_string(reference::decode(a.type, bits[0])) + " and " +
           std::to_string(reference::decode(a.type, bits[1]));
  }
  return "";
}

Array firstRows(const Array &array, int64_t rows) {
  Array part = array;
  part.shape[0] = rows;
  part.strides = reference::rowMajorStrides(part.shape);
  part.bytes.resize(static_cast<size_t>(part.elements()) *
                    reference::byteSize(part.type));
  return part;
}

/// The elements of an exact result that are not the rounded reference.
static std::string inexact(const Array &result, const reference::Result &expected) {
  Array rounded = reference::makeArray(result.type, result.shape, expected.values);
  return difference(result, rounded);
}

bool Worker::agrees(Program &program, const Run &run, const Arrays &outputs) {
  std::map<std::string, std::vector<double>> values;
  llvm::StringMap<oracle::Argument> arguments;
  for (const auto &[name, array] : run.inputs) {
    values[name] = array.toDoubles();
    arguments[name] = {array.shape, values[name]};
  }
  for (const auto &[name, array] : outputs)
    arguments[name] = {array.shape, {}};
  auto function = *program.source().getOps<mlir::func::FuncOp>().begin();
  oracle::Options options;
  options.longest_chain = run.longestChain;
  options.hardware_tanh = true; // and no other where the op asks for an exact one
  auto expected = oracle::evaluate(function, arguments, options);
  if (failed(expected)) {
    fail("oracle: " + takeDiagnostics());
    return false;
  }
  if (expected->size() != outputs.size()) {
    fail("the oracle knows " + std::to_string(expected->size()) + " outputs of " +
         std::to_string(outputs.size()));
    return false;
  }
  for (const oracle::Output &output : *expected) {
    const Array &result = outputs.at(output.name);
    reference::Comparison comparison =
        reference::compare(result.bytes.data(), result.type, output.result);
    counts.elements += comparison.elements;
    counts.excluded += comparison.excluded;
    bool leaves = comparison.excluded && !run.mayLeaveDomain;
    if (!comparison.pass || leaves) {
      fail(output.name + " " + std::string(reference::typeName(result.type)) + "[" +
           reference::formatShape(result.shape) +
           "]: " + (leaves ? "not all inside of the domain: " : "") +
           reference::describe(comparison));
      return false;
    }
    bool isExact =
        std::find(run.exact.begin(), run.exact.end(), output.name) != run.exact.end();
    if (std::string wrong = isExact ? inexact(result, output.result) : "";
        !wrong.empty()) {
      fail(output.name + " is not exact: " + wrong);
      return false;
    }
  }
  return true;
}

std::optional<Arrays> Worker::check(Program &program, const Run &run, int threads) {
  std::optional<Arrays> outputs = launch(program, run, threads);
  if (outputs && !agrees(program, run, *outputs))
    return std::nullopt;
  return outputs;
}

} // namespace normc::numerics
