//===- Cases.cpp - What a case runs with ------------------------------------===//
#include "Cases.h"

#include "normc/Reference/Npy.h"

#include <filesystem>
#include <fstream>

namespace normc::numerics {

Cases allCases(const Settings &settings) {
  Cases all;
  addEdgeCases(all, settings);
  addMaskCases(all, settings);
  addTypeCases(all, settings);
  addLayoutCases(all, settings);
  addTilingCases(all, settings);
  addInputCases(all, settings);
  addChainCases(all);
  addSampleCases(all, settings);
  addRealUseCases(all, settings);
  // What devices promise of functions was only measured on NVIDIA's.
  const bool isCuda = settings.targets.front().starts_with("cuda");
  if (settings.device.empty() || isCuda)
    addAccuracyCases(all, settings);
  // What takes the host's time or its signals.
  if (!settings.device.empty())
    return all;
  addLargeCases(all);
  addFaultCases(all);
  return all;
}

std::unique_ptr<Program> Bench::compile(const std::string &ir) {
  return compile(ir, worker.target());
}

std::unique_ptr<Program> Bench::compile(const std::string &ir,
                                        const std::string &target) {
  std::unique_ptr<Program> program = worker.compile(ir, target);
  if (!program)
    failed.push_back(worker.error() + "\n" + ir);
  return program;
}

std::unique_ptr<Program> Bench::compile(mlir::OwningOpRef<mlir::ModuleOp> module,
                                        const std::string &target,
                                        const std::string &what) {
  std::unique_ptr<Program> program = worker.compile(std::move(module), target);
  if (!program)
    failed.push_back(what + ": " + worker.error());
  return program;
}

std::optional<Arrays> Bench::check(Program &program, const Run &run,
                                   const std::string &what, int threads) {
  std::optional<Arrays> outputs = worker.check(program, run, threads);
  if (!outputs)
    fail(what + ": " + worker.error() + reproduction(program, run));
  return outputs;
}

std::optional<Arrays> Bench::launch(Program &program, const Run &run,
                                    const std::string &what, int threads) {
  std::optional<Arrays> outputs = worker.launch(program, run, threads);
  if (!outputs)
    fail(what + ": " + worker.error() + reproduction(program, run));
  return outputs;
}

void Bench::expectSame(const Arrays &a, const Arrays &b, const std::string &what) {
  for (const auto &[output, array] : a)
    if (std::string text = difference(array, b.at(output)); !text.empty())
      fail(what + ": " + output + " has other bits: " + text);
}

void Bench::expectSameElsewhere(const Arrays &a, const Arrays &b,
                                const std::string &what) {
  if (worker.target().rfind("cuda", 0) != 0)
    return expectSame(a, b, what);
  Arrays forward = a;
  std::erase_if(forward, [](const auto &output) {
    return output.first != "y" && output.first != "mean" && output.first != "rstd";
  });
  expectSame(forward, b, what);
}

void Bench::fail(const std::string &what) {
  if (!worker.onlyCompiles())
    failed.push_back(what);
}

static std::string join(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

/// Writes the program and the inputs of the case's first failure, and answers the
/// norm-run command that repeats it.
std::string Bench::reproduction(Program &program, const Run &run) {
  constexpr size_t kMostBytes = size_t{64} << 20;
  size_t bytes = 0;
  for (const auto &[input, array] : run.inputs)
    bytes += array.bytes.size();
  if (keep.empty() || bytes > kMostBytes || !failed.empty())
    return "";
  std::string folder;
  for (char c : name)
    folder += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  std::filesystem::path path = std::filesystem::path(keep) / folder.substr(0, 120);
  std::error_code error;
  std::filesystem::create_directories(path, error);
  std::ofstream(path / "program.mlir") << program.text();
  std::string command = "norm-run " + (path / "program.mlir").string() + " --check";
  std::string inputs, strides, offsets;
  for (const auto &[input, array] : run.inputs) {
    std::string file = (path / (input + ".npy")).string();
    if (!reference::writeNpy(file, array).empty())
      return "";
    inputs += " " + input + "=" + file;
  }
  for (const auto &[param, layout] : run.layouts) {
    if (!layout.strides.empty())
      strides += " --stride " + param + "=" + join(layout.strides);
    if (layout.offset)
      offsets += " --offset " + param + "=" + std::to_string(layout.offset);
  }
  return "\n    " + command + " --in" + inputs + strides + offsets;
}

} // namespace normc::numerics
