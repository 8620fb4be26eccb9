"""`geopriv export`: answers as files of other programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from geopriv.commands.inputs import read_answers
from geopriv.commands.outputs import require_replaceable
from geopriv.commands.talk import examples

EXAMPLES = examples(
    "geopriv export estimates.json -o answers.csv",
    "geopriv export estimates.json -o areas.geojson --question Harbour",
    "geopriv export estimates.json -o - --as csv | head",
    "geopriv estimate design.json reports.parquet -o - | geopriv export - -o answers.csv",
    "geopriv export estimates.json -o map.tif --question density",
)


def export(
    estimates: Annotated[Path, typer.Argument(help="An estimates.json, or -.", show_default=False)],
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", help="A file of .csv, .geojson, .parquet, .tif or .png; - for text on standard output."
        ),
    ],
    question: Annotated[
        list[str] | None, typer.Option(help="The name of a question that is wanted; all if left out.")
    ] = None,
    form: Annotated[
        str | None, typer.Option("--as", help="The form on standard output, csv or geojson; csv if left out.")
    ] = None,
) -> None:
    """Take answers away: every value with its place, error, intervals and unit, for tables, maps and pictures."""
    from geopriv.answers.exports import TEXTS, exported
    from geopriv.device.files import replacing
    from geopriv.spaces.checks import invalid

    answers = read_answers(estimates)
    if output == "-":
        suffix = f".{(form or 'csv').lstrip('.')}"
        if suffix not in TEXTS:
            raise invalid("export", "as", "csv or geojson, which are texts", form)
        sys.stdout.buffer.write(exported(answers, suffix, question or ()))
        sys.stdout.buffer.flush()
        return
    if form is not None:
        raise invalid("export", "as", "given with -o -; a file's name says its form", form)
    path = Path(output)
    require_replaceable(path, "export")
    data = exported(answers, path.suffix.lower(), question or ())
    with replacing(path) as fresh:
        fresh.write_bytes(data)
    print(f"Written: {path}", file=sys.stderr)
