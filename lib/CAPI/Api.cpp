//===- Api.cpp - Compilers and packages of the C API --------------------------===//
#include "BuildId.h"
#include "Cache.h"
#include "Descriptor.h"
#include "Errors.h"

#include "normc/Compiler/Compiler.h"
#include "normc/Compiler/Source.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <mutex>

using namespace normc::capi;
using llvm::StringRef;
using llvm::Twine;

struct normc_package {
  Bytes bytes;
  normc_cache_state state;
  std::string message;
};

namespace {

constexpr uint64_t kDiskBytes = 512ull << 20, kMemoryBytes = 64ull << 20;
constexpr int32_t kMostThreads = 1024;

normc_error *invalid(const Twine &message) {
  return makeError(NORMC_ERROR_INVALID_ARGUMENT, message);
}

/// Contexts between two compilations, which have their dialects loaded.
class Contexts {
public:
  Contexts() { normc::registerCompilerDialects(registry); }

  class Lease {
  public:
    explicit Lease(Contexts &owner) : owner(owner), used(owner.take()) {}
    ~Lease() { owner.give(std::move(used)); }
    Lease(const Lease &) = delete;
    Lease &operator=(const Lease &) = delete;
    mlir::MLIRContext &get() { return *used.context; }

  private:
    friend class Contexts;
    Contexts &owner;
    struct Used {
      std::unique_ptr<mlir::MLIRContext> context;
      int times = 0;
    } used;
  };

private:
  using Used = Lease::Used;
  /// Types and attributes live as long as their context: it is made anew at times.
  static constexpr int kMostTimes = 64;

  Used take() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!idle.empty()) {
        Used used = std::move(idle.back());
        idle.pop_back();
        return used;
      }
    }
    Used used;
    used.context = std::make_unique<mlir::MLIRContext>(
        registry, mlir::MLIRContext::Threading::DISABLED);
    // The source's line says more than the op in generic form.
    used.context->printOpOnDiagnostic(false);
    return used;
  }

  void give(Used used) {
    if (++used.times >= kMostTimes)
      return;
    std::lock_guard<std::mutex> lock(mutex);
    idle.push_back(std::move(used));
  }

  mlir::DialectRegistry registry;
  std::mutex mutex;
  std::vector<Used> idle;
};

} // namespace

struct normc_compiler {
  normc_compiler(normc::CompileOptions options, std::string folder, CacheLimits limits,
                 bool cached)
      : options(std::move(options)),
        cache(cached ? std::make_unique<Cache>(std::move(folder), limits) : nullptr) {}

  /// What every compilation has; targets are its own.
  const normc::CompileOptions options;
  const std::unique_ptr<Cache> cache;
  const std::string build = buildId();
  Contexts contexts;
};

namespace {

/// What a compiler was asked for.
struct Request {
  StringRef source;
  std::string name;
  std::vector<std::string> targets;
};

normc_error *readTargets(const char *const *targets, size_t count, Request &request) {
  if (!targets || count == 0)
    return invalid("expected at least one target, but got none");
  std::string why;
  for (size_t i = 0; i < count; ++i) {
    if (!targets[i])
      return invalid("target " + Twine(i) + ": expected a name, but got null");
    auto facts = normc::supportedTarget(targets[i], why);
    if (!facts)
      return makeError(NORMC_ERROR_UNKNOWN_TARGET, why);
    if (llvm::is_contained(request.targets, facts->name))
      return invalid("expected each target once, but got \"" + facts->name +
                     "\" twice");
    // Under its own name: "host" and "cuda:native" are another one elsewhere.
    request.targets.push_back(facts->name);
  }
  return nullptr;
}

/// All that the bytes of a package depend on.
std::string keyOf(const normc_compiler &compiler, const Request &request) {
  std::vector<StringRef> parts = {compiler.build, request.source,
                                  compiler.options.toolkit.ptxas,
                                  compiler.options.toolkit.libdevice};
  parts.insert(parts.end(), request.targets.begin(), request.targets.end());
  return normc::capi::keyOf(parts);
}

normc_error *compileBytes(normc_compiler &compiler, const Request &request,
                          Bytes &bytes) {
  Contexts::Lease lease(compiler.contexts);
  mlir::MLIRContext &context = lease.get();
  DiagnosticCollector diagnostics(context);
  llvm::SourceMgr sources;
  mlir::OwningOpRef<mlir::ModuleOp> module = normc::parseSource(
      context, sources,
      llvm::MemoryBuffer::getMemBufferCopy(request.source, request.name));
  if (!module)
    return diagnostics.takeError(NORMC_ERROR_INVALID_SOURCE,
                                 "the source could not be read");
  normc::CompileOptions options = compiler.options;
  options.targets = request.targets;
  llvm::SmallVector<char, 0> package;
  if (mlir::failed(normc::compile(*module, options, package)))
    return diagnostics.takeError(NORMC_ERROR_COMPILATION_FAILED,
                                 "the source could not be compiled");
  bytes = std::make_shared<const llvm::SmallVector<char, 0>>(std::move(package));
  return nullptr;
}

normc_error *compileRequest(normc_compiler &compiler, const Request &request,
                            normc_package **package) {
  Found found;
  std::string key;
  if (compiler.cache) {
    key = keyOf(compiler, request);
    found = compiler.cache->find(key);
  }
  if (!found.bytes) {
    if (normc_error *error = compileBytes(compiler, request, found.bytes))
      return error;
    if (compiler.cache)
      if (std::string said = compiler.cache->insert(key, found.bytes); !said.empty())
        found.message += (found.message.empty() ? "" : "; ") + said;
  }
  *package = new normc_package{found.bytes, found.state, found.message};
  return nullptr;
}

normc_error *readToolkit(const char *ptxas, normc::nvvm::Toolkit &toolkit) {
  std::string why;
  auto found = normc::nvvm::findToolkit(ptxas ? ptxas : "", why);
  if (!found)
    return invalid("normc_compiler_options.ptxas: " + Twine(why));
  toolkit = *found;
  return nullptr;
}

/// Versions from the first, which 0, of a caller that set none, is not.
normc_error *checkVersion(uint32_t version) {
  constexpr uint32_t kMajor = 1000, kFirst = 1;
  static_assert(NORMC_VERSION_MAJOR == 0, "the first version of a major one is its .0");
  if (version >= kFirst && version <= NORMC_VERSION)
    return nullptr;
  auto named = [](uint32_t number) {
    return std::to_string(number / kMajor) + "." + std::to_string(number % kMajor);
  };
  return makeError(NORMC_ERROR_VERSION_MISMATCH,
                   "normc_compiler_options.version: expected " + named(kFirst) +
                       " to " + named(NORMC_VERSION) + ", but got " + named(version));
}

} // namespace

