"""A whole map from one report a person, against the paper's mechanism with ε for each of its 3,721 queries."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from geopriv.checks import FloatArray
from geopriv.maps import estimate_map
from geopriv.mechanisms import InputLaplace
from geopriv.planning.predictions import input_laplace, lattice, posterior
from geopriv.planning.workload import Workload
from geopriv.queries import GaussianKernel
from geopriv.spaces import LocalPlane

INVERSE_RATES = (500, 1_000, 2_000)  # metres
_GRID = 61
_PEOPLE = 4_000  # of those who report, over whom exact variances are averaged


@dataclass(frozen=True)
class MapPanel:
    """Average squared error of a 61 × 61 map of kernels of bandwidth h = the diagonal of a cell.

    Args:
        inverse_rate: 1/ε, metres on the ground.
        people: who report.
        bandwidth: h in metres.
        input_laplace: InputLaplace, unbiased, one report of ε a person; predicted.
        simulated: the same in one simulated survey.
        lattice: Lattice, one report of ε a person, in whole numbers; predicted.
        m3_each: the paper's SmoothT with ε for **each** of the 3,721 queries.
        m3_shared: the paper's SmoothT with one ε a person: each person answers one query.
    """

    inverse_rate: int
    people: int
    bandwidth: float
    input_laplace: float
    simulated: float
    lattice: float
    m3_each: float
    m3_shared: float

    @property
    def gains(self) -> dict[str, float]:
        """Ratios that are claimed."""
        return {
            "M3 with ε each/one report": self.m3_each / self.input_laplace,
            "M3 sharing ε/one report": self.m3_shared / self.input_laplace,
            "lattice/planar": self.lattice / self.input_laplace,
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
    points = space.read(places)
    rows, columns = (np.linspace(a, b, _GRID) for a, b in zip(*space.rectangle, strict=True))
    bandwidth = math.floor(math.hypot(rows[1] - rows[0], columns[1] - columns[0]))
    middle = space.middle
    centers = space.values(np.stack(np.meshgrid(rows, columns, indexing="ij"), axis=-1).reshape(-1, 2))
    kernels = tuple(GaussianKernel(tuple(center), bandwidth, space) for center in centers.tolist())
    rng = np.random.default_rng(seed)
    some = rng.choice(len(points), min(_PEOPLE, len(points)), replace=False)
    panels = []
    for inverse in INVERSE_RATES:
        rate, n = 1 / inverse, len(points)
        work = Workload(kernels, space, rate, n, points[some], np.full(some.size, 1 / some.size))
        each_query = posterior("SmoothT", work, rate)
        shared = (work.size * each_query + (work.size - 1) * work.answers[1]) / n
        mechanism, kernel = InputLaplace.calibrate(space, rate), GaussianKernel(middle, bandwidth, space)
        truth = estimate_map(InputLaplace.calibrate(space, rate, "plain"), points, kernel, rows, columns)
        found = estimate_map(mechanism, mechanism.simulate(places, rng), kernel, rows, columns)
        panels.append(
            MapPanel(
                inverse,
                n,
                bandwidth,
                float(input_laplace(work, rate).mean()) / n,
                float(np.mean((found.values - truth.values) ** 2)),
                float(lattice(work, rate)[0].mean()) / n,
                float(each_query.mean()) / n,
                float(shared.mean()),
            )
        )
        each()
    return panels
