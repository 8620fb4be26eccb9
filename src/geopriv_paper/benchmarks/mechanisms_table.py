"""Tables for the terminal."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table

from geopriv.mechanisms.guarantee import Guarantee
from geopriv_paper.benchmarks.mechanisms import Comparison


def print_comparison(console: Console, found: Comparison) -> None:
    """The comparison as a table, the truth first."""
    promise = Guarantee(found.epsilon, unit="USD")
    console.print(
        f"Share of households above {found.query.at:,.0f} USD (soft over {found.query.width:,.0f}), "
        f"{found.people:,} synthetic people.\nPromise: {promise}.\n"
        f"Truth: [bold]{100 * found.truth:.3f} %[/bold]. "
        "Estimates are in %; predicted and true error and bias in percentage points.\n"
        "Efficiency (eff.): a variance below which no unbiased report can be, as a share of this one's.",
        highlight=False,
    )
    wide = console.width >= 120
    table = Table(header_style="bold", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, int(wide)))
    for name in ("mechanism", "estimate", "95 % interval", "predicted", "true", "bias", "eff."):
        table.add_column(name, justify="left" if name == "mechanism" else "right", no_wrap=True)
    if wide:
        table.add_column("what it is")
    for outcome in found.outcomes:
        answer = outcome.estimate
        table.add_row(
            outcome.name,
            f"{100 * answer.value:.3f}",
            f"{100 * answer.low:.2f}…{100 * answer.high:.2f}",
            f"{100 * outcome.predicted_error:.3f}",
            f"{100 * outcome.error:+.3f}",
            "none" if answer.unbiased else f"{100 * outcome.bias:+.3f}",
            "–" if outcome.efficiency is None else f"{100 * outcome.efficiency:.0f} %",
            *([outcome.note] if wide else []),
        )
    console.print(table)
    if not wide:
        for outcome in found.outcomes:
            console.print(f"  {outcome.name}: {outcome.note}", highlight=False)
