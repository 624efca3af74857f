//===- Buffers.h - The memory of the parameters -----------------------------===//
#ifndef NORMC_TOOLS_NORMRUN_BUFFERS_H
#define NORMC_TOOLS_NORMRUN_BUFFERS_H

#include "Session.h"

#include "normc/Testing/Buffer.h"

namespace normc::run {

using test::Buffer;

/// One buffer for each parameter, in order.
using Buffers = std::vector<std::unique_ptr<Buffer>>;

/// Reads or makes the inputs, finds all shapes, and allocates.
llvm::Expected<Buffers> makeBuffers(const Session &session, const Options &options);

/// Writes the outputs that --out names.
llvm::Error writeOutputs(const Session &session, const Options &options,
                         const Buffers &buffers);

} // namespace normc::run

#endif // NORMC_TOOLS_NORMRUN_BUFFERS_H
