"""Values, gradients, types, shapes and strides of normc.torch's functions."""
import threading

import normc.torch as nt
import pytest
import torch
from torch.nn import functional as F
from torch_common import (ALL, HALVES, assert_close, compare, composite_dyt, composite_erf,
                          double, layer_norm_pair, leaf, rms_norm_pair)

SHAPES = [((4, 64), 1), ((2, 3, 5), 1), ((2, 3, 5), 2), ((2, 3, 5), 3), ((7,), 1),
          ((3, 1), 1), ((1, 1000), 1), ((130, 16, 24), 1)]


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("shape, dims", SHAPES, ids=str)
def test_layer_norm(shape, dims, dtype):
    ours, theirs = layer_norm_pair(dims)
    weight, bias = (leaf(*shape[-dims:], dtype=dtype, seed=seed) for seed in (1, 2))
    compare(ours, theirs, (leaf(*shape, dtype=dtype, offset=1.5), weight, bias), theirs)


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("shape, dims", SHAPES, ids=str)
def test_rms_norm(shape, dims, dtype):
    ours, theirs = rms_norm_pair(dims)
    weight = leaf(*shape[-dims:], dtype=dtype, seed=1)
    compare(ours, theirs, (leaf(*shape, dtype=dtype), weight))


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("shape", [(4, 64), (2, 3, 5), (7,)], ids=str)
def test_dynamic_erf(shape, dtype):
    alpha, shift = leaf(1, dtype=dtype, seed=3), leaf(1, dtype=dtype, seed=4)
    weight, bias = (leaf(shape[-1], dtype=dtype, seed=seed) for seed in (1, 2))
    compare(nt.dynamic_erf, composite_erf, (leaf(*shape, dtype=dtype), alpha, shift, weight,
                                            bias))


# The shapes of Liger-Kernel's tests of DyT.
@pytest.mark.parametrize("dtype", (torch.float32, torch.bfloat16), ids=str)
@pytest.mark.parametrize("beta", (True, False))
@pytest.mark.parametrize("shape", [(2, 8, 4096), (4, 16, 2048), (1, 1, 1023), (3, 7, 256)],
                         ids=str)
def test_dyt(shape, beta, dtype):
    x, alpha = leaf(*shape, dtype=dtype), leaf(1, dtype=dtype, seed=3)
    weight = leaf(shape[-1], dtype=dtype, seed=1)
    bias = leaf(shape[-1], dtype=dtype, seed=2) if beta else None
    # The approximate tanh, which a result of 16 bits may have (2^-11).
    slack = 0.0 if dtype is torch.float32 else float(weight.detach().abs().max()) * 2 ** -11
    compare(nt.dyt, composite_dyt, (x, alpha, weight, bias), slack=slack)
    assert nt.dyt(x, alpha, weight, bias).dtype is dtype


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)], ids=str)
def test_shape_of_alpha(shape):
    alpha = torch.full(shape, 0.7, requires_grad=True)
    x = leaf(3, 8)
    compare(nt.dyt, lambda x, alpha, w: composite_dyt(x, alpha.reshape(()), w),
            (x, alpha, leaf(8, seed=1)))


@pytest.mark.parametrize("types", [
    (torch.bfloat16, torch.float32, torch.float32),
    (torch.float32, torch.bfloat16, torch.float16),
    (torch.float16, torch.float64, torch.float32),
    (torch.float64, torch.float32, torch.bfloat16)], ids=str)
def test_mixed_types(types):
    x_type, w_type, b_type = types
    x = leaf(6, 40, dtype=x_type)
    weight, bias = leaf(40, dtype=w_type, seed=1), leaf(40, dtype=b_type, seed=2)
    for ours, theirs, tensors in ((*layer_norm_pair(1), (x, weight, bias)),
                                  (*rms_norm_pair(1), (x, weight))):
        assert ours(*tensors).dtype is x_type
        compare(ours, theirs, tensors)
    compare(nt.dyt, composite_dyt, (x, leaf(1, dtype=b_type, seed=3), weight, bias))


@pytest.mark.parametrize("has_weight", (True, False))
@pytest.mark.parametrize("has_bias", (True, False))
@pytest.mark.parametrize("wants", [(True, False, False), (False, True, False),
                                   (False, False, True), (True, True, True),
                                   (False, False, False)], ids=str)
