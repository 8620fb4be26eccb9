"""The page: every answer with its interval, and the promise behind them, in one file that needs nothing else."""

from __future__ import annotations

import base64
import datetime
import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import shapely
from markupsafe import Markup

from geopriv import __version__
from geopriv.answers.answers import Answer, Answers
from geopriv.pages.asked import asked_sentences, marked
from geopriv.pages.forms import FORMS, form_of
from geopriv.pages.groups import group_sentences, group_tables
from geopriv.pages.promise import promise_of
from geopriv.pages.regions import Page, regions_of
from geopriv.pages.words import REASONS
from geopriv.spaces.checks import invalid

if TYPE_CHECKING:
    import jinja2


def page_html(answers: Answers, outline: shapely.Geometry | None = None, date: datetime.date | None = None) -> str:
    """The page of answers, as text.

    Args:
        answers: what was learnt.
        outline: a coast or border to draw on maps, as `Answers.write_page` takes it.
        date: to show on the page.

    Raises:
        InvalidParameter: for an outline that cannot be drawn.
    """
    if not isinstance(answers, Answers):
        raise invalid("write_page", "answers", "Answers", type(answers).__name__)
    sections = sections_of(answers.answers, outline)
    return template("page.html.j2").render(
        answers=answers,
        sections=sections,
        drawn=_drawn(sections),
        script=Markup(_script()),
        policy=page_policy(),
        asked=asked_sentences(answers),
        tables=group_tables(answers),
        said_of_groups=group_sentences(answers),
        promise=promise_of(answers.guarantee, answers.space),
        rejected=rejected_words(answers),
        biased=any(not answer.estimates.unbiased for answer in answers.answers),
        finite=any(answer.finite is not None for answer in answers.answers),
        together=any(answer.band is not None for answer in answers.answers),
        plain=any(answer.plain is not None for answer in answers.answers),
        date=f"{date.day} {date:%B %Y}" if date else "",
        version=__version__,
    )


def sections_of(answers: Sequence[Answer], outline: shapely.Geometry | None = None) -> list[tuple[str, Sequence[Any]]]:
    """What is shown of answers, form by form: the macro of parts.html.j2, and its views."""
    drawn = any(form_of(answer.question).is_map for answer in answers)
    page = Page(regions_of(answers) if drawn else (), outline)
    by_form = {name: [answer for answer in answers if answer.question.form == name] for name in FORMS}
    views = {name: marked(FORMS[name].views(own, page), own) for name, own in by_form.items() if own}
    return [(name.replace(" ", "_"), shown) for name, shown in views.items()]


def _drawn(sections: Iterable[tuple[str, Sequence[Any]]]) -> dict[str, list[Any]]:
    """The numbers behind the pictures, in their order on the page."""
    views = [view for _, own in sections for view in own]
    return {
        kind: [view.data for view in views if getattr(view, "data", None) is not None and view.kind == kind]
        for kind in ("maps", "curves")
    }


@cache
def _script() -> str:
    """What a page does besides being read."""
    return resources.files("geopriv.pages").joinpath("templates", "page.js").read_text(encoding="utf-8")


@cache
def page_policy() -> str:
    """What a browser may do with a page: run this script and no other, and load nothing."""
    told = base64.b64encode(hashlib.sha256(_script().encode()).digest()).decode()
    return f"default-src 'none'; script-src 'sha256-{told}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"


def rejected_words(answers: Answers) -> list[tuple[int, str]]:
    """How many reports were not counted, and why."""
    return [(count, REASONS.get(reason, reason)) for reason, count in sorted(answers.rejected.items()) if count]


@cache
def template(name: str) -> jinja2.Template:
    """One of the templates of this room."""
    import jinja2

    loader = jinja2.PackageLoader("geopriv.pages", "templates")
    # names come from files: everything is escaped, and nothing that is missing is passed over
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template(name)
