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
    s0..s(n-1), followed by compute_units, resident and resident_clusters.

    Constraints: (C1) as many params as region arguments, ranks agree; (C2) the body
    holds variants alone, the last has no guards; (C3) each symbol is bound by a
    dimension that is that symbol alone.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$num_symbols,
                       TypedArrayAttrBase<Plan_ParamAttr, "parameters">:$params);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `symbols` `=` $num_symbols `params` `=` $params attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def Plan_VariantOp : Plan_Op<"variant", [SingleBlock, NoTerminator,
                                         HasParent<"EntryOp">]> {
  let summary = "one way to run an entry, taken where its guards hold";
  let description = [{
    The first variant whose guards all hold runs. Before outlining the body holds
    allocations and `row.kernel`s, afterwards workspaces and launches, in order.
  }];
  let arguments = (ins TypedArrayAttrBase<Plan_GuardAttr, "guards">:$guards);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`guards` `=` $guards attr-dict-with-keyword $body";
}

def Plan_WorkspaceOp : Plan_Op<"workspace", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a scratch buffer of a variant";
  let description = [{
    `bytes` is a map from the entry's symbols to one size.
  }];
  let arguments = (ins AffineMapAttr:$bytes);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "`bytes` `=` $bytes attr-dict `:` type($result)";
}

def Plan_LaunchOp : Plan_Op<"launch", []> {
  let summary = "one launch of a kernel";
  let description = [{
    The grid is one-dimensional: the least of the map's results, in workgroups. The
    buffers are parameters of the entry or workspaces. `args` is the flat argument list
    that the kernel takes, each a pointer to a buffer, a stride of one or an integer.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyMemRef>:$buffers,
                       AffineMapAttr:$grid, I64Attr:$workgroup_size,
                       DefaultValuedAttr<I64Attr, "1">:$cluster_size,
                       DefaultValuedAttr<I64Attr, "0">:$dynamic_shared_bytes,
                       TypedArrayAttrBase<Plan_ArgAttr, "arguments">:$args);
  let assemblyFormat = [{
    $kernel `grid` `=` $grid `workgroup_size` `=` $workgroup_size
    (`buffers` `(` $buffers^ `:` type($buffers) `)`)? `args` `=` $args attr-dict
  }];
}

#endif // NORMC_DIALECTS_PLAN_PLANOPS_TD
