//===- Descriptor.cpp - The IR of a norm that is described --------------------===//
#include "Descriptor.h"

#include "Errors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <cstring>
#include <limits>

using llvm::StringRef;
using llvm::Twine;
using normc::capi::makeError;

namespace {

constexpr int32_t kMaxRank = 16;

/// What shape a parameter has.
enum class Extent { All, Normalized, Outer, One };

/// The fields that are types, in the order of the parameters.
struct TypeField {
  StringRef name;
  normc_type normc_norm_descriptor::*type;
  Extent extent;
  bool is_result;
};
constexpr TypeField kTypeFields[] = {
    {"dy", &normc_norm_descriptor::dy, Extent::All, false},
    {"x", &normc_norm_descriptor::x, Extent::All, false},
    {"alpha", &normc_norm_descriptor::alpha, Extent::One, false},
    {"shift", &normc_norm_descriptor::shift, Extent::One, false},
    {"weight", &normc_norm_descriptor::weight, Extent::Normalized, false},
    {"bias", &normc_norm_descriptor::bias, Extent::Normalized, false},
    {"y", &normc_norm_descriptor::y, Extent::All, true},
    {"dx", &normc_norm_descriptor::dx, Extent::All, true},
    {"dalpha", &normc_norm_descriptor::dalpha, Extent::One, true},
    {"dshift", &normc_norm_descriptor::dshift, Extent::One, true},
    {"dweight", &normc_norm_descriptor::dweight, Extent::Normalized, true},
    {"dbias", &normc_norm_descriptor::dbias, Extent::Normalized, true},
};

/// What each op has: its parameters that may be there, those that must, the statistics
/// that it writes or reads, and its attributes.
struct OpTraits {
  normc_op op;
  StringRef name;
  StringRef parameters;
  StringRef required;
  StringRef statistics;
  bool backward, epsilon, weight_offset, cast, activation;
};
constexpr OpTraits kOps[] = {
    {NORMC_OP_LAYER_NORM, "layer_norm", "x weight bias y", "x", "mean rstd", false,
     true, true, false, false},
    {NORMC_OP_LAYER_NORM_BACKWARD, "layer_norm_backward",
     "dy x weight dx dweight dbias", "dy x", "mean rstd", true, false, true, false,
     false},
    {NORMC_OP_RMS_NORM, "rms_norm", "x weight y", "x", "rstd", false, true, true, true,
     false},
    {NORMC_OP_RMS_NORM_BACKWARD, "rms_norm_backward", "dy x weight dx dweight", "dy x",
     "rstd", true, false, true, true, false},
    {NORMC_OP_DYT, "dyt", "x alpha shift weight bias y", "x alpha", "", false, false,
     false, false, true},
    {NORMC_OP_DYT_BACKWARD, "dyt_backward",
     "dy x alpha shift weight dx dalpha dshift dweight dbias", "dy x alpha", "", true,
     false, false, false, true},
};

bool has(StringRef words, StringRef word) {
  llvm::SmallVector<StringRef> all;
  words.split(all, ' ', -1, false);
  return llvm::is_contained(all, word);
}

constexpr StringRef kTypeNames[] = {"absent", "f16", "bf16", "f32", "f64"};

class Writer {
public:
  explicit Writer(const normc_norm_descriptor &descriptor) : d(descriptor) {}

  normc_error *check() {
    const OpTraits *found =
        llvm::find_if(kOps, [&](const OpTraits &each) { return each.op == d.op; });
    if (found == std::end(kOps))
      return invalid("op", "one of the ops", Twine(int(d.op)));
    traits = found;
    for (auto step : {&Writer::checkShape, &Writer::checkTypes, &Writer::checkNumbers,
                      &Writer::checkModes})
      if (normc_error *error = (this->*step)())
        return error;
    return nullptr;
  }

  std::string write() {
    for (const TypeField &field : kTypeFields) {
      // The statistics stand where the op has them.
      if (field.name == "alpha" && traits->backward)
        addStatistics(false);
      if (field.name == "dx" && !traits->backward)
        addStatistics(true);
      if (d.*field.type != NORMC_TYPE_ABSENT)
        add(field.name, typeOf(field.extent, kTypeNames[d.*field.type]),
            field.is_result);
    }
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << "func.func @" << traits->name << "(" << arguments << ") {\n  norm."
           << traits->name << inputs << " outs" << results;
    if (traits->epsilon)
      stream << " epsilon = " << exact(d.epsilon);
    writeAttributes(stream);
    stream << "\n  return\n}\n";
    return text;
  }

private:
  normc_error *invalid(StringRef field, const Twine &expected, const Twine &got) {
    return makeError(NORMC_ERROR_INVALID_ARGUMENT, "descriptor field \"" + field +
                                                       "\": expected " + expected +
                                                       ", but got " + got);
  }

