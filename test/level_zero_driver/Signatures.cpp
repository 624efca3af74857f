// What a SPIR-V module says of its kernels' parameters, which the OpenCL runtime does
// not tell. The module was found valid by spirv-val.
#include "Driver.h"

#include <cstring>

namespace ze_test {
namespace {

// SPIR-V 1.6, section 3.49.
enum Op : uint32_t {
  kEntryPoint = 15,
  kExecutionMode = 16,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypePointer = 32,
  kFunction = 54,
  kFunctionParameter = 55,
  kFunctionEnd = 56
};
constexpr uint32_t kModeLocalSize = 17, kModeSubgroupSize = 35;
constexpr uint32_t kClassWorkgroup = 4;

} // namespace

std::map<std::string, KernelSignature>
readSignatures(const std::vector<uint32_t> &words) {
  std::map<std::string, KernelSignature> result;
  std::map<uint32_t, KernelSignature *> byId;
  std::map<uint32_t, Parameter> types;
  KernelSignature *current = nullptr;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    const uint32_t *operand = &words[at + 1];
    switch (words[at] & 0xffff) {
    case kEntryPoint:
      byId[operand[1]] = &result[reinterpret_cast<const char *>(operand + 2)];
      break;
    case kExecutionMode:
      if (operand[1] == kModeSubgroupSize)
        byId[operand[0]]->subgroupSize = operand[2];
      if (operand[1] == kModeLocalSize)
        std::memcpy(byId[operand[0]]->workgroup, operand + 2, 3 * sizeof(uint32_t));
      break;
    case kTypeInt:
    case kTypeFloat:
      types[operand[0]] = {Parameter::Kind::Value, operand[1] / 8};
      break;
    case kTypePointer:
      types[operand[0]] = {operand[1] == kClassWorkgroup ? Parameter::Kind::Workgroup
                                                         : Parameter::Kind::Global,
                           sizeof(void *)};
      break;
    case kFunction:
      current = byId.count(operand[1]) ? byId[operand[1]] : nullptr;
      break;
    case kFunctionParameter:
      if (current)
        current->parameters.push_back(types[operand[0]]);
      break;
    case kFunctionEnd:
      current = nullptr;
      break;
    default:
      break;
    }
  }
  return result;
}

} // namespace ze_test
