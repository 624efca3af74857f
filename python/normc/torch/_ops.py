"""The kernels as ops of torch.library, for torch.compile and tensor subclasses, and as
autograd functions, which eager calls take because an op's way costs several times as much.

Both ways share what is said of an op here: its fake results, what it keeps for its
backward, and the backward. A second derivative is refused by name.
"""
from typing import Callable

import torch
from torch import Tensor
from torch.autograd import forward_ad

from normc.torch import _kernels
from normc.torch._launch import statistics_dtype

_PLAIN = (Tensor, torch.nn.Parameter)
_dispatch_modes = getattr(torch._C, "_len_torch_dispatch_stack", lambda: 0)
transforms_are_active = torch._C._are_functorch_transforms_active
_functorch = torch._C._functorch


def _refuse_tangents(name: str, tensors):
    """Forward mode: a tangent would be left out without a word."""
    if any(tensor is not None and forward_ad.unpack_dual(tensor).tangent is not None
           for tensor in tensors) or any(
               transform.key() == _functorch.TransformType.Jvp
               for transform in _functorch.get_interpreter_stack() or ()):
        raise RuntimeError(
            f"normc.torch: {name} has no forward-mode derivative, because there are kernels "
            "for gradients only; take torch.nn.functional where tangents are needed")


def _define(name: str, tensors: int, kernel: Callable, fake: Callable, setup: Callable,
            backward: Callable) -> Callable:
    """An op, called with the kernel's arguments, of which so many are tensors or None. It
    goes the short way where they hold data and nobody traces or watches."""
    op = torch.library.custom_op(f"normc::{name}", _kernels.as_op(kernel),
                                 mutates_args=())
    op.register_fake(fake)
    op.register_autograd(backward, setup_context=setup)

    def forward(ctx, *arguments):
        output = kernel(*arguments)
        setup(ctx, arguments, output)
        return output

    # A setup_context of its own would make each call read forward's signature anew.
    function = type(name, (torch.autograd.Function,), {
        "forward": staticmethod(forward), "backward": staticmethod(backward)})

    def call(*arguments):
        # A trace of torch.jit would hold what allocates y, and not the launch.
        if torch.compiler.is_compiling() or torch.jit.is_tracing():
            return op(*arguments)
        if forward_ad._current_level >= 0:
            _refuse_tangents(name, arguments[:tensors])
        gradient = False
        for tensor in arguments[:tensors]:
            if tensor is not None:
                # Of a negative view, memory holds the opposite.
                if type(tensor) not in _PLAIN or tensor.is_meta or tensor.is_neg():
                    return op(*arguments)
                gradient = gradient or tensor.requires_grad
        if _dispatch_modes() or transforms_are_active():
            return op(*arguments)
        if gradient and torch.is_grad_enabled():
            return function.apply(*arguments)
        return kernel(*arguments)

    call.__name__ = name
    return call


def _define_backward(name: str, tensors: int, kernel: Callable,
                     fake: Callable) -> Callable:
    def refuse(ctx, *_):
        raise RuntimeError(
            f"normc.torch: {name} has no derivative (double backward), because a backward is "
            "a kernel that writes gradients only; take torch.nn.functional where gradients "
            "of gradients are needed")

    return _define(name, tensors, kernel, fake, lambda ctx, inputs, output: None, refuse)


def _like(x, dtype):
    return torch.empty_like(x, dtype=dtype, memory_format=torch.contiguous_format)


def _statistics(x, dims, stored):
    shape = x.shape[:x.dim() - dims] if stored else (0,)
    return x.new_empty(shape, dtype=statistics_dtype(x) if stored else None)


def _fake_gradients(x, wanted, *of):
    return tuple(_like(tensor, tensor.dtype) if want else x.new_empty(0)
                 for want, tensor in zip(wanted, of))


def _gradients(gradients, wanted, rest):
    """Gradients as autograd takes them: None for those that are not wanted, and for the
    ``rest`` arguments that follow."""
    return (*(gradient if want else None for gradient, want in zip(gradients, wanted)),
            *(None,) * rest)


# layer_norm(x, weight, bias, dims, eps, dtype, statistics): y, mean, rstd


def _layer_norm_setup(ctx, inputs, output):
    x, weight, bias, dims = inputs[:4]
    ctx.save_for_backward(x, weight, bias, output[1], output[2])
    ctx.mark_non_differentiable(output[1], output[2])
    ctx.set_materialize_grads(False)
    ctx.dims = dims


def _layer_norm_gradient(ctx, dy, _mean, _rstd):
    if dy is None:
        return (None,) * 7
    x, weight, bias, mean, rstd = ctx.saved_tensors
    wanted = list(ctx.needs_input_grad[:3])
    found = layer_norm_backward(dy, x, mean, rstd, weight, bias, ctx.dims, wanted)
    return _gradients(found, wanted, 4)


layer_norm_backward = _define_backward(
    "layer_norm_backward", 6, _kernels.layer_norm_backward,
    lambda dy, x, mean, rstd, weight, bias, dims, wanted: _fake_gradients(
        x, wanted, x, weight, bias))
layer_norm = _define(
    "layer_norm", 3, _kernels.layer_norm,
    lambda x, weight, bias, dims, eps, dtype, statistics: (
        _like(x, dtype), _statistics(x, dims, statistics), _statistics(x, dims, statistics)),
    _layer_norm_setup, _layer_norm_gradient)


# rms_norm(x, weight, dims, eps, dtype, statistics): y, rstd


def _rms_norm_setup(ctx, inputs, output):
    x, weight, dims = inputs[:3]
    ctx.save_for_backward(x, weight, output[1])
    ctx.mark_non_differentiable(output[1])
    ctx.set_materialize_grads(False)
    ctx.dims = dims


def _rms_norm_gradient(ctx, dy, _rstd):
    if dy is None:
        return (None,) * 6
    x, weight, rstd = ctx.saved_tensors
    wanted = list(ctx.needs_input_grad[:2])
    found = rms_norm_backward(dy, x, rstd, weight, ctx.dims, wanted)
    return _gradients(found, wanted, 4)


rms_norm_backward = _define_backward(
    "rms_norm_backward", 4, _kernels.rms_norm_backward,
    lambda dy, x, rstd, weight, dims, wanted: _fake_gradients(x, wanted, x, weight))
rms_norm = _define(
    "rms_norm", 2, _kernels.rms_norm,
    lambda x, weight, dims, eps, dtype, statistics: (
        _like(x, dtype), _statistics(x, dims, statistics)),
    _rms_norm_setup, _rms_norm_gradient)


# dyt(x, alpha, shift, weight, bias, dims, activation): y


def _dyt_setup(ctx, inputs, output):
    ctx.save_for_backward(*inputs[:5])
    ctx.dims, ctx.activation = inputs[5:]


def _dyt_gradient(ctx, dy):
    wanted = list(ctx.needs_input_grad[:5])
    found = dyt_backward(dy, *ctx.saved_tensors, ctx.dims, ctx.activation, wanted)
    return _gradients(found, wanted, 2)


dyt_backward = _define_backward(
    "dyt_backward", 6, _kernels.dyt_backward,
    lambda dy, x, alpha, shift, weight, bias, dims, activation, wanted: _fake_gradients(
        x, wanted, x, alpha, shift, weight, bias))
dyt = _define(
    "dyt", 5, _kernels.dyt,
    lambda x, alpha, shift, weight, bias, dims, activation: _like(x, x.dtype),
    _dyt_setup, _dyt_gradient)
