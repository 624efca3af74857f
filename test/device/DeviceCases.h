//===- DeviceCases.h - What is run on a device ------------------------------===//
//
// Compiled into the program that compiles the cases and into the one that runs them: a
// case is the same in both.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_TEST_DEVICE_DEVICECASES_H
#define NORMC_TEST_DEVICE_DEVICECASES_H

#include "test/numerics/Inputs.h"
#include "test/numerics/Spec.h"

#include <string>
#include <vector>

namespace normc::device {

using numerics::Op;
using numerics::Spec;
using reference::Type;
using Sizes = std::vector<int64_t>;

/// How the tensors lie.
enum class Arrangement : uint8_t {
  Compact,
  /// Every base one element past an aligned address.
  OneOff,
  /// x alone, all others aligned.
  OneOffInput,
  /// Gaps of five elements between rows.
  Gaps,
  /// Rows at multiples of 64 bytes.
  Padded,
  /// Rows of 3 * cols, as the parts of a packed tensor.
  Packed,
  /// x the same row for all.
  Broadcast,
  /// The outer dimensions in the other order.
  Transposed,
};
const char *name(Arrangement arrangement);

/// What the values are.
enum class Input : uint8_t {
  Ordinary,
  /// Every row one value: a forward result is exactly the bias, or zero.
  ConstantRows,
  NanInX,
  InfinityInX,
  NanInDy,
  InfiniteAlpha,
  NegativeInfiniteAlpha,
};
const char *name(Input input);

/// One launch of a program.
struct Launch {
  Sizes outer, inner;
  Arrangement arrangement = Arrangement::Compact;
  uint64_t seed = 1;
  double xScale = 1.5, xOffset = 0.3;
  Input input = Input::Ordinary;
  /// Launched so many times in all, with equal bits.
  int repeats = 2;
  /// Captured into a graph, whose runs have the same bits.
  bool captured = false;
  /// Not 0: the rows are repeated up to this many, on the device alone.
  int64_t rowsInAll = 0;
};

struct DeviceCase {
  std::string name;
  Spec spec;
  /// A strategy, and tilings for the kernels that follow from it, each "" where the
  /// decisions choose: "partials", "workgroup_size = 256, ...".
  std::string strategy, tiling, finalize;
  std::vector<Launch> launches;
};

/// Whether it names a strategy or a tiling.
bool isForced(const DeviceCase &one);
/// The text that a case's package is found by.
std::string programOf(const DeviceCase &one);

std::vector<DeviceCase> allCases();
/// Parts of them: mappings by attribute, and every way to add down the columns with the
/// tilings that the decisions choose for it.
void addTilings(std::vector<DeviceCase> &cases);
void addStrategies(std::vector<DeviceCase> &cases);
/// Single knobs, finalizes among them, that no other case forces.
void addKnobs(std::vector<DeviceCase> &cases);
/// Wide rows and few rows, which clusters of workgroups share.
void addClusters(std::vector<DeviceCase> &cases);

/// How the inputs of a launch are made.
numerics::Recipe recipeOf(const Launch &launch);

/// How the parameters of a run lie.
void arrange(numerics::Run &run, const Spec &spec, const Launch &launch);

} // namespace normc::device

#endif // NORMC_TEST_DEVICE_DEVICECASES_H
