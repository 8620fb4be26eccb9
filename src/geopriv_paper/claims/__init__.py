"""What the paper's evaluation says, sentence by sentence, judged by the results."""

from __future__ import annotations

from typing import Any

from geopriv_paper.claims import (
    kde,
    one_way,
    table1,
    two_way,
)
from geopriv_paper.claims.claim import Panels, judge_all

CLAIMS = [*table1.CLAIMS, *one_way.CLAIMS, *two_way.CLAIMS, *kde.CLAIMS]


def judged(results: dict[str, Panels]) -> list[dict[str, Any]]:
    """A verdict for each claim whose experiment was run."""
    return judge_all(CLAIMS, results)
