// Damaged packages, under AddressSanitizer and UndefinedBehaviorSanitizer: every byte
// flipped, every length cut, and random changes behind correct checksums, which reach
// the FlatBuffer's and the fields' verification. Nothing may crash, and nothing that
// was damaged may load unless its checksums were made right. Usage: [SEED [ROUNDS]]
#include "PackageBuilder.h"

#include "runtime/include/normrt.h"
#include "runtime/src/PackageHeader.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>

using namespace normrt::test;

namespace {

int failures = 0;

void expect(bool condition, const char *what, size_t at) {
  if (condition)
    return;
  std::fprintf(stderr, "%s at %zu: %s\n", what, at, normrt_last_error_message());
  ++failures;
}

/// Loads a copy of exactly its size, so that a read past the end is seen.
normrt_status load(normrt_device *device, const std::vector<uint8_t> &bytes,
                   normrt_package **package) {
  const std::unique_ptr<uint8_t[]> exact(new uint8_t[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), exact.get());
  return normrt_package_load_memory(device, exact.get(), bytes.size(), package);
}

/// The test package and an entry that uses every kind of guard and argument.
std::vector<uint8_t> richPackage() {
  auto package = testPackage();
  auto &target = *package.targets[0];
  auto extra = entry("guarded", 2);
  const Ex rows = Ex::sym(0), cols = Ex::sym(1);
  extra->params.push_back(
      input("x", normrt::schema::ElementType::bf16, {rows, 4, cols}, 1));
  extra->params.push_back(
      output("y", normrt::schema::ElementType::f64, {rows * 2 + cols}, 1));
  auto &variant = addVariant(*extra);
  variant.guards.push_back(
      layoutGuard(normrt::schema::GuardKind::collapsible, 0, 1, 0));
  variant.guards.push_back(layoutGuard(normrt::schema::GuardKind::aligned, 0, 1, 16));
  variant.guards.push_back(shapeGuard(normrt::schema::GuardKind::at_least, rows,
                                      Ex::leaf(ExprOp::compute_units) * 4));
  addWorkspace(variant, rows * cols * 4);
  variant.launches.push_back(
      launch(ScaleRows, rows, {argWorkspace(0), argRowStride(0, 1), argParam(1)}));
  target.entries.push_back(std::move(extra));
  return file(package);
}

void flipEveryByte(normrt_device *device, const std::vector<uint8_t> &good) {
  std::vector<uint8_t> bytes = good;
  for (size_t i = 0; i < good.size(); ++i) {
    for (const uint8_t mask : {uint8_t(1u << (i % 8)), uint8_t(0xff)}) {
      bytes[i] = good[i] ^ mask;
      normrt_package *package = nullptr;
      const normrt_status status = load(device, bytes, &package);
      expect(status == NORMRT_STATUS_CORRUPTED && !package, "a flipped byte", i);
    }
    bytes[i] = good[i];
  }
  std::printf("flipped each of %zu bytes twice\n", good.size());
}

void cutEveryLength(normrt_device *device, const std::vector<uint8_t> &good) {
  for (size_t size = 0; size < good.size(); ++size) {
    normrt_package *package = nullptr;
    const normrt_status status =
        load(device, {good.begin(), good.begin() + int64_t(size)}, &package);
    expect(status == NORMRT_STATUS_TRUNCATED && !package, "a cut", size);
  }
  std::printf("cut at each of %zu lengths\n", good.size());
}

/// Asks everything that a tool asks, and for workspaces: what loaded must hold
/// together.
void exercise(const normrt_package *package) {
  for (int32_t i = 0; i < normrt_package_entry_count(package); ++i) {
    normrt_entry *entry = nullptr;
    if (normrt_package_entry(const_cast<normrt_package *>(package), i, &entry) !=
        NORMRT_STATUS_OK)
      continue;
    const int32_t count = normrt_entry_param_count(entry);
    std::vector<std::vector<int64_t>> shapes(static_cast<size_t>(count));
    std::vector<DLTensor> tensors(static_cast<size_t>(count));
    std::vector<const DLTensor *> pointers;
    for (int32_t p = 0; p < count; ++p) {
      normrt_param_info info{};
      info.struct_size = sizeof(info);
      if (normrt_entry_param(entry, p, &info) != NORMRT_STATUS_OK)
        continue;
      auto &shape = shapes[size_t(p)];
      for (int32_t d = 0; d < info.rank; ++d)
        shape.push_back(info.shape[d] < 0 ? 8 : info.shape[d]);
      tensors[size_t(p)] = {nullptr,      {kDLCPU, 0}, info.rank, info.type,
                            shape.data(), nullptr,     0};
      pointers.push_back(&tensors[size_t(p)]);
      std::vector<int64_t> inferred(size_t(info.rank) + 1);
      (void)normrt_entry_infer_shape(entry, pointers.data(), int32_t(pointers.size()),
                                     p, inferred.data());
    }
    size_t bytes;
    (void)normrt_entry_workspace_size(entry, pointers.data(), count, &bytes);
    int32_t variant;
    (void)normrt_entry_select_variant(entry, pointers.data(), count, &variant);
  }
}

/// Changes a few bytes of the payload, mostly near values that mean something, and
/// signs it again.
std::vector<uint8_t> mutate(const std::vector<uint8_t> &good, std::mt19937_64 &random) {
  std::vector<uint8_t> payload(good.begin() + normrt::kPackageHeaderSize, good.end());
  // The blob is most of the bytes and guarded by a checksum of its own: leave it alone
  // in all but a few rounds, so that changes hit the tables. It was written first, and
  // FlatBuffers grow downwards, so it lies at the end.
  const size_t tables = payload.size() - testKernels().size();
  const size_t range = random() % 16 == 0 ? payload.size() : tables;
  const int changes = 1 + int(random() % 4);
  for (int i = 0; i < changes; ++i) {
    const size_t at = random() % range;
    switch (random() % 5) {
    case 0:
      payload[at] = uint8_t(random());
      break;
    case 1:
      payload[at] ^= uint8_t(1u << (random() % 8));
      break;
    case 2:
      payload[at] = uint8_t(payload[at] + (random() % 2 ? 1 : -1));
      break;
    case 3:
      payload[at] = random() % 2 ? 0xff : 0x00;
      break;
    default: // Four bytes of somewhere else: offsets that point at the wrong table.
      for (size_t k = 0, from = random() % range; k < 4; ++k)
        if ((at & ~size_t(3)) + k < payload.size() && (from & ~size_t(3)) + k < range)
          payload[(at & ~size_t(3)) + k] = payload[(from & ~size_t(3)) + k];
      break;
    }
  }
  if (random() % 64 == 0)
    payload.resize(1 + random() % payload.size());
  return normrt::wrapPackage(payload.data(), payload.size());
}

void mutateSigned(normrt_device *device, const std::vector<uint8_t> &good,
                  uint64_t seed, int rounds) {
  std::mt19937_64 random(seed);
  int loaded = 0, refused = 0, structure = 0;
  for (int i = 0; i < rounds; ++i) {
    normrt_package *package = nullptr;
    const normrt_status status = load(device, mutate(good, random), &package);
    if (status == NORMRT_STATUS_OK) {
      ++loaded;
      exercise(package);
      normrt_package_release(package);
      continue;
    }
    ++refused;
    structure += std::string(normrt_last_error_message()).find("FlatBuffer") !=
                 std::string::npos;
    expect(status == NORMRT_STATUS_CORRUPTED || status == NORMRT_STATUS_LOAD_FAILED ||
               status == NORMRT_STATUS_ARCHITECTURE_MISMATCH,
           normrt_status_name(status), size_t(i));
    expect(!package, "a package was given", size_t(i));
  }
  std::printf("%d random changes behind correct checksums, seed %llu: %d loaded, %d "
              "refused (%d for their structure, %d for a field)\n",
              rounds, static_cast<unsigned long long>(seed), loaded, refused, structure,
              refused - structure);
  expect(loaded > 0 && refused > structure && structure > 0,
         "the changes do not reach all checks", 0);
}

} // namespace

int main(int argc, char **argv) {
  const uint64_t seed =
      argc > 1 ? std::strtoull(argv[1], nullptr, 10) : std::random_device()();
  const int rounds = argc > 2 ? int(std::strtol(argv[2], nullptr, 10)) : 20000;
  std::setvbuf(stdout, nullptr, _IOLBF, 0); // Whatever happens, the seed is seen.
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  normrt_device *device = nullptr;
  if (normrt_device_open("host:1", &device) != NORMRT_STATUS_OK) {
    std::fprintf(stderr, "%s\n", normrt_last_error_message());
    return 1;
  }
  const auto good = richPackage();
  normrt_package *package = nullptr;
  expect(load(device, good, &package) == NORMRT_STATUS_OK, "the good package", 0);
  exercise(package);
  normrt_package_release(package);
  flipEveryByte(device, good);
  cutEveryLength(device, good);
  mutateSigned(device, good, seed, rounds);
  normrt_device_release(device);
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
