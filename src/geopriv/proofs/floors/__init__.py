"""How good can it get: floors under the variance of every unbiased report with the same promise."""

from geopriv.proofs.floors.many import lower_bound_many
from geopriv.proofs.floors.scores import efficiency, has_floor
from geopriv.proofs.floors.single import lower_bound

__all__ = ["efficiency", "has_floor", "lower_bound", "lower_bound_many"]
