//===- Report.cpp - What norm-run found, for people and for programs --------===//
#include "Report.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using llvm::formatv;
namespace json = llvm::json;

namespace normc::run {

static std::string typeText(reference::Type type, const std::vector<int64_t> &shape) {
  return std::string(reference::typeName(type)) + "[" + reference::formatShape(shape) +
         "]";
}

/// Microseconds with three digits.
static std::string microseconds(double seconds) {
  double us = seconds * 1e6;
  return us >= 100  ? formatv("{0:F0}", us)
         : us >= 10 ? formatv("{0:F1}", us)
                    : formatv("{0:F2}", us);
}

/// Three digits, as short as they are.
static std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}

static const char *verdict(const reference::Comparison &comparison) {
  return comparison.pass ? " ok" : " FAIL";
}

static void printCheck(const CheckReport &report) {
  constexpr auto *kRow = "{0,-10} {1,-20} {2,10} {3,10} {4,8} {5,10} {6,10}{7}{8}\n";
  llvm::outs() << formatv(kRow, "output", "type", "max abs", "max rel", "max ulp",
                          "worst", "tolerance", "", "");
  for (const CheckedOutput &output : report.outputs) {
    const reference::Comparison &c = output.comparison;
    std::string note;
    if (c.failures)
      note += formatv("  {0} of {1} elements, the worst is {2}: got {3}, expected {4}",
                      c.failures, c.elements, c.worst, number(c.worstResult),
                      number(c.worstReference));
    if (c.excluded)
      note += formatv("  {0} outside of the domain", c.excluded);
    double worst = c.worst < 0 ? 0 : std::fabs(c.worstResult - c.worstReference);
    // Infinity for infinity and NaN for NaN are no error; mismatches are in the note.
    if (std::isnan(worst))
      worst = 0;
    llvm::outs() << formatv(kRow, output.name, typeText(output.type, output.shape),
                            number(c.maxAbs), number(c.maxRel), c.maxUlp, number(worst),
                            number(c.worstTolerance), verdict(c), note);
  }
  for (const std::string &what : report.strayWrites)
    llvm::outs() << "FAIL: " << what << " changed\n";
}

static void printBench(const BenchReport &report) {
  std::string threads =
      report.threads ? std::string(formatv(", {0} threads", report.threads)) : "";
  llvm::outs() << formatv(
      "time {0} us (min {1}, {2} runs{3}), {4} bytes, {5:F2} GB/s, "
      "{6:F0}% of a copy's {7:F2} GB/s\n",
      microseconds(report.entry.median_s), microseconds(report.entry.min_s),
      report.entry.repeats, threads, report.bytes, report.bytesPerSecond() / 1e9,
      // Without bytes a copy takes no time either.
      report.bytes ? 100 * report.bytesPerSecond() / report.copyBytesPerSecond() : 0,
      report.copyBytesPerSecond() / 1e9);
}

/// JSON has no infinities and NaNs.
static json::Value real(double value) {
  if (std::isfinite(value))
    return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

static json::Array toJson(const CheckReport &report) {
  json::Array outputs;
  for (const CheckedOutput &output : report.outputs) {
    const reference::Comparison &c = output.comparison;
    outputs.push_back(json::Object{
        {"name", output.name},
        {"type", std::string(reference::typeName(output.type))},
        {"shape", json::Array(output.shape)},
        {"max_abs", real(c.maxAbs)},
        {"max_rel", real(c.maxRel)},
        {"max_ulp", c.maxUlp},
        {"elements", c.elements},
        {"failures", c.failures},
        {"excluded", c.excluded},
        {"worst_index", c.worst},
        {"worst_result", real(c.worstResult)},
        {"worst_reference", real(c.worstReference)},
        {"worst_tolerance", real(c.worstTolerance)},
        {"pass", c.pass},
    });
  }
  return outputs;
}

static json::Object toJson(const BenchReport &report) {
  return json::Object{
      {"threads", report.threads},
      {"bytes", report.bytes},
      {"runs", report.entry.repeats},
      {"min_s", report.entry.min_s},
      {"median_s", report.entry.median_s},
      {"bytes_per_s", report.bytesPerSecond()},
      {"copy_bytes_per_s", report.copyBytesPerSecond()},
  };
}

static void printJson(const Session &session, const Report &report) {
  json::Object object{
      {"entry", session.entryName()},
      {"target", session.targetName()},
      {"device", normrt_device_description(session.device())},
  };
  if (report.check) {
    object["outputs"] = toJson(*report.check);
    object["stray_writes"] = json::Array(report.check->strayWrites);
    object["pass"] = report.check->pass();
  }
  if (report.bench)
    object["bench"] = toJson(*report.bench);
  llvm::outs() << formatv("{0:2}\n", json::Value(std::move(object)));
}

void print(const Session &session, const Buffers &buffers, const Report &report,
           bool json) {
  if (json)
    return printJson(session, report);
  llvm::outs() << session.entryName() << " on "
               << normrt_device_description(session.device()) << "\n";
  for (auto [param, buffer] : llvm::zip(session.params(), buffers))
    if (!report.check && param.is_output)
      llvm::outs() << param.name << ": " << typeText(param.type, buffer->shape())
                   << "\n";
  if (report.check)
    printCheck(*report.check);
  if (report.bench)
    printBench(*report.bench);
}

} // namespace normc::run
