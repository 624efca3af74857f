//===- Launch.cpp - Runs the entry on its buffers ---------------------------===//
#include "Launch.h"

using llvm::Error;
using llvm::Expected;

namespace normc::run {

/// An error of the text of a status, success for none.
static Error errorOf(const std::string &text) {
  return text.empty() ? Error::success() : makeError(text);
}

static Expected<std::unique_ptr<test::Mirror>> copyOf(normrt_device *device,
                                                      Buffer &buffer) {
  std::string error;
  auto mirror = test::Mirror::make(device, buffer, error);
  if (mirror)
    error = mirror->upload();
  if (!error.empty())
    return makeError(error);
  return mirror;
}

Expected<Launcher> Launcher::make(const Session &session, const Buffers &buffers) {
  Launcher launcher;
  launcher.device = session.device();
  launcher.entry = session.entry();
  for (const auto &buffer : buffers) {
    auto mirror = copyOf(session.device(), *buffer);
    if (!mirror)
      return mirror.takeError();
    launcher.tensors.push_back((*mirror)->tensor());
    launcher.mirrors.push_back(std::move(*mirror));
  }
  if (Error error = check(normrt_entry_workspace_size(
          launcher.entry, launcher.tensors.data(),
          static_cast<int32_t>(launcher.tensors.size()), &launcher.bytes)))
    return error;
  // Of elements of two bytes; it begins at a multiple of 256 bytes.
  launcher.workspace = Buffer::allocate(
      reference::Type::BF16, {static_cast<int64_t>((launcher.bytes + 1) / 2)}, {1}, 0);
  if (!launcher.workspace)
    return makeError("not enough memory for a workspace of " +
                     llvm::Twine(launcher.bytes) + " bytes");
  auto mirror = copyOf(session.device(), *launcher.workspace);
  if (!mirror)
    return mirror.takeError();
  launcher.workspaceMirror = std::move(*mirror);
  return launcher;
}

Error Launcher::launch(void *stream) {
  normrt_launch_options options = {};
  options.struct_size = sizeof(options);
  options.stream = stream;
  // An empty workspace is one too: the runtime brings none of its own.
  options.workspace = workspaceMirror->data();
  options.workspace_bytes = bytes;
  if (Error error = check(normrt_entry_launch(
          entry, tensors.data(), static_cast<int32_t>(tensors.size()), &options)))
    return error;
  return stream ? Error::success() : check(normrt_device_synchronize(device));
}

Error Launcher::fetch() {
  for (const auto &mirror : mirrors)
    if (Error error = errorOf(mirror->download()))
      return error;
  return errorOf(workspaceMirror->download());
}

} // namespace normc::run
