/// \file normc.hpp
/// The embedded compiler and the runtime for C++17 programs: handles that release
/// themselves, and errors as exceptions, over normc.h and normrt.h. Header only; links
/// libnormc and libnormrt.
///
///     normc::Compiler compiler;
///     normc::Norm norm = normc::layerNorm(NORMC_TYPE_F32, 1e-5);
///     normc::Package package = compiler.compile(norm, {"host"});
///     normc::Function function(normc::Device("host"), package);
///     function({&x, &y});
///
/// Everything throws normc::Error, and is as safe between threads as what it wraps.
#ifndef NORMC_C_NORMC_HPP
#define NORMC_C_NORMC_HPP

#include "normc-c/normc.h"

#include <normrt.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace normc {

/// A place in the source, as normc_location.
struct Location {
  std::string file;
  /// From 1; 0 where it is not known.
  uint32_t line = 0;
  uint32_t column = 0;
  /// What is said of this place.
  std::string message;
};

/// What the compiler or the runtime says of a call that failed. what() has all of it as
/// text, a line for each place in the source.
class Error : public std::runtime_error {
public:
  Error(const std::string &text, normc_error_code code, std::vector<Location> locations)
      : std::runtime_error(text), code_(code),
        locations_(std::make_shared<std::vector<Location>>(std::move(locations))) {}
  Error(const std::string &text, normrt_status status)
      : std::runtime_error(text), status_(status),
        locations_(std::make_shared<std::vector<Location>>()) {}

  /// The compiler's code; nothing in an error of the runtime.
  std::optional<normc_error_code> code() const noexcept { return code_; }
  /// The runtime's status; nothing in an error of the compiler.
  std::optional<normrt_status> status() const noexcept { return status_; }
  /// The places in the source that the error is about. Of the error, and of its copies.
  const std::vector<Location> &locations() const noexcept { return *locations_; }

  // No moves: one that was moved from would have no locations.
  Error(const Error &) = default;
  Error &operator=(const Error &) = default;

private:
  std::optional<normc_error_code> code_;
  std::optional<normrt_status> status_;
  // Shared, because a copy of an exception must not throw.
  std::shared_ptr<const std::vector<Location>> locations_;
};

namespace detail {

/// Takes over an error of the compiler.
inline void check(normc_error *error) {
  if (!error)
    return;
  const std::unique_ptr<normc_error, void (*)(normc_error *)> owned(
      error, normc_error_release);
  std::string text;
  std::vector<Location> locations;
  for (size_t i = 0; i < normc_error_get_location_count(error); ++i) {
    const normc_location place = normc_error_get_location(error, i);
    locations.push_back({place.file, place.line, place.column, place.message});
    if (i != 0)
      text += "\n";
    if (place.line != 0)
      text += std::string(place.file) + ":" + std::to_string(place.line) + ":" +
              std::to_string(place.column) + ": ";
    text += place.message;
  }
  if (text.empty())
    text = normc_error_get_message(error);
  throw Error(text, normc_error_get_code(error), std::move(locations));
}

inline void check(normrt_status status) {
  if (status != NORMRT_STATUS_OK)
    throw Error(std::string(normrt_status_name(status)) + ": " +
                    normrt_last_error_message(),
                status);
}

template <typename Handle>
std::shared_ptr<Handle> shared(Handle *handle, void (*release)(Handle *)) {
  return std::shared_ptr<Handle>(handle, release);
}

} // namespace detail

/// A norm without IR: normc_norm_descriptor, whose fields may be set, with a shape of
/// its own. By default x is [rows, cols], both known at launch only.
struct Norm : normc_norm_descriptor {
  Norm() : normc_norm_descriptor{} { struct_size = sizeof(normc_norm_descriptor); }

  /// x has these sizes, NORMC_DYNAMIC where known at launch only; the last `normalized`
  /// are normalized.
  Norm &withShape(std::vector<int64_t> sizes, int32_t normalized = 1) {
    sizes_ = std::move(sizes);
    // 0 is a descriptor's default, and never what is meant here.
    rank = sizes_.empty() ? -1 : static_cast<int32_t>(sizes_.size());
    norm_dims = normalized == 0 ? -1 : normalized;
    return *this;
  }

  /// What the C functions take. Valid as long as this norm, and until it is changed.
  normc_norm_descriptor descriptor() const {
    normc_norm_descriptor result = *this;
    if (!sizes_.empty())
      result.shape = sizes_.data();
    return result;
  }

private:
  std::vector<int64_t> sizes_;
};

