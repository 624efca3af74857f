//===- Check.cpp - Results against the float64 reference --------------------===//
#include "Check.h"

#include "normc/Compiler/Source.h"
#include "normc/Oracle/Oracle.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/raw_ostream.h"

using llvm::Error;
using llvm::Expected;

namespace normc::run {

bool CheckReport::pass() const {
  return strayWrites.empty() && llvm::all_of(outputs, [](const CheckedOutput &output) {
           return output.comparison.pass;
         });
}

/// What the outputs must hold, by the package's source.
static Expected<std::vector<oracle::Output>>
evaluateSource(const Session &session, const Buffers &buffers,
               llvm::ArrayRef<reference::Array> inputs) {
  if (session.source().empty())
    return makeError(
        "expected a package with its source, because --check compares with "
        "what that means, but got one that was made with --no-source");
  SourceContext context(llvm::errs());
  mlir::OwningOpRef<mlir::ModuleOp> module =
      context.readBytes(session.source(), "source of the package");
  if (!module)
    return makeError("cannot read the package's source");
  auto function = module->lookupSymbol<mlir::func::FuncOp>(session.entryName());
  if (!function)
    return makeError("expected a function \"" + session.entryName() +
                     "\" in the package's source");
  std::vector<std::vector<double>> values(buffers.size());
  llvm::StringMap<oracle::Argument> arguments;
  for (auto [index, param] : llvm::enumerate(session.params())) {
    if (!param.is_output)
      values[index] = inputs[index].toDoubles();
    arguments[param.name] = {buffers[index]->shape(), values[index]};
  }
  oracle::Options options;
  options.hardware_tanh = true;
  auto outputs = oracle::evaluate(function, arguments, options);
  if (failed(outputs))
    return makeError("cannot evaluate \"" + session.entryName() + "\"");
  return std::move(*outputs);
}

static bool isSame(const reference::Array &a, const reference::Array &b) {
  return a.bytes == b.bytes;
}

static Expected<CheckedOutput> compareOutput(const Param &param, const Buffer &buffer,
                                             llvm::ArrayRef<oracle::Output> expected) {
  const auto *output = llvm::find_if(expected, [&](const oracle::Output &output) {
    return output.name == param.name;
  });
  if (output == expected.end() || output->shape != buffer.shape())
    return makeError("the source does not compute output \"" + param.name +
                     "\" in this shape");
  reference::Array result = buffer.read();
  return CheckedOutput{
      param.name, param.type, buffer.shape(),
      reference::compare(result.bytes.data(), param.type, output->result)};
}

Expected<CheckReport> runChecked(const Session &session, const Buffers &buffers,
                                 Launcher &launcher) {
  std::vector<reference::Array> inputs(buffers.size());
  for (auto [index, param] : llvm::enumerate(session.params()))
    if (!param.is_output)
      inputs[index] = buffers[index]->read();
  if (Error error = launcher.launch())
    return error;
  if (Error error = launcher.fetch())
    return error;
  auto expected = evaluateSource(session, buffers, inputs);
  if (!expected)
    return expected.takeError();
  CheckReport report;
  for (auto [index, param] : llvm::enumerate(session.params())) {
    if (!buffers[index]->guardsAreIntact())
      report.strayWrites.push_back("bytes around " + param.name);
    if (!param.is_output) {
      if (!isSame(buffers[index]->read(), inputs[index]))
        report.strayWrites.push_back("input " + param.name);
      continue;
    }
    Expected<CheckedOutput> output = compareOutput(param, *buffers[index], *expected);
    if (!output)
      return output.takeError();
    report.outputs.push_back(std::move(*output));
  }
  if (!launcher.guardsAreIntact())
    report.strayWrites.push_back("bytes around the workspace");
  return report;
}

} // namespace normc::run
