//===- Spec.cpp - One norm op, and its text ---------------------------------===//
#include "Spec.h"

#include <cstdio>

namespace normc::numerics {

const char *opName(Op op) {
  switch (op) {
  case Op::LayerNorm:
    return "layer_norm";
  case Op::LayerNormBackward:
    return "layer_norm_backward";
  case Op::RmsNorm:
    return "rms_norm";
  case Op::RmsNormBackward:
    return "rms_norm_backward";
  case Op::Dyt:
    return "dyt";
  case Op::DytBackward:
    break;
  }
  return "dyt_backward";
}

bool isBackward(Op op) {
  return op == Op::LayerNormBackward || op == Op::RmsNormBackward ||
         op == Op::DytBackward;
}

static bool isDyt(Op op) { return op == Op::Dyt || op == Op::DytBackward; }

std::vector<std::string> optionalInputs(Op op, bool erf) {
  std::vector<std::string> names;
  if (isDyt(op) && erf)
    names.emplace_back("shift");
  names.emplace_back("weight");
  if (op == Op::LayerNorm || op == Op::Dyt)
    names.emplace_back("bias");
  return names;
}

std::vector<std::string> possibleOutputs(Op op, bool erf) {
  switch (op) {
  case Op::LayerNorm:
    return {"y", "mean", "rstd"};
  case Op::RmsNorm:
    return {"y", "rstd"};
  case Op::Dyt:
    return {"y"};
  case Op::LayerNormBackward:
    return {"dx", "dweight", "dbias"};
  case Op::RmsNormBackward:
    return {"dx", "dweight"};
  case Op::DytBackward:
    break;
  }
  if (erf)
    return {"dx", "dalpha", "dshift", "dweight", "dbias"};
  return {"dx", "dalpha", "dweight", "dbias"};
}

Spec fullSpec(Op op, bool erf) {
  Spec spec;
  spec.op = op;
  spec.erf = erf;
  for (const std::string &name : optionalInputs(op, erf))
    spec.present.insert(name);
  for (const std::string &name : possibleOutputs(op, erf))
    spec.present.insert(name);
  return spec;
}

void setTypes(Spec &spec, Type type) { setTypes(spec, type, type, type); }

void setTypes(Spec &spec, Type x, Type param, Type result) {
  spec.x = x;
  spec.dy = result;
  spec.param = spec.gradient = param;
  spec.result = result;
}

namespace {

/// Lists the operands that are present.
class Lister {
public:
  explicit Lister(const Spec &spec) : spec(spec) {}

  void input(const std::string &name, Extent extent, Type type) {
    add({name, false, extent, type});
  }
  void optional(const std::string &name, Extent extent) {
    if (spec.present.count(name))
      add({name, false, extent, spec.param});
  }
  void output(const std::string &name, Extent extent, Type type) {
    if (spec.present.count(name))
      add({name, true, extent, type});
  }
  std::vector<Operand> take() { return std::move(operands); }

private:
  void add(Operand operand) {
    if (auto type = spec.types.find(operand.name); type != spec.types.end())
      operand.type = type->second;
    operands.push_back(std::move(operand));
  }

