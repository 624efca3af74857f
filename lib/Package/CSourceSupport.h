//===- CSourceSupport.h - What every generated C source has -------------------===//
//
// Text, not code of the compiler. PREFIX stands for the name that the user gave.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_LIB_PACKAGE_CSOURCESUPPORT_H
#define NORMC_LIB_PACKAGE_CSOURCESUPPORT_H

#include "llvm/ADT/StringRef.h"

namespace normc::package {

inline constexpr llvm::StringLiteral kHeaderComment =
    R"( *
 * Kernels and their launches, for CUDA's driver API alone. Compile the source beside this
 * header with any C11 compiler and link libcuda.
 *
 * A launch allocates nothing and waits for nothing, and may be captured into a graph. It
 * answers CUDA_ERROR_INVALID_VALUE, before anything is launched, for sizes that are
 * negative or too large, pointers that are not aligned to their elements, an output that
 * overlaps another buffer, and a workspace that is too small or not aligned to 256 bytes;
 * else what the driver says. The context in which the kernels were loaded is current.
 */
)";

/// formatv: {0} is the prefix.
inline constexpr const char *kHeaderFunctions =
    R"(typedef struct {0}_kernels {0}_kernels;

/* Loads the kernels into the current context. */
CUresult {0}_load({0}_kernels **kernels);

/* Unloads them; null is ignored. No launch may be under way. */
void {0}_unload({0}_kernels *kernels);
)";

inline constexpr llvm::StringLiteral kSupport = R"(
#if defined(__GNUC__)
/* Not every plan uses all of what follows. */
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

/* What was asked of the driver at load. */
struct PREFIX_kernels {
  CUmodule modules[BLOBS];
  CUfunction functions[KERNELS];
  struct {
    int64_t resident, clusters;
    int runnable;
  } launches[LAUNCHES];
  int64_t compute_units;
  int dependent_launches;
};

typedef struct {
  uintptr_t address;
  int64_t bytes;
  int written;
} buffer;

static inline int64_t floordiv(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
static inline int64_t ceildiv(int64_t a, int64_t b) {
  return a / b + (a % b != 0 && (a < 0) == (b < 0));
}
static inline int64_t mod(int64_t a, int64_t b) { return a - floordiv(a, b) * b; }
static inline int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t round_up(int64_t bytes) { return (bytes + 255) / 256 * 256; }

/* No dimension is negative, and all bytes together leave room for arithmetic. */
static int size_fits(const int64_t *shape, int rank, int64_t element_bytes) {
  int64_t room = INT64_MAX / 64 / element_bytes;
  for (int i = 0; i < rank; ++i) {
    if (shape[i] < 0)
      return 0;
    if (shape[i] > 0)
      room /= shape[i];
  }
  return room > 0;
}

static int64_t size_of(const int64_t *shape, int rank, int64_t element_bytes) {
  int64_t bytes = element_bytes;
  for (int i = 0; i < rank; ++i)
    bytes *= shape[i];
  return bytes;
}

static inline int64_t stride_of(const int64_t *shape, int rank, int dim) {
  int64_t stride = 1;
  for (int i = dim + 1; i < rank; ++i)
    stride *= shape[i];
  return stride;
}

static inline int is_aligned(uintptr_t address, const int64_t *shape, int rank,
                             int inner, int64_t element_bytes, int64_t bytes) {
  if (size_of(shape, rank, 1) == 0)
    return 1;
  if (address % (uintptr_t)bytes != 0)
    return 0;
  for (int i = 0; i < rank - inner; ++i)
    if (shape[i] != 1 &&
        stride_of(shape, rank, i) % bytes * element_bytes % bytes != 0)
      return 0;
  return 1;
}

/* What is written overlaps nothing else; what has bytes has an address. */
static int buffers_fit(const buffer *all, int count) {
  for (int i = 0; i < count; ++i) {
    if (all[i].bytes > 0 && all[i].address == 0)
      return 0;
    for (int j = 0; j < count; ++j)
      if (all[i].written && i != j && all[i].bytes > 0 && all[j].bytes > 0 &&
          all[i].address < all[j].address + (uintptr_t)all[j].bytes &&
          all[j].address < all[i].address + (uintptr_t)all[i].bytes)
        return 0;
  }
  return 1;
}

static inline int workspace_fits(const void *workspace, size_t bytes, int64_t need) {
  return workspace && (uintptr_t)workspace % 256 == 0 && bytes >= (size_t)need;
}

static int runnable(const PREFIX_kernels_type *kernels, int first, int count) {
  for (int i = 0; i < count; ++i)
    if (!kernels->launches[first + i].runnable)
      return 0;
  return 1;
}

static CUresult launch(const PREFIX_kernels_type *kernels, int index, int64_t grid,
                       int64_t *arguments, int count, CUstream stream) {
  void *parameters[64];
  CUlaunchAttribute attributes[2];
  CUlaunchConfig config = {0};
  if (grid == 0)
    return CUDA_SUCCESS;
  if (grid < 0 || grid > 0x7fffffff || count > 64)
    return CUDA_ERROR_INVALID_VALUE;
  for (int i = 0; i < count; ++i)
    parameters[i] = &arguments[i];
  config.gridDimX = (unsigned)grid;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = launch_infos[index].workgroup_size;
  config.sharedMemBytes = launch_infos[index].shared_bytes;
  config.hStream = stream;
  config.attrs = attributes;
  if (launch_infos[index].cluster_size > 1) {
    CUlaunchAttribute *attribute = &attributes[config.numAttrs++];
    attribute->id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute->value.clusterDim.x = launch_infos[index].cluster_size;
    attribute->value.clusterDim.y = attribute->value.clusterDim.z = 1;
  }
  if (launch_infos[index].dependent && kernels->dependent_launches) {
    CUlaunchAttribute *attribute = &attributes[config.numAttrs++];
    attribute->id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute->value.programmaticStreamSerializationAllowed = 1;
  }
  return cuLaunchKernelEx(&config, kernels->functions[launch_infos[index].kernel],
                          parameters, NULL);
}

/* The module of a blob, or of the first of its alternatives that the driver takes. */
static CUresult find_module(PREFIX_kernels_type *kernels, int blob, CUmodule *module) {
  CUresult first = CUDA_SUCCESS;
  for (; blob >= 0; blob = blobs[blob].alternative) {
    CUresult result = CUDA_SUCCESS;
    if (!kernels->modules[blob])
      result = cuModuleLoadData(&kernels->modules[blob], blobs[blob].image);
    if (result == CUDA_SUCCESS) {
      *module = kernels->modules[blob];
      return CUDA_SUCCESS;
    }
    kernels->modules[blob] = NULL;
    first = first == CUDA_SUCCESS ? result : first;
  }
  return first;
}

/* Whether a launch can run on this device, and how much of it is resident. */
static CUresult prepare(PREFIX_kernels_type *kernels, int index, int max_shared_bytes,
                        int has_clusters) {
  CUfunction function = kernels->functions[launch_infos[index].kernel];
  int threads = 0, static_bytes = 0, blocks = 0, clusters = 0;
  const int shared = (int)launch_infos[index].shared_bytes;
  const unsigned size = launch_infos[index].workgroup_size;
  const unsigned cluster = launch_infos[index].cluster_size;
  CUresult result;
  if ((result = cuFuncGetAttribute(
           &threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function)) ||
      (result = cuFuncGetAttribute(
           &static_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function)))
    return result;
  if ((int)size > threads || static_bytes + shared > max_shared_bytes ||
      (cluster > 1 && !has_clusters))
    return CUDA_SUCCESS;
  /* Of a kernel that several launches use the largest is kept. */
  for (int i = 0; i < LAUNCHES; ++i)
    if (launch_infos[i].kernel == launch_infos[index].kernel &&
        (int)launch_infos[i].shared_bytes > shared)
      goto has_room;
  if (shared > 0 &&
      (result = cuFuncSetAttribute(
           function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared)))
    return result;
has_room:
  if (cluster > 8 &&
      (result = cuFuncSetAttribute(
           function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)))
    return result;
  if ((result = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function,
                                                            (int)size,
                                                            (size_t)shared)))
    return result;
  if (cluster > 1) {
    CUlaunchAttribute attribute;
    CUlaunchConfig config = {0};
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim.x = cluster;
    attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
    config.gridDimX = cluster;
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.blockDimX = size;
    config.sharedMemBytes = (unsigned)shared;
    config.attrs = &attribute;
    config.numAttrs = 1;
    /* A size past the device's is none. */
    if (cuOccupancyMaxActiveClusters(&clusters, function, &config) != CUDA_SUCCESS)
      clusters = 0;
  }
  kernels->launches[index].resident = blocks;
  kernels->launches[index].clusters = clusters;
  kernels->launches[index].runnable = blocks > 0 && (cluster == 1 || clusters > 0);
  return CUDA_SUCCESS;
}

