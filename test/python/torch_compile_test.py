"""torch.compile, fake tensors and what else looks at ops."""
import os
import shutil

import normc.torch as nt
import pytest
import torch
import torch._dynamo.testing
from torch import nn
from torch_common import leaf

ops = torch.ops.normc
INDUCTOR = pytest.mark.skipif(shutil.which(os.environ.get("CXX", "g++")) is None,
                              reason="inductor needs a C++ compiler ($CXX, g++)")


def small_model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nt.LayerNorm(16), nn.GELU(), nt.DyT(16),
                         nn.Linear(16, 16), nt.RMSNorm(16), nt.DynamicErf(16),
                         nn.Linear(16, 3))


def step(model, parameters, x):
    loss = model(x).square().mean()
    return loss, torch.autograd.grad(loss, parameters)


@pytest.fixture(autouse=True)
def fresh_dynamo():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.mark.parametrize("backend", ("aot_eager", pytest.param("inductor", marks=INDUCTOR)))
def test_no_graph_break(backend):
    model = small_model()
    parameters = list(model.parameters())
    compiled = torch.compile(model, fullgraph=True, backend=backend)
    for rows in (4, 9):
        x = torch.randn(rows, 8)
        loss, gradients = step(compiled, parameters, x)
        expected_loss, expected = step(model, parameters, x)
        torch.testing.assert_close(loss, expected_loss)
        torch.testing.assert_close(gradients, expected)


def test_ops_are_in_the_graph():
    graphs = []

    def backend(module, _):
        graphs.append(module)
        return module

    torch.compile(small_model(), fullgraph=True, backend=backend)(torch.randn(4, 8))
    called = {str(node.target) for node in graphs[0].graph.nodes}
    assert len(graphs) == 1
    assert {"normc.layer_norm.default", "normc.rms_norm.default",
            "normc.dyt.default"} <= called


def test_dynamic_rows_compile_once():
    counter = torch._dynamo.testing.CompileCounterWithBackend("aot_eager")
    function = torch.compile(lambda x: nt.layer_norm(x, (8,)), fullgraph=True, dynamic=True,
                             backend=counter)
    function(torch.randn(3, 8))
    compiled = counter.frame_count
    for rows in (4, 7):
        x = torch.randn(rows, 8)
        torch.testing.assert_close(function(x), nt.layer_norm(x, (8,)))
    assert counter.frame_count == compiled


def test_strides_of_fake_results():
    x = torch.randn(5, 6, 8).transpose(0, 1)
    compiled = torch.compile(lambda x: nt.layer_norm(x, (8,)), fullgraph=True,
                             backend="aot_eager")
    assert compiled(x).stride() == nt.layer_norm(x, (8,)).stride()


def test_double_backward_is_refused():
    x = leaf(3, 8)
    compiled = torch.compile(lambda x: nt.layer_norm(x, (8,)).square(), fullgraph=True,
                             backend="aot_eager")
    with pytest.raises(RuntimeError):
        gradient, = torch.autograd.grad(compiled(x).sum(), x, create_graph=True)
        gradient.sum().backward()


def test_meta_tensors():
    x = torch.empty(4, 8, device="meta", requires_grad=True)
    y = nt.layer_norm(x, (8,))
    y.sum().backward()
    assert y.device.type == "meta" and x.grad.shape == x.shape


@pytest.mark.filterwarnings("ignore:.*torch.jit")
@pytest.mark.parametrize("gradient", [False, True])
def test_a_trace_of_jit_holds_the_launch(gradient):
    layer = nt.LayerNorm(8).requires_grad_(gradient)
    traced = torch.jit.trace(layer, leaf(4, 8).detach())
    x = leaf(6, 8, seed=1).detach()
    assert torch.equal(traced(x), layer(x))
    with torch.no_grad():
        traced = torch.jit.trace(layer, x)
    gradients = []
    for function in (traced, layer):
        leaf_x = x.clone().requires_grad_()
        gradients += torch.autograd.grad(function(leaf_x).square().sum(), leaf_x)
    assert torch.equal(*gradients)


def test_fake_mode():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        y = nt.rms_norm(torch.empty(4, 8), (8,))
        assert y.shape == (4, 8)


@pytest.mark.parametrize("op, arguments", [
    (ops.layer_norm, (leaf(4, 8), leaf(8, seed=1), leaf(8, seed=2), 1, 1e-5, torch.float32,
                      True)),
    (ops.layer_norm, (leaf(4, 2, 4), leaf(2, 4), None, 2, 1e-5, torch.bfloat16, True)),
    (ops.layer_norm, (leaf(4, 8).detach(), None, None, 1, 1e-5, torch.float32, False)),
    (ops.rms_norm, (leaf(4, 8), leaf(8, seed=1), 1, 1e-5, torch.float32, True)),
    (ops.dyt, (leaf(4, 8), leaf(1), None, leaf(8, seed=1), None, 1, "tanh")),
    (ops.dyt, (leaf(4, 8), leaf(1), leaf(1), leaf(8, seed=1), leaf(8), 1, "erf")),
], ids=range(6))
def test_opcheck(op, arguments):
    torch.library.opcheck(op.default, arguments)
