"""Hostile requests to a collector: none may be answered with a 500, a traceback or what was sent.

`python bench/hostile.py [--requests 10000] [--examples 200] [--seed 0]`. First our own: half are made from the
service's own OpenAPI (by hypothesis), half are requests whose bytes were changed. Then those of schemathesis, so many
for each operation besides those for each rule of the OpenAPI: to a collector with invitations, to one that is open to
everybody, and to a survey in rounds. It also holds every answer against the OpenAPI. Prints how they were answered and
every fault, and ends with exit code 1 if there is one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.collector.conformity import conform
from tests.collector.hostility import visit
from tests.designs import grouped_design
from tests.mechanisms.test_walking import design as walking_design

OPEN = ("--anybody", "--open-answers", "--target", "0.01")


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--requests", type=int, default=10_000)
    reader.add_argument("--examples", type=int, default=200)
    reader.add_argument("--seed", type=int, default=0)
    options = reader.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = visit(options.requests, Path(folder), options.seed)
    told("changed or near what is described", found.statuses, found.faults[:50])
    faults = list(found.faults)
    for name, design, how in (
        ("invited", grouped_design(), ()),
        ("open to everybody", grouped_design(), OPEN),
        ("in rounds", walking_design(), OPEN),
    ):
        with tempfile.TemporaryDirectory() as folder:
            visited = conform(design, Path(folder), options.examples, *how, chosen=options.seed)
        told(f"schemathesis, {name}", visited.statuses, [visited.faults] if visited.faults else [])
        faults += [visited.faults] if visited.faults else []
    return 1 if faults else 0


def told(name: str, statuses: Counter[int], faults: list[str]) -> None:
    """Print what became of requests."""
    print(name)
    for status, times in sorted(statuses.items()):
        print(f"{status or 'no answer':>9} {times:>7,}")
    print(f"{statuses.total():,} requests, {'faults:' if faults else 'no fault'}", *faults, sep="\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
