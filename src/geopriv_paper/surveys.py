"""Many simulated surveys of the paper's mechanisms at once, at its sizes and repetitions.

All settings see the same people and the same draws of noise (common random numbers). Noise on the answer is σ(x)·Z, so
the sum over people of one income is σ times the sum of their Z, and one batch of draws serves every setting; noise on
the input passes through the threshold and is evaluated person by person. Surveys of few people add up to larger ones.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from geopriv.mechanisms import InputLaplace
from geopriv.noise import Laplace, StudentT
from geopriv.smooth import Additive, LipschitzLaplace, LocalLaplace, SmoothT
from geopriv.spaces.checks import FloatArray
from geopriv_paper.agreement import moments_of, squared_error_check
from geopriv_paper.datasets import Incomes
from geopriv_paper.panel import Panel
from geopriv_paper.settings import ONE_WAY_PEOPLE, OneWay

BLOCK = 100_000  # people of the smallest survey; formulas are checked there, where repetitions are most
_ROUND = 25  # repetitions that are kept as one result, so that a run that was stopped loses little
_BLOCKS = ONE_WAY_PEOPLE[-1] // BLOCK


def survey_rounds(incomes: Incomes, settings: list[OneWay], repetitions: int, seed: int) -> list[Panel]:
    """Rounds of surveys, at least two so that two cores share them."""
    each = min(_ROUND, repetitions // 2)
    plan = {"incomes": incomes.fingerprint, "repetitions": each, "block": BLOCK, "seed": seed}
    return [
        Panel("one-way", f"surveys-{k:02d}", plan, partial(_round, incomes, settings, each, (seed, k)))
        for k in range(repetitions // each)
    ]


def _round(incomes: Incomes, settings: list[OneWay], repetitions: int, seed: tuple[int, int]) -> dict[str, Any]:
    rng, everyone = np.random.default_rng(seed), [_Setting(one, incomes) for one in settings]
    errors = np.array([_block(incomes, everyone, rng) for _ in range(repetitions * _BLOCKS)])  # block, setting, name
    simulated: dict[str, Any] = {}
    checks = []
    for k, one in enumerate(everyone):
        simulated[one.name] = {}
        for j, (name, (bias, variance)) in enumerate(one.expected.items()):
            own = errors[:, k, j]
            sizes = {size: own.reshape(-1, size // BLOCK).mean(axis=1) for size in (BLOCK, *ONE_WAY_PEOPLE)}
            simulated[one.name][name] = {str(size): moments_of(means) for size, means in sizes.items()}
            what = f"{one.name}, {name}, n = {BLOCK:,}"
            checks.append(squared_error_check(what, bias, variance / BLOCK, simulated[one.name][name][str(BLOCK)]))
    return {"source": incomes.source, "simulated": simulated, "checks": checks}


class _Setting:
    """The paper's mechanisms for one setting, with what they do at every distinct income."""

    def __init__(self, setting: OneWay, incomes: Incomes) -> None:
        query, rate, x, weights = setting.query, setting.rate, incomes.values, incomes.weights
        self.name, self.query = setting.name, query
        self.plain = InputLaplace.calibrate(query.space, rate, "plain")
        answers: dict[str, Additive] = {
            "LDP": LocalLaplace.calibrate(query, rate, setting.distance),
            "M2": LipschitzLaplace.calibrate(query, rate),
            "M3": SmoothT.calibrate(query, rate),
        }
        assert [one.noise for one in answers.values()] == [Laplace(), Laplace(), StudentT(3.0)]
        self.truth = query(x)
        self.scales = [one.scale(query.coordinate(x)) for one in answers.values()]
        self.expected = {}
        for name, one in {**answers, "M0": self.plain}.items():
            own, noise = one.moments(x, query)
            bias = float(weights @ own)
            self.expected[name] = bias, float(weights @ noise + weights @ (own - bias) ** 2)

    def errors(self, counts: Any, x: FloatArray, laplace: FloatArray, sums: tuple[FloatArray, ...]) -> list[float]:
        """Estimate minus truth of LDP, M2, M3 and M0 in one survey."""
        # not as matrix products: waking threads for vectors this short costs more than it saves
        answers = [float((scale * total).sum()) / x.size for scale, total in zip(self.scales, sums, strict=True)]
        noisy = x + laplace / self.plain.guarantee.epsilon
        plain = self.plain.contributions(noisy, self.query).mean() - (counts * self.truth).sum() / x.size
        return [*answers, float(plain)]


def _block(incomes: Incomes, settings: list[_Setting], rng: np.random.Generator) -> list[list[float]]:
    """One survey of every setting with the same people and draws."""
    counts = incomes.counts(BLOCK, rng)
    x = np.repeat(incomes.values, counts)
    laplace, student = Laplace().sample(rng, BLOCK), StudentT(3.0).sample(rng, BLOCK)
    of_laplace, of_student = _summed(laplace, counts), _summed(student, counts)
    return [one.errors(counts, x, laplace, (of_laplace, of_laplace, of_student)) for one in settings]


def _summed(draws: FloatArray, counts: Any) -> FloatArray:
    """The sum of the draws of all people of one income, for each income."""
    total = np.concatenate([[0.0], np.cumsum(draws)])
    ends = np.cumsum(counts)
    return np.asarray(total[ends] - total[ends - counts])
