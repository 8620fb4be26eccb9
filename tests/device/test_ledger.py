"""The ledger: sums without rounding, in one unit, in a file that is the user's alone."""

from __future__ import annotations

import grp
import os
import pwd
import sqlite3
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

import geopriv as gp
from geopriv.device.ledger import Ledger
from geopriv.device.walks import Walked
from geopriv.errors import Refused

ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to somebody else")
NOBODY = 65534


def made() -> str:
    return "a report"


def begun(path: Path, unit: str | None = "m") -> Path:
    Ledger(path, unit, 10.0).once("me", "survey", "d", 1.0, made)
    return path


def test_what_was_spent_adds_up_without_rounding(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger", "m", 0.3)
    for i in range(2):
        ledger.once("me", str(i), "d", 0.1, made)
    assert Fraction(0.1) * 3 > Fraction(0.3)  # as floats 0.1 + 0.1 + 0.1 is more than 0.3 too, but 0.2 + 0.1 may not be
    with pytest.raises(gp.BudgetExhausted):
        ledger.once("me", "2", "d", 0.1, made)
    ledger.once("another", "2", "d", 0.1, made)
    assert ledger.spent("me") == 2 * Fraction(0.1)
    exact = Ledger(tmp_path / "ledger", "m", 3 * Fraction(0.1))
    exact.once("me", "2", "d", 0.1, made)


def test_costs_that_vanish_beside_others_in_floats_are_added_too(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger", None, 1.0)
    ledger.once("me", "first", "d", 1.0, made)
    assert 1.0 + 1e-30 == 1.0
    with pytest.raises(gp.BudgetExhausted):
        ledger.once("me", "second", "d", 1e-30, made)


def test_a_person_answers_so_many_surveys_and_no_more(tmp_path: Path) -> None:
    """However little each costs: an enemy could ask millions of times, and learn a little from when reports leave."""
    ledger = Ledger(tmp_path / "ledger", "m", 1.0, 3)
    for k in range(3):
        ledger.once("me", str(k), "d", 1e-9, made)
    with pytest.raises(gp.BudgetExhausted, match="answered 3 surveys, the most"):
        ledger.once("me", "3", "d", 1e-9, made)
    with pytest.raises(gp.BudgetExhausted, match="answered 3 surveys"):
        ledger.walk("me", "3", "d", 1e-9, 1, lambda last: (made(), Walked(1, 1, 0, Fraction(0))))
    assert ledger.once("me", "2", "d", 1e-9, made) == made()  # the same report again
    ledger.once("another", "3", "d", 1e-9, made)
    assert ledger.spent("me") == 3 * Fraction(1e-9)


def test_a_walk_is_one_survey_in_all_its_rounds(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger", "m", 1.0, 1)
    for k in (1, 2, 3):
        ledger.walk("me", "walk", "d", 1e-9, k, lambda last, k=k: (f"{k}", Walked(k, k, 0, Fraction(0))))  # type: ignore[misc]


def test_a_ledger_holds_one_unit(tmp_path: Path) -> None:
    begun(tmp_path / "ledger", "USD")
    for unit in ("km", None, "usd"):
        with pytest.raises(Refused, match="one ledger a unit"):
            Ledger(tmp_path / "ledger", unit, 10.0)
    Ledger(tmp_path / "ledger", "USD", 10.0)


def test_a_ledger_in_another_unit_is_refused_when_it_was_begun_since(tmp_path: Path) -> None:
    late = Ledger(tmp_path / "ledger", "km", 10.0)  # when it was empty
    begun(tmp_path / "ledger", "USD")
    with pytest.raises(Refused, match="one ledger a unit"):
        late.once("me", "another", "d", 1.0, made)
    assert Ledger(tmp_path / "ledger", "USD", 10.0).spent("me") == 1


def test_a_ledger_of_earlier_devices_is_read_if_it_is_in_one_unit(tmp_path: Path) -> None:
    """They kept an account for each unit in one file, with the same columns."""
    rows = [("me", "a", "d", 0.5, "USD", "r"), ("me", "b", "d", 0.25, "USD", "r")]
    for name, more in (("one", []), ("two", [("me", "c", "d", 0.25, "USD\u200b", "r")])):
        connection = sqlite3.connect(tmp_path / name)
        connection.execute(
            "CREATE TABLE spent (person TEXT NOT NULL, survey TEXT NOT NULL, design TEXT NOT NULL,"
            " epsilon REAL NOT NULL, unit TEXT, report TEXT NOT NULL, PRIMARY KEY (person, survey))"
        )
        connection.executemany("INSERT INTO spent VALUES (?, ?, ?, ?, ?, ?)", rows + more)
        connection.commit()
        connection.close()
        (tmp_path / name).chmod(0o600)
    ledger = Ledger(tmp_path / "one", "USD", 1.0)
    assert ledger.spent("me") == Fraction(3, 4)
    assert ledger.once("me", "a", "d", 0.5, made) == "r"
    with pytest.raises(Refused, match="one ledger a unit"):
        Ledger(tmp_path / "two", "USD", 1.0)


def test_a_name_that_sqlite_takes_for_memory_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    begun(Path(":memory:"))
    assert Ledger(":memory:", "m", 10.0).spent("me") == 1


def linked(folder: Path) -> None:
    (folder / "ledger").symlink_to(begun(folder / "elsewhere"))


def dangling(folder: Path) -> None:
    (folder / "ledger").symlink_to(folder / "elsewhere")


def hardlinked(folder: Path) -> None:
    os.link(begun(folder / "elsewhere"), folder / "ledger")


def read_by_others(folder: Path) -> None:
    begun(folder / "ledger").chmod(0o640)


def written_by_others(folder: Path) -> None:
    begun(folder / "ledger").chmod(0o602)


def a_pipe(folder: Path) -> None:
    os.mkfifo(folder / "ledger", 0o600)


def a_folder(folder: Path) -> None:
    (folder / "ledger").mkdir()


def linked_journal(folder: Path) -> None:
    begun(folder / "ledger")
    (folder / "ledger-journal").symlink_to(folder / "elsewhere")


def open_journal(folder: Path) -> None:
    begun(folder / "ledger")
    (folder / "ledger-wal").touch(0o666)
    (folder / "ledger-wal").chmod(0o666)


def shared_folder(folder: Path) -> None:
    begun(folder / "ledger")
    folder.chmod(0o1777)


def of_somebody(folder: Path) -> None:
    os.chown(begun(folder / "ledger"), NOBODY, NOBODY)


def in_the_folder_of_somebody(folder: Path) -> None:
    begun(folder / "ledger")
    os.chown(folder, NOBODY, NOBODY)


ATTACKS: list[tuple[Callable[[Path], None], str]] = [
    (linked, "a symbolic link"),
    (dangling, "a symbolic link"),
    (hardlinked, "2 hard links"),
    (read_by_others, "0o640"),
    (written_by_others, "0o602"),
    (a_pipe, "regular file"),
    (a_folder, "regular file"),
    (linked_journal, "ledger-journal.* a symbolic link"),
    (open_journal, "ledger-wal.*0o666"),
    (shared_folder, "nobody else may write"),
]


@pytest.mark.parametrize(("attack", "match"), ATTACKS, ids=[attack.__name__ for attack, _ in ATTACKS])
def test_a_ledger_that_others_could_read_or_change_is_refused(
    attack: Callable[[Path], None], match: str, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    attack(folder)
    with pytest.raises(gp.InvalidParameter, match=match):
        Ledger(folder / "ledger", "m", 10.0)
    if attack is dangling:
        assert not (folder / "elsewhere").exists()


@pytest.mark.parametrize(("mine", "members"), [(True, []), (False, []), (True, ["somebody"])], ids=str)
def test_the_folder_of_a_group_is_refused_unless_nobody_else_is_in_it(
    mine: bool, members: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many systems give each user a group of the same name, and let it write."""
    group = tmp_path.stat().st_gid
    named = ("me", "x", group, members) if mine else ("staff", "x", group, members)
    monkeypatch.setattr("pwd.getpwuid", lambda user: pwd.struct_passwd(("me", "x", user, group, "", "/", "/bin/sh")))
    monkeypatch.setattr("grp.getgrgid", lambda number: grp.struct_group(named))
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(0o770)
    if mine and not members:
        begun(folder / "ledger")
    else:
        with pytest.raises(gp.InvalidParameter, match="nobody else may write"):
            Ledger(folder / "ledger", "m", 10.0)


@ROOT_ONLY
@pytest.mark.parametrize("attack", [of_somebody, in_the_folder_of_somebody])
def test_the_ledger_of_somebody_else_is_refused(attack: Callable[[Path], None], tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    attack(folder)
    with pytest.raises(gp.InvalidParameter, match="your own"):
        Ledger(folder / "ledger", "m", 10.0)


def test_a_ledger_that_is_replaced_later_is_refused_before_anything_is_drawn(tmp_path: Path) -> None:
    ledger = Ledger(begun(tmp_path / "ledger"), "m", 10.0)
    (tmp_path / "ledger").rename(tmp_path / "elsewhere")
    (tmp_path / "ledger").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(gp.InvalidParameter, match="symbolic link"):
        ledger.once("me", "another", "d", 1.0, lambda: pytest.fail("drawn"))


def test_a_folder_that_is_opened_to_others_later_is_refused(tmp_path: Path) -> None:
    ledger = Ledger(begun(tmp_path / "ledger"), "m", 10.0)
    tmp_path.chmod(0o777)
    with pytest.raises(gp.InvalidParameter, match="nobody else may write"):
        ledger.once("me", "another", "d", 1.0, lambda: pytest.fail("drawn"))


@pytest.mark.parametrize("by_link", [False, True], ids=["a folder", "a link"])
def test_a_folder_that_others_could_replace_by_another_is_refused(by_link: bool, tmp_path: Path) -> None:
    """Whoever may write above renames it and lays a link to another folder of the user there: an empty ledger."""
    shared, mine = tmp_path / "shared", tmp_path / "mine"
    for folder in (shared, mine, shared / "real"):
        folder.mkdir(mode=0o700)
    (shared / "link").symlink_to(mine)
    begun(shared / ("link" if by_link else "real") / "ledger")
    shared.chmod(0o777)
    with pytest.raises(gp.InvalidParameter, match="nobody else may rename"):
        Ledger(shared / ("link" if by_link else "real") / "ledger", "m", 10.0)
    shared.chmod(0o1777)  # in which others rename only what is theirs
    Ledger(shared / ("link" if by_link else "real") / "ledger", "m", 10.0)


def test_links_that_lead_in_a_circle_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links"):
        Ledger(tmp_path / "a" / "ledger", "m", 10.0)


def test_a_ledger_that_is_replaced_while_it_is_opened_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, other = Ledger(begun(tmp_path / "ledger"), "m", 10.0), begun(tmp_path / "other")
    connect = sqlite3.connect

    def slowly(*arguments: object, **options: object) -> object:
        opened = connect(*arguments, **options)  # type: ignore[call-overload]
        other.replace(tmp_path / "ledger")
        return opened

    monkeypatch.setattr(sqlite3, "connect", slowly)
    with pytest.raises(OSError, match="replaced while"):
        ledger.once("me", "another", "d", 1.0, lambda: pytest.fail("drawn"))


def test_a_folder_may_be_reached_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    begun(tmp_path / "link" / "ledger")
    assert Ledger(tmp_path / "real" / "ledger", "m", 10.0).spent("me") == 1


@pytest.mark.parametrize("cost", [-5.0, 0.0, "much"])
def test_rows_that_no_device_wrote_are_refused(cost: object, tmp_path: Path) -> None:
    begun(tmp_path / "ledger")
    connection = sqlite3.connect(tmp_path / "ledger")
    connection.execute("UPDATE spent SET epsilon = ?", (cost,))
    connection.commit()
    connection.close()
    with pytest.raises(OSError, match="no device wrote"):
        Ledger(tmp_path / "ledger", "m", 10.0).once("me", "another", "d", 1.0, made)


@pytest.mark.parametrize("person", ["", " me", "me\u200b", "\udc00", "x" * 201, None])
def test_a_person_is_a_text_that_is_seen(person: str, tmp_path: Path) -> None:
    with pytest.raises(gp.InvalidParameter, match="person"):
        Ledger(tmp_path / "ledger", "m", 10.0).once(person, "survey", "d", 1.0, made)
