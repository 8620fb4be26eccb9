"""Two waves: changes are held as often as their intervals say, and what both give away is the sum."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import geopriv as gp
from geopriv.commands.populations import income_quantiles
from geopriv.reports.files import ReportBatch
from geopriv.spaces.checks import FloatArray

USD = gp.Line("USD")
SHARE = gp.Share("above 100,000 USD", gp.Threshold(100_000, 32_000, USD, "smooth"), reach=6_000)
CURVE = gp.Distribution("curve", (50_000.0, 100_000.0, 200_000.0), 32_000.0, USD, reach=6_000)
LATTICE = gp.Lattice.on_grid(USD, 1 / 8000, 800.0)
DESIGN = gp.Design("incomes", (LATTICE,), questions=(SHARE, CURVE))
SURVEYS = 300
MOST_MISSES = 36  # of 300 that miss with a probability of 5 % each, more do so with one below 1e-6


@cache
def reported(grown: float, seed: int, n: int = 4_000) -> FloatArray:
    rng = np.random.default_rng(seed)
    return LATTICE.simulate(rng.choice(income_quantiles(2_000) * grown, n), rng).values


def wave(grown: float, seed: int, questions: gp.Design = DESIGN) -> gp.Answers:
    tally = gp.Tally(questions)
    tally.add(ReportBatch(0, reported(grown, seed).astype(np.int64).reshape(-1, 1)))
    return gp.estimate(questions, tally)


def test_intervals_of_changes_hold_them_as_often_as_they_say() -> None:
    """The planted fault is an interval of the second wave alone, taken for one of the change."""
    people = income_quantiles(2_000)
    plain = [(people * grown >= 100_000).mean() for grown in (1.0, 1.1)]
    soft = [SHARE.query(people * grown).mean() for grown in (1.0, 1.1)]
    missed, fault, plainly = 0, 0, 0
    for k in range(SURVEYS):
        first, second = wave(1.0, 2 * k), wave(1.1, 2 * k + 1)
        found = gp.answers.compare(first, second)["above 100,000 USD"]
        missed += not found.soft.low <= soft[1] - soft[0] <= found.soft.high
        assert found.plain is not None
        plainly += not found.plain.low <= plain[1] - plain[0] <= found.plain.high
        half = second.answers[0].estimates.high - second.answers[0].estimates.values
        fault += not abs(found.values - (soft[1] - soft[0])) <= half
    assert missed <= MOST_MISSES
    assert plainly <= MOST_MISSES
    assert fault > MOST_MISSES


def test_the_same_people_have_longer_intervals_and_spend_the_sum() -> None:
    first, second = wave(1.0, 1), wave(1.1, 2)
    apart, same = (gp.answers.compare(first, second, together) for together in (False, True))
    errors = [one.answers[0].estimates.standard_errors for one in (first, second)]
    assert apart.changes[0].standard_errors == pytest.approx(np.hypot(*errors))
    assert same.changes[0].standard_errors == pytest.approx(sum(errors))
    assert same.guarantee.epsilon == 2 / 8000
    assert same.to_document()["epsilon_of_both"] == 2 / 8000


def test_only_questions_that_both_ask_are_compared() -> None:
    other = gp.Share("above 100,000 USD", gp.Threshold(100_000, 16_000, USD, "smooth"))
    design = gp.Design("incomes", (LATTICE,), questions=(other, replace(CURVE, reach=4_000.0)))
    found = gp.answers.compare(wave(1.0, 1), wave(1.1, 2, design))
    assert [change.question.name for change in found.changes] == ["curve"]
    assert found.left_out == ("above 100,000 USD",)
    with pytest.raises(KeyError):
        found["above 100,000 USD"]


def test_what_cannot_be_compared_is_refused() -> None:
    first = wave(1.0, 1)
    with pytest.raises(gp.InvalidParameter, match="space of the first"):
        gp.answers.compare(first, replace(first, space=gp.Line("EUR")))
    with pytest.raises(gp.InvalidParameter, match="question of the first"):
        gp.answers.compare(first, replace(first, answers=()))
    tally = gp.Tally(DESIGN)
    tally.add(ReportBatch(0, reported(1.0, 1).astype(np.int64).reshape(-1, 1)))
    with pytest.raises(gp.InvalidParameter, match="confidence"):
        gp.answers.compare(first, gp.estimate(DESIGN, tally, confidence=0.9))


def test_the_command_prints_changes_and_the_sum(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from geopriv.commands.compare import compare

    wave(1.0, 1).write(tmp_path / "a.json")
    wave(1.1, 2).write(tmp_path / "b.json")
    compare(tmp_path / "a.json", tmp_path / "b.json")
    text = capsys.readouterr().out.replace("\u202f", " ")
    assert "above 100,000 USD (95 % confidence):\n  changed by " in text
    assert "counting people within 16,000 USD of the line in part:\n    +" in text
    assert text.count("in part") == 2  # once for the share, once for the curve
    assert "\n   50,000 USD  " in text
    assert "given away the sum: 0.00025 per USD" in text


def test_a_file_named_twice_is_said_to_be_the_same() -> None:
    from geopriv.pages.comparison import comparison_text

    assert "a file named twice" in comparison_text(gp.answers.compare(wave(1.0, 1), wave(1.0, 1)))
    assert "named twice" not in comparison_text(gp.answers.compare(wave(1.0, 1), wave(1.0, 2)))


def test_a_design_is_not_taken_for_estimates(tmp_path: Path) -> None:
    DESIGN.write(tmp_path / "design.json")
    with pytest.raises(gp.InvalidParameter, match=r"design.json is a design, not estimates"):
        gp.Answers.read(tmp_path / "design.json")


def test_those_who_are_counted_must_be_the_same() -> None:
    first = wave(1.0, 1)
    with pytest.raises(gp.InvalidParameter, match="first estimates count people, the second households"):
        gp.answers.compare(first, replace(first, counted="households"))
