"""What the paper says about the approaches in general (section 1 and Table 1)."""

from __future__ import annotations

from geopriv_paper.claims.claim import (
    Claim,
    Panels,
    few_digits,
    span,
)

_UNBIASED = ("LDP", "M2", "M3")


def _promises_are_kept(panels: Panels) -> tuple[bool, str]:
    ratios = {
        f"{name} ({panel})": panels[panel]["rows"][name]
        for panel in ("threshold", "kernel")
        for name in ("LDP", "M0", "M2", "M3")
    }
    worst = ", ".join(f"{name} {row['audited']:.3f}" for name, row in ratios.items())
    return all(row["passed"] for row in ratios.values()), f"worst loss over what is promised: {worst}"


def _a_priori_is_biased(panels: Panels) -> tuple[bool, str]:
    rows = {panel: panels[panel]["rows"] for panel in ("threshold", "kernel")}
    biased = all(abs(one["M0"]["bias"]) > 1e-6 for one in rows.values())
    exact = all(abs(one[name]["bias"]) < 1e-12 for one in rows.values() for name in _UNBIASED)
    words = ", ".join(f"{100 * one['M0']['bias']:+.2f} points ({panel})" for panel, one in rows.items())
    return biased and exact, f"M0 is off by {words}; LDP, M2 and M3 by 0"


def _bias_cannot_be_removed(panels: Panels) -> tuple[bool, str]:
    rows = panels["kernel"]["rows"]
    plain, undone = rows["M0"]["largest_bias"], rows["InputLaplace"]["largest_bias"]
    return undone >= 1e-9, (
        f"one person's bias with the same noise on a kernel: up to {plain:.2f} plain, {few_digits(undone, 1)} when it "
        "is undone"
    )


def _variance_of_m0(panels: Panels) -> tuple[bool, str]:
    rows = {panel: panels[panel]["rows"]["M0"] for panel in ("threshold", "kernel")}
    ratios = {panel: row["variance"] / row["entry"] for panel, row in rows.items()}
    words = ", ".join(f"{ratio:.1f} times the entry ({panel})" for panel, ratio in ratios.items())
    return all(0.5 < ratio < 2 for ratio in ratios.values()), f"n times the variance is {words}"


def _other_variances(panels: Panels) -> tuple[bool, str]:
    ratios = {
        name: [
            panels[panel]["rows"][name]["variance"] / panels[panel]["rows"][name]["entry"]
            for panel in ("threshold", "kernel")
        ]
        for name in _UNBIASED
    }
    words = ", ".join(f"{name} {values[0]:.2f} and {values[1]:.2f}" for name, values in ratios.items())
    return all(abs(a / b - 1) < 0.01 for a, b in ratios.values()), f"times the entry, threshold and kernel: {words}"


def _signs(panels: Panels) -> tuple[bool, str]:
    rows = panels["kernel"]["rows"]
    plain, distance = rows["M0"]["bias"], rows["M1"]["bias"]
    return plain < 0 < distance, f"at the kernel of Table 1 {100 * plain:+.2f} and {100 * distance:+.2f} points"


def _lemma_is_a_smooth_bound(panels: Panels) -> tuple[bool, str]:
    scales = panels["lemma"]["scales"]
    least, slope = min(one["least"] for one in scales), max(one["slope"] for one in scales)
    return least >= 1 - 1e-9 and slope <= 1 + 1e-6, (
        f"down to {least:.3f} of the smooth sensitivity, and ln B changes by up to {slope:.2f}·γ per distance"
    )


def _kernel_scale_is_private(panels: Panels) -> tuple[bool, str]:
    scales = panels["lemma"]["scales"]
    losses = [loss for one in scales for loss in one["losses"]]
    jumps = " to ".join(f"{100 * (jump - 1):.0f} %" for jump in scales[0]["jumps"])
    return max(losses) <= 1, (
        f"with a scale that jumps by {jumps} the loss over {scales[0]['step']:.0f} m is {span(losses, 2)} times the "
        f"promise; with the smooth sensitivity used here the worst is {span([one['audited'] for one in scales], 2)} "
        "of it"
    )


CLAIMS = [
    Claim("table1", "1, Table 1", "LDP promises ε, the other approaches ε·dist.", _promises_are_kept),
    Claim(
        "table1",
        "1, Table 1",
        "Noise a priori is biased for nonlinear f; the other approaches are not.",
        _a_priori_is_biased,
    ),
    Claim(
        "table1",
        "1",
        "Since the bias depends on the private x, it cannot be removed.",
        _bias_cannot_be_removed,
        "E7: for smooth f it can, without knowing x (theory T6).",
    ),
    Claim(
        "table1",
        "1, Table 1",
        "The variance of noise a priori is the mean square of each person's bias, over n.",
        _variance_of_m0,
        "That is not its variance: most of it is the noise itself.",
    ),
    Claim(
        "table1",
        "1, Table 1",
        "The variances of LDP, M2 and M3 are Δ²/ε², K²/ε² and the mean of B*²/ε², over n, up to constants.",
        _other_variances,
        "The constants are 2 for Laplace noise and 9 for M3 (ν = 3, a third of ε for γ).",
    ),
    Claim("table1", "C.2", "For the kernel M0 is negatively and M1 positively biased.", _signs),
    Claim(
        "table1",
        "4.3",
        "The lemma's B* for the Gaussian kernel is its smooth sensitivity.",
        _lemma_is_a_smooth_bound,
        "E3: one of its cases differentiates at a fixed point after it has substituted the condition that moves it.",
    ),
    Claim(
        "table1",
        "5",
        "The errors shown for M3 on the map are those of an ε-GP mechanism.",
        _kernel_scale_is_private,
        "E8: the published experiments take a wrong root at some distances, so their scale jumps by 5 to 15 %. What "
        "the map shows for M3 here is with the right scale.",
    ),
]
