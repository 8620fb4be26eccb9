"""What can go wrong, by name. No message ever carries a private value."""

from __future__ import annotations


class GeoprivError(Exception):
    """The parent of every error that geopriv raises on purpose."""


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
