"""What the tests of normc.torch share: references, and how far a result may be off."""
import normc.torch as nt
import torch
from torch.nn import functional as F

HALVES = (torch.float16, torch.bfloat16)
ALL = (torch.float32, torch.float64, *HALVES)


def composite_dyt(x, alpha, weight=None, bias=None):
    y = torch.tanh(alpha * x)
    return _affine(y, weight, bias)


def composite_erf(x, alpha, shift, weight=None, bias=None):
    return _affine(torch.erf(alpha * x + shift), weight, bias)


def _affine(y, weight, bias):
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


def leaf(*shape, dtype=torch.float32, scale=1.0, offset=0.0, seed=0):
    generator = torch.Generator().manual_seed(seed)
    values = torch.randn(*shape, generator=generator, dtype=torch.float64)
    return (values * scale + offset).to(dtype).requires_grad_()


def double(tensor):
    return None if tensor is None else tensor.detach().double().requires_grad_(
        tensor.requires_grad)


def assert_close(got, exact, terms=1, scale=None, x=None, slack=0.0):
    """Compares with the result of float64 arithmetic on the same inputs. The rounding of
    the result's type, and of arithmetic on ``terms`` terms of size ``scale``, which is in
    float64 where x, whose statistics are kept, has that type. ``slack`` is what a function
    may be off by."""
    dtype = got.dtype
    wide = (got if x is None else x).dtype is torch.float64
    arithmetic = torch.finfo(torch.float64 if wide else torch.float32).eps
    scale = float(exact.abs().max()) if scale is None else scale
    floor = arithmetic * 8 * (terms ** 0.5 + 8) * max(scale, 1e-30)
    allowed = (exact.abs() * torch.finfo(dtype).eps * 2 + floor + torch.finfo(dtype).tiny +
               slack)
    off = (got.detach().double() - exact).abs()
    assert bool((off <= allowed).all()), (
        f"off by {float(off.max()):.3g}, {float((off / allowed).max()):.3g} times what is "
        f"allowed, in {dtype} {tuple(got.shape)}")


def compare(function, reference, tensors, like_torch=None, seed=99, slack=0.0):
    """Values, gradients, types, shapes and strides of a function beside float64's; with
    ``like_torch`` types, shapes and strides are those of torch's function. ``slack`` is of
    the values."""
    y = function(*tensors)
    exact_inputs = [double(tensor) for tensor in tensors]
    exact = reference(*exact_inputs)
    assert y.shape == exact.shape and y.is_contiguous()
    assert_close(y, exact.detach(), x=tensors[0], slack=slack)
    dy = torch.randn(y.shape, generator=torch.Generator().manual_seed(seed)).to(y.dtype)
    wanted = [tensor for tensor in tensors if tensor is not None and tensor.requires_grad]
    if not wanted:
        assert not y.requires_grad
        return
    gradients = torch.autograd.grad(y, wanted, dy)
    exact_wanted = [tensor for tensor in exact_inputs
                    if tensor is not None and tensor.requires_grad]
    exact_gradients = torch.autograd.grad(exact, exact_wanted, dy.double())
    rows = max(1, y.numel())
    for tensor, gradient, exact_gradient in zip(wanted, gradients, exact_gradients):
        assert gradient.dtype is tensor.dtype and gradient.shape == tensor.shape
        size = float(exact_gradient.abs().max()) if exact_gradient.numel() else 0.0
        assert_close(gradient, exact_gradient, terms=rows, scale=max(size, 1.0),
                     x=tensors[0])
    if like_torch is not None:
        theirs = like_torch(*tensors)
        assert (y.dtype, y.shape, y.stride()) == (theirs.dtype, theirs.shape, theirs.stride())
        for gradient, their in zip(gradients, torch.autograd.grad(theirs, wanted, dy)):
            assert (gradient.dtype, gradient.shape) == (their.dtype, their.shape)
            assert gradient.stride() == their.stride()


def layer_norm_pair(dims, eps=1e-5):
    def make(function):
        return lambda x, w, b: function(x, x.shape[x.dim() - dims:], w, b, eps)
    return make(nt.layer_norm), make(F.layer_norm)


def rms_norm_pair(dims, eps=1e-6):
    def make(function):
        return lambda x, w: function(x, x.shape[x.dim() - dims:], w, eps)
    return make(nt.rms_norm), make(F.rms_norm)
