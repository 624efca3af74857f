//===- Launch.h - Runs the entry on its buffers -----------------------------===//
#ifndef NORMC_TOOLS_NORMRUN_LAUNCH_H
#define NORMC_TOOLS_NORMRUN_LAUNCH_H

#include "Buffers.h"

#include "normc/Testing/Mirror.h"

namespace normc::run {

/// An entry with its tensors and a workspace on the device, ready to launch any number
/// of times.
class Launcher {
public:
  /// The inputs are copied to the device. The workspace is of the size that the runtime
  /// asks for, and filled with NaN.
  static llvm::Expected<Launcher> make(const Session &session, const Buffers &buffers);

  /// Launches and, without a stream, waits.
  llvm::Error launch(void *stream = nullptr);
  /// Copies everything from the device to the buffers, which on the host are what was
  /// launched on.
  llvm::Error fetch();
  size_t workspaceBytes() const { return bytes; }
  /// No byte around the workspace was written; after fetch.
  bool guardsAreIntact() const { return workspace->guardsAreIntact(); }

private:
  normrt_device *device = nullptr;
  normrt_entry *entry = nullptr;
  std::vector<std::unique_ptr<test::Mirror>> mirrors;
  std::vector<const DLTensor *> tensors;
  size_t bytes = 0;
  std::unique_ptr<Buffer> workspace;
  std::unique_ptr<test::Mirror> workspaceMirror;
};

} // namespace normc::run

#endif // NORMC_TOOLS_NORMRUN_LAUNCH_H
