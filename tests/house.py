"""The house as its source tells it: rooms, who imports whom, cycles, tests of class, sizes.

`python -m tests.house` writes the tree in CONTRIBUTING.md again.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "geopriv"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- rooms: written by python -m tests.house -->\n", "<!-- end of rooms -->\n"


@dataclass(frozen=True)
class Module:
    """One source file of the package."""

    path: Path

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.path.read_text(encoding="utf-8"))

    @property
    def name(self) -> str:
        parts = self.path.relative_to(PACKAGE.parent).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def lines(self) -> int:
        return len(self.path.read_text(encoding="utf-8").splitlines())

    @property
    def imported(self) -> Iterator[str]:
        """Every name that is imported from geopriv, at the top, inside functions and for type checkers alike."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


def modules() -> dict[str, Module]:
    """Every module of the library by its name."""
    return {module.name: module for module in map(Module, sorted(PACKAGE.rglob("*.py")))}


def layers() -> list[str]:
    """The rooms and loose modules as import-linter holds them, from the first to the last of the flow."""
    return [str(name) for name in reversed(_contract()["layers"])]


def exceptions() -> list[str]:
    """Imports against the order that are left, but for the front door's."""
    return [str(line) for line in _contract()["ignore_imports"] if not line.startswith("geopriv ->")]


def _contract() -> dict[str, Any]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    return dict(next(contract for contract in contracts if contract["type"] == "layers"))


def edges(known: dict[str, Module]) -> dict[str, set[str]]:
    """Module → modules that it imports; the front door, which imports names when they are first used, is left out."""
    return {
        name: {home for home in (_home(found, known) for found in module.imported) if home} - {name}
        for name, module in known.items()
        if name != "geopriv"
    }


def _home(name: str, known: dict[str, Module]) -> str:
    """The module that a dotted name lives in, or nothing if that is elsewhere."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    return "" if name == "geopriv" else name


def against_the_order(graph: dict[str, set[str]], order: list[str]) -> list[str]:
    """Imports from a room that comes later."""
    rank = {name: k for k, name in enumerate(order)}

    def room(name: str) -> int:
        return rank[".".join(name.split(".")[:2])]

    return [f"{a} -> {b}" for a, found in graph.items() for b in sorted(found) if room(b) > room(a)]


def cycles(graph: dict[str, set[str]]) -> list[set[str]]:
    """Sets of modules each of which leads to every other, the largest first."""
    reach = {name: _reached(name, graph) for name in graph}
    groups = {frozenset(b for b in reach[a] if a in reach.get(b, ())) for a in graph if a in reach[a]}
    return sorted(map(set, groups), key=len, reverse=True)


def _reached(start: str, graph: dict[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(graph.get(name, ()))
    return reached


def tests_of_class(trees: Iterable[ast.AST]) -> int:
    """How often `isinstance` or a `case` asks which of the package's own classes a thing is."""
    trees = list(trees)
    own = {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    return sum(bool(own & set(_asked(node))) for tree in trees for node in ast.walk(tree))


def _asked(node: ast.AST) -> Iterator[str]:
    """The classes that a node asks for."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
        yield from _names(node.args[1])
    elif isinstance(node, ast.match_case):
        for part in ast.walk(node.pattern):
            if isinstance(part, ast.MatchClass):
                yield from _names(part.cls)


def _names(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name | ast.Attribute):
            yield part.id if isinstance(part, ast.Name) else part.attr


def functions(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Name and length of every function, without its signature and docstring."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            yield node.name, (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def sentence(module: Module) -> str:
    """What a module says of itself: the first sentence of its docstring."""
    text = ast.get_docstring(module.tree) or ""
    return text.split("\n\n", maxsplit=1)[0].replace("\n", " ")


def rooms() -> str:
    """The tree of CONTRIBUTING: every room and loose module in the order of the flow, in its own words."""
    known = modules()
    rows = []
    for layer in layers():
        if layer in known:
            folder = known[layer].path.name == "__init__.py"
            rows.append((layer.removeprefix("geopriv.") + ("/" if folder else ".py"), sentence(known[layer])))
    paper = Module(PACKAGE.parent / "geopriv_paper" / "__init__.py")
    rows.append(("../geopriv_paper/", sentence(paper)))
    return "".join(f"    {name:18}{text}\n" for name, text in rows)


def write() -> None:
    """Put the tree into CONTRIBUTING.md."""
    before, rest = CONTRIBUTING.read_text(encoding="utf-8").split(BEGIN)
    CONTRIBUTING.write_text(before + BEGIN + "\n" + rooms() + "\n" + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    write()
