//===- MaskedAccess.cpp - Masked accesses that a processor has not ----------===//
#include "MaskedAccess.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

/// Whether each lane of it would get a branch.
static bool needsBranches(const IntrinsicInst &access,
                          const TargetTransformInfo &processor) {
  const bool isLoad = access.getIntrinsicID() == Intrinsic::masked_load;
  if (!isLoad && access.getIntrinsicID() != Intrinsic::masked_store)
    return false;
  const unsigned pointer = isLoad ? 0 : 1, mask = isLoad ? 1 : 2;
  if (isa<Constant>(access.getArgOperand(mask)))
    return false;
  Type *type = isLoad ? access.getType() : access.getArgOperand(0)->getType();
  const Align align = access.getParamAlign(pointer).valueOrOne();
  return !(isLoad ? processor.isLegalMaskedLoad(type, align, 0)
                  : processor.isLegalMaskedStore(type, align, 0));
}

/// A function that does what `access` does for any arguments.
static Function *makeFunction(const IntrinsicInst &access) {
  Function *intrinsic = access.getCalledFunction();
  auto *function =
      Function::Create(intrinsic->getFunctionType(), GlobalValue::InternalLinkage,
                       "normc." + intrinsic->getName(), *intrinsic->getParent());
  function->addFnAttr(Attribute::NoInline);
  function->addFnAttr(Attribute::NoUnwind);
  IRBuilder<> builder(BasicBlock::Create(function->getContext(), "", function));
  SmallVector<Value *> arguments;
  for (Argument &argument : function->args())
    arguments.push_back(&argument);
  CallInst *call = builder.CreateCall(intrinsic, arguments);
  call->setAttributes(access.getAttributes());
  if (call->getType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
  return function;
}

void normc::host::shareMaskedAccesses(Module &code, TargetMachine &machine) {
  SmallVector<IntrinsicInst *> accesses;
  for (Function &function : code) {
    const TargetTransformInfo processor = machine.getTargetTransformInfo(function);
    for (Instruction &instruction : instructions(function))
      if (auto *access = dyn_cast<IntrinsicInst>(&instruction))
        if (needsBranches(*access, processor))
          accesses.push_back(access);
  }
  DenseMap<std::pair<Function *, AttributeList>, Function *> functions;
  for (IntrinsicInst *access : accesses) {
    Function *&function =
        functions[{access->getCalledFunction(), access->getAttributes()}];
    if (!function)
      function = makeFunction(*access);
    access->setCalledFunction(function);
    access->setAttributes({});
  }
}
