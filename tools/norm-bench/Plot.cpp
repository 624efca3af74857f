//===- Plot.cpp - Results as bars in an SVG ---------------------------------===//
#include "Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>

using llvm::formatv;

namespace normc::bench {

namespace {
// In pixels.
constexpr double kLabel = 110, kPanel = 150, kGap = 18, kRow = 16, kTop = 64,
                 kBand = 48;
constexpr size_t kAcross = 6;
/// What a panel's width stands for.
constexpr double kMostPercent = 110;

/// A panel for each op, a row for each shape.
struct Layout {
  std::vector<std::string> panels, rows;
  std::map<std::pair<std::string, std::string>, const Measured *> cells;
};
} // namespace

static std::string panelOf(const Cell &cell) {
  return cell.entry() + (cell.statistics ? "" : ", y alone") + ", " + cell.type;
}

static std::string escape(llvm::StringRef text) {
  std::string out;
  for (char c : text)
    out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

static Layout layoutOf(const Results &results) {
  Layout layout;
  auto add = [](std::vector<std::string> &list, const std::string &name) {
    if (!llvm::is_contained(list, name))
      list.push_back(name);
  };
  for (const Measured &measured : results.cells) {
    std::string row =
        std::to_string(measured.cell.rows) + " x " + std::to_string(measured.cell.cols);
    add(layout.panels, panelOf(measured.cell));
    add(layout.rows, row);
    if (measured.error.empty())
      layout.cells[{panelOf(measured.cell), row}] = &measured;
  }
  return layout;
}

/// The bar of a cell, its figure, and the mark of what the mover reaches.
static std::string bar(const Measured &measured, double x, double y) {
  auto width = [](double percent) {
    return std::clamp(percent, 0.0, kMostPercent) / kMostPercent * kPanel;
  };
  // Where a launch takes most of the time its microseconds count.
  const bool isSmall = measured.bytes < 50000000;
  const double percent = measured.percentOfCopy();
  std::string out =
      formatv("<rect x=\"{0:F1}\" y=\"{1:F1}\" width=\"{2:F1}\" height=\"{3:F0}\" "
              "fill=\"{4}\"/>\n",
              x, y + 2, width(percent), kRow - 4, isSmall ? "#c3cfdd" : "#2b6cb0");
  if (measured.percentOfMover() > 0)
    out += formatv("<line x1=\"{0:F1}\" x2=\"{0:F1}\" y1=\"{1:F1}\" y2=\"{2:F1}\" "
                   "stroke=\"#c05621\" stroke-width=\"2\"/>\n",
                   x + width(100 * percent / measured.percentOfMover()), y + 1,
                   y + kRow - 1);
  std::string text = isSmall ? formatv("{0:F1} us", measured.times.median_s * 1e6).str()
                             : formatv("{0:F0}%", percent).str();
  return out + formatv("<text x=\"{0:F1}\" y=\"{1:F1}\" fill=\"{2}\">{3}</text>\n",
                       x + 4, y + kRow - 5, isSmall || percent < 25 ? "#222" : "white",
                       text)
                   .str();
}

/// A panel: its name, the scale, and a bar for each shape that was measured.
static std::string panel(const Layout &layout, const std::string &name, double x,
                         double y) {
  const double bottom = y + static_cast<double>(layout.rows.size()) * kRow;
  std::string out =
      formatv("<text x=\"{0:F1}\" y=\"{1:F1}\" font-weight=\"bold\">{2}</text>\n", x,
              y - 10, escape(name));
  for (double percent : {0.0, 50.0, 100.0})
    out += formatv("<line x1=\"{0:F1}\" x2=\"{0:F1}\" y1=\"{1:F1}\" y2=\"{2:F1}\" "
                   "stroke=\"#ddd\"/>\n<text x=\"{0:F1}\" y=\"{3:F1}\" "
                   "text-anchor=\"middle\" fill=\"#777\">{4:F0}%</text>\n",
                   x + percent / kMostPercent * kPanel, y - 4, bottom + 2, bottom + 14,
                   percent);
  for (auto [row, shape] : llvm::enumerate(layout.rows))
    if (auto found = layout.cells.find({name, shape}); found != layout.cells.end())
      out += bar(*found->second, x, y + static_cast<double>(row) * kRow);
  return out;
}

std::string plot(const Results &results) {
  Layout layout = layoutOf(results);
  const size_t panels = layout.panels.size(), across = std::min(panels, kAcross),
               bands = (panels + kAcross - 1) / kAcross;
  const double width = kLabel + static_cast<double>(across) * (kPanel + kGap),
               band = static_cast<double>(layout.rows.size()) * kRow + kBand;
  std::string out = formatv(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:F0}\" height=\"{1:F0}\" "
      "font-family=\"sans-serif\" font-size=\"10\">\n<rect width=\"{0:F0}\" "
      "height=\"{1:F0}\" fill=\"white\"/>\n<text x=\"10\" y=\"18\" "
      "font-size=\"13\">{2}: percent of the copy bandwidth (pale: less than 50 MB, in "
      "microseconds)</text>\n",
      width, kTop + static_cast<double>(bands) * band, escape(results.device));
  if (llvm::any_of(results.cells,
                   [](const Measured &m) { return m.percentOfMover() > 0; }))
    out +=
        "<text x=\"10\" y=\"34\" fill=\"#c05621\">mark: a kernel that only moves the "
        "cell's bytes</text>\n";
  for (size_t each = 0; each < bands; ++each)
    for (auto [row, name] : llvm::enumerate(layout.rows))
      out += formatv("<text x=\"{0:F1}\" y=\"{1:F1}\" text-anchor=\"end\">{2}</text>\n",
                     kLabel - 8,
                     kTop + static_cast<double>(each) * band +
                         static_cast<double>(row) * kRow + kRow - 5,
                     name);
  for (auto [index, name] : llvm::enumerate(layout.panels)) {
    const size_t row = index / kAcross, column = index % kAcross;
    out += panel(layout, name, kLabel + static_cast<double>(column) * (kPanel + kGap),
                 kTop + static_cast<double>(row) * band);
  }
  return out + "</svg>\n";
}

} // namespace normc::bench
