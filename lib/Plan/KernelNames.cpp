//===- KernelNames.cpp - Names of outlined kernels --------------------------===//
#include "lib/Plan/KernelNames.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace normc;
using namespace normc::plan;

std::string normc::plan::kernelName(row::KernelOp kernel, const KernelForm &form) {
  std::string name = kernel.getKernelName().value_or("row_kernel").str();
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  if (name.empty() || llvm::isDigit(name.front()))
    name.insert(0, "k_");
  llvm::SmallSetVector<Type, 4> types;
  for (BlockArgument buffer : kernel.getBody().getArguments())
    types.insert(cast<MemRefType>(buffer.getType()).getElementType());
  llvm::raw_string_ostream stream(name);
  for (Type type : types)
    stream << "_" << type;
  stream << "_n";
  if (int64_t cols = staticCols(kernel); ShapedType::isStatic(cols))
    stream << cols;
  if (kernel.getMaxRows())
    stream << "_few";
  if (!form.collapsed)
    stream << "_strided";
  if (form.alignment == Alignment::Unaligned)
    stream << "_unaligned";
  return name;
}
