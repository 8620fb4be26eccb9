"""geopriv: measure a population without learning about its people.

    import geopriv as gp

    survey = gp.Survey.read("survey.toml")                   # what is asked, of whom, at which ε
    plan = gp.plan(survey)                                   # predicted errors, the choice and why
    plan.design.write("design.json")                         # what each device runs, under a hash
    design = gp.Design.read("design.json")                   # verified when it is read
    print(gp.audit(design).passed)                           # does the promise hold? anybody can check
    gp.privatize(design, "people.csv", "reports.parquet")    # one exact report a person
    counts = gp.tally(design, "reports.parquet")             # whole numbers: they add up
    answers = gp.estimate(design, counts)                    # every number with its interval
    print(answers)
    answers.write("estimates.json")
    answers.write_page("report.html")                        # what people read

These, the spaces, the queries and the mechanisms are names of the package. All else is a name of its room, such as
gp.noise.StudentT. Rooms are the steps of the flow: spaces, shapes, queries, noise, mechanisms, proofs, surveys,
reports, answers and pages; device, what a phone runs; and smooth, the paper. Names are imported when they are first
used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from geopriv import answers as answers
    from geopriv import device as device
    from geopriv import mechanisms as mechanisms
    from geopriv import noise as noise
    from geopriv import pages as pages
    from geopriv import proofs as proofs
    from geopriv import queries as queries
    from geopriv import reports as reports
    from geopriv import shapes as shapes
    from geopriv import smooth as smooth
    from geopriv import spaces as spaces
    from geopriv import surveys as surveys
    from geopriv.answers.answers import Answers as Answers
    from geopriv.answers.estimate import estimate as estimate
    from geopriv.errors import BudgetExhausted as BudgetExhausted
    from geopriv.errors import GeoprivError as GeoprivError
    from geopriv.errors import InvalidDesign as InvalidDesign
    from geopriv.errors import InvalidParameter as InvalidParameter
    from geopriv.errors import OutOfDomain as OutOfDomain
    from geopriv.errors import Refused as Refused
    from geopriv.errors import ReportRejected as ReportRejected
    from geopriv.errors import Unavailable as Unavailable
    from geopriv.mechanisms import CoordinateLaplace as CoordinateLaplace
    from geopriv.mechanisms import InputLaplace as InputLaplace
    from geopriv.mechanisms import Lattice as Lattice
    from geopriv.mechanisms import Table as Table
    from geopriv.mechanisms.guarantee import Guarantee as Guarantee
    from geopriv.mechanisms.guarantee import compose as compose
    from geopriv.mechanisms.guarantee import partition as partition
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
    from geopriv.queries import RadialQuery as RadialQuery
    from geopriv.queries import Range as Range
    from geopriv.queries import Score as Score
    from geopriv.queries import Threshold as Threshold
    from geopriv.queries.function import Function as Function
    from geopriv.queries.function import maximum as maximum
    from geopriv.queries.function import minimum as minimum
    from geopriv.queries.priors import Prior as Prior
    from geopriv.queries.questions import DensityMap as DensityMap
    from geopriv.queries.questions import Distribution as Distribution
    from geopriv.queries.questions import Share as Share
    from geopriv.queries.source import Source as Source
    from geopriv.queries.value_questions import Mean as Mean
    from geopriv.queries.value_questions import Quantile as Quantile
    from geopriv.queries.values import Values as Values
    from geopriv.reports.engines.duckdb.sql import Sql as Sql
    from geopriv.reports.tallies import Tally as Tally
    from geopriv.reports.verbs import privatize as privatize
    from geopriv.reports.verbs import tally as tally
    from geopriv.smooth import LeastScaleT as LeastScaleT
    from geopriv.smooth import LipschitzLaplace as LipschitzLaplace
    from geopriv.smooth import LocalLaplace as LocalLaplace
    from geopriv.smooth import SmoothCauchy as SmoothCauchy
    from geopriv.smooth import SmoothLaplace as SmoothLaplace
    from geopriv.smooth import SmoothT as SmoothT
    from geopriv.smooth import VectorSmoothCauchy as VectorSmoothCauchy
    from geopriv.spaces import Earth as Earth
    from geopriv.spaces import Euclidean as Euclidean
    from geopriv.spaces import Finite as Finite
    from geopriv.spaces import Line as Line
    from geopriv.spaces import LocalPlane as LocalPlane
    from geopriv.spaces import LogLine as LogLine
    from geopriv.spaces import Plane as Plane
    from geopriv.surveys.audits import audit as audit
    from geopriv.surveys.design import Design as Design
    from geopriv.surveys.model import Survey as Survey
    from geopriv.surveys.planning import plan as plan

__version__ = "0.1.0"

_ROOMS = (
    "answers",
    "device",
    "mechanisms",
    "noise",
    "pages",
    "proofs",
    "queries",
    "reports",
    "shapes",
    "smooth",
    "spaces",
    "surveys",
)
_HOME = {
    "answers.answers": ("Answers",),
    "answers.estimate": ("estimate",),
    "errors": (
        "BudgetExhausted",
        "GeoprivError",
        "InvalidDesign",
        "InvalidParameter",
        "OutOfDomain",
        "Refused",
        "ReportRejected",
        "Unavailable",
    ),
    "mechanisms": (
        "CoordinateLaplace",
        "InputLaplace",
        "Lattice",
        "Table",
    ),
    "mechanisms.guarantee": ("Guarantee", "compose", "partition"),
    "proofs.audits": ("audit_black_box",),
    "proofs.floors": ("efficiency", "lower_bound", "lower_bound_many"),
    "queries": (
        "Ball",
        "Blurred",
        "GaussianKernel",
        "Geofence",
        "LinearQuery",
        "LipschitzQuery",
        "Orthant",
        "RadialQuery",
        "Range",
        "Score",
        "Threshold",
    ),
    "queries.function": ("Function", "maximum", "minimum"),
    "queries.priors": ("Prior",),
    "queries.questions": ("DensityMap", "Distribution", "Share"),
    "queries.source": ("Source",),
    "queries.value_questions": ("Mean", "Quantile"),
    "queries.values": ("Values",),
    "reports.engines.duckdb.sql": ("Sql",),
    "reports.tallies": ("Tally",),
    "reports.verbs": ("privatize", "tally"),
    "smooth": (
        "LeastScaleT",
        "LipschitzLaplace",
        "LocalLaplace",
        "SmoothCauchy",
        "SmoothLaplace",
        "SmoothT",
        "VectorSmoothCauchy",
    ),
    "spaces": ("Earth", "Euclidean", "Finite", "Line", "LocalPlane", "LogLine", "Plane"),
    "surveys.audits": ("audit",),
    "surveys.design": ("Design",),
    "surveys.model": ("Survey",),
    "surveys.planning": ("plan",),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = sorted(_MODULE_OF)  # noqa: PLE0605 # one list of names, not two


if not TYPE_CHECKING:  # or a misspelt name would be anything to a type checker

    def __getattr__(name: str) -> Any:
        if name in _ROOMS:
            return importlib.import_module(f"geopriv.{name}")
        if name in _MODULE_OF:
            value = getattr(importlib.import_module(f"geopriv.{_MODULE_OF[name]}"), name)
            globals()[name] = value
            return value
        raise AttributeError(
            f"module 'geopriv' has no attribute {name!r}; names of a room are found in it: gp.noise.Laplace"
        )


def __dir__() -> list[str]:
    return sorted([*_ROOMS, *_MODULE_OF, "__doc__", "__version__", "client"])
