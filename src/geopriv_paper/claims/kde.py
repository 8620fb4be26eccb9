"""What the paper says about Gaussian kernel density estimation (section 5 and appendix C.2)."""

from __future__ import annotations

from geopriv_paper.claims.claim import Claim, Panels
from geopriv_paper.claims.grids import (
    best_everywhere,
    falls,
    listed,
    most_prominent,
    one_budget,
    pick,
)

_MIDDLE, _PEOPLE = 1_000, 200_000


def _with_epsilon(panels: Panels) -> dict[str, float]:
    return falls(
        pick(panels, inverse_rate=2_000, factor=1.0, people=_PEOPLE),
        pick(panels, inverse_rate=500, factor=1.0, people=_PEOPLE),
    )


def _with_bandwidth(panels: Panels) -> dict[str, float]:
    return falls(
        pick(panels, inverse_rate=_MIDDLE, factor=0.8, people=_PEOPLE),
        pick(panels, inverse_rate=_MIDDLE, factor=1.2, people=_PEOPLE),
    )


def _with_people(panels: Panels) -> dict[str, float]:
    return falls(
        pick(panels, inverse_rate=_MIDDLE, factor=1.0, people=100_000),
        pick(panels, inverse_rate=_MIDDLE, factor=1.0, people=400_000),
    )


def _all_fall_with_epsilon(panels: Panels) -> tuple[bool, str]:
    gains = _with_epsilon(panels)
    return min(gains.values()) > 1, f"from ε = 1/2,000 to 1/500 by factors: {listed(gains)}"


def _most_for_m0_and_m3(panels: Panels) -> tuple[bool, str]:
    gains = _with_epsilon(panels)
    return most_prominent(gains), listed(gains)


def _unbiased_fall_with_bandwidth(panels: Panels) -> tuple[bool, str]:
    both = {name: gain for name, gain in _with_bandwidth(panels).items() if name in ("M2", "M3")}
    return min(both.values()) > 1, f"from h = 0.8w to 1.2w by factors: {listed(both)}"


def _biased_rise_with_bandwidth(panels: Panels) -> tuple[bool, str]:
    both = {name: 1 / gain for name, gain in _with_bandwidth(panels).items() if name in ("M0", "M1")}
    return min(both.values()) > 1, f"from h = 0.8w to 1.2w errors grow by factors: {listed(both)}"


def _unbiased_fall_with_people(panels: Panels) -> tuple[bool, str]:
    both = {name: gain for name, gain in _with_people(panels).items() if name in ("M2", "M3")}
    return min(both.values()) > 1, f"with 4 times the people by factors: {listed(both)}"


def _biased_do_not_fall(panels: Panels) -> tuple[bool, str]:
    both = {name: gain for name, gain in _with_people(panels).items() if name in ("M0", "M1")}
    return max(both.values()) < 1.1, f"with 4 times the people by factors: {listed(both)}"


CLAIMS = [
    Claim("kde", "5", "All errors fall as ε grows.", _all_fall_with_epsilon),
    Claim("kde", "5", "The reduction is most prominent for M0 and M3.", _most_for_m0_and_m3),
    Claim("kde", "5", "The errors of M2 and M3 are smaller for larger h.", _unbiased_fall_with_bandwidth),
    Claim("kde", "5, C.2", "Those of M0 and M1 are smaller for smaller h.", _biased_rise_with_bandwidth),
    Claim("kde", "5", "M2 and M3 benefit from a larger n.", _unbiased_fall_with_people),
    Claim("kde", "5", "M0 and M1 do not, as bias dominates their errors.", _biased_do_not_fall),
    Claim("kde", "5", "Overall M3 has the best performance.", lambda p: best_everywhere(p, "M3")),
    Claim(
        "kde",
        "5",
        "These are the errors of an ε-GP survey.",
        one_budget,
        "E10: each pixel is a release of its own. One report of the input answers them all for ε.",
    ),
]
