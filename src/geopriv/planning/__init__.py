"""Which design has the least predicted error, for a workload of queries, a number of people and an ε for each."""

from geopriv.planning.choice import Plan, plan
from geopriv.planning.needs import epsilon_needed, people_needed
from geopriv.planning.options import Option

__all__ = ["Option", "Plan", "epsilon_needed", "people_needed", "plan"]
