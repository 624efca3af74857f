#include "runtime/src/Binding.h"
#include "runtime/src/Launch.h"

namespace normrt {
namespace {

/// Symbols that some tensor gives a value.
struct KnownSymbols {
  int64_t values[kMaxSymbols] = {};
  bool known[kMaxSymbols] = {};
};

Status takeSymbols(const ParamPlan &param, const DLTensor &tensor,
                   KnownSymbols &symbols) {
  if (tensor.ndim != param.rank() || (param.rank() > 0 && !tensor.shape))
    return Status::error(NORMRT_STATUS_SHAPE_MISMATCH, "parameter \"", param.name,
                         "\": expected a shape of rank ", param.rank(), ", but got ",
                         tensor.ndim);
  for (int dim = 0; dim < param.rank(); ++dim) {
    const int64_t size = tensor.shape[dim];
    const int symbol = param.shape[size_t(dim)].symbol();
    if (size < 0)
      return Status::error(NORMRT_STATUS_SHAPE_MISMATCH, "parameter \"", param.name,
                           "\": expected no negative dimension, but got ",
                           shapeText(tensor.shape, param.rank()));
    if (symbol < 0)
      continue;
    if (symbols.known[symbol] && symbols.values[symbol] != size)
      return Status::error(
          NORMRT_STATUS_SHAPE_MISMATCH, "parameter \"", param.name,
          "\": expected dimension ", dim, " to be ", symbols.values[symbol],
          ", because a parameter before it has that size, but got ", size);
    symbols.known[symbol] = true;
    symbols.values[symbol] = size;
  }
  return Status();
}

} // namespace

Status inferShape(const EntryPlan &plan, const DLTensor *const *tensors, int count,
                  int param, int64_t *shape) {
  const int params = int(plan.params.size());
  if (!tensors || count != params)
    return Status::error(NORMRT_STATUS_INVALID_ARGUMENT, "expected ", params,
                         " tensors, because entry \"", plan.name, "\" has ", params,
                         " parameters, but got ", tensors ? count : 0);
  if (param < 0 || param >= params)
    return Status::error(NORMRT_STATUS_INVALID_ARGUMENT, "expected a parameter below ",
                         params, ", but got ", param);
  KnownSymbols symbols;
  for (int i = 0; i < params; ++i)
    if (tensors[i] && i != param)
      NORMRT_TRY(takeSymbols(plan.params[size_t(i)], *tensors[i], symbols));

  const ParamPlan &wanted = plan.params[size_t(param)];
  if (wanted.rank() > 0 && !shape)
    return Status::error(NORMRT_STATUS_INVALID_ARGUMENT,
                         "expected room for a shape of rank ", wanted.rank(),
                         ", but got null");
  int64_t result[kMaxRank];
  for (int dim = 0; dim < wanted.rank(); ++dim) {
    const Expression &size = wanted.shape[size_t(dim)];
    bool known = true;
    size.forEachSymbol([&](int symbol) { known &= symbols.known[symbol]; });
    if (!known)
      return Status::error(NORMRT_STATUS_INVALID_ARGUMENT, "parameter \"", wanted.name,
                           "\": expected tensors that determine dimension ", dim,
                           ", which is ", size.text(plan.symbolNames()),
                           ", but those given do not");
    NORMRT_TRY(size.evaluate(Environment{symbols.values}, result[dim]));
  }
  for (int dim = 0; dim < wanted.rank(); ++dim)
    shape[dim] = result[dim];
  return Status();
}

} // namespace normrt
