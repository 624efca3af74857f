//===- PlanOps.td - The plan dialect: variants and launches -----------------===//
#ifndef NORMC_DIALECTS_PLAN_PLANOPS_TD
#define NORMC_DIALECTS_PLAN_PLANOPS_TD

include "dialects/plan/PlanTypes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Plan_Op<string mnemonic, list<Trait> traits = []>
    : Op<Plan_Dialect, mnemonic, traits>;

def Plan_EntryOp : Plan_Op<"entry", [Symbol, SingleBlock, NoTerminator,
                                     IsolatedFromAbove]> {
  let summary = "one entry of a package: parameters and variants";
  let description = [{
    The region has one argument for each parameter, a memref of its element type and
    rank. `params` describes them: name, direction, shape as a map from the entry's
    symbols (its distinct dynamic dimensions), and how many trailing dimensions must be
    contiguous. `num_symbols` counts the symbols; in every map of the entry they are
    s0..s(n-1), followed by compute_units, resident (workgroups of this launch's kernel
    that one compute unit holds) and resident_clusters (clusters that the device holds).

    Constraints:
    - (C1) as many params as region arguments; ranks and element types agree; the types
      are f16, bf16, f32 or f64.
    - (C2) the body holds variants alone; the last has no guards.
    - (C3) each symbol is bound by a dimension that is that symbol alone.
    - (C4) every map has no dimensions and num_symbols + 3 symbols; shapes and
      requirements use none of the last three.
    - (C5) names of parameters are distinct and not empty.

    Example:

    ```mlir
    plan.entry @double symbols = 1
        params = [#plan.param<"x", in, f32,
                      shape = ()[s0, s1, s2, s3] -> (s0, 128),
                      contiguous_dims = 1>,
                  #plan.param<"y", out, f32,
                      shape = ()[s0, s1, s2, s3] -> (s0, 128),
                      contiguous_dims = 1>] {
    ^bb0(%x: memref<?x128xf32>, %y: memref<?x128xf32>):
      plan.variant guards = [] {
        plan.launch @double_f32_n128
            grid = ()[s0, s1, s2, s3] -> (s0 ceildiv 64)
            workgroup_size = 8
            buffers(%x, %y : memref<?x128xf32>, memref<?x128xf32>)
            args = [#plan.arg<pointer, buffer = 0>, #plan.arg<pointer, buffer = 1>,
                    #plan.arg<row_stride, buffer = 0, dim = 1>,
                    #plan.arg<row_stride, buffer = 1, dim = 1>,
                    #plan.arg<expr, expr = ()[s0, s1, s2, s3] -> (s0)>]
      }
    }
    func.func private @double_f32_n128(memref<?x128xf32>, memref<?x128xf32>)
        attributes {plan.kernel}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$num_symbols,
      TypedArrayAttrBase<Plan_ParamAttr, "parameters">:$params,
      OptionalAttr<TypedArrayAttrBase<Plan_RequirementAttr, "requirements">>:$requirements);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `symbols` `=` $num_symbols `params` `=` $params
    (`requirements` `=` $requirements^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Symbols of every map of the entry: its own, then the three of the device.
    unsigned getNumMapSymbols() { return getNumSymbols() + 3; }
    ::llvm::SmallVector<ParamAttr> getParamAttrs() {
      return ::llvm::to_vector(getParams().getAsRange<ParamAttr>());
    }
  }];
}

def Plan_VariantOp : Plan_Op<"variant", [SingleBlock, NoTerminator,
                                         HasParent<"EntryOp">]> {
  let summary = "one way to run an entry, taken where its guards hold";
  let description = [{
    The first variant whose guards all hold runs. Before outlining the body holds
    allocations, casts, reshapes and `row.kernel`s, afterwards workspaces and launches,
    in order. `collapsed` says that the outer dimensions of every parameter that is
    walked by row have one stride: by a guard, or because there is one such dimension.

    Constraints: (C1) guards name a parameter of the entry and at most its rank, or
    have an expression of one result over the entry's symbols and compute_units.
  }];
  let arguments = (ins TypedArrayAttrBase<Plan_GuardAttr, "guards">:$guards,
                       UnitAttr:$collapsed);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat =
      "`guards` `=` $guards (`collapsed` $collapsed^)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Plan_WorkspaceOp : Plan_Op<"workspace", [MemoryEffects<[MemAlloc]>,
                                             HasParent<"VariantOp">]> {
  let summary = "a scratch buffer of a variant";
  let description = [{
    `bytes` is a map from the entry's symbols to one size. The launch finds room for it
    in the caller's workspace, 256-byte aligned. Constraints: (C1) one result, over the
    entry's symbols and compute_units.
  }];
  let arguments = (ins AffineMapAttr:$bytes);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "`bytes` `=` custom<InlineMap>($bytes) attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Plan_LaunchOp : Plan_Op<"launch", [HasParent<"VariantOp">,
                                       DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one launch of a kernel";
  let description = [{
    The grid is one-dimensional: the least of the map's results, in workgroups; with 0
    nothing runs. The buffers are parameters of the entry or workspaces. `args` is the
    flat argument list that the kernel takes (KernelAbi.h), each a pointer to a buffer, a
    stride of one or an integer. A `dependent` launch may begin before the one ahead of it
    has ended, where the device can: its kernel waits itself.

    Constraints:
    - (C1) each buffer is a parameter of the entry or a workspace of the variant.
    - (C2) `grid` has at least one result, and the sizes are positive.
    - (C3) an argument names a buffer of the launch, a stride one that is a parameter and
      dimensions that it has; a value has one result.
    - (C4) a row stride of more than one dimension is ensured by a guard, or by a
      parameter all of whose dimensions are contiguous.
    - (C5) the kernel is a function of the module, or of a module of kernels in it.
    - (C6) a dependent launch has one ahead of it in the variant.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyMemRef>:$buffers,
                       AffineMapAttr:$grid, I64Attr:$workgroup_size,
                       DefaultValuedAttr<I64Attr, "1">:$cluster_size,
                       DefaultValuedAttr<I64Attr, "0">:$dynamic_shared_bytes,
                       UnitAttr:$dependent,
                       TypedArrayAttrBase<Plan_ArgAttr, "arguments">:$args);
  let assemblyFormat = [{
    $kernel `grid` `=` custom<InlineMap>($grid) `workgroup_size` `=` $workgroup_size
    (`buffers` `(` $buffers^ `:` type($buffers) `)`)? `args` `=` $args attr-dict
  }];
  let hasVerifier = 1;
}

#endif // NORMC_DIALECTS_PLAN_PLANOPS_TD
