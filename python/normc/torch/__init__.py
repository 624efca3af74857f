"""Normalization layers of PyTorch whose kernels normc compiles.

    import normc.torch
    model = normc.torch.replace_norms(model)   # torch.nn.LayerNorm and RMSNorm

or layer by layer: the functions ``layer_norm``, ``rms_norm``, ``dyt``, ``dynamic_erf``
and the modules ``LayerNorm``, ``RMSNorm``, ``DyT``, ``DynamicErf``.
"""
from normc.torch._functions import dynamic_erf, dyt, layer_norm, rms_norm
from normc.torch._modules import DynamicErf, DyT, LayerNorm, RMSNorm, replace_norms

__all__ = [
    "DyT",
    "DynamicErf",
    "LayerNorm",
    "RMSNorm",
    "dynamic_erf",
    "dyt",
    "layer_norm",
    "replace_norms",
    "rms_norm",
]