static CUresult load(PREFIX_kernels_type *kernels) {
  CUdevice device;
  CUresult result;
  int units = 0, shared = 0, clusters = 0, major = 0, driver = 0;
  if ((result = cuCtxGetDevice(&device)) ||
      (result = cuDeviceGetAttribute(
           &units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device)) ||
      (result = cuDeviceGetAttribute(
           &shared, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device)) ||
      (result = cuDeviceGetAttribute(&clusters, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH,
                                     device)) ||
      (result = cuDeviceGetAttribute(
           &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device)) ||
      (result = cuDriverGetVersion(&driver)))
    return result;
  kernels->compute_units = units;
  /* In captured graphs too from this driver on. */
  kernels->dependent_launches = major >= 9 && driver >= 12030;
  for (int i = 0; i < KERNELS; ++i) {
    CUmodule module;
    if ((result = find_module(kernels, kernel_infos[i].blob, &module)) ||
        (result = cuModuleGetFunction(&kernels->functions[i], module,
                                      kernel_infos[i].name)))
      return result;
  }
  for (int i = 0; i < LAUNCHES && launch_infos[i].workgroup_size > 0; ++i)
    if ((result = prepare(kernels, i, shared, clusters)))
      return result;
  return CUDA_SUCCESS;
}

CUresult PREFIX_load(PREFIX_kernels **kernels) {
  CUresult result;
  PREFIX_kernels *loaded;
  if (!kernels)
    return CUDA_ERROR_INVALID_VALUE;
  loaded = calloc(1, sizeof(*loaded));
  if (!loaded)
    return CUDA_ERROR_OUT_OF_MEMORY;
  if ((result = load(loaded))) {
    PREFIX_unload(loaded);
    return result;
  }
  *kernels = loaded;
  return CUDA_SUCCESS;
}

void PREFIX_unload(PREFIX_kernels *kernels) {
  if (!kernels)
    return;
  for (int i = 0; i < BLOBS; ++i)
    if (kernels->modules[i])
      cuModuleUnload(kernels->modules[i]);
  free(kernels);
}
)";

} // namespace normc::package

#endif // NORMC_LIB_PACKAGE_CSOURCESUPPORT_H
