"""normc: normalization kernels, compiled for the shapes and types at hand.

``normc.torch`` has the functions and modules for PyTorch. This module describes a norm,
compiles it, and loads it on a device; it needs nothing but Python.
"""
from normc._norm import Norm
from normc._packages import (
    clear,
    compile,
    entry,
    load,
    load_packages,
    save_packages,
)
from normc._runtime import Error

__version__ = "0.1.0"
__all__ = [
    "Error",
    "Norm",
    "clear",
    "compile",
    "entry",
    "load",
    "load_packages",
    "save_packages",
]
