//===- Toolkit.cpp - Finds NVIDIA's toolkit and the installed device --------===//
#include "normc/Target/NvvmToolkit.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

#include <dlfcn.h>

using namespace mlir;
using namespace normc;

//===----------------------------------------------------------------------===//
// The toolkit
//===----------------------------------------------------------------------===//

static std::string join(StringRef folder, StringRef rest) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, rest);
  return std::string(path);
}

/// "" where there is none.
static std::string searchPtxas() {
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  SmallVector<std::string> roots;
  if (std::optional<std::string> home = llvm::sys::Process::GetEnv("CUDA_HOME"))
    roots.push_back(*home);
  roots.push_back("/usr/local/cuda");
  for (StringRef root : roots)
    if (std::string path = join(root, "bin/ptxas"); llvm::sys::fs::can_execute(path))
      return path;
  return "";
}

std::optional<nvvm::Toolkit> nvvm::findToolkit(StringRef ptxas, std::string &error) {
  Toolkit toolkit;
  if (ptxas == "off")
    return toolkit;
  toolkit.ptxas = ptxas.empty() ? searchPtxas() : ptxas.str();
  if (!ptxas.empty() && !llvm::sys::fs::can_execute(ptxas)) {
    error =
        ("expected ptxas to be a program or \"off\", but got \"" + ptxas + "\"").str();
    return std::nullopt;
  }
  if (toolkit.ptxas.empty())
    return toolkit;
  // bin/ptxas and nvvm/libdevice lie side by side, in the toolkit and in the PyPI
  // package nvidia-cuda-nvcc.
  SmallString<128> real;
  if (llvm::sys::fs::real_path(toolkit.ptxas, real))
    return toolkit;
  StringRef root = llvm::sys::path::parent_path(llvm::sys::path::parent_path(real));
  std::string libdevice = join(root, "nvvm/libdevice/libdevice.10.bc");
  if (llvm::sys::fs::exists(libdevice))
    toolkit.libdevice = libdevice;
  return toolkit;
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

namespace {
/// The driver's library. It stays loaded, as it may have started threads.
class Driver {
public:
  Driver() : library(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {}

  explicit operator bool() const { return library; }
  /// Calls a function of the driver; its status, or -1 where it has none of that name.
  template <typename... Args> int call(const char *name, Args... args) const {
    auto function = reinterpret_cast<int (*)(Args...)>(dlsym(library, name));
    return function ? function(args...) : -1;
  }

private:
  void *library;
};
} // namespace

std::optional<std::string> nvvm::installedArchitecture(std::string &error) {
  // CUDA Driver API 13.0: CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR.
  constexpr int kMajor = 75, kMinor = 76;
  Driver driver;
  if (!driver) {
    error = "expected an NVIDIA driver (libcuda.so.1), but got none";
    return std::nullopt;
  }
  int device = 0, major = 0, minor = 0;
  int status = driver.call("cuInit", 0U);
  if (status == 0)
    status = driver.call("cuDeviceGet", &device, 0);
  if (status == 0)
    status = driver.call("cuDeviceGetAttribute", &major, kMajor, device);
  if (status == 0)
    status = driver.call("cuDeviceGetAttribute", &minor, kMinor, device);
  if (status != 0) {
    error = "expected an NVIDIA device, but the driver answers with code " +
            std::to_string(status);
    return std::nullopt;
  }
  return "sm_" + std::to_string(10 * major + minor);
}
