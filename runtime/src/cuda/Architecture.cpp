#include "runtime/src/cuda/Architecture.h"

#include "runtime/src/Status.h"

#include <algorithm>
#include <charconv>
#include <climits>

namespace normrt::cuda {
namespace {

std::string_view textOf(const flatbuffers::String *text) {
  return text ? text->string_view() : std::string_view();
}

} // namespace

std::string Capability::name() const { return concat("sm_", number()); }

std::optional<Architecture> parseArchitecture(std::string_view name) {
  for (std::string_view prefix : {"sm_", "compute_"}) {
    if (!name.starts_with(prefix))
      continue;
    name.remove_prefix(prefix.size());
    int number = 0;
    const char *end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data(), end, number);
    // Two digits at least, as the last one is the minor number.
    if (error != std::errc() || number < 10 || number > 9999 || end - rest > 1)
      return std::nullopt;
    Architecture result{{number / 10, number % 10}, rest == end ? char(0) : *rest};
    if (result.suffix != 0 && result.suffix != 'a' && result.suffix != 'f')
      return std::nullopt;
    return result;
  }
  return std::nullopt;
}

int fitOf(schema::BlobFormat format, const Architecture &code,
          const Capability &device) {
  const bool exact = code.capability == device;
  const bool family =
      code.capability.major == device.major && code.capability.minor <= device.minor;
  const bool cubin = format == schema::BlobFormat::cubin;
  bool runs = cubin ? family : code.capability.number() <= device.number();
  if (code.suffix != 0)
    runs = code.suffix == 'a' ? exact : family;
  if (!runs || (!cubin && format != schema::BlobFormat::ptx))
    return -1;
  // At equal numbers, code that may use more of the chip.
  const int place = code.suffix == 'a' ? 2 : code.suffix == 'f' ? 1 : 0;
  return (int(cubin) * 10000 + code.capability.number()) * 4 + place;
}

std::optional<Architecture> architectureOf(const schema::Blob &blob,
                                           const schema::Target &target) {
  const std::string_view own = textOf(blob.architecture());
  return parseArchitecture(own.empty() ? textOf(target.architecture()) : own);
}

int chooseBlob(const schema::Target &target, int blob, const Capability &device,
               int &fit) {
  int chosen = -1;
  fit = -1;
  // The verifier has seen that each alternative comes after what it stands in for.
  for (; blob >= 0;
       blob = target.blobs()->Get(flatbuffers::uoffset_t(blob))->alternative()) {
    const schema::Blob &candidate = *target.blobs()->Get(flatbuffers::uoffset_t(blob));
    const auto architecture = architectureOf(candidate, target);
    const int its =
        architecture ? fitOf(candidate.format(), *architecture, device) : -1;
    if (its > fit) {
      fit = its;
      chosen = blob;
    }
  }
  return chosen;
}

int fitOf(const schema::Target &target, const Capability &device) {
  if (target.backend() != schema::Backend::cuda)
    return -1;
  if (!target.kernels() || target.kernels()->size() == 0)
    return 0; // Nothing that could fail to run.
  int worst = INT_MAX;
  for (const schema::Kernel *kernel : *target.kernels()) {
    int fit;
    chooseBlob(target, kernel->blob(), device, fit);
    worst = std::min(worst, fit);
  }
  return worst;
}

} // namespace normrt::cuda
