"""Reports of every mechanism with every kind of query: exact, on the grid, and the same one by one as in bulk."""

from __future__ import annotations

import time

import numpy as np
import pytest

import geopriv as gp
from geopriv.mechanisms.shared.reports import chunk_codes
from geopriv.mechanisms.table import reports as table_reports
from geopriv.mechanisms.table.any_table import AnyTable
from geopriv.noise import plans as bulk
from geopriv.noise import student_t
from geopriv.noise.filters import UNKNOWN
from geopriv.noise.plans import Plan
from geopriv.spaces.checks import FloatArray
from geopriv_paper.plain import plain_moments
from tests.rows import (
    MECHANISMS,
    Row,
    rows,
    simple,
)
from tests.sources import Given, Seeded, plans, report

ROWS = rows()
# a function of one's own is known in floats only, so what is added to it cannot be enclosed
APART = ("Table", "CoordinateLaplace", "InputLaplace", "Lattice")  # nothing is added to its answer
CUSTOM = ("sigmoid", "score on a line")
REFUSED = {row.name for row in ROWS if row.asked.name in CUSTOM and not row.name.startswith(APART)}
# a table takes seconds to compile and its reports depend on its coordinate only: one for each kind of those
TABLES = ("threshold", "threshold on ratios", "ball on a map of recorded positions", "geofence on Earth", "sigmoid")
LEFT = {row.name for row in ROWS if row.name.startswith("Table") and row.asked.name not in TABLES}
MADE = [row for row in ROWS if row.name not in REFUSED | LEFT]
SIMPLE = gp.Threshold(0.0, 2.0, edge="smooth")

every_made_row = pytest.mark.parametrize("row", MADE, ids=[row.name for row in MADE])
every_mechanism = pytest.mark.parametrize("name", MECHANISMS)


def many(row: Row, n: int) -> FloatArray:
    """n values of the row's query, near those at which the table looks."""
    base = np.resize(row.values, (n, *row.values.shape[1:]))
    spread = np.random.default_rng(3).normal(0.0, 0.1 / row.asked.epsilon, base.shape)
    on_earth = isinstance(row.asked.query.space, gp.Earth | gp.LocalPlane)
    return np.asarray(base + spread / (111_000 if on_earth else 1))


@every_made_row
def test_a_report_is_a_value_of_the_public_grid(row: Row) -> None:
    made = row.mechanism.report(row.values)
    assert type(made) is gp.mechanisms.Reports
    assert np.isfinite(made.values).all()
    assert len(made) == len(row.values)
    if isinstance(row.mechanism, AnyTable):
        assert set(made.values.tolist()) <= set(row.mechanism.values.tolist())
        return
    assert made.values.shape == row.mechanism.simulate(row.values, np.random.default_rng(0)).values.shape
    steps = np.asarray(made.steps)
    assert (np.frexp(steps)[0] == 0.5).all()  # powers of two
    counts = made.values.reshape(len(made), -1) / steps
    assert (counts == np.round(counts)).all()


