"""What the paper says about one-way thresholds (section 5 and appendix C.1)."""

from __future__ import annotations

from itertools import pairwise

from geopriv_paper.claims.claim import Claim, Panels, span
from geopriv_paper.one_way import mean_squared_error
from geopriv_paper.settings import ONE_WAY, ONE_WAY_PEOPLE

_FEWEST, _MOST = ONE_WAY_PEOPLE[0], ONE_WAY_PEOPLE[-1]
_FAR = (10_000, 500_000)  # thresholds of figure 4


def error(panels: Panels, at: int, inverse: int, name: str, people: int = _FEWEST) -> float:
    """The exact mean squared error of a mechanism in one panel."""
    return mean_squared_error(panels[f"T{at}-{inverse}"]["expected"][name], people)


def _settings(*thresholds: int) -> list[tuple[int, int]]:
    return [(at, inverse) for at in thresholds for inverse in ONE_WAY[at][1]]


def _m3_beats_m2(panels: Panels) -> tuple[bool, str]:
    gains = [error(panels, *one, "M2") / error(panels, *one, "M3") for one in _settings(*_FAR)]
    return min(gains) > 1, f"M3's error is {span(gains)} times smaller"


def _m0_is_good_for_large_epsilon(panels: Panels) -> tuple[bool, str]:
    gains = [error(panels, at, ONE_WAY[at][1][0], "M3") / error(panels, at, ONE_WAY[at][1][0], "M0") for at in _FAR]
    return min(gains) > 1, f"at the largest ε and n = {_FEWEST:,} M0's error is {span(gains)} times smaller than M3's"


def _m0_does_not_fall(panels: Panels) -> tuple[bool, str]:
    falls = [error(panels, *one, "M0") / error(panels, *one, "M0", _MOST) for one in _settings(*_FAR)]
    return max(falls) < 2, f"with 16 times the people M0's error falls by factors of {span(falls)}; unbiased ones by 16"


def _errors_fall_with_epsilon(panels: Panels) -> tuple[bool, str]:
    gains = [
        error(panels, at, low, name, people) / error(panels, at, high, name, people)
        for at, (_, rates) in ONE_WAY.items()
        for high, low in pairwise(rates)
        for name in ("LDP", "M0", "M3")
        for people in ONE_WAY_PEOPLE
    ]
    return min(gains) > 1, f"from one ε to the next larger one by factors of {span(gains)}"


def _m2_falls_with_epsilon(panels: Panels) -> tuple[bool, str]:
    gains = {
        at: error(panels, at, rates[-1], "M2") / error(panels, at, rates[0], "M2") for at, (_, rates) in ONE_WAY.items()
    }
    words = ", ".join(f"{gain:.3g} at T = {at:,}" for at, gain in gains.items())
    return min(gains.values()) > 1 + 1e-9, f"over a factor 2.5 of ε M2's error falls by {words}"


def _order_of_magnitude(panels: Panels) -> tuple[bool, str]:
    gains = {
        at: error(panels, at, ONE_WAY[at][1][-1], "M3") / error(panels, at, ONE_WAY[at][1][0], "M3") for at in _FAR
    }
    return min(gains.values()) >= 10, "by " + ", ".join(f"{gain:.1f} at T = {at:,}" for at, gain in gains.items())


def _m0_is_bad_in_the_middle(panels: Panels) -> tuple[bool, str]:
    ratios = [
        error(panels, *one, "M0", people) / error(panels, *one, "M2", people)
        for one in _settings(100_000)
        for people in ONE_WAY_PEOPLE
    ]
    return min(ratios) > 1, f"M0's error is {span(ratios)} times M2's"


def _m3_is_worse_in_the_middle(panels: Panels) -> tuple[bool, str]:
    ratios = [error(panels, *one, "M3") / error(panels, *one, "M2") for one in _settings(100_000)]
    return min(ratios) > 1, f"M3's error is {span(ratios)} times M2's"


def _million_is_like_ten_thousand(panels: Panels) -> tuple[bool, str]:
    def order(at: int, inverse: int, people: int, names: tuple[str, ...]) -> list[str]:
        return sorted(names, key=lambda name: error(panels, at, inverse, name, people))

    def alike(*names: str) -> int:
        pairs = zip(ONE_WAY[10_000][1], ONE_WAY[1_000_000][1], strict=True)
        same = [order(10_000, a, n, names) == order(1_000_000, b, n, names) for a, b in pairs for n in ONE_WAY_PEOPLE]
        return sum(same)

    cases, without = 3 * len(ONE_WAY_PEOPLE), alike("LDP", "M2", "M3")
    return without == cases, (
        f"LDP, M2 and M3 come in the same order in {without} of {cases} pairs of ε and n; with M0, whose bias is "
        f"smaller here, in {alike('LDP', 'M0', 'M2', 'M3')}"
    )


def _always_better(panels: Panels) -> tuple[bool, str]:
    gains = {one: error(panels, *one, "M2") / error(panels, *one, "M3") for one in _settings(*ONE_WAY)}
    worse = [
        f"{1 / gain:.2g} times worse at T = {at:,}, 1/ε = {inverse:,}"
        for (at, inverse), gain in gains.items()
        if gain < 1
    ]
    return not worse, "; ".join(worse) or f"{span(list(gains.values()))} times better"


CLAIMS = [
    Claim(
        "one-way",
        "1.1",
        "Smooth sensitivity is at most the Lipschitz constant, so M3 is always better than M2.",
        _always_better,
        "B* ≤ K is right, but Student-t noise pays for the growth of the scale: a third of ε, and the variance 3.",
    ),
    Claim("one-way", "5", "For T = 10,000 and 500,000 M3 has a clear advantage over M2.", _m3_beats_m2),
    Claim("one-way", "5", "There M0 performs well for large ε.", _m0_is_good_for_large_epsilon),
    Claim(
        "one-way", "5", "There M0's error does not benefit from larger samples, because of its bias.", _m0_does_not_fall
    ),
    Claim("one-way", "5", "The errors of M0, M3 and LDP fall as ε grows.", _errors_fall_with_epsilon),
    Claim(
        "one-way",
        "5",
        "M2's error falls too; it is not obvious only because ε grows no more than 2.5 times.",
        _m2_falls_with_epsilon,
        "Where τ = 2/ε the scale K/ε is 1/2 for every ε, so the error cannot change.",
    ),
    Claim("one-way", "5", "From the smallest to the largest ε M3 gains an order of magnitude.", _order_of_magnitude),
    Claim("one-way", "C.1", "For T = 100,000 M0 does not perform well, even for large ε.", _m0_is_bad_in_the_middle),
    Claim("one-way", "C.1", "There M3 is worse than M2 by a constant factor.", _m3_is_worse_in_the_middle),
    Claim("one-way", "C.1", "T = 1,000,000 looks like T = 10,000.", _million_is_like_ten_thousand),
]
