"""The page on paper: few sheets, none of them nearly empty, whatever its size is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import geopriv as gp
from geopriv.answers import Band
from tests.answered import HASH, answer, city, incomes
from tests.browser import Browser

PAPERS = {"Letter": (8.5, 11.0), "A4": (8.27, 11.69)}
LAST_LINE = 70  # letters


def _whole(answers: gp.Answers, times: int) -> gp.Answers:
    """With all that answers of devices say of a share, and as many shares."""
    *shares, last = answers.answers
    full = [
        replace(
            share,
            question=gp.Share(f"{share.question.name} {k}", share.question.queries[0]),
            plain=Band(share.estimates.values - 0.04, share.estimates.values + 0.04),
            finite=Band(share.estimates.low - 0.01, share.estimates.high + 0.01),
            leverage=1e-5,
        )
        for k in range(times)
        for share in shares
    ]
    return replace(answers, answers=(*full, replace(last, leverage=1e-5)))


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("paper", PAPERS)
def test_no_sheet_is_nearly_empty(browser: Browser, tmp_path: Path, paper: str, times: int) -> None:
    """Without rules of its own the last sheet had the last line alone, and the one before a map was half empty."""
    for answers in (city(20_000, side=41), incomes(20_000)):
        _whole(answers, times).write_page(tmp_path / "page.html")
        with browser.tab(tmp_path / "page.html") as tab:
            letters = tab.printed(*PAPERS[paper])
        assert len(letters) <= 4
        assert min(letters) > 8 * LAST_LINE


def test_neighbouring_maps_begin_and_end_at_the_same_height(browser: Browser, tmp_path: Path) -> None:
    """The unit of one alone says that its colours are logarithmic, in two lines, which put its map higher."""
    britain = gp.LocalPlane(49.8, -8.2, 59.0, 2.0)
    low, high = (tuple(corner.tolist()) for corner in britain.rectangle)
    chart = gp.DensityMap("where", 15_000.0, low, high, britain, columns=40, rows=56)
    x, y = np.meshgrid(np.arange(40), np.arange(56), indexing="ij")
    values = 3.0 * np.exp(-((x - 30) ** 2 + (y - 10) ** 2)) + 2e-3
    found = answer(chart, values, np.full_like(values, 1e-4), 5000)
    promise = gp.Guarantee(2e-4, unit="m", reference="theory T8")
    gp.Answers("A country", HASH, promise, britain, (found,), 5000).write_page(tmp_path / "page.html")
    with browser.tab(tmp_path / "page.html", (620, 900), scripts=False) as tab:
        tab("Emulation.setEmulatedMedia", media="print")
        ends = "e => [e.getBoundingClientRect().top, e.getBoundingClientRect().bottom]"
        maps = tab.run(f"[...document.querySelectorAll('.maps .map')].map({ends})")
        words = "e => { const r = new Range(); r.selectNodeContents(e); return r.getBoundingClientRect().height }"
        units = tab.run(f"[...document.querySelectorAll('.maps .unit')].map({words})")
    assert len(set(units)) == 2
    assert len(maps) == 2
    assert maps[0] == pytest.approx(maps[1])