  const Spec &spec;
  std::vector<Operand> operands;
};

} // namespace

/// mean and rstd have the type of a computation with x alone.
static Type statisticsType(const Spec &spec) {
  auto x = spec.types.find("x");
  return reference::computeType({x == spec.types.end() ? spec.x : x->second});
}

static void listNorm(const Spec &spec, Lister &list) {
  bool layer = spec.op == Op::LayerNorm || spec.op == Op::LayerNormBackward;
  Type statistics = statisticsType(spec);
  if (!isBackward(spec.op)) {
    list.input("x", Extent::Tile, spec.x);
    list.optional("weight", Extent::Cols);
    list.optional("bias", Extent::Cols);
    list.output("y", Extent::Tile, spec.result);
    list.output("mean", Extent::Rows, statistics);
    list.output("rstd", Extent::Rows, statistics);
    return;
  }
  list.input("dy", Extent::Tile, spec.dy);
  list.input("x", Extent::Tile, spec.x);
  if (layer)
    list.input("mean", Extent::Rows, statistics);
  list.input("rstd", Extent::Rows, statistics);
  list.optional("weight", Extent::Cols);
  list.output("dx", Extent::Tile, spec.result);
  list.output("dweight", Extent::Cols, spec.gradient);
  list.output("dbias", Extent::Cols, spec.gradient);
}

static void listDyt(const Spec &spec, Lister &list) {
  if (isBackward(spec.op))
    list.input("dy", Extent::Tile, spec.dy);
  list.input("x", Extent::Tile, spec.x);
  list.input("alpha", Extent::Scalar, spec.param);
  list.optional("shift", Extent::Scalar);
  list.optional("weight", Extent::Cols);
  list.optional("bias", Extent::Cols);
  if (!isBackward(spec.op)) {
    list.output("y", Extent::Tile, spec.result);
    return;
  }
  list.output("dx", Extent::Tile, spec.result);
  list.output("dalpha", Extent::Scalar, spec.gradient);
  list.output("dshift", Extent::Scalar, spec.gradient);
  list.output("dweight", Extent::Cols, spec.gradient);
  list.output("dbias", Extent::Cols, spec.gradient);
}

std::vector<Operand> operandsOf(const Spec &spec) {
  Lister list(spec);
  if (isDyt(spec.op))
    listDyt(spec, list);
  else
    listNorm(spec, list);
  return list.take();
}

std::vector<int64_t> shapeOf(const Spec &spec, Extent extent,
                             const std::vector<int64_t> &outer,
                             const std::vector<int64_t> &inner) {
  switch (extent) {
  case Extent::Rows:
    return outer;
  case Extent::Cols:
    return inner;
  case Extent::Scalar:
    return spec.rank0 ? std::vector<int64_t>{} : std::vector<int64_t>{1};
  case Extent::Tile:
    break;
  }
  std::vector<int64_t> shape = outer;
  shape.insert(shape.end(), inner.begin(), inner.end());
  return shape;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string typeText(const Spec &spec, const Operand &operand) {
  std::string text = spec.tensors ? "tensor<" : "memref<";
  for (int64_t size : shapeOf(spec, operand.extent, spec.outer, spec.inner))
    text += (size == kDynamic ? "?" : std::to_string(size)) + "x";
  return text + std::string(reference::typeName(operand.type)) + ">";
}

/// A number that reads back as the same double.
static std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.17e", value);
  return text;
}

/// `weight(%weight : memref<24xf32>)`.
static std::string operandText(const Spec &spec, const Operand &operand) {
  std::string init = spec.tensors && operand.isOutput ? "_init" : "";
  return " " + operand.name + "(%" + operand.name + init + " : " +
         typeText(spec, operand) + ")";
}

static std::string attributesText(const Spec &spec) {
  std::string text;
  auto add = [&](const std::string &attribute) {
    text += (text.empty() ? " {" : ", ") + attribute;
  };
  if (spec.inner.size() != 1)
    add("norm_dims = " + std::to_string(spec.inner.size()) + " : i64");
  if (spec.weightOffset != 0)
    add("weight_offset = " + number(spec.weightOffset) + " : f64");
  if (spec.castBeforeWeight)
    add("cast = #norm.cast<before_weight>");
  if (spec.erf)
    add("activation = #norm.activation<erf>");
  if (!spec.accuracy.empty())
    add("accuracy = #norm.accuracy<" + spec.accuracy + ">");
  return text.empty() ? text : text + "}";
}

/// tensor.empty for an output, with the sizes of x that its type does not say.
static std::string initText(const Spec &spec, const Operand &output, int &constants) {
  std::string dims, before;
  std::string x = typeText(spec, {"x", false, Extent::Tile, spec.x});
  for (const Operand &operand : operandsOf(spec))
    if (operand.name == "x")
      x = typeText(spec, operand);
  size_t first = output.extent == Extent::Cols ? spec.outer.size() : 0;
  std::vector<int64_t> shape = shapeOf(spec, output.extent, spec.outer, spec.inner);
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] != kDynamic)
      continue;
    std::string id = std::to_string(constants++);
    before += "  %c" + id + " = arith.constant " + std::to_string(first + dim) +
              " : index\n  %d" + id + " = tensor.dim %x, %c" + id + " : " + x + "\n";
    dims += (dims.empty() ? "%d" : ", %d") + id;
  }
  return before + "  %" + output.name + "_init = tensor.empty(" + dims +
         ") : " + typeText(spec, output) + "\n";
}

static std::string join(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string toIr(const Spec &spec) {
  std::vector<Operand> operands = operandsOf(spec);
  std::vector<std::string> arguments, results, resultTypes, returned;
  std::string op, inits;
  int constants = 0;
  bool outs = false;
  for (const Operand &operand : operands) {
    std::string named =
        typeText(spec, operand) + " {norm.name = \"" + operand.name + "\"}";
    if (operand.isOutput && spec.tensors) {
      results.push_back(named);
      resultTypes.push_back(typeText(spec, operand));
      returned.push_back("%" + operand.name);
      inits += initText(spec, operand, constants);
    } else {
      arguments.push_back("%" + operand.name + ": " + named);
    }
    if (operand.isOutput && !outs)
      op += " outs";
    outs |= operand.isOutput;
    op += operandText(spec, operand);
  }
  bool hasEpsilon = spec.op == Op::LayerNorm || spec.op == Op::RmsNorm;
  if (hasEpsilon)
    op += " epsilon = " + number(spec.epsilon);
  op = std::string("norm.") + opName(spec.op) + op + attributesText(spec);
  std::string text = "func.func @f(" + join(arguments) + ")";
  if (!spec.tensors)
    return text + " {\n  " + op + "\n  return\n}\n";
  std::string types = join(resultTypes);
  return text + " -> (" + join(results) + ") {\n" + inits + "  " + join(returned) +
         " = " + op + " -> " + types + "\n  return " + join(returned) + " : " + types +
         "\n}\n";
}

std::string describe(const Spec &spec) {
  std::string text = opName(spec.op);
  if (spec.erf)
    text += ":erf";
  if (spec.castBeforeWeight)
    text += ":before_weight";
  if (spec.weightOffset != 0)
    text += ":offset";
  if (spec.rank0)
    text += ":rank0";
  if (!spec.accuracy.empty())
    text += ":" + spec.accuracy;
  std::string inputs, outputs;
  for (const Operand &operand : operandsOf(spec)) {
    std::string word =
        operand.name + "." + std::string(reference::typeName(operand.type));
    std::string &list = operand.isOutput ? outputs : inputs;
    list += (list.empty() ? "" : ",") + word;
  }
  return text + "(" + inputs + ")->(" + outputs + ")";
}

} // namespace normc::numerics
