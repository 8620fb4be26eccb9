"""A crowd of made-up participants: how many of each kind, whose values they hold, and what became of them."""

from __future__ import annotations

import asyncio
import json
import math
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

from geopriv.collector.simulated.kinds import BEFORE, COUNTED, KINDS, Visit
from geopriv.collector.simulated.wire import Place, Wire, request
from geopriv.device.designs import VerifiedDesign
from geopriv.device.draws import system_bytes
from geopriv.errors import InvalidParameter
from geopriv.surveys.design import Design

SHARES = {"twice": 0.05, "wrong-hash": 0.05, "garbage": 0.05, "liar": 0.05, "slow": 0.02, "broken": 0.05}
"""Of kinds that are not honest, unless others are named."""

Told = Callable[[int], None]


def allotted(number: int, shares: Mapping[str, float]) -> Counter[str]:
    """How many there are of each kind; those that are left are honest.

    >>> sorted(allotted(10, {"liar": 0.2, "slow": 0.15}).items())
    [('honest', 7), ('liar', 2), ('slow', 1)]

    Raises:
        InvalidParameter: for shares of unknown kinds, and for such as are no shares.
    """
    unknown = sorted(set(shares) - set(KINDS))
    if unknown:
        raise InvalidParameter(f"The 'share' parameter must name one of {', '.join(KINDS)}. Got {unknown[0][:20]!r}.")
    others = {kind: share for kind, share in shares.items() if kind != "honest"}
    whole = sum(others.values()) + shares.get("honest", 0.0)
    if not all(0 <= share <= 1 for share in shares.values()) or whole > 1 + 1e-9:
        raise InvalidParameter("The 'share' parameter must be a number from 0 to 1, and all together at most 1.")
    found = Counter({kind: math.floor(number * share + 1e-9) for kind, share in others.items()})
    found["honest"] = number - found.total()
    return +found


@dataclass(frozen=True)
class Makers:
    """Who reports what.

    Args:
        design: that asks.
        device: the same, verified as a device does.
        values: of people, as a device reads them.
        groups: of the same people.
    """

    design: Design
    device: VerifiedDesign
    values: tuple[Any, ...]
    groups: tuple[int | None, ...]

    def honest(self, person: int) -> str:
        """One more report of a person; who is beyond the last is the first again."""
        row = person % len(self.values)
        return self.device._line(self.values[row], system_bytes, self.groups[row])

    def lie(self, person: int) -> str:
        """The largest report that could have come from the design: it is counted, since nobody can tell."""
        group = self.groups[person % len(self.values)]
        told = {} if group is None else {"group": group}
        report = [high - 1 for _, high in self.design.mechanisms[0].ends]
        line = {"design": self.design.hash, **told, "id": os.urandom(16).hex(), "mechanism": 0, "report": report}
        return json.dumps(line)


@dataclass
class Outcome:
    """What became of a crowd.

    Args:
        people: of each kind.
        heard: verdicts of each kind.
        took: seconds that each answer took, by kind.
        seconds: that all of it took.
        wrong: what was not as it must be, a sentence each.
    """

    people: Counter[str]
    heard: dict[str, Counter[str]] = field(default_factory=dict)
    took: dict[str, list[float]] = field(default_factory=dict)
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)

    @property
    def kept(self) -> int:
        """Participants who heard that their report was counted."""
        return sum(heard[COUNTED] for heard in self.heard.values())

    def rejected(self, invited: bool) -> Counter[str]:
        """How many rejections must have been counted, by reason."""
        return Counter({words: n for words, n in self._must(invited).items() if words not in (COUNTED, BEFORE)})

    def compare(self, grown: Counter[str], invited: bool) -> None:
        """Note where the server's counts grew by something else than they must have.

        Args:
            grown: by how much.
            invited: whether each had a token.
        """
        reports = self._must(invited)[COUNTED]
        must = self.rejected(invited) + Counter({"reports": reports, "tokens spent": reports if invited else 0})
        for what in sorted({*must, *grown}):
            if must[what] != grown[what]:
                self.wrong.append(f"{what}: {must[what]:,} must have been counted, the server counted {grown[what]:,}")

    def _must(self, invited: bool) -> Counter[str]:
        total: Counter[str] = Counter()
        for kind, people in self.people.items():
            for words in KINDS[kind].must(invited):
                total[words] += people
        return total


async def simulate(
    place: Place, makers: Makers, people: Counter[str], tokens: Sequence[str], clients: int, tell: Told
) -> Outcome:
    """Let a crowd visit a collector.

    Args:
        place: of the collector.
        makers: of reports.
        people: how many there are of each kind.
        tokens: one for each; none where none is asked for.
        clients: connections at once.
        tell: is told how many are done.
    """
    chance = random.Random(0)  # in which order they come, and what garbage is: no report is drawn by it
    crowd = list(enumerate(people.elements()))
    chance.shuffle(crowd)
    outcome = Outcome(people, {kind: Counter() for kind in people}, {kind: [] for kind in people})
    waiting, began = iter(crowd), time.perf_counter()
    done = 0

    async def client() -> None:
        nonlocal done
        wire = Wire(place)
        for person, kind in waiting:
            token = tokens[person] if tokens else None
            made = partial(makers.honest, person), partial(makers.lie, person)
            said = await KINDS[kind].act(Visit(wire, token, *made, chance, outcome.took[kind]))
            outcome.heard[kind].update(said)
            must = KINDS[kind].must(bool(tokens))
            if tuple(said) != must:
                outcome.wrong.append(f"{kind}: must hear {', '.join(must)}; heard {', '.join(said)}")
            done += 1
            tell(done)
        wire.leave()

    async with asyncio.TaskGroup() as group:
        for _ in range(clients):
            group.create_task(client())
    outcome.seconds = time.perf_counter() - began
    return outcome


async def counts(place: Place, key: str | None = None) -> Counter[str]:
    """What the server counted until now: reports, tokens spent, and rejections by reason.

    Args:
        place: of the collector.
        key: of the analyst, where the collector has one.
    """
    wire = Wire(place)
    answer = await wire.ask(request("GET", "/metrics", token=key))
    wire.leave()
    if answer.status != 200:
        raise InvalidParameter("The collector does not show its counts: name the analyst's key with --key.")
    return Counter(dict(_samples(answer.body.decode())))


def _samples(text: str) -> Iterator[tuple[str, int]]:
    names = {"geopriv_reports": "reports", "geopriv_tokens_spent": "tokens spent"}
    for line in text.splitlines():
        name, _, number = line.rpartition(" ")
        if name in names:
            yield names[name], int(number)
        elif name.startswith("geopriv_rejected{"):
            yield name.split('"')[1], int(number)


def quantile(took: Sequence[float], share: float) -> float:
    """The smallest time that so many answers did not exceed.

    >>> quantile([3.0, 1.0, 2.0], 0.5)
    2.0
    """
    return next(islice(sorted(took), max(math.ceil(share * len(took)) - 1, 0), None), math.nan)