/// y of x's type, without parameters: set what else the norm has.
inline Norm layerNorm(normc_type x, double epsilon) {
  Norm norm;
  norm.op = NORMC_OP_LAYER_NORM;
  norm.x = norm.y = x;
  norm.epsilon = epsilon;
  return norm;
}
inline Norm rmsNorm(normc_type x, double epsilon) {
  Norm norm = layerNorm(x, epsilon);
  norm.op = NORMC_OP_RMS_NORM;
  return norm;
}
inline Norm dyt(normc_type x, normc_type alpha) {
  Norm norm;
  norm.op = NORMC_OP_DYT;
  norm.x = norm.y = x;
  norm.alpha = alpha;
  return norm;
}

/// The bytes of a package.
class Package {
public:
  explicit Package(normc_package *package)
      : package_(detail::shared(package, normc_package_release)) {}

  const void *data() const { return normc_package_get_data(package_.get()); }
  size_t size() const { return normc_package_get_size(package_.get()); }
  normc_cache_state cacheState() const {
    return normc_package_get_cache_state(package_.get());
  }
  std::string cacheMessage() const {
    return normc_package_get_cache_message(package_.get());
  }

private:
  std::shared_ptr<normc_package> package_;
};

class Compiler {
public:
  explicit Compiler(
      const normc_compiler_options &options = NORMC_COMPILER_OPTIONS_INIT) {
    normc_compiler *compiler = nullptr;
    detail::check(normc_compiler_create(&options, &compiler));
    compiler_ = detail::shared(compiler, normc_compiler_release);
  }

  /// MLIR text or bytecode; `name` is what errors call it.
  Package compile(const std::string &source, const std::vector<std::string> &targets,
                  const std::string &name = "source") const {
    const std::vector<const char *> names = pointers(targets);
    normc_package *package = nullptr;
    detail::check(normc_compiler_compile(compiler_.get(), source.data(), source.size(),
                                         name.c_str(), names.data(), names.size(),
                                         &package));
    return Package(package);
  }

  Package compile(const Norm &norm, const std::vector<std::string> &targets) const {
    const std::vector<const char *> names = pointers(targets);
    const normc_norm_descriptor descriptor = norm.descriptor();
    normc_package *package = nullptr;
    detail::check(normc_compiler_compile_norm(compiler_.get(), &descriptor,
                                              names.data(), names.size(), &package));
    return Package(package);
  }

private:
  static std::vector<const char *> pointers(const std::vector<std::string> &names) {
    std::vector<const char *> result;
    for (const std::string &name : names)
      result.push_back(name.c_str());
    return result;
  }

  std::shared_ptr<normc_compiler> compiler_;
};

/// A device of the runtime, by name: "host", "cuda:0".
class Device {
public:
  explicit Device(const std::string &name) {
    normrt_device *device = nullptr;
    detail::check(normrt_device_open(name.c_str(), &device));
    device_ = detail::shared(device, normrt_device_release);
  }
  normrt_device *get() const { return device_.get(); }

private:
  std::shared_ptr<normrt_device> device_;
};

/// One entry of a package, loaded on a device.
class Function {
public:
  /// The entry of that name, or for "" the first.
  Function(const Device &device, const Package &package, const std::string &name = "")
      : device_(device) {
    normrt_package *loaded = nullptr;
    detail::check(normrt_package_load_memory(device.get(), package.data(),
                                             package.size(), &loaded));
    package_ = detail::shared(loaded, normrt_package_release);
    // An entry belongs to its package.
    detail::check(name.empty()
                      ? normrt_package_entry(loaded, 0, &entry_)
                      : normrt_package_find_entry(loaded, name.c_str(), &entry_));
  }

  /// Launches on the tensors of the parameters, in order. The runtime brings the
  /// workspace. `stream` as of normrt_launch_options.
  void operator()(std::initializer_list<const DLTensor *> tensors,
                  void *stream = nullptr) const {
    normrt_launch_options options = {};
    options.struct_size = sizeof(options);
    options.stream = stream;
    detail::check(normrt_entry_launch(entry_, tensors.begin(),
                                      static_cast<int32_t>(tensors.size()), &options));
  }

  normrt_entry *get() const { return entry_; }

private:
  Device device_;
  std::shared_ptr<normrt_package> package_;
  normrt_entry *entry_ = nullptr;
};

} // namespace normc

#endif // NORMC_C_NORMC_HPP
