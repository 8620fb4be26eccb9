"""What can go wrong, by name. No message ever carries a private value."""

from __future__ import annotations

from typing import Self

_QUOTED = 300  # characters of a value that an error shows


class GeoprivError(Exception):
    """The parent of every error that geopriv raises on purpose.

    Attributes:
        owner: what a parameter belongs to; empty where the error is about something else.
        parameter: that breaks a rule.
        rule: what it must be.
        value: what was given, as it is written in Python, cut short. It is public, as everything an error says.
    """

    owner = ""
    parameter = ""
    rule = ""
    value = ""

    @classmethod
    def of(cls, owner: str, parameter: str, rule: str, value: object) -> Self:
        """The error for a public parameter that breaks a rule.

        >>> error = InvalidParameter.of("Threshold", "width", "a positive finite number", -1)
        >>> print(error)
        The 'width' parameter of Threshold must be a positive finite number. Got -1 instead.
        >>> error.parameter, error.value
        ('width', '-1')
        """
        got = repr(value)
        got = got if len(got) <= _QUOTED else f"{got[:_QUOTED]}…"
        error = cls(f"The '{parameter}' parameter of {owner} must be {rule}. Got {got} instead.")
        error.owner, error.parameter, error.rule, error.value = owner, parameter, rule, got
        return error


class InvalidParameter(GeoprivError, ValueError):
    """A public parameter breaks a rule; the message names the parameter, the rule and the value."""


class OutOfDomain(GeoprivError, ValueError):
    """A private value cannot be read in its space; the message names the rule and never the value."""


class InvalidDesign(GeoprivError, ValueError):
    """A document of a design is malformed, or the design in it does not keep its promise."""


class ReportRejected(GeoprivError, ValueError):
    """A report cannot have come from the mechanism it is said to come from."""


class BudgetExhausted(GeoprivError):
    """A person may not answer: they have, by another design, or it would cost more than they may spend."""


class Unavailable(GeoprivError, RuntimeError):
    """Something that must be installed is not; the message says how to get it."""


class Refused(GeoprivError):
    """A design keeps its promise, and the policy of the device does not let it ask."""
