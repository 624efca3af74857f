// RUN: norm-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expected norm.target to be a #norm.target, because decisions read its numbers, but got "host"}}
func.func private @target() attributes {norm.target = "host"}

// -----

// expected-error @+1 {{expected norm.name of argument 1 to be an identifier, because callers use it in code and on command lines, but got "2x"}}
func.func private @digit(f32, f32 {norm.name = "2x"})

// -----

// expected-error @+1 {{expected norm.name of argument 0 to be an identifier}}
func.func private @empty(f32 {norm.name = ""})

// -----

// expected-error @+1 {{expected norm.name of argument 0 to be an identifier}}
func.func private @dot(f32 {norm.name = "x.y"})

// -----

// expected-error @+1 {{expected norm.name of argument 0 to be an identifier, because callers use it in code and on command lines, but got 1 : i64}}
func.func private @number(f32 {norm.name = 1})

// -----

// expected-error @+1 {{expected norm.name of result 0 to be an identifier}}
func.func private @result() -> (f32 {norm.name = "a b"})

// -----

// expected-error @+1 {{expected norm.out of argument 0 without a value, but got true}}
func.func private @out(f32 {norm.out = true})
