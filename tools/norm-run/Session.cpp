//===- Session.cpp - A package loaded on a device, and one of its entries ---===//
#include "Session.h"

#include "normc/Compiler/Compiler.h"
#include "normc/Compiler/Source.h"
#include "normc/Measure/Timing.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace normc::run {

Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

Error check(normrt_status status) {
  if (status == NORMRT_STATUS_OK)
    return Error::success();
  return makeError(llvm::Twine(normrt_status_name(status)) + ": " +
                   normrt_last_error_message());
}

/// The bytes of a package compiled from a source.
static Expected<llvm::SmallVector<char, 0>>
compileSource(StringRef bytes, const std::string &name, const std::string &target) {
  SourceContext context(llvm::errs());
  mlir::OwningOpRef<mlir::ModuleOp> module = context.readBytes(bytes, name);
  CompileOptions compileOptions;
  compileOptions.targets = {target};
  std::string error;
  if (auto toolkit = nvvm::findToolkit("", error))
    compileOptions.toolkit = *toolkit;
  if (auto toolkit = spirv::findToolkit("", error))
    compileOptions.spirv_toolkit = *toolkit;
  llvm::SmallVector<char, 0> package;
  // The diagnostics are printed already: what follows only names the file.
  if (!module || failed(compile(*module, compileOptions, package)))
    return makeError("cannot compile \"" + name + "\"");
  return package;
}

Error Session::load(const Options &options) {
  normrt_device *device;
  if (Error error = check(normrt_device_open(options.device.c_str(), &device)))
    return error;
  openDevice.reset(device);
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(options.file, /*IsText=*/false,
                                                   /*RequiresNullTerminator=*/false);
  if (std::error_code code = buffer.getError())
    return makeError("cannot read \"" + options.file + "\": " + code.message());
  StringRef bytes = (*buffer)->getBuffer();
  llvm::SmallVector<char, 0> compiled;
  bool isSource = options.file == "-"
                      ? !bytes.starts_with("NRMK")
                      : StringRef(options.file).ends_with(".mlir") ||
                            StringRef(options.file).ends_with(".mlirbc");
  if (isSource) {
    std::string error;
    std::optional<std::string> target = options.target;
    if (!target)
      target = measure::targetFor(options.device, device, error);
    if (!target)
      return makeError(error);
    auto result = compileSource(bytes, options.file, *target);
    if (!result)
      return result.takeError();
    compiled = std::move(*result);
    bytes = StringRef(compiled.data(), compiled.size());
  } else if (options.target) {
    return makeError(
        "expected --target beside a source alone, because a package has its "
        "targets, but got \"" +
        options.file + "\"");
  }
  if (Error error = loadBytes(bytes))
    return makeError("\"" + options.file + "\": " + llvm::toString(std::move(error)));
  return Error::success();
}

Error Session::loadBytes(StringRef bytes) {
  normrt_package *loaded;
  if (Error error = check(normrt_package_load_memory(openDevice.get(), bytes.data(),
                                                     bytes.size(), &loaded)))
    return error;
  package.reset(loaded);
  return Error::success();
}

Expected<Session> Session::openSource(StringRef text) const {
  auto compiled = compileSource(text, "a source of norm-run", targetName());
  if (!compiled)
    return compiled.takeError();
  Session session;
  normrt_device_retain(openDevice.get());
  session.openDevice.reset(openDevice.get());
  if (Error error = session.loadBytes(StringRef(compiled->data(), compiled->size())))
    return error;
  if (Error error = session.choose(""))
    return error;
  if (Error error = session.readParams())
    return error;
  return session;
}

Error Session::choose(const std::string &name) {
  if (!name.empty())
    return check(normrt_package_find_entry(package.get(), name.c_str(), &chosen));
  int32_t count = normrt_package_entry_count(package.get());
  std::string names;
  for (int32_t i = 0; i < count; ++i) {
    if (Error error = check(normrt_package_entry(package.get(), i, &chosen)))
      return error;
    names += (i ? ", " : "") + entryName();
  }
  if (count == 1)
    return Error::success();
  return makeError("expected the name of an entry, because the package has " +
                   llvm::Twine(count) + " (" + names + "), but got none");
}

static Expected<reference::Type> typeOf(DLDataType type) {
  if (type.code == kDLBfloat && type.bits == 16)
    return reference::Type::BF16;
  if (type.code == kDLFloat && type.bits == 16)
    return reference::Type::F16;
  if (type.code == kDLFloat && type.bits == 32)
    return reference::Type::F32;
  if (type.code == kDLFloat && type.bits == 64)
    return reference::Type::F64;
  return makeError("expected parameters of f16, bf16, f32 or f64");
}

Error Session::readParams() {
  for (int32_t i = 0, e = normrt_entry_param_count(chosen); i < e; ++i) {
    normrt_param_info info = {};
    info.struct_size = sizeof(info);
    if (Error error = check(normrt_entry_param(chosen, i, &info)))
      return error;
    Expected<reference::Type> type = typeOf(info.type);
    if (!type)
      return type.takeError();
    Param param{info.name, info.direction == NORMRT_DIRECTION_OUT, *type, {}, {}};
    for (int32_t dim = 0; dim < info.rank; ++dim) {
      param.shape.push_back(info.shape[dim]);
      param.shape_text.push_back(info.shape_text[dim]);
    }
    parameters.push_back(std::move(param));
  }
  return Error::success();
}

Expected<Session> Session::open(const Options &options) {
  Session session;
  if (Error error = session.load(options))
    return error;
  if (Error error = session.choose(options.entry))
    return error;
  if (Error error = session.readParams())
    return error;
  return session;
}

Expected<size_t> Session::find(StringRef name) const {
  std::string names;
  for (auto [index, param] : llvm::enumerate(parameters)) {
    if (param.name == name)
      return index;
    names += (index ? ", " : "") + param.name;
  }
  return makeError("expected a parameter of \"" + entryName() + "\" (" + names +
                   "), but got \"" + name + "\"");
}

StringRef Session::source() const {
  const void *data = nullptr;
  size_t bytes = 0;
  if (normrt_package_source(package.get(), &data, &bytes) != NORMRT_STATUS_OK)
    return "";
  return StringRef(static_cast<const char *>(data), bytes);
}

std::string Session::targetName() const {
  for (int32_t i = 0, e = normrt_package_target_count(package.get()); i < e; ++i) {
    normrt_target_info info = {};
    info.struct_size = sizeof(info);
    if (normrt_package_target(package.get(), i, &info) == NORMRT_STATUS_OK &&
        info.selected)
      return info.name;
  }
  return "";
}

} // namespace normc::run
