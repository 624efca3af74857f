// The meaning of a package that FlatBuffers' own verifier cannot check: indices,
// enumerators, expressions, limits, required fields and blob checksums.
#ifndef NORMRT_PACKAGEVERIFIER_H
#define NORMRT_PACKAGEVERIFIER_H

#include "runtime/src/Status.h"

#include "runtime/schema/package_generated.h"

namespace normrt {

/// Checks every field of a package whose FlatBuffer structure was verified. A failure
/// names the path to the field, its value and the limit.
Status verifyPackage(const schema::Package &package);

} // namespace normrt

#endif // NORMRT_PACKAGEVERIFIER_H
