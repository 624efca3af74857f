//===- Tensors.h - Tensors of an entry, to launch and time it ---------------===//
#ifndef NORMC_MEASURE_TENSORS_H
#define NORMC_MEASURE_TENSORS_H

#include "normc/Measure/Timing.h"

#include <memory>
#include <vector>

namespace normc::measure {

/// One tensor for each parameter of an entry, compact, in memory of the device.
class Tensors {
public:
  /// Allocates for `rows` rows (of every dimension that the entry does not fix, the
  /// first is rows) and fills with numbers between -1.5 and 1.5. Null, and why in
  /// `error`, where that fails.
  static std::unique_ptr<Tensors> make(normrt_device *device, normrt_entry *entry,
                                       int64_t rows, std::string &error);
  ~Tensors();
  Tensors(const Tensors &) = delete;
  Tensors &operator=(const Tensors &) = delete;

  size_t bytes() const { return total; }
  const std::vector<const DLTensor *> &pointers() const { return all; }

private:
  explicit Tensors(normrt_device *device) : device(device) {}
  std::string add(const normrt_param_info &param, DLDevice where, int64_t rows);

  normrt_device *device;
  std::vector<std::unique_ptr<DLTensor>> tensors;
  std::vector<std::unique_ptr<int64_t[]>> shapes;
  std::vector<const DLTensor *> all;
  size_t total = 0;
};

/// As many sets of an entry's tensors as its device's cache does not hold, for entries
/// with the same parameters: candidates of one entry are timed on the same tensors.
class TensorSets {
public:
  static std::unique_ptr<TensorSets> make(normrt_device *device, normrt_entry *entry,
                                          int64_t rows, std::string &error);

  /// Bytes of one set: each input once and each output once.
  size_t bytes() const { return sets.front()->bytes(); }

  /// The time of one launch of an entry whose parameters are those of the entry that
  /// the sets were made for. Each set has a workspace of its own.
  std::optional<Times> time(normrt_entry *entry, const Effort &effort,
                            std::string &error);

private:
  normrt_device *device = nullptr;
  normrt_device_info info = {};
  std::vector<std::unique_ptr<Tensors>> sets;
};

} // namespace normc::measure

#endif // NORMC_MEASURE_TENSORS_H
