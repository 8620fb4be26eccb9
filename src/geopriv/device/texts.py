"""Which texts a device accepts and prints: those that look like what they are.

A design is written by somebody else and its words are shown on a terminal. Control characters, changes of direction and
characters without ink could there show another ε or another hash than the one that was verified, or make two texts
look alike. So a text is printable, short, in one form only (NFC), and every character of it is seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

SHORT = 80  # characters
NAME = 200  # of a survey's name, and of a person's
UNIT = 40  # of a unit: too short for a hash
LABEL = 60  # of a group's name, and of what is counted: too short for a hash too
FREE = 400  # of any other text in a design
QUOTED = 60  # of what an error quotes
_MARKS = 3  # accents on one letter, after those that are part of it

# printable by the letter of Unicode, and yet without ink, or drawn over their neighbours
_RANGES = (
    "\u034f \u0334-\u0338 \u0488-\u0489 \u115f-\u1160 \u17b4-\u17b5 \u180b-\u180f \u1abe \u20d2-\u20d3 \u20d8-\u20e6 "
    "\u20ea-\u20eb \u2800 \u3164 \ua670-\ua672 \ufe00-\ufe0f \uffa0 \ufffc-\ufffd \U00016fe4 \U0001d159 "
    "\U000e0100-\U000e01ef"
)
_UNSEEN = frozenset(chr(code) for part in _RANGES.split() for code in range(ord(part[0]), ord(part[-1]) + 1))
_EVERYWHERE = {"GREEK", "MICRO", "OHM", "KELVIN", "ANGSTROM"}
_EAST = {"HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL"}
_DIGITS = frozenset("0123456789²³")  # of which one may stand behind a letter
_PUNCTUATION = frozenset(",;:=\"'`´“”‘’«»„‚‹›")  # with which a unit could go on as a sentence


def seen(words: str) -> bool:
    r"""Whether every character is a plain space or has ink of its own.

    `str.isprintable` refuses control and format characters (the zero-width and the bidirectional ones among them), all
    spaces but the plain one, surrogates, private use and code points without a character.

    >>> seen("km² € 人 é"), seen("USD\u200b"), seen("\u202e"), seen("a\tb"), seen("\ufe0f"), seen("\u3164")
    (True, False, False, False, False, False)
    """
    return words.isprintable() and (words.isascii() or _UNSEEN.isdisjoint(words))


def plain(words: object, most: int) -> bool:
    r"""Whether it is a text of 1 to `most` characters that are seen, in NFC, without spaces at its ends.

    >>> plain("revenu annuel (€)", SHORT), plain(" m", SHORT), plain("e\u0301", SHORT), plain("m" * 81, SHORT)
    (True, False, False, False)
    """
    if not isinstance(words, str) or not 0 < len(words) <= most or not seen(words) or words != words.strip():
        return False
    return words.isascii() or _composed(words)


def unit_like(words: object) -> bool:
    r"""Whether it can be shown after an ε as "ε per unit": no number, no second "per", no punctuation to go on with.

    "8,000 USD" would turn "1 per USD" into "1 per 8,000 USD", and "USD/8000" would too. A digit, ² or ³ may stand
    behind a letter ("CO2", "km²") and a year of these centuries at the end ("USD (2020)"). Letters are of one script,
    so that none is taken for another.

    >>> [unit_like(unit) for unit in ("USD", "€", "km²", "8000 USD", "USD, verified; design 0", "USD\u200b")]
    [True, True, True, False, False, False]
    >>> [unit_like(unit) for unit in ("USD (2020)", "CO2", "µm", "USD/8000", "m per day", "f\u0430ctor")]
    [True, True, True, False, False, False]
    >>> [unit_like(unit) for unit in ("USD (8000)", "USD⁸⁰", "USD ⑧", "m²3", "CO22")]
    [False, False, False, False, False]
    """
    import re  # which json imports too
    from unicodedata import category

    if not isinstance(words, str) or not plain(words, UNIT) or not _PUNCTUATION.isdisjoint(words):
        return False
    rest = re.sub(r"\((19|20)[0-9]{2}\)$", "", words)
    if _counts(rest) or re.search(r"\bper\b", rest.casefold()) or not _one_script(words):
        return False
    return words[0] in "%‰°" or category(words[0])[0] == "L" or category(words[0]) == "Sc"


def _counts(words: str) -> bool:
    """Whether there is a number in any script, but for one digit behind a letter."""
    from unicodedata import category

    kinds = [category(character)[0] for character in words]
    return any(
        kind == "N" and (before != "L" or after == "N" or character not in _DIGITS)
        for before, kind, after, character in zip(["", *kinds], kinds, [*kinds[1:], ""], words, strict=False)
    )


def _one_script(words: str) -> bool:
    """Whether all letters are of one script, beside those that units of every script take from the Greek one."""
    from unicodedata import category, name

    scripts = {name(letter, "?").split()[0] for letter in words if category(letter)[0] == "L"} - _EVERYWHERE
    return len({"CJK" if script in _EAST else script for script in scripts}) <= 1


def quoted(got: object) -> str:
    r"""What an error shows of a part of a design: escaped, in ASCII, and cut.

    >>> quoted("\x1b[2J\u202eé"), len(quoted("m" * 1000))
    ('\\x1b[2J\\u202e\\xe9', 60)
    """
    return str(got)[:QUOTED].encode("unicode_escape").decode("ascii")[:QUOTED]


def _composed(words: str) -> bool:
    """Whether a text is in NFC and has only few marks, each on a letter."""
    from unicodedata import category, is_normalized

    run, before = 0, ""
    for character in words:
        kind = category(character)[0]
        run = run + 1 if kind == "M" else 0
        if run > _MARKS or (run and before not in ("L", "M")):
            return False
        before = kind
    return is_normalized("NFC", words)


def say(words: str, stream: TextIO) -> None:
    """Print a line at once; what the terminal has no letters for is escaped."""
    code = stream.encoding or "ascii"
    print(words.encode(code, "backslashreplace").decode(code), file=stream, flush=True)
