"""What is frozen: designs, what is drawn of the same bits, what is learnt of the same reports, and how documents look.

`python -m tests.test_golden` writes tests/golden again; whoever does so says in the commit what changed, and why.
"""

from __future__ import annotations

import json
import math
import os
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import geopriv as gp
from geopriv.noise.keyed import Keyed
from geopriv.reports.drawing import draw_reports

ROOT = Path(__file__).parents[1]
GOLDEN, VECTORS, SCHEMAS = ROOT / "tests" / "golden", ROOT / "docs" / "vectors", ROOT / "docs" / "schemas"
KEY, PEOPLE = bytes(range(32)), 2_000
EXAMPLES = {
    "incomes": np.linspace(0.0, 400_000.0, PEOPLE),
    "income-debt": np.stack([np.linspace(0.0, 400_000.0, PEOPLE), np.linspace(300_000.0, 0.0, PEOPLE) ** 1.01], axis=1),
    "crashes": np.stack([np.linspace(40.55, 40.9, PEOPLE), -74.2 + 0.5 * np.linspace(0.0, 1.0, PEOPLE) ** 2], axis=1),
}
ANSWERED = ("incomes", "income-debt")
VECTOR_DESIGNS = sorted(path.name for path in VECTORS.glob("*.design.json") if not path.name.startswith("walk"))
SURVEYS = {
    "one line": ('[[query]]\nkind = "threshold"\nat = 100_000\n', "BracketTable"),
    "soft line": ('[[query]]\nkind = "threshold"\nat = 100_000\nplain = false\n', "Table"),
}
HEAD = (
    'name = "Golden"\nepsilon = 1.0\nper = "8,000 USD"\npeople = 50_000\n'
    '[space]\nkind = "line"\nunit = "USD"\ncolumns = ["income"]\nrange = [0, 2_000_000]\n'
)


@cache
def expected() -> dict[str, Any]:
    return dict(json.loads((GOLDEN / "expected.json").read_text("utf-8")))


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def example(name: str) -> gp.Design:
    """The design that is kept, not one that is planned again."""
    return gp.Design.read(GOLDEN / f"{name}.design.json")


def lines(design: gp.Design, values: Any, groups: Any = None) -> str:
    """NDJSON of bits that a key and a name give, in the order of the people, each with an id of its name."""
    people = [f"person {k}".encode() for k in range(len(values))]
    rows = draw_reports(design, np.asarray(values), Keyed(people, KEY), groups).tolist()
    ids = (sha256(person).hexdigest()[:32] for person in people)
    sent = []
    for (stratum, *cells), number in zip(rows, ids, strict=True):
        mechanism, group = stratum % len(design.mechanisms), stratum // len(design.mechanisms)
        axes = design.mechanisms[mechanism].limits[0]
        told = {} if groups is None else {"group": group}
        sent.append({"design": design.hash, "mechanism": mechanism, **told, "report": cells[:axes], "id": number})
    return "\n".join(json.dumps(each) for each in sent) + "\n"


def vector_values(name: str) -> tuple[gp.Design, Any, Any]:
    """A published design with the values and the groups of its cases, over and over."""
    design = gp.Design.read(VECTORS / name)
    cases = [
        case for case in json.loads((VECTORS / "client.json").read_text("utf-8"))["cases"] if case["design"] == name
    ]
    picked = [cases[k % len(cases)] for k in range(PEOPLE)]
    groups = np.array([case["group"] for case in picked]) if "group" in cases[0] else None
    return design, np.array([case["value"] for case in picked], dtype=np.float64), groups


def plan(name: str) -> gp.Design:
    return gp.plan(gp.Survey.read(ROOT / "examples" / name / "survey.toml")).design


def table(name: str) -> gp.Design:
    return gp.plan(gp.Survey.parse(HEAD + SURVEYS[name][0])).design


def answers(name: str, folder: Path) -> tuple[Any, str]:
    """The estimates and the page of an example's reports."""
    design = example(name)
    reports = folder / "reports.ndjson"
    reports.write_text(lines(design, EXAMPLES[name]), "utf-8")
    found = gp.estimate(design, gp.tally(design, reports))
    found.write(folder / "estimates.json")
    found.write_page(folder / "report.html")
    return json.loads((folder / "estimates.json").read_text("utf-8")), (folder / "report.html").read_text("utf-8")


def schema_parts() -> dict[str, str]:
    """Each definition of each schema by its hash, so that a change shows what it changed."""
    parts = {}
    for path in sorted(SCHEMAS.glob("*.schema.json")):
        schema = json.loads(path.read_text("utf-8"))
        definitions = schema.pop("$defs", {})
        for name, part in {"": schema, **definitions}.items():
            parts[f"{path.name} {name}".strip()] = digest(json.dumps(part, sort_keys=True).encode())
    return parts


def numbers(document: Any, at: str = "") -> dict[str, Any]:
    """A document's leaves by their paths."""
    if isinstance(document, dict):
        return {key: leaf for name, part in document.items() for key, leaf in numbers(part, f"{at}/{name}").items()}
    if isinstance(document, list):
        return {key: leaf for k, part in enumerate(document) for key, leaf in numbers(part, f"{at}/{k}").items()}
    return {at: document}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_planned_as_ever(name: str) -> None:
    assert plan(name).hash == expected()["designs"][name]


