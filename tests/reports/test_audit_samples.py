"""The audit that samples what is shipped: planted faults are seen, honest ways pass, and what is said to be seen is."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pytest
from scipy import stats

import geopriv as gp
from geopriv.mechanisms.kinds import Value
from geopriv.mechanisms.sendable import Integers
from geopriv.proofs.audits.events import (
    lower,
    proven_loss,
    seen_excess,
    seen_loss,
    surprise,
    upper,
)
from geopriv.queries.source import Source
from geopriv.reports.audits.laws import partitions
from geopriv.reports.audits.paths import (
    Draw,
    SamplingPath,
    device_draw,
    shipped_paths,
)
from geopriv.reports.audits.places import worst_marks
from geopriv.reports.audits.samples import audit_samples
from geopriv.reports.drawing import draw_reports
from geopriv.spaces.checks import FloatArray
from tests.designs import (
    ASKED_OF_DEVICES,
    Stream,
    lattice_design,
    table_design,
    two_tables,
)
from tests.rows import (
    CITY,
    EARTH,
    PARK,
    PLANE,
)
from tests.sources import Seeded

USD = gp.Line("USD")
INCOME = gp.Threshold(100_000, 16_000, USD)


@lru_cache
def income_table() -> gp.Design:
    return gp.Design("income", (gp.Table.calibrate(INCOME, 1 / 8000),), source=Source(("income",), (0.0,), (2e5,)))


@lru_cache
def income_lattice() -> gp.Design:
    return gp.Design("incomes", (gp.Lattice.calibrate(USD, 1 / 8000, queries=[INCOME]),))


@lru_cache
def fence() -> gp.Design:
    return table_design(gp.Geofence(PARK, 0.4, PLANE))


@lru_cache
def round_map() -> gp.Design:
    return gp.Design("map", (gp.Lattice.on_grid(gp.Plane(), 1e-3, 150.0, noise="round"),))


DESIGNS: dict[str, Callable[[], gp.Design]] = {
    "income table": income_table,
    "income lattice": income_lattice,
    "three tables": two_tables,
    "map": lattice_design,
    "round map": round_map,
    "fence": fence,
    "ratios": lambda: table_design(gp.Threshold(1000.0, 0.5, gp.LogLine(2.0)), 2.0),
    "places in a city": lambda: lattice_design(CITY),
    "a disc on Earth": lambda: table_design(gp.Ball((40.7, -74.0), 3000.0, 1e3, EARTH), 1e-3),
}
every_design = pytest.mark.parametrize("make", DESIGNS.values(), ids=DESIGNS.keys())


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several would take bits from one generator in an order that nobody knows: outcomes would not be fixed."""
    monkeypatch.setattr("geopriv.spaces.threads.cores", lambda: 1)


def seeded(design: gp.Design, seed: int = 1) -> Draw:
    """The exact sampler with known bits, so that a test has a fixed outcome."""
    source = Seeded(seed)
    return lambda value, n: draw_reports(design, np.tile(np.asarray(value), (n, *(1,) * np.ndim(value))), source)


# each takes a design and an honest way to draw, and gives a faulty one


def truth_once_in_a_hundred(design: gp.Design, draw: Draw) -> Draw:
    """The value itself, as near as a report can say it, with probability 1 %."""
    rng, mechanism = np.random.default_rng(2), design.mechanisms[0]

    def faulty(value: Value, n: int) -> Integers:
        reports = draw(value, n)
        told = rng.random(n) < 0.01
        if isinstance(mechanism, gp.Table):
            reports[told, 1] = np.abs(mechanism.values - mechanism.query(value)).argmin()
        else:
            assert isinstance(mechanism, gp.Lattice)
            lower_cell, share = mechanism.place(mechanism.space.read(value))
            reports[told, 1:] = np.reshape(lower_cell + np.rint(share), -1).astype(np.int64)
        return reports

    return faulty


def snapped_first(design: gp.Design, draw: Draw) -> Draw:
    """Values are rounded to a coarse public grid whose border is where the design changes most."""
    mechanism, length = design.mechanisms[0], 4 / design.guarantee.epsilon
    border = 0.5 * mechanism.step if isinstance(mechanism, gp.Lattice) else 0.0
    assert isinstance(mechanism, gp.Table | gp.Lattice)
    origin = np.asarray(mechanism.origin) if isinstance(mechanism, gp.Lattice) else mechanism.query.geometry.anchor

    def faulty(value: Value, n: int) -> Integers:
        away = (np.asarray(value) - origin - border) / length
        # to no tie of the lattice, at which every draw would take exact arithmetic
        return draw(_plain((np.floor(away) + 0.4) * length + origin + border), n)

    return faulty


