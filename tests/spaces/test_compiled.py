"""Compiled code is kept where nobody else can write it, whatever the environment says, or it is not kept."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from numba.core.caching import _CacheLocator

from geopriv.noise import filters, laplace
from geopriv.spaces import compiled

DRAW = """
import geopriv as gp, numpy as np
from geopriv.noise.laplace import laplace_filter
gp.LipschitzLaplace.calibrate(gp.Threshold(0.0, 1.0), 1.0).report(np.zeros(100))
print(laplace_filter.machine.stats.cache_path)
"""
owned = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders have no owners here")


class Marker:
    """What an enemy plants: reading it makes a file."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str, str]]:
        return open, (self.path, "w")


def drawn(**environment: str) -> str:
    """Where a fresh process that draws keeps its code."""
    done = subprocess.run(
        [sys.executable, "-c", DRAW],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
        env=os.environ | environment,
    )
    return done.stdout.strip()


def test_what_was_planted_where_the_environment_points_is_not_read(tmp_path: Path) -> None:
    marker, folders = tmp_path / "read", []
    for module, name in ((laplace, "laplace_filter"), (filters, "shift"), (filters, "log_of")):
        source = str(module.__file__)
        folder = tmp_path / "cache" / _CacheLocator.get_suitable_cache_subpath(source)
        folder.mkdir(parents=True, exist_ok=True)
        folders.append(folder)
        line = getattr(module, name).__wrapped__.__code__.co_firstlineno
        version = f"py{sys.version_info[0]}{sys.version_info[1]}{getattr(sys, 'abiflags', '')}"
        index = folder / f"{Path(source).stem}.{name}-{line}.{version}.nbi"
        index.write_bytes(pickle.dumps(Marker(str(marker))))
    planted = sorted(path for folder in folders for path in folder.iterdir())
    assert str(tmp_path) not in drawn(NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert not marker.exists()
    assert sorted(path for folder in folders for path in folder.iterdir()) == planted


def test_locators_of_the_environment_are_not_asked(tmp_path: Path) -> None:
    found = drawn(NUMBA_CACHE_LOCATOR_CLASSES="InTreeCacheLocator", NUMBA_CACHE_DIR=str(tmp_path))
    assert not found.startswith((str(tmp_path), str(Path(laplace.__file__).parent)))


@owned
def test_a_folder_that_others_can_write_is_not_used_and_reports_are_made_all_the_same(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    assert drawn(XDG_CACHE_HOME=str(tmp_path)) == "None"


@owned
def test_the_settings_of_numba_are_left_as_they_were() -> None:
    import numba

    before = numba.config.CACHE_DIR
    compiled._Compiled(lambda: None).machine  # noqa: B018 # makes it
    assert before == numba.config.CACHE_DIR


def test_threads_that_make_code_at_once_do_not_wait_for_each_other() -> None:
    """One makes a function while another compiles code that calls a second one: as in the middle of `estimate`."""
    from numba.core.compiler_lock import global_compiler_lock

    waiting, called = (compiled._Compiled(lambda: None) for _ in range(2))
    one = threading.Thread(target=lambda: waiting.machine, daemon=True)

    def compile_code() -> None:
        with global_compiler_lock:
            one.start()
            time.sleep(0.2)  # it waits for the lock now
            called.machine  # noqa: B018 # makes it

    other = threading.Thread(target=compile_code, daemon=True)
    other.start()
    other.join(60)
    one.join(60)
    assert not other.is_alive()
    assert not one.is_alive()


def place(monkeypatch: pytest.MonkeyPatch, home: Path) -> Path | None:
    """The folder for compiled code under another home of caches."""
    monkeypatch.setattr(compiled, "_home", lambda: str(home))
    return compiled.private_folder.__wrapped__()


@owned
def test_a_new_folder_is_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mask = os.umask(0o002)  # of systems on which everybody has a group
    try:
        folder = place(monkeypatch, tmp_path / "geopriv")
    finally:
        os.umask(mask)
    assert folder == tmp_path / "geopriv" / "compiled"
    assert {part.stat().st_mode & 0o777 for part in (folder, folder.parent)} == {0o700}
    assert place(monkeypatch, tmp_path / "geopriv") == folder


@owned
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o755, 0o710])
def test_a_folder_that_is_open_to_others_is_refused(mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "compiled"
    folder.mkdir()
    folder.chmod(mode)
    assert place(monkeypatch, tmp_path) is None


@owned
@pytest.mark.parametrize(
    ("mode", "used"), [(0o777, False), (0o775, False), (0o757, False), (0o755, True), (0o1777, True)]
)
def test_a_folder_in_one_where_others_can_rename_it_is_refused(
    mode: int, used: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    above = tmp_path / "above"
    above.mkdir()
    above.chmod(mode)
    assert (place(monkeypatch, above / "geopriv") is not None) is used


@owned
@pytest.mark.parametrize("root", [True, False])
def test_a_folder_of_somebody_else_is_refused_also_by_the_administrator(
    root: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert place(monkeypatch, tmp_path) is not None
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: 0 if root and user else user + 1)
    assert place(monkeypatch, tmp_path) is None


@owned
def test_a_link_is_followed_before_anything_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner, outer = tmp_path / "open", tmp_path / "link"
    inner.mkdir()
    inner.chmod(0o777)
    outer.symlink_to(inner)
    assert place(monkeypatch, outer) is None
    (tmp_path / "closed").mkdir(mode=0o700)
    (tmp_path / "closed" / "compiled").symlink_to(inner)
    assert place(monkeypatch, tmp_path / "closed") is None


def test_no_folder_is_used_where_none_can_be_made_or_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    assert place(monkeypatch, tmp_path / "file" / "geopriv") is None
    monkeypatch.delattr(os, "geteuid", raising=False)
    assert place(monkeypatch, tmp_path) is None
