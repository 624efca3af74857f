//===- Expected.h - What the results of a case must be ----------------------===//
#ifndef NORMC_TEST_DEVICE_EXPECTED_H
#define NORMC_TEST_DEVICE_EXPECTED_H

#include "DeviceCases.h"

#include "normc/Reference/Compare.h"

#include <string>

namespace normc::device {

/// Compares the outputs of a run with the float64 reference: sums over all rows, and
/// results of a row for every row of small tensors and for a sample of large ones. ""
/// where all agree, else what does not. Sums are those of the rows `copies` times over.
std::string compareWithReference(const Spec &spec, const numerics::Run &run,
                                 const Launch &launch, const numerics::Arrays &outputs,
                                 int64_t copies = 1);

} // namespace normc::device

#endif // NORMC_TEST_DEVICE_EXPECTED_H
