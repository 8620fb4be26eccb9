"""The coasts and borders that maps of pages show, made again: src/geopriv/pages/world/*.json.gz.

They are Natural Earth's countries at 1:110 million and 1:50 million (public domain, version 4.1), as the npm package
`world-atlas` 2.0.2 gives them: `npm pack world-atlas@2.0.2`, unpack it, and

    python docs/world.py package

Kept are the lines ("arcs", each of them once, as whole numbers from point to point) and how these are degrees.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

OUTPUT = Path(__file__).parents[1] / "src" / "geopriv" / "pages" / "world"
SCALES = {"110m": "1:110 million", "50m": "1:50 million"}


def main(folder: Path) -> None:
    """Write both scales."""
    OUTPUT.mkdir(exist_ok=True)
    for name, scale in SCALES.items():
        found = json.loads((folder / f"countries-{name}.json").read_bytes())
        kept = {"scale": scale, **{key: found[key] for key in ("transform", "arcs")}}
        data = gzip.compress(json.dumps(kept, separators=(",", ":")).encode(), 9, mtime=0)
        (OUTPUT / f"{name}.json.gz").write_bytes(data)
        print(f"{name}: {len(kept['arcs']):,} lines, {len(data):,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
