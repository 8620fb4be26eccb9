"""How texts that are no numbers were written: with separators, commas, signs or words. No text is kept or shown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from geopriv.reports.engines.rows import EMPTY, NUMBER

# of each form: how it looks to the whole of a text, and what is told of it; the first that fits counts
_SIGN, _GROUPS, _APART = r"[+\-\u2212]?", r"\d{1,3}", r"[ \u00a0\u2009\u202f'\u2019_]"
_COMMAS, _COMMA, _DECIMAL = "commas as thousands separators", "a comma", "decimal commas"
_FORMS = {
    "spaces or apostrophes as thousands separators": rf"{_SIGN}{_GROUPS}(?:{_APART}\d{{3}})+(?:[.,]\d+)?",
    "dots as thousands separators": rf"{_SIGN}{_GROUPS}(?:(?:\.\d{{3}}){{2,}}(?:,\d+)?|(?:\.\d{{3}})+,\d+)",
    _COMMAS: rf"{_SIGN}{_GROUPS}(?:(?:,\d{{2,3}})+,\d{{3}}(?:\.\d+)?|,\d{{3}}\.\d+)",
    _COMMA: rf"{_SIGN}[1-9]\d{{0,2}},\d{{3}}",  # between thousands, or before decimals
    _DECIMAL: rf"{_SIGN}\d*,\d+",
    "dates or times": r"\d{1,4}[-/.:]\d{1,2}[-/.:]\d{1,4}(?:[T ].*)?",
    "currency signs, units or words beside its digits": r".*\d.*",
    "words": r"\D+",
}
_PATTERNS = {name: re.compile(pattern, re.DOTALL) for name, pattern in _FORMS.items()}
_FINE = re.compile(f"{NUMBER}|{EMPTY}")
_DOTTED = re.compile(rf"{_SIGN}[1-9]\d{{0,2}}\.\d{{3}}")


def count_forms(texts: Iterable[bytes]) -> Counter[str]:
    """How many texts that are no numbers have each form.

    >>> count_forms([b"52,000", b"1,200,000", b"n/a", b"52"])
    Counter({'a comma': 1, 'commas as thousands separators': 1, 'words': 1})
    """
    decoded = (text.decode("utf-8", "replace").strip() for text in texts)
    wrong = [text for text in decoded if not _FINE.match(text)]
    forms = (next((name for name, pattern in _PATTERNS.items() if pattern.fullmatch(text)), "") for text in wrong)
    return Counter(filter(None, forms))


def count_dotted(texts: Iterable[bytes]) -> int:
    """How many texts have three digits behind their only dot: it may stand between thousands, or before decimals.

    >>> count_dotted([b"52.000", b"52.5", b"0.125"])
    1
    """
    return sum(_DOTTED.fullmatch(text.decode("utf-8", "replace").strip()) is not None for text in texts)


def likely_form(counts: Counter[str]) -> str:
    """What most of the texts have, in words; "" of no texts.

    A comma before three digits is taken for what the others are, and else for one between thousands.

    >>> likely_form(Counter({"a comma": 5})), likely_form(Counter({"a comma": 5, "decimal commas": 2}))
    ('commas as thousands separators (or decimal commas)', 'decimal commas')
    """
    commas = {name: counts[name] for name in (_COMMAS, _COMMA, _DECIMAL)}
    others = Counter({name: count for name, count in counts.items() if name not in commas})
    (most, count), *_ = [*others.most_common(1), ("", 0)]
    if sum(commas.values()) <= count:
        return most
    if commas[_DECIMAL] and not commas[_COMMAS]:
        return _DECIMAL
    return _COMMAS if commas[_COMMAS] else f"{_COMMAS} (or {_DECIMAL})"
