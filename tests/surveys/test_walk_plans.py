"""Surveys whose noise walks: what they may ask, what is predicted, and that rounds come out as predicted."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import geopriv as gp
from geopriv.client import Client
from geopriv.commands.cli import main
from geopriv.errors import InvalidParameter
from geopriv.mechanisms import WalkingLattice
from geopriv.surveys.planning import WalkPlan, plan_walk
from geopriv.surveys.planning.needs import REACH
from geopriv.surveys.planning.walks import walk_errors
from tests.policies import allowed
from tests.sources import Seeded

INCOMES = """
name = "Incomes"
epsilon = 1.0
per = "8,000 USD"
people = 20_000
walk = { rounds = 3 }
space = { kind = "line", unit = "USD", columns = ["income"], range = [0, 200_000] }
query = [
    { name = "mean", kind = "mean" },
    { name = "rich", kind = "threshold", at = 100_000 },
    { name = "many", kind = "total", at = 120_000, number = 1_000_000 },
]
"""


def run(*words: str) -> int:
    """The command line in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["geopriv", *words])
        try:
            main()
        except SystemExit as done:
            return int(done.code or 0)
    return 0


@cache
def found() -> WalkPlan:
    return plan_walk(gp.Survey.parse(INCOMES))


def walk() -> WalkingLattice:
    made = found().design.mechanisms[0]
    assert isinstance(made, WalkingLattice)
    return made


def test_one_design_is_for_all_rounds_and_promises_trajectories() -> None:
    assert walk().rounds == 3
    assert found().design.guarantee.metric == "trajectories"
    assert found().design.guarantee.epsilon == 1 / 8000
    assert gp.Design.parse(found().design.to_bytes()) == found().design
    assert not any(question.plain for question in found().design.questions)
    assert 0 < found().largest_bias < 1e-3


def test_rounds_are_as_exact_as_they_were_predicted_for_people_who_move_too() -> None:
    """One survey of 20,000 people, moves of 2,000 USD a round: errors within 4 %, answers within 5 errors."""
    rng = np.random.default_rng(3)
    x = np.clip(np.cumsum([rng.uniform(0, 2e5, 20_000), *rng.normal(0, 2000, (2, 20_000))], axis=0).T, 0, 2e5)
    reports, answers = walk().walked(x, Seeded(8)), []
    for t in range(3):
        tally = gp.Tally(found().design)
        tally.add(gp.reports.ReportBatch(0, reports[:, t]))
        answers.append(gp.estimate(found().design, tally))
        for answer in answers[t].answers:
            truth = answer.question.queries[0](x[:, t]).mean() * answer.question.times
            values, errors = answer.estimates.values, answer.estimates.standard_errors
            assert abs(values - truth) < 5 * errors
            if answer.question.name == "mean":
                half = found().expected["mean"].rounds[t]
                assert half is not None
                assert errors * REACH == pytest.approx(half, rel=0.04)
    assert answers[2].survey == "Incomes, round 3"
    changes = gp.answers.compare(answers[0], answers[2])
    assert changes.same_people
    assert changes.guarantee == found().design.guarantee  # of all rounds together: no sum
    changed = (changes["mean"].soft.high - changes["mean"].soft.low) / 2
    assert changed == pytest.approx(found().expected["mean"].change, rel=0.06)


def test_the_predictions_are_those_of_the_grid_of_the_design() -> None:
    survey = gp.Survey.parse(INCOMES)
    for name, errors in walk_errors(survey, 3).items():
        assert found().expected[name].rounds == tuple(REACH * error for error in errors if error is not None)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('kind = "mean"', 'kind = "quantile"', "'threshold', 'mean' or 'total' where noise walks"),
        ("at = 100_000 }", "at = 100_000, width = 5_000 }", "'blur' says how counting fades"),
        ("at = 100_000 }", 'at = 100_000, edge = "smooth" }', "'blur' says how counting fades"),
        ("at = 100_000 }", "at = 100_000, plain = true }", "no plain answers"),
        ("walk = { rounds = 3 }", "", "blur"),
        ("rounds = 3", "rounds = 1", "rounds"),
        ("rounds = 3", "rounds = 367", "rounds"),
    ],
)
def test_what_does_not_fit_a_walk_is_one_sentence(old: str, new: str, words: str) -> None:
    text = INCOMES.replace(old, new)
    if not new:
        text = text.replace("at = 100_000 }", "at = 100_000, blur = 9_000 }")
    with pytest.raises(InvalidParameter, match=words):
        gp.Survey.parse(text)


def test_a_walk_in_a_plane_is_refused_where_it_stands() -> None:
    text = INCOMES.replace('kind = "line"', 'kind = "plane"').replace("[0, 200_000]", "[[0, 1], [0, 1]]")
    with pytest.raises(InvalidParameter, match="'line' or 'log' where noise walks"):
        gp.Survey.parse(text.replace('["income"]', '["x", "y"]'))


def test_a_share_that_noise_would_drown_is_refused_with_what_would_do() -> None:
    narrow = INCOMES.replace("at = 100_000 }", "at = 100_000, blur = 1_000 }")
    with pytest.raises(InvalidParameter, match=r"'rich' can be told by walking noise in .* of 3 rounds"):
        plan_walk(gp.Survey.parse(narrow))
    with pytest.raises(InvalidParameter, match=r"table \[walk\]"):
        gp.plan(gp.Survey.parse(INCOMES))
    with pytest.raises(InvalidParameter, match=r"table \[walk\]"):
        plan_walk(gp.Survey.parse(INCOMES.replace("walk = { rounds = 3 }", "").replace("rich", "some")))


def test_a_walk_from_a_survey_to_devices_to_estimates_of_each_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("survey.toml").write_text(INCOMES)
    assert run("plan", "survey.toml") == 0
    shown = capsys.readouterr().out
    assert "Promise on trajectories" in shown
    assert "round 3 ±" in shown
    assert run("plan", "survey.toml", "--rounds", "2") == 2
    assert "rounds of its own" in capsys.readouterr().err
    assert run("plan", "survey.toml", "--json") == 0
    assert len(json.loads(capsys.readouterr().out)["questions"][0]["half_widths"]) == 3
    people = [Client("design.json", f"{k}.sqlite", allowed(unit="USD", most_rounds=3)) for k in range(5)]
    for t in (1, 2):
        Path(f"round{t}.ndjson").write_text("".join(f"{one.report(5e4, round=t)}\n" for one in people))
        assert run("estimate", "design.json", f"round{t}.ndjson", "-o", f"{t}.json", "--page", f"{t}.html") == 0
    page = " ".join(Path("2.html").read_text(encoding="utf-8").split())
    assert "Each move that one makes and the other does not counts as much again" in page
    assert "told apart from one report" not in page
    assert "is all that it gives away" not in page
    capsys.readouterr()
    assert run("compare", "1.json", "2.json") == 0
    assert "all rounds of this walk together promise" in " ".join(capsys.readouterr().out.split())
    assert run("estimate", "design.json", "round1.ndjson", "round2.ndjson", "-o", "x.json", "--no-page") != 0
    assert "Got rounds 1, 2" in capsys.readouterr().err
    Path("people.csv").write_text("income\n5\n")
    assert run("privatize", "design.json", "people.csv") == 2
    assert "answered by devices" in capsys.readouterr().err
