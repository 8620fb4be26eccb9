"""Hostile requests to a collector: none may be answered with a 500, a traceback or what was sent.

`python bench/hostile.py [--requests 10000] [--seed 0]`. Half are made from the service's own OpenAPI (by hypothesis),
half are requests whose bytes were changed. Prints how they were answered and every fault, and ends with exit code 1 if
there is one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.collector.hostility import visit


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--requests", type=int, default=10_000)
    reader.add_argument("--seed", type=int, default=0)
    options = reader.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = visit(options.requests, Path(folder), options.seed)
    for status, times in sorted(found.statuses.items()):
        print(f"{status or 'no answer':>9} {times:>7,}")
    print(f"{found.statuses.total():,} requests, {len(found.faults)} faults")
    print("\n".join(found.faults[:50]))
    return 1 if found.faults else 0


if __name__ == "__main__":
    sys.exit(main())
