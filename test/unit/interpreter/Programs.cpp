#include "Programs.h"

#include "dialects/norm/Norm.h"
#include "dialects/row/Row.h"
#include "normc/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <random>
#include <sstream>

using namespace mlir;
using namespace normc;
using namespace normc::test;

Program::Program() {
  context.loadDialect<norm::NormDialect, row::RowDialect, func::FuncDialect,
                      arith::ArithDialect, math::MathDialect, memref::MemRefDialect>();
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    diagnostics += diagnostic.str() + "\n";
    return success();
  });
}

Program::~Program() = default;

bool Program::parse(const std::string &text, std::vector<std::string> names) {
  module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return false;
  arguments = std::move(names);
  auto function = *module->getOps<func::FuncOp>().begin();
  for (unsigned i = arguments.size(); i < function.getNumArguments(); ++i) {
    auto name = function.getArgAttrOfType<StringAttr>(i, "norm.name");
    arguments.push_back(name ? name.str() : "arg" + std::to_string(i));
  }
  return true;
}

bool Program::parseFile(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return file && parse(text.str());
}

bool Program::convert(bool canonicalize) {
  PassManager passes(&context);
  passes.addPass(createConvertNormToRowPass());
  if (canonicalize) {
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
  }
  return succeeded(passes.run(*module));
}

static reference::Type elementOf(Value memref) {
  Type type = cast<MemRefType>(memref.getType()).getElementType();
  return type.isF16()    ? reference::Type::F16
         : type.isBF16() ? reference::Type::BF16
         : type.isF64()  ? reference::Type::F64
                         : reference::Type::F32;
}

Outputs Program::run(const Inputs &inputs, int64_t rows, int64_t cols, bool &failed,
                     const interpreter::Options &options) {
  auto function = *module->getOps<func::FuncOp>().begin();
  DenseMap<Value, std::vector<double>> buffers;
  Outputs results;
  for (auto [argument, name] : llvm::zip(function.getArguments(), arguments))
    if (auto input = inputs.find(name); input != inputs.end())
      buffers[argument] = input->second;
  for (auto kernel : function.getOps<row::KernelOp>()) {
    std::vector<ArrayRef<double>> arrays;
    for (Value input : kernel.getInputs())
      arrays.push_back(buffers[input]);
    bool isFinalize = !kernel.getBodyBlock()->getOps<row::FinalizeOp>().empty();
    // One workgroup of the interpreter writes one partial.
    int64_t kernelRows = isFinalize ? 1 : rows;
    auto outputs = interpreter::interpret(kernel, arrays, kernelRows, cols, options);
    failed = mlir::failed(outputs);
    if (failed)
      return {};
    for (auto [value, output] : llvm::zip(kernel.getOutputs(), *outputs)) {
      std::vector<double> rounded = output.values;
      for (double &number : rounded)
        number = reference::roundTo(elementOf(value), number);
      buffers[value] = std::move(rounded);
      if (auto argument = dyn_cast<BlockArgument>(value))
        results[arguments[argument.getArgNumber()]] = std::move(output);
    }
  }
  return results;
}

std::string Program::takeDiagnostics() { return std::move(diagnostics); }

std::string Program::print() {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  return text;
}

std::string test::mapProgram(const std::string &body, const std::string &type) {
  std::string tile = "memref<?x?x" + type + ">", cols = "memref<?x" + type + ">";
  return "func.func @f(%x: " + tile + ", %w: " + cols + ", %y: " + tile + ") {\n" +
         "row.kernel ins(%x, %w : " + tile + ", " + cols + ") outs(%y : " + tile +
         ") norm_dims = 1 {\n^bb0(%bx: " + tile + ", %bw: " + cols + ", %by: " + tile +
         "):\n%0 = row.load %bx : " + tile + " -> !row.tile<" + type + ">\n" +
         "%1 = row.load %bw : " + cols + " -> !row.vec<cols, " + type + ">\n" +
         "%2 = row.map ins(%0, %1 : !row.tile<" + type + ">, !row.vec<cols, " + type +
         ">) -> !row.tile<" + type + "> {\n^bb0(%a: " + type + ", %b: " + type +
         "):\n" + body + "\n}\nrow.store %2, %by : !row.tile<" + type + ">, " + tile +
         "\n}\nreturn\n}";
}

interpreter::Output test::mapRow(const std::string &body, std::vector<double> x,
                                 std::vector<double> w, const std::string &type) {
  Program program;
  int64_t cols = x.size();
  bool failed = !program.parse(mapProgram(body, type), {"x", "w", "y"});
  Outputs outputs;
  if (!failed)
    outputs = program.run({{"x", x}, {"w", w}}, 1, cols, failed);
  EXPECT_FALSE(failed) << body << "\n" << program.takeDiagnostics();
  // What nothing equals, where it failed.
  outputs["y"].values.resize(cols, std::nan(""));
  outputs["y"].bounds.resize(cols, std::nan(""));
  return outputs["y"];
}

std::vector<double> test::runMap(const std::string &body, std::vector<double> x,
                                 std::vector<double> w, const std::string &type) {
  return mapRow(body, std::move(x), std::move(w), type).values;
}

std::vector<double> test::sample(unsigned seed, int64_t count, reference::Type type,
                                 double mean, double deviation) {
  std::mt19937_64 engine(seed);
  auto uniform = [&] { return double(engine() >> 11) * 0x1p-53 + 0x1p-54; };
  std::vector<double> values(count);
  for (double &value : values) {
    double radius = std::sqrt(-2 * std::log(uniform()));
    double normal = radius * std::cos(2 * std::numbers::pi * uniform());
    value = reference::roundTo(type, mean + deviation * normal);
  }
  return values;
}
