//===- Launch.cpp - Runs the entry on its buffers ---------------------------===//
#include "Launch.h"

using llvm::Error;
using llvm::Expected;

namespace normc::run {

Expected<Launcher> Launcher::make(const Session &session, const Buffers &buffers) {
  Launcher launcher;
  launcher.entry = session.entry();
  for (const auto &buffer : buffers)
    launcher.tensors.push_back(buffer->tensor());
  size_t bytes = 0;
  if (Error error = check(normrt_entry_workspace_size(
          launcher.entry, launcher.tensors.data(),
          static_cast<int32_t>(launcher.tensors.size()), &bytes)))
    return error;
  launcher.workspace = std::make_unique<test::Workspace>(bytes);
  return launcher;
}

Error Launcher::launch() {
  normrt_launch_options options = {};
  options.struct_size = sizeof(options);
  // An empty workspace is one too: the runtime brings none of its own.
  options.workspace = workspace->data();
  options.workspace_bytes = workspace->size();
  return check(normrt_entry_launch(entry, tensors.data(),
                                   static_cast<int32_t>(tensors.size()), &options));
}

} // namespace normc::run
