"""Which design has the least predicted error, for a workload of queries, a number of people and an ε for each."""

from geopriv.surveys.planning.choice import Plan
from geopriv.surveys.planning.options import Option
from geopriv.surveys.planning.survey_plan import SurveyPlan
from geopriv.surveys.planning.surveys import plan
from geopriv.surveys.planning.walking import WalkPlan, plan_walk

__all__ = ["Option", "Plan", "SurveyPlan", "WalkPlan", "plan", "plan_walk"]
