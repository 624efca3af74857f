/// \file normc.h
/// The compiler of normalization kernels, embedded: norm IR, or the description of a
/// norm, goes in; the bytes of a package come out, which the runtime (normrt.h) loads
/// and launches.
///
/// A program creates a compiler, compiles, hands the package's bytes to
/// normrt_package_load_memory, and releases both. A package that was compiled before
/// comes out of the compiler's cache.
///
/// Rules that hold for every function:
///  - A call that can fail returns null, or an error object that the caller releases.
///    On an error, what the call was to fill in is left untouched. Nothing aborts,
///    exits, throws or prints, and no option of LLVM is set.
///  - There is no global state. Any function may be called from any thread; one
///    compiler may be used by several threads at the same time. A handle must not be
///    used after it was released.
///  - Strings are UTF-8 and end in NUL. What a getter returns belongs to the handle
///    that was asked, and lives as long.
///  - A structure with a `struct_size` field is set by the caller to sizeof the
///    structure, as NORMC_COMPILER_OPTIONS_INIT does, so that a program built against
///    an older header keeps working with a newer library: fields are only ever appended
///    inside a major version, and what an older caller does not have has the value 0.
///
/// Since version 0.1 unless said otherwise.
#ifndef NORMC_C_NORMC_H
#define NORMC_C_NORMC_H

#include <stddef.h>
#include <stdint.h>

#if defined(NORMC_BUILDING)
#define NORMC_API __attribute__((visibility("default")))
#else
#define NORMC_API
#endif