def test_gradients_that_are_wanted(has_weight, has_bias, wants):
    x, weight, bias = (
        tensor.detach().requires_grad_(want)
        for tensor, want in zip((leaf(5, 12), leaf(12, seed=1), leaf(12, seed=2)), wants))
    weight, bias = weight if has_weight else None, bias if has_bias else None
    ours, theirs = layer_norm_pair(1)
    compare(ours, theirs, (x, weight, bias), theirs)
    compare(nt.dyt, composite_dyt, (x, leaf(1, seed=3).detach(), weight, bias))
    if not has_bias:
        compare(*rms_norm_pair(1), (x, weight))


def views(x):
    """[6, 5, 8] each, none contiguous."""
    yield "transposed rows", x.transpose(0, 1)
    yield "every second row", torch.stack([x, x], 1).flatten(0, 1)[::2].transpose(0, 1)
    yield "columns of wider rows", torch.cat([x, x], -1)[..., :8].transpose(0, 1)
    yield "columns not contiguous", x.transpose(0, 1).transpose(1, 2).contiguous().transpose(
        1, 2)
    yield "one row for all", x[:1, :1].expand(6, 5, 8)
    yield "channels last", x.permute(1, 2, 0).contiguous().permute(0, 2, 1)


@pytest.mark.parametrize("index", range(6))
def test_strides(index):
    name, x = list(views(leaf(5, 6, 8).detach()))[index]
    assert not x.is_contiguous(), name
    x = x.detach()
    before = x.clone()
    x.requires_grad_()
    weight, bias = leaf(8, seed=1), leaf(8, seed=2)
    ours, theirs = layer_norm_pair(1)
    compare(ours, theirs, (x, weight, bias))
    assert ours(x, weight, bias).stride() == theirs(x, weight, bias).stride()
    compare(*rms_norm_pair(1), (x, weight))
    compare(nt.dyt, composite_dyt, (x, leaf(1, seed=3), weight, bias))
    assert torch.equal(x, before)


def test_rows_with_gaps_are_not_copied(monkeypatch):
    """Outer dimensions of any strides are read where they are."""
    base = leaf(5, 6, 16).detach()
    x = base[..., :8].transpose(0, 1)
    copies = []
    contiguous = torch.Tensor.contiguous
    monkeypatch.setattr(torch.Tensor, "contiguous",
                        lambda *all, **named: copies.append(1) or contiguous(*all, **named))
    y = nt.layer_norm(x, (8,))
    assert not copies
    nt.layer_norm(x.transpose(1, 2), (6 - 1,))
    assert copies
    assert_close(y, F.layer_norm(x.double(), (8,)))


@pytest.mark.parametrize("make", [
    lambda g: g.sum().expand(4, 6), lambda g: g.t().contiguous().t(),
    lambda g: torch.cat([g, g], 1)[:, :6], lambda g: g.to(torch.float32)], ids=range(4))
def test_strides_of_incoming_gradients(make):
    x, weight = leaf(4, 6), leaf(6, seed=1)
    dy = make(torch.randn(4, 6))
    ours = torch.autograd.grad(nt.layer_norm(x, (6,), weight), (x, weight), dy)
    exact_x, exact_weight = double(x), double(weight)
    theirs = torch.autograd.grad(F.layer_norm(exact_x, (6,), exact_weight),
                                 (exact_x, exact_weight), dy.double())
    for our, their in zip(ours, theirs):
        assert_close(our, their, terms=8, scale=float(dy.abs().max()) * 8)


def test_parameters_that_are_not_contiguous():
    weight = leaf(8, 2).detach()[:, 0].requires_grad_()
    bias = torch.zeros(1).expand(8).detach().requires_grad_()
    ours, theirs = layer_norm_pair(1)
    compare(ours, theirs, (leaf(3, 8), weight, bias))


@pytest.mark.parametrize("shape", [(0, 8), (4, 0, 8), (0, 0, 8)], ids=str)
def test_no_rows(shape):
    weight, bias, alpha = leaf(8), leaf(8), leaf(1)
    for function, tensors in ((layer_norm_pair(1)[0], (leaf(*shape), weight, bias)),
                              (rms_norm_pair(1)[0], (leaf(*shape), weight)),
                              (nt.dyt, (leaf(*shape), alpha, weight, bias))):
        y = function(*tensors)
        assert y.shape == shape
        for tensor, gradient in zip(tensors, torch.autograd.grad(y.sum(), tensors)):
            assert gradient.shape == tensor.shape and not gradient.any()