def a_third_less_noise(design: gp.Design, draw: Draw) -> Draw:
    """Drawn from a sharper law: rows of a table pushed apart, θ of a lattice 1.3 times as large."""
    rng, mechanism = np.random.default_rng(3), design.mechanisms[0]

    def faulty(value: Value, n: int) -> Integers:
        if isinstance(mechanism, gp.Lattice):
            ratio = 1 / (1 + 1.3 * float(mechanism.theta))
            lower_cell, share = (np.reshape(p, -1) for p in mechanism.place(mechanism.space.read(value)))
            shape = (n, lower_cell.size)
            noise = rng.geometric(1 - ratio, shape) - rng.geometric(1 - ratio, shape)
            cells = lower_cell + (rng.random(shape) < share) + noise
            return np.concatenate([np.zeros((n, 1)), cells], axis=1).astype(np.int64)
        assert isinstance(mechanism, gp.Table)
        law = mechanism.probabilities(mechanism.query.coordinate(value)) ** 1.3
        letters = rng.choice(law.size, n, p=law / law.sum())
        return np.stack([np.zeros(n, dtype=np.int64), letters], axis=1)

    return faulty


def _plain(value: FloatArray) -> Value:
    return tuple(value.tolist()) if np.ndim(value) else float(value)


FAULTS = [truth_once_in_a_hundred, snapped_first, a_third_less_noise]
every_fault = pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)


@every_design
def test_an_honest_sampler_passes(make: Callable[[], gp.Design]) -> None:
    """Seed 1, 20,000 draws a place; honest samplers are accused with probability 1e-6 at most."""
    design = make()
    path = SamplingPath("seeded", seeded(design))
    result = audit_samples(design, 20_000, false_alarm=1e-6, paths=[path], seconds=60)
    assert result.passed, [str(fault) for fault in result.paths[0].faults]
    assert 1 < result.paths[0].loss < 1.5


@pytest.mark.parametrize(
    ("make", "n"),
    [(income_table, 100_000), (income_lattice, 100_000), (lattice_design, 10_000)],
    ids=["table", "lattice", "map"],
)
@every_fault
def test_a_planted_fault_is_seen(
    fault: Callable[[gp.Design, Draw], Draw], make: Callable[[], gp.Design], n: int
) -> None:
    """At a level at which honest samplers are accused once in 10^9 audits."""
    design = make()
    result = audit_samples(design, n, paths=[SamplingPath("faulty", fault(design, seeded(design)))], seconds=600)
    assert not result.passed
    assert "SEEN" in str(result.paths[0])


def test_snapping_is_a_broken_promise_and_not_only_another_law() -> None:
    design = income_lattice()
    path = SamplingPath("faulty", snapped_first(design, seeded(design)))
    faults = audit_samples(design, 20_000, paths=[path], seconds=60).paths[0].faults
    broken = [fault for fault in faults if fault.kind == "promise"]
    assert max(fault.seen for fault in broken) > 1e5  # people a millionth of 1/ε apart are told apart
    assert "times what is promised" in str(broken[0])


def test_a_wrong_side_at_a_border_changes_too_little_to_be_seen() -> None:
    """The law is continuous there: values a millionth of 1/ε apart have laws a millionth apart, whichever row is taken.

    So this fault passes, as the audit says: only an excess that it names would have been seen.
    """
    design = income_table()
    honest, table = seeded(design), design.mechanisms[0]
    assert isinstance(table, gp.Table)

    def faulty(value: Value, n: int) -> Integers:
        assert isinstance(value, float)
        s = float(table.query.coordinate(value))
        near = float(table.lattice[np.abs(table.lattice - s).argmin()])
        return honest(value + 2 * (near - s) if abs(near - s) < 0.01 else value, n)

    result = audit_samples(design, 20_000, paths=[SamplingPath("mirrored", faulty)], seconds=60)
    assert result.passed
    assert result.paths[0].rare > 1e-6


def test_a_report_that_cannot_be_is_a_fault() -> None:
    design = table_design()

    def faulty(value: Value, n: int) -> Integers:
        reports = seeded(design)(value, n)
        reports[0, 1] = 4  # there are four letters, 0 to 3
        return reports

    (path,) = audit_samples(design, 1000, paths=[SamplingPath("faulty", faulty)]).paths
    assert any("cannot make" in fault.event for fault in path.faults)


@every_design
def test_every_shipped_way_passes(make: Callable[[], gp.Design]) -> None:
    """What people run, with its own generator: a false alarm has probability 1e-9."""
    result = audit_samples(make(), 3000, seconds=2.0)
    assert [path.name for path in result.paths] == [
        "report, in bulk",
        "report, one by one",
        "privatize, from a file",
        "device",
    ]
    assert result.passed, [str(fault) for path in result.paths for fault in path.faults]


def test_the_device_is_audited_with_known_bits_too() -> None:
    for design in (income_table(), lattice_design()):
        path = SamplingPath("device", device_draw(design, Stream(5)))
        assert audit_samples(design, 2000, paths=[path], false_alarm=1e-6, seconds=60).passed


def test_a_device_that_forgets_its_last_mechanism_is_seen() -> None:
    design = two_tables()

    def faulty(value: Value, n: int) -> Integers:
        reports = seeded(design)(value, n)
        reports[:, 0] %= 2
        return reports

    assert not audit_samples(design, 2000, paths=[SamplingPath("faulty", faulty)], seconds=60).passed


