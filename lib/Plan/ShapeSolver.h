//===- ShapeSolver.h - Unification of dimensions ----------------------------===//
#ifndef NORMC_LIB_PLAN_SHAPESOLVER_H
#define NORMC_LIB_PLAN_SHAPESOLVER_H

#include "normc/Plan/Shapes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace normc::plan {

/// Union-find over the dimensions of memrefs ("nodes"), whose classes get a static size
/// or an expression over the entry's symbols.
class ShapeSolver {
public:
  explicit ShapeSolver(mlir::MLIRContext *context) : context(context) {}

  /// Makes the nodes and reads what every op says of them.
  mlir::LogicalResult collect(mlir::Block &body,
                              mlir::Block::BlockArgListType arguments);
  /// Gives every class of the arguments that is not known a symbol, in order.
  mlir::LogicalResult number(mlir::Block::BlockArgListType arguments);
  /// Gives the classes of the arguments the sizes that `params` say.
  mlir::LogicalResult seed(mlir::Block::BlockArgListType arguments,
                           llvm::ArrayRef<ParamAttr> params);
  mlir::FailureOr<Shapes> finish();

private:
  /// node = expr, an expression whose symbols are nodes.
  struct Definition {
    unsigned node;
    mlir::AffineExpr expr;
    mlir::Operation *op;
    bool done = false;
  };
  /// whole = product of parts: a reshape.
  struct Product {
    unsigned whole;
    llvm::SmallVector<unsigned> parts;
    mlir::Operation *op;
    bool done = false;
  };
  struct Node {
    unsigned parent;
    /// Of a class: its size, once known.
    mlir::AffineExpr value;
  };

  void makeNodes(mlir::Value memref);
  unsigned node(mlir::Value memref, unsigned dim) const {
    return first_node.lookup(memref) + dim;
  }
  unsigned find(unsigned node);
  mlir::AffineExpr valueOf(unsigned node) { return nodes[find(node)].value; }
  mlir::AffineExpr constant(int64_t value) const {
    return mlir::getAffineConstantExpr(value, context);
  }

  mlir::LogicalResult unify(unsigned a, unsigned b, mlir::Operation *op);
  mlir::LogicalResult set(unsigned node, mlir::AffineExpr value, mlir::Operation *op);
  mlir::LogicalResult define(unsigned node, mlir::Value index, mlir::Operation *op);
  void demand(mlir::AffineExpr expr, int64_t atLeast);

  mlir::FailureOr<mlir::AffineExpr> indexExpr(mlir::Value index, mlir::Operation *user);
  mlir::LogicalResult collectAlloc(mlir::Operation *op, mlir::Value memref,
                                   mlir::ValueRange sizes);
  mlir::LogicalResult collectCast(mlir::memref::CastOp cast);
  mlir::LogicalResult collectReshape(mlir::Operation *op, mlir::Value whole,
                                     mlir::Value parts,
                                     llvm::ArrayRef<mlir::ReassociationIndices> groups);
  mlir::LogicalResult collectExpand(mlir::memref::ExpandShapeOp expand);
  mlir::LogicalResult collectKernel(row::KernelOp kernel);
  mlir::LogicalResult unifyDims(row::KernelOp kernel, unsigned buffer,
                                unsigned firstDim, unsigned rank,
                                std::optional<llvm::SmallVector<unsigned>> &known,
                                llvm::StringRef what);

  mlir::LogicalResult propagate();
  mlir::FailureOr<bool> propagate(Definition &definition);
  mlir::FailureOr<bool> propagate(Product &product);

  mlir::MLIRContext *context;
  std::vector<Node> nodes;
  llvm::DenseMap<mlir::Value, unsigned> first_node;
  /// In order of their making, for messages about what stays unknown.
  llvm::SmallVector<mlir::Value> memrefs;
  std::vector<Definition> definitions;
  std::vector<Product> products;
  /// Columns of a kernel's partials, for the kernel that finalizes them.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<unsigned>> partials_cols;
  llvm::SmallVector<std::pair<llvm::SmallVector<unsigned>, mlir::Operation *>>
      kernel_columns;
  llvm::SmallVector<Demand> demands;
  unsigned num_symbols = 0;
};

} // namespace normc::plan

#endif // NORMC_LIB_PLAN_SHAPESOLVER_H
