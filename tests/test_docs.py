"""The documents: links lead somewhere, pictures are there, small and drawn by the script."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
THEORY = ROOT / "docs" / "theory"
SCRIPTS = [THEORY / "figures.py", ROOT / "docs" / "choosing.py"]  # each draws the pictures of its folder


def links(text: str) -> list[str]:
    """Targets of Markdown links outside code, but not of links to other hosts."""
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    return [target for target in re.findall(r"\]\(([^)\s]+)\)", prose) if "://" not in target]


def anchors(text: str) -> set[str]:
    """The names under which a page's headings can be linked."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(page: Path) -> list[str]:
    """Links of the page that lead nowhere."""
    bad = []
    for link in links(page.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            bad.append(link)
    return bad


def drawn(script: Path) -> list[str]:
    """Names of the pictures that a script draws, read without running it."""
    tree = ast.parse(script.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == "FIGURES":
            assert isinstance(node.value, ast.Dict)
            return [
                key.value for key in node.value.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)
            ]
    raise AssertionError("no table of figures")


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert broken(page) == []


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One Two\n[a](none.md) [b](#one-two) [c](#three) `[d](code.md)` [e](https://else.where)\n")
    assert broken(page) == ["none.md", "#three"]


def test_paths_of_documents_in_docstrings_exist() -> None:
    named = {
        path
        for file in (*ROOT.glob("src/**/*.py"), ROOT / "CONTRIBUTING.md")
        for path in re.findall(r"docs/[\w/-]+(?:\.md)?", file.read_text(encoding="utf-8"))
    }
    assert named
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_every_page_of_the_theory_is_reached_from_its_entrance() -> None:
    entrance = (THEORY / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in THEORY.glob("*.md")} - {"README.md"}
    assert pages <= set(links(entrance))
    for number in range(1, 11):
        assert f"| T{number} |" in entrance


def test_every_erratum_has_a_check_that_runs() -> None:
    text = (THEORY / "errata.md").read_text(encoding="utf-8")
    sections = re.split(r"^## (E\d+)$", text, flags=re.MULTILINE)[1:]
    names, bodies = sections[::2], sections[1::2]
    assert names == [f"E{number}" for number in range(1, 13)]
    assert all(">>> " in body for body in bodies)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_pictures_shown_are_those_that_are_drawn_and_each_is_small_and_described(script: Path) -> None:
    folder = script.parent
    shown = re.findall(
        r"!\[([^\]]+)\]\(figures/([\w-]+)\.svg\)", "".join(p.read_text("utf-8") for p in folder.glob("*.md"))
    )
    pictures = sorted((folder / "figures").glob("*.svg"))
    assert {name for _, name in shown} == set(drawn(script)) == {path.stem for path in pictures}
    assert all(len(description) > 20 for description, _ in shown)
    for path in pictures:
        assert path.stat().st_size < 150_000
        assert "<dc:date>" not in path.read_text(encoding="utf-8")


def test_the_first_pages_show_a_page_and_no_picture_lies_about() -> None:
    root = THEORY.parent.parent
    for entrance, place in (("README.md", "docs/figures/page.png"), ("docs/index.md", "figures/page.png")):
        (shown,) = re.findall(rf"!\[([^\]]+)\]\({place}\)", (root / entrance).read_text(encoding="utf-8"))
        assert len(shown) > 20
    others = [path for path in (root / "docs" / "figures").iterdir() if path.suffix != ".svg"]
    assert [path.name for path in others] == ["page.png"]
    assert others[0].read_bytes().startswith(b"\x89PNG")
    assert others[0].stat().st_size < 200_000


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_script_draws_every_picture(script: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", str(script), str(tmp_path)]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=300)
    assert sorted(path.stem for path in tmp_path.glob("*.svg")) == sorted(drawn(script))
    for path in tmp_path.glob("*.svg"):
        assert path.read_text(encoding="utf-8").rstrip().endswith("</svg>")
