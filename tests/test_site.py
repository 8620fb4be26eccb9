"""The documentation site: it builds without a warning and without a network, and asks nothing of other hosts."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import geopriv as gp

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
HOW_TO = sorted((DOCS / "howto").glob("*.md"))
SURVEYS = [
    pytest.param(page, block, id=f"{page.stem}-{k}")
    for page in (*HOW_TO, DOCS / "quickstart.md")
    for k, block in enumerate(re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL))
]
# mkdocs, where every attempt to connect is an error (not "--quiet": it counts no warnings then)
BUILD = """
import socket, sys
def refuse(*args): raise AssertionError("the build asked for the network")
socket.socket.connect = socket.getaddrinfo = refuse
from mkdocs.__main__ import cli
cli(["build", "--strict", "--config-file", sys.argv[1], "--site-dir", sys.argv[2]])
"""


class _Assets(HTMLParser):
    """What a page loads by itself: everything but links that a reader may follow."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and (name in ("src", "srcset", "data", "poster") or (name == "href" and tag in ("link", "use"))):
                self.found.append(value)
            if value and name == "style":
                self.found += addresses(value)


def addresses(style: str) -> list[str]:
    """What a style sheet loads."""
    return re.findall(r"""(?:url\(|@import\s+)["']?([^"')\s;]+)""", style)


def outside(text: str, kind: str) -> list[str]:
    """Assets of a page or style sheet that come from another host."""
    if kind == ".css":
        assets = addresses(text)
    else:
        parser = _Assets()
        parser.feed(text)
        assets = parser.found + [
            a for style in re.findall(r"<style>(.*?)</style>", text, re.S) for a in addresses(style)
        ]
    return [asset for asset in assets if re.match(r"(?:[a-z]+:)?//", asset)]


def test_the_site_builds_without_a_warning_and_loads_nothing_from_other_hosts(tmp_path: Path) -> None:
    site = tmp_path / "site"
    command = [sys.executable, "-c", BUILD, str(ROOT / "mkdocs.yml"), str(site)]
    environment = {"NO_MKDOCS_2_WARNING": "1", "PYTHONDONTWRITEBYTECODE": "1", "PATH": ""}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    pages = [path for kind in ("*.html", "*.css") for path in site.rglob(kind)]
    assert len(pages) > 30
    assert {str(path): found for path in pages if (found := outside(path.read_text("utf-8"), path.suffix))} == {}
    for source in DOCS.rglob("*.md"):
        name = "index" if source.stem == "README" else source.stem
        assert (site / source.relative_to(DOCS).parent / f"{name}.html").exists()
    assert not list(site.rglob("*.py"))
    reference = (site / "reference" / "queries.html").read_text(encoding="utf-8")
    assert '<span class="gp">&gt;&gt;&gt; </span>' in reference  # doctests are code, not quotations


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('<link rel="stylesheet" href="https://fonts.example/css">', ".html"),
        ('<script src="//cdn.example/a.js"></script>', ".html"),
        ('<p style="background:url(http://a.example/b.png)">', ".html"),
        ('@import "https://fonts.example/css";', ".css"),
    ],
)
def test_an_asset_from_another_host_is_found(text: str, kind: str) -> None:
    assert len(outside(text, kind)) == 1


def test_links_that_a_reader_may_follow_and_own_assets_are_no_assets_from_other_hosts() -> None:
    assert outside('<a href="https://a.example">a</a><img src="../b.svg"><link href="assets/c.css">', ".html") == []


def test_every_public_name_is_in_the_reference_once() -> None:
    pages = [page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md")]
    named = re.findall(r"^::: geopriv\.(\w+)$", "\n".join(pages), flags=re.MULTILINE)
    assert sorted(named) == gp.__all__
    index = (DOCS / "reference" / "index.md").read_text(encoding="utf-8")
    assert [name for name in named if f"`{name}`" not in index] == []


@pytest.mark.parametrize("page", HOW_TO, ids=[page.stem for page in HOW_TO])
def test_every_how_to_asks_shows_runs_and_explains(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"^#+ .+$", text, flags=re.MULTILINE)[1:] == [
        "## In a survey",
        "## In Python",
        "## How to read it",
    ]
    assert re.search(r"^\*\*.+\?\*\*", text, flags=re.MULTILINE)  # the question
    assert "```toml" in text
    assert ">>> import geopriv as gp" in text


@pytest.mark.parametrize(("page", "survey"), SURVEYS)
def test_the_surveys_shown_can_be_read(page: Path, survey: str, tmp_path: Path) -> None:
    (tmp_path / "survey.toml").write_text(survey, encoding="utf-8")
    for block in re.findall(r"```json\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
        (tmp_path / "parks.geojson").write_text(block, encoding="utf-8")
    assert gp.Survey.read(tmp_path / "survey.toml").questions


@pytest.mark.parametrize(("page", "survey"), SURVEYS)
def test_the_surveys_shown_are_complete(page: Path, survey: str) -> None:
    tables: dict[str, Any] = tomllib.loads(survey)
    assert {"name", "epsilon", "per", "people", "space", "query"} <= tables.keys()
    blocks = re.findall(r"```json\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for query in tables["query"]:
        if "file" in query:
            assert [json.loads(block)["type"] for block in blocks] == ["FeatureCollection"]
