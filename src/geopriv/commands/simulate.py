"""`geopriv simulate-clients`: made-up participants, honest and otherwise, try a collector on this machine."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geopriv.commands.talk import QuietOption, Talk, examples
from geopriv.errors import InvalidParameter

if TYPE_CHECKING:
    from rich.console import Console

    from geopriv.collector.simulated.crowd import Makers, Outcome
    from geopriv.collector.simulated.wire import Place

EXAMPLES = examples(
    "geopriv simulate-clients people.csv --tokens invitations.txt",
    "geopriv simulate-clients people.csv --url http://127.0.0.1:8080 --people 10000 --share liar=20% --share slow=0",
)
_SHOWN = 20  # faults that are printed
_COUNTED = 10.0  # seconds that the server has to write what it rejected


def simulate_clients(
    data: Annotated[str, typer.Argument(help="A CSV, Parquet or Arrow file of people, whose values are reported.")],
    url: Annotated[str, typer.Option(help="A collector on this machine, started with --rate 0.")] = (
        "http://127.0.0.1:8000"
    ),
    people: Annotated[int | None, typer.Option(min=1, help="Participants; by default one for each row.")] = None,
    tokens: Annotated[
        Path | None, typer.Option(help="The file of geopriv tokens; none for a collector of --anybody.")
    ] = None,
    share: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND=SHARE",
            help="Share of a kind: twice, wrong-hash, garbage, liar, slow, broken; all others are honest.",
        ),
    ] = None,
    clients: Annotated[int, typer.Option(min=1, max=1000, help="Connections at once.")] = 20,
    key: Annotated[
        str | None, typer.Option(envvar="GEOPRIV_KEY", help="The analyst's, where the collector has one.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Let made-up participants report, and compare what the server counted with what it must have counted.

    Exit code 1 where they differ. Their reports are counted as people's are: use a database of its own.
    """
    from geopriv.collector.simulated.crowd import SHARES, allotted
    from geopriv.collector.simulated.wire import loopback

    place = loopback(url)
    shares = SHARES | dict(_share(words) for words in share or ())
    allotted(1, shares)
    makers = asyncio.run(_makers(place, data, people))
    crowd = allotted(people or len(makers.values), shares)
    invited = _tokens(tokens, crowd.total()) if tokens is not None else []
    talk = Talk(quiet, as_json)
    with talk.bar() as bar:
        done = asyncio.run(
            _run(place, makers, crowd, invited, clients, key, lambda n: bar.tell("reporting", n / crowd.total(), n))
        )
    if as_json:
        print(json.dumps(_document(done), indent=2))
    else:
        _print(talk.console, done)
    if done.wrong:
        raise typer.Exit(1)


def _share(words: str) -> tuple[str, float]:
    """A kind and its share, as liar=20% or liar=0.2."""
    from geopriv.commands.privatize import share_of

    kind, _, number = words.partition("=")
    return kind.strip(), share_of("simulate-clients", "share", number)


async def _makers(place: Place, data: str, people: int | None) -> Makers:
    """Who reports what: the collector's design, as a device verifies it, and people's values."""
    from geopriv.collector.simulated.crowd import Makers
    from geopriv.collector.simulated.wire import Wire, request
    from geopriv.device.designs import verify
    from geopriv.surveys.design import Design

    wire = Wire(place)
    served = await wire.ask(request("GET", "/v1/design"))
    wire.leave()
    design, device = Design.parse(served.body), verify(served.body)
    if device.walk is not None:
        raise InvalidParameter("The design must be one without walks: who is on one reports in many rounds.")
    values, groups = _people(design, data, people)
    return Makers(design, device, tuple(values), tuple(groups))


def _people(design: Any, data: str, most: int | None) -> tuple[list[Any], list[int | None]]:
    """Values and groups of the first people of a file."""
    from geopriv.reports.drawing import columns_of, wanted
    from geopriv.reports.engines.arrow.files import batches
    from geopriv.reports.engines.people import People
    from geopriv.reports.engines.reading import Reading

    source = columns_of(design, "")
    rows = People("")
    values: list[Any] = []
    groups: list[int | None] = []
    for batch in batches(data, Reading(wanted(design, source))):
        read = rows.read(batch, source, design.space, design.groups)
        values += read.values.tolist()
        groups += [None] * len(read.values) if read.groups is None else read.groups.tolist()
        if most is not None and len(values) >= most:
            break
    if not values:
        raise InvalidParameter("The 'data' must hold people whose values can be read. There are none.")
    return values[:most], groups[:most]


def _tokens(path: Path, number: int) -> list[str]:
    with path.open(encoding="ascii", errors="replace") as lines:
        found = [line.strip() for line in islice(lines, number)]
    if len(found) < number:
        raise InvalidParameter(f"The file of tokens must hold one for each of {number:,}. It has {len(found):,}.")
    return found


async def _run(
    place: Place, makers: Makers, crowd: Counter[str], invited: list[str], clients: int, key: str | None, tell: Any
) -> Outcome:
    from geopriv.collector.simulated.crowd import counts, simulate

    before = await counts(place, key)
    done = await simulate(place, makers, crowd, invited, clients, tell)
    must = done.rejected(bool(invited))
    due = time.monotonic() + _COUNTED
    while True:
        grown = await counts(place, key) - before
        if all(grown[reason] >= number for reason, number in must.items()) or time.monotonic() > due:
            break
        await asyncio.sleep(0.2)  # what was rejected is written each second
    done.compare(grown, bool(invited))
    return done


def _document(done: Outcome) -> dict[str, Any]:
    from geopriv.collector.simulated.crowd import quantile

    kinds = {
        kind: {
            "people": people,
            "heard": dict(done.heard[kind]),
            "p50": quantile(done.took[kind], 0.5),
            "p99": quantile(done.took[kind], 0.99),
        }
        for kind, people in done.people.items()
    }
    return {"kinds": kinds, "seconds": done.seconds, "kept": done.kept, "wrong": done.wrong}


def _print(console: Console, done: Outcome) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("who", "people", "heard", "p50", "p99"):
        table.add_column(name, justify="left" if name in ("who", "heard") else "right")
    for kind, row in _document(done)["kinds"].items():
        heard = ", ".join(f"{words} {times:,}" for words, times in row["heard"].items())
        table.add_row(kind, f"{row['people']:,}", heard, *(f"{1000 * row[p]:.1f} ms" for p in ("p50", "p99")))
    console.print(table)
    console.print(f"{done.kept:,} reports counted in {done.seconds:.1f} s: {done.kept / done.seconds:,.0f} a second.")
    if not done.wrong:
        console.print("The server counted what it must have counted.")
    for sentence in done.wrong[:_SHOWN]:
        console.print(f"[bold]WRONG[/bold] {sentence}")
    if len(done.wrong) > _SHOWN:
        console.print(f"… and {len(done.wrong) - _SHOWN:,} more.")
