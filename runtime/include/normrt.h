/// \file normrt.h
/// The runtime of normc: loads packages of normalization kernels and launches them.
///
/// A program opens a device, loads a package on it, finds an entry, asks how much
/// workspace the entry needs for its tensors, and launches. Tensors are DLPack's
/// DLTensor. The library needs neither LLVM nor a GPU driver to load.
///
/// Rules that hold for every function:
///  - Every call returns a status (or a plain value that cannot fail). Nothing aborts,
///    exits, throws or prints. On any status but NORMRT_STATUS_OK, outputs (pointers
///    and tensors alike) are left untouched, and normrt_last_error_message() says what
///    was expected, why, and what was got.
///  - Handles are reference counted. All functions may be called from any thread; a
///    handle must not be used after its last reference was released.
///  - Sizes ending in `bytes` are bytes, strides are elements, shapes are elements.
///  - Strings are UTF-8 and end in NUL. Strings and arrays that a query returns belong
///    to the handle they were asked from and live as long as it does.
///  - A structure with a `struct_size` field is set by the caller to sizeof the
///    structure, so that a program built against an older header keeps working with a
///    newer library.
///
/// Since version 0.1 unless said otherwise.
#ifndef NORMRT_H
#define NORMRT_H

#include <dlpack/dlpack.h>
#include <stddef.h>
#include <stdint.h>

#if defined(NORMRT_BUILDING)
#define NORMRT_API __attribute__((visibility("default")))
#else
#define NORMRT_API
#endif

