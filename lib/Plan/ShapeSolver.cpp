//===- ShapeSolver.cpp - Unification of dimensions --------------------------===//
#include "lib/Plan/ShapeSolver.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace normc;
using namespace normc::plan;

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

void ShapeSolver::makeNodes(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  first_node[memref] = nodes.size();
  memrefs.push_back(memref);
  for (int64_t size : type.getShape())
    nodes.push_back({unsigned(nodes.size()),
                     ShapedType::isStatic(size) ? constant(size) : AffineExpr()});
}

unsigned ShapeSolver::find(unsigned node) {
  while (nodes[node].parent != node)
    node = nodes[node].parent = nodes[nodes[node].parent].parent;
  return node;
}

static std::string textOf(AffineExpr expr) {
  std::string text;
  llvm::raw_string_ostream(text) << expr;
  return text;
}

static LogicalResult emitMismatch(Operation *op, AffineExpr a, AffineExpr b) {
  return op->emitOpError("expected equal sizes, because two dimensions that it relates "
                         "are one, but got ")
         << textOf(a) << " and " << textOf(b);
}

LogicalResult ShapeSolver::unify(unsigned a, unsigned b, Operation *op) {
  a = find(a);
  b = find(b);
  if (a == b)
    return success();
  if (nodes[a].value && nodes[b].value && nodes[a].value != nodes[b].value)
    return emitMismatch(op, nodes[a].value, nodes[b].value);
  if (!nodes[a].value)
    nodes[a].value = nodes[b].value;
  nodes[b].parent = a;
  return success();
}

LogicalResult ShapeSolver::set(unsigned node, AffineExpr value, Operation *op) {
  AffineExpr &known = nodes[find(node)].value;
  if (!known) {
    known = value;
    return success();
  }
  if (known == value)
    return success();
  if (isa<AffineConstantExpr>(known) && isa<AffineConstantExpr>(value))
    return emitMismatch(op, known, value);
  // Both sizes have a name already: the launch compares them.
  demand(known - value, 0);
  demand(value - known, 0);
  return success();
}

void ShapeSolver::demand(AffineExpr expr, int64_t atLeast) {
  auto known = dyn_cast<AffineConstantExpr>(expr);
  if ((known && known.getValue() >= atLeast) ||
      (expr.getKind() == AffineExprKind::Mod && atLeast <= 0))
    return;
  if (llvm::none_of(demands, [&](const Demand &other) {
        return other.expr == expr && other.at_least == atLeast;
      }))
    demands.push_back({expr, atLeast});
}

//===----------------------------------------------------------------------===//
// From the arguments to everything
//===----------------------------------------------------------------------===//

FailureOr<bool> ShapeSolver::propagate(Definition &definition) {
  bool known = true;
  SmallVector<AffineExpr> values;
  for (unsigned i = 0; i < nodes.size(); ++i)
    values.push_back(valueOf(i));
  definition.expr.walk([&](AffineExpr expr) {
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      known &= bool(values[symbol.getPosition()]);
  });
  if (!known)
    return false;
  definition.done = true;
  if (failed(
          set(definition.node, definition.expr.replaceSymbols(values), definition.op)))
    return failure();
  return true;
}

FailureOr<bool> ShapeSolver::propagate(Product &product) {
  AffineExpr known = constant(1), whole = valueOf(product.whole);
  SmallVector<unsigned> unknown;
  for (unsigned part : product.parts) {
    if (AffineExpr value = valueOf(part))
      known = known * value;
    else
      unknown.push_back(part);
  }
  if (unknown.empty()) {
    product.done = true;
    if (failed(set(product.whole, known, product.op)))
      return failure();
    return true;
  }
  auto isZero = [](AffineExpr expr) {
    auto value = dyn_cast<AffineConstantExpr>(expr);
    return value && value.getValue() == 0;
  };
  if (unknown.size() > 1 || !whole || isZero(known))
    return false;
  AffineExpr rest = whole % known;
  if (auto value = dyn_cast<AffineConstantExpr>(rest); value && value.getValue() != 0) {
    product.op->emitOpError("expected a size that is a multiple of ")
        << textOf(known)
        << ", because it is reshaped to dimensions of that product, but got "
        << textOf(whole);
    return failure();
  }
  demand(-rest, 0);
  product.done = true;
  if (failed(set(unknown.front(), whole.floorDiv(known), product.op)))
    return failure();
  return true;
}

LogicalResult ShapeSolver::propagate() {
  auto once = [&](auto &relations, bool &changed) -> LogicalResult {
    for (auto &relation : relations) {
      if (relation.done)
        continue;
      FailureOr<bool> result = propagate(relation);
      if (failed(result))
        return failure();
      changed |= *result;
    }
    return success();
  };
  for (bool changed = true; changed;) {
    changed = false;
    if (failed(once(definitions, changed)) || failed(once(products, changed)))
      return failure();
  }
  return success();
}

LogicalResult ShapeSolver::number(Block::BlockArgListType arguments) {
  if (failed(propagate()))
    return failure();
  for (BlockArgument argument : arguments)
    for (int64_t i = 0; i < cast<MemRefType>(argument.getType()).getRank(); ++i) {
      AffineExpr &value = nodes[find(node(argument, i))].value;
      if (value)
        continue;
      value = getAffineSymbolExpr(num_symbols++, context);
      if (failed(propagate()))
        return failure();
    }
  return success();
}

LogicalResult ShapeSolver::seed(Block::BlockArgListType arguments,
                                ArrayRef<ParamAttr> params) {
  for (auto [argument, param] : llvm::zip_equal(arguments, params))
    for (auto [i, size] : llvm::enumerate(param.getShape().getResults()))
      if (failed(set(node(argument, i), size, argument.getOwner()->getParentOp())))
        return failure();
  if (!params.empty())
    num_symbols = params.front().getShape().getNumSymbols();
  return propagate();
}

FailureOr<Shapes> ShapeSolver::finish() {
  Shapes shapes;
  shapes.context = context;
  shapes.num_symbols = num_symbols;
  for (Value memref : memrefs) {
    SmallVector<AffineExpr> &dims = shapes.dims[memref];
    for (int64_t i = 0; i < cast<MemRefType>(memref.getType()).getRank(); ++i) {
      dims.push_back(valueOf(node(memref, i)));
      if (dims.back() || memref.getDefiningOp<row::PartialsOp>())
        continue;
      memref.getDefiningOp()->emitOpError("expected dimension ")
          << i
          << " to follow from the parameters' dimensions, because the workspace is "
             "sized by them, but nothing gives it";
      return failure();
    }
  }
  for (const auto &[columns, op] : kernel_columns) {
    AffineExpr cols = constant(1);
    for (unsigned column : columns)
      cols = cols * valueOf(column);
    if (auto value = dyn_cast<AffineConstantExpr>(cols);
        value && value.getValue() < 1) {
      op->emitOpError(
          "expected at least 1 for cols, because a row without elements has "
          "no mean, but got ")
          << value.getValue();
      return failure();
    }
    demand(cols, 1);
  }
  shapes.all_demands = std::move(demands);
  return shapes;
}
