//===- ClusterSums.cpp - Sums that workgroups of a cluster add --------------===//
//
// Every workgroup leaves its totals in its own memory; behind a barrier of the cluster
// each takes some of the columns and adds the workgroups' totals in their order.
//
//===----------------------------------------------------------------------===//
#include "GpuEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace normc;
using namespace normc::gpu;

void GpuEmitter::storeSumsOfCluster(const Carried &carried) {
  SmallVector<Value> regions;
  for (row::AccumulateOp sum : sums) {
    int64_t elements = sum.getTo() == row::Sum::cols ? partWidth() : 1;
    Type type = row::elementTypeOf(sum.getValue().getType());
    regions.push_back(sharedRegion(elements * type.getIntOrFloatBitWidth() / 8, false));
  }
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Type type = row::elementTypeOf(sum.getValue().getType());
    if (!isColumnSum(i)) {
      storeScalarSum(i, carried.scalars[i], {regions[i], type});
      continue;
    }
    // Where column 0 would be; the region begins at the workgroup's first.
    Value before = arith::SubIOp::create(b, index(0), columnBegin);
    storeColumnSum(i, carried.columns[i],
                   {elementPointer(regions[i], before, type), type});
  }
  hooks.clusterBarrier(b);
  for (auto [i, region] : llvm::enumerate(regions))
    addInCluster(i, region);
  // No workgroup ends while another reads its memory.
  hooks.clusterBarrier(b);
}

void GpuEmitter::addInCluster(unsigned sum, Value region) {
  const SumTarget target = sumTarget(sum);
  Type type = row::elementTypeOf(sums[sum].getValue().getType());
  const int64_t size = tiling.cluster_partials, lanes = launchedLanes();
  Value count = isColumnSum(sum)
                    ? arith::SubIOp::create(b, columnEnd, columnBegin).getResult()
                    : index(1);
  Value begin = isColumnSum(sum) ? columnBegin : index(0);
  auto loop = scf::ForOp::create(b, add(mul(partialRank, index(lanes)), lane), count,
                                 index(size * lanes));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Scope scope(known);
  Value mine = elementPointer(region, loop.getInductionVar(), type);
  SmallVector<Value> values;
  for (int64_t k = 0; k < size; ++k)
    values.push_back(LLVM::LoadOp::create(b, type, hooks.inWorkgroup(b, mine, index(k)),
                                          type.getIntOrFloatBitWidth() / 8));
  store(addTree(values),
        elementPointer(target.pointer, add(begin, loop.getInductionVar()),
                       target.element),
        target.element, {});
}
