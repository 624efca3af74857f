"""The modules, with the parameters' names of torch.nn's."""
import numbers

import torch
from torch import Tensor, nn

from normc.torch import _functions


class LayerNorm(nn.LayerNorm):
    """torch.nn.LayerNorm: the same arguments, parameters and state_dict."""

    def forward(self, input: Tensor) -> Tensor:
        return _functions.layer_norm(input, self.normalized_shape, self.weight, self.bias,
                                     self.eps)


class RMSNorm(nn.RMSNorm):
    """torch.nn.RMSNorm: the same arguments, parameters and state_dict."""

    def forward(self, x: Tensor) -> Tensor:
        return _functions.rms_norm(x, self.normalized_shape, self.weight, self.eps)


class DyT(nn.Module):
    """tanh(alpha * x) * weight + bias, in the place of a normalization layer.

    Args:
        normalized_shape: the last dimensions of x, which weight and bias have.
        alpha_init: what alpha, of shape [1], begins with.
        elementwise_affine: whether there are weight and bias.
        bias: whether there is a bias.
    """

    def __init__(self, normalized_shape, alpha_init=0.5, elementwise_affine=True, bias=True,
                 device=None, dtype=None):
        super().__init__()
        if isinstance(normalized_shape, numbers.Integral):
            normalized_shape = (normalized_shape,)
        self.normalized_shape = tuple(normalized_shape)
        self.alpha_init = alpha_init
        self.elementwise_affine = elementwise_affine
        options = {"device": device, "dtype": dtype}
        self.alpha = nn.Parameter(torch.empty(1, **options))
        for name, present in (("weight", elementwise_affine),
                              ("bias", elementwise_affine and bias)):
            self.register_parameter(name, nn.Parameter(
                torch.empty(self.normalized_shape, **options)) if present else None)
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.constant_(self.alpha, self.alpha_init)
        if self.weight is not None:
            nn.init.ones_(self.weight)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def _check(self, x):
        shape = self.normalized_shape
        if self.weight is None and x.shape[-len(shape):] != shape:
            raise RuntimeError(f"{type(self).__name__}: expected x to end in the shape "
                               f"{list(shape)}, but got {list(x.shape)}")

    def forward(self, x: Tensor) -> Tensor:
        self._check(x)
        return _functions.dyt(x, self.alpha, self.weight, self.bias)

    def extra_repr(self):
        return (f"{self.normalized_shape}, alpha_init={self.alpha_init}, "
                f"elementwise_affine={self.elementwise_affine}")


class DynamicErf(DyT):
    """erf(alpha * x + shift) * weight + bias; alpha and shift have the shape [1]."""

    def __init__(self, normalized_shape, alpha_init=0.5, shift_init=0.0,
                 elementwise_affine=True, bias=True, device=None, dtype=None):
        self.shift_init = shift_init
        super().__init__(normalized_shape, alpha_init, elementwise_affine, bias, device, dtype)

    def reset_parameters(self):
        if "shift" not in self._parameters:
            self.shift = nn.Parameter(torch.empty_like(self.alpha))
        nn.init.constant_(self.shift, self.shift_init)
        super().reset_parameters()

    def forward(self, x: Tensor) -> Tensor:
        self._check(x)
        return _functions.dynamic_erf(x, self.alpha, self.shift, self.weight, self.bias)

    def extra_repr(self):
        return f"{super().extra_repr()}, shift_init={self.shift_init}"


_REPLACED = {nn.LayerNorm: LayerNorm, nn.RMSNorm: RMSNorm}


def replace_norms(model: nn.Module) -> nn.Module:
    """Makes every torch.nn.LayerNorm and torch.nn.RMSNorm of a model one of normc's.

    The modules stay the objects that they are: parameters, state_dict, hooks and what
    optimizers hold of them are untouched, only their forward is another. Subclasses, whose
    forward may be their own, are left alone. Gives the model back.
    """
    for module in model.modules():
        replacement = _REPLACED.get(type(module))
        if replacement is not None:
            module.__class__ = replacement
    return model
