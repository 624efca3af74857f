//===- BuildId.h - Which compiler this is -------------------------------------===//
#ifndef NORMC_LIB_CAPI_BUILDID_H
#define NORMC_LIB_CAPI_BUILDID_H

#include <string>

namespace normc::capi {

/// The version, and the linker's hash over the library's contents where it left one:
/// compilers that may write different code have different ones.
std::string buildId();

} // namespace normc::capi

#endif // NORMC_LIB_CAPI_BUILDID_H
