"""Which design has the least predicted error, for a workload of queries, a number of people and an ε for each."""

from geopriv.planning.choice import Plan
from geopriv.planning.needs import epsilon_needed, people_needed
from geopriv.planning.options import Option
from geopriv.planning.surveys import SurveyPlan, plan

__all__ = ["Option", "Plan", "SurveyPlan", "epsilon_needed", "people_needed", "plan"]
