"""A collector that is visited by enemies only: hostile requests are sent, and answers and log are judged."""

from __future__ import annotations

import asyncio
import random
from contextlib import closing
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from geopriv.collector import tokens
from geopriv.collector.openapi import openapi
from geopriv.collector.simulated.wire import Place
from geopriv.collector.store import Store
from geopriv.device.designs import verify
from tests.collector.malformed import Judged, Target, described, mangled, try_all
from tests.collector.servers import free_port, serving
from tests.designs import Stream, grouped_design


def visit(number: int, folder: Path, chosen: int = 0) -> Judged:
    """So many hostile requests to `geopriv serve`, half of them near its description and half of changed bytes.

    Args:
        number: of requests.
        folder: for its database and its log.
        chosen: seed of the requests.
    """
    design, port, log = grouped_design(), free_port(), folder / "log"
    (folder / "design.json").write_bytes(design.to_bytes())
    database = f"sqlite:///{folder}/survey.sqlite"
    (token,) = tokens.issue(1)
    line = verify(design.to_bytes())._line(0.3, Stream(1), 0)
    judged, target = Judged(), Target(openapi(design), line, token)
    with closing(Store(database)) as store:
        store.begin(design.hash, True)
        store.invite([tokens.digest(token)])
        with serving(folder / "design.json", database, port, log=log) as process:
            made = _made(target, number, chosen)
            asyncio.run(try_all(Place("127.0.0.1", port), made, judged))
            process.terminate()
            process.wait(60)
        if store.counted() != store.invitations()[1]:
            judged.faults.append("a token without its report")
    said = log.read_text(encoding="utf-8", errors="replace")
    judged.faults += [f"{what} in the log" for what in ("Traceback", token, "sqlalchemy") if what in said]
    judged.faults += [f"an echo in the log of {sent[:300]!r}" for sent, mark in made if mark in said]
    return judged


def _made(target: Target, number: int, chosen: int) -> list[tuple[bytes, str]]:
    chance, found = random.Random(chosen), []

    @seed(chosen)
    @settings(
        max_examples=number // 2,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def near(data: st.DataObject) -> None:
        mark = f"zq{chance.getrandbits(48):012x}"
        found.append((data.draw(described(target, mark)), mark))

    near()
    while len(found) < number:
        mark = f"zq{chance.getrandbits(48):012x}"
        found.append((mangled(target, mark, chance), mark))
    return found
