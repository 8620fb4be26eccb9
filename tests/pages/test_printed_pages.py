"""The page on paper: few sheets, none of them nearly empty, whatever its size is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import geopriv as gp
from geopriv.answers import Band
from tests.answered import city, incomes
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
