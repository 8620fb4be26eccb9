"""The device: verifies a design, makes one report a person, and keeps account. Standard library only.

    python -m geopriv.client design.json --hash 5e1f… --unit USD --most-epsilon 0.001 --total 0.01 --ledger f --value -

prints one line to send. Exit codes: 0 done, 1 the design, the policy or what was spent refuses, 2 bad input.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NoReturn

from geopriv.errors import (
    BudgetExhausted,
    GeoprivError,
    InvalidDesign,
    OutOfDomain,
    Refused,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from typing import TextIO

    from geopriv.device.designs import VerifiedDesign
    from geopriv.device.policy import Policy
    from geopriv.device.timing import Clock

_PERSON = "me"
_NEEDED = ("value", "ledger", "unit", "most_epsilon", "total")


class Client:
    """One device: a verified design that the policy lets ask, and a ledger.

    Args:
        design: path of a design.json.
        ledger: path of the ledger, made if there is none; one a unit.
        policy: what the person, or the app, allows, whatever the design says.
        clock: by which reports leave.

    Raises:
        InvalidDesign: for a design that is none, or does not keep its promise.
        Refused: for one that the policy does not let ask, and for a ledger in another unit.
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
        from geopriv.device.timing import SYSTEM

        self.design, self.policy, self._clock = load(design, policy.hash), policy, clock or SYSTEM
        policy.require(self.design)
        if policy.trust:
            _say(f"geopriv: no published hash was given; the file itself is trusted. {self.design}", sys.stderr)
        self._ledger = Ledger(ledger, policy.unit, policy.total)

    def report(self, value: Any, person: str = _PERSON) -> str:
        """One line of NDJSON to send: the same one whenever the same person is asked again, whatever the value.

        Guarantee: the design's ε, once a person and survey, and the policy's total over all surveys. What is spent is
        on the disk before the line is returned, and it is returned at a fixed time (`geopriv.device.timing`).

        Args:
            value: a number on a line, a sequence of numbers elsewhere.
            person: who answers.

        Raises:
            OutOfDomain: for a value that cannot be read; nothing is spent. The message never holds the value.
            BudgetExhausted: where the person may not answer.
        """
        return self._report(lambda: value, person)

    def _report(self, value: Callable[[], Any], person: str) -> str:
        """The report of a value that is read within the fixed time too."""
        from geopriv.device.draws import system_bytes

        design = self.design

        def answer() -> str:
            read = value()
            return self._ledger.once(
                person, design.survey, design.hash, design.epsilon, lambda: design._line(read, system_bytes)
            )

        return self._clock.leave(answer, self.policy.after)


def load(path: str | os.PathLike[str], expected: str | None = None) -> VerifiedDesign:
    """The verified design of a file (`geopriv.device.designs.verify`).

    Args:
        path: of a design.json.
        expected: the hash that was published, if it is known from elsewhere.

    Raises:
        InvalidDesign: naming what is wrong.
    """
    # what reads a design is imported with the first one
    from geopriv.device.designs import verify
    from geopriv.device.files import read_few

    return verify(read_few(path), expected)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    import sys

    try:
        options = _options(arguments)
        if options.verify:
            _say(str(load(options.design, _published(options.hash))), sys.stdout)
            return 0
        client = Client(options.design, options.ledger, _policy(options))
        words = _typed() if options.value == "-" else options.value
        _say(client._report(lambda: _value(words), options.person), sys.stdout)
    except (InvalidDesign, Refused, BudgetExhausted) as error:
        _say(f"geopriv: {error}", sys.stderr)
        return 1
    except GeoprivError as error:
        _say(f"geopriv: {error}", sys.stderr)
        return 2
    except OSError as error:
        _say(f"geopriv: {error.strerror or 'the file cannot be used'}: {error.filename or ''!a}", sys.stderr)
        return 2
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    import sys

    parser = _parser()
    options = parser.parse_args(_joined(sys.argv[1:] if arguments is None else arguments))
    lacks = [f"--{name.replace('_', '-')}" for name in _NEEDED if getattr(options, name) is None]
    if options.verify and (len(lacks) < len(_NEEDED) or options.trust_this_file):
        parser.exit(2, "geopriv: --verify goes with --hash only.\n")
    if not (options.hash or options.trust_this_file):
        lacks.append("--hash, as it was published (or else --trust-this-file)")
    if lacks and not options.verify:
        parser.exit(2, f"geopriv: a report also needs {', '.join(lacks)}; --help explains them.\n")
    return options


