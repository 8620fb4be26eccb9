"""Policies of devices for the tests: whatever is asked is allowed, at once, unless a test says otherwise."""

from __future__ import annotations

from typing import Any

from geopriv.device.policy import Policy


def allowed(**changes: Any) -> Policy:
    return Policy(**{"unit": None, "most_epsilon": 1e6, "total": 1e6, "trust": True, "after": 0.0} | changes)


def arguments_of(policy: Policy) -> list[str]:
    """The policy as the command line takes it."""
    known = ["--trust-this-file"] if policy.trust else ["--hash", str(policy.hash)]
    numbers = ("--most-epsilon", policy.most_epsilon), ("--total", policy.total), ("--after", policy.after)
    words = [word for name, value in numbers for word in (name, repr(float(value)))]
    return [*known, "--unit", policy.unit or "", *words, *(["--degrees"] if policy.degrees else [])]
