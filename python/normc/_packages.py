"""Packages: compiled, found in folders, and loaded on devices.

An entry, once loaded, is kept; one is asked for by a norm and a device. Where it comes
from: a folder of packages that was named (``load_packages`` or $NORMC_PACKAGES), else the
compiler, which has a cache of its own in memory and on disk.
"""
import atexit
import importlib.util
import os
import shutil
import tempfile
import threading
from pathlib import Path

from normc import _runtime
from normc._norm import Norm

_lock = threading.RLock()
_devices = {}
_entries = {}
_compiler = None
_folders = []
_saving = []  # (folder, targets)

SUFFIX = ".nrmk"


def _ptxas():
    """The assembler of CUDA kernels: $NORMC_PTXAS; None leaves it to libnormc, which looks
    where a toolkit puts it; else that of Triton, which comes with torch."""
    named = os.environ.get("NORMC_PTXAS")
    toolkit = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin/ptxas")
    if named or shutil.which("ptxas") or toolkit.exists():
        return named
    triton = importlib.util.find_spec("triton")
    for folder in triton.submodule_search_locations or () if triton else ():
        path = Path(folder, "backends/nvidia/bin/ptxas")
        if os.access(path, os.X_OK):
            return str(path)
    return None


def _get_compiler():
    global _compiler
    with _lock:
        if _compiler is None:
            try:
                from normc import _compiler as native
            except ImportError as error:
                raise _runtime.Error(
                    "expected libnormc to compile a norm that no folder of packages has "
                    f"(normc.load_packages, $NORMC_PACKAGES), but it cannot be loaded: {error}"
                ) from error
            _compiler = native.create(
                int(os.environ.get("NORMC_THREADS", "0")),
                os.environ.get("NORMC_CACHE_DIRECTORY"),
                _ptxas(),
            )
        return _compiler


def compile(norm, targets=("host",)):
    """The bytes of a package: of a ``Norm``, or of MLIR text."""
    source = norm.fields() if isinstance(norm, Norm) else norm
    return _get_compiler().compile(source, tuple(targets))[0]


def _device(name):
    with _lock:
        if name not in _devices:
            _devices[name] = _runtime.open_device(name)
        return _devices[name]


def load(package, device="host"):
    """The first entry of a package, on a device: "host", "host:4", "cuda:0"."""
    return _runtime.load(_device(device), package)


def entry(norm, device="host"):
    """The entry of a norm on a device; compiled the first time that it is asked for."""
    key = (norm, device)
    found = _entries.get(key)
    if found is not None:
        return found
    found = _from_folders(norm, device)
    if found is None:
        target = "host" if device.startswith("host") else "cuda:" + _device(device).architecture
        found = load(compile(norm, (target,)), device)
    for folder, targets in _saving:
        _save(norm, folder, targets)
    with _lock:
        return _entries.setdefault(key, found)


def _from_folders(norm, device):
    for folder in _folders:
        path = folder / (norm.name + SUFFIX)
        if not path.exists():
            continue
        try:
            return load(path.read_bytes(), device)
        except _runtime.Error as error:
            # A folder may hold packages for other devices only.
            if error.status != "architecture_mismatch":
                raise _runtime.Error(f"{path}: {error}") from error
    return None


def load_packages(folder):
    """From here on, norms are looked for in a folder that ``save_packages`` filled."""
    path = Path(folder)
    if not path.is_dir():
        raise FileNotFoundError(f"expected a folder of packages, but got {folder!r}")
    with _lock:
        _folders.append(path)


def save_packages(folder, targets):
    """From here on, each norm that is asked for is compiled for ``targets`` as well, and
    kept in a folder: for machines without a compiler, or with another device."""
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    with _lock:
        _saving.append((path, tuple(targets)))
        known = {norm for norm, _ in _entries}
    for norm in known:
        _save(norm, path, tuple(targets))


def _save(norm, folder, targets):
    path = folder / (norm.name + SUFFIX)
    if path.exists():
        return
    package = compile(norm, targets)
    # Written aside and renamed: another process never sees half a package.
    handle, temporary = tempfile.mkstemp(dir=folder)
    with os.fdopen(handle, "wb") as file:
        file.write(package)
    os.replace(temporary, path)


#: Run when entries are forgotten, by those who keep them under keys of their own.
_on_clear = []


def clear():
    """Forgets all loaded entries and devices. The compiler's cache stays."""
    global _compiler
    with _lock:
        for forget in _on_clear:
            forget()
        _entries.clear()
        _devices.clear()
        _compiler = None


def _after_fork():
    # The threads of host devices are the parent's, and so may the lock be.
    global _lock
    _lock = threading.RLock()
    clear()


for _name in filter(None, os.environ.get("NORMC_PACKAGES", "").split(os.pathsep)):
    load_packages(_name)
# While the drivers still work.
atexit.register(clear)
os.register_at_fork(after_in_child=_after_fork)
