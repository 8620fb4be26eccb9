"""One table for several queries on a line: its promise, what letters count, and who reads it.

Statistical checks: fixed seeds, |z| ≤ 5.5 (error rate 4e-8 a comparison), and planted faults that they must catch.
"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import geopriv as gp
from geopriv.device.mechanisms import DeviceTable, read_mechanism
from geopriv.device.values import read_value
from geopriv.mechanisms import VectorTable
from geopriv.mechanisms.counts import Counts
from geopriv.mechanisms.table.vector_letters import followers, lattice_for
from geopriv.mechanisms.table.vector_program import Task
from geopriv.noise.keyed import Keyed
from geopriv.spaces.checks import FloatArray

USD = gp.Line("USD")
ASKED = (gp.Threshold(50_000, 8_000, USD), gp.Threshold(60_000, 8_000, USD))
EPSILON = 1 / 8000
LIMIT = 5.5


@cache
def made() -> VectorTable:
    return VectorTable.calibrate(ASKED, EPSILON)


def test_every_query_is_followed_wherever_people_are() -> None:
    table, x = made(), np.linspace(-1e5, 2e5, 4001)
    assert table.unbiased
    for query in ASKED:
        assert np.abs(table.moments(x, query)[0]).max() < 1e-8
        assert table.largest_bias(query) < 1e-8


def test_what_letters_count_is_off_and_said_to_be() -> None:
    table = made()
    off = replace(table, vectors=table.vectors + 1e-3)
    assert not off.unbiased
    assert off.largest_bias(ASKED[1]) == pytest.approx(1e-3, rel=1e-3)
    assert off.largest_bias(ASKED[0]) < 1e-8
    assert off.target_of(ASKED[1])(0.0) == pytest.approx(1e-3, rel=1e-3)


def test_the_promise_is_audited_on_the_integers() -> None:
    table = made()
    assert gp.audit(table).passed
    assert Fraction(999, 1000) < table.worst_step[0] <= 1
    boast = replace(table.guarantee, epsilon=table.guarantee.epsilon * 0.999)
    assert not gp.audit(replace(table, guarantee=boast)).passed
    weights = table.weights.copy()
    place = int(weights[:, 0].argmax())
    moved = weights[place, 0] // 3
    weights[place] += np.where(np.arange(weights.shape[1]) == 0, -moved, 0)
    weights[place, 1] += moved
    assert not gp.audit(replace(table, weights=weights)).passed


def contributions(x: float, n: int, seed: int) -> FloatArray:
    """Of n people at x, shape (n, queries)."""
    values = made().simulate(np.full(n, x), np.random.default_rng(seed)).values
    return np.stack([made().contributions(values, query) for query in ASKED], axis=1)


@pytest.mark.parametrize("x", [30_000.0, 51_000.0, 55_000.0, 62_500.0])
def test_means_and_variances_of_all_queries_are_those_of_simulation(x: float) -> None:
    n = 100_000
    drawn = contributions(x, n, 11)
    for k, query in enumerate(ASKED):
        _, variance = made().moments([x], query)
        assert abs(drawn[:, k].mean() - float(query(x))) < LIMIT * np.sqrt(variance[0] / n)
        squares = (drawn[:, k] - float(query(x))) ** 2
        assert abs(squares.mean() - variance[0]) < LIMIT * squares.std() / np.sqrt(n)
        assert abs(squares.mean() - 1.2 * variance[0]) > LIMIT * squares.std() / np.sqrt(n)  # the planted fault


def test_sums_of_counted_reports_are_those_of_their_contributions() -> None:
    table, x = made(), np.random.default_rng(1).uniform(30_000, 80_000, 5000)
    values = table.simulate(x, np.random.default_rng(2)).values
    letters, times = np.unique(table.written(values)[:, 0], return_counts=True)
    question = gp.Distribution("by income", (50_000.0, 60_000.0), 8_000.0, USD, edge="linear")
    assert question.queries == ASKED
    sums = table.sums(Counts(letters[:, None], times), question, [1, 0])
    each = np.stack([table.contributions(values, query) for query in (ASKED[1], ASKED[0])])
    np.testing.assert_allclose(sums.means, each.mean(axis=1), atol=1e-10)
    assert isinstance(sums.covariance, np.ndarray)
    np.testing.assert_allclose(sums.covariance, np.cov(each), rtol=1e-9)
    np.testing.assert_allclose(sums.variances, np.diag(sums.covariance), rtol=1e-12)
    assert (sums.low <= each.min(axis=1)).all()
    assert (sums.high >= each.max(axis=1)).all()


def test_its_document_round_trips_and_a_device_draws_its_letters() -> None:
    table = made()
    document = json.loads(json.dumps(table.to_document()))
    assert document["type"] == "VectorTable"
    assert VectorTable.from_document(document) == table
    device = read_mechanism(document, "mechanisms[0]")
    assert isinstance(device, DeviceTable)
    assert device.spent == table.worst_step[0]
    people, names = np.linspace(30_000.0, 80_000.0, 60), [str(k).encode() for k in range(60)]
    letters = table.draw(table.space.read_rows(people)[0], Keyed(names, bytes(32)))
    for name, person, letter in zip(names, people.tolist(), letters, strict=True):
        drawn = device.draw(read_value(device.space, person), Keyed([name], bytes(32)).bytes)
        assert drawn == tuple(letter.tolist())


@pytest.mark.parametrize(
    ("key", "value", "match"),
    [
        ("vectors", [], "vectors"),
        ("vectors", [[0.0]], "vectors"),
        ("vectors", [["0"] * 99], "vectors"),
        ("vectors", {}, "vectors"),
        ("others", {}, "others"),
        ("others", [1], "others"),
        ("others", [], "others|vectors"),
    ],
)
def test_a_document_that_is_none_is_refused(key: str, value: Any, match: str) -> None:
    document = json.loads(json.dumps(made().to_document())) | {key: value}
    for read in (lambda: VectorTable.from_document(document), lambda: read_mechanism(document, "mechanisms[0]")):
        with pytest.raises(gp.InvalidDesign, match=match):
            read()


def test_a_device_refuses_one_that_breaks_its_promise() -> None:
    table = made()
    boast = replace(table, guarantee=replace(table.guarantee, epsilon=table.guarantee.epsilon * 0.999))
    with pytest.raises(gp.InvalidDesign, match="breaks its promise"):
        read_mechanism(json.loads(json.dumps(boast.to_document())), "mechanisms[0]")


@pytest.mark.parametrize(
    ("queries", "match"),
    [
        ([gp.Threshold(0.0, 1.0)], "2 to 8"),
        ([gp.Threshold(float(k), 1.0) for k in range(9)], "2 to 8"),
        ([gp.Threshold(0.0, 1.0), gp.Threshold(1.0, 1.0, edge="smooth")], "straight pieces"),
        ([gp.Threshold(0.0, 1.0), gp.Threshold(100.0, 1.0)], "within 40/ε"),
        ([gp.Threshold(0.0, 1.0), gp.Threshold(1e-5, 1.0)], "equal or at least"),
        ([gp.Threshold(0.0, 0.01), gp.Threshold(1.0, 1.0)], "rises by more than"),
        ([gp.Score((1.0, 1.0), 0.0, 1.0), gp.Score((1.0, 0.0), 0.0, 1.0)], "on a line"),
        ([gp.GaussianKernel(0.0, 1.0), gp.GaussianKernel(1.0, 1.0)], "straight pieces"),
        ([gp.Threshold(0.0, 1.0), gp.Threshold(0.0, 1.0, USD)], "space"),
    ],
)
def test_what_it_cannot_answer_is_refused(queries: list[gp.queries.Query], match: str) -> None:
    with pytest.raises(gp.InvalidParameter, match=match):
        VectorTable.calibrate(queries, 1.0)


def test_it_answers_only_what_was_asked() -> None:
    table = made()
    other = gp.Threshold(70_000, 8_000, USD)
    assert table.answers(ASKED[1])
    assert not table.answers(other)
    for query in (other, None):
        with pytest.raises(gp.InvalidParameter, match="asked"):
            table.contributions(table.values, query)
    with pytest.raises(gp.InvalidParameter, match="values of the table"):
        table.contributions(table.values + 0.01, ASKED[0])


def test_the_same_queries_elsewhere_and_at_another_rate_have_the_same_integers() -> None:
    other = VectorTable.calibrate([gp.Threshold(3.0, 1.0), gp.Threshold(4.25, 1.0)], 1.0)
    np.testing.assert_array_equal(other.weights, made().weights)
    np.testing.assert_allclose(other.vectors[0], made().vectors[0], atol=1e-9)


def test_letters_that_fall_off_on_both_sides_follow_any_straight_pieces() -> None:
    """The stencil on cells of any widths: rows sum to 1, ratios are those of T5, and means are f."""
    rng = np.random.default_rng(8)
    for _ in range(20):
        points = np.cumsum(rng.uniform(0.05, 4.0, 9))
        f = rng.normal(size=(9, 3))
        ratio = 1 / (1 + np.diff(points))
        chain = np.array([[np.prod(ratio[min(i, j) : max(i, j)]) for j in range(9)] for i in range(9)])
        law = chain * np.linalg.solve(chain, np.ones(9))
        assert (law > 0).all()
        np.testing.assert_allclose(law.sum(axis=1), 1.0, atol=1e-12)
        np.testing.assert_allclose(law @ followers(points, f), f, atol=1e-9)


def test_rounds_never_make_a_program_worse_and_improve_it() -> None:
    knots = np.array([-0.25, 0.25, 0.75, 1.25])
    lattice = lattice_for(knots, 0.25)
    heights = np.stack([np.interp(lattice, knots[:2], [0, 1]), np.interp(lattice, knots[2:], [0, 1])], axis=1)
    task = Task(lattice, heights, np.gradient(lattice) / np.gradient(lattice).sum(), np.full(2, 0.5))
    at = np.concatenate([lattice[:1], knots, lattice[-1:]])
    first = followers(at, np.array([np.interp(at, lattice, column) for column in heights.T]).T)
    before = task.least(first).square
    letters, _ = task.letters(first, 3)
    assert task.least(letters).square < 0.85 * before
