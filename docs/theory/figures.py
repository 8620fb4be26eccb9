"""Draws the pictures of docs/theory.

Run it:  python docs/theory/figures.py [folder]

Nothing is simulated, and the same code gives the same files, byte for byte, with the same version of matplotlib.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import geopriv as gp
from geopriv.spaces.checks import FloatArray
from geopriv_paper.figures.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    RED,
    SKY,
    STYLE,
)
from geopriv_paper.lemma import lemma


def panels(columns: int, height: float = 3.6) -> tuple[Figure, Any]:
    """A figure of panels side by side."""
    figure = Figure(figsize=(4.9 * columns, height), layout="constrained")
    return figure, figure.subplots(1, columns)


def label(axis: Axes, title: str, x: str, y: str) -> None:
    """Title and axes of a panel."""
    axis.set_title(title, fontsize=11, loc="left")
    axis.set_xlabel(x)
    axis.set_ylabel(y)


def scales() -> Figure:
    """Scales of Student-t noise for a ramp and a Gaussian kernel."""
    figure, (left, right) = panels(2)
    s = np.linspace(0, 16, 600)
    for axis, query, title in (
        (left, gp.Threshold(0.0, 2.0), "Threshold of width 2/ε"),
        (right, gp.GaussianKernel(0.0, 2.0), "Gaussian kernel, bandwidth 2/ε"),
    ):
        paper = gp.SmoothT.calibrate(query, 1.0)
        exact = gp.SmoothT.calibrate(query, 1.0, calibration="exact")
        axis.semilogy(s, paper.scale(s), color=ORANGE, label="paper: smooth sensitivity, ν = 3")
        axis.semilogy(s, exact.scale(s), color=ORANGE, ls="--", label="the same with T3's budget")
        for df, colour, dash in ((3.0, BLUE, "-"), (10.0, SKY, "--"), (2.5, GREEN, ":")):
            least = gp.LeastScaleT.calibrate(query, 1.0, df=df)
            axis.semilogy(s, least.scale(s), color=colour, ls=dash, label=f"least scale (T4), ν = {df:g}")
        axis.set_ylim(3e-3, 6)
        label(axis, title, "distance from the centre, in units of 1/ε", "scale σ(s) of the noise")
    left.axvspan(0, 1, color="0.9", zorder=0)
    left.text(0.5, 4e-3, "ramp", ha="center", fontsize=9)
    right.legend(fontsize=8.5, loc="upper right")
    return figure


def table() -> Figure:
    """Report probabilities of a table as functions of the coordinate."""
    figure, (left, right) = panels(2)
    mechanism = gp.Table.calibrate(gp.Threshold(0.0, 2.0), 1.0)
    s = np.concatenate([np.linspace(-7, -3.5, 8), np.linspace(-3, 3, 25), np.linspace(3.5, 7, 8)])
    law = mechanism.probabilities(s)
    colours = mpl.colormaps["cividis"](np.linspace(0, 1, mechanism.values.size))
    left.stackplot(s, law.T, colors=colours, linewidth=0)
    left.plot(s, mechanism.query(s), color=BLACK, lw=1.4, ls="--")
    left.text(2.2, 0.9, "f0 (dashed)", fontsize=9, color="black")
    left.set_ylim(0, 1)
    left.grid(visible=False)
    label(left, "Probability of each report, stacked", "coordinate s, in units of 1/ε", "probability")
    common = np.flatnonzero(law.max(axis=0) > 0.02)
    for j in common:
        right.semilogy(s, law[:, j], color=colours[j], lw=1.4)
    right.semilogy([-6.5, -5], [0.04, 0.04 * np.exp(1.5)], color=RED, lw=2.5)
    right.text(-6.8, 0.2, "slope ε: none\nis steeper", color=RED, fontsize=9)
    right.set_ylim(1e-4, 1.5)
    label(right, "The same curves on a logarithmic scale", "coordinate s, in units of 1/ε", "probability")
    steps = mpl.colors.ListedColormap(colours)  # one step a value keeps the file small
    scale = mpl.cm.ScalarMappable(mpl.colors.Normalize(mechanism.values[0], mechanism.values[-1]), steps)
    figure.colorbar(scale, ax=right, label="reported value y")
    return figure


def variances() -> Figure:
    """Variance of each unbiased mechanism against the distance from a threshold, with the floor."""
    figure, axis = panels(1, 4.2)
    figure.set_size_inches(7.2, 4.4)
    query, s = gp.Threshold(0.0, 2.0), np.linspace(0, 10, 401)
    for mechanism, colour, dash, name in (
        (gp.LipschitzLaplace.calibrate(query, 1.0), GREEN, "-.", "LipschitzLaplace"),
        (gp.SmoothT.calibrate(query, 1.0), ORANGE, "-", "SmoothT (the paper's M3)"),
        (gp.LeastScaleT.calibrate(query, 1.0), SKY, "--", "LeastScaleT"),
        (gp.Table.calibrate(query, 1.0), BLUE, "-", "Table"),
    ):
        axis.semilogy(s, mechanism.variance(s), color=colour, ls=dash, label=name)
    floor = gp.lower_bound(query, 1.0, s)
    axis.semilogy(s, floor, color=BLACK, lw=1.4, label="floor (T7)")
    axis.fill_between(s, 1e-6, floor, color="0.88", zorder=0)
    axis.text(0.3, 2e-5, "no unbiased report\nwith this promise", fontsize=9.5)
    axis.set_ylim(1e-5, 10)
    label(axis, "Threshold of width 2/ε", "distance from the threshold, in units of 1/ε", "variance of a report")
    axis.legend(fontsize=9, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def kernel() -> Figure:
    """The kernel's smooth sensitivity, the paper's lemma, and how fast each may change."""
    figure, (left, right) = panels(2)
    c, g = np.linspace(0.005, 6, 601), 0.26
    true = gp.smooth.smooth_sensitivity(gp.shapes.Gaussian(1.0), gp.smooth.ExponentialGrowth(g), c)
    claimed = np.array([lemma(float(place), g) for place in c])
    local = gp.smooth.pointwise_lipschitz(gp.shapes.Gaussian(1.0), c)
    left.plot(c, true, color=BLUE, label="smooth sensitivity B*")
    left.plot(c, claimed, color=RED, ls="--", label="the paper's lemma (E3)")
    left.plot(c, local, color="0.45", lw=1.2, ls=":", label="pointwise Lipschitz constant L")
    left.set_ylim(0, 0.65)
    left.legend(fontsize=9)
    label(left, "Gaussian kernel, γ = 0.26/h", "distance from the centre, in bandwidths", "times h")
    middle = (c[1:] + c[:-1]) / 2
    for values, colour, dash in ((true, BLUE, "-"), (claimed, RED, "--")):
        right.plot(middle, np.abs(np.diff(np.log(values))) / np.diff(c) / g, color=colour, ls=dash)
    right.axhline(1, color=BLACK, lw=1)
    right.text(6, 1.03, "allowed", ha="right", fontsize=9)
    right.set_ylim(0, 2.1)
    label(right, "How fast the bound changes", "distance from the centre, in bandwidths", "|slope of ln B|/γ")
    return figure


def smoothstep(s: FloatArray, width: float, degree: int) -> FloatArray:
    """A rise from 0 to 1 with 1 (degree 1) or 2 (degree 2) continuous derivatives."""
    u = np.clip(s / width + 0.5, 0, 1)
    if degree == 1:
        return np.where(u < 0.5, 2 * u**2, 1 - 2 * (1 - u) ** 2)
    return u**3 * (10 - 15 * u + 6 * u**2)


def input_noise() -> Figure:
    """The corrected function on a line, and what kinks do to it in the plane."""
    figure, (left, right) = panels(2)
    s = np.linspace(-6, 6, 1201)
    step, wide = s[1] - s[0], np.linspace(-40, 40, 8001)
    noise = np.exp(-np.abs(wide)) / 2 * step
    plain = np.convolve(smoothstep(np.linspace(-46, 46, 9201), 2.0, 1), noise, "valid")
    f = smoothstep(s, 2.0, 1)
    bend = np.where(np.abs(s) < 1, -np.sign(s), 0.0)
    left.plot(s, f, color=BLACK, label="f, and the mean of g(x + Z)")
    left.plot(s, plain, color=RED, ls="--", label="the mean of f(x + Z): biased")
    left.plot(s, f - bend, color=BLUE, lw=1.3, label="g = f − f″/ε²")
    left.legend(fontsize=9, loc="upper left")
    left.set_ylim(-1.2, 2.9)
    label(left, "On a line, width 2/ε", "x, in units of 1/ε", "")
    count, length = 1 << 14, 40.0
    t = (np.arange(count) / count - 0.5) * length
    lift = (1 + (2 * np.pi * np.fft.rfftfreq(count, length / count)) ** 2) ** 1.5
    for degree, colour, name in (
        (1, RED, "f″ jumps: g like 1/s, infinite variance"),
        (2, BLUE, "f‴ jumps: g like ln s"),
    ):
        bump = smoothstep(t + 10, 2.0, degree) - smoothstep(t - 10, 2.0, degree)
        g = np.fft.irfft(np.fft.rfft(bump) * lift, count)
        near = np.abs(t + 10) < 4
        right.plot(t[near] + 10, g[near], color=colour, lw=1.2, label=name)
    right.set_ylim(-14, 24)
    right.legend(fontsize=9, loc="upper left", frameon=True, framealpha=1, edgecolor="white")
    label(right, "A half-plane in the plane, width 2/ε", "distance from the border, in units of 1/ε", "g")
    return figure


def lattice() -> Figure:
    """The law of a lattice report between two grid points, and the three-point stencil of a threshold."""
    figure, (left, right) = panels(2)
    k, theta = np.arange(-12, 13), 0.25
    a = 1 / (1 + theta)
    c = (1 + theta) / theta**2

    def law(x: float) -> FloatArray:
        low, share = int(np.floor(x)), x - np.floor(x)
        rows = [(1 - a) / (1 + a) * a ** np.abs(k - (low + up)) for up in (0, 1)]
        return np.asarray((1 - share) * rows[0] + share * rows[1])

    for x, colour, mark in ((0.0, BLUE, "o"), (0.3, ORANGE, "s"), (1.0, GREEN, "^")):
        left.semilogy(k, law(x), mark, color=colour, ms=4.5, ls="-", lw=0.8, label=f"x = {x:g}")
    left.legend(fontsize=9)
    label(left, "Law of the report, ε·step = 0.25", "report, in steps", "probability")
    f = np.clip((np.arange(-13, 14) + 4) / 8, 0, 1)
    g = f[1:-1] * (1 + 2 * c) - c * (f[:-2] + f[2:])
    right.plot(k, f[1:-1], "o-", color=BLACK, ms=4, label="f on the grid")
    right.plot(k, g, "s-", color=BLUE, ms=4, lw=1.2, label="g = (1 + 2c)f − c(left + right)")
    right.legend(fontsize=9, loc="upper left")
    label(right, "The stencil undoes the noise", "grid point", "")
    return figure


def maps() -> Figure:
    """Variance of a deconvolved map over its floor, against the kernel's bandwidth."""
    figure, axis = panels(1, 4.2)
    figure.set_size_inches(7.2, 4.2)
    width = np.geomspace(0.7, 20, 200)  # ε·h
    variance = 3 + 6 / width**2 + 6 / width**4  # in units of π/(ε·step)², as is the next
    axis.loglog(width, variance / 1, color=ORANGE, ls="--", label="over the kernels' own local floors")
    axis.loglog(width, variance / 2, color=BLUE, label="over the floor for all of them (T10)")
    axis.axhline(1, color=BLACK, lw=1.4)
    axis.fill_between(width, 0.5, 1, color="0.88", zorder=0)
    axis.text(1.0, 0.66, "no unbiased report with this promise", fontsize=9.5)
    axis.axhline(1.5, color=BLUE, lw=0.8, ls=":")
    axis.text(20, 1.55, "1.5", color=BLUE, ha="right", fontsize=9)
    axis.set_yticks([0.5, 1, 2, 5, 10, 20], ["0.5", "1", "2", "5", "10", "20"])
    axis.set_xticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
    axis.minorticks_off()
    axis.set_ylim(0.5, 20)
    axis.set_xlim(0.7, 20)
    axis.legend(fontsize=9)
    label(axis, "A map from one noisy point a person", "bandwidth h, in units of 1/ε", "summed variance over floor")
    return figure


FIGURES: dict[str, Callable[[], Figure]] = {
    "scales": scales,
    "table": table,
    "variances": variances,
    "kernel": kernel,
    "input-noise": input_noise,
    "lattice": lattice,
    "maps": maps,
}


def save(figures: dict[str, Callable[[], Figure]], folder: Path) -> None:
    """Write pictures as SVG files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in figures.items():
        with mpl.rc_context(STYLE):
            figure = make()
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Title": make.__doc__ or ""})


if __name__ == "__main__":
    save(FIGURES, Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "figures")
