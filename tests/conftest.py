"""What every test shares: a cache of compiled tables and a register, never those of the person who runs them."""

from __future__ import annotations

import os
import tempfile
from itertools import count
from typing import Any

import pytest

_FOLDER = pytest.StashKey[tempfile.TemporaryDirectory[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Processes that run tests side by side inherit the folder from the one that starts them."""
    if not hasattr(config, "workerinput"):
        config.stash[_FOLDER] = tempfile.TemporaryDirectory(prefix="geopriv-tests-")
        os.environ["GEOPRIV_CACHE"] = config.stash[_FOLDER].name
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # tests run side by side already
        # for documents that run as tests; each survey in them has a name of its own
        os.environ["GEOPRIV_REGISTER"] = os.path.join(config.stash[_FOLDER].name, "register.sqlite")


def pytest_unconfigure(config: pytest.Config) -> None:
    if _FOLDER in config.stash:
        config.stash[_FOLDER].cleanup()


_numbers = count()


@pytest.fixture(autouse=True)
def _register(monkeypatch: pytest.MonkeyPatch) -> None:
    """To each test nobody has reported before."""
    name = f"register-{os.getpid()}-{next(_numbers)}.sqlite"
    monkeypatch.setenv("GEOPRIV_REGISTER", os.path.join(os.environ["GEOPRIV_CACHE"], name))


# Files whose tests share what takes long to make: a session of Spark, a browser, a demonstration, crafted designs.
_TOGETHER = (
    "tests/commands/test_demo.py",
    "tests/pages/test_live_pages.py",
    "tests/reports/test_spark.py",
    "tests/surveys/test_crafted_designs.py",
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests side by side, one by one, but for those that share what takes long to make."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):  # type: ignore[misc] # it has no annotations
        def _split_scope(self, nodeid: str) -> str:
            file, _, test = nodeid.partition("::")
            if file in _TOGETHER:
                return file
            # rows of the shared table are calibrated once, and their moments computed once
            return f"{file}[{test.partition('[')[2]}" if file == "tests/mechanisms/test_mechanisms.py" else nodeid

    return Scheduling(config, log)
