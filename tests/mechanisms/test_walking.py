"""Walking noise: the law of its steps on devices and in the library, its errors, and faults that would show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy import stats

import geopriv as gp
from geopriv.device.designs import verify
from geopriv.device.walks import DeviceWalk, Walked
from geopriv.errors import InvalidParameter, ReportRejected
from geopriv.mechanisms import WalkingLattice
from geopriv.mechanisms.counts import Counts
from geopriv.mechanisms.lattice.walks import Walk
from geopriv.queries.value_questions import Mean
from geopriv.reports.audits.samples import audit_samples
from geopriv.reports.files import rows_in_range
from geopriv.spaces.checks import FloatArray
from tests.sources import Given, Seeded

USD, LOG = gp.Line("USD"), gp.LogLine(base=2.0, floor=1.0)
SOFT = gp.Share("soft", gp.Blurred(gp.Threshold(100_000.0, 800.0, USD), 20_000.0), plain=False)
MEAN = Mean("mean", USD, (1.0,), "income", (0.0,), (400_000.0,))
ROUNDS = 3


@cache
def design(questions: tuple[gp.queries.Question, ...] = (MEAN, SOFT)) -> gp.Design:
    walk = WalkingLattice.on_grid(USD, 1 / 8000, 1600.0, ROUNDS)
    return gp.Design("walk", (walk,), (), questions, gp.Source(("income",), (0.0,), (400_000.0,)))


@cache
def ratios() -> gp.Design:
    walk = WalkingLattice.on_grid(LOG, 1.0, 0.3, ROUNDS, origin=10.0)
    return gp.Design("ratios", (walk,), (), (), gp.Source(("income",), (1.0,), (1e6,)))


def walk_of(made: gp.Design) -> WalkingLattice:
    walk = made.mechanisms[0]
    assert isinstance(walk, WalkingLattice)
    return walk


def device_of(made: gp.Design) -> DeviceWalk:
    walk = verify(made.to_bytes()).walk
    assert walk is not None
    return walk


def walked_by_device(device: DeviceWalk, values: FloatArray, source: Given) -> list[list[tuple[int, int, int]]]:
    """People one after the other in each round, from the same bytes as in bulk; not-a-number for a skipped round."""
    last: list[Walked | None] = [None] * len(values)
    found = [[(0, 0, 0)] * values.shape[1] for _ in values]
    for k in range(values.shape[1]):
        for fresh in (True, False):  # in bulk those who begin are drawn first
            for i in [i for i, one in enumerate(last) if (one is None or one.round == k + 1) == fresh]:
                if np.isnan(values[i, k]) or found[i][k] != (0, 0, 0):
                    continue
                step = device.step((Fraction(values[i, k]),), k + 1, last[i], source.bytes)
                last[i], found[i][k] = step, step.report
    return found


@pytest.mark.parametrize("made", [design, ratios], ids=["Line", "LogLine"])
@pytest.mark.parametrize("people", [3, 200], ids=["exact", "filtered"])
def test_devices_and_the_library_walk_alike_from_the_same_bytes(made: Callable[[], gp.Design], people: int) -> None:
    """Values that stay, go back, jump, move by less than floats of their difference tell, and skip rounds."""
    rng = np.random.default_rng(people)
    values = np.exp(rng.uniform(0.0, 12.0, (people, ROUNDS)))
    values[0] = 12_345.678
    values[1, 2] = values[1, 0]
    values[2] = 1.1 + 2.2, 3.3, 4e5
    values[people // 2, 1] = values[people - 1, 0] = np.nan
    given = rng.bytes(16 * values.size)
    ours = walk_of(made()).walked(values, Given(given))
    theirs = walked_by_device(device_of(made()), values, Given(given))
    assert ours.tolist() == [list(map(list, row)) for row in theirs]
    assert ours[people - 1, 1].tolist()[:2] == [2, 1]  # who skipped a round has taken one step less


def test_a_step_that_forgot_a_bit_of_the_increment_would_be_seen() -> None:
    """The planted fault: a value that was rounded to a float before it was walked to."""
    device, beyond = device_of(design()), 1 + Fraction(1600, 1 << 64)
    assert float(beyond) == 1.0
    word = bytes(8) + (3 << 62).to_bytes(8, "little")  # U is below 2^-64, by which the way goes beyond a cell
    exact, rounded = (
        device.step((value,), 2, Walked(1, 1, 0, Fraction(1)), Given(word).bytes).cell
        for value in (beyond, Fraction(1))
    )
    assert exact == rounded + 1


Walker = Callable[[np.random.Generator, FloatArray, int], np.ndarray]


COARSE = WalkingLattice.on_grid(USD, 1 / 8000, 16_000.0, 2)  # whose noise moves by a cell, and not by ten


def honest(rng: np.random.Generator, cells: FloatArray, n: int) -> np.ndarray:
    walk = COARSE
    reports = walk.walked(np.tile(cells * walk.step, (n, 1)), Seeded(int(rng.integers(1 << 30))))
    return np.diff(reports[:, :, 2], axis=1, prepend=0)


def noise_kept(rng: np.random.Generator, cells: FloatArray, n: int) -> np.ndarray:
    first = honest(rng, cells, n)[:, :1]
    moved = np.floor(cells[1] - cells[0] + rng.random((n, 1))).astype(int)
    return np.concatenate([first, moved], axis=1)


def of_rounded_values(rng: np.random.Generator, cells: FloatArray, n: int) -> np.ndarray:
    places = np.floor(cells + rng.random((n, len(cells))))
    ways = np.diff(places, axis=1, prepend=0.0)
    a = 1 / (1 + float(COARSE.theta))
    return (ways + rng.geometric(1 - a, ways.shape) - rng.geometric(1 - a, ways.shape)).astype(int)


def started_anew(rng: np.random.Generator, cells: FloatArray, n: int) -> np.ndarray:
    places = [honest(rng, cells[[k]], n)[:, 0] for k in range(len(cells))]
    return np.diff(np.stack(places, axis=1), axis=1, prepend=0)


@pytest.mark.parametrize(
    ("walker", "seen"), [(honest, False), (noise_kept, True), (of_rounded_values, True), (started_anew, True)]
)
def test_the_steps_of_a_walk_have_the_law_of_the_theorem_together(walker: Walker, seen: bool) -> None:
    """A G-test of both steps in bins against the product of exact laws; an honest walk fails with chance 1e-6."""
    walk, cells, n = COARSE, np.array([0.5, 0.9]), 20_000
    drawn = np.clip(walker(np.random.default_rng(3), cells, n), -4, 4) + 4
    steps, k = np.diff(cells, prepend=0.0), np.arange(-400, 401)
    a = 1 / (1 + float(walk.theta))
    laws = []
    for step in steps:
        lower, share = int(np.floor(step)), step - np.floor(step)
        law = sum(w * (1 - a) / (1 + a) * a ** np.abs(k - lower - up) for up, w in ((0, 1 - share), (1, share)))
        laws.append(np.bincount(np.clip(k, -4, 4) + 4, law))
    expected = n * np.outer(*laws)
    counts = np.zeros((9, 9))
    np.add.at(counts, tuple(drawn.T), 1)
    level = stats.chi2.sf(((counts - expected) ** 2 / expected).sum(), 80)
    assert (level < 1e-6) == seen


def test_estimates_of_every_round_are_as_exact_as_predicted_and_unbiased() -> None:
    """200 surveys of 400 people who stay: means within 5 of their standard errors, spreads within 25 % (5 errors)."""
    walk, rng = walk_of(design()), np.random.default_rng(8)
    x = rng.uniform(0.0, 200_000.0, 400)
    reports = walk.walked(np.tile(x, (200, 1)).reshape(-1, 1).repeat(ROUNDS, axis=1), Seeded(4))
    along = x / walk.step
    predicted = Walk(float(walk.theta), ROUNDS).variances(
        lambda cells: SOFT.query.answer(cells[:, 0] * walk.step), np.floor(along)[:, None], (along % 1)[:, None]
    )
    for t in range(ROUNDS):
        noise = 2 * (t + 1) * walk.increment.curvature + (along % 1) * (1 - along % 1)
        for query, variance in ((SOFT.query, predicted[t]), (MEAN.query, walk.step**2 * noise)):
            made = walk.contributions(reports[:, t].astype(float), query).reshape(200, 400).mean(axis=1)
            assert variance is not None
            error = np.sqrt(np.mean(variance) / 400)
            target = walk.increment.target(x, query).mean()
            assert abs(made.mean() - target) < 5 * error / np.sqrt(200)
            assert abs(made.std() / error - 1) < 0.25
            assert abs(target - query(x).mean()) <= walk.largest_bias(query) + 1e-9 * abs(target)


def test_who_skipped_a_round_is_counted_without_bias_with_fewer_noises() -> None:
    walk, rng = walk_of(design()), np.random.default_rng(9)
    x = np.tile(rng.uniform(0.0, 200_000.0, 20_000)[:, None], (1, ROUNDS))
    x[::2, 1] = np.nan
    tally = gp.Tally(design())
    tally.add(gp.reports.ReportBatch(0, walk.walked(x, Seeded(5))[:, 2]))
    found = gp.estimate(design(), tally)
    assert set(np.unique(walk.walked(x[:4], Seeded(5))[:, 2, 1])) == {2, 3}
    for answer, query in zip(found.answers, (MEAN.query, SOFT.query), strict=True):
        estimates = answer.estimates
        assert abs(estimates.values - query(x[:, 0]).mean()) < 5 * estimates.standard_errors + estimates.bias
        assert answer.finite is not None
        assert answer.question.name != "soft" or answer.plain is None


def test_undoing_too_few_noises_would_be_seen() -> None:
    """The planted fault: a third report that says it carries one noise only."""
    walk, x = walk_of(design()), np.full((20_000, ROUNDS), 70_000.0)
    reports = walk.walked(x, Seeded(6))[:, 2].astype(float)
    for steps, right in ((3, True), (1, False)):
        reports[:, 1] = steps
        made = walk.contributions(reports, SOFT.query)
        off = abs(made.mean() - SOFT.query(70_000.0)) / (made.std() / np.sqrt(20_000))
        assert (off < 5) == right


def test_reports_of_several_rounds_are_not_taken_for_one() -> None:
    tally = gp.Tally(design())
    tally.add(gp.reports.ReportBatch(0, np.array([[1, 1, 5], [2, 2, 6], [2, 1, 7]])))
    with pytest.raises(ReportRejected, match="Got rounds 1, 2"):
        gp.estimate(design(), tally)


def test_one_round_is_estimated_whatever_others_send_beside_it() -> None:
    made = design()
    counted = gp.reports.Tally(made)
    counted.add(gp.reports.ReportBatch(0, np.array([[1, 1, 30], [1, 1, 50], [1, 1, 41]])))
    alone = gp.estimate(made, counted)
    counted.add(gp.reports.ReportBatch(0, np.array([[3, 1, 0], [2, 2, 9]])))
    with pytest.raises(ReportRejected, match="say which one is meant"):
        gp.estimate(made, counted)
    found = gp.estimate(made, counted.of_round(1))
    assert found.n == 3
    assert found.rejected == {"another round": 2}
    assert [str(each) for each in found.answers] == [str(each) for each in alone.answers]
    for number in (0, 99):
        with pytest.raises(InvalidParameter, match="between 1 and"):
            counted.of_round(number)


def test_a_walk_is_audited_and_one_of_a_larger_theta_fails() -> None:
    found = gp.audit(design())
    assert found.passed
    assert found.worst is not None
    assert 0.99 < found.worst.worst_ratio <= 1 + 1e-9
    assert found.guarantee is not None
    assert found.guarantee.metric == "trajectories"
    walk = walk_of(design())
    with pytest.raises(InvalidParameter, match="theta"):
        replace(walk, theta=walk.theta * Fraction(101, 100))
    assert audit_samples(design(), samples=400, seconds=2.0).passed


def test_samples_of_a_walk_with_too_little_noise_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("geopriv.device.walks.DeviceWalk.draw", lambda self, value, source: (1, 1, 0))
    assert not audit_samples(design(), samples=400, seconds=2.0).passed


def test_a_guarantee_of_trajectories_is_in_words_of_its_own() -> None:
    promise = design().guarantee
    assert "of all rounds together" in str(promise)
    assert "each move" in str(promise)
    assert "trajectories" in design().to_bytes().decode()


def test_what_is_no_walk_is_refused() -> None:
    plane = gp.Plane("m")
    with pytest.raises(InvalidParameter, match="a Line or LogLine"):
        WalkingLattice(plane, gp.Guarantee(1.0, unit="m", metric="trajectories"), 1.0, Fraction(1, 2), (0.0,), 2)
    for rounds in (1, 367):
        with pytest.raises(InvalidParameter, match="rounds"):
            WalkingLattice.on_grid(USD, 1 / 8000, 1600.0, rounds)
    with pytest.raises(InvalidParameter, match="on trajectories"):
        replace(walk_of(design()), guarantee=gp.Guarantee(1 / 8000, unit="USD"))
    with pytest.raises(InvalidParameter, match="of the form share, mean, total"):
        design((gp.queries.value_questions.Quantile("median", (0.5,), USD, 0.0, 400_000.0),))
    with pytest.raises(InvalidParameter, match="answered by one"):
        design((gp.Share("elsewhere", gp.Threshold(1.0, 1.0, gp.Line("m"))),))


def test_a_table_of_people_is_not_walked(tmp_path: pytest.TempPathFactory) -> None:
    with pytest.raises(InvalidParameter, match="answered by devices"):
        gp.privatize(design(), "people.csv", f"{tmp_path}/reports.parquet")


def test_nobody_has_taken_more_steps_than_there_were_rounds() -> None:
    """A made-up report with many steps is undone as often, and could move the first round beyond all that was told."""
    reader = gp.reports.ReportReader(design())
    line = {"design": design().hash, "mechanism": 0}
    rows = [line | {"id": f"{k:032x}", "report": [1 + k, 2, 60]} for k in range(2)]
    assert [batch.rows.tolist() for batch in reader.accepted_of([rows])] == [[[2, 2, 60]]]
    assert dict(reader.rejected) == {"out of range": 1}
    walk = walk_of(design())
    assert rows_in_range(walk, np.array([[1, 2, 60], [2, 2, 60], [3, 1, 60]])).tolist() == [False, True, True]


def test_a_liar_of_a_round_may_say_any_number_of_its_steps() -> None:
    """The ends hold for reports that nobody has sent yet, and a plan tells those of the last round."""
    walk = walk_of(design())

    def ends(*rows: tuple[int, int, int]) -> tuple[float, float]:
        sums = walk.sums(Counts(np.array(rows), np.full(len(rows), 500)), SOFT, [0])
        return float(sums.low[0]), float(sums.high[0])

    assert ends((3, 1, 60)) == ends((3, 1, 60), (3, 3, 60))
    assert ends((3, 1, 60))[1] > ends((1, 1, 60))[1] + 0.01
    low, high = ends((3, 3, 60))
    (told,) = design().contributions
    assert told.moved(1, 1_000) == pytest.approx((high - low) / 1_000)
    assert not told.exact
