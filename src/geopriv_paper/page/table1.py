"""The part of the page about Table 1."""

from __future__ import annotations

from typing import Any

from geopriv_paper.claims.claim import Panels
from geopriv_paper.page.markdown import capital, paragraph, table


def part(panels: Panels, changes: list[dict[str, Any]]) -> list[str]:
    """One table for each query."""
    lines = []
    measured = [result for result in panels.values() if "rows" in result]
    for result in measured:
        rows = [
            [
                name,
                row["promise"],
                f"{row['audited']:.3f}",
                f"{row['seen']:.2f}",
                "0" if abs(row["bias"]) < 1e-12 else f"{row['bias']:+.2e}",
                "0" if row["largest_bias"] < 1e-12 else f"{row['largest_bias']:.2e}",
                f"{row['variance']:.4f}",
                "–" if row["entry"] is None else f"{row['entry']:.4f}",
            ]
            for name, row in result["rows"].items()
        ]
        head = ["", "promise", "audited", "seen", "bias", "largest", "variance", "paper's entry"]
        lines += [f"{capital(result['query'])}. {capital(result['source'])}.", ""]
        lines += [*table(head, rows, "llrrrrrr"), ""]
    samples = measured[0]["samples"]
    return [
        *lines,
        *paragraph(
            "*Promise*: the largest privacy loss between two values. *Audited*: the worst loss found over the "
            f"promised one, from densities. *Seen*: the part of it that {samples:,} samples from each of two values "
            "prove with 99 % confidence. *Bias*: of the mean over people; *largest*: of one person. *Variance*: of "
            "one report, averaged over people; the mean of n reports has 1/n of it. *Paper's entry*: the variance "
            "that its Table 1 gives, up to a constant."
        ),
    ]
