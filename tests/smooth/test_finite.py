"""Functions on finitely many labels: any metric, every mechanism over all pairs, and faults that must be caught."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial import Delaunay

import geopriv as gp
from geopriv.noise.entropy import ENTROPY
from geopriv.noise.keyed import Keyed
from geopriv.smooth.finite import Edges, Program, best_of_edges, least_labels, needed, set_labels
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.documents import to_document

smooth: Any = gp.smooth
TOWNS = gp.Finite([[0, 3, 5], [3, 0, 4], [5, 4, 0]], labels=["A", "B", "C"], unit="km")


def road(side: float) -> gp.Values:
    """25 places in a square, roads between most neighbours, and on which side of a line a place is."""
    rng = np.random.default_rng(3)
    places = rng.uniform(0, side, (25, 2))
    pairs = {(min(ends), max(ends)) for t in Delaunay(places).simplices.tolist() for ends in combinations(t, 2)}
    ends = np.array(sorted(pairs))
    length = np.linalg.norm(places[ends[:, 0]] - places[ends[:, 1]], axis=1) * rng.uniform(1, 1.4, len(ends))
    table = np.zeros((25, 25))
    table[ends[:, 0], ends[:, 1]] = table[ends[:, 1], ends[:, 0]] = length
    tree = minimum_spanning_tree(table).toarray()
    kept = [(a, b) for a, b in ends.tolist() if tree[a, b] + tree[b, a] > 0 or rng.uniform() < 0.45]
    space = gp.Finite.graph([(a, b, table[a, b]) for a, b in kept], labels=range(25))
    return gp.Values(((places[:, 0] + 0.4 * places[:, 1]) > 0.7 * side).astype(float).tolist(), space)


def majority(bits: str) -> float:
    return float(2 * bits.count("1") > len(bits))


def metric(rng: np.random.Generator, size: int, whole: bool = False) -> FloatArray:
    """Shortest paths between places at random distances."""
    table = rng.integers(1, 9, (size, size)).astype(float) if whole else rng.exponential(1.0, (size, size))
    table = np.minimum(table, table.T)
    np.fill_diagonal(table, 0)
    for k in range(size):
        table = np.minimum(table, table[:, k, None] + table[k])
    return np.asarray(table)


WORK = gp.Finite.hierarchy({"nurse": "care", "doctor": "care", "care": "all", "clerk": "office", "office": "all"}, 1.5)
CASES: dict[str, gp.Values] = {
    "towns": gp.Values({"A": 0.0, "B": 0.5, "C": 1.0}, TOWNS),
    "road": road(12.0),
    "colours": gp.Values([0.0, 1.0, 5.0], gp.Finite.discrete(["red", "green", "blue"])),
    "bits": gp.Values(majority, gp.Finite.hamming(5)),
    "work": gp.Values({"nurse": 1.0, "doctor": 0.0, "clerk": 0.0}, WORK),
    "any": gp.Values(
        np.random.default_rng(2).normal(size=12).tolist(), gp.Finite(metric(np.random.default_rng(1), 12))
    ),
}
MECHANISMS: dict[str, Callable[[gp.Values], Any]] = {
    "LipschitzLaplace": lambda f: gp.LipschitzLaplace.calibrate(f, 1.0),
    "LocalLaplace": lambda f: gp.LocalLaplace.calibrate(f, 1.0, 2.0),
    "SmoothT": lambda f: gp.SmoothT.calibrate(f, 1.0),
    "SmoothT exact": lambda f: gp.SmoothT.calibrate(f, 1.0, 0.4, calibration="exact"),
    "SmoothT of 0.4": lambda f: gp.SmoothT.calibrate(f, 1.0, 0.4),
    "SmoothT within 3": lambda f: gp.SmoothT.calibrate(f, 1.0, radius=3.0),
    "SmoothT exact within 3": lambda f: gp.SmoothT.calibrate(f, 1.0, radius=3.0, calibration="exact"),
    "SmoothCauchy": lambda f: gp.SmoothCauchy.calibrate(f, 1.0),
    "SmoothLaplace": lambda f: gp.SmoothLaplace.calibrate(f, 1.0, 1e-3),
    "LeastScaleT": lambda f: gp.LeastScaleT.calibrate(f, 1.0),
    "LeastScaleT of 8": lambda f: gp.LeastScaleT.calibrate(f, 1.0, df=8.0),
}


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("case", CASES)
def test_every_mechanism_keeps_its_promise_to_all_pairs(case: str, mechanism: str) -> None:
    made = MECHANISMS[mechanism](CASES[case])
    found = gp.audit(made)
    assert found.passed
    tight = "exact" in mechanism or mechanism.startswith("Least") or mechanism == "LipschitzLaplace"
    assert found.worst_ratio > (1 - 1e-6 if tight else 0 if "Laplace" in mechanism else 0.5)
    labels = made.space.labels
    every = len(labels) * (len(labels) - 1) // 2
    assert found.pairs == every or "within" in mechanism
    assert set(found.at[:2]) <= set(labels)


@pytest.mark.parametrize("case", CASES)
def test_the_least_scale_keeps_its_promise_by_its_densities_alone(case: str) -> None:
    """By a search over outputs, which knows nothing of the closed form of the loss."""
    made: Any = gp.LeastScaleT.calibrate(CASES[case], 1.0)
    labels, u = list(made.space.labels), np.tan(np.linspace(-np.pi / 2, np.pi / 2, 2001)[1:-1])
    center, sigma = made.query(labels), np.sqrt(made.variance(labels) / made.noise.variance)
    worst = 0.0
    for i, j in combinations(range(len(labels)), 2):
        far = float(made.space.distance(labels[i], labels[j]))
        y = np.concatenate([center[k] + sigma[k] * u for k in (i, j)])
        laws = [made.noise.log_pdf((y - center[k]) / sigma[k]) - np.log(sigma[k]) for k in (i, j)]
        worst = max(worst, float(np.abs(laws[0] - laws[1]).max()) / far)
    assert 0.999 < worst < 1 + 1e-9


def test_a_scale_that_is_too_small_at_one_label_is_caught() -> None:
    """Planted: one in a hundred less, at each end of the pair that loses most."""
    for case in ("road", "bits", "any"):
        made: Any = gp.LeastScaleT.calibrate(CASES[case], 1.0)
        for label in gp.audit(made).at[:2]:
            row = made.space.labels.index(label)
            sigma = made.scale.sigma * np.where(np.arange(len(made.space.labels)) == row, 0.99, 1.0)
            assert not gp.audit(replace(made, scale=replace(made.scale, sigma=sigma))).passed


def without(edges: Edges, keep: Any) -> Edges:
    return Edges(edges.first[keep], edges.second[keep], edges.far[keep], edges.rise[keep], edges.size)


@pytest.mark.parametrize("case", ["road", "bits"])
def test_an_edge_that_is_left_out_is_caught(case: str) -> None:
    """Planted: the solver never hears of the edge that loses most."""
    f = CASES[case]
    made: Any = gp.LeastScaleT.calibrate(f, 1.0, df=4.0)
    edges = Edges.of(f)
    keep = edges.rise == 0
    keep[::2] = True
    shares = np.full(edges.size, 1 / edges.size)
    sigma = np.exp(best_of_edges(without(edges, keep), 1.0, 4.0, shares))
    assert not gp.audit(replace(made, scale=replace(made.scale, sigma=sigma))).passed


def test_two_labels_that_are_nearly_the_same_place_are_not_lost() -> None:
    """Planted: with a tolerance of 1e-9 neither would have any edge to a third label, and both were unprotected."""
    far = np.array([[0, 1e-10, 1], [1e-10, 0, 1], [1, 1, 0]])
    f = gp.Values([0.0, 0.0, 1.0], gp.Finite(far))
    assert list(zip(*(part.tolist() for part in f.space.edges), strict=True)) == [(0, 1), (0, 2), (1, 2)]
    made: Any = gp.LeastScaleT.calibrate(f, 1.0, df=4.0)
    edges = Edges.of(f)
    assert gp.audit(made).passed
    ways = np.array(
        [min(far[i, k] + far[k, j] for k in range(3) if k not in (i, j)) for i, j in ((0, 1), (0, 2), (1, 2))]
    )
    kept = ways > edges.far * (1 + 1e-9)
    assert kept.tolist() == [True, False, False]
    lost = replace(made, scale=replace(made.scale, sigma=np.full(3, 1e-3)))
    assert not gp.audit(lost).passed


@pytest.mark.parametrize("seed", range(6))
def test_the_edges_are_the_pairs_with_no_label_exactly_on_the_way(seed: int) -> None:
    """Against fractions; whole distances have many ties, and of others sums are rounded."""
    rng = np.random.default_rng(seed)
    for whole in (True, False):
        space = gp.Finite(metric(rng, 9, whole))
        exact = [[Fraction(part) for part in row] for row in space.distances.tolist()]
        brute = {
            (i, j)
            for i, j in combinations(range(9), 2)
            if all(exact[i][k] + exact[k][j] > exact[i][j] for k in range(9) if k not in (i, j))
        }
        assert set(zip(*(part.tolist() for part in space.edges), strict=True)) == brute


def test_lengths_of_a_graph_add_up_exactly() -> None:
    """A chain of tenths, whose floats do not add up, has only its own edges."""
    space = gp.Finite.graph([(k, k + 1, 0.1) for k in range(40)])
    assert len(space.edges[0]) == 40
    assert space.distance(0, 40) == pytest.approx(4.0, rel=1e-14)
    assert (np.diff(space.distances[0]) <= 0.1).all()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("radius", [2.0, np.inf])
def test_smooth_sensitivity_is_the_largest_over_all_labels(case: str, radius: float) -> None:
    f, labels = CASES[case], CASES[case].space.labels
    near = [[(far, f(y)) for y in labels if 0 < (far := float(f.space.distance(x, y))) <= radius] for x in labels]
    slopes = [
        max((abs(float(other - f(x))) / far for far, other in row), default=0.0)
        for x, row in zip(labels, near, strict=True)
    ]
    if not any(slopes):
        with pytest.raises(gp.InvalidParameter, match="two labels of different values"):
            smooth.pointwise_lipschitz(f, labels, radius)
        return
    np.testing.assert_allclose(smooth.pointwise_lipschitz(f, labels, radius), np.ravel(slopes), rtol=1e-14)
    for growth in (smooth.ExponentialGrowth(0.3), smooth.LinearGrowth(0.3)):
        linear = isinstance(growth, smooth.LinearGrowth)
        brute = []
        for x in labels:
            ways = [float(f.space.distance(x, z)) for z in labels]
            sizes = [1 + 0.3 * way if linear else math.exp(0.3 * way) for way in ways]
            brute.append(max(L / size for L, size in zip(slopes, sizes, strict=True)))
        np.testing.assert_allclose(smooth.smooth_sensitivity(f, growth, labels, radius), np.ravel(brute), rtol=1e-14)


def test_sensitivities_take_any_query_with_a_profile_too() -> None:
    ramp = gp.Threshold(at=100.0, width=2.0)
    np.testing.assert_allclose(smooth.pointwise_lipschitz(ramp, [100.0, 104.0]), [0.5, 0.2])


@pytest.mark.parametrize(("df", "loss"), [(3.0, 0.5), (3.0, 3.0), (6.0, 4.0)])
def test_what_a_pair_needs_is_where_its_loss_is_the_promise(df: float, loss: float) -> None:
    """Theory G9: (w + w')/2 ≥ H(|w − w'|) is what the exact loss says, at the border and beside it."""
    noise, rise = gp.noise.StudentT(df), 0.7
    for turn in np.linspace(0, 0.99 * loss / df, 7):
        for beside, holds in ((-1e-6, False), (1e-6, True)):
            middle = float(needed(np.array(turn), np.array(loss), np.array(rise), df)) + beside
            sigma = np.exp(middle + np.array([-turn, turn]) / 2)
            lost = noise.largest_loss(*(np.array([part]) for part in (0.0, sigma[0], rise, sigma[1])))[0]
            assert (lost <= loss) == holds


@pytest.mark.parametrize(("df", "closed"), [(3.0, 2.19), (6.0, 6.27), (1.5, 0.506)])
def test_up_to_a_length_the_smaller_of_two_scales_is_one(df: float, closed: float) -> None:
    """Theory G9(c): minima of admissible pairs are admissible up to ε·dist = (ν+1)/2·ln ν, and not beyond."""
    noise, rng = gp.noise.StudentT(df), np.random.default_rng(1)
    assert closed == pytest.approx((df + 1) / 2 * np.log(df), rel=0.01)

    def broken(loss: float) -> bool:
        turn = loss / df * rng.uniform(-0.5, 0.5, 20_000) ** 3 * 8 * 0.999
        middle = needed(np.abs(turn), np.full(turn.shape, loss), np.ones(turn.shape), df) + 1e-12
        ends = np.stack([middle - turn / 2, middle + turn / 2])
        low = np.exp(np.minimum(ends[:, ::2], ends[:, 1::2]))
        zero = np.zeros(low.shape[1])
        return bool((noise.largest_loss(zero, low[0], zero + 1, low[1]) > loss * (1 + 1e-9)).any())

    assert not broken(0.98 * closed)
    assert broken(1.3 * closed)


@pytest.mark.parametrize("seed", range(4))
def test_label_setting_is_below_every_scale_that_keeps_the_promise(seed: int) -> None:
    """On short edges; others are found by raising labels at random until all pairs keep it."""
    rng = np.random.default_rng(seed)
    f = gp.Values(rng.integers(0, 3, 8).astype(float).tolist(), gp.Finite(0.3 * metric(rng, 8, True)))
    edges, df, noise = Edges.of(f), 5.0, gp.noise.StudentT(5.0)
    assert edges.least_at_once(1.0, df)
    least = set_labels(edges, 1.0, df)
    i, j = np.triu_indices(8, 1)
    center, far = f(range(8)), f.space.distances[i, j]
    seen = 0
    for _ in range(1_000):
        w = least + rng.choice([0.001, 0.02]) * rng.uniform(-1, 1, 8) * (rng.random(8) < 0.3)
        for raised in np.linspace(-0.02, 0.1, 60):
            ends = np.exp(w + raised)
            if (noise.largest_loss(center[i], ends[i], center[j], ends[j]) <= far).all():
                seen += 1
                assert (w + raised >= least - 1e-9).all()
                break
    assert seen > 30


@pytest.mark.parametrize("side", [4.0, 12.0])
def test_both_solvers_agree_where_both_are_best(side: float) -> None:
    f = road(side)
    edges, shares, df = Edges.of(f), np.full(25, 0.04), 10.0
    assert edges.least_at_once(1.0, df)
    own = set_labels(edges, 1.0, df)
    other = Program(edges, 1.0, df, shares).solve(set_labels(edges, 0.9, df) + 0.05, 1e-8)
    assert shares @ np.exp(2 * other) == pytest.approx(shares @ np.exp(2 * own), rel=1e-5)
    assert (other >= own - 1e-6).all()


def test_the_convex_program_ends_where_nothing_near_is_better() -> None:
    """Long edges and uneven people; label setting is worse there, and steps at random find nothing better."""
    rng = np.random.default_rng(5)
    f = gp.Values([0.0, 1.0, 0.0, 3.0], gp.Finite(4 * metric(rng, 4, True)))
    shares, df = np.array([0.7, 0.1, 0.1, 0.1]), 3.0
    edges, noise = Edges.of(f), gp.noise.StudentT(df)
    assert not edges.least_at_once(1.0, df)
    best = best_of_edges(edges, 1.0, df, shares)
    mean = float(shares @ np.exp(2 * best))
    assert mean < 0.999 * float(shares @ np.exp(2 * set_labels(edges, 1.0, df)))
    i, j = np.triu_indices(4, 1)
    center, far = f(range(4)), f.space.distances[i, j]
    for _ in range(40_000):
        w = best + rng.choice([1e-4, 1e-2, 0.3]) * rng.normal(size=4)
        if (noise.largest_loss(center[i], np.exp(w[i]), center[j], np.exp(w[j])) <= far).all():
            assert float(shares @ np.exp(2 * w)) >= mean * (1 - 1e-6)


def test_the_exact_budget_takes_the_smallest_factor() -> None:
    for case, f in CASES.items():
        made = MECHANISMS["SmoothT exact"](f)
        less = replace(made.scale, sigma=made.scale.sigma * (1 - 1e-6))
        assert not gp.audit(replace(made, scale=less)).passed, case
        assert (made.scale.sigma < MECHANISMS["SmoothT of 0.4"](f).scale.sigma).all()


def test_within_a_radius_means_within_a_radius() -> None:
    """Between labels there is no way to chain along: beyond Λ nothing is promised, and something is lost."""
    f = gp.Values([0.0, 0.0, 1.0], gp.Finite([[0, 1, 4], [1, 0, 4], [4, 4, 0]]))
    made = gp.SmoothT.calibrate(gp.Values([0.0, 0.1, 9.0], f.space), 1.0, radius=2.0)
    assert made.guarantee.radius == 2.0
    assert gp.audit(made).passed
    assert not gp.audit(replace(made, guarantee=replace(made.guarantee, radius=np.inf))).passed


@pytest.mark.parametrize(
    ("side", "laplace", "paper", "least"),
    [(4.0, 3.8862, 11.4463, 2.9077), (12.0, 0.4318, 0.8025, 0.1775), (30.0, 0.0691, 0.0925, 0.0127)],
)
def test_a_road_network_takes_a_fraction_of_the_papers_variance(
    side: float, laplace: float, paper: float, least: float
) -> None:
    f, labels = road(side), list(range(25))
    assert gp.LipschitzLaplace.calibrate(f, 1.0).variance(labels).mean() == pytest.approx(laplace, rel=0.01)
    assert gp.SmoothT.calibrate(f, 1.0).variance(labels).mean() == pytest.approx(paper, rel=0.01)
    own = gp.LeastScaleT.calibrate(f, 1.0).variance(labels).mean()
    assert 0.98 * least < own < 1.002 * least  # ν is found, not one of eight


def test_bits_of_eight_people_have_the_stated_variances() -> None:
    space = gp.Finite.hamming(8)
    median = gp.Values(lambda bits: float(str(bits).count("1") >= 5), space)
    count = gp.Values(lambda bits: str(bits).count("1"), space)
    people = {bits: 0.2 ** str(bits).count("1") * 0.8 ** str(bits).count("0") for bits in space.labels}
    shares = np.array(list(people.values()))
    for f, share, rest in ((median, shares, (0.5, 0.87, 0.1112)), (count, np.full(256, 1 / 256), (0.5, 2.25, 0.7219))):
        made = gp.LipschitzLaplace.calibrate(f, 2.0), gp.SmoothT.calibrate(f, 2.0)
        least = gp.LeastScaleT.calibrate(f, 2.0, prior=people if f is median else None)
        for one, known in zip((*made, least), rest, strict=True):
            assert share @ one.variance(list(space.labels)) == pytest.approx(known, rel=0.01)
    assert gp.audit(least).passed


def test_rivals_are_compared_on_labels_for_the_people_expected() -> None:
    space = gp.Finite.hamming(5)
    steep = smooth.rivals(CASES["bits"], 2.0, {bits: 0.1 ** str(bits).count("1") for bits in space.labels})
    assert steep.best == "LeastScaleT"
    assert 0 < steep.floor < steep.variances["LeastScaleT"]
    assert set(steep.left_out) == {"Table", "Lattice", "CoordinateLaplace", "InputLaplace"}
    even = smooth.rivals(gp.Values(lambda bits: str(bits).count("1"), space), 2.0)
    assert even.best == "LipschitzLaplace"
    assert "slope is the same everywhere" in str(even)


def test_noise_is_least_for_the_people_who_are_expected() -> None:
    f = road(30.0)
    here = list(range(5))
    for_them, for_all = (gp.LeastScaleT.calibrate(f, 1.0, prior=people) for people in (here, None))
    assert for_them.variance(here).mean() < 0.999 * for_all.variance(here).mean()
    named = gp.LeastScaleT.calibrate(f, 1.0, prior=dict.fromkeys(here, 2.0))
    np.testing.assert_array_equal(named.variance(here), for_them.variance(here))


@pytest.mark.parametrize("mechanism", ["LipschitzLaplace", "SmoothT", "LeastScaleT", "SmoothLaplace"])
def test_reports_and_simulations_have_the_stated_law(mechanism: str) -> None:
    """Kolmogorov–Smirnov, p > 1e-6 each; planted: a scale twice as large is seen."""
    made = MECHANISMS[mechanism](CASES["towns"])
    sigma = float(np.sqrt(made.variance("B") / made.noise.variance))
    for values in (
        made.report_from(ENTROPY, ["B"] * 800).values,
        made.simulate(["B"] * 800, np.random.default_rng(1)).values,
    ):
        assert stats.kstest((values - 0.5) / sigma, made.noise.cdf).pvalue > 1e-6
        assert stats.kstest((values - 0.5) / sigma * 2, made.noise.cdf).pvalue < 1e-4


@pytest.mark.parametrize("mechanism", ["LipschitzLaplace", "SmoothCauchy", "LeastScaleT", "LocalLaplace"])
def test_the_float_filter_and_the_balls_make_the_same_reports(mechanism: str) -> None:
    """In bulk the filter settles nearly all of them; one by one there is none. Planted: a hundredth more noise."""
    made = MECHANISMS[mechanism](CASES["road"])
    people = np.random.default_rng(1).integers(0, 25, 200)
    names = [b"%d" % k for k in range(200)]
    bulk = made.report_from(Keyed(names, bytes(32)), people).values
    alone = [
        float(made.report_from(Keyed([name], bytes(32)), [one]).values[0])
        for name, one in zip(names, people, strict=True)
    ]
    np.testing.assert_array_equal(bulk, alone)
    more = replace(made, scale=replace(made.scale, sigma=1.01 * made.scale.sigma))
    assert (more.report_from(Keyed(names, bytes(32)), people).values != bulk).mean() > 0.99


def test_what_people_report_is_estimated() -> None:
    made = gp.LeastScaleT.calibrate(CASES["towns"], "1 per 1 km")
    people = np.random.default_rng(1).choice(["A", "B", "C"], 20_000, p=[0.2, 0.3, 0.5])
    answer = gp.estimate(made, made.simulate(people, np.random.default_rng(2)))
    assert abs(answer.value - made.query(people).mean()) < 5 * answer.standard_error
    assert 0 < gp.efficiency(made, ["A", "B", "C"]) < 1


def test_no_error_about_a_persons_value_has_the_value() -> None:
    made = gp.LeastScaleT.calibrate(CASES["towns"], 1.0)
    for value in ("Chesapeake", ["A", "Chesapeake"], [["Chesapeake"]], {"Chesapeake": 1}, [{"Chesapeake": 1}], 7, None):
        for act in (made.report, made.query, made.variance):
            with pytest.raises(gp.OutOfDomain) as caught:
                act(value)
            assert "Chesapeake" not in str(caught.value)
            assert caught.value.__cause__ is None
            assert caught.value.__context__ is None


def graph(*edges: Any, **more: Any) -> gp.Finite:
    return gp.Finite.graph(edges, **more)


BITS = CASES["bits"]
NEAR = gp.Finite([[0, 1e-13, 1], [1e-13, 0, 1 + 1e-13], [1, 1 + 1e-13, 0]])
BAD: list[tuple[Callable[[], Any], str]] = [
    (lambda: gp.Finite([[0, 1, 5], [1, 0, 1], [5, 1, 0]], labels="abc"), r"third label: 1 \+ 1 by 'b'.*5 from"),
    (lambda: gp.Finite([[0, 1], [2, 0]]), "same in both directions"),
    (lambda: gp.Finite([[0, 0], [0, 0]]), "make one of them"),
    (lambda: gp.Finite([[1, 1], [1, 0]]), "0 from each label to itself"),
    (lambda: gp.Finite([[0, np.nan], [1, 0]]), "nan in row 0, column 1"),
    (lambda: gp.Finite([[0, -1], [-1, 0]]), "finite and at least 0"),
    (lambda: gp.Finite([1, 2]), "square array"),
    (lambda: gp.Finite("x"), "square array"),
    (lambda: gp.Finite([[0]]), "2 to 1024 rows"),
    (lambda: gp.Finite([[0, 1], [1, 0]], labels=["a"]), "2 labels"),
    (lambda: gp.Finite([[0, 1], [1, 0]], labels=["a", "a"]), "given once"),
    (lambda: gp.Finite([[0, 1], [1, 0]], labels=[0.5, "a"]), "texts or whole numbers"),  # type: ignore[list-item] # planted
    (lambda: gp.Finite([[0, 1], [1, 0]], labels=3), "sequence"),  # type: ignore[arg-type] # planted
    (lambda: gp.Finite([[0, 1], [1, 0]], unit="1 km"), "short text"),
    (lambda: graph(("a", "b"), ("c", "d")), "one piece.*no path from 'a' to 'c'"),
    (lambda: graph(("a", "b", -1)), "positive"),
    (lambda: graph(("a", "a")), "given once"),
    (graph, "at least one edge"),
    (lambda: graph("ab"), r"\(label, label, length\)"),
    (lambda: graph(([], "b")), "texts or whole numbers"),
    (lambda: graph(("a", "b"), labels=["a", "x"]), "ends of edges"),
    (lambda: graph(("a", "b", 1e-30), ("b", "c", 1)), "2.-52 of the sum"),
    (lambda: gp.Finite.hamming(11), "at most 10"),
    (lambda: gp.Finite.hamming(0), "at least 1"),
    (lambda: gp.Finite.hierarchy({}), "a parent"),
    (lambda: gp.Finite.hierarchy({"a": "b", "b": "a"}), "no circle"),
    (lambda: gp.Finite.hierarchy({"a": "b", "c": "d"}), "one label at the top"),
    (lambda: gp.Finite.hierarchy({"a": "b", "c": "b"}, {"a": 1}), "every label with a parent"),
    (lambda: gp.Values([1, 2], TOWNS), "3 finite numbers"),
    (lambda: gp.Values([1, 2, np.nan], TOWNS), "3 finite numbers"),
    (lambda: gp.Values(lambda label: 1j, TOWNS), "3 finite numbers"),  # type: ignore[arg-type, return-value] # planted
    (lambda: gp.Values([1, 1, 1], TOWNS), "two different numbers"),
    (lambda: gp.Values({"A": 1, "B": 2}, TOWNS), "one number for each label.*'C'"),
    (lambda: gp.Values([1, 2], gp.Line()), "a Finite"),  # type: ignore[arg-type] # planted
    (lambda: gp.LeastScaleT.calibrate(BITS, 1.0, prior={"x": 1}), "prior"),
    (lambda: gp.LeastScaleT.calibrate(BITS, 1.0, prior={"00000": -1}), "prior"),
    (lambda: gp.LeastScaleT.calibrate(BITS, 1.0, df=0.5), "at least 1"),
    (lambda: gp.LeastScaleT.calibrate(gp.Values([0, 0, 1], NEAR), 1.0, df=4.0), "nearest labels"),
    (lambda: gp.SmoothT.calibrate(BITS, 1.0, radius=0.5), "two labels of different values"),
    (lambda: gp.Threshold(at=0.0, width=1.0, space=TOWNS), "a Line"),
    (lambda: gp.Function(np.tanh, TOWNS), "a line, a plane"),
    (lambda: gp.InputLaplace.calibrate(TOWNS, 1.0), "places between any two"),
    (lambda: gp.Lattice.calibrate(TOWNS, 1.0), "flat"),
    (lambda: gp.Table.calibrate(BITS, 1.0), "geopriv.smooth"),
    (lambda: to_document(TOWNS), "no document can hold"),
    (lambda: to_document(BITS), "no document can hold"),
    (lambda: TOWNS.random_direction(np.random.default_rng(0)), "there is nothing"),
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_what_is_no_metric_and_no_table_gets_a_sentence(number: int) -> None:
    make, words = BAD[number]
    with pytest.raises(gp.InvalidParameter, match=words):
        make()


def test_a_scale_of_labels_is_certified_whatever_the_solver_does() -> None:
    """Long and very short edges together: where floats fail the program, what is left is still certified."""
    far = np.array([[0, 1e-9, 30, 30], [1e-9, 0, 30, 30], [30, 30, 0, 20], [30, 30, 20, 0]])
    f = gp.Values([0.0, 1e-9, 1.0, 0.0], gp.Finite(far))
    made = gp.LeastScaleT.calibrate(f, 1.0)
    assert gp.audit(made).passed
    assert least_labels(f, 1.0, 3.0, np.full(4, 0.25)).sigma.min() > 0
