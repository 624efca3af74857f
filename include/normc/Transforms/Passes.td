//===- Passes.td - Passes that keep the level of the flow -------------------===//
#ifndef NORMC_TRANSFORMS_PASSES_TD
#define NORMC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttachTargetPass : Pass<"norm-attach-target"> {
  let summary = "say which machine the kernels are for";
  let description = [{
    Sets the `norm.target` attribute of the op that the pass runs on, a module or any
    other, to the numbers of the target of that name. The decisions read the attribute of
    the closest op around a kernel. One that is there already is kept if it names the
    same target, so that numbers given by hand stay; another name is an error.

    Example, with `target=host:x86-64-v4`:

    ```mlir
    module {
    }
    ```

    becomes

    ```mlir
    module attributes {norm.target = #norm.target<"host:x86-64-v4">} {
    }
    ```
  }];
  let options = [Option<"target", "target", "std::string", "",
                        "name of the target: host, host:x86-64-v3, ...">];
  let dependentDialects = ["::normc::norm::NormDialect"];
}

def SplitColumnReductionPass : Pass<"row-split-column-reduction"> {
  let summary = "split sums down the columns over workgroups";
  let description = [{
    Decides how each row.kernel with an unsplit `row.accumulate` makes its sums, and
    rewrites it to that strategy:

    - `direct`: one workgroup sees every row. The program stays.
    - `cluster`: one cluster of workgroups sees every row; each stores the sums of its own
      columns. The program stays.
    - `partials`: every workgroup writes its sums to its own row of a `row.partials`
      buffer, and a second kernel of `row.finalize`s adds them into the outputs.
    - `fission`: the sums leave for a kernel of their own, which reads the inputs again
      and is direct or has partials in turn.

    Without a `strategy` on the kernel the decision is that of the table `tunings`, where
    one is given and has the kernel, or `schedule::choose`'s, else the user's is checked
    and kept. The kernels that result carry the strategy and, unless
    the user gave one, the tiling of the same decision. Remarks say what was chosen and
    which limit bound it (`--remarks-filter=row-split`). Running the pass again changes
    nothing.

    The target is the `norm.target` attribute of an op around the kernel.

    Numerics: partials are in the accumulator type and added in an order that shape and
    target fix. No result is rounded more than once.

    Example, for `host:x86-64-v4`:

    ```mlir
    row.kernel ins(%dy : memref<?x1024xbf16>) outs(%db : memref<1024xbf16>)
        norm_dims = 1 attributes {kernel_name = "bias"} {
    ^bb0(%in: memref<?x1024xbf16>, %out: memref<1024xbf16>):
      %0 = row.load %in : memref<?x1024xbf16> -> !row.tile<f32>
      row.accumulate %0, %out to cols : !row.tile<f32>, memref<1024xbf16>
    }
    ```

    becomes (tilings left out)

    ```mlir
    %p = row.partials : memref<?x?xf32>
    row.kernel ins(%dy : memref<?x1024xbf16>) outs(%p : memref<?x?xf32>)
        norm_dims = 1 attributes {kernel_name = "bias",
                                  strategy = #row.strategy<partials>} {
    ^bb0(%in: memref<?x1024xbf16>, %out: memref<?x?xf32>):
      %0 = row.load %in : memref<?x1024xbf16> -> !row.tile<f32>
      row.accumulate %0, %out to cols slot 0 : !row.tile<f32>, memref<?x?xf32>
    }
    row.kernel ins(%p : memref<?x?xf32>) outs(%db : memref<1024xbf16>)
        norm_dims = 1 attributes {kernel_name = "bias_finalize"} {
    ^bb0(%in: memref<?x?xf32>, %out: memref<1024xbf16>):
      row.finalize %in, %out to cols slot 0 of 1 : memref<?x?xf32>, memref<1024xbf16>
    }
    ```
  }];
  let options = [Option<"tunings", "tunings", "std::string", "",
                        "table of decisions that were measured (norm-bench tune)">];
  let dependentDialects = ["::normc::row::RowDialect"];
}

def SelectRowTilingPass : Pass<"row-select-tiling"> {
  let summary = "choose a tiling for each row.kernel";
  let description = [{
    Sets the `tiling` of each row.kernel that has none to what `schedule::choose` finds
    for it on the target, and says so in a remark with the limit that bound it
    (`--remarks-filter=row-tiling`). With a table `tunings`, which has decisions that were
    measured on a device, the tiling of a kernel that is in it is the table's; one that is
    not legal is an error. A tiling that is there already is checked against
    the target's limits and kept: the user wins. No op changes otherwise, and running the
    pass again changes nothing.

    A kernel whose sums down the columns are not split yet must be one that a single
    workgroup can do; `row-split-column-reduction` runs before this pass.

    Example, for `host:x86-64-v4`:

    ```mlir
    row.kernel ins(%x : memref<?x128xf32>) outs(%y : memref<?x128xf32>) norm_dims = 1 {
    ^bb0(%in: memref<?x128xf32>, %out: memref<?x128xf32>):
      %0 = row.load %in : memref<?x128xf32> -> !row.tile<f32>
      row.store %0, %out : !row.tile<f32>, memref<?x128xf32>
    }
    ```

    gets

    ```mlir
    tiling = #row.tiling<workgroup_size = 16, lanes_per_row = 16, vector_elems = 16, ...>
    ```
  }];
  let options = [Option<"tunings", "tunings", "std::string", "",
                        "table of decisions that were measured (norm-bench tune)">];
  let dependentDialects = ["::normc::row::RowDialect"];
}

