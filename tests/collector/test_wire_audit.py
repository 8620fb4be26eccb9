"""A black-box audit of what a collector publishes: honest devices pass, one that halves its noise is found.

`geopriv serve` runs as a process, participants of two values report to it over HTTP, and only the file that
`geopriv publish` writes is looked at, and whose reports they are. Devices draw from the system's generator, and the
browser's from its own, so no seed is fixed. An honest client is accused with probability at most 1e-10 an audit, for
any law that keeps its promise: the audit's bounds are exact. The planted client is proven to lose 1.38 (table) and
1.31 (lattice) times what is promised, on average, with a standard deviation of 0.05; the least of 300 simulated audits
was 1.19, and 1 would be enough. `python bench/wire.py` looks at smaller faults with more people, and at a map.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from tests.collector.audited import Case, audited, by_browser, by_python, lattice_case, table_case

PEOPLE = 4_000  # of each value and client


@pytest.mark.parametrize("device", ["python", "browser"])
@pytest.mark.parametrize("case", [table_case, lattice_case])
def test_what_is_published_accuses_a_client_that_halves_its_noise_and_no_honest_one(
    case: Callable[[], Case], device: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    client = by_python if device == "python" else by_browser(request.getfixturevalue("browser"))
    clients = {"honest": (client, Fraction(1)), "half of the noise": (client, Fraction(1, 2))}
    found = audited(case(), clients, PEOPLE, tmp_path)
    assert found.different == 0
    honest, planted = found.audits["honest"], found.audits["half of the noise"]
    assert honest.passed
    assert not planted.passed
    assert planted.n == honest.n == PEOPLE
