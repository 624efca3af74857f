//===- ClusterScalars.cpp - Sums to a scalar over a cluster's columns -------===//
//
// Each workgroup has the terms of its own columns, and leaves their total in its own
// memory; behind a barrier of the cluster one lane adds those of all.
//
//===----------------------------------------------------------------------===//
#include "GpuEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace normc;
using namespace normc::gpu;

void GpuEmitter::storeScalarsOfCluster(const Carried &carried) {
  SmallVector<std::pair<unsigned, Value>> regions;
  for (unsigned sum = 0; sum < sums.size(); ++sum) {
    if (isColumnSum(sum))
      continue;
    Type type = carried.scalars[sum].getType();
    regions.emplace_back(sum, sharedRegion(type.getIntOrFloatBitWidth() / 8, false));
    storeScalarSum(sum, carried.scalars[sum], {regions.back().second, type});
  }
  if (regions.empty())
    return;
  hooks.clusterBarrier(b);
  Value first = index(0);
  auto isZero = [&](Value value) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value, first);
  };
  ifThen(arith::AndIOp::create(b, isZero(lane), isZero(rank)), [&] {
    for (auto [sum, region] : regions) {
      Type type = carried.scalars[sum].getType();
      SmallVector<Value> values;
      for (int64_t k = 0; k < tiling.cluster_cols; ++k)
        values.push_back(LLVM::LoadOp::create(b, type,
                                              hooks.inWorkgroup(b, region, index(k)),
                                              type.getIntOrFloatBitWidth() / 8));
      const SumTarget target = sumTarget(sum);
      store(addTree(values), target.pointer, target.element, {});
    }
  });
  // No workgroup ends while another reads its memory.
  hooks.clusterBarrier(b);
}
