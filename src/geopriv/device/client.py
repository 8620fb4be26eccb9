"""One device: a design that was verified and that the policy lets ask, and a ledger of what was spent."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from geopriv.device.texts import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from geopriv.device.designs import VerifiedDesign
    from geopriv.device.policy import Policy
    from geopriv.device.timing import Clock

PERSON = "me"


class Client:
    """One device: a verified design that the policy lets ask, and a ledger.

    Args:
        design: path of a design.json.
        ledger: path of the ledger, made if there is none; one a unit.
        policy: what the person, or the app, allows, whatever the design says.
        clock: by which reports leave.

    Raises:
        InvalidDesign: for a design that is none, or does not keep its promise.
        Refused: for one that the policy does not let ask, one that is too slow for this device, and for a ledger in
            another unit.
    """

    def __init__(
        self,
        design: str | os.PathLike[str],
        ledger: str | os.PathLike[str],
        policy: Policy,
        clock: Clock | None = None,
    ) -> None:
        import sys

        from geopriv.device.ledger import Ledger
        from geopriv.device.timing import SYSTEM, long_enough

        self.design, self.policy, self._clock = load(design, policy.hash), policy, clock or SYSTEM
        policy.require(self.design)
        if policy.trust:
            say(f"geopriv: no published hash was given; the file itself is trusted. {self.design}", sys.stderr)
        # before there is a value: draws are measured at public places
        self.after = long_enough(self.design, policy.after, self._clock) if policy.after > 0 else policy.after
        self._ledger = Ledger(ledger, policy.unit, policy.total, policy.most_surveys)

    def report(self, value: Any, person: str = PERSON, group: str | None = None, round: int | None = None) -> str:
        """One line of NDJSON to send: the same one whenever the person is asked again, whatever the value and group.

        Guarantee: the design's ε, once a person and survey, and the policy's total over all surveys. What is spent is
        on the disk before the line is returned, and it is returned at a fixed time (`geopriv.device.timing`). A group
        is not covered: it is told as it is, so it must not depend on the value. Where noise walks, the design's ε is
        that of all rounds together, per unit of D (theory T15): who stays is seen once, and a move costs its length
        too. Whether a person takes part in a round is told openly, and must not depend on the value either.

        Args:
            value: a number on a line, a sequence of numbers elsewhere.
            person: who answers.
            group: one of those that the design names (`design.groups.names`), which is told openly; None where it names
                none.
            round: which one it is, from 1 on, where noise walks; None elsewhere. Asked again in the same round, the
                same report is sent.

        Raises:
            InvalidParameter: for a group or a round that is missing, unknown or not asked for; nothing is spent.
            OutOfDomain: for a value that cannot be read; nothing is spent. The message never holds the value.
            BudgetExhausted: where the person may not answer.
        """
        return self.report_later(lambda: value, person, group, round)

    def has_answered(self, person: str = PERSON) -> bool:
        """Whether a report of a person was made before; then it is sent again, whatever the value and group.

        Where noise walks: whether one was made in any round; other rounds have reports of their own.
        """
        return self._ledger.has(person, self.design.survey, self.design.hash)

    def report_later(
        self, value: Callable[[], Any], person: str, group: str | None = None, round: int | None = None
    ) -> str:
        """The report of a value that is read within the fixed time too."""
        from geopriv.device.draws import system_bytes
        from geopriv.device.walks import require_walk

        design, told = self.design, self.design.groups.index(group)
        require_walk(design.walk, round)
        paid = person, design.survey, design.hash, design.epsilon

        def answer() -> str:
            read = value()
            if round is None:
                return self._ledger.once(*paid, lambda: design._line(read, system_bytes, told))
            return self._ledger.walk(
                *paid, round, lambda last: design._walked_line(read, system_bytes, round, last, told)
            )

        return self._clock.leave(answer, self.after)


def load(path: str | os.PathLike[str], expected: str | None = None) -> VerifiedDesign:
    """The verified design of a file (`geopriv.device.designs.verify`).

    Args:
        path: of a design.json.
        expected: the hash that was published, if it is known from elsewhere.

    Raises:
        InvalidParameter: for a folder, and for a file that is something else of geopriv's.
        InvalidDesign: naming what is wrong.
    """
    # what reads a design is imported with the first one
    from geopriv.device.designs import verify
    from geopriv.device.files import read_few
    from geopriv.device.kinds import require_kind

    require_kind(path, "design")
    return verify(read_few(path), expected)
