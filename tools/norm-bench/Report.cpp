//===- Report.cpp - Results as a table --------------------------------------===//
#include "Report.h"
#include "Files.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

#include <cmath>

namespace normc::bench {

namespace {
/// A mean of ratios.
class GeometricMean {
public:
  void add(double value) {
    sum += std::log(value);
    ++count;
  }
  bool any() const { return count > 0; }
  double get() const { return std::exp(sum / static_cast<double>(count)); }

private:
  double sum = 0;
  size_t count = 0;
};
} // namespace

/// Cells of less are bound by launches and latency, and are left out of means.
static constexpr size_t kLeastBytes = 50000000;

static std::string groupOf(const Cell &cell) {
  return cell.entry() + " " + cell.type +
         (cell.statistics ? "" : " without statistics");
}

static std::string shapeOf(const Cell &cell) {
  return std::to_string(cell.rows) + "x" + std::to_string(cell.cols);
}

/// A percent to the right of a column, or a dash where it was not measured.
static std::string percentText(double percent, unsigned width) {
  std::string text = percent > 0 ? llvm::formatv("{0:F1}%", percent).str() : "-";
  return std::string(width - std::min<size_t>(width, text.size()), ' ') + text;
}

void printTable(llvm::raw_ostream &os, const Results &results) {
  os << results.description << "; " << results.compiler << " for " << results.target
     << ", " << results.runtime << "\n";
  struct Means {
    GeometricMean copy, mover;
  };
  NamedList<Means> means;
  std::string group;
  for (const Measured &measured : results.cells) {
    if (groupOf(measured.cell) != group) {
      group = groupOf(measured.cell);
      os << group << "\n  rows x cols            us         bytes      GB/s  of a copy"
         << "  of a mover\n";
    }
    os << llvm::format("  %-14s", shapeOf(measured.cell).c_str());
    if (!measured.error.empty()) {
      os << "  not measured: " << measured.error << "\n";
      continue;
    }
    os << llvm::format(" %10.2f %13zu %9.1f", measured.times.median_s * 1e6,
                       measured.bytes, measured.bytesPerSecond() / 1e9);
    os << percentText(measured.percentOfCopy(), 11)
       << percentText(measured.percentOfMover(), 12) << "\n";
    if (measured.bytes < kLeastBytes)
      continue;
    if (measured.percentOfCopy() > 0)
      means[group].copy.add(measured.percentOfCopy());
    if (measured.percentOfMover() > 0)
      means[group].mover.add(measured.percentOfMover());
  }
  for (const auto &[name, mean] : means) {
    os << name << ", geometric mean of 50 MB and more:";
    if (mean.copy.any())
      os << llvm::format(" %.1f%% of a copy", mean.copy.get());
    if (mean.mover.any())
      os << llvm::format(", %.1f%% of a mover", mean.mover.get());
    os << "\n";
  }
}

void printComparison(llvm::raw_ostream &os, const Results &results,
                     const Results &older) {
  if (results.device != older.device || results.target != older.target)
    os << "the older run is of " << older.device << ", " << older.target << "\n";
  GeometricMean mean;
  std::vector<std::string> alone;
  os << "                                                      before us      now us"
     << "  change\n";
  for (const Measured &now : results.cells) {
    const Measured *before = nullptr;
    for (const Measured &other : older.cells)
      if (other.cell == now.cell && other.error.empty())
        before = &other;
    if (!before || !now.error.empty()) {
      alone.push_back(now.cell.title());
      continue;
    }
    const double ratio = now.times.median_s / before->times.median_s;
    mean.add(ratio);
    os << llvm::format("  %-50s %10.2f  %10.2f  %+5.1f%%\n", now.cell.title().c_str(),
                       before->times.median_s * 1e6, now.times.median_s * 1e6,
                       100 * (ratio - 1));
  }
  for (const std::string &title : alone)
    os << "  not in both: " << title << "\n";
  if (mean.any())
    os << llvm::format("time now over time before, geometric mean: %.3f\n", mean.get());
}

} // namespace normc::bench