  normc_error *checkShape() {
    rank = d.rank == 0 ? 2 : d.rank;
    dims = d.norm_dims == 0 ? 1 : d.norm_dims;
    if (rank < 1 || rank > kMaxRank)
      return invalid("rank", "1 to " + Twine(kMaxRank), Twine(rank));
    if (dims < 1 || dims > rank)
      return invalid("norm_dims", "1 to the rank of x, which is " + Twine(rank),
                     Twine(dims));
    for (int32_t i = 0; d.shape && i < rank; ++i) {
      int64_t least = i >= rank - dims ? 1 : 0;
      if (d.shape[i] != NORMC_DYNAMIC && d.shape[i] < least)
        return invalid("shape",
                       "dimension " + Twine(i) + " to be NORMC_DYNAMIC or at least " +
                           Twine(least),
                       Twine(d.shape[i]));
    }
    return nullptr;
  }

  normc_error *checkTypes() {
    bool any = d.statistics != 0;
    for (const TypeField &field : kTypeFields) {
      const int type = int(d.*field.type);
      if (type < 0 || type > int(NORMC_TYPE_F64))
        return invalid(field.name, "a type", Twine(type));
      if (type != 0 && !has(traits->parameters, field.name))
        return invalid(field.name, "absent, because " + traits->name + " has none",
                       kTypeNames[type]);
      if (type == 0 && has(traits->required, field.name))
        return invalid(field.name, "a type, because " + traits->name + " needs it",
                       "absent");
      any |= field.is_result && type != 0;
    }
    if (d.statistics != 0 && (traits->backward || traits->statistics.empty()))
      return invalid("statistics", "0, because " + traits->name + " stores none",
                     Twine(d.statistics));
    if (!any)
      return makeError(NORMC_ERROR_INVALID_ARGUMENT,
                       "descriptor of " + traits->name +
                           ": expected a result to be asked for, but got none");
    return nullptr;
  }

  /// Whether a number is finite in the type that the op computes in: f64 where one of
  /// its types is, else f32.
  bool isFinite(double value) const {
    const bool wide = llvm::any_of(kTypeFields, [&](const TypeField &field) {
      return d.*field.type == NORMC_TYPE_F64;
    });
    return std::abs(value) <= (wide ? std::numeric_limits<double>::max()
                                    : std::numeric_limits<float>::max());
  }

  normc_error *checkNumbers() {
    if (traits->epsilon ? !(isFinite(d.epsilon) && d.epsilon >= 0) : d.epsilon != 0)
      return invalid(
          "epsilon",
          traits->epsilon
              ? Twine("a number that is finite in the op's arithmetic, at least 0")
              : "0, because " + traits->name + " has none",
          exact(d.epsilon));
    bool offset = traits->weight_offset && d.weight != NORMC_TYPE_ABSENT;
    if (offset ? !isFinite(d.weight_offset) : d.weight_offset != 0)
      return invalid("weight_offset",
                     offset ? "a number that is finite in the op's arithmetic"
                            : "0, because there is no weight",
                     exact(d.weight_offset));
    return nullptr;
  }

  normc_error *checkModes() {
    auto mode = [&](StringRef name, int value, int most,
                    bool allowed) -> normc_error * {
      if (value < 0 || value > most)
        return invalid(name, "0 to " + Twine(most), Twine(value));
      if (value != 0 && !allowed)
        return invalid(name, "0, because " + traits->name + " has no such mode",
                       Twine(value));
      return nullptr;
    };
    if (normc_error *error =
            mode("cast", int(d.cast), NORMC_CAST_BEFORE_WEIGHT, traits->cast))
      return error;
    if (normc_error *error = mode("activation", int(d.activation), NORMC_ACTIVATION_ERF,
                                  traits->activation))
      return error;
    if (normc_error *error = mode("accuracy", int(d.accuracy),
                                  NORMC_ACCURACY_APPROXIMATE, traits->activation))
      return error;
    bool shifts = d.shift != NORMC_TYPE_ABSENT || d.dshift != NORMC_TYPE_ABSENT;
    if (shifts && d.activation != NORMC_ACTIVATION_ERF)
      return invalid(d.shift != NORMC_TYPE_ABSENT ? "shift" : "dshift",
                     "absent, because only erf has a shift", "a type");
    return nullptr;
  }

