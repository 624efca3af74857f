"""The ops on tensors: what each allocates and launches. Nothing here knows of autograd.

Arguments are checked by the functions that users call. ``dims`` is the number of
normalized dimensions. Results that are not wanted are None; ``as_op`` makes empty tensors of
them. Tensors without columns launch nothing.
"""
import functools
import inspect
from typing import List, Optional, Tuple

import torch
from torch import Tensor

from normc.torch._launch import launch, lay_out, row_size, statistics_dtype


def _compact(tensor):
    return tensor if tensor is None or tensor.is_contiguous() else tensor.contiguous()


def _like(x, dtype):
    """A contiguous result of x's shape."""
    return torch.empty_like(x, dtype=dtype, memory_format=torch.contiguous_format)


def _outer(x, dims):
    return x.shape[:x.dim() - dims]


def _gradient(wanted, of):
    """Where the gradient of a tensor goes, if it is wanted."""
    return _like(of, of.dtype) if wanted else None


def _check(op, values):
    """What a caller of torch.ops.normc may get wrong; a kernel would read past a tensor."""
    x, dims = values["x"], values["dims"]
    if not 1 <= dims <= x.dim():
        raise RuntimeError(f"normc::{op}: expected dims to be 1 to {x.dim()}, the rank of x, "
                           f"but got {dims}")
    outer, row = _outer(x, dims), x.shape[x.dim() - dims:]
    shapes = {"dy": x.shape, "mean": outer, "rstd": outer, "weight": row, "bias": row}
    for name, value in values.items():
        if not isinstance(value, Tensor):
            continue
        if value.device != x.device:
            raise RuntimeError(f"normc::{op}: expected {name} on {x.device}, because x is "
                               f"there, but got {value.device}")
        if name in ("alpha", "shift") and value.numel() != 1:
            raise RuntimeError(f"normc::{op}: expected {name} of one element, but got "
                               f"{value.numel()}")
        if value.shape != shapes.get(name, value.shape):
            raise RuntimeError(f"normc::{op}: expected {name} of shape {list(shapes[name])}, "
                               f"but got {list(value.shape)}")


def as_op(kernel):
    """The kernel with empty tensors for None: an op of torch.library returns tensors only.
    Its arguments are checked here, as those of the functions are there."""
    names = list(inspect.signature(kernel).parameters)

    @functools.wraps(kernel)
    def op(*arguments):
        _check(kernel.__name__, dict(zip(names, arguments)))
        results = kernel(*arguments)
        if isinstance(results, Tensor):
            return results
        x = next(argument for argument in arguments if argument is not None)
        return tuple(x.new_empty(0) if result is None else result for result in results)

    return op


def _dtypes(*tensors):
    return tuple([None if tensor is None else tensor.dtype for tensor in tensors])


def _zeros(*tensors):
    for tensor in tensors:
        if tensor is not None:
            tensor.zero_()


def layer_norm(x: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], dims: int,
               eps: float, dtype: torch.dtype,
               statistics: bool) -> Tuple[Tensor, Tensor, Tensor]:
    y = _like(x, dtype)
    cols = row_size(x, dims)
    mean = rstd = None
    if statistics:
        mean = x.new_empty(_outer(x, dims), dtype=statistics_dtype(x))
        rstd = torch.empty_like(mean)
    if cols:
        (laid,), outer, strides = lay_out(dims, cols, x)
        weight, bias = _compact(weight), _compact(bias)
        launch("layer_norm", _dtypes(x, weight, bias, y), cols,
               (("epsilon", eps), ("statistics", statistics)), x, outer,
               (laid, weight, bias, y, mean, rstd), strides)
    return y, mean, rstd


def layer_norm_backward(dy: Tensor, x: Tensor, mean: Tensor, rstd: Tensor,
                        weight: Optional[Tensor], bias: Optional[Tensor], dims: int,
                        wanted: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
    dx, dweight, dbias = map(_gradient, wanted, (x, weight, bias))
    cols = row_size(x, dims)
    if cols:
        (dy, laid), outer, strides = lay_out(dims, cols, dy, x)
        weight = _compact(weight)
        launch("layer_norm_backward", _dtypes(dy, x, weight, dx, dweight, dbias), cols, (),
               x, outer, (dy, laid, mean, rstd, weight, dx, dweight, dbias), strides)
    return dx, dweight, dbias


def rms_norm(x: Tensor, weight: Optional[Tensor], dims: int, eps: float,
             dtype: torch.dtype, statistics: bool) -> Tuple[Tensor, Tensor]:
    y = _like(x, dtype)
    cols = row_size(x, dims)
    rstd = None
    if statistics:
        rstd = x.new_empty(_outer(x, dims), dtype=statistics_dtype(x))
    if cols:
        (laid,), outer, strides = lay_out(dims, cols, x)
        weight = _compact(weight)
        launch("rms_norm", _dtypes(x, weight, y), cols,
               (("epsilon", eps), ("statistics", statistics)), x, outer,
               (laid, weight, y, rstd), strides)
    return y, rstd


def rms_norm_backward(dy: Tensor, x: Tensor, rstd: Tensor, weight: Optional[Tensor],
                      dims: int, wanted: List[bool]) -> Tuple[Tensor, Tensor]:
    dx, dweight = map(_gradient, wanted, (x, weight))
    cols = row_size(x, dims)
    if cols:
        (dy, laid), outer, strides = lay_out(dims, cols, dy, x)
        weight = _compact(weight)
        launch("rms_norm_backward", _dtypes(dy, x, weight, dx, dweight), cols, (), x, outer,
               (dy, laid, rstd, weight, dx, dweight), strides)
    return dx, dweight


def dyt(x: Tensor, alpha: Tensor, shift: Optional[Tensor], weight: Optional[Tensor],
        bias: Optional[Tensor], dims: int, activation: str) -> Tensor:
    y = _like(x, x.dtype)
    cols = row_size(x, dims)
    if cols:
        (laid,), outer, strides = lay_out(dims, cols, x)
        weight, bias = _compact(weight), _compact(bias)
        launch("dyt", _dtypes(x, alpha, shift, weight, bias, y), cols,
               (("activation", activation),), x, outer,
               (laid, alpha, shift, weight, bias, y), strides)
    return y


def dyt_backward(dy: Tensor, x: Tensor, alpha: Tensor, shift: Optional[Tensor],
                 weight: Optional[Tensor], bias: Optional[Tensor], dims: int,
                 activation: str,
                 wanted: List[bool]) -> Tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    dx, dalpha, dshift, dweight, dbias = map(_gradient, wanted,
                                             (x, alpha, shift, weight, bias))
    cols = row_size(x, dims)
    if cols:
        (dy, laid), outer, strides = lay_out(dims, cols, dy, x)
        weight = _compact(weight)
        launch("dyt_backward",
               _dtypes(dy, x, alpha, shift, weight, dx, dalpha, dshift, dweight, dbias),
               cols, (("activation", activation),), x, outer,
               (dy, laid, alpha, shift, weight, dx, dalpha, dshift, dweight, dbias), strides)
    else:
        _zeros(dalpha, dshift)
    return dx, dalpha, dshift, dweight, dbias
