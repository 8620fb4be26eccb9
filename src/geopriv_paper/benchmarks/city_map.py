"""A whole map from one report a person, against the paper's mechanism with ε for each of its 3,721 queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from geopriv.answers.estimate import estimate
from geopriv.spaces import LocalPlane
from geopriv.spaces.checks import FloatArray
from geopriv_paper.crowds import Crowd
from geopriv_paper.kernel_surveys import input_map, true_map
from geopriv_paper.kernels import Kernels
from geopriv_paper.settings import KDE_DISTANCE

INVERSE_RATES = (500, 1_000, 2_000)  # metres
_GRID = 61


@dataclass(frozen=True)
class MapPanel:
    """Average squared error of a 61 × 61 map of kernels of bandwidth h = the diagonal of a cell.

    Args:
        inverse_rate: 1/ε, metres on the ground.
        people: who report.
        bandwidth: h in metres.
        input_laplace: InputLaplace, unbiased, one report of ε a person; predicted.
        simulated: the same in one simulated survey.
        lattice: Lattice, one report of ε a person, in whole numbers, as devices send; predicted.
        from_devices: the same in one survey of exact reports.
        m3_each: the paper's SmoothT with ε for **each** of the 3,721 queries.
        m3_shared: the paper's SmoothT with one ε a person: each person answers one query.
    """

    inverse_rate: int
    people: int
    bandwidth: float
    input_laplace: float
    simulated: float
    lattice: float
    from_devices: float
    m3_each: float
    m3_shared: float

    @property
    def gains(self) -> dict[str, float]:
        """Ratios that are claimed."""
        return {
            "M3 with ε each/one report": self.m3_each / self.input_laplace,
            "M3 sharing ε/one report": self.m3_shared / self.input_laplace,
            "lattice/planar": self.lattice / self.input_laplace,
            "M3 with ε each/lattice": self.m3_each / self.lattice,
            "simulated/lattice": self.from_devices / self.lattice,
        }


def city_map(
    places: FloatArray, space: LocalPlane, seed: int = 0, each: Callable[[], None] = lambda: None
) -> list[MapPanel]:
    """The three settings for people at (latitude, longitude), on a grid over the whole region.

    Args:
        places: of the people, shape (n, 2).
        space: the region.
        seed: of the simulated survey.
        each: called after each setting, for progress.
    """
    rows, columns = (np.linspace(low, high, _GRID) for low, high in zip(*space.rectangle, strict=True))
    crowd = Crowd(space.read(places), rows, columns, "the people given")
    n, rng = len(crowd.points), np.random.default_rng(seed)
    panels = []
    for inverse in INVERSE_RATES:
        kernels = Kernels(crowd, inverse, crowd.width, KDE_DISTANCE)
        truth, found = true_map(kernels, crowd.points), input_map(kernels, "InputLaplace", crowd.points, rng)
        error = {name: kernels.moments(name).numbers(n)["error"] for name in ("InputLaplace", "Lattice", "M3")}
        panels.append(
            MapPanel(
                inverse,
                n,
                crowd.width,
                error["InputLaplace"],
                float(np.mean((found - truth) ** 2)),
                error["Lattice"],
                float(np.mean((_sent(kernels, crowd.points) - truth) ** 2)),
                error["M3"],
                kernels.moments("M3").numbers(n, n / len(crowd.centers))["error"],
            )
        )
        each()
    return panels


def _sent(kernels: Kernels, points: FloatArray) -> FloatArray:
    """The map from one exact report a person, drawn as devices draw."""
    crowd, lattice = kernels.crowd, kernels.lattice
    reports = lattice.report(points)
    found = estimate(lattice, reports.values, kernels.query, at=(crowd.rows, crowd.columns))
    return np.asarray(found.values)
