"""The published JSON Schemas of all files, made from the classes that write and read them.

`python -m geopriv.commands.schemas docs/schemas` writes them (`make schemas`).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from geopriv.answers.documents import VERSION as ANSWERS
from geopriv.answers.documents import AnswersDocument
from geopriv.device.designs import VERSION as DESIGN
from geopriv.reports.files import ReportDocument
from geopriv.spaces.documents import form_of, kind_schema
from geopriv.spaces.forms import Schema
from geopriv.surveys.design import Design
from geopriv.surveys.schema import json_schema

_FORM = "https://json-schema.org/draft/2020-12/schema"


def design_schema() -> Schema:
    """Of design.json."""
    about = (
        "What each device runs. The file is canonical JSON: keys sorted, no spaces, UTF-8, integers as integers, "
        "floats as shortest decimals, one end of line. What a schema cannot say (the promise, the hash, one space, "
        "and that a coordinate is that of its query) is verified. A device reads the coordinate and not the query."
    )
    defs: dict[str, Schema] = {}
    found = kind_schema(Design, defs)
    told = "SHA-256 of the file's bytes without this key and without the end of line."
    found["properties"]["hash"] = {"type": "string", "pattern": "^[0-9a-f]{64}$", "description": told}
    found["required"].append("hash")
    return _published(f"A geopriv design, version {DESIGN}", about, found, defs)


def record_schema(title: str, record: Any) -> Schema:
    """Of the documents that a TypedDict describes; its docstring says what they are."""
    defs: dict[str, Schema] = {}
    return _published(title, record.__doc__, form_of(record).schema(defs), defs)


def _published(title: str, about: str, schema: Schema, defs: dict[str, Schema]) -> Schema:
    parts = {"$defs": dict(sorted(defs.items()))} if defs else {}
    return {"$schema": _FORM, "title": title, "description": about, **schema, **parts}


def schemas() -> dict[str, Schema]:
    """All of them, by the name of the file they describe."""
    return {
        "survey": json_schema(),
        "design": design_schema(),
        "reports": record_schema("One geopriv report", ReportDocument),
        "estimates": record_schema(f"geopriv estimates, version {ANSWERS}", AnswersDocument),
    }


def main(folder: Path) -> None:
    """Write them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in schemas().items():
        text = json.dumps(schema, indent=1, ensure_ascii=False)
        (folder / f"{name}.schema.json").write_text(text + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
