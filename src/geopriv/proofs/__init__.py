"""Does a promise hold (audits), and how far is a mechanism from the best possible (floors)?"""

from geopriv.proofs.audits import Audit, BlackBoxAudit, audit_black_box, audit_mechanism
from geopriv.proofs.floors import efficiency, lower_bound, lower_bound_many

__all__ = [
    "Audit",
    "BlackBoxAudit",
    "audit_black_box",
    "audit_mechanism",
    "efficiency",
    "lower_bound",
    "lower_bound_many",
]
