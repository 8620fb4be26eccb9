"""Means, quantiles and totals by group: with their units, each in a table of its own, and what is left out is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import geopriv as gp
from geopriv.answers.comparison import Comparison, compare
from geopriv.pages.comparison import comparison_text
from geopriv.pages.groups import group_lines, group_tables
from geopriv.queries import Question
from geopriv.queries.total import Total
from geopriv.surveys.design import Design
from tests.answers.test_group_values import ABOVE, LATTICE, LINE, MEAN, MEDIAN, counted, design
from tests.answers.test_groups import NAMES, SIZES

QUARTILES = gp.Quantile("quartiles", (0.25, 0.5, 0.75), LINE, -10.0, 10.0, reach=1.0)
CURVE = gp.Distribution("curve", (-2.0, 0.0, 2.0), 4.0, LINE)
WEALTH = Total("all wealth", 10_000_000.0, gp.queries.Value((1.0,), LINE), "wealth", (-10.0,), (10.0,))


def answered(*questions: Question, weights: tuple[float, ...] = SIZES) -> gp.Answers:
    groups = gp.queries.Groups("county", NAMES, weights)
    source = gp.Source((), (-10.0,), (10.0,))
    made = Design("by county", (LATTICE,), (), questions, source, groups, "households")
    return gp.estimate(made, counted(made, 1))


def test_means_and_sums_by_group_have_a_unit_and_one_interval(tmp_path: Path) -> None:
    answers = answered(MEAN, WEALTH)
    mean, wealth = group_tables(answers)
    assert not mean.has_soft
    assert not wealth.has_soft
    assert all(row.plain.endswith("\u202fUSD") for row in (*mean.rows, *wealth.rows))
    assert "," in wealth.rows[0].plain
    answers.write_page(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "e+0" not in page
    assert "near the edge" not in page.split('id="groups"')[1].split("</section>")[0]


def test_people_counted_by_group_are_who_the_survey_counts() -> None:
    answers = answered(ABOVE)
    (table,) = group_tables(answers)
    assert all(row.soft.endswith("\u202fhouseholds") for row in table.rows)
    assert "people" not in str(answers)
    assert "people" not in answers._repr_html_().split("</style>")[1]


def test_each_quantile_of_a_group_is_shown() -> None:
    answers = answered(MEDIAN, QUARTILES)
    names = [table.name for table in group_tables(answers)]
    assert names == ["median", "quartiles, lower quartile", "quartiles, median", "quartiles, upper quartile"]
    assert sum("quartiles, upper quartile: " in line and "USD" in line for line in group_lines(answers)) == len(NAMES)
    assert not any("estimates.json" in line for line in group_lines(answers))


def test_curves_of_groups_are_said_to_be_in_the_file() -> None:
    said = group_lines(answered(CURVE, MEDIAN))
    assert "  All values of “curve” by group are in estimates.json." in said


@pytest.mark.parametrize("others", [(), (MEAN,)])
def test_totals_by_group_without_known_sizes_are_said_to_be_left_out(others: tuple[Question, ...]) -> None:
    answers = answered(ABOVE, *others, weights=())
    assert [table.name for table in group_tables(answers)] == [question.name for question in others]
    said = "\n".join(group_lines(answers))
    assert "“how many above” cannot be told by group: that takes how many households each group has" in said
    assert "too few" not in said


def compared(*questions: Question, simultaneous: tuple[bool, bool] = (False, False)) -> Comparison:
    made = design(*questions)
    first, second = (
        gp.estimate(made, counted(made, seed), simultaneous=together)
        for seed, together in zip((1, 2), simultaneous, strict=True)
    )
    return compare(first, second)


def test_waves_are_compared_in_each_group() -> None:
    found = compared(MEAN, QUARTILES, CURVE, simultaneous=(True, True))
    assert list(found.groups) == list(NAMES)
    assert [group["name"] for group in found.to_document()["groups"]] == list(NAMES)
    text = comparison_text(found)
    assert "By group (95 % confidence, in all groups at once):\n  Kings\n    mean: " in text
    assert text.count("quartiles, lower quartile: ") == len(NAMES)
    assert "place 1" not in text
    assert "Changes of 'curve' by group are in --json." in text


def test_groups_of_another_confidence_are_not_compared() -> None:
    found = compared(MEAN, simultaneous=(True, False))
    assert not found.groups
    assert "Groups are not compared" in comparison_text(found)


def test_a_mean_changed_by_one_interval_with_the_sides_of_both() -> None:
    """The sides of the two intervals are put together as errors are; of the same people they are added."""
    found = compared(MEAN)
    early, late = (wave["mean"] for wave in (found.first, found.second))
    assert early.plain is not None
    assert late.plain is not None
    change = found["mean"]
    sides = late.estimates.values - late.plain.low, early.plain.high - early.estimates.values
    assert change.plain is None
    assert float(change.values - change.soft.low) == pytest.approx(float(np.hypot(*sides)))
    same = compare(found.first, found.second, same_people=True)["mean"]
    assert float(same.soft.low) == pytest.approx(float(late.plain.low - early.plain.high))
    assert comparison_text(found).split("mean (95 % confidence):\n")[1].splitlines()[0].count(" to ") == 1


def test_a_confidence_in_all_groups_at_once_has_few_digits() -> None:
    made = design(MEAN, ABOVE)
    one = gp.estimate(made, counted(made, 1), simultaneous=True).group("Kings")
    for text in (str(one), one._repr_html_().replace("\u202f", " ")):
        assert "98.3 %" in text
        assert "98.30" not in text
