//===- Reductions.cpp - Reductions along one row ----------------------------===//
#include "Reductions.h"
#include "ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace normc;
using namespace normc::row;
using namespace normc::interpreter;

/// Whether the region adds each pair: result i is argument i + argument N + i.
static bool isSum(ReduceOp op) {
  Block &block = op.getBody().front();
  size_t count = op.getInputs().size();
  for (auto [i, yielded] : llvm::enumerate(block.getTerminator()->getOperands())) {
    auto add = yielded.getDefiningOp<arith::AddFOp>();
    auto a = block.getArgument(i), b = block.getArgument(count + i);
    if (!add || !((add.getLhs() == a && add.getRhs() == b) ||
                  (add.getLhs() == b && add.getRhs() == a)))
      return false;
  }
  return true;
}

static Array one(double value, double bound) {
  Array array(1);
  array.values[0] = value;
  array.bounds[0] = std::isfinite(value) ? bound : 0.0;
  return array;
}

/// Combines halves until one element is left: log2(cols) levels. A kernel may have a
/// longer chain, so each level's roundings count for as many as that has a level.
static FailureOr<std::vector<Array>> reduceTree(ReduceOp op, std::vector<Array> tiles,
                                                const Model &model) {
  Model level = model;
  double cols = double(tiles.front().size());
  level.roundingsEach =
      std::max(1.0, model.chain(int64_t(cols)) / std::max(1.0, std::log2(cols)));
  while (tiles.front().size() > 1) {
    size_t size = tiles.front().size(), half = size / 2;
    std::vector<Array> sides(2 * tiles.size(), Array(half));
    for (auto [k, tile] : llvm::enumerate(tiles))
      for (size_t i = 0; i < half; ++i) {
        Array &left = sides[k], &right = sides[tiles.size() + k];
        left.values[i] = tile.values[i];
        left.bounds[i] = tile.bounds[i];
        right.values[i] = tile.values[half + i];
        right.bounds[i] = tile.bounds[half + i];
      }
    SmallVector<const Array *> arguments;
    for (const Array &side : sides)
      arguments.push_back(&side);
    auto combined = evaluate(op.getBody().front(), arguments, half, level);
    if (failed(combined))
      return failure();
    for (auto [next, tile] : llvm::zip(*combined, tiles)) {
      if (size % 2 == 1) {
        next.values.push_back(tile.values.back());
        next.bounds.push_back(tile.bounds.back());
      }
    }
    tiles = std::move(*combined);
  }
  return tiles;
}

FailureOr<std::vector<Array>>
interpreter::reduceRow(ReduceOp op, ArrayRef<const Array *> tiles, const Model &model) {
  std::vector<Array> results;
  if (!isSum(op)) {
    for (const Array *tile : tiles)
      results.push_back(*tile);
    return reduceTree(op, std::move(results), model);
  }
  // Partial sums may cancel in one order and not in another: the bound of a sum is that
  // of its absolute terms.
  for (const Array *tile : tiles) {
    RunningSum sum;
    for (size_t i = 0; i < tile->size(); ++i)
      sum.add(tile->values[i], tile->bounds[i]);
    results.push_back(one(sum.value(), sum.finish(model)));
  }
  return results;
}

RowMoments interpreter::momentsOfRow(const Array &tile, const Model &model) {
  double n = double(tile.size());
  long double total = 0;
  for (double value : tile.values)
    total += value;
  long double mean = total / (long double)(n), m2 = 0;
  double magnitude = 0, deviation = 0, inputBound = 0, weighted = 0;
  for (size_t i = 0; i < tile.size(); ++i) {
    long double centered = tile.values[i] - mean;
    m2 += centered * centered;
    magnitude += std::fabs(tile.values[i]);
    deviation += std::fabs(double(centered));
    inputBound += tile.bounds[i];
    weighted += 2 * scaled(tile.bounds[i], std::fabs(double(centered)));
  }
  double chain = model.chain(int64_t(tile.size())) * model.u;
  // A row of one repeated value has exactly that mean (row.moments).
  double shift = deviation == 0
                     ? inputBound / n
                     : (inputBound + chain * (deviation + chain * magnitude)) / n +
                           2 * model.u * std::fabs(double(mean));
  double squares = (chain + 3 * model.u) * double(m2) + weighted + n * shift * shift;
  return {one(double(mean), shift), one(double(m2), squares)};
}