def NameParametersPass : Pass<"norm-name-parameters", "::mlir::ModuleOp"> {
  let summary = "give every argument and result of a function a name";
  let description = [{
    Runs before bufferization turns results into arguments, after which positions say
    nothing any more. An argument or result of a function without a `norm.name` gets
    argN or resN, N its position; results are marked `norm.out`. Both attributes follow a
    result when it becomes an argument.

    A tensor argument that an op reads is marked `bufferization.writable = false`: it is
    not overwritten, even where it is an init after its last use.

    An error is: a name that is not an identifier, one that two parameters of a function
    share, a result that no op computes (an argument that is handed back would vanish),
    and one value that is returned twice.

    Example:

    ```mlir
    func.func @f(%x: tensor<4x8xf32> {norm.name = "x"}, %yi: tensor<4x8xf32>)
        -> tensor<4x8xf32> {
      %y = norm.rms_norm x(%x : tensor<4x8xf32>) outs y(%yi : tensor<4x8xf32>)
          epsilon = 1.000000e-05 -> tensor<4x8xf32>
      return %y : tensor<4x8xf32>
    }
    ```

    becomes

    ```mlir
    func.func @f(%x: tensor<4x8xf32> {bufferization.writable = false, norm.name = "x"},
                 %yi: tensor<4x8xf32> {norm.name = "arg1"})
        -> (tensor<4x8xf32> {norm.name = "res0", norm.out}) {
      %y = norm.rms_norm x(%x : tensor<4x8xf32>) outs y(%yi : tensor<4x8xf32>)
          epsilon = 1.000000e-05 -> tensor<4x8xf32>
      return %y : tensor<4x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::normc::norm::NormDialect"];
}

def DropReturnedArgumentsPass : Pass<"norm-drop-returned-arguments", "::mlir::ModuleOp"> {
  let summary = "drop results that are in an argument's buffer";
  let description = [{
    After bufferization a function that computes into an init of its caller returns that
    argument. The result goes, the argument stays under its own name and is marked
    `norm.out`. An argument that has no name but its position's takes the one that the
    result was given. Functions that are called in the module, and those with several
    blocks, stay as they are.

    Example:

    ```mlir
    func.func @f(%x: memref<4x8xf32>, %y: memref<4x8xf32> {norm.name = "y"})
        -> (memref<4x8xf32> {norm.name = "res0"}) {
      norm.rms_norm x(%x : memref<4x8xf32>) outs y(%y : memref<4x8xf32>)
          epsilon = 1.000000e-05
      return %y : memref<4x8xf32>
    }
    ```

    becomes

    ```mlir
    func.func @f(%x: memref<4x8xf32>,
                 %y: memref<4x8xf32> {norm.name = "y", norm.out}) {
      norm.rms_norm x(%x : memref<4x8xf32>) outs y(%y : memref<4x8xf32>)
          epsilon = 1.000000e-05
      return
    }
    ```
  }];
  let dependentDialects = ["::normc::norm::NormDialect"];
}

def ElideResultCopiesPass : Pass<"norm-elide-result-copies", "::mlir::func::FuncOp"> {
  let summary = "compute a reshaped result in the out-parameter itself";
  let description = [{
    A buffer that is allocated, reshaped or cast, and then copied into an argument that
    nothing else uses, is replaced by the inverse reshape of that argument; the copy
    goes. Every other copy stays.

    Example:

    ```mlir
    func.func @f(%x: memref<?x8xf32>, %n: index, %b: index, %out: memref<?x4x8xf32>) {
      %a = memref.alloc(%n) : memref<?x8xf32>
      norm.rms_norm x(%x : memref<?x8xf32>) outs y(%a : memref<?x8xf32>)
          epsilon = 1.000000e-05
      %e = memref.expand_shape %a [[0, 1], [2]] output_shape [%b, 4, 8]
          : memref<?x8xf32> into memref<?x4x8xf32>
      memref.copy %e, %out : memref<?x4x8xf32> to memref<?x4x8xf32>
      return
    }
    ```

    becomes, but for the dead reshape,

    ```mlir
    func.func @f(%x: memref<?x8xf32>, %n: index, %b: index, %out: memref<?x4x8xf32>) {
      %a = memref.collapse_shape %out [[0, 1], [2]]
          : memref<?x4x8xf32> into memref<?x8xf32>
      norm.rms_norm x(%x : memref<?x8xf32>) outs y(%a : memref<?x8xf32>)
          epsilon = 1.000000e-05
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

#endif // NORMC_TRANSFORMS_PASSES_TD
