"""The device: verifies a design, makes one report a person, and keeps account. Standard library only.

    python -m geopriv.client design.json --value 52000 --ledger spent.sqlite

prints one line to send. Exit codes: 0 done, 1 the design or the ledger refuses, 2 bad input.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NoReturn

from geopriv.errors import BudgetExhausted, GeoprivError, InvalidDesign, OutOfDomain

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from geopriv.device.designs import VerifiedDesign

_PERSON = "me"


class Client:
    """One device: a verified design and a ledger.

    Args:
        design: path of a design.json.
        ledger: path of the ledger, made if there is none.
        expected: the hash of the design, if it is known from elsewhere.
        limit: the most ε that one person may spend over all surveys; None for no limit.

    Raises:
        InvalidDesign: before anything is reported.
    """

    def __init__(
        self,
        design: str | os.PathLike[str],
        ledger: str | os.PathLike[str],
        expected: str | None = None,
        limit: float | None = None,
    ) -> None:
        from geopriv.device.ledger import Ledger

        self.design = load(design, expected)
        self._ledger = Ledger(ledger, limit)

    def report(self, value: Any, person: str = _PERSON) -> str:
        """One line of NDJSON to send: the same one whenever the same person is asked again, whatever the value.

        Guarantee: the design's ε, once a person and survey. What is spent is on the disk before the line is returned.

        Args:
            value: a number on a line, a sequence of numbers elsewhere.
            person: who answers.

        Raises:
            OutOfDomain: for a value that cannot be read; nothing is spent. The message never holds the value.
            BudgetExhausted: where the person may not answer.
        """
        from geopriv.device.draws import system_bytes

        design = self.design
        return self._ledger.once(
            person, design.survey, design.hash, design.epsilon, design.unit, lambda: design._line(value, system_bytes)
        )


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

    with open(path, "rb") as file:
        return verify(file.read(), expected)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    import sys

    try:
        options = _options(arguments)
        if options.verify:
            print(load(options.design, options.hash))
            return 0
        client = Client(options.design, options.ledger, options.hash, options.limit)
        print(client.report(_value(options.value), options.person), flush=True)
    except (InvalidDesign, BudgetExhausted) as error:
        print(f"geopriv: {error}", file=sys.stderr)
        return 1
    except GeoprivError as error:
        print(f"geopriv: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"geopriv: {error.strerror or 'the file cannot be used'}: {error.filename or ''}", file=sys.stderr)
        return 2
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    import argparse

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:  # the message could quote the value
            self.exit(2, f"{self.format_usage()}geopriv: these arguments cannot be read; --help explains them.\n")

    parser = Parser(prog="python -m geopriv.client", description="Verify a design and make one private report.")
    parser.add_argument("design", help="path of the design.json")
    parser.add_argument("--value", help="a number, or numbers with commas between; - reads it from standard input")
    parser.add_argument("--ledger", help="path of the SQLite file of what was spent")
    parser.add_argument("--person", default=_PERSON, help="who answers")
    parser.add_argument("--hash", help="refuse a design with another hash")
    parser.add_argument("--limit", type=float, help="the most ε that one person may spend over all surveys")
    parser.add_argument("--verify", action="store_true", help="only verify the design")
    options = parser.parse_args(arguments)
    if not options.verify and (options.value is None or options.ledger is None):
        parser.error("")
    return options


def _value(words: str) -> float | list[float]:
    """A number, or several."""
    import sys

    if words == "-":
        words = sys.stdin.readline()
    try:
        parts = [float(word) for word in words.split(",")]
    except ValueError:
        parts = []
    if not parts:
        raise OutOfDomain("A value must be a number, or numbers with commas between.")
    return parts[0] if len(parts) == 1 else parts


if __name__ == "__main__":
    raise SystemExit(main())
