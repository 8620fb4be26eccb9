"""How good can it get: floors under the variance of every unbiased report with the same promise."""

from geopriv.bounds.many import lower_bound_many
from geopriv.bounds.scores import efficiency, has_floor
from geopriv.bounds.single import lower_bound

__all__ = ["efficiency", "has_floor", "lower_bound", "lower_bound_many"]
