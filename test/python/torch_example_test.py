"""examples/torch/train.py runs, small, and both models come to the same losses."""
import json
import os
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples/torch/train.py"


def test_trains(tmp_path):
    report = tmp_path / "report.json"
    ran = subprocess.run(
        [sys.executable, str(EXAMPLE), "--device", "cpu", "--batch", "2", "--patches", "4",
         "--steps", "4", "--rows", "32", "--sets", "1", "--precision", "f32,bf16",
         "--json", str(report)], text=True, capture_output=True, env=os.environ)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    numbers = json.loads(report.read_text())
    # One unit in the last place of bf16 is 1/64 of a loss of 2 to 4.
    for precision, allowed in (("f32", 1e-4), ("bf16", 1 / 16)):
        both = numbers[precision]
        assert len(both["torch"]["losses"]) == 4
        assert both["largest_difference"] < allowed, ran.stdout
    assert len(numbers["backward torch.bfloat16"]) == 4
