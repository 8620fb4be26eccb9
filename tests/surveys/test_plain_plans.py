"""Plans of plain questions: the mechanism of the shortest plain intervals, and these are as long as was predicted."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import geopriv as gp
from geopriv.commands.populations import income_quantiles, synthetic_city
from geopriv.reports.files import ReportBatch
from geopriv.spaces.checks import FloatArray

USD = gp.Line("USD")
CITY = gp.LocalPlane(40.5, -74.3, 40.95, -73.65)
INCOMES = gp.Prior.sample(income_quantiles(2_000))
AREAS = {
    "Old town": [[-73.99, 40.68], [-73.92, 40.67], [-73.90, 40.72], [-73.95, 40.74], [-73.99, 40.68]],
    "Harbour": [[-73.86, 40.73], [-73.80, 40.74], [-73.81, 40.79], [-73.87, 40.78], [-73.86, 40.73]],
}
MAP = """
name = "Areas"
epsilon = 1.0
per = "1 km"
people = 40_000
space = { kind = "map", region = { south = 40.5, west = -74.3, north = 40.95, east = -73.65 } }
"""


def above(at: float, edge: str = "smooth") -> gp.Share:
    return gp.Share(f"above {at:,.0f}", gp.Threshold(at, 32_000, USD, edge))  # type: ignore[arg-type] # one of two words


def incomes(*questions: gp.queries.Question, people: int = 50_000) -> gp.surveys.SurveyPlan:
    return gp.plan(gp.Survey("incomes", USD, 1 / 8000, questions, people, prior=INCOMES))


def answered(found: gp.surveys.SurveyPlan, people: FloatArray, rng: np.random.Generator) -> gp.Answers:
    """Of simulated reports, people being split as the design says."""
    tally = gp.Tally(found.design)
    which = rng.integers(0, len(found.design.mechanisms), len(people))
    for k, mechanism in enumerate(found.design.mechanisms):
        released = mechanism.simulate(people[which == k], rng).values
        tally.add(ReportBatch(k, mechanism.written(released)))
    return gp.estimate(found.design, tally)


def areas(tmp_path: Path, *more: str) -> gp.Survey:
    features = [
        {"type": "Feature", "properties": {"name": name}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
        for name, ring in AREAS.items()
    ]
    (tmp_path / "areas.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    queries = ('kind = "geofence"\nfile = "areas.geojson"', *more)
    text = MAP + "".join(f"\n[[query]]\n{query}\n" for query in queries)
    return gp.Survey.parse(text, str(tmp_path / "survey.toml"))


def test_one_plain_question_takes_a_table_made_for_its_bracket() -> None:
    found = incomes(above(100_000, "linear"))
    assert found.option.mechanism == "BracketTable"
    assert set(found.beside) == {"Lattice", "BracketTable"}
    assert found.beside["BracketTable"] < 0.9 * found.beside["Lattice"]
    assert "shortest plain intervals" in found.why


def test_several_thresholds_take_one_report() -> None:
    found = incomes(above(50_000), above(100_000), above(200_000))
    assert found.option.mechanism == "Lattice"
    assert all(question.reach > 0 for question in found.design.questions)


def test_plain_intervals_are_as_long_as_predicted_and_hold_the_truth() -> None:
    """The people are those of the prior. Half of an interval has a chance error of a fifth; 25 have one of 4 %."""
    rng, people = np.random.default_rng(0), np.resize(income_quantiles(2_000), 50_000)
    for questions in ((above(100_000, "linear"),), (above(50_000), above(100_000), above(200_000))):
        found, halves = incomes(*questions), list[float]()
        for _ in range(25):
            (answer, *_) = answered(found, people, rng).answers
            assert answer.plain is not None
            halves.append(float(answer.plain.high - answer.plain.low) / 2)
            truth = float((answer.question.queries[0].plain_set(people) <= 0).mean())  # type: ignore[misc]
            assert answer.plain.low <= truth <= answer.plain.high
        assert np.mean(halves) == pytest.approx(found.plain[questions[0].name], rel=0.15)


def test_a_few_areas_have_a_table_each_and_linear_borders(tmp_path: Path) -> None:
    found = gp.plan(areas(tmp_path))
    assert [type(m).__name__ for m in found.design.mechanisms] == ["BracketTable"] * 2
    assert found.option.arrangement == "people split"
    assert [type(question.queries[0]) for question in found.design.questions] == [gp.Geofence] * 2
    people = synthetic_city(40_000, np.random.default_rng(1))
    answers = answered(found, people, np.random.default_rng(2))
    for answer in answers.answers:
        assert answer.plain is not None
        truth = float((answer.question.queries[0].plain_set(CITY.read(people)) <= 0).mean())  # type: ignore[misc]
        assert answer.plain.low <= truth <= answer.plain.high
        assert answer.plain.high - answer.plain.low < 0.12


def test_areas_beside_a_map_are_blurred_and_share_its_reports(tmp_path: Path) -> None:
    survey = areas(tmp_path, 'kind = "density map"\ncells = 11')
    assert [type(question.queries[0]) for question in survey.questions[:2]] == [gp.Blurred] * 2


@pytest.mark.parametrize("key", ["blur = 700", "plain = false"])
def test_areas_that_ask_for_a_blur_or_no_plain_answer_stay_blurred(tmp_path: Path, key: str) -> None:
    ball = f'kind = "ball"\ncenter = [40.7, -73.95]\nradius = 3000\n{key}'
    assert [type(question.queries[0]) for question in areas(tmp_path, ball).questions] == [gp.Blurred] * 3
