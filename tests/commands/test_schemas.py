"""The published schemas are the generated ones, and a device's reader knows the keys that they describe."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import geopriv as gp
from geopriv.client import Client
from geopriv.device import coordinates, designs, groups, mechanisms, reading, spaces
from geopriv.spaces.documents import to_document
from tests.designs import lattice_design, two_tables
from tests.policies import allowed
from tests.structure import errors_of

FOLDER = Path(__file__).parents[2] / "docs" / "schemas"
SCHEMAS: dict[str, Any] = {
    name: json.loads((FOLDER / f"{name}.schema.json").read_text("utf-8")) for name in ("design", "reports", "estimates")
}


def test_the_published_schemas_are_made_from_the_classes(tmp_path: Path) -> None:
    """In a process of its own: classes that tests define belong to no schema."""
    subprocess.run([sys.executable, "-W", "error", "-m", "geopriv.commands.schemas", str(tmp_path)], check=True)
    made = {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()}
    assert made == {path.name: path.read_text("utf-8") for path in FOLDER.iterdir()}
    assert len(made) == 4


def keys(schema: dict[str, Any], spare: tuple[str, ...] = ()) -> set[str]:
    """Those beside the type; all of them must be there, but for spare ones, and no others may."""
    assert schema["additionalProperties"] is False
    assert set(schema["required"]) == set(schema["properties"]) - set(spare)
    return set(schema["properties"]) - {"type"}


def test_a_device_reads_the_keys_that_the_schema_describes() -> None:
    design = SCHEMAS["design"]
    defs = design["$defs"]
    assert keys(design, designs.SPARE) == {*designs.KEYS["Design"], *designs.SPARE}
    for kind, known in (mechanisms.KINDS | reading.GUARANTEE | spaces.KINDS | groups.KEYS).items():
        spare = mechanisms.SPARE.get(kind, ())
        assert keys(defs[kind], spare) == {*known, *spare}, kind
    assert {part["$ref"].rpartition("/")[2] for part in defs["Space"]["oneOf"]} == set(spaces.KINDS)
    described = defs["Table"]["properties"]["coordinate"]["oneOf"]
    assert {part["properties"]["type"]["const"]: keys(part) for part in described} == {
        kind: set(known) for kind, known in coordinates.KINDS.items()
    }


def test_the_schema_says_what_a_number_must_be() -> None:
    positive = {"width", "bandwidth", "radius", "step", "epsilon", "floor", "plateau", "slope"}
    said = 0
    for kind, schema in SCHEMAS["design"]["$defs"].items():
        for name in positive & set(schema.get("properties", ())) - ({"radius"} if kind == "Guarantee" else set()):
            assert schema["properties"][name]["exclusiveMinimum"] == 0, (kind, name)
            said += 1
    assert said > 20
    for kind in ("Earth", "LocalPlane"):
        assert SCHEMAS["design"]["$defs"][kind]["properties"]["radius"]["maximum"] == spaces.LARGEST_RADIUS


@pytest.mark.parametrize(
    ("query", "key", "bad"),
    [
        (gp.Threshold(1.0, 2.0), "width", -2.0),
        (gp.Threshold(1.0, 2.0), "width", 0.0),
        (gp.Ball((0.0, 0.0), 2.0, 1.0), "radius", 0.0),
        (gp.Ball((0.0, 0.0), 2.0, 1.0, gp.Earth()), "space", {"type": "Earth", "radius": 7e6}),
        (gp.Ball((0.0, 0.0), 2.0, 1.0, gp.Euclidean(2)), "space", {"type": "Euclidean", "axes": 0, "unit": None}),
    ],
    ids=str,
)
def test_what_no_query_can_be_made_of_does_not_fit_the_schema(query: gp.queries.Query, key: str, bad: Any) -> None:
    schema = {"$ref": "#/$defs/Query", "$defs": SCHEMAS["design"]["$defs"]}
    document = json.loads(json.dumps(to_document(query)))
    assert not errors_of(schema, document)
    assert errors_of(schema, document | {key: bad})


def test_what_devices_send_fits_the_schema_of_reports(tmp_path: Path) -> None:
    for design, value in ((two_tables(), 0.5), (lattice_design(), [1e9, -3.0])):
        design.write(tmp_path / "design.json")
        client = Client(
            tmp_path / "design.json", tmp_path / f"{design.survey}.ledger", allowed(unit=design.space.distance_unit)
        )
        line = json.loads(client.report(value))
        assert not errors_of(SCHEMAS["reports"], line)
        assert errors_of(SCHEMAS["reports"], line | {"id": "0"})
        assert errors_of(SCHEMAS["reports"], {key: line[key] for key in line if key != "id"})
