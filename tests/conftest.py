"""What every test shares: no test reads or writes the cache of the person who runs it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def own_cache() -> Iterator[None]:
    """A cache folder for this run, inherited by the processes that tests start."""
    before = os.environ.get("GEOPRIV_CACHE")
    with tempfile.TemporaryDirectory(prefix="geopriv-tests-") as folder:
        os.environ["GEOPRIV_CACHE"] = folder
        yield
        if before is None:
            del os.environ["GEOPRIV_CACHE"]
        else:
            os.environ["GEOPRIV_CACHE"] = before
