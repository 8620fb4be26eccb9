"""What every test shares: a cache of compiled tables and a register, never those of the person who runs them."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import pytest

_FOLDER = pytest.StashKey[tempfile.TemporaryDirectory[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Processes that run tests side by side inherit the folder from the one that starts them."""
    if not hasattr(config, "workerinput"):
        config.stash[_FOLDER] = tempfile.TemporaryDirectory(prefix="geopriv-tests-")
        os.environ["GEOPRIV_CACHE"] = config.stash[_FOLDER].name
        # for documents that run as tests; each survey in them has a name of its own
        os.environ["GEOPRIV_REGISTER"] = os.path.join(config.stash[_FOLDER].name, "register.sqlite")


def pytest_unconfigure(config: pytest.Config) -> None:
    if _FOLDER in config.stash:
        config.stash[_FOLDER].cleanup()


@pytest.fixture(autouse=True)
def _register(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """To each test nobody has reported before."""
    monkeypatch.setenv("GEOPRIV_REGISTER", str(tmp_path_factory.mktemp("register") / "register.sqlite"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests side by side, one by one, but for those that share a session of Spark, which takes long to start."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):  # type: ignore[misc] # it has no annotations
        def _split_scope(self, nodeid: str) -> str:
            return "spark" if nodeid.startswith("tests/reports/test_spark.py") else nodeid

    return Scheduling(config, log)
