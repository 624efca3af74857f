//===- ManifestText.h - Words that both forms of a manifest share -----------===//
#ifndef NORMC_LIB_PACKAGE_MANIFESTTEXT_H
#define NORMC_LIB_PACKAGE_MANIFESTTEXT_H

#include "runtime/src/PackageReader.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace normc::package {

inline llvm::StringRef ref(const flatbuffers::String *text) {
  return text ? llvm::StringRef(text->data(), text->size()) : llvm::StringRef();
}

/// Calls visit(element, index) for each element of a vector that may be absent.
template <class T, class Visit>
void forEach(const flatbuffers::Vector<T> *vector, Visit visit) {
  for (unsigned i = 0; vector && i < vector->size(); ++i)
    visit(*vector->Get(i), i);
}

/// "[s0, 4096]"
std::string shapeText(const normrt::schema::Param &param);
/// "x but for its last 1 dimensions walks with one stride"
std::string guardText(const normrt::schema::Guard &guard,
                      const normrt::schema::Entry &entry);
/// "x", "workspace 0", "s0 * 8", "stride(x, 0)", "row_stride(x, 1)"
std::string argText(const normrt::schema::Arg &arg, const normrt::schema::Entry &entry);

/// The JSON form of a manifest.
void printManifestJson(llvm::raw_ostream &os, const normrt::PackageFile &file);

} // namespace normc::package

#endif // NORMC_LIB_PACKAGE_MANIFESTTEXT_H
