"""Bad arguments: an error of torch's type that says what was expected and what came."""
import normc.torch as nt
import pytest
import torch
from torch.nn import functional as F

X = torch.randn(3, 5)
W = torch.ones(5)
META = torch.ones(5, device="meta")

# Calls that torch refuses: (arguments, words that the message has).
BAD = [
    ((X, (4,)), "end in the normalized shape"),
    ((X, (3, 3, 5)), "end in the normalized shape"),
    ((torch.zeros(()), (1,)), "end in the normalized shape"),
    ((X, 5), "tuple or list"),
    ((X, ()), "at least one"),
    ((X, (5.0,)), "ints"),
    ((X, ("5",)), "ints"),
    ((X[:, :1], (True,)), "ints"),
    (([1.0], (1,)), "x to be a Tensor"),
    ((None, (1,)), "x to be a Tensor"),
    ((X.int(), (5,)), "float16, bfloat16"),
    ((X, (5,), torch.ones(4)), "weight of the normalized shape"),
    ((X, (5,), torch.ones(1, 5)), "weight of the normalized shape"),
    ((X, (5,), [1.0] * 5), "weight to be a Tensor"),
    ((X, (5,), META), "weight on cpu"),
]
LAYER_NORM_ONLY = [
    ((X.cfloat(), (5,)), "float16, bfloat16"),
    ((X, (5,), W, torch.ones(4)), "bias of the normalized shape"),
    ((X, (5,), W, 1.0), "bias to be a Tensor"),
    ((X, (5,), W, META), "bias on cpu"),
    ((X, (5,), W, W, "1e-5"), "eps to be a float"),
    ((X, (5,), W, W, None), "eps to be a float"),
    ((X, (5,), W.int()), "float16, bfloat16"),
]


def check(ours, theirs, arguments, said):
    with pytest.raises(Exception) as torch_raises:
        theirs(*arguments)
    with pytest.raises(torch_raises.type, match=said) as raised:
        ours(*arguments)
    assert "expected" in str(raised.value) and "but got" in str(raised.value)


@pytest.mark.parametrize("index", range(len(BAD + LAYER_NORM_ONLY)))
def test_layer_norm(index):
    check(nt.layer_norm, F.layer_norm, *(BAD + LAYER_NORM_ONLY)[index])


@pytest.mark.parametrize("index", range(len(BAD)))
def test_rms_norm(index):
    check(nt.rms_norm, F.rms_norm, *BAD[index])


@pytest.mark.parametrize("eps", (-1.0, float("nan"), float("inf")))
def test_epsilon_out_of_range(eps):
    for function in (lambda: nt.layer_norm(X, (5,), eps=eps),
                     lambda: nt.rms_norm(X, (5,), eps=eps)):
        with pytest.raises(ValueError, match="finite and at least 0"):
            function()


@pytest.mark.parametrize("arguments, error, said", [
    ((X, 0.5, W), TypeError, "alpha to be a Tensor"),
    ((X, torch.ones(2), W), RuntimeError, "alpha to have one element"),
    ((X, torch.ones(1, dtype=torch.int64), W), NotImplementedError, "float16"),
    ((X, torch.ones(1, device="meta"), W), RuntimeError, "alpha on cpu"),
    ((X, torch.ones(1), torch.ones(4)), RuntimeError, "weight of the normalized shape"),
    ((X, torch.ones(1), torch.ones(())), RuntimeError, "last dimensions"),
    ((X, torch.ones(1), torch.ones(2, 3, 5)), RuntimeError, "last dimensions"),
    ((X, torch.ones(1), W, torch.ones(4)), RuntimeError, "bias of the normalized shape"),
    ((X, torch.ones(1), 2.0), TypeError, "weight to be a Tensor"),
    (([1.0], torch.ones(1)), TypeError, "x to be a Tensor"),
    ((torch.ones(()), torch.ones(1)), RuntimeError, "last dimensions"),
    ((X.int(), torch.ones(1)), NotImplementedError, "float16"),
])
def test_dyt(arguments, error, said):
    with pytest.raises(error, match=said):
        nt.dyt(*arguments)


def test_dynamic_erf_needs_a_shift():
    with pytest.raises(TypeError, match="shift to be a Tensor"):
        nt.dynamic_erf(X, torch.ones(1), None)


@pytest.mark.parametrize("weight, dims, expected", [
    (torch.ones(7), 1, r"expected weight of shape \[8\], but got \[7\]"),
    (None, 0, "expected dims to be 1 to 2"),
    (None, 3, "expected dims to be 1 to 2"),
])
def test_the_ops_check_what_they_are_called_with(weight, dims, expected):
    x = torch.randn(3, 8)
    with pytest.raises(RuntimeError, match=expected):
        torch.ops.normc.layer_norm(x, weight, None, dims, 1e-5, x.dtype, False)


def test_the_backward_ops_check_statistics_and_scalars():
    x, row = torch.randn(3, 8), torch.ones(8)
    with pytest.raises(RuntimeError, match=r"expected rstd of shape \[3\], but got \[2\]"):
        torch.ops.normc.rms_norm_backward(x, x, torch.ones(2), row, 1, [True, True])
    with pytest.raises(RuntimeError, match="expected alpha of one element, but got 2"):
        torch.ops.normc.dyt(x, torch.ones(2), None, row, None, 1, "tanh")
