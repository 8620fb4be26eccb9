"""Counts in the text format of Prometheus: of the survey from the database, of this process from memory."""

from __future__ import annotations

from geopriv.collector.receiver import Receiver
from geopriv.collector.store import Store


def metrics_text(store: Store, receiver: Receiver) -> str:
    """The counts, each with what it is."""
    total, spent = store.invitations()
    rejected = store.rejected()
    families = [
        ("geopriv_reports", "gauge", "Reports of the survey.", {"": store.counted()}),
        ("geopriv_tokens", "gauge", "Invitations that were issued.", {"": total}),
        ("geopriv_tokens_spent", "gauge", "Invitations that were used.", {"": spent}),
        (
            "geopriv_rejected",
            "gauge",
            "Rejected reports of the survey.",
            {_label("reason", k): n for k, n in rejected.items()},
        ),
        (
            "geopriv_answers_total",
            "counter",
            "Verdicts of this process since its start.",
            {_label("verdict", verdict.words): times for verdict, times in receiver.verdicts.items()},
        ),
    ]
    return "".join(_family(*family) for family in families)


def _family(name: str, kind: str, about: str, samples: dict[str, int]) -> str:
    lines = [f"{name}{label} {number}\n" for label, number in sorted(samples.items())]
    return f"# HELP {name} {about}\n# TYPE {name} {kind}\n{''.join(lines)}"


def _label(name: str, value: str) -> str:
    return f'{{{name}="{value}"}}'
