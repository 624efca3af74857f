"""The examples of docs/python.md run, one after the other in one program, as they stand."""
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/python.md"


def test_examples(forgotten, tmp_path, monkeypatch, capsys):
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == 4 and len(examples[0].splitlines()) == 3
    monkeypatch.chdir(tmp_path)
    names = {}
    for index, example in enumerate(examples):
        exec(compile(example, f"{PAGE.name}, example {index}", "exec"), names)
    import normc.torch

    assert type(names["model"].norm1) is normc.torch.LayerNorm
    assert len(list((tmp_path / "packages").iterdir())) >= 1
    assert names["y"].flatten().tolist() == pytest.approx([0.848528, 1.131371], rel=1e-5)
    assert "0.8485" in capsys.readouterr().out
