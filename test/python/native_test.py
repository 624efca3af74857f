"""The package without torch: compile, load, launch, folders of packages, processes."""
import array
import os
import stat
import subprocess
import sys
import threading
import time

import normc
import pytest

RMS = normc.Norm("rms_norm", shape=(-1, 2), x="f32", y="f32")
EXPECTED = [0.848528, 1.131371]


def launch(entry, values=(3, 4), outer=None):
    x = array.array("f", values)
    y = array.array("f", [0] * len(values))
    outer = (len(values) // 2,) if outer is None else outer
    entry.launch(outer, (x.buffer_info()[0], y.buffer_info()[0]), None, 0, 0, 0)
    return list(y)


def test_compiles_and_launches(forgotten):
    entry = normc.entry(RMS)
    assert entry.name == "rms_norm" and entry.params == ("x", "y")
    assert launch(entry) == pytest.approx(EXPECTED, rel=1e-6)
    assert normc.entry(RMS) is entry


def test_ir_text():
    package = normc.compile("""
        func.func @f(%x: memref<?x2xf32>, %y: memref<?x2xf32>) {
          norm.rms_norm x(%x : memref<?x2xf32>) outs y(%y : memref<?x2xf32>) epsilon = 0.0
          return
        }""")
    entry = normc.load(package, "host:1")
    assert entry.name == "f"
    assert launch(entry) == pytest.approx(EXPECTED, rel=1e-6)


def test_strides():
    entry = normc.entry(RMS, "host:1")
    x = array.array("f", [3, 4, -1, -1, 6, 8])
    y = array.array("f", [0] * 4)
    entry.launch((2,), (x.buffer_info()[0], y.buffer_info()[0]), ((4,), None), 0, 0, 0)
    assert list(y) == pytest.approx(EXPECTED * 2, rel=1e-6)


def test_names_differ():
    norms = [RMS, normc.Norm("rms_norm", shape=(-1, 2), x="f32", y="bf16")]
    norms += [normc.Norm("rms_norm", shape=(-1, 2), x="f32", y="f32", epsilon=eps)
              for eps in (1e-5, 1e-5 + 1e-20)]
    norms.append(normc.Norm("rms_norm", shape=(-1, -1, 2), x="f32", y="f32"))
    assert len({norm.name for norm in norms}) == len(norms)
    assert all("/" not in norm.name and len(norm.name) < 200 for norm in norms)


@pytest.mark.parametrize("norm, error, said", [
    (normc.Norm("l2"), ValueError, 'op: expected one of "layer_norm"'),
    (normc.Norm("rms_norm", x="f8"), ValueError, 'x: expected one of "f16"'),
    (normc.Norm("rms_norm", x="f32"), normc.Error, "expected a result"),
    (normc.Norm("rms_norm", x="f32", y="f32", epsilon=-1.0), normc.Error, '"epsilon"'),
    (normc.Norm("rms_norm", x="f32", y="f32", bias="f32"), normc.Error, '"bias"'),
    (normc.Norm("rms_norm", shape=(-1, 0), x="f32", y="f32"), normc.Error, '"shape"'),
    (normc.Norm("rms_norm", shape="ab", x="f32", y="f32"), TypeError, "shape: expected"),
    (normc.Norm("rms_norm", shape=(), x="f32", y="f32"), ValueError, "shape: expected 1"),
    (normc.Norm("rms_norm", norm_dims=0, x="f32", y="f32"), ValueError, "norm_dims: expected"),
    (normc.Norm("rms_norm", norm_dims=2**32 + 1, x="f32", y="f32"), ValueError,
     "norm_dims: expected"),
    (normc.Norm("rms_norm", x=3, y="f32"), TypeError, "x: expected"),
    (normc.Norm("rms_norm", x="f32", y="f32", epsilon="1"), TypeError,
     "epsilon: expected a number, but got str"),
    (normc.Norm("rms_norm", x="f32", y="f32", epsilon=10**400), OverflowError, "epsilon: expected"),
    (normc.Norm("rms_norm", norm_dims="a", x="f32", y="f32"), TypeError,
     "norm_dims: expected an int, but got str"),
    (normc.Norm("rms_norm", norm_dims=2**70, x="f32", y="f32"), OverflowError,
     "norm_dims: expected"),
    (normc.Norm("rms_norm", shape=(-1, "a"), x="f32", y="f32"), TypeError,
     "shape: expected an int, but got str"),
    (normc.Norm("rms_norm", x="f32", y="f32", cast="x"), ValueError, "cast: expected"),
])
def test_bad_norms(norm, error, said):
    with pytest.raises(error, match=said):
        normc.entry(norm)


def test_bad_ir_says_where():
    with pytest.raises(normc.Error, match="source:1:1") as raised:
        normc.compile("foo")
    assert raised.value.status == "invalid_source"


def test_bad_targets():
    with pytest.raises(normc.Error) as raised:
        normc.compile(RMS, ("abacus",))
    assert raised.value.status == "unknown_target"
    with pytest.raises(normc.Error):
        normc.compile(RMS, ())


def test_bad_packages():
    with pytest.raises(normc.Error, match="corrupted"):
        normc.load(b"no package")
    whole = normc.compile(RMS)
    for damaged in (whole[:-1], whole[:200], whole[:300] + b"\xff" + whole[301:]):
        with pytest.raises(normc.Error):
            normc.load(damaged)
    with pytest.raises(TypeError):
        normc.load("text")
    with pytest.raises(normc.Error, match="not_found|invalid_argument"):
        normc.load(whole, "abacus")


@pytest.mark.parametrize("arguments, error, said", [
    (((1,), (1,), None, 0, 0, 0), ValueError, "expected 2 tensors"),
    (((), (1, 1), None, 0, 0, 0), ValueError, "expected a size"),
    (((1,), (0, 0), None, 0, 0, 0), normc.Error, "invalid_argument|misaligned"),
    (((1,), (0, 0), None, 0, 0), TypeError, "expected 6 arguments"),
    ((1, (0, 0), None, 0, 0, 0), TypeError, "outer: expected a tuple"),
    (((1,), (64, 64), ((1, 1, 1), None), 0, 0, 0), ValueError, "stride"),
    (((1,), (64, 64), (None,), 0, 0, 0), ValueError, "strides"),
    (((-1,), (64, 64), None, 0, 0, 0), normc.Error, "expected"),
    (((1,), (64, 64), None, 0, 0, 0), normc.Error, "overlap"),
    (((1,), (64, 128), None, 0, 3, 16), normc.Error, "misaligned"),
])
def test_bad_launches(arguments, error, said):
    with pytest.raises(error, match=said):
        normc.entry(RMS, "host:1").launch(*arguments)


def test_folder_of_packages(forgotten, tmp_path):
    normc.save_packages(tmp_path / "saved", ("host",))
    entry = normc.entry(RMS)
    path = tmp_path / "saved" / (RMS.name + ".nrmk")
    assert path.exists()
    # A process that cannot compile finds it there.
    program = f"""
import sys
sys.modules["normc._compiler"] = None
import normc
sys.path.insert(0, {str(os.path.dirname(__file__))!r})
from native_test import RMS, launch
print(launch(normc.entry(RMS)))
try:
    normc.entry(normc.Norm("rms_norm", shape=(-1, 3), x="f32", y="f32"))
except normc.Error as error:
    print(error)
"""
    environment = dict(os.environ, NORMC_PACKAGES=str(tmp_path / "saved"))
    ran = subprocess.run([sys.executable, "-c", program], env=environment, text=True,
                         capture_output=True)
    assert ran.returncode == 0, ran.stderr
    numbers, message = ran.stdout.splitlines()
    assert numbers == str(launch(entry))
    assert "libnormc" in message and "NORMC_PACKAGES" in message


def test_saves_what_was_asked_for_before(forgotten, tmp_path):
    normc.entry(RMS)
    normc.save_packages(tmp_path, ("host",))
    assert [path.name for path in tmp_path.iterdir()] == [RMS.name + ".nrmk"]


def test_damaged_package_in_folder_is_named(forgotten, tmp_path):
    (tmp_path / (RMS.name + ".nrmk")).write_bytes(b"no package")
    normc.load_packages(tmp_path)
    with pytest.raises(normc.Error, match=RMS.name):
        normc.entry(RMS)


def test_no_folder():
    with pytest.raises(FileNotFoundError, match="no-such"):
        normc.load_packages("/no-such-folder")


def test_cache_that_cannot_be_written(forgotten, tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    folder.mkdir()
    (folder / "normc").write_text("a file where a folder is wanted")
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    monkeypatch.setenv("NORMC_CACHE_DIRECTORY", str(folder / "normc"))
    assert launch(normc.entry(RMS)) == pytest.approx(EXPECTED, rel=1e-6)


def test_threads(forgotten):
    results, errors = [], []

    def work(index):
        try:
            norm = normc.Norm("rms_norm", shape=(-1, 2 * (index % 3 + 1)), x="f32", y="f32")
            entry = normc.entry(norm)
            for _ in range(50):
                results.append(launch(entry, (3, 4) * (index % 3 + 1), (1,))[:2])
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(results) == 600
    assert all(result == pytest.approx(EXPECTED, rel=1e-6) for result in results)


def test_fork():
    entry = normc.entry(RMS, "host:2")
    many = (3, 4) * 4096
    expected = launch(entry, many)
    child = os.fork()
    if child == 0:
        # The parent's entry has none of its threads here; a new one has its own.
        good = normc.entry(RMS, "host:2") is not entry
        good = good and launch(normc.entry(RMS, "host:2"), many) == expected
        os._exit(0 if good else 1)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.02)
    else:
        os.kill(child, 9)
        os.waitpid(child, 0)
        pytest.fail("the child did not end")
    assert status == 0
    assert launch(entry, many) == expected


def test_launch_cost():
    """Not a benchmark: a launch that allocates or looks things up anew would be past it."""
    entry = normc.entry(RMS, "host:1")
    x, y = array.array("f", [3, 4]), array.array("f", [0, 0])
    addresses = (x.buffer_info()[0], y.buffer_info()[0])
    best = float("inf")
    for _ in range(20):
        began = time.thread_time()
        for _ in range(500):
            entry.launch((1,), addresses, None, 0, 0, 0)
        best = min(best, (time.thread_time() - began) / 500)
    print(f"a launch from Python: {best * 1e6:.2f} us")
    assert best < 10e-6
