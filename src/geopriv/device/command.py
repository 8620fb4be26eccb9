"""The command line of the device: its options, and what it says. Standard library only."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NoReturn

from geopriv.device.client import PERSON, Client, load
from geopriv.device.texts import say
from geopriv.errors import BudgetExhausted, GeoprivError, InvalidDesign, OutOfDomain, Refused

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from geopriv.device.policy import Policy

_NEEDED = {
    "value": "--value (a number, or - for standard input)",
    "ledger": "--ledger (a file that keeps account of what is spent; it is made if there is none)",
    "unit": "--unit (of the value)",
    "most_epsilon": "--most-epsilon (for this survey)",
    "total": "--total (for all surveys)",
}
_WALK = (
    "a report of a walk: who stays is seen once over all rounds, and each move is seen too, as a value of its own; "
    "that you take part in this round is told openly."
)
_LONGEST = 4096  # characters of a line with a value
# as `privatize` reads them: no separators, and no digits of other scripts
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    import sys

    try:
        options = _options(arguments)
        if options.verify:
            design = load(options.design, _published(options.hash))
            say("\n".join(filter(None, (str(design), design.groups.sentence))), sys.stdout)
            return 0
        client = Client(options.design, options.ledger, _policy(options))
        if client.design.groups.index(options.group) is not None:
            say(f"geopriv: {_told(client, options)}", sys.stderr)
        if client.design.walk is not None:
            say(f"geopriv: {_WALK}", sys.stderr)
        words = _typed() if options.value == "-" else options.value
        say(client.report_later(lambda: _value(words), options.person, options.group, options.round), sys.stdout)
    except (InvalidDesign, Refused, BudgetExhausted) as error:
        say(f"geopriv: {error}", sys.stderr)
        return 1
    except GeoprivError as error:
        say(f"geopriv: {error}", sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130  # as a shell says it; what is spent is on the disk, and asking again gives the same report
    except OSError as error:
        say(f"geopriv: {error.strerror or 'the file cannot be used'}: {error.filename or ''!a}", sys.stderr)
        return 2
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    import sys

    parser = _parser()
    options = parser.parse_args(_joined(sys.argv[1:] if arguments is None else arguments))
    lacks = [words for name, words in _NEEDED.items() if getattr(options, name) is None]
    chosen = (options.group, options.round)
    if options.verify and (len(lacks) < len(_NEEDED) or options.trust_this_file or chosen != (None, None)):
        parser.exit(2, "geopriv: --verify goes with --hash only.\n")
    if not (options.hash or options.trust_this_file):
        lacks.append("--hash, as it was published (or else --trust-this-file)")
    if lacks and not options.verify:
        parser.exit(2, f"geopriv: a report also needs {', '.join(lacks)}; --help explains them.\n")
    return options


def _parser() -> argparse.ArgumentParser:
    import argparse
    import sys

    from geopriv.device.policy import AFTER, SURVEYS

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:  # the message could quote the value; the option's name cannot
            wrong = getattr(sys.exc_info()[1], "argument_name", None) or "these arguments"
            self.exit(2, f"{self.format_usage()}geopriv: {wrong} cannot be read; --help explains them.\n")

    about = "Verify a design and make one private report."
    codes = "Exit codes: 0 done, 1 the design, the policy or what was spent refuses, 2 bad input."
    parser = Parser(prog="python -m geopriv.client", description=about, epilog=codes, allow_abbrev=False)
    parser.add_argument("design", help="path of the design.json")
    parser.add_argument("--verify", action="store_true", help="only verify the design, and its --hash if it is given")
    numbers = "a number without separators, or numbers with commas between; - reads it from standard input"
    parser.add_argument("--value", help=numbers)
    parser.add_argument("--degrees", action="store_true", help="the value is a latitude and a longitude: 40.7,-74.0")
    parser.add_argument("--ledger", help="path of the SQLite file of what was spent, made if missing; one a unit")
    parser.add_argument("--person", default=PERSON, help="who answers, of those with this ledger (default %(default)s)")
    parser.add_argument("--group", help="told openly, where the design names groups; it must not depend on the value")
    parser.add_argument("--unit", help="of the value, as the design must state it; '' for designs without a unit")
    parser.add_argument("--most-epsilon", type=float, help="the most ε that one survey may cost, per unit")
    parser.add_argument("--total", type=float, help="the most ε that all surveys together may cost a person, per unit")
    parser.add_argument("--round", type=int, help="which round of a walk it is, from 1 on; each is answered once")
    parser.add_argument("--most-rounds", type=int, default=1, help="the most rounds of a walk (default 1: no walks)")
    surveys = "the most surveys that a person may answer with this ledger (default %(default)s)"
    parser.add_argument("--most-surveys", type=int, default=SURVEYS, help=surveys)
    known = parser.add_mutually_exclusive_group()
    known.add_argument("--hash", help="of the design, as it was published")
    known.add_argument("--trust-this-file", action="store_true", help="answer the design in the file, whatever it is")
    wait = f"default {AFTER}, and longer on a slow device; 0: as soon as it is made"
    after = f"a report leaves so many seconds after it was asked for ({wait})"
    parser.add_argument("--after", type=float, default=AFTER, help=after)
    return parser


def _told(client: Client, options: argparse.Namespace) -> str:
    """What is told openly of a group: that of an earlier report is another one, perhaps."""
    if client.design.walk is not None:  # each round has a report of its own, with the group that is given for it
        return (
            f"the group '{options.group}' is told openly; only the value is protected. Where this round was answered "
            "before, that report is sent again with its own value and group."
        )
    if client.has_answered(options.person):
        return "a report was made before, and it is sent again with its own value and group, whatever is given now."
    return f"the group '{options.group}' is told openly; only the value is protected."


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

    if sys.stdin is None:
        raise OutOfDomain("Standard input is closed: there is no value to read.")
    try:
        line = sys.stdin.readline(_LONGEST + 1)
    except UnicodeDecodeError:
        return ""
    return line if len(line) <= _LONGEST else ""


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
        most_rounds=options.most_rounds,
        most_surveys=options.most_surveys,
    )


def _value(words: str) -> list[Any]:
    """A number, or several, exactly as they are written."""
    from decimal import Decimal, InvalidOperation

    parts = words.split(",")
    if not all(map(_NUMBER.fullmatch, parts)):
        how = "with a point before decimals and nothing between thousands"
        raise OutOfDomain(f"A value must be a number, {how}, or numbers with commas between.")
    try:
        return [Decimal(part.strip()) for part in parts]
    except InvalidOperation:  # an exponent of twenty digits
        raise OutOfDomain("A value must be made of finite real numbers of fewer than 400 digits.") from None