#ifdef __cplusplus
#define NORMRT_NOEXCEPT noexcept
extern "C" {
#else
#define NORMRT_NOEXCEPT
#endif

#define NORMRT_VERSION_MAJOR 0
#define NORMRT_VERSION_MINOR 1
#define NORMRT_VERSION_PATCH 0
/// The version of this header as one number: major * 1000000 + minor * 1000 + patch.
#define NORMRT_VERSION                                                                 \
  (NORMRT_VERSION_MAJOR * 1000000 + NORMRT_VERSION_MINOR * 1000 + NORMRT_VERSION_PATCH)

/// The package format that this library reads.
#define NORMRT_PACKAGE_FORMAT_VERSION 1

/// Alignment, in bytes, of a workspace that the caller owns.
#define NORMRT_WORKSPACE_ALIGNMENT 256

/// The version of the library that runs, encoded as NORMRT_VERSION.
NORMRT_API uint32_t normrt_version(void) NORMRT_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Statuses
//===----------------------------------------------------------------------===//

/// What a call came to. Values never change; new ones are added at the end.
typedef enum normrt_status {
  NORMRT_STATUS_OK = 0,
  /// An argument that no tensor rule covers: a null pointer, a wrong count, an option.
  NORMRT_STATUS_INVALID_ARGUMENT = 1,
  /// No device, entry or file of that name.
  NORMRT_STATUS_NOT_FOUND = 2,
  /// The request is well formed, but this library or device cannot do it.
  NORMRT_STATUS_UNSUPPORTED = 3,
  /// The bytes are not a package, or not as they were written.
  NORMRT_STATUS_CORRUPTED = 4,
  /// The package ends before its header says that it does.
  NORMRT_STATUS_TRUNCATED = 5,
  /// The package has a format version that this library does not read.
  NORMRT_STATUS_VERSION_MISMATCH = 6,
  /// No target in the package runs on this device.
  NORMRT_STATUS_ARCHITECTURE_MISMATCH = 7,
  /// The system's loader or the driver refused a kernel binary.
  NORMRT_STATUS_LOAD_FAILED = 8,
  /// A file exists but could not be read.
  NORMRT_STATUS_IO_ERROR = 9,
  NORMRT_STATUS_OUT_OF_MEMORY = 10,
  /// A tensor's rank or a dimension differs from what the entry demands.
  NORMRT_STATUS_SHAPE_MISMATCH = 11,
  /// A tensor's element type differs from the parameter's.
  NORMRT_STATUS_TYPE_MISMATCH = 12,
  /// A tensor lies on another kind of device than the package was loaded on.
  NORMRT_STATUS_DEVICE_MISMATCH = 13,
  /// A tensor's strides are not what the parameter demands.
  NORMRT_STATUS_STRIDE_MISMATCH = 14,
  /// A data pointer or the workspace is not aligned.
  NORMRT_STATUS_MISALIGNED = 15,
  /// An output shares bytes with an input, an output, the workspace or itself.
  NORMRT_STATUS_OVERLAP = 16,
  NORMRT_STATUS_WORKSPACE_TOO_SMALL = 17,
  /// A size does not fit in 64 bits.
  NORMRT_STATUS_OVERFLOW = 18,
  /// A fault of this library or of the package's producer.
  NORMRT_STATUS_INTERNAL = 19,
  /// The device or its driver failed: a kernel of this or an earlier launch went wrong,
  /// or the device was lost. The message has the driver's own code. Nothing works on
  /// the device in this process from then on.
  NORMRT_STATUS_DEVICE_ERROR = 20
} normrt_status;

/// The name of a status in lower case ("shape_mismatch"), "unknown" for any other
/// number. Never null; static storage.
NORMRT_API const char *normrt_status_name(normrt_status status) NORMRT_NOEXCEPT;

/// The message of the last call on this thread that returned a status other than
/// NORMRT_STATUS_OK, and "" before the first. Never null. Valid until the next failing
/// call on the same thread; successful calls leave it.
NORMRT_API const char *normrt_last_error_message(void) NORMRT_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

typedef struct normrt_device normrt_device;

/// Opens a device by name.
///
/// "host" is the machine's own cores: as many threads as the process may use (its
/// affinity mask), the calling thread counted. "host:N" is N threads, 1 <= N <= 1024.
/// Every such call opens a device with threads of its own: open one and share it.
///
/// "cuda:N" is the CUDA device that the driver numbers N, "cuda" the first. It is used
/// through its primary context, which is that of the CUDA runtime, so memory and
/// streams of cudaMalloc, cudaStreamCreate and the frameworks on top of them can be
/// passed. What context the caller has current does not matter and is not changed. The
/// driver (libcuda.so.1, 12.0 or newer) is opened by the first such call.
///
/// "level_zero:N" is the Nth GPU of the Level Zero drivers, "level_zero" the first,
/// "level_zero:N.T" tile T of it. The loader (libze_loader.so.1, API 1.4 or newer) is
/// opened by the first such call. The device gets a context of its own; memory and
/// command lists of another one, as a framework's, need normrt_device_open_level_zero.
///
/// \param name    not null.
/// \param device  receives a handle with one reference. Not null.
/// \return INVALID_ARGUMENT for a malformed name, NOT_FOUND for a name that no backend
///         knows, without a driver, and for a number past the last device, UNSUPPORTED
///         for a driver that is too old, OUT_OF_MEMORY when threads cannot be started,
///         DEVICE_ERROR for other failures of the driver.
NORMRT_API normrt_status normrt_device_open(const char *name,
                                            normrt_device **device) NORMRT_NOEXCEPT;

/// Opens a Level Zero device with a context of the caller's, so that memory and command
/// lists of that context can be passed.
///
/// \param ze_device   a ze_device_handle_t, of a GPU or a tile of one. Not null.
/// \param ze_context  a ze_context_handle_t of its driver, which must outlive the
///                    device. Not null.
/// \return as normrt_device_open; NOT_FOUND for a device that is none of the drivers'.
NORMRT_API normrt_status normrt_device_open_level_zero(
    void *ze_device, void *ze_context, normrt_device **device) NORMRT_NOEXCEPT;

/// The driver's own handles of a Level Zero device: its ze_device_handle_t and the
/// ze_context_handle_t that its memory is of. They belong to the device.
/// \return UNSUPPORTED on other devices, INVALID_ARGUMENT for null.
NORMRT_API normrt_status normrt_device_native(const normrt_device *device,
                                              void **native_device,
                                              void **native_context) NORMRT_NOEXCEPT;

/// Adds a reference. Null is ignored.
NORMRT_API void normrt_device_retain(normrt_device *device) NORMRT_NOEXCEPT;

/// Drops a reference; the last one ends the device's threads and frees its memory. Null
/// is ignored. Packages hold references of their own.
NORMRT_API void normrt_device_release(normrt_device *device) NORMRT_NOEXCEPT;

/// The number of threads that run kernels, the caller's included; 0 for a device that
/// is not the host, and for null.
NORMRT_API int32_t normrt_device_thread_count(const normrt_device *device)
    NORMRT_NOEXCEPT;

/// What the device is, for people ("host, x86_64, x86-64-v4, 2 threads"); "" for null.
NORMRT_API const char *
normrt_device_description(const normrt_device *device) NORMRT_NOEXCEPT;

/// Frees the workspaces that the device keeps between launches that brought none. Null
/// is ignored. Running launches are not disturbed.
NORMRT_API void normrt_device_trim(normrt_device *device) NORMRT_NOEXCEPT;

/// What a device is, for programs. Numbers that a backend does not have are 0.
typedef struct normrt_device_info {
  size_t struct_size;
  /// "NVIDIA H200"; for the host its feature level.
  const char *name;
  /// "sm_90", "x86_64": what packages are compiled for.
  const char *architecture;
  /// What DLTensor.device must be.
  DLDevice device;
  /// Multiprocessors, or the host's threads.
  int32_t compute_units;
  int32_t subgroup_size;
  int32_t max_workgroup_size;
  /// 1 where workgroups can form clusters, else 0.
  int32_t clusters;
  /// The most memory that a workgroup can have for itself, static and dynamic.
  int64_t max_shared_bytes;
  int64_t l2_bytes;
  int64_t memory_bytes;
} normrt_device_info;

/// Describes a device. `info->struct_size` is set by the caller.
/// \return INVALID_ARGUMENT for a null argument or a struct_size that is not sizeof the
///         structure.
NORMRT_API normrt_status normrt_device_query(const normrt_device *device,
                                             normrt_device_info *info) NORMRT_NOEXCEPT;

/// Waits until the device has finished everything that was launched on it, by anyone in
/// this process.
/// \return DEVICE_ERROR for a kernel that went wrong; INVALID_ARGUMENT for null.
NORMRT_API normrt_status normrt_device_synchronize(normrt_device *device)
    NORMRT_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Memory, streams and timing, for programs that have no other library for them
//===----------------------------------------------------------------------===//

/// Allocates memory on a device, aligned to NORMRT_WORKSPACE_ALIGNMENT; on the host it
/// is the process's own.
/// \param bytes   0 gives null.
/// \param memory  receives the address. Not null.
/// \return OUT_OF_MEMORY, INVALID_ARGUMENT for null, DEVICE_ERROR.
NORMRT_API normrt_status normrt_memory_allocate(normrt_device *device, size_t bytes,
                                                void **memory) NORMRT_NOEXCEPT;

/// Frees what normrt_memory_allocate gave on the same device. Waits for launches that
/// may use it. Null is ignored.
NORMRT_API normrt_status normrt_memory_free(normrt_device *device,
                                            void *memory) NORMRT_NOEXCEPT;

/// Copies from the process's memory to the device's, and is done on return. On CUDA as
/// on the legacy default stream: launches on streams that do not wait for that one must
/// have finished (normrt_stream_synchronize). So for the two below.
NORMRT_API normrt_status normrt_memory_copy_to_device(normrt_device *device, void *to,
                                                      const void *from,
                                                      size_t bytes) NORMRT_NOEXCEPT;

/// Copies from the device's memory to the process's, and is done on return.
NORMRT_API normrt_status normrt_memory_copy_from_device(normrt_device *device, void *to,
                                                        const void *from,
                                                        size_t bytes) NORMRT_NOEXCEPT;

/// Sets bytes of the device's memory, and is done on return.
NORMRT_API normrt_status normrt_memory_fill(normrt_device *device, void *memory,
                                            uint8_t value,
                                            size_t bytes) NORMRT_NOEXCEPT;

/// Creates a stream for normrt_launch_options.stream: on CUDA a CUstream that does not
/// wait for the legacy default stream.
/// \return UNSUPPORTED on the host, as for all functions of streams and graphs.
NORMRT_API normrt_status normrt_stream_create(normrt_device *device,
                                              void **stream) NORMRT_NOEXCEPT;

/// Destroys a stream once what is on it has finished; does not wait for that. Null is
/// ignored.
NORMRT_API normrt_status normrt_stream_destroy(normrt_device *device,
                                               void *stream) NORMRT_NOEXCEPT;

/// Waits until everything on a stream has finished. Null is the legacy default stream.
NORMRT_API normrt_status normrt_stream_synchronize(normrt_device *device,
                                                   void *stream) NORMRT_NOEXCEPT;

/// Launches that were captured on a stream. Holds a reference to its device. The
/// tensors, workspaces and packages of the launches must live as long as it is run.
typedef struct normrt_graph normrt_graph;

/// From here on, launches on the stream are captured instead of run. They need a
/// workspace of the caller's where they need one.
/// \param stream  not null, as the legacy default stream cannot be captured.
NORMRT_API normrt_status normrt_graph_begin(normrt_device *device,
                                            void *stream) NORMRT_NOEXCEPT;

/// Ends the capture on a stream, on the thread that began it.
/// \param graph  receives the launches since, ready to run. Not null.
NORMRT_API normrt_status normrt_graph_end(normrt_device *device, void *stream,
                                          normrt_graph **graph) NORMRT_NOEXCEPT;

/// Waits for the device, runs the graph `repeats` times back to back and waits. The
/// times are the device's own, from the end of one repeat to the end of the next, so
/// what a repeat costs beyond its kernels is in them once: put many launches into a
/// graph. The first repeat also warms up.
/// \param repeats  1 to 1,000,000.
/// \param seconds  receives `repeats` times. Not null.
NORMRT_API normrt_status normrt_graph_time(normrt_graph *graph, int32_t repeats,
                                           double *seconds) NORMRT_NOEXCEPT;

/// Destroys a graph that is not running. Null is ignored.
NORMRT_API void normrt_graph_release(normrt_graph *graph) NORMRT_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Packages
//===----------------------------------------------------------------------===//

typedef struct normrt_package normrt_package;
typedef struct normrt_entry normrt_entry;

/// Loads a package from memory.
///
/// Everything is verified before anything is used: header, size, checksums, structure,
/// and every index, enumerator and expression. Of several targets in the package the
/// best one that the device runs is taken (for the host: same architecture, highest
/// feature level that this processor has; for CUDA: the device's own architecture, else
/// code for an earlier one of the same major number, else PTX, which the driver
/// compiles here), and its kernels are handed to the loader. Variants whose launches
/// the device has no room for are never taken. Verification finds damage, it is not a
/// defense: a package holds machine code, so load only packages whose origin you trust.
///
/// \param device   not null; the package holds a reference to it.
/// \param data     `size` bytes, any alignment; copied, may be freed after the call.
///                 Null only for size 0.
/// \param package  receives a handle with one reference. Not null.
/// \return CORRUPTED, TRUNCATED, VERSION_MISMATCH, ARCHITECTURE_MISMATCH, LOAD_FAILED,
///         OUT_OF_MEMORY, UNSUPPORTED when the last variant of an entry needs more than
///         the device has, DEVICE_ERROR, or INVALID_ARGUMENT for a null argument.
NORMRT_API normrt_status
normrt_package_load_memory(normrt_device *device, const void *data, size_t size,
                           normrt_package **package) NORMRT_NOEXCEPT;

/// Loads a package from a file. As normrt_package_load_memory, and NOT_FOUND when there
/// is no such file, IO_ERROR when it cannot be read.
NORMRT_API normrt_status normrt_package_load_file(
    normrt_device *device, const char *path, normrt_package **package) NORMRT_NOEXCEPT;

/// Adds a reference. Null is ignored.
NORMRT_API void normrt_package_retain(normrt_package *package) NORMRT_NOEXCEPT;

/// Drops a reference; the last one unloads the kernels. Null is ignored. No launch of
/// its entries may be running then.
NORMRT_API void normrt_package_release(normrt_package *package) NORMRT_NOEXCEPT;

/// The number of entries of the package's chosen target; 0 for null.
NORMRT_API int32_t normrt_package_entry_count(const normrt_package *package)
    NORMRT_NOEXCEPT;

/// The entry at an index, in the order of the source. The entry belongs to the package
/// and lives as long as it does; normrt_entry_retain extends that.
/// \return INVALID_ARGUMENT for a null argument or an index out of range.
NORMRT_API normrt_status normrt_package_entry(normrt_package *package, int32_t index,
                                              normrt_entry **entry) NORMRT_NOEXCEPT;

/// The entry of a name, owned as by normrt_package_entry.
/// \return NOT_FOUND names the entries that there are; INVALID_ARGUMENT for null.
NORMRT_API normrt_status normrt_package_find_entry(
    normrt_package *package, const char *name, normrt_entry **entry) NORMRT_NOEXCEPT;

/// Adds a reference to the package that the entry belongs to. Null is ignored.
NORMRT_API void normrt_entry_retain(normrt_entry *entry) NORMRT_NOEXCEPT;

/// Drops a reference that normrt_entry_retain added. Null is ignored.
NORMRT_API void normrt_entry_release(normrt_entry *entry) NORMRT_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Options of a launch. Zero everything but `struct_size` for the defaults.
typedef struct normrt_launch_options {
  /// sizeof(normrt_launch_options). Bytes past the library's own structure must be
  /// zero.
  size_t struct_size;
  /// The stream to launch on. Null on the host, whose launches are synchronous. On CUDA
  /// a CUstream (or cudaStream_t) of the device; null is the legacy default stream.
  void *stream;
  /// Scratch memory on the device, aligned to NORMRT_WORKSPACE_ALIGNMENT, owned by the
  /// caller and not used by another launch at the same time. Its contents do not matter
  /// before and mean nothing after. Null lets the runtime bring its own, which on CUDA
  /// it allocates in the stream's order and refuses to while the stream is captured.
  void *workspace;
  /// Size of `workspace`: at least what normrt_entry_workspace_size answers for the
  /// same tensors is always enough.
  size_t workspace_bytes;
} normrt_launch_options;

/// The workspace that a launch with tensors of these shapes can need.
///
/// The largest need of all variants that tensors of these shapes can take, whatever
/// their strides and alignment. Reads types, ranks and shapes; data and strides are not
/// read, and data may be null.
///
/// \param tensors  `count` tensors in the order of the parameters. Not null.
/// \param bytes    receives the size, 0 when none is needed. Not null.
/// \return INVALID_ARGUMENT, DEVICE_MISMATCH, TYPE_MISMATCH, SHAPE_MISMATCH or
///         OVERFLOW.
NORMRT_API normrt_status normrt_entry_workspace_size(const normrt_entry *entry,
                                                     const DLTensor *const *tensors,
                                                     int32_t count,
                                                     size_t *bytes) NORMRT_NOEXCEPT;

/// The shape of one parameter, from the shapes of the others.
///
/// \param tensors  `count` pointers in the order of the parameters; null where the
///                 tensor does not exist yet. Only ranks and shapes are read.
/// \param param    index of the parameter that is asked for.
/// \param shape    receives its rank many dimensions (see normrt_entry_param). Not null
///                 unless the rank is 0.
/// \return INVALID_ARGUMENT also when the given tensors do not determine the shape,
///         SHAPE_MISMATCH when they contradict each other, OVERFLOW.
NORMRT_API normrt_status normrt_entry_infer_shape(const normrt_entry *entry,
                                                  const DLTensor *const *tensors,
                                                  int32_t count, int32_t param,
                                                  int64_t *shape) NORMRT_NOEXCEPT;

/// Launches an entry.
///
/// Checked before anything is written, in this order: the options; each tensor's
/// device, type and rank; shapes against each other and the entry's demands; strides;
/// data pointers; overlap; the workspace. Then the first variant whose guards hold
/// runs, its kernels one after the other.
///
/// Tensors, for each parameter:
///  - device: kDLCPU on the host; on "cuda:N" kDLCUDA with device_id N. Whether an
///    address is really of that device is not asked, because the driver's answer costs
///    as much as the launch.
///  - type: the parameter's, with one lane.
///  - strides: null means compact and row major. The last `contiguous_dims` dimensions
///    must be contiguous; the others may have any strides (0 and gaps included), except
///    that an output's must not be negative and must not make elements overlap. Strides
///    of dimensions of size 1 do not matter. An output passes as free of overlap when,
///    in order of their strides, each dimension steps past all that the smaller ones
///    reach.
///  - data + byte_offset: aligned to the element's size; null only for 0 elements.
///  - no output shares the range from its lowest to its highest byte with that of
///    another parameter or of the workspace.
///
/// The host's launches are synchronous. Workgroups run on the device's threads and the
/// calling one; while another thread's launch has the threads, a launch runs on its own
/// calling thread alone. Results do not depend on the number of threads. Floating-point
/// control is the default one during a launch (no flushing of subnormals, rounding to
/// nearest) and restored after it.
///
/// CUDA's launches return before they run, in the stream's order, and wait for nothing.
/// With a workspace of the caller's (or none needed) they allocate nothing, so the
/// stream may be captured into a graph. Tensors and workspace must live until the
/// kernels have finished. A kernel that goes wrong is reported as DEVICE_ERROR by the
/// next call on the device, whichever that is.
///
/// \param tensors  `count` tensors in the order of the parameters. Not null.
/// \param options  null for the defaults.
/// \return any status from INVALID_ARGUMENT on that the above names; OUT_OF_MEMORY when
///         the runtime's own workspace cannot be had; UNSUPPORTED for a grid past the
///         device's limit. Outputs are then untouched; after DEVICE_ERROR they may not
///         be.
NORMRT_API normrt_status normrt_entry_launch(
    const normrt_entry *entry, const DLTensor *const *tensors, int32_t count,
    const normrt_launch_options *options) NORMRT_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Introspection
//===----------------------------------------------------------------------===//

typedef enum normrt_direction {
  NORMRT_DIRECTION_IN = 0,
  NORMRT_DIRECTION_OUT = 1
} normrt_direction;

/// A parameter of an entry.
typedef struct normrt_param_info {
  size_t struct_size;
  const char *name;
  normrt_direction direction;
  DLDataType type;
  int32_t rank;
  /// The last so many dimensions must be contiguous.
  int32_t contiguous_dims;
  /// `rank` dimensions; -1 where the size is known at launch only.
  const int64_t *shape;
  /// `rank` texts: "4096", or what a dynamic size must equal ("x.shape[0]"), which for
  /// the dimension that sets a size is the dimension itself.
  const char *const *shape_text;
} normrt_param_info;

/// One way to run an entry.
typedef struct normrt_variant_info {
  size_t struct_size;
  int32_t guard_count;
  int32_t launch_count;
  int32_t workspace_count;
  /// The guards as text, joined by " and "; "" when there are none.
  const char *guards;
} normrt_variant_info;

/// One kernel launch of a variant.
typedef struct normrt_launch_info {
  size_t struct_size;
  /// Name of the kernel.
  const char *kernel;
  int32_t workgroup_size;
  int32_t cluster_size;
  int32_t arg_count;
  /// Workgroups, as text over the parameters' shapes.
  const char *grid;
  int64_t dynamic_shared_bytes;
} normrt_launch_info;

/// One target of a package. Null strings are never given.
typedef struct normrt_target_info {
  size_t struct_size;
  const char *name;
  /// "host", "cuda" or "level_zero".
  const char *backend;
  const char *architecture;
  const char *features;
  int32_t kernel_count;
  int32_t blob_count;
  int32_t entry_count;
  /// 1 for the target that was taken, else 0.
  int32_t selected;
} normrt_target_info;

/// One kernel of a target.
typedef struct normrt_kernel_info {
  size_t struct_size;
  const char *name;
  /// Index of the blob that holds it, before alternatives are looked at.
  int32_t blob;
  int32_t cluster_size;
  int64_t static_shared_bytes;
} normrt_kernel_info;

/// One binary of a target.
typedef struct normrt_blob_info {
  size_t struct_size;
  /// "elf_shared_object", "ptx", "cubin", "spirv" or "native".
  const char *format;
  const char *architecture;
  /// XXH3, 64 bits, of `data`.
  uint64_t checksum;
  const void *data;
  size_t bytes;
} normrt_blob_info;

/// The entry's name; "" for null.
NORMRT_API const char *normrt_entry_name(const normrt_entry *entry) NORMRT_NOEXCEPT;

/// The number of parameters; 0 for null.
NORMRT_API int32_t normrt_entry_param_count(const normrt_entry *entry) NORMRT_NOEXCEPT;

/// Describes a parameter. `info->struct_size` is set by the caller, as in all below.
/// \return INVALID_ARGUMENT for a null argument, an index out of range or a struct_size
///         that is not sizeof the structure. So for all functions below.
NORMRT_API normrt_status normrt_entry_param(const normrt_entry *entry, int32_t index,
                                            normrt_param_info *info) NORMRT_NOEXCEPT;

/// The number of variants; 0 for null.
NORMRT_API int32_t normrt_entry_variant_count(const normrt_entry *entry)
    NORMRT_NOEXCEPT;

/// Describes a variant.
NORMRT_API normrt_status normrt_entry_variant(const normrt_entry *entry, int32_t index,
                                              normrt_variant_info *info)
    NORMRT_NOEXCEPT;

/// Describes a launch of a variant.
NORMRT_API normrt_status
normrt_entry_variant_launch(const normrt_entry *entry, int32_t variant, int32_t index,
                            normrt_launch_info *info) NORMRT_NOEXCEPT;

/// The variant that a launch with these tensors would run, after all checks of a launch
/// but those of the workspace.
NORMRT_API normrt_status normrt_entry_select_variant(const normrt_entry *entry,
                                                     const DLTensor *const *tensors,
                                                     int32_t count,
                                                     int32_t *variant) NORMRT_NOEXCEPT;

/// What wrote the package ("normc 0.1.0"); "" for null.
NORMRT_API const char *
normrt_package_producer(const normrt_package *package) NORMRT_NOEXCEPT;

/// The source that the package carries, as MLIR bytecode. Null and 0 where it has none.
NORMRT_API normrt_status normrt_package_source(const normrt_package *package,
                                               const void **data,
                                               size_t *bytes) NORMRT_NOEXCEPT;

/// The number of targets in the package, runnable here or not; 0 for null.
NORMRT_API int32_t normrt_package_target_count(const normrt_package *package)
    NORMRT_NOEXCEPT;

/// Describes a target.
NORMRT_API normrt_status normrt_package_target(const normrt_package *package,
                                               int32_t target, normrt_target_info *info)
    NORMRT_NOEXCEPT;

/// Describes a kernel of a target.
NORMRT_API normrt_status
normrt_package_kernel(const normrt_package *package, int32_t target, int32_t index,
                      normrt_kernel_info *info) NORMRT_NOEXCEPT;

/// Describes a blob of a target.
NORMRT_API normrt_status normrt_package_blob(const normrt_package *package,
                                             int32_t target, int32_t index,
                                             normrt_blob_info *info) NORMRT_NOEXCEPT;

#ifdef __cplusplus
} // extern "C"
#endif

#endif // NORMRT_H
