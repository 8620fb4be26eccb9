"""The browser's device against the Python device: designs as an enemy writes them, the same values and bytes.

`python bench/javascript.py [--draws 100000]`. Needs Node. Prints how many designs and draws were compared and every
difference, and ends with exit code 1 if there is one.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.node_device import NODE, differences

_FILES = 1_000  # a seed


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--draws", type=int, default=100_000)
    wanted = reader.parse_args().draws
    if NODE is None:
        print("Node is not installed: nothing was compared")
        return 2
    designs = draws = seed = 0
    found: list[str] = []
    while draws < wanted:
        files, drawn, different = differences(_FILES, seed)
        designs, draws, seed, found = designs + files, draws + drawn, seed + 1, found + different
        print(f"{designs:,} designs, {draws:,} draws, {len(found)} differences", flush=True)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
