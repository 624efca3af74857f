// The plan of an entry as the launch reads it: the schema's tables of a verified
// package, decoded once at load into flat structures.
#ifndef NORMRT_PLAN_H
#define NORMRT_PLAN_H

#include "runtime/src/Expression.h"

#include <string>
#include <vector>

namespace normrt {

struct ParamPlan {
  std::string name;
  bool output = false;
  DLDataType type{};
  int64_t elementBytes = 0;
  int contiguousDims = 0;
  /// Where this parameter's dimensions begin among those of all parameters.
  int firstDim = 0;
  std::vector<Expression> shape;

  int rank() const { return int(shape.size()); }
};

/// The dimension that gives a symbol its value.
struct Binder {
  int param = 0;
  int dim = 0;
};

struct GuardPlan {
  schema::GuardKind kind{};
  int param = 0;
  int dim = 0;
  int64_t bytes = 0;
  Expression lhs, rhs;

  /// Depends on shapes and the device alone, not on strides and addresses.
  bool shapeOnly() const {
    return kind == schema::GuardKind::at_least || kind == schema::GuardKind::at_most;
  }
};

struct ArgPlan {
  schema::ArgKind kind{};
  int index = 0;
  int dim = 0;
  Expression value;
};

struct LaunchPlan {
  int kernel = 0;
  std::string kernelName;
  int workgroupSize = 1;
  int clusterSize = 1;
  Expression grid;
  int64_t dynamicSharedBytes = 0;
  bool dependent = false;
  std::vector<ArgPlan> args;
  /// Workgroups of this launch that one compute unit holds, and clusters that the
  /// device holds: asked once, at load.
  int64_t resident = 1;
  int64_t residentClusters = 0;
};

struct VariantPlan {
  std::vector<GuardPlan> guards;
  std::vector<Expression> workspaces;
  std::vector<LaunchPlan> launches;
  /// Whether the device that the package was loaded on can run all of them.
  bool runnable = true;
};

struct RequirementPlan {
  std::string what;
  Expression lhs, rhs;
};

struct EntryPlan {
  std::string name;
  std::vector<Binder> binders; // One a symbol.
  std::vector<ParamPlan> params;
  std::vector<RequirementPlan> requirements;
  std::vector<VariantPlan> variants;

  /// The name of each symbol in messages: "x.shape[0]".
  std::vector<std::string> symbolNames() const;
};

/// Decodes an entry of a verified package.
EntryPlan decodeEntry(const schema::Entry &entry, const schema::Target &target);

/// A guard as text: "x.shape[0] >= 64".
std::string guardText(const GuardPlan &guard, const EntryPlan &entry);

/// "f16", "bf16", "f32" and so on; "f32x4" where there are lanes.
std::string typeName(DLDataType type);

} // namespace normrt

#endif // NORMRT_PLAN_H
