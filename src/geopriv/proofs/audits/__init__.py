"""Checks of the promise: analytic (from densities) and black-box (from samples)."""

from geopriv.proofs.audits.analytic import Audit, audit
from geopriv.proofs.audits.black_box import BlackBoxAudit, audit_black_box

__all__ = ["Audit", "BlackBoxAudit", "audit", "audit_black_box"]
