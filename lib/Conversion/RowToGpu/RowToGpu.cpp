//===- RowToGpu.cpp - Row kernels to kernels of a GPU -----------------------===//
#include "GpuEmitter.h"
#include "NvvmHooks.h"
#include "SpirvHooks.h"
#include "dialects/norm/Norm.h"
#include "dialects/plan/Plan.h"
#include "normc/Analysis/KernelFacts.h"
#include "normc/Conversion/Passes.h"
#include "normc/Schedule/Decision.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace normc {
#define GEN_PASS_DEF_CONVERTROWTOGPUPASS
#include "normc/Conversion/Passes.h.inc"
} // namespace normc

using namespace mlir;
using namespace normc;

namespace {

/// The one module of kernels.
constexpr llvm::StringLiteral kModuleName = "kernels";

bool isPowerOfTwo(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

/// What this lowering needs of workgroups that share a row.
LogicalResult checkCluster(row::KernelOp kernel, const schedule::Tiling &tiling,
                           const schedule::TargetFacts &target) {
  const int64_t size = tiling.cluster_cols;
  if (size == 1)
    return success();
  auto error = [&](const Twine &expected) {
    return kernel.emitOpError("expected ")
           << expected << ", but got cluster_cols " << size;
  };
  if (size < 1 || size > target.max_cluster_size)
    return error("cluster_cols from 1 to the target's " +
                 Twine(target.max_cluster_size));
  if (tiling.lanes_per_row < size)
    return error("at least as many lanes_per_row as workgroups that share the row");
  if (tiling.col_blocks != 1)
    return error("col_blocks to be 1 where workgroups share a row");
  for (auto sum : kernel.getBodyBlock()->getOps<row::AccumulateOp>())
    if (sum.getTo() == row::Sum::scalar && tiling.cluster_partials > 1)
      return error("no sum to a scalar where workgroups share a row and add partials");
  return success();
}

/// What leaves through workgroup memory, stays in it or is added over it has rules that
/// only the decisions have.
LogicalResult checkStages(row::KernelOp kernel, const schedule::Tiling &tiling,
                          const schedule::TargetFacts &target) {
  if (tiling.store == schedule::Store::Direct && tiling.skew == 0 &&
      tiling.residency != schedule::Residency::Shared && tiling.cluster_partials == 1)
    return success();
  std::string broken =
      schedule::checkTiling(row::computeKernelFacts(kernel), target, tiling);
  return broken.empty() ? success() : LogicalResult(kernel.emitOpError(broken));
}

/// What this lowering needs of a tiling, whoever wrote it.
LogicalResult checkTiling(row::KernelOp kernel, const schedule::Tiling &tiling,
                          const schedule::TargetFacts &target) {
  auto expect = [&](bool holds, const Twine &expected, int64_t got) -> LogicalResult {
    if (holds)
      return success();
    return kernel.emitOpError("expected ") << expected << ", but got " << got;
  };
  const int64_t T = tiling.workgroup_size, L = tiling.lanes_per_row;
  const int64_t subgroup = target.subgroup_size;
  if (failed(expect(T % subgroup == 0 && T > 0 && T <= target.max_workgroup_size,
                    "workgroup_size to be a multiple of the subgroup's " +
                        Twine(subgroup) + " lanes and at most " +
                        Twine(target.max_workgroup_size),
                    T)) ||
      failed(expect(L > 0 && T % L == 0 &&
                        (L <= subgroup ? isPowerOfTwo(L) : L % subgroup == 0),
                    "lanes_per_row to be a power of two up to a subgroup, or whole "
                    "subgroups, that divides workgroup_size",
                    L)) ||
      failed(expect(isPowerOfTwo(tiling.vector_elems) && tiling.vector_elems <= 16,
                    "vector_elems to be a power of two at most 16",
                    tiling.vector_elems)))
    return failure();
  if (plan::isFinalize(kernel))
    return success();
  if (failed(expect(tiling.rows_per_tile > 0 && tiling.rows_per_tile % (T / L) == 0,
                    "rows_per_tile to be a multiple of the " + Twine(T / L) +
                        " rows that the workgroup works on side by side",
                    tiling.rows_per_tile)) ||
      failed(expect(tiling.col_blocks == 1 ||
                        llvm::none_of(*kernel.getBodyBlock(),
                                      llvm::IsaPred<row::ReduceOp, row::MomentsOp>),
                    "col_blocks to be 1, because a row reduction crosses the blocks",
                    tiling.col_blocks)) ||
      failed(
          expect(tiling.col_blocks == 1 ||
                     llvm::none_of(kernel.getBodyBlock()->getOps<row::AccumulateOp>(),
                                   [](row::AccumulateOp sum) {
                                     return sum.getTo() == row::Sum::scalar;
                                   }),
                 "col_blocks to be 1, because a sum to a scalar crosses the blocks",
                 tiling.col_blocks)) ||
      failed(checkCluster(kernel, tiling, target)) ||
      failed(checkStages(kernel, tiling, target)))
    return failure();
  if (tiling.residency == schedule::Residency::Reload) {
    for (auto sum : kernel.getBodyBlock()->getOps<row::AccumulateOp>())
      if (sum.getTo() == row::Sum::cols)
        return sum.emitOpError("expected residency = registers, because sums down the "
                               "columns stay in registers, but got reload");
    return success();
  }
  if (ShapedType::isDynamic(plan::staticCols(kernel)) && tiling.col_blocks != 0)
    return kernel.emitOpError(
        "expected residency = reload or col_blocks = 0, because the columns are "
        "dynamic, but got registers");
  return success();
}

/// A kernel of a target without f64 must not have any: as a type of a buffer, or as the
/// accumulator's.
LogicalResult checkTypes(row::KernelOp kernel, const schedule::TargetFacts &target) {
  if (target.has_f64)
    return success();
  for (BlockArgument buffer : kernel.getBodyBlock()->getArguments())
    if (getElementTypeOrSelf(buffer.getType()).isF64())
      return kernel.emitOpError("expected no f64, because ")
             << target.name << " has none, but operand " << buffer.getArgNumber()
             << " is " << buffer.getType();
  WalkResult result = kernel.getBodyBlock()->walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (row::elementTypeOf(type).isF64()) {
        op->emitOpError("expected no f64, because ")
            << target.name << " has none, but got " << type;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

std::unique_ptr<normc::gpu::TargetHooks>
makeHooks(mlir::gpu::GPUModuleOp module, const schedule::TargetFacts &target) {
  if (target.backend == schedule::Backend::LevelZero)
    return std::make_unique<normc::gpu::SpirvHooks>(target.subgroup_size);
  return std::make_unique<normc::gpu::NvvmHooks>(
      module, plan::hasDependentLaunches(target), target.async_copy);
}

class ConvertRowToGpu : public normc::impl::ConvertRowToGpuPassBase<ConvertRowToGpu> {
public:
  using ConvertRowToGpuPassBase::ConvertRowToGpuPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> kernels;
    for (auto op : module.getOps<func::FuncOp>())
      if (op->hasAttr(plan::kKernelAttr))
        kernels.push_back(op);
    if (kernels.empty())
      return;
    auto target = module->getAttrOfType<norm::TargetAttr>("norm.target");
    if (!target) {
      module.emitError(
          "expected a norm.target on the module, because a lowering is for "
          "one target, but got none (norm-attach-target sets it)");
      return signalPassFailure();
    }
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto gpuModule =
        mlir::gpu::GPUModuleOp::create(builder, module.getLoc(), kModuleName);
    for (func::FuncOp op : kernels)
      if (failed(convert(op, gpuModule, target.getFacts())))
        return signalPassFailure();
  }

private:
  LogicalResult convert(func::FuncOp function, mlir::gpu::GPUModuleOp gpuModule,
                        const schedule::TargetFacts &target) {
    auto kernelOps = llvm::to_vector(function.getOps<row::KernelOp>());
    if (kernelOps.size() != 1)
      return function.emitOpError("expected one row.kernel in a kernel function, but "
                                  "got ")
             << kernelOps.size();
    row::KernelOp kernel = kernelOps.front();
    if (!kernel.getTiling())
      return kernel.emitOpError("expected a tiling, because row-select-tiling runs "
                                "before the kernel is lowered, but got none");
    const schedule::Tiling tiling = kernel.getTiling()->getValue();
    if (failed(checkTypes(kernel, target)) ||
        failed(checkTiling(kernel, tiling, target)))
      return failure();
    const auto [shared, lanes] =
        emitKernel(function, kernel, tiling, gpuModule, target);
    if (shared > target.shared_bytes_per_workgroup)
      return kernel.emitOpError("expected at most ")
             << target.shared_bytes_per_workgroup
             << " bytes of workgroup memory, because that is the target's limit, but "
                "got "
             << shared;
    describeLaunches(function.getName(), tiling, shared, lanes);
    function.erase();
    return success();
  }

  /// Bytes of workgroup memory, and lanes, that the kernel is launched with.
  std::pair<int64_t, int64_t> emitKernel(func::FuncOp function, row::KernelOp kernel,
                                         const schedule::Tiling &tiling,
                                         mlir::gpu::GPUModuleOp gpuModule,
                                         const schedule::TargetFacts &target) {
    bool collapsed = function->hasAttr(plan::kCollapsedAttr);
    std::unique_ptr<normc::gpu::TargetHooks> vendor = makeHooks(gpuModule, target);
    normc::gpu::TargetHooks &hooks = *vendor;
    ImplicitLocOpBuilder b(kernel.getLoc(), &getContext());
    b.setInsertionPointToEnd(gpuModule.getBody());
    auto pointer = LLVM::LLVMPointerType::get(&getContext(), hooks.globalSpace());
    SmallVector<Type> types;
    for (const plan::KernelArg &arg : plan::kernelArgs(kernel, collapsed))
      types.push_back(arg.kind == plan::KernelArg::Kind::Pointer
                          ? Type(pointer)
                          : Type(b.getI64Type()));
    auto lowered = mlir::gpu::GPUFuncOp::create(
        b, function.getName(), FunctionType::get(&getContext(), types, {}));
    lowered->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
    hooks.beginKernel(lowered, tiling);
    annotateArguments(lowered, kernel, b);
    b.setInsertionPointToStart(&lowered.getBody().front());
    normc::gpu::GpuEmitter emitter(b, kernel, tiling, collapsed,
                                   function->hasAttr(plan::kAlignedAttr), hooks);
    emitter.emit(lowered.getArguments());
    b.setInsertionPointToEnd(&lowered.getBody().front());
    mlir::gpu::ReturnOp::create(b);
    lowered.setKnownBlockSizeAttr(
        b.getDenseI32ArrayAttr({int32_t(emitter.launchedLanes()), 1, 1}));
    return {emitter.sharedBytes(), emitter.launchedLanes()};
  }

  /// No output overlaps anything (checked at launch), and inputs are not written: what
  /// lets loads go through the read-only path. Partials are, by the kernel that a
  /// finalize may overlap: its loads must stay behind the wait for that one.
  void annotateArguments(mlir::gpu::GPUFuncOp lowered, row::KernelOp kernel,
                         ImplicitLocOpBuilder &b) {
    for (unsigned i = 0; i < kernel.getNumBuffers(); ++i) {
      bool isOutput = kernel.isOutputBuffer(i);
      if (!isOutput && plan::bufferExtent(kernel, i) == schedule::Extent::Partials)
        continue;
      lowered.setArgAttr(i, "llvm.noalias", b.getUnitAttr());
      lowered.setArgAttr(i, isOutput ? "llvm.writeonly" : "llvm.readonly",
                         b.getUnitAttr());
    }
  }

  void describeLaunches(StringRef kernel, const schedule::Tiling &tiling,
                        int64_t sharedBytes, int64_t lanes) {
    getOperation().walk([&](plan::LaunchOp launch) {
      if (launch.getKernel() != kernel)
        return;
      launch.setWorkgroupSize(lanes);
      launch.setDynamicSharedBytes(sharedBytes);
      launch.setClusterSize(tiling.cluster_cols * tiling.cluster_partials);
    });
  }
};

} // namespace
