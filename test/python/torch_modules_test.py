"""The modules, and putting them into a model."""
import copy
import io

import normc.torch as nt
import pytest
import torch
from torch import nn


def block():
    torch.manual_seed(0)
    return nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)


class OwnNorm(nn.LayerNorm):
    def forward(self, x):
        return x


def test_replaces_in_a_model():
    model = nn.ModuleDict({"block": block(), "norm": nn.RMSNorm(16), "own": OwnNorm(16)})
    expected = copy.deepcopy(model)
    parameters = list(model.parameters())
    seen = []
    model["norm"].register_forward_hook(lambda *_: seen.append(1))
    assert nt.replace_norms(model) is model
    assert type(model["block"].norm1) is nt.LayerNorm
    assert type(model["norm"]) is nt.RMSNorm
    assert type(model["own"]) is OwnNorm
    assert all(a is b for a, b in zip(parameters, model.parameters()))
    assert list(model.state_dict()) == list(expected.state_dict())
    assert repr(model["norm"]) == repr(expected["norm"])
    x = torch.randn(3, 5, 16)
    for each in (model, expected):
        each["norm"](each["block"](x)).square().mean().backward()
    assert seen
    for ours, theirs in zip(model.parameters(), expected.parameters()):
        if theirs.grad is not None:
            torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-4, atol=1e-6)
    nt.replace_norms(model)
    assert type(model["norm"]) is nt.RMSNorm


def test_replaces_the_model_itself():
    assert type(nt.replace_norms(nn.LayerNorm(4))) is nt.LayerNorm


def test_trains_as_torch():
    losses = []
    for replace in (False, True):
        model = nn.Sequential(block(), nn.RMSNorm(16), nn.Linear(16, 1))
        if replace:
            nt.replace_norms(model)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
        generator = torch.Generator().manual_seed(1)
        x = torch.randn(8, 5, 16, generator=generator)
        losses.append([])
        for _ in range(20):
            loss = (model(x).squeeze(-1) - x.mean(-1)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses[-1].append(loss.item())
    assert losses[1] == pytest.approx(losses[0], rel=1e-3)
    assert losses[1][-1] < losses[1][0] / 2


@pytest.mark.parametrize("ours, theirs, options", [
    (nt.LayerNorm, nn.LayerNorm, {}),
    (nt.LayerNorm, nn.LayerNorm, {"bias": False}),
    (nt.LayerNorm, nn.LayerNorm, {"elementwise_affine": False}),
    (nt.LayerNorm, nn.LayerNorm, {"eps": 1e-2, "dtype": torch.bfloat16}),
    (nt.RMSNorm, nn.RMSNorm, {}),
    (nt.RMSNorm, nn.RMSNorm, {"elementwise_affine": False, "eps": 1e-2}),
], ids=range(6))
@pytest.mark.parametrize("shape", (8, (4, 8)), ids=str)
def test_state_is_torch_s(ours, theirs, options, shape):
    our, their = ours(shape, **options), theirs(shape, **options)
    assert {k: (v.shape, v.dtype) for k, v in our.state_dict().items()} == {
        k: (v.shape, v.dtype) for k, v in their.state_dict().items()}
    their.load_state_dict(our.state_dict())
    our.load_state_dict(their.state_dict())
    assert our.extra_repr() == their.extra_repr()
    x = torch.randn(3, 4, 8, dtype=options.get("dtype"))
    torch.testing.assert_close(our(x), their(x))


@pytest.mark.parametrize("make, names", [
    (nt.DyT, ["alpha", "weight", "bias"]),
    (nt.DynamicErf, ["alpha", "weight", "bias", "shift"]),
    (lambda shape: nt.DyT(shape, bias=False), ["alpha", "weight"]),
    (lambda shape: nt.DynamicErf(shape, elementwise_affine=False), ["alpha", "shift"]),
], ids=range(4))
def test_parameters_of_dynamic_activations(make, names):
    module = make(8)
    assert sorted(dict(module.named_parameters())) == sorted(names)
    x = torch.randn(2, 3, 8)
    expected = torch.erf(0.5 * x) if isinstance(module, nt.DynamicErf) else torch.tanh(0.5 * x)
    torch.testing.assert_close(module(x), expected)
    with pytest.raises(RuntimeError, match="expected"):
        module(torch.randn(2, 7))
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    make(8).load_state_dict(torch.load(file))
    module.to(torch.bfloat16)
    assert module(x.bfloat16()).dtype is torch.bfloat16
    assert copy.deepcopy(module).reset_parameters() is None


def test_initial_values():
    module = nt.DynamicErf((2, 4), alpha_init=0.25, shift_init=-1.0)
    assert module.alpha.item() == 0.25 and module.shift.item() == -1.0
    assert module.weight.shape == (2, 4)
    assert bool((module.weight == 1).all()) and bool((module.bias == 0).all())


def test_pickles():
    module = torch.nn.Sequential(nt.LayerNorm(4), nt.DyT(4))
    file = io.BytesIO()
    torch.save(module, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    x = torch.randn(2, 4)
    assert torch.equal(loaded(x), module(x))
