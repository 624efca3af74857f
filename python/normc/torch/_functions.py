"""The functions: torch's signatures, torch's checks."""
import math
import numbers
from typing import Optional, Sequence

import torch
from torch import Tensor

from normc.torch import _ops
from normc.torch._launch import TYPES

# Ops that autocast runs in f32, as the installed torch registers it: for these, y is f32
# where x is f16 or bf16. The kernels read x as it is, so that nothing is cast before.
_AUTOCAST_IN_F32 = {
    op: tuple(device for device, key in (("cuda", "AutocastCUDA"), ("cpu", "AutocastCPU"))
              if torch._C._dispatch_has_kernel_for_dispatch_key(f"aten::{op}", key))
    for op in ("layer_norm", "rms_norm")
}
_HALVES = (torch.float16, torch.bfloat16)


def _result_dtype(op, x):
    if x.dtype in _HALVES:
        for device in _AUTOCAST_IN_F32[op]:
            if x.device.type == device and torch.is_autocast_enabled(device):
                return torch.float32
    return x.dtype


def _check_tensor(op, name, value, optional=True):
    if not isinstance(value, Tensor) and not (optional and value is None):
        raise TypeError(f"{op}(): expected {name} to be a Tensor"
                        f"{' or None' if optional else ''}, but got {type(value).__name__}")


def _check_dtype(op, name, tensor):
    if tensor.dtype not in TYPES:
        raise NotImplementedError(
            f"{op}(): expected {name} of float16, bfloat16, float32 or float64, because "
            f"there are kernels for these, but got {tensor.dtype}")


def _check_parameter(op, name, value, shape, x):
    """A weight or bias, which has the shape of the normalized dimensions."""
    if value is None:
        return
    if not isinstance(value, Tensor):
        _check_tensor(op, name, value)
    if value.shape != shape:
        raise RuntimeError(f"{op}(): expected {name} of the normalized shape {list(shape)}, "
                           f"but got {list(value.shape)}")
    _check_with(op, name, value, x)


def _check_with(op, name, value, x):
    _check_dtype(op, name, value)
    if value.device != x.device:
        raise RuntimeError(f"{op}(): expected {name} on {x.device}, because x is there, but "
                           f"got {value.device}")


def _normalized(op, x, normalized_shape):
    """The normalized shape as a tuple, checked against x."""
    _check_tensor(op, "x", x, optional=False)
    if not isinstance(normalized_shape, (tuple, list)):
        raise TypeError(f"{op}(): expected normalized_shape to be a tuple or list of ints, "
                        f"but got {type(normalized_shape).__name__}")
    shape = tuple(normalized_shape)
    if not shape:
        raise RuntimeError(f"{op}(): expected normalized_shape to have at least one "
                           "dimension, but got []")
    for size in shape:
        if isinstance(size, bool) or not isinstance(size, (int, torch.SymInt,
                                                           numbers.Integral)):
            raise TypeError(f"{op}(): expected normalized_shape to hold ints, but got "
                            f"{type(size).__name__}")
    if x.shape[-len(shape):] != shape:
        # torch's rms_norm says so of a missing dimension.
        error = ValueError if op == "rms_norm" and x.dim() < len(shape) else RuntimeError
        raise error(
            f"{op}(): expected x to end in the normalized shape {list(shape)}, but got x of "
            f"shape {list(x.shape)}")
    _check_dtype(op, "x", x)
    return shape


def _epsilon(op, eps):
    if not isinstance(eps, (float, int)):
        raise TypeError(f"{op}(): expected eps to be a float, but got {type(eps).__name__}")
    if not 0 <= eps < math.inf:
        raise ValueError(f"{op}(): expected eps to be finite and at least 0, but got {eps}")
    return float(eps)


def _has_gradient(*tensors):
    enabled = torch.is_grad_enabled()
    if enabled:
        for tensor in tensors:
            if tensor is not None and tensor.requires_grad:
                return True
    if torch.compiler.is_compiling():
        return False
    # Those of a transform do not say what they stand for, and what torch.jit traces may run
    # where gradients are wanted.
    return torch.jit.is_tracing() or (enabled and _ops.transforms_are_active())


def layer_norm(x: Tensor, normalized_shape: Sequence[int], weight: Optional[Tensor] = None,
               bias: Optional[Tensor] = None, eps: float = 1e-5) -> Tensor:
    """torch.nn.functional.layer_norm; weight and bias may be of other types than x."""
    shape = _normalized("layer_norm", x, normalized_shape)
    _check_parameter("layer_norm", "weight", weight, shape, x)
    _check_parameter("layer_norm", "bias", bias, shape, x)
    return _ops.layer_norm(x, weight, bias, len(shape), _epsilon("layer_norm", eps),
                           _result_dtype("layer_norm", x), _has_gradient(x, weight, bias))[0]


def rms_norm(x: Tensor, normalized_shape: Sequence[int], weight: Optional[Tensor] = None,
             eps: Optional[float] = None) -> Tensor:
    """torch.nn.functional.rms_norm. ``eps`` None is the machine epsilon of the type that
    torch computes in: float32's for x of float16, bfloat16 and float32."""
    shape = _normalized("rms_norm", x, normalized_shape)
    _check_parameter("rms_norm", "weight", weight, shape, x)
    if eps is None:
        eps = torch.finfo(torch.float64 if x.dtype is torch.float64 else torch.float32).eps
    return _ops.rms_norm(x, weight, len(shape), _epsilon("rms_norm", eps),
                         _result_dtype("rms_norm", x), _has_gradient(x, weight))[0]


def _activation(op, activation, x, alpha, shift, weight, bias):
    _check_tensor(op, "x", x, optional=False)
    _check_dtype(op, "x", x)
    given = weight if weight is not None else bias
    _check_tensor(op, "weight", weight)
    _check_tensor(op, "bias", bias)
    dims = 1 if given is None else given.dim()
    if not 1 <= dims <= x.dim():
        raise RuntimeError(f"{op}(): expected x to have the last dimensions of weight and "
                           f"bias, at least one, but got x of shape {list(x.shape)}"
                           + ("" if given is None else f" and {list(given.shape)}"))
    shape = x.shape[x.dim() - dims:]
    _check_parameter(op, "weight", weight, shape, x)
    _check_parameter(op, "bias", bias, shape, x)
    for name, value in (("alpha", alpha), ("shift", shift)):
        if name == "shift" and value is None and activation == "tanh":
            continue
        _check_tensor(op, name, value, optional=False)
        if value.numel() != 1:
            raise RuntimeError(f"{op}(): expected {name} to have one element, but got the "
                               f"shape {list(value.shape)}")
        _check_with(op, name, value, x)
    return _ops.dyt(x, alpha, shift, weight, bias, dims, activation)


def dyt(x: Tensor, alpha: Tensor, weight: Optional[Tensor] = None,
        bias: Optional[Tensor] = None) -> Tensor:
    """Dynamic tanh: tanh(alpha * x) * weight + bias, of x's type. ``alpha`` has one
    element; weight and bias have the shape of x's last dimensions."""
    return _activation("dyt", "tanh", x, alpha, None, weight, bias)


def dynamic_erf(x: Tensor, alpha: Tensor, shift: Tensor, weight: Optional[Tensor] = None,
                bias: Optional[Tensor] = None) -> Tensor:
    """Dynamic erf: erf(alpha * x + shift) * weight + bias, of x's type."""
    return _activation("dynamic_erf", "erf", x, alpha, shift, weight, bias)
