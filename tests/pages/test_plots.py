"""Figures: what artists hold is what the page says, in its unit and its colours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import geopriv as gp
from geopriv.pages.density import Density
from geopriv.pages.drawings import palette
from tests.answered import CITY, HASH, answer, city, incomes
from tests.designs import table_design

INCOMES, CITY_ANSWERS = incomes(people=3_000), city(people=20_000, side=9)


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    pyplot.close("all")


def test_a_share_is_a_point_with_its_interval_and_a_bar_for_the_plain_answer() -> None:
    share = replace(INCOMES.answers[0], plain=gp.answers.Band(np.asarray(0.4), np.asarray(0.5)))
    axes = Figure().subplots()
    assert share.plot(ax=axes) is axes
    point, _, (whisker,) = axes.containers[1]
    assert point.get_xdata().tolist() == [100 * float(share.estimates.values)]
    ends = whisker.get_segments()[0][:, 0]
    np.testing.assert_allclose(ends, [100 * float(share.estimates.low), 100 * float(share.estimates.high)])
    (bar,) = axes.patches
    assert (bar.get_x(), bar.get_width()) == (40.0, 10.0)
    assert to_hex(bar.get_facecolor()) == palette()["each"]
    assert axes.get_xlabel() == "% of people"


def test_a_curve_is_a_line_in_its_band() -> None:
    curve = INCOMES.answers[3]
    axes = curve.plot(ax=Figure().subplots())
    (line,) = axes.lines
    at = curve.question.at  # type: ignore[attr-defined] # a Distribution
    np.testing.assert_array_equal(line.get_xdata(), at)
    np.testing.assert_array_equal(line.get_ydata(), 100 * curve.estimates.values)
    assert to_hex(line.get_color()) == palette()["accent"]
    assert curve.band is not None
    band, each = (part.get_paths()[0].vertices[:, 1] for part in axes.collections)
    np.testing.assert_allclose([band.min(), band.max()], [100 * curve.band.low.min(), 100 * curve.band.high.max()])
    np.testing.assert_allclose(each.max(), 100 * curve.estimates.high.max())
    assert axes.get_xlabel() == "USD"


def test_a_map_is_a_mesh_of_densities_in_degrees_without_what_cannot_be_told_from_zero() -> None:
    chart = CITY_ANSWERS["Where people were"]
    axes = chart.plot(ax=Figure().subplots())
    (mesh,) = axes.collections
    page = Density.of(chart)
    shown = mesh.get_array()
    np.testing.assert_array_equal(shown.mask, ~page.told)
    np.testing.assert_array_equal(shown.compressed(), page.values[page.told])
    corners = mesh.get_coordinates().reshape(-1, 2)
    south, west = CITY.values(np.array([-22_000 - 2_750, -21_000 - 2_625.0]))
    np.testing.assert_allclose(corners[0], [west, south])
    assert mesh.get_cmap().name == "viridis"
    bar = axes.figure.axes[1]
    assert bar.get_ylabel().startswith(f"% of people per {page.square};")


def test_quantiles_stand_below_each_other_with_their_levels() -> None:
    question = gp.Quantile("quartiles", (0.25, 0.75), gp.Line("USD"), 0.0, 1e6, 1e4)
    axes = answer(question, [3e4, 9e4], [1e3, 2e3], 500).plot(ax=Figure().subplots())
    assert [label.get_text() for label in axes.get_yticklabels()] == ["25 %", "75 %"]
    assert axes.containers[0][0].get_xdata().tolist() == [3e4, 9e4]
    assert axes.get_xlabel() == "USD"


def test_all_answers_are_drawn_each_on_its_own_axes() -> None:
    drawn = INCOMES.plot()
    assert [axes.get_title() for axes in drawn] == [found.question.name for found in INCOMES.answers]
    given = Figure().subplots(2, 2)
    assert INCOMES.plot(ax=given)[3] is given[1, 1]
    with pytest.raises(gp.InvalidParameter, match="as many axes as there are answers, 4"):
        INCOMES.plot(ax=Figure().subplots())


def test_what_was_asked_after_collecting_says_so() -> None:
    later = replace(INCOMES.answers[0], asked_after=True)
    assert later.plot().get_title().endswith("(asked after collecting)")


def test_a_design_shows_its_promise() -> None:
    design = table_design()
    (line,) = design.plot().lines
    distances, factors = line.get_xdata(), line.get_ydata()
    np.testing.assert_allclose(factors, np.exp(design.guarantee.epsilon * distances))
    assert design.plot(ax := Figure().subplots()) is ax


def test_a_plan_shows_the_error_of_each_option_and_marks_its_choice() -> None:
    found = gp.plan(gp.Threshold(0.0, 2.0), 1.0, 1_000, mechanisms=("LipschitzLaplace", "InputLaplace"))
    axes = found.plot(ax=Figure().subplots())
    assert [bar.get_width() for bar in axes.patches] == [option.error for option in found.options]
    marked = [to_hex(bar.get_facecolor()) == palette()["accent"] for bar in axes.patches]
    assert marked.index(True) == found.options.index(found.best)


def test_a_log_space_has_a_log_axis() -> None:
    question = gp.Distribution("curve", (1e3, 1e4, 1e5), 1.0, gp.LogLine(2.0))
    one = answer(question, [0.9, 0.5, 0.1], [0.01] * 3, 100)
    found = gp.Answers("log", HASH, gp.Guarantee(1.0, unit="factor 2"), question.space, (one,), 100)
    assert found.plot()[0].get_xscale() == "log"
