"""The cache of compiled tables: hits, damage, poison, disks that fail, and whose folder it is."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import geopriv as gp
from geopriv.mechanisms.table import cache as table_cache
from geopriv.mechanisms.table.cache import cache_folder
from geopriv.mechanisms.table.integers import TOTAL
from geopriv.mechanisms.table.spare_program import SpareTask

QUERY = gp.Threshold(0.0, 2.0)
VALUES = [-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of one's own, and nothing in memory."""
    monkeypatch.setenv("GEOPRIV_CACHE", str(tmp_path / "cache"))
    forget(monkeypatch)
    return tmp_path / "cache"


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_cache, "_tables", type(table_cache._tables)())


def make() -> gp.Table:
    return gp.Table.calibrate(QUERY, 1.0, values=VALUES)


def never(*_: object) -> None:
    raise AssertionError("compiled again")


def only_file(folder: Path) -> Path:
    files = list(folder.iterdir())
    assert len(files) == 1
    return files[0]


def test_a_table_is_compiled_once_and_read_by_the_next_process(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = make()
    assert only_file(folder).stat().st_size == 2 * 8 * first.lattice.size * len(VALUES)
    forget(monkeypatch)
    monkeypatch.setattr(SpareTask, "best", never)
    assert make() == first


def test_a_different_prior_query_or_alphabet_is_another_table(folder: Path) -> None:
    make()
    gp.Table.calibrate(QUERY, 1.0, values=VALUES, prior=[3.0, 4.0])
    gp.Table.calibrate(QUERY, 1.1, values=VALUES)
    gp.Table.calibrate(QUERY, 1.0, values=[*VALUES, 3.0])
    assert len(list(folder.iterdir())) == 4


@pytest.mark.parametrize(
    "content", [b"", b"rubbish", b"\x00" * 56, b"x" * 40_000], ids=["empty", "text", "row", "long"]
)
def test_a_damaged_file_is_ignored_and_written_again(
    folder: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make()
    path = only_file(folder)
    whole = path.read_bytes()
    path.write_bytes(content)
    forget(monkeypatch)
    assert make() == first
    assert path.read_bytes() == whole


def changed(rows: npt.NDArray[np.int64], row: int, by: int) -> npt.NDArray[np.int64]:
    """One integer of a row or of a spare row in the tails that is larger."""
    found = rows.copy()
    found[row, 1] += by
    found[row, int(np.argsort(rows[row])[-1])] -= by
    return found


def test_a_poisoned_file_cannot_weaken_the_promise(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted files have the right size and rows that add up; one breaks the promise, one the mean."""
    first = make()
    path = only_file(folder)
    honest = np.frombuffer(path.read_bytes(), dtype="<i8").reshape(2 * first.lattice.size, -1)
    loud = np.zeros_like(honest)  # tells the coordinate: value 0 below the threshold, 1 above it
    loud[:, 2] = np.where(np.tile(first.lattice, 2) < 0, TOTAL, 0)
    loud[:, 4] = TOTAL - loud[:, 2]
    constant = np.zeros_like(honest)  # perfectly private and useless
    constant[:, 3] = TOTAL
    points, part = first.lattice.size, TOTAL // 10**9
    found = [changed(honest, row, by) for row, by in ((3, part), (points - 3, part), (points + 3, 1000 * part))]
    for poison in (loud, constant, *found):
        path.write_bytes(poison.tobytes())
        forget(monkeypatch)
        table = make()
        assert table == first
        assert gp.audit(table).passed
        assert path.read_bytes() == honest.tobytes()


def test_a_disk_that_cannot_be_written_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder", encoding="utf-8")
    monkeypatch.setenv("GEOPRIV_CACHE", str(blocked / "cache"))
    assert gp.audit(make()).passed


def test_a_full_disk_leaves_nothing_behind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert gp.audit(make()).passed
    assert list(folder.iterdir()) == []


def test_the_cache_can_be_switched_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEOPRIV_CACHE", "off")
    monkeypatch.chdir(tmp_path)
    make()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/geopriv"),
        ("linux", {}, "/home/me/.cache/geopriv"),
        ("darwin", {"XDG_CACHE_HOME": "/x"}, "/home/me/Library/Caches/geopriv"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/geopriv"),
        ("win32", {}, "/home/me/AppData/Local/geopriv"),
        ("linux", {"GEOPRIV_CACHE": "/mine", "XDG_CACHE_HOME": "/x"}, "/mine"),
        ("linux", {"GEOPRIV_CACHE": "OFF"}, None),
    ],
)
def test_tables_are_kept_where_the_platform_keeps_such_things(
    platform: str, variables: dict[str, str], expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GEOPRIV_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    assert cache_folder() == (None if expected is None else Path(expected))


def test_someone_without_a_home_has_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("no home")

    monkeypatch.delenv("GEOPRIV_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert cache_folder() is None
    assert gp.audit(make()).passed


def test_memory_holds_a_limited_number_of_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_cache, "_KEPT", 2)
    for epsilon in (1.0, 1.1, 1.2):
        gp.Table.calibrate(QUERY, epsilon, values=VALUES)
    assert len(table_cache._tables) == 2
