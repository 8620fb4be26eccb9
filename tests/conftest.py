"""What every test shares: a cache of compiled tables for this run, never that of the person who runs it."""

from __future__ import annotations

import os
import tempfile

import pytest

_FOLDER = pytest.StashKey[tempfile.TemporaryDirectory[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Processes that run tests side by side inherit the folder from the one that starts them."""
    if not hasattr(config, "workerinput"):
        config.stash[_FOLDER] = tempfile.TemporaryDirectory(prefix="geopriv-tests-")
        os.environ["GEOPRIV_CACHE"] = config.stash[_FOLDER].name


def pytest_unconfigure(config: pytest.Config) -> None:
    if _FOLDER in config.stash:
        config.stash[_FOLDER].cleanup()
