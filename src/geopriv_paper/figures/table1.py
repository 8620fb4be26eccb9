"""A picture of Table 1: bias and variance of every approach, on a threshold and on a kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from geopriv_paper.figures.style import (
    BLUE,
    LONG,
    ORANGE,
    caption,
    save,
    styled,
)
from geopriv_paper.page.markdown import capital


def draw(results: dict[str, dict[str, Any]], folder: Path) -> list[Path]:
    """Variance of one report, and bias of the mean, for each query."""
    results = {name: result for name, result in results.items() if "rows" in result}
    with styled():
        figure = Figure(figsize=(11.5, 3.9 * len(results)), layout="constrained")
        axes = figure.subplots(len(results), 2, squeeze=False, width_ratios=[3, 2])
        for (left, right), result in zip(axes, results.values(), strict=True):
            rows = result["rows"]
            place = np.arange(len(rows))[::-1]
            colours = [ORANGE if one in ("M0", "M1") else BLUE for one in rows]
            variances = [row["variance"] for row in rows.values()]
            left.barh(place, variances, color=colours, height=0.55)
            left.set_xscale("log")
            left.set_yticks(place, [LONG[one] for one in rows])
            for y, value in zip(place, variances, strict=True):
                left.text(1.12 * value, y, f"{value:.3g}", va="center", fontsize=9)
            left.set_xlim(5e-3, 6 * max(variances))
            left.set_xlabel("variance of one report, averaged over people")
            left.set_title(capital(result["query"]), fontsize=10, loc="left")
            right.barh(place, [100 * row["bias"] for row in rows.values()], color=colours, height=0.55)
            right.axvline(0, color="black", lw=1)
            right.set_yticks(place, [])
            right.set_xlabel("bias of the mean, percentage points")
            for axis in (left, right):
                axis.grid(axis="y", visible=False)
        sources = "; ".join(dict.fromkeys(result["source"] for result in results.values()))
        note = "InputLaplace answers the smooth query that is nearest to the threshold."
        caption(figure, f"Exact. Orange: biased estimators. LDP has another promise. {note}\nData: {sources}.")
        return [save(figure, folder, "table1", "Bias and variance of every approach")]
