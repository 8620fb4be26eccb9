"""Checks of the promise: analytic (from densities) and black-box (from samples)."""

from geopriv.auditing.analytic import Audit, audit
from geopriv.auditing.black_box import BlackBoxAudit, audit_black_box
from geopriv.auditing.designs import DesignAudit, audit_design

__all__ = ["Audit", "BlackBoxAudit", "DesignAudit", "audit", "audit_black_box", "audit_design"]
