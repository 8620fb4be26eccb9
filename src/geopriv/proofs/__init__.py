"""Does a promise hold (audits), and how far is a mechanism from the best possible (floors)?"""

from geopriv.proofs.audits import Audit, BlackBoxAudit, audit_black_box, audit_mechanism
from geopriv.proofs.floors import (
    efficiency,
    least_variance,
    least_whole_variance,
    lower_bound,
    lower_bound_many,
    whole_efficiency,
)

__all__ = [
    "Audit",
    "BlackBoxAudit",
    "audit_black_box",
    "audit_mechanism",
    "efficiency",
    "least_variance",
    "least_whole_variance",
    "lower_bound",
    "lower_bound_many",
    "whole_efficiency",
]
