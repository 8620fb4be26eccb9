"""The recipes of docs/recipes.md, followed to the letter in a copy of the package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import house

PAGE = house.ROOT / "docs" / "recipes.md"
MOST = {  # source files
    "A kind of question": 5,
    "A kind of question with a new coordinate": 7,
    "A mechanism": 3,
    "A mechanism that devices run": 7,
    "A noise law": 3,
    "An engine": 3,
}


def recipes() -> dict[str, list[str]]:
    """The blocks of code of each recipe, by its heading."""
    _, *parts = re.split(r"^## (.*)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    blocks = [re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL) for text in parts[1::2]]
    return dict(zip(parts[::2], blocks, strict=True))


def follow(block: str, package: Path) -> Path:
    """Write a block to where its first line says."""
    first, text = block.split("\n", 1)
    if new := re.fullmatch(r"# new: (.+)", first):
        path = package / new[1]
        assert not path.exists()
        path.write_text(text, encoding="utf-8")
        return path
    changed = re.fullmatch(r"# (.+?), (after|instead of): (.+)", first)
    assert changed, first
    path = package / changed[1]
    before, line, after = path.read_text(encoding="utf-8").partition(f"{changed[3]}\n")
    assert line, f"{changed[1]} has no line {changed[3]!r}"
    kept = line if changed[2] == "after" else ""
    path.write_text(before + kept + text + after, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where each copy is made in turn: bytecode and machine code of files that a recipe leaves alone are kept."""
    return tmp_path_factory.mktemp("recipes") / "src"


@pytest.mark.parametrize("name", recipes())
def test_a_recipe_works_as_it_is_written_and_touches_few_files(name: str, place: Path, tmp_path: Path) -> None:
    *blocks, script = recipes()[name]
    package = place / "geopriv"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(house.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    touched = {follow(block, package) for block in blocks}
    assert len(touched) <= MOST[name]
    assert script.startswith("# then\n")
    environment = os.environ | {"PYTHONPATH": str(package.parent)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_every_recipe_has_a_limit() -> None:
    assert recipes().keys() == MOST.keys()


def test_a_line_that_is_no_longer_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one\n")
    with pytest.raises(AssertionError, match="has no line 'two'"):
        follow("# a.py, after: two\nthree\n", tmp_path)


def test_a_block_stands_after_a_line_or_instead_of_it(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one\ntwo\n")
    follow("# a.py, after: one\nhalf\n", tmp_path)
    follow("# a.py, instead of: two\nthree\n", tmp_path)
    assert (tmp_path / "a.py").read_text() == "one\nhalf\nthree\n"