def chunks(row: Row, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Reports from the same bits with the float filter and without it."""
    people, _ = row.mechanism.space.read_rows(x)
    if isinstance(row.mechanism, AnyTable):
        words, ready = Seeded(1).integers64(2 * len(people)).reshape(-1, 2), table_reports.lookup(row.mechanism)
        first, second = (
            table_reports.chunk_letters(row.mechanism, ready, people, words, Seeded(2), filtered)
            for filtered in (True, False)
        )
        return first.astype(float), second.astype(float)
    if isinstance(row.mechanism, gp.mechanisms.SharedTables):
        words = Seeded(1).integers64(len(people)).reshape(-1, 1)
        first, second = (chunk_codes(row.mechanism, people, words, Seeded(2), filtered) for filtered in (True, False))
        return first.astype(float), second.astype(float)
    made = plans(row.mechanism)
    filtered, plain = (
        np.concatenate([chunk(plan, people, screened) for plan in made], axis=1) for screened in (True, False)
    )
    return filtered, plain


def chunk(plan: Plan, people: FloatArray, screened: bool) -> FloatArray:
    return bulk.draw_chunk(plan, people, plan.screen(people) if screened else None, Seeded(1))


@every_made_row
def test_the_same_bits_give_the_same_reports_with_and_without_the_filter(row: Row) -> None:
    filtered, plain = chunks(row, many(row, 96))
    np.testing.assert_array_equal(filtered, plain)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_cannot_be_enclosed_is_refused_in_a_sentence(name: str) -> None:
    row = next(row for row in ROWS if row.name == name)
    with pytest.raises(gp.InvalidParameter, match="Custom"):
        row.mechanism.report(row.values)


@every_mechanism
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, "secret-42", None, 1j])
def test_a_bad_value_is_refused_before_anything_is_drawn(name: str, bad: object) -> None:
    mechanism = MECHANISMS[name](simple(name, 2.0), 1.0)
    source = Given(b"")
    with pytest.raises(gp.OutOfDomain) as caught:
        report(mechanism, [0.0, bad], source)
    assert source.used == 0
    assert "secret" not in str(caught.value)


@every_mechanism
def test_no_one_one_person_and_a_single_number_are_fine(name: str) -> None:
    mechanism = MECHANISMS[name](simple(name, 2.0), 1.0)
    assert len(mechanism.report([])) == 0
    assert len(mechanism.report([0.3])) == 1
    assert mechanism.report(0.3).values.shape == mechanism.report([0.3]).values.shape[1:]


@every_mechanism
def test_a_report_has_no_seed_and_does_not_repeat_itself(name: str) -> None:
    mechanism = MECHANISMS[name](simple(name, 2.0), 1.0)
    x = np.full(200, 0.1)
    assert not np.array_equal(mechanism.report(x).values, mechanism.report(x).values)
    with pytest.raises(TypeError):
        mechanism.report(x, 42)
    with pytest.raises(TypeError):
        mechanism.report(x, rng=np.random.default_rng(0))


def test_reports_cannot_be_changed_and_are_not_simulations() -> None:
    made = gp.LipschitzLaplace.calibrate(gp.Threshold(0.0, 1.0), 1.0).report([0.0, 1.0])
    with pytest.raises(ValueError, match="read-only"):
        made.values[0] = 0.0
    assert not isinstance(made, gp.mechanisms.Simulated)


@every_mechanism
def test_one_report_takes_less_than_a_millisecond(name: str) -> None:
    seen = [f"{name} / {asked}" for asked in ("threshold", "smooth threshold", "range", "ridge")]
    row = next(row for row in ROWS if row.name in seen)
    times = []
    for _ in range(60):
        start = time.perf_counter()
        row.mechanism.report(row.values[:1])
        times.append(time.perf_counter() - start)
    assert min(times) < 1e-3


@pytest.mark.parametrize(
    "name",
    ["LipschitzLaplace", "SmoothT", "SmoothCauchy", "CoordinateLaplace", "InputLaplace plain", "Lattice", "Table"],
)
def test_an_estimate_from_reports_is_as_good_as_its_error_bar(name: str) -> None:
    """Fixed bits; |z| ≤ 4 (6e-5 a comparison)."""
    mechanism = MECHANISMS[name](SIMPLE, 1.0)
    x = np.random.default_rng(0).normal(0.3, 2.0, 60_000)
    answer = gp.estimate(mechanism, report(mechanism, x, Seeded(5)), SIMPLE)
    bias = plain_moments(mechanism, x, SIMPLE)[0] if name.endswith("plain") else mechanism.moments(x, SIMPLE)[0]
    truth = SIMPLE(x).mean() + np.mean(bias)
    assert abs(answer.value - truth) < 4 * answer.standard_error


def test_a_filter_that_knows_nothing_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    row = next(row for row in ROWS if row.name == "LeastScaleT / threshold")
    people, _ = row.asked.query.space.read_rows(many(row, 64))
    plan = plans(row.mechanism)[0]
    expected = chunk(plan, people, screened=True)
    asked = []

    def helpless(words: object, z: object, error: object, status: FloatArray, df: float) -> None:
        asked.append(len(status))
        status[:] = UNKNOWN

    monkeypatch.setattr(student_t, "student_filter", helpless)
    np.testing.assert_array_equal(chunk(plan, people, screened=True), expected)
    assert asked == [64]


def test_a_filter_with_too_small_an_error_bound_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault of the comparison above: noise that is off by a part in 10^9 and claims to be right."""
    row = next(row for row in ROWS if row.name == "LeastScaleT / threshold")
    people, _ = row.asked.query.space.read_rows(many(row, 20_000))
    plan, honest = plans(row.mechanism)[0], student_t.student_filter

    def sloppy(words: object, z: FloatArray, error: FloatArray, status: FloatArray, df: float) -> None:
        honest(words, z, error, status, df)  # type: ignore[arg-type]
        z *= 1 + 1e-9

    expected = chunk(plan, people, screened=True)
    monkeypatch.setattr(student_t, "student_filter", sloppy)
    assert (chunk(plan, people, screened=True) != expected).any()


@pytest.mark.parametrize("name", ["LipschitzLaplace", "LeastScaleT", "SmoothT", "Table", "InputLaplace", "Lattice"])
def test_values_at_the_end_of_the_floats_are_reported_too(name: str) -> None:
    query = gp.Score((1.0, 1.0, -1.0), 0.0, 1.0)
    mechanism = MECHANISMS[name](query, 1.0)
    x = np.resize([[1.7e308, 1.7e308, 1.7e308], [1e-310, 0.0, 0.0], [-1.7e308, 1e300, 0.1]], (40, 3))
    assert np.isfinite(mechanism.report(x).values).all()


def test_a_function_that_is_not_finite_releases_nothing() -> None:
    mechanism = gp.LipschitzLaplace.calibrate(gp.LipschitzQuery(lambda v: v * np.nan, 1.0), 1.0)
    with pytest.raises(gp.InvalidParameter, match="finite"):
        mechanism.report([1.0])
