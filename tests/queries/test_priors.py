"""Priors: what each constructor puts its mass on, what is refused, and what a published table is worth."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import geopriv as gp
from geopriv.spaces.checks import FloatArray

DATA = Path(__file__).parents[3] / "shared" / "data"
BRACKETS = "households_acs5_2020_2024"


def incomes() -> FloatArray:
    """Quantiles of the published log-normal fit."""
    u = (np.arange(20_000) + 0.5) / 20_000
    return np.exp(11.49399503122476 + 0.8290709468895202 * gp.noise.StudentT(df=1e9).ppf(u))


def test_a_sample_keeps_its_values_and_shares_its_weights() -> None:
    prior = gp.Prior.sample([3.0, 1.0, 2.0], weights=[2, 0, 6])
    np.testing.assert_array_equal(prior.values, [3.0, 1.0, 2.0])
    np.testing.assert_array_equal(prior.weights, [0.25, 0.0, 0.75])
    assert gp.Prior.sample([(1.0, 2.0), (3.0, 4.0)]).weights.tolist() == [0.5, 0.5]


@given(st.lists(st.tuples(st.floats(0.1, 50), st.floats(0, 100)), min_size=1, max_size=12))
def test_a_histogram_has_the_share_of_every_bracket_and_spreads_it_evenly(brackets: list[tuple[float, float]]) -> None:
    edges = np.cumsum([0.0, *(width for width, _ in brackets)])
    counts = np.array([count for _, count in brackets])
    if counts.sum() < 1e-3:
        counts[0] = 1.0
    prior = gp.Prior.histogram(edges, counts)
    bracket = np.searchsorted(edges, prior.values) - 1
    np.testing.assert_allclose(np.bincount(bracket, prior.weights, counts.size), counts / counts.sum(), atol=1e-12)
    middles = np.bincount(bracket, prior.values) / np.bincount(bracket)
    np.testing.assert_allclose(middles, (edges[1:] + edges[:-1]) / 2, rtol=1e-9)


def test_a_law_has_the_moments_of_its_quantiles() -> None:
    prior = gp.Prior.law(gp.noise.Laplace().ppf)
    assert prior.values.mean() == pytest.approx(0.0, abs=1e-9)
    assert (prior.values**2).mean() == pytest.approx(2.0, rel=5e-3)


def test_a_box_is_filled_evenly() -> None:
    prior = gp.Prior.uniform((0.0, -1.0, 5.0), (2.0, 1.0, 6.0))
    assert prior.values.shape[1] == 3
    octants = (prior.values > [1.0, 0.0, 5.5]) @ [1, 2, 4]
    assert np.abs(np.bincount(octants) / octants.size - 1 / 8).max() < 2e-3
    assert np.ptp(gp.Prior.uniform(2.0, 5.0).values) == pytest.approx(3.0, rel=1e-3)


def write(path: Path, rows: str) -> Path:
    path.write_text(f"bracket_min,bracket_max,people\n{rows}", encoding="utf-8")
    return path


def test_a_published_file_of_brackets_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "b.csv", "0,9,10\n10,19,30\n20,,60\n")
    prior = gp.Prior.brackets(path, shares="people", end=50)
    assert prior == gp.Prior.histogram([0, 10, 20, 50], [0.1, 0.3, 0.6])
    closed = write(tmp_path / "c.csv", "0,9,10\n10,20,30\n")
    assert gp.Prior.brackets(closed, shares="people") == gp.Prior.histogram([0, 10, 20], [1, 3])


@pytest.mark.parametrize(
    ("rows", "options", "parameter"),
    [
        ("0,9,10\n10,,30\n", {}, "end"),  # open-ended, and no end given
        ("0,9,10\n10,,30\n", {"end": 5.0}, "edges"),
        ("0,9,many\n10,20,30\n", {}, "path"),
        ("0,9,0\n10,20,0\n", {}, "shares"),
        ("", {}, "shares"),
        ("0,9,10\n", {"shares": "households"}, "shares"),
    ],
)
def test_a_file_that_is_no_table_of_brackets_is_refused(
    tmp_path: Path, rows: str, options: dict[str, Any], parameter: str
) -> None:
    with pytest.raises(gp.InvalidParameter, match=f"'{parameter}'"):
        gp.Prior.brackets(write(tmp_path / "b.csv", rows), **({"shares": "people"} | options))


@pytest.mark.parametrize(
    ("make", "parameter"),
    [
        (lambda: gp.Prior.sample([]), "values"),
        (lambda: gp.Prior.sample([1.0, np.nan]), "values"),
        (lambda: gp.Prior.sample(["a"]), "values"),
        (lambda: gp.Prior.sample(np.ones((2, 2, 2))), "values"),
        (lambda: gp.Prior.sample([1.0, 2.0], [1.0]), "weights"),
        (lambda: gp.Prior.sample([1.0, 2.0], [1.0, -1e-9]), "weights"),
        (lambda: gp.Prior.sample([1.0, 2.0], [0.0, 0.0]), "weights"),
        (lambda: gp.Prior.sample([1.0, 2.0], [1.0, np.inf]), "weights"),
        (lambda: gp.Prior(np.ones(2), np.ones(2)), "weights"),
        (lambda: gp.Prior.histogram([0, 1], [-1]), "shares"),
        (lambda: gp.Prior.histogram([0, 1, 1], [1, 1]), "edges"),
        (lambda: gp.Prior.histogram([0, np.inf], [1]), "edges"),
        (lambda: gp.Prior.law(lambda u: -u), "ppf"),
        (lambda: gp.Prior.law(lambda u: np.full_like(u, np.nan)), "ppf"),
        (lambda: gp.Prior.law(3), "ppf"),  # type: ignore[arg-type]
        (lambda: gp.Prior.uniform(1.0, 1.0), "edges"),
        (lambda: gp.Prior.uniform((0, 0), (1,)), "high"),
    ],
)
def test_a_prior_that_is_none_is_refused_by_name(make: Any, parameter: str) -> None:
    with pytest.raises(gp.InvalidParameter, match=f"'{parameter}'"):
        make()


def test_priors_are_values() -> None:
    prior = gp.Prior.sample([1.0, 2.0])
    assert prior == gp.Prior.sample([1.0, 2.0], [3, 3])
    assert prior != gp.Prior.sample([1.0, 2.0], [3, 4])
    assert hash(prior) == hash(pickle.loads(pickle.dumps(prior)))
    assert pickle.loads(pickle.dumps(prior)) == prior


def test_a_prior_of_another_space_is_refused() -> None:
    for calibrate in (gp.Table.calibrate, gp.LeastScaleT.calibrate):
        with pytest.raises(gp.InvalidParameter, match="'prior'"):
            calibrate(gp.Ball((0.0, 0.0), 2.0, 1.0), 1.0, prior=gp.Prior.sample([1.0, 2.0]))


def test_an_array_and_the_prior_of_its_sample_mean_the_same() -> None:
    query, x = gp.Threshold(100_000.0, 16_000.0), incomes()[::100]
    first, second = (gp.LeastScaleT.calibrate(query, 1 / 8000, prior=p) for p in (x, gp.Prior.sample(x)))
    assert first == second
    half = gp.LeastScaleT.calibrate(query, 1 / 8000, prior=gp.Prior.sample(x, np.where(x > 1e5, 1.0, 0.0)))
    assert half == gp.LeastScaleT.calibrate(query, 1 / 8000, prior=x[x > 1e5])
    assert half != first


def people() -> gp.Prior:
    """Real incomes where they can be read, the published fit otherwise."""
    path = DATA / "ca_income.parquet"
    try:
        from pyarrow import parquet
    except ImportError:
        print("pyarrow is missing: the log-normal fit stands for the incomes")
        return gp.Prior.sample(incomes())
    table: Any = parquet.read_table(path)
    return gp.Prior.sample(table["income"].to_numpy().astype(float), table["weight"].to_numpy().astype(float))


def test_published_brackets_do_better_than_knowing_nothing() -> None:
    """Each is scored on incomes that it has not seen; the brackets are worth up to about 1 %, and cost nothing.

    The last setting lies where the table of brackets is taken to end, so the prior is wrong about one half of it.
    """
    path = DATA / "ca_income_brackets.csv"
    if not path.exists():
        print(f"skipped: {path} is not here")
        pytest.skip("no published brackets beside the repository")
    prior, truth = gp.Prior.brackets(path, shares=BRACKETS, end=1_000_000), people()
    gains = []
    for at, inverse_rate in ((100_000, 20_000), (1_000_000, 80_000), (1_000_000, 32_000)):
        query = gp.Threshold(at, min(0.2 * at, 2 * inverse_rate))
        blind, informed = (gp.Table.calibrate(query, 1 / inverse_rate, prior=p) for p in (None, prior))
        gains.append(1 - informed.expected_variance(truth) / blind.expected_variance(truth))
    print(f"gains: {[f'{gain:.2%}' for gain in gains]}")
    assert min(gains) > -1e-3
    assert max(gains) > 0.005
