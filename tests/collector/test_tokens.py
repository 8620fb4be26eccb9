"""`geopriv tokens`, and which databases the collector's commands take: those that `geopriv serve` has begun."""

from __future__ import annotations

import errno
import io
import os
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from geopriv.collector.store import Store
from geopriv.collector.tokens import digest, hand_out
from geopriv.errors import Unavailable
from tests.collector.conftest import DESIGN
from tests.collector.servers import free_port, serving, status
from tests.collector.test_collector import line

COMMAND = [sys.executable, "-c", "from geopriv.commands.cli import main; main()"]
DATABASE = "sqlite:///survey.sqlite"


def run(folder: Path, *words: str, stdout: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *words]
    return subprocess.run(command, cwd=folder, text=True, check=False, stdout=stdout, stderr=subprocess.PIPE)


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    """A folder with a design and a database that was begun."""
    DESIGN.write(tmp_path / "design.json")
    with closing(Store(f"sqlite:///{tmp_path}/survey.sqlite")) as store:
        store.begin(DESIGN.hash, True)
    return tmp_path


def invitations(folder: Path) -> int:
    with closing(Store(f"sqlite:///{folder}/survey.sqlite")) as store:
        return store.invitations()[0]


def known(folder: Path) -> set[bytes]:
    with closing(Store(f"sqlite:///{folder}/survey.sqlite")) as store, store._engine.connect() as connection:
        return {bytes(row[0]) for row in connection.exec_driver_sql("SELECT hash FROM tokens")}


def test_the_database_knows_the_tokens_that_were_written_and_no_others(survey: Path) -> None:
    printed = run(survey, "tokens", "1500").stdout.split()
    assert run(survey, "tokens", "3", "-o", "invitations.txt").returncode == 0
    written = (survey / "invitations.txt").read_text().split()
    assert (len(printed), len(written)) == (1500, 3)
    assert known(survey) == set(map(digest, [*printed, *written]))


