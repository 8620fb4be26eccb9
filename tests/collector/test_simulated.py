"""Made-up participants: what they must hear, what must be counted of them, and a collector that miscounts is seen."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from geopriv.collector import tokens
from geopriv.collector.app import Service
from geopriv.collector.simulated.crowd import allotted
from geopriv.collector.simulated.kinds import KINDS
from geopriv.collector.simulated.wire import loopback
from geopriv.collector.store import Store
from geopriv.collector.verdicts import Sent, Verdict
from geopriv.commands.cli import main
from geopriv.errors import InvalidParameter
from tests.collector.conftest import KEY
from tests.collector.servers import running
from tests.designs import grouped_design

SHARES = [f"--share={kind}=12%" for kind in KINDS if kind != "honest"]
Run = Callable[..., int]


@pytest.fixture
def survey(tmp_path: Path) -> Iterator[tuple[str, Service]]:
    with running(grouped_design(), f"sqlite:///{tmp_path}/survey.sqlite") as found:
        yield found


@pytest.fixture
def run(survey: tuple[str, Service], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command, with 60 people and their invitations: its exit code."""
    address, service = survey
    people, invited = tmp_path / "people.csv", list(tokens.issue(60))
    people.write_text("income,county\n" + "".join(f"{k / 10 - 3},{('Kings', 'Queens')[k % 2]}\n" for k in range(60)))
    (tmp_path / "invitations.txt").write_text("\n".join(invited) + "\n")
    service.live.store.invite(map(tokens.digest, invited))

    def run(*more: str) -> int:
        options = [
            f"--url={address}",
            f"--tokens={tmp_path}/invitations.txt",
            f"--key={KEY.words}",
            "--json",
            *SHARES,
            *more,
        ]
        monkeypatch.setattr("sys.argv", ["geopriv", "simulate-clients", str(people), *options, *SHARES, *more])
        with pytest.raises(SystemExit) as stopped:
            main()
        return int(stopped.value.code or 0)

    return run


def test_every_kind_hears_and_counts_what_it_must(
    run: Run, survey: tuple[str, Service], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run() == 0
    found, store = json.loads(capsys.readouterr().out), survey[1].live.store
    assert {kind: row["people"] for kind, row in found["kinds"].items()} == {
        kind: 7 + 11 * (kind == "honest") for kind in KINDS
    }
    assert found["kept"] == store.counted() == store.invitations()[1] == 60 - 2 * 7
    assert store.rejected() == {"wrong design": 7, "malformed": 7}
    assert all(0 < row["p50"] <= row["p99"] for row in found["kinds"].values())


def test_a_collector_that_loses_a_report_is_seen(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It acknowledges every tenth report without writing it."""
    real, seen = Store.take, Counter[str]()

    def forgetful(store: Store, sent: Sequence[Sent]) -> list[Verdict]:
        verdicts = []
        for one in sent:
            seen["all"] += 1
            verdicts.append(Verdict.COUNTED if seen["all"] % 10 == 0 else real(store, [one])[0])
        return verdicts

    monkeypatch.setattr(Store, "take", forgetful)
    assert run("--share=twice=0", "--share=broken=0") == 1
    wrong = json.loads(capsys.readouterr().out)["wrong"]
    assert any(sentence.startswith("reports: 46 must have been counted") for sentence in wrong)


def test_a_collector_that_takes_what_is_none_is_seen(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("geopriv.collector.app.read", lambda design, line, token: Verdict.COUNTED)
    assert run() == 1


@pytest.mark.parametrize(
    "url", ["http://192.0.2.1:8000", "https://127.0.0.1", "http://127.0.0.1/x", "survey", "http://"]
)
def test_only_a_collector_on_this_machine_is_visited(url: str) -> None:
    with pytest.raises(InvalidParameter, match="on this machine"):
        loopback(url)


@pytest.mark.parametrize("shares", [{"liars": 0.1}, {"liar": 0.7, "slow": 0.4}, {"liar": -0.1}])
def test_shares_are_of_known_kinds_and_at_most_all(shares: dict[str, float]) -> None:
    with pytest.raises(InvalidParameter, match="'share' parameter"):
        allotted(10, shares)