def test_files_are_audited_at_the_value_that_they_clamp_to() -> None:
    (read,) = [path.read for path in shipped_paths(income_table()) if path.name.startswith("privatize")]
    assert [read(value) for value in (-5.0, 12.5, 3e5)] == [0.0, 12.5, 2e5]
    assert any(mark.words == "the largest value" for mark in worst_marks(income_table()))


@pytest.mark.parametrize("row", ASKED_OF_DEVICES, ids=lambda row: row[0])
def test_marks_are_found_on_every_space_and_for_every_query(row: tuple[str, gp.queries.Query, float, object]) -> None:
    """Each has close and wide pairs, and its laws add up to 1."""
    _, query, epsilon, _ = row
    design = table_design(query, epsilon)
    marks = worst_marks(design)
    assert len(marks) >= 2
    assert any(mark.distances.max() * epsilon > 0.9 for mark in marks)
    apart = [mark.distances[~np.eye(len(mark.values), dtype=bool)].min() * epsilon for mark in marks]
    # beside a ball of radius 8e20 floats are 10/ε apart
    assert min(apart) < (11 if row[0] == "ball on a line" else 1e-3)
    for mark in marks:
        for part in partitions(design, mark.values, 1000):
            laws = np.stack([part.law(value) for value in mark.values])
            np.testing.assert_allclose(laws.sum(axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("make", [income_lattice, lattice_design, round_map], ids=["line", "map", "round map"])
def test_the_law_of_cells_is_that_of_the_mechanism(make: Callable[[], gp.Design]) -> None:
    """Boxes added up against `log_probability` cell by cell."""
    design = make()
    mechanism = design.mechanisms[0]
    assert isinstance(mechanism, gp.Lattice)
    mark = worst_marks(design)[1]
    axes = len(mechanism.origin)
    middle = np.reshape(mechanism.place(mechanism.space.read(mark.values[1]))[0], -1)
    grid = np.stack(np.meshgrid(*[np.arange(-150, 151) + m for m in middle], indexing="ij"), axis=-1).reshape(-1, axes)
    reports = np.concatenate([np.zeros((len(grid), 1)), grid], axis=1).astype(np.int64)
    point = mechanism.space.read(mark.values[1])
    weights = np.exp(mechanism.log_probability(point, grid if axes > 1 else grid[:, 0]))
    for part in partitions(design, mark.values, 1000):
        law = part.law(mark.values[1])
        np.testing.assert_allclose(np.bincount(part.labels(reports), weights, law.size), law, atol=1e-6)


def test_exact_bounds_and_p_values_are_those_of_the_binomial_law() -> None:
    n, p = 60, 0.2
    for hits in (0, 1, 12, 40, 60):
        both = min(2 * min(stats.binom.cdf(hits, n, p), stats.binom.sf(hits - 1, n, p)), 1.0)
        assert float(surprise(hits, n, p)) == pytest.approx(both)
    assert stats.binom.sf(11, n, float(lower(12, n, 0.01))) == pytest.approx(0.01)
    assert stats.binom.cdf(12, n, float(upper(12, n, 0.01))) == pytest.approx(0.01)
    assert (float(lower(0, n, 0.01)), float(upper(n, n, 0.01))) == (0.0, 1.0)
    assert float(surprise(1, n, 0.0)) == 0.0


def test_what_is_said_to_be_seen_is_seen() -> None:
    """By simulation, 4,000 audits of the least fault: seen in at least 99 % less four standard errors."""
    rng, n, alpha, power = np.random.default_rng(7), 20_000, 1e-10, 0.99
    least = 1 - 0.01 - 4 * np.sqrt(0.01 * 0.99 / 4000)
    for p in (0.0, 1e-3, 0.1, 0.5):
        excess = float(seen_excess(np.array([p]), n, alpha, power)[0])
        hits = rng.binomial(n, p + excess, 4000)
        assert (surprise(hits, n, p) <= alpha).mean() >= least
        assert p == 0 or (surprise(rng.binomial(n, p + excess / 2, 4000), n, p) <= alpha).mean() < 0.5  # no larger
    for q in (0.01, 0.1, 0.3):
        loss = float(seen_loss(np.array([q]), 1.0, n, alpha, power)[0])
        hits, other = rng.binomial(n, q * np.exp(loss), 4000), rng.binomial(n, q, 4000)
        assert (proven_loss(hits, other, n, alpha) > 1.0).mean() >= least
    assert seen_loss(np.array([0.5]), 1.0, n, alpha, power)[0] == np.inf  # P[S] would have to be above 1


@pytest.mark.parametrize("arguments", [{"samples": 10}, {"seconds": 0.0}, {"false_alarm": 1.0}])
def test_bad_arguments_are_refused(arguments: dict[str, float]) -> None:
    with pytest.raises(gp.InvalidParameter):
        audit_samples(table_design(), **arguments)  # type: ignore[arg-type]
