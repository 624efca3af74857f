//===- Registration.h - Everything of normc that a tool can name ------------===//
#ifndef NORMC_REGISTRATION_H
#define NORMC_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace normc {

/// Registers normc's dialects and the upstream ones that its programs and lowerings
/// use.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers the interfaces that the upstream dialects of a program need to be
/// bufferized.
void registerAllExtensions(mlir::DialectRegistry &registry);

/// Registers normc's passes and its pipelines, once per process.
void registerAllPasses();

} // namespace normc

#endif // NORMC_REGISTRATION_H
