"""Shared by the tests of the Python package. Those of normc.torch are left out, and counted
as left out, where there is no torch."""
import os
import tempfile

import pytest

# Nothing of the user's cache is read or written.
os.environ.setdefault("NORMC_CACHE_DIRECTORY", tempfile.mkdtemp(prefix="normc-test-cache-"))

try:
    import torch  # noqa: F401
except ImportError:
    collect_ignore_glob = ["torch_*.py"]


def pytest_terminal_summary(terminalreporter):
    """Closes as the project's other suites do, whose cases are counted by that line."""
    stats = terminalreporter.stats
    failed = len(stats.get("failed", [])) + len(stats.get("error", []))
    terminalreporter.write_line(f"{len(stats.get('passed', []))} passed, {failed} failed")


@pytest.fixture
def forgotten():
    """Entries are asked for anew, before and after."""
    import normc

    normc.clear()
    yield normc
    normc.clear()
    normc._packages._folders.clear()
    normc._packages._saving.clear()
