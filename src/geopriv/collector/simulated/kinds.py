"""Kinds of participants: what each does, what it must be told, and what must be counted of it."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from geopriv.collector.simulated.wire import Answer, Wire, request
from geopriv.errors import InvalidParameter, Unavailable

_AGAIN = 0.2  # seconds after which a device that heard no answer, or a 503, sends the same again
_TRIES = 300
_PIECES, _PAUSE = 5, 0.05
COUNTED, BEFORE = "counted", "counted before"


@dataclass(frozen=True)
class Visit:
    """One participant at a collector.

    Args:
        wire: by which it speaks.
        token: its invitation; None where none is asked for.
        make: a report of its value, new each time.
        lie: a report that nobody's value made.
        chance: of what it does that is no report.
        took: seconds that answers took, which it adds to.
    """

    wire: Wire
    token: str | None
    make: Callable[[], str]
    lie: Callable[[], str]
    chance: random.Random
    took: list[float]

    async def send(self, line: bytes, pieces: int = 1) -> str:
        """Send a report until it is heard, as a device does: the verdict."""
        sent = request("POST", "/v1/reports", line, self.token)
        for _ in range(_TRIES):
            began = asyncio.get_running_loop().time()
            try:
                answer = await self.wire.ask(sent, pieces, _PAUSE)
            except Unavailable:
                await asyncio.sleep(_AGAIN)
                continue
            if answer.status == 503:
                await asyncio.sleep(_AGAIN)
                continue
            self.took.append(asyncio.get_running_loop().time() - began)
            return _verdict(answer)
        raise Unavailable("The collector does not answer.")


def _verdict(answer: Answer) -> str:
    if answer.status == 429:
        raise InvalidParameter("The collector must be started with --rate 0: all of these come from one address.")
    try:
        return str(answer.document["verdict"])
    except (ValueError, KeyError, TypeError):
        return f"status {answer.status}"


Act = Callable[[Visit], Awaitable[list[str]]]


@dataclass(frozen=True)
class Kind:
    """A kind of participant.

    Args:
        act: what it does: the verdicts that it heard.
        heard: what it must hear; a report that was sent again after a break counts as heard once.
        uninvited: the same where no token is asked for.
    """

    act: Act
    heard: tuple[str, ...]
    uninvited: tuple[str, ...] | None = None

    def must(self, invited: bool) -> tuple[str, ...]:
        """What it must hear."""
        return self.heard if invited or self.uninvited is None else self.uninvited


async def _honest(visit: Visit) -> list[str]:
    return [_once(await visit.send(visit.make().encode()))]


async def _twice(visit: Visit) -> list[str]:
    line = visit.make().encode()
    said = [_once(await visit.send(line)), await visit.send(line)]
    return said if visit.token is None else [*said, await visit.send(visit.make().encode())]


async def _wrong_hash(visit: Visit) -> list[str]:
    other = json.loads(visit.make()) | {"design": os.urandom(32).hex()}
    return [await visit.send(json.dumps(other).encode())]


async def _garbage(visit: Visit) -> list[str]:
    line = visit.make()
    whole = json.loads(line)
    forms = [
        visit.chance.randbytes(visit.chance.randrange(1, 2_000)),
        line[: visit.chance.randrange(1, len(line) - 1)].encode(),
        json.dumps(whole | {"report": "1"}).encode(),
        json.dumps(whole | {"value": 1}).encode(),
        b"[" * 2_000,
        line.replace("[", "[NaN, ").encode(),
        b"",
    ]
    return [await visit.send(visit.chance.choice(forms))]


async def _liar(visit: Visit) -> list[str]:
    return [_once(await visit.send(visit.lie().encode()))]


async def _slow(visit: Visit) -> list[str]:
    return [_once(await visit.send(visit.make().encode(), _PIECES))]


async def _broken(visit: Visit) -> list[str]:
    """Leaves in the middle of a request, leaves before the answer, and then sends the same until it is heard."""
    line = visit.make().encode()
    sent = request("POST", "/v1/reports", line, visit.token)
    await visit.wire.begin(sent[: visit.chance.randrange(1, len(sent))])
    await visit.wire.begin(sent)
    return [_once(await visit.send(line))]


def _once(verdict: str) -> str:
    """A report that was sent again, since no answer came, may have been counted the first time."""
    return COUNTED if verdict == BEFORE else verdict


KINDS = {
    "honest": Kind(_honest, (COUNTED,)),
    "twice": Kind(_twice, (COUNTED, BEFORE, BEFORE), (COUNTED, BEFORE)),
    "wrong-hash": Kind(_wrong_hash, ("wrong design",)),
    "garbage": Kind(_garbage, ("malformed",)),
    "liar": Kind(_liar, (COUNTED,)),
    "slow": Kind(_slow, (COUNTED,)),
    "broken": Kind(_broken, (COUNTED,)),
}
