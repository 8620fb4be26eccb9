"""Gaussian kernel density estimation: the average squared error of a map of 61 × 61 places, and the maps."""

from __future__ import annotations

import math
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from geopriv_paper.compact import packed
from geopriv_paper.crowds import crowd
from geopriv_paper.datasets import Data, Places
from geopriv_paper.kernel_surveys import (
    answer_checks,
    answer_maps,
    input_maps,
    map_checks,
    one_report_checks,
    shared_map,
    split_checks,
    true_map,
)
from geopriv_paper.kernels import ALL, ALONE, Kernels
from geopriv_paper.panel import Panel
from geopriv_paper.settings import (
    CITY,
    KDE,
    KDE_DISTANCE,
    KDE_REPETITIONS,
)

NAME = "kde"
MERCATOR = "mercator"
"""The panel in the paper's unit: ε for a metre on the Mercator map, which is shorter on the ground (E11)."""

UNIT = 1_000  # maps are kept in thousandths of the true map's largest value
_SMALL, _SURVEYS, _PLACES = 5_000, 25, 16  # people of a small survey, surveys, and places in each
_PLACES_FULL = 32  # in each survey of the paper's size
_PAPERS = ("M1", "M2", "M3", "LDP")
_SEED = 12


def panels(data: Data, full: bool) -> list[Panel]:
    """Seven settings and the paper's unit; each exact and with small surveys beside, in full also with the paper's."""
    found = []
    metre = math.cos(math.radians(CITY.middle[0]))  # of the Mercator map, on the ground
    settings = [(*one, 1.0, panel_name(*one)) for one in KDE]
    settings.append((*KDE[0], metre, MERCATOR))
    for inverse, factor, people, unit, name in settings:
        plan = {
            "places": data.places.fingerprint,
            "inverse_rate": inverse,
            "factor": factor,
            "people": people,
            "unit": unit,
            "seed": _SEED,
            "theory": ["T5″", "T8′"],  # of the Table and the Lattice: a result of others is not kept
        }
        setting = data.places, inverse * unit, factor, people, KDE_DISTANCE * unit
        found.append(Panel(NAME, name, plan | {"small": [_SMALL, _SURVEYS, _PLACES]}, partial(_panel, *setting)))
        if full and name != MERCATOR:
            large = {"large": [KDE_REPETITIONS, _PLACES_FULL]}
            found.append(Panel(NAME, f"{name}-surveys", plan | large, partial(_large, *setting)))
    return found


def panel_name(inverse_rate: int, factor: float, people: int) -> str:
    """Short, and safe as a file name."""
    return f"e{inverse_rate}-h{factor:g}-n{people}"


def draw(results: dict[str, dict[str, Any]], folder: Path) -> list[Path]:
    """Errors by mechanism for all settings, and the maps of each."""
    from geopriv_paper.figures.kde import draw as pictures

    return pictures(results, folder)


def expected(kernels: Kernels, people: int) -> dict[str, Any]:
    """Average squared errors by formula: with ε for each query, and with one ε a person."""
    queries = len(kernels.crowd.centers)
    each = {name: kernels.moments(name).numbers(people) for name in ALL}
    split = {name: kernels.moments(name).numbers(people, people / queries) for name in ALONE}
    return {
        "queries": queries,
        "expected": each,
        "shared": {name: split.get(name, numbers) for name, numbers in each.items()},
        "floor_each": kernels.floor_each / people,
        "floor_shared": kernels.floor / people,
    }


def _panel(places: Places, inverse_rate: float, factor: float, people: int, distance: float) -> dict[str, Any]:
    kernels = _kernels(places, inverse_rate, factor, distance)
    rng = np.random.default_rng([_SEED, round(inverse_rate), round(10 * factor), people])
    checks = answer_checks(kernels, ALONE, _SMALL, _SURVEYS, _PLACES, rng)
    checks += split_checks(kernels, _SMALL, _SURVEYS, _PLACES, rng)
    checks += one_report_checks(kernels, _SMALL, _SURVEYS, _PLACES, rng)
    return {
        "source": kernels.crowd.source,
        "inverse_rate": round(inverse_rate, 1),
        "factor": factor,
        "people": people,
        "distance": round(distance, 1),
        "bandwidth": kernels.bandwidth,
        "step": kernels.lattice.step,
        **expected(kernels, people),
        **_maps(kernels, people, rng),
        "checks": checks,
    }


def _large(places: Places, inverse_rate: float, factor: float, people: int, distance: float) -> dict[str, Any]:
    """Surveys of the paper's size: its mechanisms at some places, and whole maps from one report a person."""
    kernels = _kernels(places, inverse_rate, factor, distance)
    rng = np.random.default_rng([_SEED, round(inverse_rate), round(10 * factor), people, 1])
    checks = answer_checks(kernels, _PAPERS, people, KDE_REPETITIONS, _PLACES_FULL, rng)
    return {"source": kernels.crowd.source, "checks": checks + map_checks(kernels, people, KDE_REPETITIONS, rng)}


def _maps(kernels: Kernels, people: int, rng: np.random.Generator) -> dict[str, Any]:
    """One survey's maps, for pictures."""
    x = kernels.crowd.draw(people, rng)
    truth = true_map(kernels, x)
    maps = {"true": truth, **input_maps(kernels, x, rng), **answer_maps(kernels, truth, people, rng)}
    maps["M3 shared"] = shared_map(kernels, "M3", x, rng)
    top = float(truth.max())
    return {"top": top, "maps": {name: packed(one / top, 1 / UNIT, -1.0, 2.0) for name, one in maps.items()}}


@lru_cache(maxsize=8)
def _kernels(places: Places, inverse_rate: float, factor: float, distance: float) -> Kernels:
    people = crowd(places)
    return Kernels(people, inverse_rate, factor * people.width, distance)
