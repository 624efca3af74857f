//===- NvvmHooks.cpp - What NVIDIA's GPUs have ------------------------------===//
#include "NvvmHooks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace normc::gpu;

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
  if (hasDependentLaunch)
    NVVM::GriddepcontrolOp::create(b, NVVM::GridDepActionKind::launch_dependents);
}

void NvvmHooks::awaitDependencies(ImplicitLocOpBuilder &b) {
  if (hasDependentLaunch)
    NVVM::GriddepcontrolOp::create(b, NVVM::GridDepActionKind::wait);
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
