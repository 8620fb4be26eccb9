"""geopriv: measure a population without learning about its people.

Names are imported when they are first used, so that `import geopriv` is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from geopriv.answers.answers import Answer as Answer
    from geopriv.answers.answers import Answers as Answers
    from geopriv.answers.answers import Band as Band
    from geopriv.answers.estimate import estimate as estimate
    from geopriv.answers.estimates import Estimate as Estimate
    from geopriv.answers.estimates import Estimates as Estimates
    from geopriv.errors import BudgetExhausted as BudgetExhausted
    from geopriv.errors import GeoprivError as GeoprivError
    from geopriv.errors import InvalidDesign as InvalidDesign
    from geopriv.errors import InvalidParameter as InvalidParameter
    from geopriv.errors import OutOfDomain as OutOfDomain
    from geopriv.errors import ReportRejected as ReportRejected
    from geopriv.errors import Unavailable as Unavailable
    from geopriv.mechanisms import CoordinateLaplace as CoordinateLaplace
    from geopriv.mechanisms import InputLaplace as InputLaplace
    from geopriv.mechanisms import Lattice as Lattice
    from geopriv.mechanisms import LeastScaleT as LeastScaleT
    from geopriv.mechanisms import LipschitzLaplace as LipschitzLaplace
    from geopriv.mechanisms import LocalLaplace as LocalLaplace
    from geopriv.mechanisms import Mechanism as Mechanism
    from geopriv.mechanisms import Simulated as Simulated
    from geopriv.mechanisms import SmoothCauchy as SmoothCauchy
    from geopriv.mechanisms import SmoothLaplace as SmoothLaplace
    from geopriv.mechanisms import SmoothT as SmoothT
    from geopriv.mechanisms import Table as Table
    from geopriv.mechanisms import VectorSmoothCauchy as VectorSmoothCauchy
    from geopriv.mechanisms.guarantee import Guarantee as Guarantee
    from geopriv.mechanisms.guarantee import compose as compose
    from geopriv.mechanisms.guarantee import partition as partition
    from geopriv.mechanisms.reports import Reports as Reports
    from geopriv.mechanisms.sensitivity import ExponentialGrowth as ExponentialGrowth
    from geopriv.mechanisms.sensitivity import LinearGrowth as LinearGrowth
    from geopriv.mechanisms.sensitivity import hamming_smooth_sensitivity as hamming_smooth_sensitivity
    from geopriv.mechanisms.sensitivity import pointwise_lipschitz as pointwise_lipschitz
    from geopriv.mechanisms.sensitivity import smooth_sensitivity as smooth_sensitivity
    from geopriv.noise import GeneralizedCauchy as GeneralizedCauchy
    from geopriv.noise import Laplace as Laplace
    from geopriv.noise import PlanarLaplace as PlanarLaplace
    from geopriv.noise import SphericalLaplace as SphericalLaplace
    from geopriv.noise import StudentT as StudentT
    from geopriv.pages import page_html as page_html
    from geopriv.proofs.audits import Audit as Audit
    from geopriv.proofs.audits import BlackBoxAudit as BlackBoxAudit
    from geopriv.proofs.audits import audit_black_box as audit_black_box
    from geopriv.proofs.floors import efficiency as efficiency
    from geopriv.proofs.floors import lower_bound as lower_bound
    from geopriv.proofs.floors import lower_bound_many as lower_bound_many
    from geopriv.queries import Ball as Ball
    from geopriv.queries import Blurred as Blurred
    from geopriv.queries import GaussianKernel as GaussianKernel
    from geopriv.queries import Geofence as Geofence
    from geopriv.queries import LinearQuery as LinearQuery
    from geopriv.queries import LipschitzQuery as LipschitzQuery
    from geopriv.queries import Orthant as Orthant
    from geopriv.queries import Query as Query
    from geopriv.queries import RadialQuery as RadialQuery
    from geopriv.queries import Range as Range
    from geopriv.queries import Score as Score
    from geopriv.queries import Threshold as Threshold
    from geopriv.queries.priors import Prior as Prior
    from geopriv.queries.questions import DensityMap as DensityMap
    from geopriv.queries.questions import Distribution as Distribution
    from geopriv.queries.questions import Question as Question
    from geopriv.queries.questions import Share as Share
    from geopriv.queries.source import Source as Source
    from geopriv.reports.drawing import Privatized as Privatized
    from geopriv.reports.engines.duckdb.sql import Sql as Sql
    from geopriv.reports.files import ReportBatch as ReportBatch
    from geopriv.reports.files import write_reports as write_reports
    from geopriv.reports.reader import ReportReader as ReportReader
    from geopriv.reports.reader import read_reports as read_reports
    from geopriv.reports.tallies import Tally as Tally
    from geopriv.reports.verbs import privatize as privatize
    from geopriv.reports.verbs import tally as tally
    from geopriv.shapes.profiles import Custom as Custom
    from geopriv.shapes.profiles import Gaussian as Gaussian
    from geopriv.shapes.profiles import Identity as Identity
    from geopriv.shapes.profiles import PiecewiseLinear as PiecewiseLinear
    from geopriv.shapes.profiles import Profile as Profile
    from geopriv.shapes.profiles import Ramp as Ramp
    from geopriv.shapes.profiles import Smoothstep as Smoothstep
    from geopriv.shapes.profiles import Trapezoid as Trapezoid
    from geopriv.shapes.profiles import Triangle as Triangle
    from geopriv.spaces import Earth as Earth
    from geopriv.spaces import Euclidean as Euclidean
    from geopriv.spaces import Line as Line
    from geopriv.spaces import LocalPlane as LocalPlane
    from geopriv.spaces import LogLine as LogLine
    from geopriv.spaces import Plane as Plane
    from geopriv.spaces import Space as Space
    from geopriv.surveys import Survey as Survey
    from geopriv.surveys.audits import DesignAudit as DesignAudit
    from geopriv.surveys.audits import audit as audit
    from geopriv.surveys.design import Design as Design
    from geopriv.surveys.planning import Option as Option
    from geopriv.surveys.planning import Plan as Plan
    from geopriv.surveys.planning import SurveyPlan as SurveyPlan
    from geopriv.surveys.planning import plan as plan

__version__ = "0.1.0"

_HOME = {
    "answers.answers": ("Answer", "Answers", "Band"),
    "proofs.audits": ("Audit", "BlackBoxAudit", "audit_black_box"),
    "surveys.audits": ("DesignAudit", "audit"),
    "proofs.floors": ("efficiency", "lower_bound", "lower_bound_many"),
    "surveys.design": ("Design",),
    "answers.estimate": ("estimate",),
    "answers.estimates": ("Estimate", "Estimates"),
    "reports.engines.duckdb.sql": ("Sql",),
    "errors": (
        "BudgetExhausted",
        "GeoprivError",
        "InvalidDesign",
        "InvalidParameter",
        "OutOfDomain",
        "ReportRejected",
        "Unavailable",
    ),
    "mechanisms": (
        "CoordinateLaplace",
        "InputLaplace",
        "Lattice",
        "LeastScaleT",
        "LipschitzLaplace",
        "LocalLaplace",
        "Mechanism",
        "Simulated",
        "SmoothCauchy",
        "SmoothLaplace",
        "SmoothT",
        "Table",
        "VectorSmoothCauchy",
    ),
    "noise": ("GeneralizedCauchy", "Laplace", "PlanarLaplace", "SphericalLaplace", "StudentT"),
    "pages": ("page_html",),
    "surveys.planning": ("Option", "Plan", "SurveyPlan", "plan"),
    "queries.priors": ("Prior",),
    "mechanisms.guarantee": ("Guarantee", "compose", "partition"),
    "reports.drawing": ("Privatized",),
    "shapes.profiles": (
        "Custom",
        "Gaussian",
        "Identity",
        "PiecewiseLinear",
        "Profile",
        "Ramp",
        "Smoothstep",
        "Trapezoid",
        "Triangle",
    ),
    "queries": (
        "Ball",
        "Blurred",
        "GaussianKernel",
        "Geofence",
        "Score",
        "LinearQuery",
        "LipschitzQuery",
        "Orthant",
        "Query",
        "RadialQuery",
        "Range",
        "Threshold",
    ),
    "queries.questions": ("Distribution", "DensityMap", "Question", "Share"),
    "reports.reader": ("ReportReader", "read_reports"),
    "reports.files": ("ReportBatch", "write_reports"),
    "mechanisms.reports": ("Reports",),
    "mechanisms.sensitivity": (
        "ExponentialGrowth",
        "LinearGrowth",
        "hamming_smooth_sensitivity",
        "pointwise_lipschitz",
        "smooth_sensitivity",
    ),
    "queries.source": ("Source",),
    "spaces": ("Earth", "Euclidean", "Line", "LocalPlane", "LogLine", "Plane", "Space"),
    "surveys": ("Survey",),
    "reports.tallies": ("Tally",),
    "reports.verbs": ("privatize", "tally"),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = sorted(_MODULE_OF)  # noqa: PLE0605 # one list of names, not two


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        value = getattr(importlib.import_module(f"geopriv.{_MODULE_OF[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'geopriv' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_MODULE_OF]
