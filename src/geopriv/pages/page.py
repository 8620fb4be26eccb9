"""The page: every answer with its interval, and the promise behind them, in one file that needs nothing else."""

from __future__ import annotations

import datetime
import os
from functools import cache
from typing import TYPE_CHECKING

import shapely

from geopriv import __version__
from geopriv.answers.answers import Answers
from geopriv.device.files import replacing
from geopriv.pages.curves import curve_view
from geopriv.pages.maps import fence_marks, map_view
from geopriv.pages.promise import promise_of
from geopriv.pages.shares import share_views
from geopriv.pages.words import REASONS
from geopriv.queries.questions import DensityMap, Distribution, Share
from geopriv.spaces.checks import invalid

if TYPE_CHECKING:
    import jinja2


def write_page(
    answers: Answers,
    path: str | os.PathLike[str],
    outline: shapely.Geometry | None = None,
    date: datetime.date | None = None,
) -> None:
    """Write report.html; it is there whole or not at all.

    Args:
        answers: what was learnt.
        path: of the file.
        outline: a coast or border to draw on maps: polygons or lines, on a LocalPlane in degrees (longitude, latitude),
            on a Plane in its unit.
        date: to show on the page; without one the same answers give the same bytes.

    Raises:
        InvalidParameter: for an outline that cannot be drawn.
    """
    html = page_html(answers, outline, date)
    with replacing(path) as fresh:
        fresh.write_text(html, encoding="utf-8")


def page_html(answers: Answers, outline: shapely.Geometry | None = None, date: datetime.date | None = None) -> str:
    """The same as text."""
    if not isinstance(answers, Answers):
        raise invalid("write_page", "answers", "Answers", type(answers).__name__)
    shares = [answer for answer in answers.answers if isinstance(answer.question, Share)]
    curves = [answer for answer in answers.answers if isinstance(answer.question, Distribution)]
    maps = [answer for answer in answers.answers if isinstance(answer.question, DensityMap)]
    marks = fence_marks(shares) if maps else {}
    return _template().render(
        answers=answers,
        shares=share_views(shares, marks),
        curves=[curve_view(answer) for answer in curves],
        maps=[map_view(answer, shares, marks, outline) for answer in maps],
        promise=promise_of(answers.guarantee, answers.space),
        rejected=[(count, REASONS.get(reason, reason)) for reason, count in sorted(answers.rejected.items()) if count],
        biased=any(not answer.estimates.unbiased for answer in answers.answers),
        finite=any(answer.finite is not None for answer in answers.answers),
        together=any(answer.band is not None for answer in answers.answers),
        date=f"{date.day} {date:%B %Y}" if date else "",
        version=__version__,
    )


@cache
def _template() -> jinja2.Template:
    import jinja2

    loader = jinja2.PackageLoader("geopriv.pages", "templates")
    # names come from files: everything is escaped, and nothing that is missing is passed over
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("page.html.j2")
