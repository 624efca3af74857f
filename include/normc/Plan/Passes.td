//===- Passes.td - From functions to launch plans ---------------------------===//
#ifndef NORMC_PLAN_PASSES_TD
#define NORMC_PLAN_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanCreateEntriesPass : Pass<"plan-create-entries", "::mlir::ModuleOp"> {
  let summary = "turn each function into a plan.entry with its variants";
  let description = [{
    Every function of the module becomes a `plan.entry` of its name. Its arguments are
    the parameters, named by `norm.name` (default argN); what a kernel writes is an
    output. The dynamic dimensions of the parameters are unified over all kernels, casts
    and reshapes, static sizes win, and the distinct ones that remain are the entry's
    symbols. A reshape of a dynamic dimension relates symbols; what cannot be read off
    the shapes becomes a requirement, as does at least one column.

    Where a parameter is walked by row over two or more outer dimensions, the entry has
    two variants: the first runs where those dimensions walk with one stride, the second
    always. With a `norm.target` of a GPU on the module there are more, ahead of them:
    - where, besides, the parameters that lanes access by column are aligned to 16 bytes,
      base and rows. Rows of a static length that is no multiple of 16 bytes have none.
    - for few rows, where their number is dynamic and a kernel's sums down the columns are
      made in less time in one launch (`schedule::fewRows`): a guard on the rows, and
      `max_rows` and a strategy on the kernel.
    - of clusters for any alignment, where a kernel is best launched as those and the order
      in which a row is summed depends on it.

    Variants of clusters ask for as many compute units as the target's clusters have at
    most. What runs for any alignment, or on every device, says so in a `norm.target` of
    its own, which the decisions read.

    What is best is what `tunings` says, a table of decisions that were measured, or the
    model.

    An entry's body is row.kernels, in order, among allocations, casts and reshapes.
    Anything else is an error at that op, as is what else there is in the module beside
    functions, and a module without any.

    Example:

    ```mlir
    func.func @copy(%x: memref<?x8x16xf32> {norm.name = "x"},
                    %y: memref<?x8x16xf32> {norm.name = "y"}) {
      row.kernel ins(%x : memref<?x8x16xf32>) outs(%y : memref<?x8x16xf32>)
          norm_dims = 1 attributes {kernel_name = "copy"} {
      ^bb0(%in: memref<?x8x16xf32>, %out: memref<?x8x16xf32>):
        %t = row.load %in : memref<?x8x16xf32> -> !row.tile<f32>
        row.store %t, %out : !row.tile<f32>, memref<?x8x16xf32>
      }
      return
    }
    ```

    becomes an entry of one symbol, of which

    ```mlir
    plan.variant guards = [#plan.guard<collapsible, param = 0, value = 1>,
                           #plan.guard<collapsible, param = 1, value = 1>] collapsed
    ```

    is the first variant.
  }];
  let options = [Option<"tunings", "tunings", "std::string", "",
                        "table of decisions that were measured (norm-bench tune)">];
  let dependentDialects = ["::normc::plan::PlanDialect", "::normc::row::RowDialect"];
}

def PlanOutlineKernelsPass : Pass<"plan-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "move each row.kernel to a function and launch it";
  let description = [{
    Each row.kernel of a variant moves to a private function with `plan.kernel` (and
    `plan.collapsed`, and on a GPU `plan.aligned`), named after what it computes, its
    types and its columns; identical kernels of one form share one. A finalize is a
    dependent launch where the target has those. A `plan.launch` takes its place, with the grid that the
    tiling gives and the arguments of KernelAbi.h. Allocations and partials become
    `plan.workspace`s, casts and reshapes fold away.

    Every kernel must have a `#row.tiling` (`row-select-tiling`), and the entry or the
    module a `norm.target`.
  }];
  let dependentDialects = ["::normc::plan::PlanDialect", "::mlir::func::FuncDialect"];
}

#endif // NORMC_PLAN_PASSES_TD
