"""What the paper says about two-way thresholds (section 5)."""

from __future__ import annotations

from geopriv_paper.claims.claim import Claim, Panels
from geopriv_paper.claims.grids import (
    best_everywhere,
    errors,
    falls,
    listed,
    most_prominent,
    one_budget,
    pick,
)

_MIDDLE, _PEOPLE, _FEW, _MANY = 12_000, 1_600_000, 400_000, 6_400_000


def _with_epsilon(panels: Panels) -> dict[str, float]:
    return falls(pick(panels, inverse_rate=20_000, people=_PEOPLE), pick(panels, inverse_rate=8_000, people=_PEOPLE))


def _with_people(panels: Panels) -> dict[str, float]:
    return falls(pick(panels, inverse_rate=_MIDDLE, people=_FEW), pick(panels, inverse_rate=_MIDDLE, people=_MANY))


def _all_fall_with_epsilon(panels: Panels) -> tuple[bool, str]:
    gains = _with_epsilon(panels)
    return min(gains.values()) > 1, f"from ε = 1/20,000 to 1/8,000 by factors: {listed(gains)}"


def _most_for_m0_and_m3(panels: Panels) -> tuple[bool, str]:
    gains = _with_epsilon(panels)
    return most_prominent(gains), listed(gains)


def _unbiased_fall_with_people(panels: Panels) -> tuple[bool, str]:
    gains = _with_people(panels)
    both = {name: gains[name] for name in ("M2", "M3")}
    return min(both.values()) > 1, f"with 16 times the people by factors: {listed(both)}"


def _nearly_the_soft_threshold(panels: Panels) -> tuple[bool, str]:
    panel = pick(panels, inverse_rate=_MIDDLE, people=_MANY)
    soft = panel["expected"]["f_tau"]["error"]
    ratios = {name: errors(panel)[name] / soft for name in ("M2", "M3")}
    near = max(ratios.values()) < 1.25
    return near, f"errors over that of f_τ at n = {_MANY:,}: {listed(ratios)}; within a quarter is near"


def _m0_does_not_fall(panels: Panels) -> tuple[bool, str]:
    gain = _with_people(panels)["M0"]
    return gain < 1.1, f"with 16 times the people M0's error falls by {100 * (1 - 1 / gain):.2g} %"


def _m0_rises(panels: Panels) -> tuple[bool, str]:
    gain = _with_people(panels)["M0"]
    return (
        gain < 1,
        f"M0's expected error is {gain:.4f} times larger with fewer people; its bias is the same for every n",
    )


CLAIMS = [
    Claim("two-way", "5", "All errors fall as ε grows.", _all_fall_with_epsilon),
    Claim("two-way", "5", "The reduction is more prominent in M0 and M3.", _most_for_m0_and_m3),
    Claim("two-way", "5", "The errors of M2 and M3 fall with n.", _unbiased_fall_with_people),
    Claim("two-way", "5", "They nearly converge to that of the non-private f_τ.", _nearly_the_soft_threshold),
    Claim("two-way", "5", "M0 does not benefit from a larger n.", _m0_does_not_fall),
    Claim(
        "two-way",
        "5",
        "M0's error seems to increase with n, because its bias increases.",
        _m0_rises,
        "A bias is the mean over people of what does not depend on n.",
    ),
    Claim(
        "two-way", "5", "Overall M3 performs best over the entire set of queries.", lambda p: best_everywhere(p, "M3")
    ),
    Claim(
        "two-way",
        "5",
        "These are the errors of an ε-GP survey.",
        one_budget,
        "E10: each of the pairs is a release of its own.",
    ),
]
