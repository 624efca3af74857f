//===- SpirvHooks.cpp - What SPIR-V kernels have ----------------------------===//
#include "SpirvHooks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace normc::gpu;

void SpirvHooks::beginKernel(mlir::gpu::GPUFuncOp next, const schedule::Tiling &) {
  kernel = next;
  shared = {};
  kernel->setAttr("intel_reqd_sub_group_size",
                  Builder(kernel.getContext()).getI32IntegerAttr(int32_t(subgroup)));
}

/// Workgroup memory whose size the launch gives is an argument of the kernel, the last.
Value SpirvHooks::sharedMemory(ImplicitLocOpBuilder &b) {
  if (!shared) {
    unsigned last = kernel.getNumArguments();
    auto type = LLVM::LLVMPointerType::get(b.getContext(), sharedSpace());
    if (failed(kernel.insertArgument(last, type, DictionaryAttr(), b.getLoc())))
      llvm_unreachable("a kernel of a GPU takes an argument more");
    shared = kernel.getArgument(last);
  }
  return shared;
}

/// Core SPIR-V has no bf16: a value is the high half of an f32.
Value SpirvHooks::widenBf16(ImplicitLocOpBuilder &b, Value bits) {
  int64_t elems = cast<VectorType>(bits.getType()).getNumElements();
  auto words = VectorType::get({elems}, b.getI32Type());
  Value wide = arith::ExtUIOp::create(b, words, bits);
  Value half = arith::ConstantOp::create(b, DenseElementsAttr::get(words, int32_t(16)));
  return arith::BitcastOp::create(b, VectorType::get({elems}, b.getF32Type()),
                                  arith::ShLIOp::create(b, wide, half));
}
