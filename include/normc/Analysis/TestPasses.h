//===- TestPasses.h - Passes that print an analysis, for tests --------------===//
#ifndef NORMC_ANALYSIS_TESTPASSES_H
#define NORMC_ANALYSIS_TESTPASSES_H

namespace normc {

/// Registers `test-print-phases` and `test-print-kernel-facts`, which emit what the
/// analyses found as remarks at the ops.
void registerAnalysisTestPasses();

} // namespace normc

#endif // NORMC_ANALYSIS_TESTPASSES_H
