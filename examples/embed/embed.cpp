//===- embed.cpp - Compile and launch in one process ------------------------===//
//
// What a framework does that embeds normc: it writes the IR of the norm that it needs,
// compiles it to the bytes of a package, loads them, and launches on its own tensors.
// Exits 0 when the result is right.
//
//===----------------------------------------------------------------------===//
#include "normc/Compiler/Compiler.h"
#include "normc/Compiler/Source.h"

#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cmath>
#include <normrt.h>
#include <vector>

static constexpr llvm::StringLiteral kSource = R"mlir(
func.func @rms_norm(%x: memref<?x?xf32> {norm.name = "x"},
                    %weight: memref<?xf32> {norm.name = "weight"},
                    %y: memref<?x?xf32> {norm.name = "y"}) {
  norm.rms_norm x(%x : memref<?x?xf32>) weight(%weight : memref<?xf32>)
      outs y(%y : memref<?x?xf32>) epsilon = 1.0e-6
  return
}
)mlir";

static bool check(normrt_status status, const char *what) {
  if (status != NORMRT_STATUS_OK)
    llvm::errs() << what << ": " << normrt_last_error_message() << "\n";
  return status == NORMRT_STATUS_OK;
}

static DLTensor tensorOf(std::vector<float> &data,
                         llvm::MutableArrayRef<int64_t> shape) {
  DLTensor tensor = {};
  tensor.data = data.data();
  tensor.device = {kDLCPU, 0};
  tensor.ndim = static_cast<int32_t>(shape.size());
  tensor.dtype = {kDLFloat, 32, 1};
  tensor.shape = shape.data(); // no strides: compact and row major
  return tensor;
}

/// Launches the package's entry on rows of 1, 2, ..., cols and compares with the
/// formula.
static bool launch(llvm::ArrayRef<char> package) {
  normrt_device *device = nullptr;
  normrt_package *loaded = nullptr;
  normrt_entry *entry = nullptr;
  if (!check(normrt_device_open("host", &device), "device"))
    return false;
  bool ok =
      check(normrt_package_load_memory(device, package.data(), package.size(), &loaded),
            "package") &&
      check(normrt_package_find_entry(loaded, "rms_norm", &entry), "entry");

  std::array<int64_t, 2> matrix = {3, 40};
  auto [rows, cols] = matrix;
  std::vector<float> x(rows * cols), y(rows * cols), weight(cols, 2.0f);
  double squares = 0;
  for (int64_t i = 0; i < rows * cols; ++i)
    x[i] = static_cast<float>(i % cols + 1);
  for (int64_t col = 0; col < cols; ++col)
    squares += std::pow(col + 1, 2);

  std::array<DLTensor, 3> tensors = {
      tensorOf(x, matrix), tensorOf(weight, {&matrix[1], 1}), tensorOf(y, matrix)};
  std::array<const DLTensor *, 3> list = {&tensors[0], &tensors[1], &tensors[2]};
  ok = ok && check(normrt_entry_launch(entry, list.data(), 3, nullptr), "launch");

  double worst = 0;
  for (int64_t i = 0; ok && i < rows * cols; ++i)
    worst =
        std::max(worst, std::fabs(y[i] / (2 * x[i] / std::sqrt(squares / cols)) - 1));
  llvm::outs() << "largest relative error: " << worst << "\n";
  normrt_package_release(loaded);
  normrt_device_release(device);
  // y is rounded some five times on its way, each to half of 2^-23.
  return ok && worst <= 5 * 0x1p-24;
}

int main() {
  normc::SourceContext context(llvm::errs());
  mlir::OwningOpRef<mlir::ModuleOp> module =
      context.readBytes(kSource, "rms_norm.mlir");
  llvm::SmallVector<char> package;
  if (!module || mlir::failed(normc::compile(*module, {}, package)))
    return 1;
  llvm::outs() << "package of " << package.size() << " bytes\n";
  return launch(package) ? 0 : 1;
}
