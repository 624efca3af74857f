// RUN: norm-opt %s --split-input-file --verify-diagnostics

// The message lists the names that there are.
// expected-error @+1 {{host:x86-64-v3}}
func.func private @name() attributes {norm.target = #norm.target<"cuda:sm_1">}

// -----

func.func private @number() attributes {
    // expected-error @+1 {{expected a number of a target (backend, compute_units, subgroup_size}}
    norm.target = #norm.target<"host", lanes = 4>}

// -----

func.func private @twice() attributes {
    // expected-error @+1 {{expected each number once, but got subgroup_size again}}
    norm.target = #norm.target<"host", subgroup_size = 4, subgroup_size = 4>}

// -----

func.func private @word() attributes {
    // expected-error @+1 {{expected a kind of asynchronous copy, but got some}}
    norm.target = #norm.target<"host", async_copy = some>}

// -----

func.func private @flag() attributes {
    // expected-error @+1 {{expected true or false, but got yes}}
    norm.target = #norm.target<"host", has_f64 = yes>}

// -----

func.func private @zero() attributes {
    // expected-error @+1 {{expected subgroup_size >= 1, because it is a size, but got 0}}
    norm.target = #norm.target<"host", subgroup_size = 0>}

// -----

func.func private @negative() attributes {
    // expected-error @+1 {{expected private_cache_bytes >= 0, because it is a size, but got -1}}
    norm.target = #norm.target<"host", private_cache_bytes = -1>}

// -----

func.func private @rate() attributes {
    // expected-error @+1 {{expected bytes_per_s to be finite and >= 0, because it is a rate or a time, but got inf}}
    norm.target = #norm.target<"host", bytes_per_s = 0x7FF0000000000000>}
