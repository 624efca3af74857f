//===- Launch.h - Runs the entry on its buffers -----------------------------===//
#ifndef NORMC_TOOLS_NORMRUN_LAUNCH_H
#define NORMC_TOOLS_NORMRUN_LAUNCH_H

#include "Buffers.h"

namespace normc::run {

/// An entry with its tensors and a workspace, ready to launch any number of times.
class Launcher {
public:
  /// The workspace is of the size that the runtime asks for, and filled with NaN.
  static llvm::Expected<Launcher> make(const Session &session, const Buffers &buffers);

  llvm::Error launch();
  size_t workspaceBytes() const { return workspace->size(); }
  /// No byte around the workspace was written.
  bool guardsAreIntact() const { return workspace->guardsAreIntact(); }

private:
  normrt_entry *entry = nullptr;
  std::vector<const DLTensor *> tensors;
  std::unique_ptr<test::Workspace> workspace;
};

} // namespace normc::run

#endif // NORMC_TOOLS_NORMRUN_LAUNCH_H
