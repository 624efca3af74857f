//===- NvvmHooks.cpp - What NVIDIA's GPUs have ------------------------------===//
#include "NvvmHooks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace normc::gpu;

void NvvmHooks::beginKernel(mlir::gpu::GPUFuncOp kernel,
                            const schedule::Tiling &tiling) {
  if (tiling.min_workgroups_per_cu > 0)
    kernel->setAttr(
        NVVM::NVVMDialect::getMinctasmAttrName(),
        Builder(kernel.getContext()).getI32IntegerAttr(tiling.min_workgroups_per_cu));
}

/// The one symbol for workgroup memory, whose size the launch gives.
static constexpr llvm::StringLiteral kSharedSymbol = "normc_shared";

Value NvvmHooks::sharedMemory(ImplicitLocOpBuilder &b) {
  if (!module.lookupSymbol(kSharedSymbol)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
    // External and without a size: dynamic shared memory in PTX.
    LLVM::GlobalOp::create(b, type, /*isConstant=*/false, LLVM::Linkage::External,
                           kSharedSymbol, Attribute(), /*alignment=*/128,
                           sharedSpace());
  }
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), sharedSpace());
  return LLVM::AddressOfOp::create(b, pointer, kSharedSymbol);
}

void NvvmHooks::allowDependents(ImplicitLocOpBuilder &b) {
  if (isHopper)
    NVVM::GriddepcontrolOp::create(b, NVVM::GridDepActionKind::launch_dependents);
}

void NvvmHooks::awaitDependencies(ImplicitLocOpBuilder &b) {
  if (isHopper)
    NVVM::GriddepcontrolOp::create(b, NVVM::GridDepActionKind::wait);
}

/// Address space of a pointer into the memory of some workgroup of the cluster.
static constexpr unsigned kClusterSpace = 7;

static Value narrow(ImplicitLocOpBuilder &b, Value value) {
  return arith::TruncIOp::create(b, b.getI32Type(), value);
}

void NvvmHooks::initBarrier(ImplicitLocOpBuilder &b, Value barrier, int64_t arrivals) {
  Value count = arith::ConstantIntOp::create(b, b.getI32Type(), arrivals);
  NVVM::MBarrierInitOp::create(b, barrier, count, /*predicate=*/Value());
}

void NvvmHooks::fenceBarriers(ImplicitLocOpBuilder &b) {
  NVVM::FenceMbarrierInitOp::create(b);
}

void NvvmHooks::expectBytes(ImplicitLocOpBuilder &b, Value barrier, Value bytes) {
  OperationState state(b.getLoc(), NVVM::MBarrierArriveExpectTxOp::getOperationName());
  state.addOperands({barrier, narrow(b, bytes)});
  b.create(state);
}

void NvvmHooks::copyToShared(ImplicitLocOpBuilder &b, Value to, Value from, Value bytes,
                             Value barrier) {
  // The destination is this workgroup's own memory, seen as a part of the cluster's.
  auto cluster = LLVM::LLVMPointerType::get(b.getContext(), kClusterSpace);
  Value destination = LLVM::AddrSpaceCastOp::create(b, cluster, to);
  NVVM::CpAsyncBulkGlobalToSharedClusterOp::create(
      b, destination, from, barrier, narrow(b, bytes), /*multicastMask=*/Value(),
      /*l2CacheHint=*/Value());
}

void NvvmHooks::arriveAt(ImplicitLocOpBuilder &b, Value barrier) {
  OperationState state(b.getLoc(), NVVM::MBarrierArriveOp::getOperationName());
  state.addOperands(barrier);
  state.addTypes(b.getI64Type());
  b.create(state);
}

Value NvvmHooks::testBarrier(ImplicitLocOpBuilder &b, Value barrier, Value phase,
                             bool ofCluster) {
  OperationState state(b.getLoc(), NVVM::MBarrierTryWaitOp::getOperationName());
  state.addOperands({barrier, phase});
  state.addTypes(b.getI1Type());
  if (ofCluster)
    state.addAttribute("scope", NVVM::MemScopeKindAttr::get(
                                    b.getContext(), NVVM::MemScopeKind::CLUSTER));
  return b.create(state)->getResult(0);
}

void NvvmHooks::fenceForCopies(ImplicitLocOpBuilder &b) {
  NVVM::FenceProxyOp::create(
      b, NVVM::ProxyKindAttr::get(b.getContext(), NVVM::ProxyKind::async_shared),
      NVVM::SharedSpaceAttr::get(b.getContext(), NVVM::SharedSpace::shared_cta));
}

void NvvmHooks::copyFromShared(ImplicitLocOpBuilder &b, Value to, Value from,
                               Value bytes) {
  NVVM::CpAsyncBulkSharedCTAToGlobalOp::create(b, to, from, narrow(b, bytes),
                                               /*l2CacheHint=*/Value(),
                                               /*byteMask=*/Value());
}

void NvvmHooks::endCopyGroup(ImplicitLocOpBuilder &b) {
  NVVM::CpAsyncBulkCommitGroupOp::create(b);
}

void NvvmHooks::awaitCopiesRead(ImplicitLocOpBuilder &b, int64_t pending) {
  NVVM::CpAsyncBulkWaitGroupOp::create(b, b.getI32IntegerAttr(int32_t(pending)),
                                       /*read=*/b.getUnitAttr());
}

void NvvmHooks::copyLane(ImplicitLocOpBuilder &b, Value to, Value from, int64_t bytes) {
  // Past the first-level cache, which 16 bytes alone can.
  auto cache =
      bytes == 16 ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(b, to, from, b.getI32IntegerAttr(int32_t(bytes)),
                          NVVM::LoadCacheModifierKindAttr::get(b.getContext(), cache),
                          /*cpSize=*/Value());
}

