"""The pages, and the browser's device that the participant's runs: files of this package, none from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from geopriv.collector.headers import POLICY
from geopriv.collector.places import WIDE, chart_of
from geopriv.errors import Unavailable
from geopriv.pages.promise import promise_of
from geopriv.surveys.design import Design

_TYPES = {".js": "text/javascript", ".css": "text/css"}
_HERE = Path(__file__).parent / "static"


@dataclass(frozen=True)
class Page:
    """What is shown.

    Args:
        content: its bytes.
        media_type: what they are.
        policy: what it may do; that of all pages if left out.
    """

    content: bytes
    media_type: str = "text/html"
    policy: str | None = None


def participant_pages(design: Design, invited: bool) -> dict[str, Page]:
    """The pages of a participant by their paths.

    Args:
        design: that they ask for.
        invited: whether a report needs a token.

    Raises:
        Unavailable: where the browser's device is not beside the package.
    """
    device = {f"/client/{path.name}": _file(path) for path in sorted(device_folder().glob("*.js"))}
    return {
        "/": Page(_asking(design, invited)),
        "/page/participant.js": _file(_HERE / "participant.js"),
        "/page/map.js": _file(_HERE / "map.js"),
        "/page/participant.css": Page(_style("participant.css"), "text/css"),
        **device,
    }


def analyst_pages(design: Design, everybody: bool, every: float) -> dict[str, Page]:
    """The analyst's page: it holds nothing of what was reported, and asks for it with a key.

    Args:
        design: whose reports are looked at.
        everybody: whether no key is asked for.
        every: seconds after which it looks again, if it is left to; at least one.
    """
    frames = f"{POLICY}; frame-src 'self'"  # the page of answers stands in it
    return {
        "/analyst": Page(
            _made("analyst.html.j2", design=design, everybody=everybody, every=max(every, 1.0)), policy=frames
        ),
        "/page/analyst.js": _file(_HERE / "analyst.js"),
        "/page/analyst.css": Page(_style("analyst.css"), "text/css"),
    }


def device_folder() -> Path:
    """The browser's device: the package has it beside this file, in a checkout by a link to clients/js.

    Where links cannot be checked out (Windows), it is taken from where the link would point to.
    """
    places = (_HERE / "client", Path(__file__).parents[3] / "clients" / "js" / "src")
    for place in places:
        if (place / "index.js").is_file():
            return place
    raise Unavailable("The browser's device (clients/js) is not beside this installation of geopriv.")


def _file(path: Path) -> Page:
    return Page(path.read_bytes(), _TYPES[path.suffix])


def _asking(design: Design, invited: bool) -> bytes:
    promise = promise_of(design.guarantee, design.space)
    groups = design.groups.names if design.groups is not None else ()
    words = {"wanted": _wanted(design), "asked": _asked(design), "promise": promise}
    found = {"groups": groups, "invited": invited, "chart": chart_of(design), "wide": WIDE}
    return _made("participant.html.j2", design=design, **words, **found)


def _made(name: str, **values: Any) -> bytes:
    """A page of a template."""
    import jinja2

    made = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return made.from_string((_HERE / name).read_text(encoding="utf-8")).render(**values).encode()


def _wanted(design: Design) -> str:
    """What a participant is to tell this browser."""
    space, unit = design.space, design.space.value_unit
    if space.geographic:
        return "You are asked for one place."
    columns = () if design.source is None else design.source.columns
    names = columns if len(columns) == space.dimension else ()
    many = "one number" if space.dimension == 1 else f"{space.dimension} numbers"
    return f"You are asked for {many}{f' in {unit}' if unit else ''}{': ' if names else ''}{' and '.join(names)}."


def _asked(design: Design) -> list[str]:
    """Each question, and of whom it is true where that can be said in words."""
    found = []
    for question in design.questions:
        many, (first, *_) = len(question.queries), question.queries
        true = first.words(question.name)
        told = many == 1 and not true.startswith("count towards")
        more = f": how many {design.counted} {true}" if told else ""
        found.append(f"{question.name}{more}")
    return found


def _style(name: str) -> bytes:
    """A page's style, behind the colours of all pages by light and by dark."""
    templates = resources.files("geopriv.pages") / "templates"
    light, dark = ((templates / f"{name}.css").read_text(encoding="utf-8") for name in ("light", "dark"))
    own = (_HERE / name).read_text(encoding="utf-8")
    colours = f":root {{ color-scheme: light dark;\n{light}}}\n"
    colours += f"@media (prefers-color-scheme: dark) {{ :root {{\n{dark}}} }}\n"
    return (colours + own).encode()
