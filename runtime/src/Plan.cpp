#include "runtime/src/Plan.h"

namespace normrt {
namespace {

DLDataType dataType(schema::ElementType type) {
  switch (type) {
  case schema::ElementType::f16:
    return {kDLFloat, 16, 1};
  case schema::ElementType::bf16:
    return {kDLBfloat, 16, 1};
  case schema::ElementType::f32:
    return {kDLFloat, 32, 1};
  case schema::ElementType::f64:
    return {kDLFloat, 64, 1};
  }
  return {};
}

/// An optional expression: absent where the table's kind does not use it.
Expression decode(const schema::Expr *expr) {
  return expr ? Expression(*expr) : Expression();
}

template <class T, class Result, class Decode>
void decodeAll(const flatbuffers::Vector<T> *from, std::vector<Result> &to,
               Decode decodeOne) {
  if (!from)
    return;
  to.reserve(from->size());
  for (const auto *element : *from)
    to.push_back(decodeOne(*element));
}

ParamPlan decodeParam(const schema::Param &param, int firstDim) {
  ParamPlan plan;
  plan.name = param.name()->str();
  plan.output = param.direction() == schema::Direction::out;
  plan.type = dataType(param.element_type());
  plan.elementBytes = plan.type.bits / 8;
  plan.contiguousDims = param.contiguous_dims();
  plan.firstDim = firstDim;
  decodeAll(param.shape(), plan.shape,
            [](const schema::Expr &expr) { return Expression(expr); });
  return plan;
}

LaunchPlan decodeLaunch(const schema::Launch &launch, const schema::Target &target) {
  LaunchPlan plan;
  plan.kernel = launch.kernel();
  plan.kernelName =
      target.kernels()->Get(flatbuffers::uoffset_t(launch.kernel()))->name()->str();
  plan.workgroupSize = launch.workgroup_size();
  plan.clusterSize = launch.cluster_size();
  plan.grid = Expression(*launch.grid());
  plan.dynamicSharedBytes = launch.dynamic_shared_bytes();
  plan.dependent = launch.dependent();
  decodeAll(launch.args(), plan.args, [](const schema::Arg &arg) {
    // Only an expression's own kind has been verified to have one.
    const bool isExpr = arg.kind() == schema::ArgKind::expr;
    return ArgPlan{arg.kind(), arg.index(), arg.dim(),
                   isExpr ? decode(arg.expr()) : Expression()};
  });
  return plan;
}

VariantPlan decodeVariant(const schema::Variant &variant,
                          const schema::Target &target) {
  VariantPlan plan;
  decodeAll(variant.guards(), plan.guards, [](const schema::Guard &guard) {
    GuardPlan result;
    result.kind = guard.kind();
    result.param = guard.index();
    result.dim = guard.dim();
    result.bytes = guard.bytes();
    if (result.shapeOnly()) {
      result.lhs = decode(guard.lhs());
      result.rhs = decode(guard.rhs());
    }
    return result;
  });
  decodeAll(variant.workspaces(), plan.workspaces,
            [](const schema::Workspace &workspace) {
              return Expression(*workspace.bytes());
            });
  decodeAll(variant.launches(), plan.launches,
            [&](const schema::Launch &launch) { return decodeLaunch(launch, target); });
  return plan;
}

void findBinders(EntryPlan &plan, size_t symbols) {
  std::vector<bool> bound(symbols, false);
  plan.binders.resize(symbols);
  for (size_t param = 0; param < plan.params.size(); ++param)
    for (int dim = 0; dim < plan.params[param].rank(); ++dim) {
      const int symbol = plan.params[param].shape[size_t(dim)].symbol();
      if (symbol < 0 || bound[size_t(symbol)])
        continue;
      bound[size_t(symbol)] = true;
      plan.binders[size_t(symbol)] = {int(param), dim};
    }
}

} // namespace

std::vector<std::string> EntryPlan::symbolNames() const {
  std::vector<std::string> names;
  for (const Binder &binder : binders)
    names.push_back(
        concat(params[size_t(binder.param)].name, ".shape[", binder.dim, "]"));
  return names;
}

EntryPlan decodeEntry(const schema::Entry &entry, const schema::Target &target) {
  EntryPlan plan;
  plan.name = entry.name()->str();
  int dims = 0;
  decodeAll(entry.params(), plan.params, [&](const schema::Param &param) {
    ParamPlan result = decodeParam(param, dims);
    dims += result.rank();
    return result;
  });
  findBinders(plan, size_t(entry.symbols()));
  decodeAll(entry.requirements(), plan.requirements,
            [](const schema::Requirement &requirement) {
              return RequirementPlan{requirement.what()->str(),
                                     Expression(*requirement.lhs()),
                                     Expression(*requirement.rhs())};
            });
  decodeAll(entry.variants(), plan.variants, [&](const schema::Variant &variant) {
    return decodeVariant(variant, target);
  });
  return plan;
}

std::string guardText(const GuardPlan &guard, const EntryPlan &entry) {
  const auto symbols = entry.symbolNames();
  switch (guard.kind) {
  case schema::GuardKind::collapsible:
    return concat("collapsible(", entry.params[size_t(guard.param)].name, ", ",
                  guard.dim, ")");
  case schema::GuardKind::aligned:
    return concat("aligned(", entry.params[size_t(guard.param)].name, ", ", guard.bytes,
                  ")");
  case schema::GuardKind::at_least:
    return concat(guard.lhs.text(symbols), " >= ", guard.rhs.text(symbols));
  case schema::GuardKind::at_most:
    return concat(guard.lhs.text(symbols), " <= ", guard.rhs.text(symbols));
  }
  return "";
}

std::string typeName(DLDataType type) {
  std::string name;
  switch (type.code) {
  case kDLInt:
    name = "i";
    break;
  case kDLUInt:
    name = "u";
    break;
  case kDLFloat:
    name = "f";
    break;
  case kDLBfloat:
    name = "bf";
    break;
  case kDLComplex:
    name = "c";
    break;
  default:
    name = concat("type code ", unsigned(type.code), " of bits ");
  }
  append(name, unsigned(type.bits));
  if (type.lanes != 1)
    name = concat(name, "x", unsigned(type.lanes));
  return name;
}

} // namespace normrt
