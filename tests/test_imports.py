"""The front door: quick to import, complete, and the same for a type checker as for the interpreter."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import geopriv as gp

HEAVY = ("numpy", "scipy", "matplotlib", "shapely", "numba", "flint", "pandas", "typer", "rich")
SOURCE = ast.parse(Path(gp.__file__).read_text(encoding="utf-8"))


def python(program: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.strip()


def checked_names() -> dict[str, str]:
    """Name → module, as the type checker is told in the TYPE_CHECKING block."""
    blocks = [
        node
        for node in SOURCE.body
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    ]
    names: dict[str, str] = {}
    for node in (statement for block in blocks for statement in block.body):
        assert isinstance(node, ast.ImportFrom)
        for alias in node.names:
            assert alias.asname == alias.name  # the form that re-exports
            assert node.module is not None
            names[alias.name] = node.module
    return names


def lazy_names() -> dict[str, str]:
    """Name → module, as the interpreter looks them up."""
    for node in SOURCE.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "_HOME":
            home: dict[str, tuple[str, ...]] = ast.literal_eval(node.value)
            return {name: f"geopriv.{module}" for module, names in home.items() for name in names}
    raise AssertionError("no table of lazy names")


@pytest.mark.parametrize("module", HEAVY)
def test_importing_the_package_does_not_import_a_heavy_one(module: str) -> None:
    assert python(f"import geopriv, sys; print({module!r} in sys.modules)") == "False"


def test_listing_the_names_does_not_import_them() -> None:
    assert python("import geopriv, sys; dir(geopriv), geopriv.__all__; print('numpy' in sys.modules)") == "False"


def test_the_check_for_heavy_modules_would_find_one() -> None:
    assert python("import geopriv, sys; geopriv.Line; print('numpy' in sys.modules)") == "True"


def test_spaces_need_numpy_and_nothing_heavier() -> None:
    loaded = python("import geopriv, sys; geopriv.Line, geopriv.Earth; print(*sys.modules)").split()
    assert set(HEAVY) & set(loaded) == {"numpy"}


def test_importing_only_the_errors_imports_nothing_heavy() -> None:
    loaded = python("import geopriv, sys; geopriv.OutOfDomain; print(*sys.modules)").split()
    assert not set(HEAVY) & set(loaded)


@pytest.mark.parametrize("name", gp.__all__)
def test_every_public_name_resolves_to_the_thing_of_that_name(name: str) -> None:
    assert getattr(gp, name).__name__ == name


def test_every_public_name_resolves_in_a_fresh_interpreter() -> None:
    assert (
        python("from geopriv import *; import geopriv; print(all(n in globals() for n in geopriv.__all__))") == "True"
    )


def test_public_names_are_sorted_and_listed_once() -> None:
    assert gp.__all__ == sorted(set(gp.__all__))


def test_the_type_checker_and_the_interpreter_are_told_the_same_names() -> None:
    assert checked_names() == lazy_names() | dict.fromkeys(gp._ROOMS, "geopriv")


@pytest.mark.parametrize("room", gp._ROOMS)
def test_every_room_is_found_by_its_name_with_all_that_it_offers(room: str) -> None:
    found = getattr(gp, room)
    assert found.__name__ == f"geopriv.{room}"
    for name in getattr(found, "__all__", ()):
        assert getattr(found, name).__name__ == name


def test_there_are_few_names_at_the_top() -> None:
    assert len(gp.__all__) <= 68
    assert not {"Any", "TYPE_CHECKING", "importlib"} & set(dir(gp))


def test_the_public_names_are_those_of_the_table() -> None:
    assert set(gp.__all__) == set(lazy_names())


def test_public_names_are_offered_by_dir() -> None:
    assert set(gp.__all__) <= set(dir(gp))


def test_a_name_is_looked_up_once() -> None:
    assert gp.Line is gp.Line
    assert vars(gp)["Line"] is gp.Line


@pytest.mark.parametrize("name", ["Circle", "line", "_nothing", ""])
def test_an_unknown_name_is_an_attribute_error_that_says_so(name: str) -> None:
    with pytest.raises(AttributeError, match=f"module 'geopriv' has no attribute '{name}'"):
        getattr(gp, name)


def test_an_unknown_name_cannot_be_imported() -> None:
    assert (
        python("""
try:
    from geopriv import Circle
except ImportError:
    print("refused")
""")
        == "refused"
    )


def test_the_errors_are_the_packages_own_and_value_errors() -> None:
    for error in (gp.InvalidParameter, gp.OutOfDomain, gp.ReportRejected):
        assert issubclass(error, gp.GeoprivError)
        assert issubclass(error, ValueError)


def test_the_version_is_the_installed_one() -> None:
    from importlib.metadata import version

    assert gp.__version__ == version("geopriv")


def test_calibrating_and_simulating_do_not_wait_for_the_compiler_or_ball_arithmetic() -> None:
    program = "import geopriv as g, sys, numpy as n; m = g.SmoothT.calibrate(g.Threshold(0.0, 1.0), 1.0); "
    program += "m.simulate([0.0], n.random.default_rng(0)); print({'numba', 'flint'} & set(sys.modules))"
    assert python(program) == "set()"


def test_one_report_does_not_wait_for_the_compiler() -> None:
    program = "import geopriv as g, sys; g.SmoothT.calibrate(g.Threshold(0.0, 1.0), 1.0).report([0.0]); "
    assert python(program + "print('numba' in sys.modules)") == "False"
