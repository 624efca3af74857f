// Modules, their build logs, and kernels.
#include "Driver.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

namespace ze_test {
namespace {

Live<Module> &modules() {
  static Live<Module> all;
  return all;
}

Live<BuildLog> &logs() {
  static Live<BuildLog> all;
  return all;
}

/// What the validator says of a module; "" if it has nothing to say. The OpenCL runtime
/// ends the process on a module that is not valid.
std::string validate(const void *bytes, size_t size) {
  const char *program = std::getenv("NORMC_ZE_TEST_VALIDATOR");
  if (!program)
    program = "spirv-val";
  char path[] = "/tmp/normc-ze-test-XXXXXX";
  const int file = mkstemp(path);
  if (file < 0)
    return "no temporary file";
  const bool written = write(file, bytes, size) == ssize_t(size);
  close(file);
  std::string said = written ? "" : "no temporary file";
  const std::string command = std::string(program) + " " + path + " 2>&1";
  // NOLINTNEXTLINE(bugprone-command-processor): a test's own program and file.
  if (FILE *output = written ? popen(command.c_str(), "r") : nullptr) {
    char part[512];
    while (size_t count = std::fread(part, 1, sizeof(part), output))
      said.append(part, count);
    if (pclose(output) != 0 && said.empty())
      said = std::string(program) + " failed";
    else if (said.empty() == false && said.find("error") == std::string::npos)
      said = "";
  }
  unlink(path);
  return said;
}

ze_result_t refuse(const std::string &why, ze_module_build_log_handle_t *log) {
  if (log) {
    auto text = std::make_unique<BuildLog>();
    text->text = why;
    *log = reinterpret_cast<ze_module_build_log_handle_t>(logs().add(std::move(text)));
  }
  return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}

ze_result_t moduleCreate(ze_context_handle_t context, ze_device_handle_t device,
                         const ze_module_desc_t *description, ze_module_handle_t *out,
                         ze_module_build_log_handle_t *log) {
  if (!contexts().find(context))
    return badHandle(context);
  if (!deviceOf(device))
    return badHandle(device);
  if (anyNull({description, out}) || !description->pInputModule)
    return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  // It has no compiler of its own, so no machine code is its.
  if (description->format != ZE_MODULE_FORMAT_IL_SPIRV)
    return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
  const size_t size = description->inputSize;
  if (std::string said = validate(description->pInputModule, size); !said.empty())
    return refuse(said, log);
  const std::string flags = description->pBuildFlags ? description->pBuildFlags : "";
  if (!flags.empty())
    return refuse("unknown flags " + flags, log);
  auto made = std::make_unique<Module>();
  made->context = contexts().find(context);
  made->words.resize(size / sizeof(uint32_t));
  std::memcpy(made->words.data(), description->pInputModule, size);
  made->signatures = readSignatures(made->words);
  if (log)
    *log = reinterpret_cast<ze_module_build_log_handle_t>(
        logs().add(std::make_unique<BuildLog>()));
  *out = reinterpret_cast<ze_module_handle_t>(modules().add(std::move(made)));
  return ZE_RESULT_SUCCESS;
}

ze_result_t moduleDestroy(ze_module_handle_t handle) {
  Module *module = modules().find(handle);
  if (!module)
    return badHandle(handle);
  // "The application must destroy all kernel handles created from the module before".
  if (module->kernels > 0)
    return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
  modules().remove(handle);
  return ZE_RESULT_SUCCESS;
}

ze_result_t logGetString(ze_module_build_log_handle_t handle, size_t *size, char *out) {
  BuildLog *log = logs().find(handle);
  if (!log)
    return badHandle(handle);
  if (out)
    std::memcpy(out, log->text.c_str(), std::min(*size, log->text.size() + 1));
  *size = log->text.size() + 1;
  return ZE_RESULT_SUCCESS;
}

ze_result_t logDestroy(ze_module_build_log_handle_t handle) {
  return logs().remove(handle) ? ZE_RESULT_SUCCESS : badHandle(handle);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

ze_result_t kernelCreate(ze_module_handle_t handle, const ze_kernel_desc_t *description,
                         ze_kernel_handle_t *out) {
  Module *module = modules().find(handle);
  if (!module)
    return badHandle(handle);
  if (anyNull({description, out}))
    return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  auto signature = module->signatures.find(description->pKernelName);
  if (signature == module->signatures.end())
    return ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
  auto made = std::make_unique<Kernel>();
  made->module = module;
  made->name = signature->first;
  made->signature = &signature->second;
  made->arguments.resize(signature->second.parameters.size());
  ++module->kernels;
  *out = reinterpret_cast<ze_kernel_handle_t>(kernels().add(std::move(made)));
  return ZE_RESULT_SUCCESS;
}

ze_result_t kernelDestroy(ze_kernel_handle_t handle) {
  auto kernel = kernels().remove(handle);
  if (!kernel)
    return badHandle(handle);
  --kernel->module->kernels;
  if (kernel->kernel)
    openCl().clReleaseKernel(kernel->kernel);
  if (kernel->program)
    openCl().clReleaseProgram(kernel->program);
  return ZE_RESULT_SUCCESS;
}

ze_result_t setGroupSize(ze_kernel_handle_t handle, uint32_t x, uint32_t y,
                         uint32_t z) {
  Kernel *kernel = kernels().find(handle);
  if (!kernel)
    return badHandle(handle);
  const uint32_t *required = kernel->signature->workgroup;
  const bool fits =
      required[0] == 0 || (required[0] == x && required[1] == y && required[2] == z);
  const bool overflows = x > kMaxWorkgroup || y > kMaxWorkgroup || z > kMaxWorkgroup ||
                         x * y * z > kMaxWorkgroup;
  if (x == 0 || y == 0 || z == 0 || overflows || !fits)
    return ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
  kernel->workgroup[0] = x;
  kernel->workgroup[1] = y;
  kernel->workgroup[2] = z;
  return ZE_RESULT_SUCCESS;
}

ze_result_t setArgumentValue(ze_kernel_handle_t handle, uint32_t index, size_t size,
                             const void *value) {
  Kernel *kernel = kernels().find(handle);
  if (!kernel)
    return badHandle(handle);
  if (index >= kernel->arguments.size())
    return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX;
  const Parameter &parameter = kernel->signature->parameters[index];
  Argument &argument = kernel->arguments[index];
  if (parameter.kind == Parameter::Kind::Workgroup) {
    if (value || size == 0)
      return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
    argument.bytes = size;
  } else {
    if (size != parameter.bytes)
      return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
    argument.value.assign(size, 0);
    if (value)
      std::memcpy(argument.value.data(), value, size);
  }
  argument.isSet = true;
  return ZE_RESULT_SUCCESS;
}

ze_result_t kernelGetProperties(ze_kernel_handle_t handle,
                                ze_kernel_properties_t *out) {
  Kernel *kernel = kernels().find(handle);
  if (!kernel)
    return badHandle(handle);
  out->numKernelArgs = uint32_t(kernel->arguments.size());
  out->requiredGroupSizeX = kernel->signature->workgroup[0];
  out->requiredGroupSizeY = kernel->signature->workgroup[1];
  out->requiredGroupSizeZ = kernel->signature->workgroup[2];
  out->requiredSubgroupSize = kernel->signature->subgroupSize;
  out->maxSubgroupSize = kernel->signature->subgroupSize;
  out->localMemSize = 0;
  return ZE_RESULT_SUCCESS;
}

} // namespace

Live<Kernel> &kernels() {
  static Live<Kernel> all;
  return all;
}

ze_result_t prepare(Kernel &kernel) {
  static std::mutex building;
  std::lock_guard lock(building);
  if (kernel.kernel)
    return ZE_RESULT_SUCCESS;
  std::string error;
  kernel.program = buildProgram(
      withoutNegations(onlyKernel(kernel.module->words, kernel.name)), error);
  if (!kernel.program) {
    std::fprintf(stderr, "ze test driver: %s: %s\n", kernel.name.c_str(),
                 error.c_str());
    return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
  }
  cl_int code = 0;
  kernel.kernel = openCl().clCreateKernel(kernel.program, kernel.name.c_str(), &code);
  return resultOf(code);
}

void fill(ze_module_dditable_t &table) {
  table.pfnCreate = moduleCreate;
  table.pfnDestroy = moduleDestroy;
}

void fill(ze_module_build_log_dditable_t &table) {
  table.pfnGetString = logGetString;
  table.pfnDestroy = logDestroy;
}

void fill(ze_kernel_dditable_t &table) {
  table.pfnCreate = kernelCreate;
  table.pfnDestroy = kernelDestroy;
  table.pfnSetGroupSize = setGroupSize;
  table.pfnSetArgumentValue = setArgumentValue;
  table.pfnGetProperties = kernelGetProperties;
}

} // namespace ze_test