def test_no_columns():
    weight, bias = leaf(0), leaf(0)
    for ours, theirs, tensors in ((*layer_norm_pair(1), (leaf(2, 0), weight, bias)),
                                  (*rms_norm_pair(1), (leaf(2, 0), weight))):
        y = ours(*tensors)
        assert y.shape == (2, 0) and y.stride() == theirs(*tensors).stride()
        for tensor, gradient in zip(tensors, torch.autograd.grad(y.sum(), tensors)):
            assert gradient.shape == tensor.shape
    alpha = leaf(1)
    assert torch.autograd.grad(nt.dyt(leaf(2, 0), alpha, weight).sum(), alpha)[0].item() == 0


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_default_epsilon_of_rms_norm(dtype):
    # So small that epsilon decides.
    x = torch.full((2, 8), 1e-3, dtype=dtype)
    torch.testing.assert_close(nt.rms_norm(x, (8,)), F.rms_norm(x, (8,)))


def test_epsilon_is_taken():
    x = torch.full((1, 4), 1e-3)
    x[0, 0] = -1e-3
    for eps in (0.0, 1e-12, 1e-3, 1):
        torch.testing.assert_close(nt.layer_norm(x, (4,), eps=eps),
                                   F.layer_norm(x, (4,), eps=eps))


@pytest.mark.parametrize("function, shapes", [
    (lambda x, w, b: nt.layer_norm(x, (5,), w, b), ((3, 2, 5), (5,), (5,))),
    (lambda x, w, b: nt.layer_norm(x, (2, 5), w, b), ((3, 2, 5), (2, 5), (2, 5))),
    (lambda x, w: nt.rms_norm(x, (5,), w), ((3, 2, 5), (5,))),
    (nt.dyt, ((3, 2, 5), (1,), (5,), (5,))),
    (nt.dynamic_erf, ((3, 2, 5), (1,), (1,), (5,), (5,)))], ids=range(5))
def test_gradcheck(function, shapes):
    tensors = [leaf(*shape, dtype=torch.float64, seed=seed)
               for seed, shape in enumerate(shapes)]
    assert torch.autograd.gradcheck(function, tensors)


@pytest.mark.parametrize("function, name", [
    (lambda x: nt.layer_norm(x, (8,)), "layer_norm_backward"),
    (lambda x: nt.rms_norm(x, (8,)), "rms_norm_backward"),
    (lambda x: nt.dyt(x, torch.ones(1)), "dyt_backward")], ids=range(3))
def test_double_backward_is_refused(function, name):
    x = leaf(3, 8)
    gradient, = torch.autograd.grad(function(x).square().sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match=f"{name} has no derivative .double backward."):
        gradient.sum().backward()


@pytest.mark.parametrize("function", (
    lambda x: nt.layer_norm(x, (8,)),
    lambda x: nt.rms_norm(x, (8,)),
    lambda x: nt.dyt(x, torch.ones(1))), ids=range(3))
def test_forward_mode_is_refused(function):
    x = torch.randn(3, 8)
    said = "no forward-mode derivative"
    with torch.autograd.forward_ad.dual_level():
        function(x)  # without a tangent
        with pytest.raises(RuntimeError, match=said):
            function(torch.autograd.forward_ad.make_dual(x, x))
    with pytest.raises(RuntimeError, match=said):
        torch.func.jvp(function, (x,), (x,))


@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_vmap():
    x = leaf(4, 3, 8)
    y = torch.func.vmap(lambda row: nt.layer_norm(row, (8,)))(x)
    exact = F.layer_norm(x, (8,))
    assert torch.allclose(y, exact, atol=1e-5)
    assert torch.allclose(*(torch.autograd.grad(each.pow(3).sum(), x)[0] for each in (y, exact)),
                          atol=1e-4)


