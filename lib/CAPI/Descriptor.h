//===- Descriptor.h - The IR of a norm that is described ----------------------===//
#ifndef NORMC_LIB_CAPI_DESCRIPTOR_H
#define NORMC_LIB_CAPI_DESCRIPTOR_H

#include "normc-c/normc.h"

#include <string>

namespace normc::capi {

/// Writes the function that the descriptor stands for, on memrefs. Null, or the error
/// of a descriptor that is out of its range or contradicts itself, which names the
/// field.
normc_error *writeNorm(const normc_norm_descriptor *given, std::string &source);

/// Copies a structure of the caller's into one of this library's version: what an older
/// caller does not have is 0. Null, or the error of one that is too short or too new.
normc_error *readStruct(const void *given, size_t least, size_t size, const char *name,
                        void *copy);

} // namespace normc::capi

#endif // NORMC_LIB_CAPI_DESCRIPTOR_H
