//===- NormInterfaces.td - What all ops of the norm dialect share -----------===//
#ifndef NORMC_DIALECTS_NORM_NORMINTERFACES_TD
#define NORMC_DIALECTS_NORM_NORMINTERFACES_TD

include "mlir/IR/Interfaces.td"
include "mlir/IR/OpBase.td"

def Norm_OpInterface : OpInterface<"NormOpInterface"> {
  let cppNamespace = "::normc::norm";
  let description = [{
    The operands of an op, with what the op's definition calls them and what indexes
    them. Inputs come first, inits after them; tensor init i is tied to result i.
    Verification, bufferization and canonicalization are written once, over this list.
  }];
  let methods = [
    InterfaceMethod<"The input whose shape is [outer..., normalized...].",
                    "::mlir::TypedValue<::mlir::ShapedType>", "getX">,
    InterfaceMethod<"Trailing dimensions of x that are normalized.", "uint64_t",
                    "getNormDims">,
    InterfaceMethod<"The operands that are present, in order.",
                    "::llvm::SmallVector<::normc::norm::NamedOperand>",
                    "getNamedOperands">,
  ];
  // The constraints that all ops share; what an op has of its own it verifies itself.
  let verify = [{ return ::normc::norm::shared::verifyShared($_op); }];
  let extraSharedClassDeclaration = [{
    /// The operands that are read, and the inits that are present, in order.
    ::llvm::SmallVector<::mlir::Value> getIns() {
      return ::normc::norm::shared::selectOperands($_op.getNamedOperands(), false);
    }
    ::llvm::SmallVector<::mlir::Value> getInits() {
      return ::normc::norm::shared::selectOperands($_op.getNamedOperands(), true);
    }
  }];
}

#endif // NORMC_DIALECTS_NORM_NORMINTERFACES_TD
