"""The browser's device against the Python device: designs as an enemy writes them, the same values and bytes.

`python bench/javascript.py [--draws 100000]`. Needs Node. Prints how many designs and draws were compared and every
difference, and how many draws each sort of design had, and ends with exit code 1 if there is a difference, or no draw
from some sort.
"""

from __future__ import annotations

import argparse
import sys
from itertools import chain
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.crafted_kinds import of_further_kinds
from tests.crafting import crafted
from tests.node_device import NODE, SORTS, Compared, differences

_FILES = 500  # of each of two ways to make them, a seed


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--draws", type=int, default=100_000)
    wanted = reader.parse_args().draws
    if NODE is None:
        print("Node is not installed: nothing was compared")
        return 2
    all_, seed = Compared(), 0
    while all_.draws < wanted:
        all_.add(differences(chain(crafted(_FILES, seed), of_further_kinds(_FILES, seed)), seed))
        seed += 1
        print(f"{all_.designs:,} designs, {all_.draws:,} draws, {len(all_.found)} differences", flush=True)
    for sort, draws in sorted(all_.reached.items()):
        print(f"{draws:>9,}  {sort}")
    missing = sorted(SORTS - set(all_.reached))
    print("\n".join([*all_.found, *(f"not one draw: {sort}" for sort in missing)]))
    return 1 if all_.found or missing else 0


if __name__ == "__main__":
    sys.exit(main())
