#include "runtime/src/level_zero/SpirvModule.h"

#include <cstring>
#include <map>
#include <set>

namespace normrt::level_zero {
namespace {

// SPIR-V 1.6, section 2.3 "Physical Layout of a SPIR-V Module and Instruction", and
// section 3.49 for the opcodes.
constexpr uint32_t kMagic = 0x07230203;
constexpr size_t kHeaderWords = 5;
constexpr uint32_t kOpEntryPoint = 15;
constexpr uint32_t kOpExecutionMode = 16;
constexpr uint32_t kOpFunction = 54;
constexpr uint32_t kOpFunctionParameter = 55;
constexpr uint32_t kOpFunctionEnd = 56;
constexpr uint32_t kExecutionModelKernel = 6;
constexpr uint32_t kExecutionModeSubgroupSize = 35;

/// Collects what the instructions say of the kernels.
class Reader {
public:
  explicit Reader(std::vector<SpirvKernel> &kernels) : kernels_(kernels) {}

  /// `operands` are the words behind the first of the instruction.
  Status read(uint32_t opcode, std::span<const uint32_t> operands) {
    switch (opcode) {
    case kOpEntryPoint:
      return entryPoint(operands);
    case kOpExecutionMode:
      if (operands.size() >= 3 && operands[1] == kExecutionModeSubgroupSize)
        if (SpirvKernel *kernel = find(operands[0]))
          kernel->subgroupSize = int(operands[2]);
      return Status();
    case kOpFunction:
      inFunction_ = true;
      current_ = operands.size() >= 2 ? find(operands[1]) : nullptr;
      if (current_)
        missing_.erase(operands[1]);
      return Status();
    case kOpFunctionParameter:
      if (current_)
        ++current_->paramCount;
      return Status();
    case kOpFunctionEnd:
      inFunction_ = false;
      current_ = nullptr;
      return Status();
    default:
      return Status();
    }
  }

  /// What the end of the words leaves open.
  Status end() const {
    if (inFunction_)
      return Status::error(NORMRT_STATUS_TRUNCATED,
                           "expected SPIR-V to end behind a function, but it ends "
                           "inside of one");
    if (!missing_.empty())
      return Status::error(
          NORMRT_STATUS_TRUNCATED, "expected SPIR-V to hold the ", kernels_.size(),
          " kernels that it names, but it ends before ", missing_.size(), " of them");
    if (kernels_.empty())
      return Status::error(NORMRT_STATUS_TRUNCATED,
                           "expected SPIR-V to name a kernel, but it ends before");
    return Status();
  }

private:
  Status entryPoint(std::span<const uint32_t> operands) {
    if (operands.size() < 3 || operands[0] != kExecutionModelKernel)
      return Status();
    const auto *name = reinterpret_cast<const char *>(operands.data() + 2);
    const size_t most = (operands.size() - 2) * sizeof(uint32_t);
    const size_t length = strnlen(name, most);
    if (length == most)
      return Status::error(NORMRT_STATUS_CORRUPTED,
                           "expected the name of a SPIR-V entry point to end inside of "
                           "its instruction, but it does not");
    byId_[operands[1]] = kernels_.size();
    missing_.insert(operands[1]);
    kernels_.emplace_back().name.assign(name, length);
    return Status();
  }
  SpirvKernel *find(uint32_t id) {
    auto found = byId_.find(id);
    return found == byId_.end() ? nullptr : &kernels_[found->second];
  }

  std::vector<SpirvKernel> &kernels_;
  std::map<uint32_t, size_t> byId_;
  /// Kernels whose function did not come yet.
  std::set<uint32_t> missing_;
  SpirvKernel *current_ = nullptr;
  bool inFunction_ = false;
};

} // namespace

Status readSpirv(std::span<const uint8_t> bytes, std::vector<SpirvKernel> &kernels) {
  // A copy, for its alignment.
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
  if (words.empty() || words[0] != kMagic)
    return Status::error(
        NORMRT_STATUS_CORRUPTED,
        "expected SPIR-V, but the bytes do not begin as a module does");
  if (bytes.size() % sizeof(uint32_t) != 0 || words.size() < kHeaderWords)
    return Status::error(NORMRT_STATUS_TRUNCATED, "expected whole words of SPIR-V and ",
                         kHeaderWords, " of them at least, but got ", bytes.size(),
                         " bytes");
  kernels.clear();
  Reader reader(kernels);
  for (size_t at = kHeaderWords; at < words.size();) {
    const uint32_t count = words[at] >> 16, opcode = words[at] & 0xffff;
    if (count == 0)
      return Status::error(NORMRT_STATUS_CORRUPTED,
                           "expected a SPIR-V instruction at word ", at,
                           ", but got one of no words");
    if (count > words.size() - at)
      return Status::error(NORMRT_STATUS_TRUNCATED, "expected ", count,
                           " words of a SPIR-V instruction at word ", at,
                           ", but the module ends after ", words.size() - at);
    NORMRT_TRY(reader.read(opcode, std::span(words).subspan(at + 1, count - 1)));
    at += count;
  }
  return reader.end();
}

} // namespace normrt::level_zero
