"""Plans that let far questions share a report: which do, what is predicted, and what is said of it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import geopriv as gp
from geopriv.mechanisms import SharedTables
from geopriv.mechanisms.shared.colours import colourings, gaps
from geopriv.surveys.planning.workload import Workload
from tests.rows import PLANE

PEOPLE = 50_000
TOWN = np.random.default_rng(0).uniform((-3.0, -3.0), (21.0, 12.0), (2000, 2))
FAR = tuple(gp.Ball((x, y), 1.0, 1.0, PLANE) for x, y in ((0.0, 0.0), (9.0, 0.0), (18.0, 0.0), (9.0, 9.0)))
BESIDE = gp.Ball((2.5, 0.0), 1.0, 1.0, PLANE)


@cache
def planned(near: bool) -> gp.surveys.SurveyPlan:
    queries = (*FAR, BESIDE) if near else FAR
    questions = tuple(gp.Share(f"area {k}", query, plain=False) for k, query in enumerate(queries))
    survey = gp.Survey("areas", PLANE, 1.0, questions, PEOPLE, prior=gp.Prior.sample(TOWN))
    return gp.plan(survey)


def test_far_areas_share_one_report_that_everybody_answers() -> None:
    found = planned(near=False)
    assert found.option.name == "SharedTables, shared report"
    assert "everyone answers all 4 queries, which are far apart, in one report" in found.why
    (mechanism,) = found.design.mechanisms
    assert isinstance(mechanism, SharedTables)
    split = next(option for option in found.plan.options if option.mechanism == "Table")
    assert np.mean(found.standard_errors(split) ** 2) > 3 * np.mean(found.standard_errors() ** 2)


def test_what_is_predicted_is_the_mechanisms_own_variance() -> None:
    found = planned(near=False)
    (mechanism,) = found.design.mechanisms
    for k, query in enumerate(FAR):
        own = mechanism.moments(TOWN, query)[1].mean() / PEOPLE
        assert found.option.variances[k] == pytest.approx(own, rel=1e-6)
        assert found.expected(found.survey.questions[k]) <= found.worst(found.survey.questions[k])


def test_areas_that_are_near_each_other_are_of_different_classes() -> None:
    found = planned(near=True)
    assert found.option.name == "SharedTables, shared reports"
    assert "one class of the 5 queries" in found.why
    assert len(found.design.mechanisms) == 2
    apart = {found.design.answering(query) for query in (FAR[0], BESIDE)}
    assert apart == {0, 1}
    assert gp.audit(found.design).passed


def test_areas_that_are_all_near_share_nothing() -> None:
    queries = [gp.Ball((0.9 * k, 0.0), 1.0, 1.0, PLANE) for k in range(3)]
    work = Workload.of(queries, 1.0, 1000, TOWN)
    assert colourings(work.queries, work.rate) == []
    found = gp.plan(queries, 1.0, 1000, TOWN, ("LeastScaleT", "SharedTables"), for_devices=True)
    assert "SharedTables" in found.left_out


def test_gaps_are_those_between_ramps() -> None:
    assert gaps(FAR)[0, 1] == pytest.approx(9.0 - 3.0)
    assert gaps((FAR[0], BESIDE))[0, 1] == pytest.approx(2.5 - 3.0)
