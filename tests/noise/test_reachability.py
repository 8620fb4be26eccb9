"""The reachability attack: which of two people can have sent this number at all? (theory E12)

Against float noise it enumerates every random number that could have led to an output. Against reports it looks for
random bits that lead the *other* person to the same report, and always finds some.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import geopriv as gp
from geopriv.noise import GeneralizedCauchy, StudentT
from geopriv.smooth import Additive
from geopriv.spaces.checks import FloatArray
from tests.sources import Given, Seeded, report

EPSILON, DISTANCE, N = 1.0, 0.25, 2000
QUERY = gp.Threshold(0.0, 2.0)
LAPLACE = gp.LipschitzLaplace.calibrate(QUERY, EPSILON)


def float_release(k: FloatArray, answer: float) -> FloatArray:
    """What a careful but inexact sampler does with k·2^-53 from a cryptographic generator."""
    return np.asarray(answer + LAPLACE.scale(np.zeros(1)) * gp.noise.Laplace().ppf(k * 2.0**-53))


def float_reaches(y: FloatArray, answer: float) -> list[bool]:
    """Whether some k leads to y exactly: every k whose noise is within a few roundings of y − answer is tried."""
    scale = float(LAPLACE.scale(np.zeros(1))[0])
    room = 8 * (np.spacing(np.abs(y)) + np.spacing(abs(answer)) + np.spacing(np.abs(y - answer)))
    low, high = (gp.noise.Laplace().cdf((y - answer + sign * room) / scale) * 2.0**53 for sign in (-1, 1))
    found = []
    for value, first, last in zip(y, np.floor(low) - 32, np.ceil(high) + 32, strict=True):
        k = np.arange(max(first, 1.0), min(last, 2.0**53 - 1) + 1)
        found.append(bool((float_release(k, answer) == value).any()))
    return found


def test_the_attack_tells_two_people_apart_by_their_float_noise() -> None:
    first, second = (float(QUERY(x)) for x in (0.1, 0.1 + DISTANCE))
    k = np.random.default_rng(0).integers(1, 2**53, N).astype(float)
    y = float_release(k, first)
    assert all(float_reaches(y, first))  # the attack never accuses the one who sent it
    assert (
        np.mean(float_reaches(y, second)) < 0.75
    )  # and clears the other one at once, in a quarter of all cases or more


def word(u: float | Fraction) -> bytes:
    """The first 64 bits of a number in [0, 1)."""
    return min(int(Fraction(u) * 2**64), 2**64 - 1).to_bytes(8, "little")


def bits_for(mechanism: Additive, z: float) -> bytes:
    """Random bits with which the mechanism's noise is z, by inverting its law."""
    match mechanism.noise:
        case StudentT(df):
            # a direction of cosine ±1 to first order, and the length that then gives z
            return word((1 + z * z / df) ** (-df / 2)) + word(0 if z > 0 else 0.5)
        case GeneralizedCauchy(p, theta):
            inner, top = abs(z) < 1, 0.5 if z > 0 else 0.0
            u = abs(z) if inner else abs(z) ** -(p * theta - 1)
            return word(top + (0.25 if inner else 0.499)) + word(u) + word(2.0**-40)
    return word(math.exp(z) / 2 if z < 0 else 1 - Fraction(math.exp(-z) / 2))


def reaches(mechanism: Additive, x: float, value: float) -> bool:
    """Whether bits are found with which a person at x sends exactly that report."""
    answer, scale = float(QUERY(x)), float(mechanism.scale(np.asarray([x]))[0])
    step = mechanism.report([x]).steps[0]
    for nudge in (0.0, 0.2, -0.2, 0.4, -0.4):  # aim at several places in the cell, as the inversion is in floats
        z = (value + nudge * step - answer) / scale
        source = Given(bits_for(mechanism, z) + bytes([77] * 400))
        if report(mechanism, [x], source).values[0] == value:
            return True
    return False


MECHANISMS: dict[str, Additive] = {
    "LipschitzLaplace": LAPLACE,
    "LeastScaleT": gp.LeastScaleT.calibrate(QUERY, EPSILON),
    "SmoothT": gp.SmoothT.calibrate(QUERY, EPSILON),
    "SmoothCauchy": gp.SmoothCauchy.calibrate(QUERY, EPSILON),
    "SmoothLaplace": gp.SmoothLaplace.calibrate(QUERY, EPSILON, delta=1e-3),
}


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize(("here", "there"), [(0.1, 0.1 + DISTANCE), (0.9, 1.4), (-3.0, -2.75)])
def test_every_report_of_one_person_can_be_sent_by_the_other(name: str, here: float, there: float) -> None:
    mechanism = MECHANISMS[name]
    values = report(mechanism, np.full(200, here), Seeded(1)).values
    assert all(reaches(mechanism, x, value) for x in (here, there) for value in values.tolist())


def test_the_search_for_bits_would_notice_a_report_off_the_grid() -> None:
    step = LAPLACE.report([0.1]).steps[0]
    value = float(LAPLACE.report([0.1]).values[0])
    assert reaches(LAPLACE, 0.1, value)
    assert not reaches(LAPLACE, 0.1, value + step / 4)


def test_every_value_of_a_table_can_be_sent_by_everyone() -> None:
    table = gp.Table.calibrate(QUERY, EPSILON, straight=True)  # spare rows only add to these
    assert (table.weights > 0).all()
    for x in (-5.0, 0.1, 0.35):
        for letter, value in enumerate(table.values.tolist()):
            row = int(np.searchsorted(table.lattice, x, side="right")) - 1  # U near 1 takes the row below
            start = int(table.weights[row, :letter].sum())
            source = Given(word(1 - 2.0**-30) + (start << 4).to_bytes(8, "little"))
            assert report(table, [x], source).values[0] == value


def test_last_bits_betray_float_noise_and_not_a_report() -> None:
    """|y − 1| − |y| is ±1 up to rounding, which depends on the input of float noise; fixed bits, confidence 0.99."""
    mechanism, source, rng = gp.InputLaplace.calibrate(gp.Line(), 1.0), Seeded(6), np.random.default_rng(6)

    def folded(y: FloatArray) -> FloatArray:
        return np.abs(y - 1) - np.abs(y)

    simulated = gp.audit_black_box(lambda x: folded(mechanism.simulate(x, rng).values), 0.0, 1.0, 1.0, n=200_000)
    reported = gp.audit_black_box(lambda x: folded(report(mechanism, x, source).values), 0.0, 1.0, 1.0, n=200_000)
    assert not simulated.passed
    assert reported.passed