#ifdef __cplusplus
#define NORMC_NOEXCEPT noexcept
extern "C" {
#else
#define NORMC_NOEXCEPT
#endif

#define NORMC_VERSION_MAJOR 0
#define NORMC_VERSION_MINOR 1
/// The version of this header as one number: major * 1000 + minor.
#define NORMC_VERSION (NORMC_VERSION_MAJOR * 1000 + NORMC_VERSION_MINOR)

/// The version of the library that runs, encoded as NORMC_VERSION.
NORMC_API uint32_t normc_version(void) NORMC_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// What went wrong. Values never change; new ones are added at the end.
typedef enum normc_error_code {
  /// A null handle, a bad count, a field out of its range.
  NORMC_ERROR_INVALID_ARGUMENT = 1,
  /// The caller's header is of another major version, or newer than the library.
  NORMC_ERROR_VERSION_MISMATCH = 2,
  /// The source is not valid IR; the locations say where.
  NORMC_ERROR_INVALID_SOURCE = 3,
  /// A target that is not known, or that this library makes no code for.
  NORMC_ERROR_UNKNOWN_TARGET = 4,
  /// The source is valid, but cannot be compiled for the target; the locations say
  /// which op.
  NORMC_ERROR_COMPILATION_FAILED = 5
} normc_error_code;

typedef struct normc_error normc_error;

/// A place in the source. `file` is the name that the source was given.
typedef struct normc_location {
  const char *file;
  /// From 1; 0 where it is not known.
  uint32_t line;
  uint32_t column;
  /// What is said of this place.
  const char *message;
} normc_location;

NORMC_API normc_error_code normc_error_get_code(const normc_error *error)
    NORMC_NOEXCEPT;

/// What was expected, why, and what was got. Not null.
NORMC_API const char *normc_error_get_message(const normc_error *error) NORMC_NOEXCEPT;

/// Number of places in the source that the error is about, those of its notes counted.
NORMC_API size_t normc_error_get_location_count(const normc_error *error)
    NORMC_NOEXCEPT;

/// Place `index`; one without a file for an index that is not below the count.
NORMC_API normc_location normc_error_get_location(const normc_error *error,
                                                  size_t index) NORMC_NOEXCEPT;

/// Frees an error. Null is ignored.
NORMC_API void normc_error_release(normc_error *error) NORMC_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Compilers
//===----------------------------------------------------------------------===//

typedef struct normc_compiler normc_compiler;

typedef struct normc_compiler_options {
  size_t struct_size;
  /// NORMC_VERSION, as the caller's header has it.
  uint32_t version;
  /// Kernels of one compilation that are worked on at once, each by a thread of its own
  /// while the calling one waits: 0 is as many as the process may run on, 1 starts no
  /// thread. At most 1024.
  int32_t threads;
  /// Folder of the cache on disk, made when it is first written to. Null is "normc" in
  /// the user's cache folder ($XDG_CACHE_HOME, else ~/.cache); "" keeps nothing on
  /// disk. A folder that cannot be written to is no error:
  /// normc_package_get_cache_message says so.
  const char *cache_directory;
  /// Bytes of packages that are kept on disk (0: 512 MiB; the least recently used go
  /// first) and in memory (0: 64 MiB).
  uint64_t cache_disk_bytes;
  uint64_t cache_memory_bytes;
  /// Nonzero: no cache at all, on disk or in memory.
  int32_t cache_disabled;
  /// CUDA targets: the path of ptxas. Null takes the first of $PATH, $CUDA_HOME and
  /// /usr/local/cuda, "off" none: packages hold PTX then, which the driver compiles
  /// when they are loaded.
  const char *ptxas;
} normc_compiler_options;

#define NORMC_COMPILER_OPTIONS_INIT                                                    \
  {sizeof(normc_compiler_options), NORMC_VERSION, 0, NULL, 0, 0, 0, NULL}

/// Makes a compiler. Fails for options out of their range and for another version.
/// \param options   null is NORMC_COMPILER_OPTIONS_INIT.
/// \param compiler  receives the handle. Not null.
NORMC_API normc_error *normc_compiler_create(const normc_compiler_options *options,
                                             normc_compiler **compiler) NORMC_NOEXCEPT;

/// Frees a compiler once no call on it runs any more. Packages outlive it. Null is
/// ignored.
NORMC_API void normc_compiler_release(normc_compiler *compiler) NORMC_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Packages
//===----------------------------------------------------------------------===//

typedef struct normc_package normc_package;

/// Where a package came from.
typedef enum normc_cache_state {
  NORMC_CACHE_MISS = 0,
  NORMC_CACHE_MEMORY = 1,
  NORMC_CACHE_DISK = 2
} normc_cache_state;

/// The bytes of a package file, as normc writes it, and their number.
NORMC_API const void *
normc_package_get_data(const normc_package *package) NORMC_NOEXCEPT;
NORMC_API size_t normc_package_get_size(const normc_package *package) NORMC_NOEXCEPT;

NORMC_API normc_cache_state normc_package_get_cache_state(const normc_package *package)
    NORMC_NOEXCEPT;

/// What was wrong with the cache on disk on the way to this package: a folder that
/// cannot be written, an entry that was not as it was written and was compiled again.
/// "" if nothing. Not null.
NORMC_API const char *
normc_package_get_cache_message(const normc_package *package) NORMC_NOEXCEPT;

/// Frees a package. What was loaded from its bytes stays loaded. Null is ignored.
NORMC_API void normc_package_release(normc_package *package) NORMC_NOEXCEPT;

/// Compiles MLIR text or bytecode: every function is an entry of the package. Either
/// may come from anyone. Bytecode is read by a copy of the process (fork), because
/// MLIR's reader does not survive every damage; where none can be started it is
/// INVALID_SOURCE.
/// \param source        `source_bytes` bytes, not null; text needs no NUL.
/// \param name          what locations call the source; null is "source".
/// \param targets       `target_count` names as of normc --target: "host",
///                      "cuda:sm_90". At least one, none twice.
/// \param package       receives the package. Not null.
/// \return INVALID_SOURCE, UNKNOWN_TARGET, COMPILATION_FAILED, INVALID_ARGUMENT.
NORMC_API normc_error *normc_compiler_compile(normc_compiler *compiler,
                                              const void *source, size_t source_bytes,
                                              const char *name,
                                              const char *const *targets,
                                              size_t target_count,
                                              normc_package **package) NORMC_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Norms without IR
//===----------------------------------------------------------------------===//

typedef enum normc_op {
  NORMC_OP_LAYER_NORM = 1,
  NORMC_OP_LAYER_NORM_BACKWARD = 2,
  NORMC_OP_RMS_NORM = 3,
  NORMC_OP_RMS_NORM_BACKWARD = 4,
  NORMC_OP_DYT = 5,
  NORMC_OP_DYT_BACKWARD = 6
} normc_op;

/// An element type. ABSENT: the parameter is not there, the result is not wanted.
typedef enum normc_type {
  NORMC_TYPE_ABSENT = 0,
  NORMC_TYPE_F16 = 1,
  NORMC_TYPE_BF16 = 2,
  NORMC_TYPE_F32 = 3,
  NORMC_TYPE_F64 = 4
} normc_type;

/// rms_norm: whether the normalized row is rounded to x's type before the product with
/// the weight (Hugging Face's Llama) or is not (PyTorch, Gemma).
typedef enum normc_cast {
  NORMC_CAST_AFTER_WEIGHT = 0,
  NORMC_CAST_BEFORE_WEIGHT = 1
} normc_cast;

typedef enum normc_activation {
  NORMC_ACTIVATION_TANH = 0,
  NORMC_ACTIVATION_ERF = 1
} normc_activation;

/// dyt: the hardware's tanh (2^-11 relative) for a result of f16 or bf16 alone, never,
/// or always.
typedef enum normc_accuracy {
  NORMC_ACCURACY_AUTO = 0,
  NORMC_ACCURACY_EXACT = 1,
  NORMC_ACCURACY_APPROXIMATE = 2
} normc_accuracy;

/// A dimension that is known at launch only.
#define NORMC_DYNAMIC (-1)

/// One norm. The package has one entry, "layer_norm", "dyt_backward" and so on; its
/// parameters are those of the op that are present, by the names and in the order of
/// the fields below; mean and rstd follow x where they are inputs, and y where they are
/// results. x has `rank` dimensions of which the last `norm_dims` are normalized (a
/// row); weight, bias, dweight and dbias have the shape of those, mean and rstd of the
/// others, alpha, shift, dalpha and dshift have the shape [1].
///
/// A field that the op does not have must be 0: that is an error, as is a descriptor
/// that asks for no result.
typedef struct normc_norm_descriptor {
  size_t struct_size;
  normc_op op;
  /// Dimensions of x; 0 is 2.
  int32_t rank;
  /// Of these normalized; 0 is 1.
  int32_t norm_dims;
  /// `rank` sizes, NORMC_DYNAMIC where known at launch only; a normalized dimension is
  /// at least 1. Null: all dynamic. Static normalized dimensions make the faster
  /// kernels.
  const int64_t *shape;

  /// Inputs. dy: backwards, required there. mean (layer_norm), rstd (layer_norm,
  /// rms_norm) of the backward have the type that the op fixes (f64 where x has it,
  /// else f32).
  normc_type dy;
  normc_type x;
  normc_type alpha;
  normc_type shift;
  normc_type weight;
  normc_type bias;

  /// Results of a forward. Nonzero statistics: mean and rstd, or rstd, are stored as
  /// well.
  normc_type y;
  int32_t statistics;

  /// Results of a backward.
  normc_type dx;
  normc_type dalpha;
  normc_type dshift;
  normc_type dweight;
  normc_type dbias;

  /// Forward of layer_norm and rms_norm: at least 0, and finite in the op's arithmetic
  /// (f64 where one of the types is, else f32); there is no default.
  double epsilon;
  /// layer_norm and rms_norm: what is added to the weight; 0 where there is none.
  double weight_offset;
  normc_cast cast;
  normc_activation activation;
  normc_accuracy accuracy;
} normc_norm_descriptor;

/// Compiles one norm. As normc_compiler_compile; a descriptor that contradicts itself
/// is INVALID_ARGUMENT, and the message names the field.
NORMC_API normc_error *
normc_compiler_compile_norm(normc_compiler *compiler,
                            const normc_norm_descriptor *descriptor,
                            const char *const *targets, size_t target_count,
                            normc_package **package) NORMC_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif // NORMC_C_NORMC_H
