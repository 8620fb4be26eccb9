"""The paper's mechanisms beside ours: exact variances, and who is best where."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import geopriv as gp

PAPER = Path(__file__).parents[2] / "docs" / "paper.md"


def test_variances_are_those_of_the_mechanisms_and_none_is_below_the_floor() -> None:
    people = np.linspace(-10, 10, 401)
    query = gp.Threshold(0.0, 2.0)
    found = gp.smooth.rivals(query, 1.0, people)
    assert found.variances["LipschitzLaplace"] == pytest.approx(0.5)
    assert found.variances["SmoothT (the paper's M3)"] == pytest.approx(
        gp.SmoothT.calibrate(query, 1.0).variance(people).mean()
    )
    assert found.best == "Table"
    assert 0 < found.floor < min(found.variances.values())
    assert found.variances["SmoothT, exact budget"] < found.variances["SmoothT (the paper's M3)"]
    assert "InputLaplace" in found.left_out  # a ramp has kinks
    assert "Table is the best" in str(found)


def test_the_plain_laplace_mechanism_is_best_where_the_slope_is_the_same_everywhere() -> None:
    """2/ε² against 3/ε² and more of Student-t noise."""
    slope = gp.Function(lambda x, y: 0.6 * x + 0.8 * y, gp.Plane(None), ((-9, -9), (9, 9)))
    found = gp.smooth.rivals(slope, 1.0)
    assert found.best == "LipschitzLaplace"
    assert found.variances["LipschitzLaplace"] == pytest.approx(2.0, rel=1e-6)
    assert "same everywhere" in str(found)


def test_the_map_of_the_paper_names_files_and_names_that_are_there() -> None:
    text = PAPER.read_text("utf-8")
    rows = [line for line in text.splitlines() if line.startswith("|")][2:]
    names = re.findall(r"`([A-Za-z.]+)(?:\([^`]*\))?`", " ".join(row.split("|")[2] for row in rows))
    for name in names:
        thing: Any = gp
        for part in name.split("."):
            thing = getattr(thing, part)
        assert thing is not None
    files = [path for row in rows for path in re.findall(r"`((?:[a-z_]+/)+[a-z_]*(?:\.py)?)`", row)]
    source = PAPER.parents[1] / "src"
    assert len(files) > 15
    for path in files:
        assert (source / "geopriv" / path).exists() or (source / path).exists(), path
