//===- Modules.cpp - Plans that the package tests write ---------------------===//
#include "test/unit/package/Modules.h"

#include "dialects/plan/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace normc;

test::PlanContext::PlanContext() : context(MLIRContext::Threading::DISABLED) {
  context.loadDialect<plan::PlanDialect, func::FuncDialect, memref::MemRefDialect>();
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      error = diagnostic.str();
    return success();
  });
}

OwningOpRef<ModuleOp> test::PlanContext::parse(StringRef text) {
  return parseSourceString<ModuleOp>(text, &context);
}

const char *const test::kWholePlan = R"(
plan.entry @whole symbols = 2
    params = [#plan.param<"x", in, bf16, shape = ()[s0, s1, s2, s3, s4] -> (s0, s1, 128), contiguous_dims = 1>,
              #plan.param<"w", in, f64, shape = ()[s0, s1, s2, s3, s4] -> (128), contiguous_dims = 1>,
              #plan.param<"y", out, f16, shape = ()[s0, s1, s2, s3, s4] -> (s0 * s1, 128), contiguous_dims = 1>]
    requirements = [#plan.requirement<"rows", expr = ()[s0, s1, s2, s3, s4] -> (s0 * s1 - 3), at_least = 1>] {
^bb0(%x: memref<?x?x128xbf16>, %w: memref<128xf64>, %y: memref<?x128xf16>):
  plan.variant guards = [#plan.guard<collapsible, param = 0, value = 1>,
                         #plan.guard<aligned, param = 2, value = 16>,
                         #plan.guard<at_least, value = 4, expr = ()[s0, s1, s2, s3, s4] -> (s0 ceildiv s2)>,
                         #plan.guard<at_most, value = 9, expr = ()[s0, s1, s2, s3, s4] -> (s1)>] collapsed {
    %p = plan.workspace bytes = ()[s0, s1, s2, s3, s4] -> ((s0 * s1) ceildiv 32 * 512) : memref<?x?xf32>
    plan.launch @main grid = ()[s0, s1, s2, s3, s4] -> ((s0 * s1) ceildiv 32, s2 * s3)
        workgroup_size = 16 buffers(%x, %w, %p : memref<?x?x128xbf16>, memref<128xf64>, memref<?x?xf32>)
        args = [#plan.arg<pointer, buffer = 0>, #plan.arg<pointer, buffer = 1>, #plan.arg<pointer, buffer = 2>,
                #plan.arg<row_stride, buffer = 0, dim = 1>,
                #plan.arg<expr, expr = ()[s0, s1, s2, s3, s4] -> (s0 * s1)>]
    plan.launch @finish grid = ()[s0, s1, s2, s3, s4] -> (1)
        workgroup_size = 8 buffers(%p, %y : memref<?x?xf32>, memref<?x128xf16>)
        args = [#plan.arg<pointer, buffer = 0>, #plan.arg<pointer, buffer = 1>,
                #plan.arg<stride, buffer = 1, dim = 0>]
  }
  plan.variant guards = [] {
    plan.launch @main grid = ()[s0, s1, s2, s3, s4] -> (s0)
        workgroup_size = 16 buffers(%y : memref<?x128xf16>) args = [#plan.arg<pointer, buffer = 0>]
  }
}
func.func private @main(memref<?x128xf16>)
func.func private @finish(memref<?x128xf16>)
)";

package::TargetModule test::hostTarget(ModuleOp module, ArrayRef<char> bytes) {
  package::TargetModule target;
  target.name = "host";
  target.architecture = "x86_64";
  target.features = "x86-64-v3";
  target.module = module;
  target.blobs.push_back({package::BlobFormat::ElfSharedObject, "x86_64", bytes, {}});
  return target;
}

std::vector<char> test::build(ArrayRef<package::TargetModule> targets,
                              ArrayRef<char> source) {
  SmallVector<char> out;
  if (failed(package::buildPackage(targets, {"normc test", source}, out)))
    return {};
  return std::vector<char>(out.begin(), out.end());
}
