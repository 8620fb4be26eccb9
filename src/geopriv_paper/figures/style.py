"""The look of all pictures: colours, fonts, and how they are saved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

# Okabe and Ito's colours: told apart with every kind of colour vision
BLACK, ORANGE, SKY, GREEN, BLUE, RED, PINK = "#000000", "#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00", "#cc79a7"
GREY = "0.45"

# one colour, dash and marker a mechanism, the same in every picture
LOOK: dict[str, dict[str, Any]] = {
    "LDP": {"color": GREY, "ls": ":", "marker": "x"},
    "M0": {"color": RED, "ls": "--", "marker": "s"},
    "M1": {"color": PINK, "ls": "--", "marker": "D"},
    "M2": {"color": GREEN, "ls": "-.", "marker": "^"},
    "M3": {"color": ORANGE, "ls": "-", "marker": "o"},
    "LeastScaleT": {"color": SKY, "ls": "--", "marker": "v"},
    "Lattice": {"color": PINK, "ls": "-.", "marker": "P"},
    "InputLaplace": {"color": BLACK, "ls": ":", "marker": "*"},
    "Table": {"color": BLUE, "ls": "-", "marker": "d"},
}
LONG = {
    "LDP": "LDP",
    "M0": "M0: noise on the input, plain (biased)",
    "M1": "M1: noise on the distance, plain (biased)",
    "M2": "M2: Lipschitz Laplace",
    "M3": "M3: smooth sensitivity",
    "LeastScaleT": "LeastScaleT",
    "Lattice": "Lattice",
    "InputLaplace": "InputLaplace",
    "Table": "Table",
}

STYLE: dict[Any, Any] = {
    "svg.hashsalt": "geopriv",
    "svg.fonttype": "path",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "lines.linewidth": 1.8,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "path.simplify_threshold": 0.5,
}


@contextmanager
def styled() -> Iterator[None]:
    """Within it, pictures are made in the house style."""
    with mpl.rc_context(STYLE):
        yield


def save(figure: Figure, folder: Path, name: str, title: str) -> Path:
    """Write a picture as SVG; the same picture gives the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.svg"
    figure.savefig(path, metadata={"Date": None, "Title": title})
    return path


def caption(figure: Figure, text: str) -> None:
    """A line below everything: the data, how many people, what is shown."""
    figure.supxlabel(text, fontsize=9, color="0.3", x=0.01, ha="left")
