"""Checks of the promise: analytic (from densities) and black-box (from samples)."""

from geopriv.proofs.audits.analytic import Audit, audit_mechanism
from geopriv.proofs.audits.black_box import BlackBoxAudit, audit_black_box

__all__ = ["Audit", "BlackBoxAudit", "audit_black_box", "audit_mechanism"]
