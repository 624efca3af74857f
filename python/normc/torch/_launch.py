"""From torch's tensors to a launch: layouts, entries, workspaces, streams.

An entry sees x as [outer dimensions..., cols]: the normalized dimensions are one static
size, outer dimensions are merged as far as their strides allow, and their sizes are known
at launch only, so that one entry serves every batch.
"""
import torch

import normc
from normc import _packages

TYPES = {
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float32: "f32",
    torch.float64: "f64",
}

#: The descriptor's types of each op, in the order in which keys hold them.
FIELDS = {
    "layer_norm": ("x", "weight", "bias", "y"),
    "layer_norm_backward": ("dy", "x", "weight", "dx", "dweight", "dbias"),
    "rms_norm": ("x", "weight", "y"),
    "rms_norm_backward": ("dy", "x", "weight", "dx", "dweight"),
    "dyt": ("x", "alpha", "shift", "weight", "bias", "y"),
    "dyt_backward": ("dy", "x", "alpha", "shift", "weight", "dx", "dalpha", "dshift",
                     "dweight", "dbias"),
}

_entries = {}
_packages._on_clear.append(_entries.clear)

_raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
    lambda index: torch.cuda.current_stream(index).cuda_stream)

# More outer dimensions than this are copied together.
_MAX_OUTER = 6


def statistics_dtype(x):
    """mean and rstd have the accumulator's type."""
    return torch.float64 if x.dtype is torch.float64 else torch.float32


def row_size(x, dims):
    """cols: the number of elements that are normalized together."""
    shape = x.shape
    cols = 1
    for size in shape[len(shape) - dims:]:
        cols *= size
    return cols


def _inner_is_contiguous(shape, strides, dims):
    expected = 1
    for i in range(len(shape) - 1, len(shape) - 1 - dims, -1):
        if shape[i] != 1 and strides[i] != expected:
            return False
        expected *= shape[i]
    return True


def _merge(shape, all_strides):
    """Outer dimensions merged where every tensor's strides allow it."""
    sizes, merged = [], [[] for _ in all_strides]
    for i, size in enumerate(shape):
        if size == 1:
            continue
        if sizes and all(own[-1] == strides[i] * size
                         for own, strides in zip(merged, all_strides)):
            sizes[-1] *= size
            for own, strides in zip(merged, all_strides):
                own[-1] = strides[i]
        else:
            sizes.append(size)
            for own, strides in zip(merged, all_strides):
                own.append(strides[i])
    return sizes, merged


def lay_out(dims, cols, *tensors):
    """The tensors as entries take them: (tensors, outer sizes, their outer strides, or
    None where all are contiguous). A tensor whose normalized dimensions are not contiguous
    is copied."""
    first = tensors[0]
    if all([tensor.is_contiguous() for tensor in tensors]):
        return tensors, (first.numel() // cols,), None
    outer = first.dim() - dims
    tensors = [
        tensor if _inner_is_contiguous(tensor.shape, tensor.stride(), dims)
        else tensor.contiguous() for tensor in tensors]
    sizes, strides = _merge(first.shape[:outer], [tensor.stride() for tensor in tensors])
    if len(sizes) > _MAX_OUTER or first.numel() == 0:
        return lay_out(dims, cols, *(tensor.contiguous() for tensor in tensors))
    if not sizes:
        return tensors, (1,), None
    return tensors, tuple(sizes), [tuple(own) for own in strides]


def _make_entry(key):
    op, dtypes, cols, outer_rank, options, device = key
    types = {name: TYPES[dtype] for name, dtype in zip(FIELDS[op], dtypes)
             if dtype is not None}
    norm = normc.Norm(op=op, shape=(-1,) * outer_rank + (cols,), **types, **dict(options))
    name = f"cuda:{device}" if device >= 0 else f"host:{-device}"
    entry = normc.entry(norm, name)
    _entries[key] = entry
    return entry


def launch(op, dtypes, cols, options, x, outer, tensors, strides):
    """Launches the entry on ``tensors``, which are the parameters in order, None where
    one is absent; ``strides`` are those of the first parameters, or None."""
    device = x.get_device() if x.is_cuda else -torch.get_num_threads()
    key = (op, dtypes, cols, len(outer), options, device)
    entry = _entries.get(key) or _make_entry(key)
    addresses = tuple([tensor.data_ptr() for tensor in tensors if tensor is not None])
    if strides is not None:
        strides = tuple(strides) + (None,) * (len(addresses) - len(strides))
    if device < 0:
        entry.launch(outer, addresses, strides, 0, 0, 0)
        return
    # From torch's allocator: reused in the stream's order, and kept by graph captures.
    workspace_bytes = entry.workspace_bytes(outer)
    workspace = 0
    if workspace_bytes:
        scratch = torch.empty(workspace_bytes, dtype=torch.uint8, device=x.device)
        workspace = scratch.data_ptr()
    entry.launch(outer, addresses, strides, _raw_stream(device), workspace, workspace_bytes)