def test_who_is_stopped_keeps_no_invitation_that_the_database_does_not_know(
    survey: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand lines stood in the file, and who was sent one of them was told "unknown token"."""

    def stopped(store: Store, hashes: Any) -> None:
        if invitations(survey):
            raise KeyboardInterrupt
        invite(store, hashes)

    invite, path = Store.invite, survey / "invitations.txt"
    monkeypatch.setattr(Store, "invite", stopped)
    with (
        closing(Store(f"sqlite:///{survey}/survey.sqlite")) as store,
        open(path, "wb", buffering=0) as output,
        pytest.raises(Unavailable, match=r"It was stopped\. The first 1,000 invitations are good"),
    ):
        hand_out(store, 3000, output, lambda done: None)
    assert set(map(digest, path.read_text().split())) == known(survey)


@pytest.mark.skipif(os.name != "posix", reason="files have no such modes")
def test_invitations_are_their_owner_s_alone_and_replace_nothing(survey: Path) -> None:
    assert run(survey, "tokens", "3", "--output", "invitations.txt").returncode == 0
    assert stat.S_IMODE((survey / "invitations.txt").stat().st_mode) == 0o600
    again = run(survey, "tokens", "3", "--output", "invitations.txt")
    assert (again.returncode, "name another file" in again.stderr) == (2, True)
    assert run(survey, "tokens", "3", "--output", "nowhere/invitations.txt").returncode == 2
    assert invitations(survey) == 3


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device")
def test_tokens_that_could_not_be_written_are_not_known(survey: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = run(survey, "tokens", "1000", stdout=full.fileno())
    assert done.returncode == 2
    assert "No invitation was made." in done.stderr
    assert invitations(survey) == 0


class Small(io.FileIO):
    """A file on a disk that is full after 30,000 bytes."""

    def write(self, data: Any) -> int:
        room = 30_000 - os.fstat(self.fileno()).st_size
        if room <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(memoryview(data)[:room]) or 0


def test_of_a_disk_that_is_full_in_the_middle_the_good_ones_are_left(survey: Path) -> None:
    said = r"No space left on device\. The first 1,000 invitations are good"
    with (
        closing(Store(f"sqlite:///{survey}/survey.sqlite")) as store,
        Small(survey / "invited.txt", "w") as output,
        pytest.raises(Unavailable, match=said),
    ):
        hand_out(store, 5_000, output, lambda done: None)
    found = (survey / "invited.txt").read_text().split()
    assert len(found) == 1_000
    assert set(map(digest, found)) == known(survey)


def test_invitations_that_the_database_does_not_take_are_taken_back(
    survey: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Store(f"sqlite:///{survey}/survey.sqlite")) as store, (survey / "invited.txt").open("wb", 0) as output:
        store.close()
        (survey / "survey.sqlite").rename(survey / "away")
        with pytest.raises(Unavailable, match="No invitation was made"):
            hand_out(store, 5, output, lambda done: None)
    assert (survey / "invited.txt").read_bytes() == b""


def test_a_reader_who_left_is_given_no_more(survey: Path) -> None:
    with subprocess.Popen([*COMMAND, "tokens", "200000"], cwd=survey, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(60) == 2
    assert invitations(survey) < 10_000


def test_reports_are_taken_while_many_are_invited(survey: Path) -> None:
    port = free_port()
    assert run(survey, "tokens", "20", "-o", "invited.txt").returncode == 0
    invited = (survey / "invited.txt").read_text().split()
    database = f"sqlite:///{survey}/survey.sqlite"
    with serving(survey / "design.json", database, port), ThreadPoolExecutor(1) as pool:
        inviting = pool.submit(run, survey, "tokens", "300000", "-o", "many.txt", "--database", database)
        while not (survey / "many.txt").exists() or not (survey / "many.txt").stat().st_size:
            time.sleep(0.01)
        took, began = [], time.monotonic()
        for k, token in enumerate(invited):
            then = time.monotonic()
            assert status(port, "POST", "/v1/reports", token, line(k)) == 201
            took.append(time.monotonic() - then)
        meanwhile = not inviting.done()
        assert inviting.result(120).returncode == 0
        whole = time.monotonic() - began
    assert meanwhile
    assert max(took) < whole / 4
    assert invitations(survey) == 300_020


OTHERS = [("tokens", "5"), ("publish", "design.json"), ("backup", "copy.sqlite")]


@pytest.mark.parametrize("words", [*OTHERS, ("serve", "design.json")])
@pytest.mark.parametrize("begun", [False, True])
def test_a_name_that_was_typed_wrong_begins_no_database(survey: Path, words: tuple[str, ...], begun: bool) -> None:
    """It is not there, or it is and somebody else's."""
    if begun:
        (survey / "survey.sqlit").touch()
    before = {path.name: path.stat().st_size for path in survey.iterdir()}
    done = run(survey, *words, "--database", "sqlite:///survey.sqlit")
    assert done.returncode == 2
    assert "--new" in done.stderr
    assert "Traceback" not in done.stderr
    assert {path.name for path in survey.iterdir()} == set(before)


@pytest.mark.parametrize("words", [*OTHERS[:2], ("serve", "design.json")])
def test_a_database_of_postgresql_that_holds_no_survey_is_begun_by_no_mistake(
    survey: Path, words: tuple[str, ...], request: pytest.FixtureRequest
) -> None:
    import psycopg

    address = request.getfixturevalue("server")
    done = run(survey, *words, "--database", address)
    assert (done.returncode, "--new" in done.stderr) == (2, True)
    with psycopg.connect(address) as connection:
        assert connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)


def test_the_default_is_begun_without_a_word_by_serve_alone(tmp_path: Path) -> None:
    DESIGN.write(tmp_path / "design.json")
    for words in OTHERS:
        assert run(tmp_path, *words).returncode == 2
    assert [path.name for path in tmp_path.iterdir()] == ["design.json"]
    port = free_port()
    with subprocess.Popen([*COMMAND, "serve", "design.json", "--port", str(port)], cwd=tmp_path) as process:
        try:
            while status(port, "GET", "/v1/live", "", "") is None:
                assert process.poll() is None
                time.sleep(0.05)
        finally:
            process.terminate()
    assert run(tmp_path, "tokens", "5").returncode == 0


@pytest.mark.parametrize("words", [*OTHERS, ("serve", "design.json")])
def test_a_database_of_a_newer_version_is_named_as_one(survey: Path, words: tuple[str, ...]) -> None:
    with closing(Store(f"sqlite:///{survey}/survey.sqlite")) as store, store._engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    done = run(survey, *words)
    assert done.returncode == 2
    (said,) = [one for one in done.stderr.splitlines() if "'9999'" in one]
    assert said.startswith("geopriv: The 'database' must be of this version")
    assert "Traceback" not in done.stderr
