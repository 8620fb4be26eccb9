"""A black-box audit through the wire: how small a fault of a client shows in what a collector publishes.

`python bench/wire.py [--people 30000] [--noise 1 0.5 0.8]`. Needs Chromium. So many participants of each of two values
report to `geopriv serve` on this machine, by the Python device and by the browser's, to a table, a lattice on a line
and a map, with all of their noise and with less. Prints the loss that is proven, as a multiple of what is promised.
Ends with exit code 1 where an honest client is accused, or one with half of the noise is not, or a report is published
otherwise than it was sent.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.browser import chromium, opened
from tests.collector.audited import audited, by_browser, by_python, lattice_case, map_case, table_case


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--people", type=int, default=30_000)
    reader.add_argument("--noise", type=Fraction, nargs="+", default=[Fraction(1), Fraction(1, 2), Fraction(4, 5)])
    options, program = reader.parse_args(), chromium()
    if program is None:
        print("Chromium is not installed: nothing was audited")
        return 2
    wrong = 0
    print(f"{'design':<8} {'device':<8} {'noise':>5} {'proven':>7}")
    with opened(program) as browser:
        devices = {"Python": by_python, "browser": by_browser(browser)}
        for case in (table_case(), lattice_case(), map_case()):
            clients = {(name, noise): (device, noise) for name, device in devices.items() for noise in options.noise}
            with tempfile.TemporaryDirectory() as folder:
                found = audited(case, clients, options.people, Path(folder))
            wrong += found.different
            for (name, noise), audit in found.audits.items():
                words = "passed" if audit.passed else "accused"
                print(f"{case.design.survey:<8} {name:<8} {float(noise):>5} {audit.ratio:>7.2f}  {words}", flush=True)
                wrong += (noise == 1 and not audit.passed) or (noise <= Fraction(1, 2) and audit.passed)
    print(f"{options.people:,} people of each value; {wrong} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
