// Vendors' libraries, which are opened when the first of their devices is asked for.
#ifndef NORMRT_DYNAMICLIBRARY_H
#define NORMRT_DYNAMICLIBRARY_H

#include "runtime/src/Status.h"

#include <dlfcn.h>
#include <string_view>

namespace normrt {

/// Opens a shared library of the system. NOT_FOUND says that `expected` ("a CUDA
/// driver, because ...") is not there, and why.
inline Status openLibrary(const char *name, std::string_view expected, void *&library) {
  library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library)
    return Status();
  const char *reason = dlerror();
  return Status::error(NORMRT_STATUS_NOT_FOUND, "expected ", expected, ", but ", name,
                       " cannot be opened: ", reason ? reason : "no reason given");
}

} // namespace normrt

#endif // NORMRT_DYNAMICLIBRARY_H
