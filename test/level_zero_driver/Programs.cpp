// Building SPIR-V with the OpenCL runtime, once for all processes that share a folder.
#include "Driver.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <unistd.h>

namespace ze_test {
namespace {

namespace fs = std::filesystem;

std::string buildLog(cl_program program) {
  const OpenCl &cl = openCl();
  size_t size = 0;
  cl.clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string text(size, '\0');
  cl.clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, size, text.data(),
                           nullptr);
  return text;
}

bool build(cl_program program, std::string &error) {
  const OpenCl &cl = openCl();
  if (cl.clBuildProgram(program, 1, &cl.device, "", nullptr, nullptr) == CL_SUCCESS)
    return true;
  error = buildLog(program);
  cl.clReleaseProgram(program);
  return false;
}

/// Where the binary of a module is kept, by the runtime's version and the module's
/// words; empty without a folder.
fs::path keptAt(const std::vector<uint32_t> &words) {
  const char *folder = std::getenv("NORMC_ZE_TEST_CACHE");
  if (!folder || !*folder)
    return {};
  const OpenCl &cl = openCl();
  char version[128] = {};
  cl.clGetDeviceInfo(cl.device, CL_DRIVER_VERSION, sizeof(version) - 1, version,
                     nullptr);
  const std::string_view bytes(reinterpret_cast<const char *>(words.data()),
                               words.size() * sizeof(uint32_t));
  char name[64];
  std::snprintf(name, sizeof(name), "%016zx-%zu", std::hash<std::string_view>()(bytes),
                bytes.size());
  return fs::path(folder) / version / name;
}

cl_program load(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<unsigned char> bytes{std::istreambuf_iterator<char>(file),
                                         std::istreambuf_iterator<char>()};
  if (bytes.empty())
    return nullptr;
  const OpenCl &cl = openCl();
  const unsigned char *data = bytes.data();
  const size_t size = bytes.size();
  cl_int code = 0;
  cl_program program = cl.clCreateProgramWithBinary(cl.context, 1, &cl.device, &size,
                                                    &data, nullptr, &code);
  std::string error;
  return code == CL_SUCCESS && build(program, error) ? program : nullptr;
}

/// Under a name of this process first, so that no other one reads half of it.
void keep(cl_program program, const fs::path &path) {
  const OpenCl &cl = openCl();
  size_t size = 0;
  if (cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size,
                          nullptr) ||
      size == 0)
    return;
  std::vector<unsigned char> bytes(size);
  unsigned char *data = bytes.data();
  if (cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(data),
                          static_cast<void *>(&data), nullptr))
    return;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  const fs::path own = path.string() + "." + std::to_string(getpid());
  std::ofstream file(own, std::ios::binary);
  file.write(reinterpret_cast<const char *>(data), std::streamsize(size));
  file.close();
  if (file)
    fs::rename(own, path, error);
  else
    fs::remove(own, error);
}

} // namespace

cl_program buildProgram(const std::vector<uint32_t> &words, std::string &error) {
  const fs::path path = keptAt(words);
  if (cl_program kept = path.empty() ? nullptr : load(path))
    return kept;
  const OpenCl &cl = openCl();
  cl_int code = 0;
  cl_program program = cl.clCreateProgramWithIL(cl.context, words.data(),
                                                words.size() * sizeof(uint32_t), &code);
  if (code) {
    error = "clCreateProgramWithIL says " + std::to_string(code);
    return nullptr;
  }
  if (!build(program, error))
    return nullptr;
  if (!path.empty())
    keep(program, path);
  return program;
}

} // namespace ze_test
