"""What every test shares: a cache of compiled tables and a register, never those of the person who runs them."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Browser, chromium, opened

_FOLDER = pytest.StashKey[tempfile.TemporaryDirectory[str]]()
_HERE = "GEOPRIV_TESTS"  # the variable that names this run's folder
# what tables follow from: beside them the solver, whose version is in the names of their files
_COMPILERS = ("device", "spaces", "shapes", "mechanisms")


def pytest_configure(config: pytest.Config) -> None:
    """Processes that run tests side by side inherit the folders from the one that starts them."""
    if not hasattr(config, "workerinput"):
        config.stash[_FOLDER] = tempfile.TemporaryDirectory(prefix="geopriv-tests-")
        os.environ[_HERE] = config.stash[_FOLDER].name
        os.environ["GEOPRIV_CACHE"] = _tables()
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # tests run side by side already
        _keep_bytecode()
        # for documents that run as tests; each survey in them has a name of its own
        os.environ["GEOPRIV_REGISTER"] = os.path.join(os.environ[_HERE], "register.sqlite")


def _tables() -> str:
    """The folder of tables that this very source compiled, in this run or in one before; others are removed."""
    source = hashlib.sha256()
    package = Path(__file__).parent.parent / "src" / "geopriv"
    for path in sorted(path for room in _COMPILERS for path in (package / room).rglob("*.py")):
        source.update(path.read_bytes())
    folder = Path(sys.prefix, "tables-of-tests", source.hexdigest())
    if sys.prefix == sys.base_prefix:  # an environment that is not this project's own
        return os.path.join(os.environ[_HERE], "tables")
    for other in folder.parent.glob("*"):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    return str(folder)


def _keep_bytecode() -> None:
    """Where Python is told to keep no bytecode, it is kept beside the packages: hundreds of processes import them."""
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None) or sys.dont_write_bytecode:
        os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = os.path.join(sys.prefix, "bytecode")
        sys.dont_write_bytecode = False


def pytest_unconfigure(config: pytest.Config) -> None:
    if _FOLDER in config.stash:
        config.stash[_FOLDER].cleanup()


_numbers = count()


@pytest.fixture(autouse=True)
def _register(monkeypatch: pytest.MonkeyPatch) -> None:
    """To each test nobody has reported before."""
    name = f"register-{os.getpid()}-{next(_numbers)}.sqlite"
    monkeypatch.setenv("GEOPRIV_REGISTER", os.path.join(os.environ[_HERE], name))


# Files whose tests share what takes long to make: a session of Spark, a browser, a run of the demonstration,
# crafted designs, machine code of a copy of the package.
_TOGETHER = (
    "tests/commands/test_demo.py",
    "tests/pages/test_live_pages.py",
    "tests/reports/test_spark.py",
    "tests/test_recipes.py",
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


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window: one for all tests of pages, where there is one."""
    program = chromium()
    if program is None:
        pytest.skip("no Chromium: `make test` installs Debian's where it may; CHROMIUM names another")
    with opened(program) as found:
        yield found