  /// As many digits as tell every double apart.
  static std::string exact(double value) {
    return llvm::formatv("{0:e17}", value).str();
  }

  std::string typeOf(Extent extent, StringRef element) {
    std::string type = "memref<";
    if (extent == Extent::One)
      type += "1x";
    int32_t first = extent == Extent::Normalized ? rank - dims : 0;
    int32_t last = extent == Extent::Outer ? rank - dims : rank;
    for (int32_t i = first; extent != Extent::One && i < last; ++i)
      type += d.shape && d.shape[i] != NORMC_DYNAMIC ? std::to_string(d.shape[i]) + "x"
                                                     : "?x";
    return type + element.str() + ">";
  }

  void add(StringRef name, const std::string &type, bool is_result) {
    arguments += llvm::formatv("{0}%{1}: {2} {{norm.name = \"{1}\"}",
                               arguments.empty() ? "" : ", ", name, type);
    (is_result ? results : inputs) += llvm::formatv(" {0}(%{0} : {1})", name, type);
  }

  void addStatistics(bool is_result) {
    if (is_result && d.statistics == 0)
      return;
    std::string type = typeOf(Extent::Outer, d.x == NORMC_TYPE_F64 ? "f64" : "f32");
    for (StringRef name : {"mean", "rstd"})
      if (has(traits->statistics, name))
        add(name, type, is_result);
  }

  void writeAttributes(llvm::raw_ostream &stream) {
    constexpr StringRef kCasts[] = {"after_weight", "before_weight"};
    constexpr StringRef kActivations[] = {"tanh", "erf"};
    constexpr StringRef kAccuracies[] = {"auto", "exact", "approximate"};
    stream << " {norm_dims = " << dims << " : i64";
    if (d.weight_offset != 0)
      stream << ", weight_offset = " << exact(d.weight_offset) << " : f64";
    if (d.cast != 0)
      stream << ", cast = #norm.cast<" << kCasts[d.cast] << ">";
    if (d.activation != 0)
      stream << ", activation = #norm.activation<" << kActivations[d.activation] << ">";
    if (d.accuracy != 0)
      stream << ", accuracy = #norm.accuracy<" << kAccuracies[d.accuracy] << ">";
    stream << "}";
  }

  const normc_norm_descriptor &d;
  const OpTraits *traits = nullptr;
  int32_t rank = 0, dims = 0;
  std::string arguments, inputs, results;
};

} // namespace

normc_error *normc::capi::readStruct(const void *given, size_t least, size_t size,
                                     const char *name, void *copy) {
  size_t has = 0;
  std::memcpy(&has, given, sizeof(has));
  if (has < least)
    return makeError(NORMC_ERROR_INVALID_ARGUMENT,
                     Twine(name) + ".struct_size: expected at least " + Twine(least) +
                         " bytes, but got " + Twine(has));
  if (has > size)
    return makeError(NORMC_ERROR_VERSION_MISMATCH,
                     Twine(name) + ".struct_size: expected at most " + Twine(size) +
                         " bytes, because the library is of version " +
                         Twine(NORMC_VERSION_MAJOR) + "." + Twine(NORMC_VERSION_MINOR) +
                         ", but got " + Twine(has));
  std::memset(copy, 0, size);
  std::memcpy(copy, given, has);
  return nullptr;
}

normc_error *normc::capi::writeNorm(const normc_norm_descriptor *given,
                                    std::string &source) {
  if (!given)
    return makeError(NORMC_ERROR_INVALID_ARGUMENT,
                     "expected a descriptor, but got null");
  normc_norm_descriptor descriptor;
  if (normc_error *error =
          readStruct(given, sizeof(normc_norm_descriptor), sizeof(descriptor),
                     "normc_norm_descriptor", &descriptor))
    return error;
  Writer writer(descriptor);
  if (normc_error *error = writer.check())
    return error;
  source = writer.write();
  return nullptr;
}
