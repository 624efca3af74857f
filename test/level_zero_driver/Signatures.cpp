// What a SPIR-V module says of its kernels' parameters, which the OpenCL runtime does
// not tell, and the module with one kernel alone. It was found valid by spirv-val.
#include "Driver.h"

#include <cstring>

namespace ze_test {
namespace {

// SPIR-V 1.6, section 3.49.
enum Op : uint32_t {
  kName = 5,
  kEntryPoint = 15,
  kExecutionMode = 16,
  kTypeFirst = 19,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypePointer = 32,
  kTypeLast = 39,
  kFunction = 54,
  kFunctionParameter = 55,
  kFunctionEnd = 56,
  kConstantNull = 46,
  kFNegate = 127,
  kFSub = 131,
  kDecorate = 71,
  kLabel = 248
};
constexpr size_t kHeaderWords = 5;
constexpr uint32_t kModeLocalSize = 17, kModeSubgroupSize = 35;
constexpr uint32_t kClassWorkgroup = 4;

/// The ids of kernels, but for one.
std::set<uint32_t> otherKernels(const std::vector<uint32_t> &words,
                                const std::string &kernel) {
  std::set<uint32_t> others;
  for (size_t at = kHeaderWords; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xffff) == kEntryPoint &&
        reinterpret_cast<const char *>(&words[at + 3]) != kernel)
      others.insert(words[at + 2]);
  return others;
}

/// The ids that the bodies of these functions define, and the functions themselves. An
/// instruction of a function has its type and then its id, if it has them.
std::set<uint32_t> idsInside(const std::vector<uint32_t> &words,
                             const std::set<uint32_t> &functions) {
  std::set<uint32_t> types, ids = functions;
  bool inside = false;
  for (size_t at = kHeaderWords; at < words.size(); at += words[at] >> 16) {
    const uint32_t op = words[at] & 0xffff, count = words[at] >> 16;
    if (op >= kTypeFirst && op <= kTypeLast)
      types.insert(words[at + 1]);
    if (op == kFunction)
      inside = functions.count(words[at + 2]) != 0;
    if (inside && op == kLabel)
      ids.insert(words[at + 1]);
    if (inside && count > 2 && types.count(words[at + 1]))
      ids.insert(words[at + 2]);
  }
  return ids;
}

} // namespace

std::vector<uint32_t> onlyKernel(const std::vector<uint32_t> &words,
                                 const std::string &kernel) {
  const std::set<uint32_t> others = otherKernels(words, kernel);
  const std::set<uint32_t> gone = idsInside(words, others);
  std::vector<uint32_t> result(words.begin(), words.begin() + kHeaderWords);
  bool inside = false;
  for (size_t at = kHeaderWords; at < words.size(); at += words[at] >> 16) {
    const uint32_t op = words[at] & 0xffff;
    if (op == kFunction)
      inside = others.count(words[at + 2]) != 0;
    const bool isOfAnId = op == kName || op == kDecorate || op == kExecutionMode;
    const bool drops = inside || (isOfAnId && gone.count(words[at + 1])) ||
                       (op == kEntryPoint && gone.count(words[at + 2]));
    if (!drops)
      result.insert(result.end(), words.begin() + ptrdiff_t(at),
                    words.begin() + ptrdiff_t(at + (words[at] >> 16)));
    if (op == kFunctionEnd)
      inside = false;
  }
  return result;
}

std::vector<uint32_t> withoutNegations(const std::vector<uint32_t> &words) {
  constexpr size_t kBound = 3;
  std::vector<uint32_t> result(words.begin(), words.begin() + kHeaderWords);
  std::map<uint32_t, uint32_t> zeros; // By their type.
  std::vector<uint32_t> functions;
  for (size_t at = kHeaderWords; at < words.size(); at += words[at] >> 16) {
    const uint32_t op = words[at] & 0xffff;
    const bool isInside = op == kFunction || !functions.empty();
    if (op == kConstantNull)
      zeros.emplace(words[at + 1], words[at + 2]);
    std::vector<uint32_t> &out = isInside ? functions : result;
    if (op != kFNegate) {
      out.insert(out.end(), words.begin() + ptrdiff_t(at),
                 words.begin() + ptrdiff_t(at + (words[at] >> 16)));
      continue;
    }
    const uint32_t type = words[at + 1], id = words[at + 2], value = words[at + 3];
    if (!zeros.count(type)) {
      zeros[type] = result[kBound]++;
      result.insert(result.end(), {3u << 16 | kConstantNull, type, zeros[type]});
    }
    out.insert(out.end(), {5u << 16 | kFSub, type, id, zeros[type], value});
  }
  result.insert(result.end(), functions.begin(), functions.end());
  return result;
}

std::map<std::string, KernelSignature>
readSignatures(const std::vector<uint32_t> &words) {
  std::map<std::string, KernelSignature> result;
  std::map<uint32_t, KernelSignature *> byId;
  std::map<uint32_t, Parameter> types;
  KernelSignature *current = nullptr;
  for (size_t at = kHeaderWords; at < words.size(); at += words[at] >> 16) {
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