void NvvmHooks::endLaneCopyGroup(ImplicitLocOpBuilder &b) {
  NVVM::CpAsyncCommitGroupOp::create(b);
}

void NvvmHooks::awaitLaneCopies(ImplicitLocOpBuilder &b, int64_t pending) {
  NVVM::CpAsyncWaitGroupOp::create(b, b.getI32IntegerAttr(int32_t(pending)));
}

static void emitAssembly(ImplicitLocOpBuilder &b, ValueRange operands, StringRef text,
                         StringRef constraints) {
  LLVM::InlineAsmOp::create(
      b, TypeRange(), operands, text, constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
}

/// There is no intrinsic for it.
void NvvmHooks::sendToWorkgroup(ImplicitLocOpBuilder &b, Value value, Value pointer,
                                Value barrier) {
  const bool isWide = value.getType().isF64();
  emitAssembly(b, {pointer, value, barrier},
               isWide ? "st.async.shared::cluster.mbarrier::complete_tx::bytes.f64 "
                        "[$0], $1, [$2];"
                      : "st.async.shared::cluster.mbarrier::complete_tx::bytes.f32 "
                        "[$0], $1, [$2];",
               isWide ? "l,d,l,~{memory}" : "l,f,l,~{memory}");
}

void NvvmHooks::subgroupBarrier(ImplicitLocOpBuilder &b) {
  Value all = arith::ConstantIntOp::create(b, b.getI32Type(), -1);
  NVVM::SyncWarpOp::create(b, all);
}

Value NvvmHooks::clusterRank(ImplicitLocOpBuilder &b) {
  Value rank = NVVM::ClusterId::create(b, b.getI32Type());
  return arith::ExtUIOp::create(b, b.getI64Type(), rank);
}

Value NvvmHooks::inWorkgroup(ImplicitLocOpBuilder &b, Value pointer, Value rank) {
  auto type = LLVM::LLVMPointerType::get(b.getContext(), kClusterSpace);
  return NVVM::MapaOp::create(b, type, pointer, narrow(b, rank));
}

void NvvmHooks::clusterBarrier(ImplicitLocOpBuilder &b) {
  NVVM::ClusterArriveOp::create(b, /*aligned=*/b.getUnitAttr());
  NVVM::ClusterWaitOp::create(b, /*aligned=*/b.getUnitAttr());
}

/// Empty assembly statements on the values, which stay in the registers they are in.
static SmallVector<Value> pinRegisters(ImplicitLocOpBuilder &b, ValueRange values,
                                       StringRef constraint) {
  std::string constraints;
  for (size_t i = 0; i < values.size(); ++i)
    constraints += ("=" + constraint + ",").str();
  for (size_t i = 0; i < values.size(); ++i)
    constraints += std::to_string(i) + (i + 1 < values.size() ? "," : "");
  SmallVector<Type> types(values.getTypes());
  Type result = values.size() == 1
                    ? types.front()
                    : Type(LLVM::LLVMStructType::getLiteral(b.getContext(), types));
  Value pinned =
      LLVM::InlineAsmOp::create(
          b, result, values, "", constraints, /*has_side_effects=*/true,
          /*is_align_stack=*/false, LLVM::TailCallKind::None,
          LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
          /*operand_attrs=*/ArrayAttr())
          .getResult(0);
  if (values.size() == 1)
    return {pinned};
  SmallVector<Value> results;
  for (size_t i = 0; i < values.size(); ++i)
    results.push_back(
        LLVM::ExtractValueOp::create(b, pinned, ArrayRef<int64_t>{int64_t(i)}));
  return results;
}

/// Floats as they are, everything else as words of 32 bits.
Value NvvmHooks::pin(ImplicitLocOpBuilder &b, Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  Type element = getElementTypeOrSelf(value.getType());
  const bool isWide = element.isF32() || element.isF64();
  StringRef constraint = element.isF32() ? "f" : element.isF64() ? "d" : "r";
  if (!type)
    return isWide ? pinRegisters(b, value, constraint).front() : value;
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  if (bits % 32)
    return value;
  VectorType parts = isWide ? type : VectorType::get({bits / 32}, b.getI32Type());
  Value packed = type == parts ? value : vector::BitCastOp::create(b, parts, value);
  SmallVector<Value> each;
  for (int64_t i = 0; i < parts.getNumElements(); ++i)
    each.push_back(vector::ExtractOp::create(b, packed, i));
  Value all =
      vector::FromElementsOp::create(b, parts, pinRegisters(b, each, constraint));
  return type == parts ? all : vector::BitCastOp::create(b, type, all).getResult();
}

/// The low halves by a shift and the high ones by a mask: one operation an element,
/// where the generic conversion takes two for the high halves.
Value NvvmHooks::widenBf16(ImplicitLocOpBuilder &b, Value bits) {
  int64_t elems = cast<VectorType>(bits.getType()).getNumElements();
  if (elems % 2)
    return {};
  auto words = VectorType::get({elems / 2}, b.getI32Type());
  auto constant = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(b, DenseElementsAttr::get(words, value));
  };
  Value pairs = vector::BitCastOp::create(b, words, bits);
  Value low = arith::ShLIOp::create(b, pairs, constant(16));
  Value high = arith::AndIOp::create(b, pairs, constant(int32_t(0xffff0000)));
  Value both = vector::InterleaveOp::create(b, low, high);
  return vector::BitCastOp::create(b, VectorType::get({elems}, b.getF32Type()), both);
}
