"""Variances of the paper's mechanisms and of the least scale on functions of the plane, and what they take to build.

python bench/general.py [--fine]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import geopriv as gp
from geopriv.smooth.cells import cells_of

BOX = ((-20.0, -20.0), (20.0, 20.0))
COUNT = 400  # people along each axis, one in the middle of each cell


def ramp(s: Any, width: float) -> Any:
    """From 0 to 1 over a width."""
    return np.clip(s / width + 0.5, 0, 1)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "soft rectangle": lambda x, y: ramp(x + 3, 2) * ramp(3 - x, 2) * ramp(y + 5, 2) * ramp(5 - y, 2),
    "disc and half plane": lambda x, y: np.minimum(ramp(6 - np.hypot(x, y), 2), ramp((x + 0.5 * y) / 1.25**0.5 + 1, 2)),
    "wave": lambda x, y: 0.5 * (1 + np.tanh(x)) * np.exp(-(y**2) / 8),
    "three kernels": lambda x, y: sum(
        np.exp(-((x - a) ** 2 + (y - b) ** 2) / 8) / 3 for a, b in ((-4, -3), (5, -2), (0, 6))
    ),
}


def main() -> None:
    """A line a function and mechanism."""
    axis = -20 + 40 * (np.arange(COUNT) + 0.5) / COUNT
    people = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    finest = 0.05 if "--fine" in sys.argv else 0.1
    print(f"{'function':<22}{'mechanism':<34}{'variance':>10}{'worst':>10}{'build, s':>10}{'10^6 σ, s':>11}")
    for name, formula in FUNCTIONS.items():
        function = gp.Function(formula, gp.Plane(None), BOX)
        gp.LeastScaleT.calibrate(function, 1.0, df=3.0, cells=1.0)  # compiles
        rows: list[tuple[str, Callable[[gp.Function], Any]]] = [
            ("LipschitzLaplace", lambda f: gp.LipschitzLaplace.calibrate(f, 1.0, cells=0.1)),
            ("SmoothT (the paper's M3)", lambda f: gp.SmoothT.calibrate(f, 1.0, cells=0.1)),
            ("SmoothT, exact budget", lambda f: gp.SmoothT.calibrate(f, 1.0, 0.4, calibration="exact", cells=0.1)),
        ]
        for width in (0.4, 0.2, 0.1, 0.05):
            if width >= finest:
                rows.append(
                    (f"LeastScaleT, cells {width:g}", partial(gp.LeastScaleT.calibrate, epsilon=1.0, cells=width))
                )
        for label, make in rows:
            cells_of.cache_clear()
            start = time.perf_counter()
            mechanism = make(function)
            built = time.perf_counter() - start
            start = time.perf_counter()
            mechanism.scale(np.resize(people, (1_000_000, 2)))
            valued = time.perf_counter() - start
            variance, worst = mechanism.variance(people).mean(), gp.audit(mechanism).worst_ratio
            print(f"{name:<22}{label:<34}{variance:>10.4g}{worst:>10.6f}{built:>10.2f}{valued:>11.2f}", flush=True)


if __name__ == "__main__":
    main()