def _parser() -> argparse.ArgumentParser:
    import argparse

    from geopriv.device.policy import AFTER

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:  # the message could quote the value
            self.exit(2, f"{self.format_usage()}geopriv: these arguments cannot be read; --help explains them.\n")

    about = "Verify a design and make one private report."
    codes = "Exit codes: 0 done, 1 the design, the policy or what was spent refuses, 2 bad input."
    parser = Parser(prog="python -m geopriv.client", description=about, epilog=codes, allow_abbrev=False)
    parser.add_argument("design", help="path of the design.json")
    parser.add_argument("--verify", action="store_true", help="only verify the design, and its --hash if it is given")
    numbers = "a number without separators, or numbers with commas between; - reads it from standard input"
    parser.add_argument("--value", help=numbers)
    parser.add_argument("--degrees", action="store_true", help="the value is a latitude and a longitude: 40.7,-74.0")
    parser.add_argument("--ledger", help="path of the SQLite file of what was spent, made if missing; one a unit")
    parser.add_argument(
        "--person", default=_PERSON, help="who answers, of those with this ledger (default %(default)s)"
    )
    parser.add_argument("--unit", help="of the value, as the design must state it; '' for designs without a unit")
    parser.add_argument("--most-epsilon", type=float, help="the most ε that one survey may cost, per unit")
    parser.add_argument("--total", type=float, help="the most ε that all surveys together may cost a person, per unit")
    known = parser.add_mutually_exclusive_group()
    known.add_argument("--hash", help="of the design, as it was published")
    known.add_argument("--trust-this-file", action="store_true", help="answer the design in the file, whatever it is")
    after = f"a report leaves so many seconds after it was asked for (default {AFTER}; 0: as soon as it is made)"
    parser.add_argument("--after", type=float, default=AFTER, help=after)
    return parser


def _joined(words: Sequence[str]) -> list[str]:
    """The arguments, with a value that begins with a minus made part of its option.

    Otherwise -33.9,151.2 is taken for an option, and people in the south are refused, at once, where others report.
    """
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] == "--value" and word.startswith("-") and not word.startswith("--") and word != "-h":
            joined[-1] = f"--value={word}"
        else:
            joined.append(word)
    return joined


def _typed() -> str:
    """The line on standard input; what is no text is no number either, and its error would quote the bytes."""
    import sys

    try:
        return sys.stdin.readline()
    except UnicodeDecodeError:
        return ""


def _published(words: str | None) -> str | None:
    from geopriv.device.policy import require_hash

    return None if words is None else require_hash(words)


def _policy(options: argparse.Namespace) -> Policy:
    from geopriv.device.policy import Policy

    return Policy(
        unit=options.unit or None,
        most_epsilon=options.most_epsilon,
        total=options.total,
        hash=options.hash,
        trust=options.trust_this_file,
        degrees=options.degrees,
        after=options.after,
    )


def _value(words: str) -> list[Any]:
    """A number, or several, exactly as they are written."""
    from decimal import Decimal, InvalidOperation

    try:
        parts = [Decimal(word.strip()) for word in words.split(",")]
    except InvalidOperation:
        parts = []
    if not parts:
        raise OutOfDomain("A value must be a number, or numbers with commas between.")
    return parts


def _say(words: str, stream: TextIO) -> None:
    """Print a line at once; what the terminal has no letters for is escaped."""
    code = stream.encoding or "ascii"
    print(words.encode(code, "backslashreplace").decode(code), file=stream, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
