"""geopriv: measure a population without learning about its people.

Names are imported when they are first used, so that `import geopriv` is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from geopriv.answers import Answer as Answer
    from geopriv.answers import Answers as Answers
    from geopriv.answers import Band as Band
    from geopriv.answers import load_answers as load_answers
    from geopriv.auditing import Audit as Audit
    from geopriv.auditing import BlackBoxAudit as BlackBoxAudit
    from geopriv.auditing import DesignAudit as DesignAudit
    from geopriv.auditing import audit as audit
    from geopriv.auditing import audit_black_box as audit_black_box
    from geopriv.auditing import audit_design as audit_design
    from geopriv.bounds import efficiency as efficiency
    from geopriv.bounds import lower_bound as lower_bound
    from geopriv.bounds import lower_bound_many as lower_bound_many
    from geopriv.curves import estimate_cdf as estimate_cdf
    from geopriv.design import Design as Design
    from geopriv.design import load_design as load_design
    from geopriv.documents import from_document as from_document
    from geopriv.documents import to_document as to_document
    from geopriv.engines import Sql as Sql
    from geopriv.engines.duckdb_tally import tally_sql as tally_sql
    from geopriv.errors import BudgetExhausted as BudgetExhausted
    from geopriv.errors import GeoprivError as GeoprivError
    from geopriv.errors import InvalidDesign as InvalidDesign
    from geopriv.errors import InvalidParameter as InvalidParameter
    from geopriv.errors import OutOfDomain as OutOfDomain
    from geopriv.errors import ReportRejected as ReportRejected
    from geopriv.errors import Unavailable as Unavailable
    from geopriv.estimation import Estimate as Estimate
    from geopriv.estimation import Estimates as Estimates
    from geopriv.estimation import estimate as estimate
    from geopriv.lattice_maps import lattice_corner_map as lattice_corner_map
    from geopriv.lattice_maps import lattice_estimates as lattice_estimates
    from geopriv.lattice_maps import lattice_kernel_map as lattice_kernel_map
    from geopriv.maps import estimate_map as estimate_map
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
    from geopriv.noise import GeneralizedCauchy as GeneralizedCauchy
    from geopriv.noise import Laplace as Laplace
    from geopriv.noise import PlanarLaplace as PlanarLaplace
    from geopriv.noise import SphericalLaplace as SphericalLaplace
    from geopriv.noise import StudentT as StudentT
    from geopriv.pages import page_html as page_html
    from geopriv.pages import write_page as write_page
    from geopriv.planning import Option as Option
    from geopriv.planning import Plan as Plan
    from geopriv.planning import SurveyPlan as SurveyPlan
    from geopriv.planning import epsilon_needed as epsilon_needed
    from geopriv.planning import people_needed as people_needed
    from geopriv.planning import plan as plan
    from geopriv.priors import Prior as Prior
    from geopriv.privacy import Guarantee as Guarantee
    from geopriv.privacy import compose as compose
    from geopriv.privacy import partition as partition
    from geopriv.privatization import Privatized as Privatized
    from geopriv.privatization import privatize as privatize
    from geopriv.profiles import Custom as Custom
    from geopriv.profiles import Gaussian as Gaussian
    from geopriv.profiles import Identity as Identity
    from geopriv.profiles import PiecewiseLinear as PiecewiseLinear
    from geopriv.profiles import Profile as Profile
    from geopriv.profiles import Ramp as Ramp
    from geopriv.profiles import Smoothstep as Smoothstep
    from geopriv.profiles import Trapezoid as Trapezoid
    from geopriv.profiles import Triangle as Triangle
    from geopriv.queries import Ball as Ball
    from geopriv.queries import Blurred as Blurred
    from geopriv.queries import GaussianKernel as GaussianKernel
    from geopriv.queries import Geofence as Geofence
    from geopriv.queries import HalfSpace as HalfSpace
    from geopriv.queries import LinearQuery as LinearQuery
    from geopriv.queries import LipschitzQuery as LipschitzQuery
    from geopriv.queries import Orthant as Orthant
    from geopriv.queries import Query as Query
    from geopriv.queries import RadialQuery as RadialQuery
    from geopriv.queries import Range as Range
    from geopriv.queries import Threshold as Threshold
    from geopriv.questions import Curve as Curve
    from geopriv.questions import KernelMap as KernelMap
    from geopriv.questions import Question as Question
    from geopriv.questions import Share as Share
    from geopriv.received import ReportReader as ReportReader
    from geopriv.received import read_reports as read_reports
    from geopriv.reports import ReportBatch as ReportBatch
    from geopriv.reports import write_reports as write_reports
    from geopriv.sampling.reports import Reports as Reports
    from geopriv.sensitivity import ExponentialGrowth as ExponentialGrowth
    from geopriv.sensitivity import LinearGrowth as LinearGrowth
    from geopriv.sensitivity import hamming_smooth_sensitivity as hamming_smooth_sensitivity
    from geopriv.sensitivity import pointwise_lipschitz as pointwise_lipschitz
    from geopriv.sensitivity import smooth_sensitivity as smooth_sensitivity
    from geopriv.source import Source as Source
    from geopriv.spaces import Earth as Earth
    from geopriv.spaces import Euclidean as Euclidean
    from geopriv.spaces import Line as Line
    from geopriv.spaces import LocalPlane as LocalPlane
    from geopriv.spaces import LogLine as LogLine
    from geopriv.spaces import Plane as Plane
    from geopriv.spaces import Space as Space
    from geopriv.survey import Survey as Survey
    from geopriv.survey import load_survey as load_survey
    from geopriv.survey_estimates import estimate_survey as estimate_survey
    from geopriv.tallies import Tally as Tally
    from geopriv.tallies import load_tally as load_tally
    from geopriv.tallies import tally as tally

__version__ = "0.1.0"

_HOME = {
    "answers": ("Answer", "Answers", "Band", "load_answers"),
    "auditing": ("Audit", "BlackBoxAudit", "DesignAudit", "audit", "audit_black_box", "audit_design"),
    "bounds": ("efficiency", "lower_bound", "lower_bound_many"),
    "curves": ("estimate_cdf",),
    "design": ("Design", "load_design"),
    "estimation": ("Estimate", "Estimates", "estimate"),
    "maps": ("estimate_map",),
    "documents": ("from_document", "to_document"),
    "engines": ("Sql",),
    "engines.duckdb_tally": ("tally_sql",),
    "errors": (
        "BudgetExhausted",
        "GeoprivError",
        "InvalidDesign",
        "InvalidParameter",
        "OutOfDomain",
        "ReportRejected",
        "Unavailable",
    ),
    "lattice_maps": ("lattice_corner_map", "lattice_estimates", "lattice_kernel_map"),
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
    "pages": ("page_html", "write_page"),
    "planning": ("Option", "Plan", "SurveyPlan", "epsilon_needed", "people_needed", "plan"),
    "priors": ("Prior",),
    "privacy": ("Guarantee", "compose", "partition"),
    "privatization": ("Privatized", "privatize"),
    "profiles": (
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
        "HalfSpace",
        "LinearQuery",
        "LipschitzQuery",
        "Orthant",
        "Query",
        "RadialQuery",
        "Range",
        "Threshold",
    ),
    "questions": ("Curve", "KernelMap", "Question", "Share"),
    "received": ("ReportReader", "read_reports"),
    "reports": ("ReportBatch", "write_reports"),
    "sampling.reports": ("Reports",),
    "sensitivity": (
        "ExponentialGrowth",
        "LinearGrowth",
        "hamming_smooth_sensitivity",
        "pointwise_lipschitz",
        "smooth_sensitivity",
    ),
    "source": ("Source",),
    "spaces": ("Earth", "Euclidean", "Line", "LocalPlane", "LogLine", "Plane", "Space"),
    "survey": ("Survey", "load_survey"),
    "survey_estimates": ("estimate_survey",),
    "tallies": ("Tally", "load_tally", "tally"),
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
