"""The picture of a sweep: how short intervals become with people and ε."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from geopriv.spaces import Space
from geopriv.surveys.planning.targets import Sweep

# Okabe and Ito's colours: told apart with every kind of colour vision
_COLOURS = ("#56b4e9", "#009e73", "#0072b2", "#e69f00", "#d55e00")
_LOOK: dict[Any, Any] = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
}
_ACROSS = 3  # panels
_MOST = 12


def draw_sweep(sweep: Sweep, space: Space, path: str | Path) -> None:
    """Write the picture of a sweep: a panel for each question, a line for each ε.

    Args:
        sweep: what is drawn; of more than twelve questions the first.
        space: whose unit ε is in.
        path: of a PNG file.
    """
    import matplotlib as mpl
    from matplotlib import ticker
    from matplotlib.figure import Figure

    names = list(sweep.widths)[:_MOST]
    across = min(len(names), _ACROSS)
    down = math.ceil(len(names) / across)
    with mpl.rc_context(_LOOK):
        figure = Figure(figsize=(4.2 * across, 3.2 * down + 0.6), layout="constrained")
        panels = np.ravel(figure.subplots(down, across, squeeze=False, sharex=True, sharey=True))
        for panel, name in zip(panels, names, strict=False):
            for rate, widths, colour in zip(sweep.rates, sweep.widths[name], _COLOURS, strict=True):
                label = f"1/ε = {space.distance_words(1 / rate)}"
                panel.loglog(sweep.people, 100 * np.asarray(widths), color=colour, marker="o", ms=3.5, label=label)
            panel.set_title(name if len(name) <= 44 else f"{name[:43]}…", fontsize=10)
            panel.set_xlabel("people")
            panel.set_ylabel("95 % interval, ± points")
            panel.tick_params(labelbottom=True, labelleft=True)
        panels[0].yaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
        panels[0].yaxis.set_major_formatter(ticker.StrMethodFormatter("{x:g}"))
        panels[0].set_xticks(sweep.people[::2], [f"{people:,}" for people in sweep.people[::2]])
        panels[0].minorticks_off()
        for panel in panels[len(names) :]:
            panel.set_axis_off()
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=9)
        figure.savefig(path, dpi=150, format="png")
