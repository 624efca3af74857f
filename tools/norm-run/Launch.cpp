//===- Launch.cpp - Runs the entry on its buffers ---------------------------===//
#include "Launch.h"

#include <algorithm>

using llvm::Error;
using llvm::Expected;

namespace normc::run {

/// NaN in every element type.
static constexpr std::byte kGuard{0xff};

Expected<Launcher> Launcher::make(const Session &session, const Buffers &buffers) {
  Launcher launcher;
  launcher.entry = session.entry();
  for (const auto &buffer : buffers)
    launcher.tensors.push_back(buffer->tensor());
  if (Error error = check(normrt_entry_workspace_size(
          launcher.entry, launcher.tensors.data(),
          static_cast<int32_t>(launcher.tensors.size()), &launcher.workspace_bytes)))
    return error;
  constexpr size_t kAlignment = NORMRT_WORKSPACE_ALIGNMENT;
  launcher.memory.assign(launcher.workspace_bytes + 3 * kAlignment, kGuard);
  auto address = reinterpret_cast<uintptr_t>(launcher.memory.data()) + kAlignment;
  launcher.first = kAlignment + (kAlignment - address % kAlignment) % kAlignment;
  return launcher;
}

Error Launcher::launch() {
  normrt_launch_options options = {};
  options.struct_size = sizeof(options);
  // An empty workspace is one too: the runtime brings none of its own.
  options.workspace = memory.data() + first;
  options.workspace_bytes = workspace_bytes;
  return check(normrt_entry_launch(entry, tensors.data(),
                                   static_cast<int32_t>(tensors.size()), &options));
}

bool Launcher::guardsAreIntact() const {
  auto isGuard = [](std::byte byte) { return byte == kGuard; };
  auto begin = memory.begin() + static_cast<std::ptrdiff_t>(first);
  return std::all_of(memory.begin(), begin, isGuard) &&
         std::all_of(begin + static_cast<std::ptrdiff_t>(workspace_bytes), memory.end(),
                     isGuard);
}

} // namespace normc::run
