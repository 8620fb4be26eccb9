"""The kinds of questions that a survey.toml may ask, one file each. A new one is a file, and a line in both lists."""

from typing import Annotated, get_args

from pydantic import Field

from geopriv.surveys.kinds.ball import BallQuery
from geopriv.surveys.kinds.base import Kind
from geopriv.surveys.kinds.density_map import DensityMapQuery
from geopriv.surveys.kinds.distribution import DistributionQuery
from geopriv.surveys.kinds.function import FunctionQuery
from geopriv.surveys.kinds.geofence import GeofenceQuery
from geopriv.surveys.kinds.mean import MeanQuery
from geopriv.surveys.kinds.orthant import OrthantQuery
from geopriv.surveys.kinds.quantile import QuantileQuery
from geopriv.surveys.kinds.range import RangeQuery
from geopriv.surveys.kinds.score import ScoreQuery
from geopriv.surveys.kinds.threshold import ThresholdQuery
from geopriv.surveys.kinds.total import TotalQuery

QueryTable = Annotated[
    ThresholdQuery
    | DistributionQuery
    | RangeQuery
    | MeanQuery
    | QuantileQuery
    | TotalQuery
    | OrthantQuery
    | ScoreQuery
    | BallQuery
    | GeofenceQuery
    | FunctionQuery
    | DensityMapQuery,
    Field(discriminator="kind"),
]


def asked_on(space: str) -> list[str]:
    """Words of the kinds that can be asked on a kind of space."""
    models = [model for model in get_args(get_args(QueryTable)[0]) if space in model.spaces]
    return [word for model in models for word in get_args(model.model_fields["kind"].annotation)]


__all__ = ["Kind", "QueryTable", "asked_on"]