def test_negative_views():
    """Of these, as of the imaginary part of a conjugate, memory holds the opposite."""
    x, weight = leaf(3, 8), leaf(8, seed=1)
    dy = torch.randn(3, 8)
    view = torch.randn(3, 8, dtype=torch.complex64).conj().imag
    assert view.is_neg()
    with torch.no_grad():
        assert torch.equal(nt.rms_norm(view, (8,)), nt.rms_norm(view.resolve_neg(), (8,)))
        assert torch.equal(nt.rms_norm(x, (8,), torch._neg_view(weight)),
                           nt.rms_norm(x, (8,), -weight))
    y = nt.layer_norm(x, (8,), weight)
    found = torch.autograd.grad(y, (x, weight), torch._neg_view(dy), retain_graph=True)
    expected = torch.autograd.grad(y, (x, weight), -dy)
    assert all(map(torch.equal, found, expected))


def test_autocast_on_the_host_is_as_torch(monkeypatch):
    x, weight = leaf(3, 8, dtype=torch.bfloat16), leaf(8)
    for enabled in (True, False):
        with torch.autocast("cpu", torch.bfloat16, enabled=enabled):
            assert nt.layer_norm(x, (8,), weight).dtype is F.layer_norm(x, (8,), weight).dtype
            assert nt.rms_norm(x, (8,), weight).dtype is F.rms_norm(x, (8,), weight).dtype
            assert nt.dyt(x, leaf(1), weight).dtype is torch.bfloat16


@pytest.mark.parametrize("op, pair", [("layer_norm", layer_norm_pair(1)),
                                      ("rms_norm", rms_norm_pair(1))])
def test_autocast_in_float32(op, pair, monkeypatch):
    """Where torch's autocast runs the op in float32, as on CUDA: y is float32, x is read as
    it is, and its gradient has its type."""
    from normc.torch import _functions

    # torch before 2.12 or so leaves rms_norm as it is.
    assert op == "rms_norm" or "cuda" in _functions._AUTOCAST_IN_F32[op]
    monkeypatch.setitem(_functions._AUTOCAST_IN_F32, op, ("cpu",))
    weights = [leaf(8, seed=seed) for seed in (1, 2)][:1 if op == "rms_norm" else 2]
    for dtype, expected in ((torch.bfloat16, torch.float32), (torch.float16, torch.float32),
                            (torch.float32, torch.float32), (torch.float64, torch.float64)):
        with torch.autocast("cpu", torch.bfloat16):
            x = leaf(3, 8, dtype=dtype)
            assert pair[0](x, *weights).dtype is expected
            compare(*pair, (x, *weights))
        assert pair[0](x, *weights).dtype is dtype


def test_results_are_the_same_with_any_number_of_threads():
    x, weight, bias = leaf(3000, 24), leaf(24, seed=1), leaf(24, seed=2)
    before, found = torch.get_num_threads(), []
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            y = nt.layer_norm(x, (24,), weight, bias)
            found.append([y, *torch.autograd.grad(y.square().sum(), (x, weight, bias))])
    finally:
        torch.set_num_threads(before)
    for other in found[1:]:
        assert all(torch.equal(a, b) for a, b in zip(found[0], other))


def test_threads_of_python(forgotten):
    x, weight = leaf(64, 48), leaf(48, seed=1)
    expected = torch.autograd.grad(nt.layer_norm(x, (48,), weight).square().sum(), x)[0]
    forgotten.clear()
    found = []

    def work():
        for _ in range(20):
            found.append(torch.autograd.grad(
                nt.layer_norm(x, (48,), weight).square().sum(), x)[0])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 160 and all(torch.equal(each, expected) for each in found)


def test_one_entry_serves_every_batch(forgotten):
    from normc.torch import _launch

    for rows in (1, 2, 77):
        nt.layer_norm(torch.randn(rows, 8), (8,))
        nt.layer_norm(torch.randn(rows, 3, 8), (8,))
        nt.layer_norm(torch.randn(rows, 2, 4), (2, 4))
    assert len(_launch._entries) == 1
    nt.layer_norm(torch.randn(2, 8), (8,), eps=1e-3)
    assert len(_launch._entries) == 2


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_large_means_and_constant_rows(dtype):
    x = (torch.randn(4, 512) + 100).to(dtype)
    x[0] = 3
    weight, bias = torch.ones(512), torch.full((512,), 0.25)
    y = nt.layer_norm(x, (512,), weight, bias)
    assert_close(y, F.layer_norm(x.double(), (512,), weight.double(), bias.double()))
    assert bool((y[0] == 0.25).all())
