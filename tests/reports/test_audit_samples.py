"""The audit that samples what is shipped: planted faults are seen, honest ways pass, and what is said to be seen is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
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
from geopriv.reports.audits.dependence import Run, judge_spread, judge_together, spread
from geopriv.reports.audits.laws import partitions
from geopriv.reports.audits.paths import (
    Draw,
    SamplingPath,
    device_batch,
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


class Repeating(Seeded):
    """Every second person of a batch gets the words of the one before."""

    def words(self, people: int, count: int) -> npt.NDArray[np.uint64]:
        found = super().words(people, count)
        found[1::2] = found[: people - people % 2 : 2]
        return found


def in_batches(design: gp.Design, source: Seeded) -> Callable[[Sequence[Value]], Integers]:
    """The exact sampler of the bulk, with known bits."""
    return lambda values: draw_reports(design, np.asarray(values), source)


def devices(design: gp.Design, faulty: bool) -> Callable[[Sequence[Value]], Integers]:
    """A device with known bits, which repeats its words on every second call or not."""
    stream, calls = Stream(5), 0
    words: list[bytes] = []

    def source(n: int) -> bytes:
        nonlocal words
        if faulty and calls % 2 and words:
            return words.pop(0)
        data = stream(n)
        words.append(data)
        return data

    batch = device_batch(design, source)

    def drawn(values: Sequence[Value]) -> Integers:
        nonlocal calls, words
        rows = []
        for value in values:
            if not calls % 2:
                words = []
            rows.append(batch([value]))
            calls += 1
        return np.concatenate(rows)

    return drawn


def shuffled(batch: Callable[[Sequence[Value]], Integers]) -> Draw:
    """Reports of people at one place, in an order that tells nothing."""
    rng = np.random.default_rng(4)
    return lambda value, n: rng.permutation(batch([value] * n))


def way(batch: Callable[[Sequence[Value]], Integers], lost: bool = False) -> SamplingPath:
    return SamplingPath("way", shuffled(batch) if lost else lambda v, n: batch([v] * n), batch=None if lost else batch)


of_each_kind = pytest.mark.parametrize(
    "make",
    [income_table, income_lattice, lattice_design, round_map, two_tables],
    ids=["table", "line", "plane", "round", "two"],
)


@of_each_kind
@pytest.mark.parametrize("lost", [False, True], ids=["in order", "shuffled"])
@pytest.mark.parametrize("faulty", [True, False])
def test_people_who_share_random_words_are_seen(faulty: bool, lost: bool, make: Callable[[], gp.Design]) -> None:
    """Person 2k + 1 has the words of person 2k, and every law is right. Once in 10^9 audits an honest way is accused.

    Seed 1; 3,000 draws a place.
    """
    design = make()
    batch = in_batches(design, Repeating(1) if faulty else Seeded(1))
    (path,) = audit_samples(design, 3_000, paths=[way(batch, lost)], seconds=60).paths
    assert {fault.kind for fault in path.faults} == ({"pairs"} if faulty else set())
    if faulty and not lost:
        assert "two reports 1 apart, from number 1 on, that are equal came with frequency" in str(path.faults[0])
    if lost:
        assert path.repeats is None
        assert not faulty or "variance some 2 times" in str(path.faults[-1])


@of_each_kind
@pytest.mark.parametrize("faulty", [True, False])
def test_a_device_that_repeats_its_words_is_seen(faulty: bool, make: Callable[[], gp.Design]) -> None:
    design = make()
    (path,) = audit_samples(design, 400, paths=[way(devices(design, faulty))], seconds=60).paths
    assert {fault.kind for fault in path.faults} == ({"pairs"} if faulty else set())


def test_words_that_come_upside_down_are_seen() -> None:
    """Neighbours are equal less often than they should be, or as often; together they are no independent ones."""

    class Opposite(Seeded):
        def words(self, people: int, count: int) -> npt.NDArray[np.uint64]:
            found = super().words(people, count)
            found[1::2] = ~found[: people - people % 2 : 2]
            return found

    design = income_lattice()
    (path,) = audit_samples(design, 3_000, paths=[way(in_batches(design, Opposite(1)))], seconds=60).paths
    assert {fault.kind for fault in path.faults} == {"pairs"}
    assert "not independent" in str(path.faults[0]) or "equal" in str(path.faults[0])


@pytest.mark.parametrize("lag", [2, 64, 1000])
def test_words_that_come_again_later_are_seen(lag: int) -> None:
    """At lags that are tried pair by pair, and at others by how widely counts are spread."""

    class Later(Seeded):
        def words(self, people: int, count: int) -> npt.NDArray[np.uint64]:
            found = super().words(people, count)
            again = np.flatnonzero((np.arange(people) // lag) % 2)
            found[again] = found[again - lag]
            return found

    design = income_table()
    (path,) = audit_samples(design, 4_000, paths=[way(in_batches(design, Later(1)))], seconds=60).paths
    assert path.faults
    assert any(f"two reports {lag} apart" in str(fault) for fault in path.faults) == (lag != 1000)


def test_the_share_of_repeats_that_is_said_to_be_seen_is_seen() -> None:
    """Pairs are equal by chance or because they repeat: the fault is seen in 99 % of 400 runs, half of it in few."""
    rng, design = np.random.default_rng(6), income_lattice()
    mark = worst_marks(design)[1]
    parts = partitions(design, mark.values, 4_000)
    laws = [np.stack([part.law(value) for value in mark.values]) for part in parts]
    (kinds, law), *_ = [(part, law[1]) for part, law in zip(parts, laws, strict=True)]
    reports = seeded(design)(mark.values[1], 200_000)
    places, least = np.ones(4_000, dtype=np.intp), 1.0
    seen = Counter[float]()
    assert kinds.labels(reports).max() < law.size
    for share in (1.0, 0.5):
        for _ in range(400):
            drawn = rng.choice(reports, 4_000)
            again = 1 + 2 * np.flatnonzero(rng.random(2_000) < share * least)
            drawn[again] = drawn[again - 1]
            found = judge_together(mark, parts[:1], laws[:1], [Run(drawn, places)], 1e-10)
            if least == 1.0:
                least = found.repeats
                continue
            seen[share] += found.fault is not None
    assert 0.01 < least < 0.2
    assert seen[1.0] >= 0.97 * 399
    assert seen[0.5] <= 0.5 * 400


@pytest.mark.parametrize("make", [income_table, lattice_design], ids=["table", "plane"])
def test_honest_reports_are_accused_of_depending_on_each_other_at_most_as_often_as_said(
    make: Callable[[], gp.Design],
) -> None:
    """At a level of 10 %, in 300 runs of 400 reports: 30 and four standard errors, once in 30,000 tests."""
    design, rng = make(), np.random.default_rng(8)
    mark = worst_marks(design)[1]
    parts = partitions(design, mark.values, 400)
    laws = [np.stack([part.law(value) for value in mark.values]) for part in parts]
    drawn = [seeded(design, 9)(value, 120_000) for value in mark.values]
    pairs = spreads = 0
    for run in range(300):
        mine = slice(400 * run, 400 * (run + 1))
        places = rng.integers(0, len(mark.values), 400)
        reports = np.stack([drawn[place][mine][k] for k, place in enumerate(places.tolist())])
        pairs += judge_together(mark, parts, laws, [Run(reports, places)], 0.1).fault is not None
        counts = [np.bincount(parts[0].labels(one[mine]), minlength=laws[0].shape[1]) for one in drawn]
        wide = sum((spread(law, came) for law, came in zip(laws[0], counts, strict=True)), np.zeros(1))
        spreads += judge_spread(wide, 0.1) is not None
    assert max(pairs, spreads) <= 30 + 4 * np.sqrt(300 * 0.1 * 0.9)


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
