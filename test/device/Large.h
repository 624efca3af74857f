//===- Large.h - Tensors past 2^31 elements ---------------------------------===//
#ifndef NORMC_TEST_DEVICE_LARGE_H
#define NORMC_TEST_DEVICE_LARGE_H

#include "DeviceCases.h"

#include "runtime/include/normrt.h"

#include <string>

namespace normc::device {

/// Launches on the rows of `run` repeated up to launch.rowsInAll. Results of a row must
/// repeat with the same bits, and agree with the reference; sums with the reference's
/// sums as often. "" or what is wrong.
std::string runLarge(normrt_device *device, void *stream, normrt_entry *entry,
                     const Spec &spec, const Launch &launch, const numerics::Run &run);

} // namespace normc::device

#endif // NORMC_TEST_DEVICE_LARGE_H
