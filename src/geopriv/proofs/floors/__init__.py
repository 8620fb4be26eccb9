"""How good can it get: floors under the variance of every unbiased report with the same promise."""

from geopriv.proofs.floors.least import least_variance
from geopriv.proofs.floors.many import lower_bound_many
from geopriv.proofs.floors.scores import efficiency, has_floor
from geopriv.proofs.floors.single import lower_bound
from geopriv.proofs.floors.whole import has_whole_floor, least_whole_variance, whole_efficiency, whole_share

__all__ = [
    "efficiency",
    "has_floor",
    "has_whole_floor",
    "least_variance",
    "least_whole_variance",
    "lower_bound",
    "lower_bound_many",
    "whole_efficiency",
    "whole_share",
]
