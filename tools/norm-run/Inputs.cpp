//===- Inputs.cpp - From specs to tensors, and from tensors to files --------===//
#include "Buffers.h"

#include "normc/Reference/Npy.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <optional>

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace normc::run {

namespace {
/// A parameter on its way to a buffer.
struct Pending {
  /// Empty for an output.
  std::string spec;
  /// Read or made; or nothing, and the shape follows from the others.
  std::optional<reference::Array> array;
  std::optional<std::vector<int64_t>> shape;
};

class Maker {
public:
  Maker(const Session &session, const Options &options)
      : session(session), options(options), pending(session.params().size()) {}

  Expected<Buffers> run();

private:
  Error assignSpecs();
  Error checkNames() const;
  /// Makes the arrays whose spec says their shape.
  Error makeKnown();
  /// The shapes that follow from the known ones.
  Error inferShapes();
  Error makeArray(size_t index, const std::string &spec);
  Expected<std::vector<int64_t>> infer(size_t index) const;
  Expected<std::vector<int64_t>> stridesOf(size_t index) const;

  const Session &session;
  const Options &options;
  std::vector<Pending> pending;
};
} // namespace

static bool isNpy(StringRef spec) { return spec.ends_with(".npy"); }

/// A raw file and, behind it, perhaps a shape.
static std::optional<std::pair<StringRef, StringRef>> splitRaw(StringRef spec) {
  if (spec.ends_with(".bin"))
    return std::pair(spec, StringRef());
  auto [file, shape] = spec.rsplit(':');
  if (file.ends_with(".bin"))
    return std::pair(file, shape);
  return std::nullopt;
}

/// The words that begin a spec that makes its elements.
static bool isGenerated(StringRef spec) {
  return llvm::is_contained({"normal", "uniform", "const", "ramp"},
                            spec.split(':').first);
}

/// Whether a spec leaves the shape to the other parameters: normal:0, normal:0::2,
/// weights.bin.
static bool isShapeless(StringRef spec) {
  if (isNpy(spec))
    return false;
  if (auto raw = splitRaw(spec))
    return raw->second.empty();
  if (!isGenerated(spec))
    return false;
  llvm::SmallVector<StringRef> fields;
  spec.split(fields, ':');
  return fields.size() < 3 || fields[2].empty();
}

static std::string withShape(StringRef spec, const std::vector<int64_t> &shape) {
  std::string text = reference::formatShape(shape);
  if (splitRaw(spec))
    return spec.str() + ":" + text;
  llvm::SmallVector<StringRef> fields;
  spec.split(fields, ':');
  if (fields.size() < 2)
    return spec.str();
  if (fields.size() < 3)
    fields.push_back("");
  fields[2] = text;
  return llvm::join(fields, ":");
}

Error Maker::checkNames() const {
  for (const auto &[name, stride] : options.strides)
    if (auto index = session.find(name); !index)
      return index.takeError();
  for (const auto &[name, offset] : options.offsets)
    if (auto index = session.find(name); !index)
      return index.takeError();
  for (const auto &[name, file] : options.outputs) {
    auto index = session.find(name);
    if (!index)
      return index.takeError();
    if (!session.params()[*index].is_output)
      return makeError("expected --out to name an output, but \"" + name +
                       "\" is an input");
    if (!isNpy(file) && !StringRef(file).ends_with(".bin"))
      return makeError("expected the file for \"" + name +
                       "\" to end in .npy or .bin, because that says its format, but "
                       "got \"" +
                       file + "\"");
  }
  return Error::success();
}

Error Maker::assignSpecs() {
  for (const auto &[name, spec] : options.inputs) {
    auto index = session.find(name);
    if (!index)
      return index.takeError();
    if (session.params()[*index].is_output)
      return makeError("expected --in to name an input, but \"" + name +
                       "\" is an output");
    pending[*index].spec = spec;
  }
  std::string missing;
  for (auto [param, item] : llvm::zip(session.params(), pending)) {
    if (param.is_output || !item.spec.empty())
      continue;
    if (options.default_input)
      item.spec = *options.default_input;
    else
      missing += (missing.empty() ? "" : ", ") + param.name;
  }
  if (missing.empty())
    return Error::success();
  return makeError("expected --in for each input of \"" + session.entryName() +
                   "\", because there is no --in-default, but got none for " + missing);
}

/// `array` where it is there, else the error with the parameter's name.
static Error takeArray(const Param &param, reference::ErrorOr<reference::Array> array,
                       Pending &item) {
  if (!array)
    return makeError("input \"" + param.name + "\": " + array.error);
  item.shape = array->shape;
  item.array = std::move(*array);
  return Error::success();
}

Error Maker::makeArray(size_t index, const std::string &spec) {
  const Param &param = session.params()[index];
  if (isNpy(spec))
    return takeArray(param, reference::readNpy(spec, param.type), pending[index]);
  if (auto raw = splitRaw(spec)) {
    auto shape = reference::parseShape({raw->second.data(), raw->second.size()});
    if (!shape)
      return makeError("input \"" + param.name + "\": " + shape.error);
    return takeArray(param, reference::readRaw(raw->first.str(), param.type, *shape),
                     pending[index]);
  }
  if (!isGenerated(spec))
    return makeError(
        "input \"" + param.name +
        "\": expected a file that ends in .npy or .bin, or "
        "normal:SEED, uniform:SEED, const:VALUE or ramp:START, but got \"" +
        spec + "\"");
  return takeArray(param, reference::generate(spec, param.type), pending[index]);
}

Error Maker::makeKnown() {
  for (auto [index, item] : llvm::enumerate(pending))
    if (!item.spec.empty() && !isShapeless(item.spec))
      if (Error error = makeArray(index, item.spec))
        return error;
  return Error::success();
}

Expected<std::vector<int64_t>> Maker::infer(size_t index) const {
  std::vector<DLTensor> shapes(pending.size());
  std::vector<const DLTensor *> tensors(pending.size());
  for (auto [i, item] : llvm::enumerate(pending)) {
    if (!item.shape)
      continue;
    shapes[i].ndim = static_cast<int32_t>(item.shape->size());
    shapes[i].shape = const_cast<int64_t *>(item.shape->data());
    tensors[i] = &shapes[i];
  }
  std::vector<int64_t> shape(session.params()[index].shape.size());
  if (Error error = check(normrt_entry_infer_shape(
          session.entry(), tensors.data(), static_cast<int32_t>(tensors.size()),
          static_cast<int32_t>(index), shape.data())))
    return error;
  return shape;
}

Error Maker::inferShapes() {
  for (bool progress = true; progress;) {
    progress = false;
    for (auto [index, item] : llvm::enumerate(pending)) {
      if (item.shape)
        continue;
      Expected<std::vector<int64_t>> shape = infer(index);
      if (!shape) {
        llvm::consumeError(shape.takeError());
        continue;
      }
      if (!item.spec.empty()) {
        if (Error error = makeArray(index, withShape(item.spec, *shape)))
          return error;
      }
      item.shape = std::move(*shape);
      progress = true;
    }
  }
  for (auto [index, item] : llvm::enumerate(pending)) {
    if (item.shape)
      continue;
    std::string reason = llvm::toString(infer(index).takeError());
    bool isUnknown = StringRef(reason).starts_with(
        normrt_status_name(NORMRT_STATUS_INVALID_ARGUMENT));
    return makeError(reason + (isUnknown ? "; an input with a shape in its spec does: "
                                           "normal:0:128x1024"
                                         : ""));
  }
  return Error::success();
}

Expected<std::vector<int64_t>> Maker::stridesOf(size_t index) const {
  const Param &param = session.params()[index];
  std::vector<int64_t> strides = reference::rowMajorStrides(*pending[index].shape);
  auto given = options.strides.find(param.name);
  if (given == options.strides.end())
    return strides;
  if (given->second.size() > strides.size())
    return makeError("expected at most " + llvm::Twine(strides.size()) +
                     " strides of \"" + param.name +
                     "\", because it has as many dimensions, but got " +
                     llvm::Twine(given->second.size()));
  llvm::copy(given->second, strides.begin());
  return strides;
}

Expected<Buffers> Maker::run() {
  if (Error error = checkNames())
    return error;
  if (Error error = assignSpecs())
    return error;
  if (Error error = makeKnown())
    return error;
  if (Error error = inferShapes())
    return error;
  Buffers buffers;
  for (auto [index, item] : llvm::enumerate(pending)) {
    const Param &param = session.params()[index];
    Expected<std::vector<int64_t>> strides = stridesOf(index);
    if (!strides)
      return strides.takeError();
    auto offset = options.offsets.find(param.name);
    auto buffer =
        Buffer::allocate(param.type, *item.shape, std::move(*strides),
                         offset == options.offsets.end() ? 0 : offset->second);
    if (!buffer)
      return makeError("not enough memory for \"" + param.name + "\" of shape " +
                       reference::formatShape(*item.shape));
    if (item.array)
      buffer->fill(*item.array);
    item.array.reset();
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

Expected<Buffers> makeBuffers(const Session &session, const Options &options) {
  return Maker(session, options).run();
}

Error writeOutputs(const Session &session, const Options &options,
                   const Buffers &buffers) {
  for (const auto &[name, file] : options.outputs) {
    Expected<size_t> index = session.find(name);
    if (!index)
      return index.takeError();
    reference::Array array = buffers[*index]->read();
    std::string error = isNpy(file) ? reference::writeNpy(file, array)
                                    : reference::writeRaw(file, array);
    if (!error.empty())
      return makeError("output \"" + name + "\": " + error);
  }
  return Error::success();
}

} // namespace normc::run
