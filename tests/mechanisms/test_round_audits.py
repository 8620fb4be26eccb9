"""Audits of round noise: from its stated law and from samples, on a device and here, with faults that must show."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from typing import Any

import pytest
from flint import arb

import geopriv as gp
from geopriv.device.mechanisms import read_mechanism
from geopriv.errors import InvalidDesign
from geopriv.noise.exact import precision
from tests.crafted_parts import guarantee
from tests.rows import CITY

LATTICES = [
    gp.Lattice.on_grid(gp.Plane("m"), 1e-3, 10.0, noise="round"),
    gp.Lattice.on_grid(gp.Plane("m"), 1e-3, 100.0, noise="round"),
    gp.Lattice.on_grid(gp.Plane("m"), 1e-3, 1500.0, noise="round"),
    gp.Lattice.on_grid(gp.Euclidean(3), 0.1, 0.5, noise="round"),
    gp.Lattice.on_grid(CITY, 1e-3, 20.0, noise="round"),
]


def faulty(lattice: gp.Lattice, name: str, value: object) -> gp.Lattice:
    """The same with a number that could not have been given when it was made."""
    made = gp.Lattice(**{key: getattr(lattice, key) for key in lattice.__dataclass_fields__})
    object.__setattr__(made, name, value)
    return made


@pytest.mark.parametrize("lattice", LATTICES)
def test_the_worst_loss_is_what_is_promised_and_faults_are_found(lattice: gp.Lattice) -> None:
    audit = gp.audit(lattice)
    assert audit.passed
    assert 0.99 <= audit.worst_ratio <= 1.0
    assert not gp.audit(faulty(lattice, "theta", lattice.theta * Fraction(102, 100))).passed
    core = lattice.core or 0
    if core >= 10:
        assert not gp.audit(faulty(lattice, "core", core // 10)).passed


@pytest.mark.parametrize("lattice", LATTICES)
def test_a_device_refuses_what_the_library_refuses(lattice: gp.Lattice) -> None:
    document = json.loads(json.dumps(lattice.to_document()))
    assert read_mechanism(document, "it").spent == lattice.spent <= 1
    (top, bottom), core = document["theta"], document["core"]
    faults = [
        {"theta": [top * 102, bottom * 100]},
        {"core": (core - 1) // 10},
        {"core": core - 1},
        {"core": float(core)},
        {"core": True},
        {"core": str(core)},
        {"core": -core},
        {"core": 10**12},
        {"core": 10**300},
        {"theta": [1 << 10, 1]},
    ]
    for fault in faults:
        with pytest.raises(InvalidDesign):
            read_mechanism(document | fault, "it")
        with pytest.raises(InvalidDesign):
            gp.Lattice.from_document(document | fault)
    without = {key: value for key, value in document.items() if key != "core"}
    for read in (gp.Lattice.from_document, lambda given: read_mechanism(given, "it")):
        with pytest.raises(InvalidDesign):  # θ is too large for noise of its own on each axis
            read(without)


def test_a_line_and_a_table_have_no_core() -> None:
    line = json.loads(json.dumps(gp.Lattice.calibrate(gp.Line(), 1.0, step=0.1).to_document()))
    for read in (gp.Lattice.from_document, lambda given: read_mechanism(given, "it")):
        with pytest.raises(InvalidDesign):
            read(line | {"core": 4})


def test_a_device_refuses_axes_on_which_rejection_would_take_for_ever() -> None:
    space = {"type": "Euclidean", "axes": 40, "unit": None}
    document = json.loads(json.dumps(gp.Lattice.on_grid(gp.Euclidean(6), 1.0, 0.5, noise="round").to_document()))
    assert read_mechanism(document, "it").spent <= 1
    with pytest.raises(InvalidDesign, match="two to six axes"):
        read_mechanism(document | {"space": space, "origin": [0.0] * 40, "core": 60}, "it")


def crafted(rng: random.Random) -> dict[str, Any]:
    """A lattice with θ and core at the ends of what is allowed, to 30 digits, give or take one unit."""
    axes, parts = rng.choice((2, 3, 6)), 10**30
    space = {"type": "Euclidean", "axes": axes, "unit": None}
    promise = guarantee(rng.choice((1.0, 1e-3, 0.7)), None)
    step = rng.choice((0.01, 0.3, 1.0, 3.9)) / promise["epsilon"]
    allowed = Fraction(promise["epsilon"]) * Fraction(step)
    theta = Fraction(math.floor(allowed * parts) + rng.choice((0, 0, -1, 1)), parts)
    least, most = math.ceil(axes * (2 + theta) ** 2 / (4 * theta * (4 + 3 * theta))), math.floor(16 / theta**2)
    core = rng.choice((least, least - 1, most, most + 1))
    return {"type": "Lattice", "space": space, "guarantee": promise, "step": step, "origin": [0.0] * axes, "core": core,
            "theta": [theta.numerator, theta.denominator]}  # fmt: skip


def keeps(document: dict[str, Any]) -> bool:
    """What T8′ asks for, in balls."""
    theta, axes = Fraction(*document["theta"]), len(document["origin"])
    with precision(400):
        a = (1 + arb(theta.numerator) / theta.denominator).log()
        wide = bool(document["core"] * (4 * a + a * a) >= axes)
    return wide and theta <= Fraction(document["guarantee"]["epsilon"]) * Fraction(document["step"])


def test_crafted_lattices_are_taken_by_both_or_by_none_and_keep_what_they_promise() -> None:
    rng, taken, refused = random.Random(5), 0, 0
    for _ in range(400):
        document = crafted(rng)
        verdicts = []
        for read in (gp.Lattice.from_document, lambda given: read_mechanism(given, "it")):
            try:
                read(document)
                verdicts.append(True)
            except InvalidDesign:
                verdicts.append(False)
        assert verdicts[0] == verdicts[1], document
        assert keeps(document) or not verdicts[0], document
        taken, refused = taken + verdicts[0], refused + (not verdicts[0])
    assert min(taken, refused) > 80