uint32_t normc_version() noexcept { return NORMC_VERSION; }

normc_error *normc_compiler_create(const normc_compiler_options *given,
                                   normc_compiler **compiler) noexcept {
  if (!compiler)
    return invalid("expected where to put the compiler, but got null");
  normc_compiler_options options = NORMC_COMPILER_OPTIONS_INIT;
  if (given)
    if (normc_error *error =
            readStruct(given, sizeof(normc_compiler_options), sizeof(options),
                       "normc_compiler_options", &options))
      return error;
  if (normc_error *error = checkVersion(options.version))
    return error;
  if (options.threads < 0 || options.threads > kMostThreads)
    return invalid("normc_compiler_options.threads: expected 0 to " +
                   Twine(kMostThreads) + ", but got " + Twine(options.threads));
  normc::CompileOptions all;
  all.embed_source = false;
  all.threads = static_cast<unsigned>(options.threads);
  if (normc_error *error = readToolkit(options.ptxas, all.toolkit))
    return error;
  std::string folder =
      options.cache_directory ? options.cache_directory : userCacheFolder();
  CacheLimits limits = {
      options.cache_memory_bytes ? options.cache_memory_bytes : kMemoryBytes,
      options.cache_disk_bytes ? options.cache_disk_bytes : kDiskBytes};
  *compiler = new normc_compiler(std::move(all), std::move(folder), limits,
                                 options.cache_disabled == 0);
  return nullptr;
}

void normc_compiler_release(normc_compiler *compiler) noexcept { delete compiler; }

normc_error *normc_compiler_compile(normc_compiler *compiler, const void *source,
                                    size_t source_bytes, const char *name,
                                    const char *const *targets, size_t target_count,
                                    normc_package **package) noexcept {
  if (!compiler || !source || !package)
    return invalid(Twine("expected ") +
                   (!compiler ? "a compiler"
                    : !source ? "a source"
                              : "where to put the package") +
                   ", but got null");
  Request request;
  request.source = StringRef(static_cast<const char *>(source), source_bytes);
  request.name = name ? name : "source";
  if (normc_error *error = readTargets(targets, target_count, request))
    return error;
  return compileRequest(*compiler, request, package);
}

normc_error *normc_compiler_compile_norm(normc_compiler *compiler,
                                         const normc_norm_descriptor *descriptor,
                                         const char *const *targets,
                                         size_t target_count,
                                         normc_package **package) noexcept {
  std::string source;
  if (normc_error *error = writeNorm(descriptor, source))
    return error;
  return normc_compiler_compile(compiler, source.data(), source.size(), "norm", targets,
                                target_count, package);
}

const void *normc_package_get_data(const normc_package *package) noexcept {
  return package ? package->bytes->data() : nullptr;
}

size_t normc_package_get_size(const normc_package *package) noexcept {
  return package ? package->bytes->size() : 0;
}

normc_cache_state normc_package_get_cache_state(const normc_package *package) noexcept {
  return package ? package->state : NORMC_CACHE_MISS;
}

const char *normc_package_get_cache_message(const normc_package *package) noexcept {
  return package ? package->message.c_str() : "";
}

void normc_package_release(normc_package *package) noexcept { delete package; }
