"""Queries that are calculated from queries: the same numbers as by hand, certified slopes, and what cannot be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import geopriv as gp
from geopriv.smooth.cells import cells_of
from geopriv.spaces.checks import FloatArray
from tests.rows import CITY, EARTH, PARK, PLANE

FIRST, SECOND = gp.Ball((0.0, 0.0), 3.0, 2.0, PLANE), gp.Ball((2.5, 1.0), 3.0, 1.0, PLANE)
FENCE, CORNER = gp.Geofence(PARK, 0.4, PLANE), gp.Range(-3.0, 4.0, 2.0, edge="smooth")
X = np.random.default_rng(0).uniform(-7, 9, (4_000, 2))

MADE: dict[str, tuple[gp.queries.Query, FloatArray]] = {
    "product": (FIRST * SECOND, FIRST(X) * SECOND(X)),
    "sum": (FIRST + SECOND, FIRST(X) + SECOND(X)),
    "a number times": (0.3 * FIRST, 0.3 * FIRST(X)),
    "the others": (1 - FIRST, 1 - FIRST(X)),
    "difference": (FIRST - SECOND, FIRST(X) - SECOND(X)),
    "minimum": (gp.minimum(FIRST, SECOND, FENCE), np.minimum(np.minimum(FIRST(X), SECOND(X)), FENCE(X))),
    "maximum": (gp.maximum(FIRST, 0.5 * FENCE), np.maximum(FIRST(X), 0.5 * FENCE(X))),
    "one of them alone": (FIRST * (1 - SECOND), FIRST(X) * (1 - SECOND(X))),
    "with a function": (
        FIRST * gp.Function(lambda x, y: np.exp(-(x**2) / 8) + 0 * y, PLANE, ((-9, -9), (9, 9))),
        FIRST(X) * np.exp(-(np.clip(X[:, 0], -9, 9) ** 2) / 8),
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_answers_are_calculated(name: str) -> None:
    query, expected = MADE[name]
    np.testing.assert_allclose(query(X), expected, atol=1e-12)


@pytest.mark.parametrize("name", MADE)
def test_no_slope_is_beyond_its_bound_and_no_value_beyond_its_ends(name: str) -> None:
    query, _ = MADE[name]
    cells, step = cells_of(query, 0.2), 1e-5
    slopes = np.stack([(query(X + step * way) - query(X - step * way)) / (2 * step) for way in np.eye(2)])
    assert (np.hypot(*slopes) <= cells.at(X) + 1e-6).all()
    least, most = query.bounds
    assert least <= query(X).min()
    assert query(X).max() <= most


@pytest.mark.parametrize("name", ["product", "minimum", "one of them alone", "with a function"])
def test_a_calculated_query_is_promised_reported_and_estimated(name: str) -> None:
    query, _ = MADE[name]
    mechanism = gp.LeastScaleT.calibrate(query, 1.0, df=3.5, cells=0.25)
    assert gp.audit(mechanism).passed
    assert gp.audit(mechanism).worst_ratio > 0.9
    answer = gp.estimate(mechanism, mechanism.simulate(X, np.random.default_rng(1)))
    assert abs(answer.value - query(X).mean()) < 5 * answer.standard_error
    for row, value in zip(X[:20].tolist(), query(X[:20]).tolist(), strict=True):
        ball = query.enclose_answer(row)
        assert abs(float(ball.mid()) - value) < 1e-9
    assert mechanism.report(X[:20]).values.shape == (20,)


def test_a_soft_rectangle_is_a_product_of_scores_in_a_box() -> None:
    """Half planes change without end, so the box is named; outside of it f is at the nearest point of the box."""
    sides = [gp.Score((1.0, 0.0), -3.0, 2.0, PLANE), gp.Score((-1.0, 0.0), -3.0, 2.0, PLANE)]
    sides += [gp.Score((0.0, 1.0), -5.0, 2.0, PLANE), gp.Score((0.0, -1.0), -5.0, 2.0, PLANE)]
    product = sides[0] * sides[1] * sides[2] * sides[3]
    with pytest.raises(gp.InvalidParameter, match="box=…"):
        gp.LeastScaleT.calibrate(product, 1.0)
    inside = gp.Function(product, box=((-20, -20), (20, 20)))
    assert inside.space == PLANE
    x = np.random.default_rng(1).uniform(-20, 20, (3_000, 2))
    np.testing.assert_allclose(inside(x), product(x), atol=1e-12)
    mechanism = gp.LeastScaleT.calibrate(inside, 1.0)
    assert mechanism.variance(x).mean() < 0.15
    assert gp.audit(mechanism).passed


def test_on_a_line_and_on_a_map_queries_calculate_too() -> None:
    usd = gp.Line("USD")
    two = gp.Range(-3.0, 4.0, 2.0, space=usd) + gp.Range(8.0, 12.0, 2.0, space=usd, edge="smooth")
    assert gp.audit(gp.LeastScaleT.calibrate(two, 1.0, df=3.5)).passed
    ring = gp.Ball((40.7, -74.0), 6_000.0, 2_000.0, CITY) - gp.Ball((40.7, -74.0), 3_000.0, 1_000.0, CITY)
    assert gp.audit(gp.SmoothT.calibrate(ring, 1e-3, cells=0.5)).passed


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: FIRST * "b", "finite number"),
        (lambda: FIRST + float("nan"), "finite number"),
        (lambda: FIRST * gp.Threshold(0.0, 1.0), "on one space"),
        (lambda: gp.Ball((40.7, -74.0), 3e3, 1e3, EARTH) * 2.0, "LocalPlane"),
        (lambda: gp.minimum(1.0, 2.0), "at least one query"),
        (lambda: cells_of(gp.Blurred(FIRST, 1.0) * FIRST, 0.5), "on a box"),
        (lambda: cells_of(gp.LipschitzQuery(np.sin, 1.0) * 2.0, 0.5), "box"),
    ],
)
def test_what_cannot_be_calculated_gets_a_sentence(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(gp.InvalidParameter, match=words):
        make()
