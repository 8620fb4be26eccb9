"""The house: few rooms in the order of the flow, things that know themselves, short files; and its own description."""

from __future__ import annotations

import ast
from pathlib import Path

import geopriv as gp
from tests import house

KNOWN = house.modules()
# Limits: a file is as long as its idea, a function fits a screen.
CLASSES, NAMES, CIRCLE, FILE, FUNCTION = 81, 68, 2, 600, 60  # 21 of 81 where numpy calls with operands of any kind


def test_the_rooms_are_few_and_all_are_in_the_order() -> None:
    folders = [path.name for path in house.PACKAGE.iterdir() if (path / "__init__.py").exists()]
    loose = [path.stem for path in house.PACKAGE.glob("*.py") if path.stem != "__init__"]
    assert len(folders) <= 14
    assert len(loose) <= 3
    assert {f"geopriv.{name}" for name in folders + loose} == set(house.layers()) - {"geopriv_paper"}


def test_tests_stand_in_the_rooms_of_what_they_test() -> None:
    rooms = {path.name for path in Path(__file__).parent.iterdir() if (path / "__init__.py").exists()}
    assert rooms == {path.parent.name for path in house.PACKAGE.glob("*/__init__.py")} | {"paper"}


def test_imports_point_to_earlier_rooms_and_in_hardly_any_circle() -> None:
    """Imports inside functions and for type checkers are counted: they hide a circle, they do not break it."""
    graph = house.edges(KNOWN)
    assert house.against_the_order(graph, house.layers()) == house.exceptions()
    assert max(map(len, house.cycles(graph)), default=0) <= CIRCLE


def test_an_import_against_the_order_and_a_circle_would_be_seen() -> None:
    graph = {
        "geopriv.spaces.a": {"geopriv.noise.b"},
        "geopriv.noise.b": {"geopriv.spaces.c"},
        "geopriv.spaces.c": set(),
    }
    assert house.against_the_order(graph, house.layers()) == ["geopriv.spaces.a -> geopriv.noise.b"]
    assert house.cycles(graph) == []
    graph["geopriv.spaces.c"] = {"geopriv.spaces.a"}
    assert house.cycles(graph) == [set(graph)]


def test_things_are_seldom_asked_which_class_they_are() -> None:
    assert house.tests_of_class(module.tree for module in KNOWN.values()) <= CLASSES


def test_each_way_to_ask_for_a_class_is_counted() -> None:
    code = """
class Own: ...
isinstance(x, Own), isinstance(x, int | room.Own), isinstance(x, float)
match x:
    case Own(): ...
    case [Own(), 3]: ...
    case str(): ...
"""
    assert house.tests_of_class([ast.parse(code)]) == 4


def test_the_front_door_has_few_names() -> None:
    assert len(gp.__all__) <= NAMES


def test_no_file_or_function_outgrows_its_limit() -> None:
    assert max(module.lines for module in KNOWN.values()) <= FILE
    sizes = {f"{name}.{of}": size for name, module in KNOWN.items() for of, size in house.functions(module.tree)}
    assert not {name: size for name, size in sizes.items() if size > FUNCTION}


def test_contributing_shows_the_rooms_in_their_own_words() -> None:
    text = house.CONTRIBUTING.read_text(encoding="utf-8")
    written = text.split(house.BEGIN)[1].split(house.END)[0].strip("\n")
    assert written == house.rooms().strip("\n"), "write it again: python -m tests.house"
    assert all(len(line) <= 150 and line.endswith((".", "?")) for line in written.splitlines())