@pytest.mark.parametrize("name", SURVEYS)
def test_a_table_is_compiled_as_ever(name: str) -> None:
    """Integers to a billionth: a linear program's last bits differ among processors."""
    planned, kept = table(name), gp.Design.read(GOLDEN / f"{name}.design.json")
    assert type(planned.mechanisms[0]).__name__ == SURVEYS[name][1]
    (own,), (other,) = planned.mechanisms, kept.mechanisms
    for part in ("lattice", "values", "weights"):
        before = np.asarray(getattr(other, part), dtype=np.float64)
        np.testing.assert_allclose(
            np.asarray(getattr(own, part), dtype=np.float64), before, rtol=1e-9, atol=1e-9 * np.abs(before).max()
        )


@pytest.mark.parametrize("name", VECTOR_DESIGNS)
def test_published_vectors_are_as_ever_and_drawn_as_ever(name: str) -> None:
    design, values, groups = vector_values(name)
    known = expected()["vectors"][name]
    assert digest((VECTORS / name).read_bytes()) == known["file"]
    assert design.hash == known["design"]
    assert digest(lines(design, values, groups).encode()) == known["reports"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_reports_under_a_key_are_as_ever(name: str, tmp_path: Path) -> None:
    design = example(name)
    assert design.hash == expected()["designs"][name]
    design.write(tmp_path / "design.json")
    assert (tmp_path / "design.json").read_bytes() == (GOLDEN / f"{name}.design.json").read_bytes()
    assert digest(lines(design, EXAMPLES[name]).encode()) == expected()["reports"][name]
    other = lines(design, EXAMPLES[name]).replace('"report": [', '"report": [1', 1)  # the planted fault: one digit
    assert digest(other.encode()) != expected()["reports"][name]


@pytest.mark.parametrize("name", ANSWERED)
def test_answers_are_as_ever(name: str, tmp_path: Path) -> None:
    """Numbers to a billionth: transforms round differently on other processors."""
    made, page = answers(name, tmp_path)
    before, after = numbers(json.loads((GOLDEN / f"{name}.estimates.json").read_text("utf-8"))), numbers(made)
    assert before.keys() == after.keys()
    for key, value in before.items():
        if isinstance(value, float):
            assert math.isclose(value, after[key], rel_tol=1e-9, abs_tol=1e-12), key
        else:
            assert value == after[key], key
    assert digest(page.encode()) == expected()["pages"][name]


def test_schemas_are_as_ever() -> None:
    assert schema_parts() == expected()["schemas"]


DOCUMENTS = [*(VECTORS / name for name in VECTOR_DESIGNS), *sorted(GOLDEN.glob("*.design.json"))]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_every_name_and_every_document_can_be_had_first_of_all() -> None:
    """Each in a process that has imported nothing of geopriv: no name waits for another one to be imported."""
    code = """
import os, sys, traceback
import numpy, scipy.optimize, pyarrow.parquet, shapely, numba  # not ours: imported once
names, documents = sys.argv[1].split(","), sys.argv[2:]
for kind, what in [("name", name) for name in names] + [("document", path) for path in documents]:
    child = os.fork()
    if child == 0:
        try:
            import geopriv
            getattr(geopriv, what) if kind == "name" else geopriv.Design.read(what)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    if os.waitpid(child, 0)[1]:
        sys.exit(f"{kind} {what}")
"""
    import subprocess

    done = subprocess.run(
        [sys.executable, "-c", code, ",".join(sorted(gp.__all__)), *map(str, DOCUMENTS)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr


def write() -> None:
    """Everything again."""
    GOLDEN.mkdir(exist_ok=True)
    for name in EXAMPLES:
        plan(name).write(GOLDEN / f"{name}.design.json")
    for name in SURVEYS:
        table(name).write(GOLDEN / f"{name}.design.json")
    vectors = {}
    for name in VECTOR_DESIGNS:
        design, values, groups = vector_values(name)
        drawn = digest(lines(design, values, groups).encode())
        vectors[name] = {"file": digest((VECTORS / name).read_bytes()), "design": design.hash, "reports": drawn}
    pages = {}
    for name in ANSWERED:
        made, page = answers(name, GOLDEN)
        (GOLDEN / f"{name}.estimates.json").write_text(json.dumps(made, indent=1) + "\n", "utf-8")
        pages[name] = digest(page.encode())
    for name in ("reports.ndjson", "estimates.json", "report.html"):
        (GOLDEN / name).unlink()
    whole = {
        "designs": {name: example(name).hash for name in EXAMPLES},
        "reports": {name: digest(lines(example(name), EXAMPLES[name]).encode()) for name in EXAMPLES},
        "vectors": vectors,
        "pages": pages,
        "schemas": schema_parts(),
    }
    (GOLDEN / "expected.json").write_text(json.dumps(whole, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    write()
