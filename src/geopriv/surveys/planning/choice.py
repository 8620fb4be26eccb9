"""Every option's predicted error, and the one to take."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from geopriv.errors import InvalidParameter
from geopriv.mechanisms import Lattice
from geopriv.queries import Query
from geopriv.spaces.checks import FloatArray, positive
from geopriv.spaces.shown import Plotted
from geopriv.surveys.planning.best_possible import floor_of, least_of
from geopriv.surveys.planning.needs import REACH, least_rate, people_within
from geopriv.surveys.planning.options import Arrangement, Option, Told, asked_for, untold
from geopriv.surveys.planning.predictions import (
    floors,
    input_laplace,
    lattice,
    plain_input,
    posterior,
)
from geopriv.surveys.planning.shared import shared_option
from geopriv.surveys.planning.tables import vector_option
from geopriv.surveys.planning.workload import Workload

MECHANISMS = (
    "InputLaplace",
    "Lattice",
    "InputLaplace plain",
    "LeastScaleT",
    "SmoothT",
    "LipschitzLaplace",
    "CoordinateLaplace",
    "VectorTable",
    "Table",
    "SharedTables",
)
ON_DEVICES = ("Table", "Lattice", "BracketTable", "VectorTable", "SharedTables")  # what a design.json can hold
_MOST_HELD, _MOST_TABLES = 64, 16  # tables of a design, each some 50 kB; programs that are worth solving for a plan


@dataclass(frozen=True, eq=False)
class Plan(Plotted):
    """Options, the least predicted error first.

    Args:
        options: everything that could be predicted.
        left_out: why the others could not, by mechanism.
        floor: a floor under the mean variance of unbiased estimates over the queries, from one report a person, of each
            value by itself (theory T7 and T10); 0 where none is known. See also `least`.
        work: what is asked, of whom, and at which ε.
        mechanisms: names of those that were considered.
        for_devices: whether only what devices run may be taken.
    """

    options: tuple[Option, ...]
    left_out: dict[str, str]
    floor: float
    work: Workload = field(repr=False)
    mechanisms: tuple[str, ...] = field(repr=False)
    for_devices: bool = False

    @property
    def people(self) -> int:
        """How many report."""
        return self.work.people

    @property
    def answers(self) -> FloatArray:
        """Expected answers of the queries, by which errors are judged."""
        return self.work.answers[0]

    @property
    def best(self) -> Option:
        """The least error among unbiased options."""
        return next(o for o in self.options if not (o.labelled_biased or o.bound_only))

    @cached_property
    def least(self) -> float:
        """The highest floor that is known: of one query on a line that over all reports (theory T12), else `floor`."""
        return least_of(self.work, self.floor)

    def efficiency(self, option: Option) -> float:
        """Floor over mean variance, between 0 and 1; not-a-number for a biased option and where there is no noise."""
        variance = max(float(np.mean(option.variances)), self.least if option.bound_only else 0.0)  # never below
        return math.nan if option.labelled_biased or variance == 0 else self.least / variance

    def beside(self, options: Sequence[Option]) -> Plan:
        """The same with more options, in place of any of the same mechanisms."""
        others = [o for o in self.options if all(o.mechanism != own.mechanism for own in options)]
        return replace(self, options=tuple(sorted([*others, *options], key=lambda o: o.error)))

    @property
    def taken(self) -> Option:
        """The best option; of a plan for devices, the best that they run.

        Raises:
            InvalidParameter: where devices run none.
        """
        if not self.for_devices:
            return self.best
        run = next((o for o in self.options if o.mechanism in ON_DEVICES and not o.bound_only), None)
        if run is None:
            reasons = [f"{name}: {self.left_out[name]}" for name in ON_DEVICES if name in self.left_out]
            raise InvalidParameter(" ".join(["No mechanism that devices run can answer this survey.", *reasons]))
        return run

    def standard_errors(self, option: Option | None = None) -> FloatArray:
        """Of each query, as an estimate will state it: noise, and that the people are a sample of all there could be.

        An option's own variances are around the mean over the people who report, so they lack the second part.
        """
        variances = (self.taken if option is None else option).variances
        return np.asarray(np.sqrt(variances + self.work.answers[1] / self.people))

    def half_widths(self, option: Option | None = None) -> FloatArray:
        """Half of the 95 % interval that each estimate will have, and its bias."""
        chosen = self.taken if option is None else option
        return np.asarray(REACH * self.standard_errors(chosen) + np.abs(chosen.biases))

    def people_for(self, error: float, option: Option | None = None) -> int:
        """How many people make every query's 95 % interval, with its bias, as short as ± error.

        A query counts who is near its edge in part. A survey prints the plain answer first, how many are in the set,
        whose interval is longer: of that, `SurveyPlan.people_for` tells.

        Args:
            error: half of the interval, of the worst query.
            option: by default the one to take.

        Raises:
            InvalidParameter: when the option's own bias, which people do not reduce, is as large.

        >>> from geopriv import Threshold, plan
        >>> plan(Threshold(at=0.0, width=2.0), epsilon=1.0, people=1000).people_for(error=0.02)
        3035
        """
        chosen = self.taken if option is None else option
        one = self.standard_errors(chosen) ** 2 * self.people
        return people_within(positive("people_for", "error", error), one, chosen.biases, chosen.mechanism)

    def epsilon_for(self, error: float) -> float:
        """An ε, at most one per cent above the least, for 95 % intervals of at most ± error in every query.

        It is that of the mechanism which is best for it: found for the one to take now, then for the one that is best
        there. Where that is a table, one is compiled for every ε that is tried.

        Args:
            error: half of the interval, with its bias, of the worst query.

        Raises:
            InvalidParameter: when no ε within a factor of some 8,000 of the plan's does it.
        """
        wanted = positive("epsilon_for", "error", error)
        rate, best, tried = self.work.rate, self.taken.mechanism, dict[str, float]()
        while best not in tried:
            rate = tried[best] = least_rate(partial(self._error_of, best), wanted, rate)
            best = self._replanned(rate, self.mechanisms).taken.mechanism
        return min(tried.values())

    def _error_of(self, mechanism: str, rate: float) -> float:
        return float(self._replanned(rate, [mechanism]).half_widths().max())

    def _replanned(self, rate: float, mechanisms: Sequence[str]) -> Plan:
        """The plan for another ε and some mechanisms, all else alike."""
        some = [name for name in mechanisms if name in ON_DEVICES or not self.for_devices]
        return plan_work(self.work.at(rate), some, self.for_devices)

    @property
    def relative_error(self) -> float:
        """The best option's error beside the size of the answers; not-a-number where all of them are 0."""
        size = math.sqrt(float(np.mean(self.answers**2)))
        return self.best.error / size if size > 0 else math.nan

    @property
    def why(self) -> str:
        """The choice in a sentence."""
        return self.why_of(self.best)

    def why_of(self, best: Option) -> str:
        """Why an option is taken, in a sentence."""
        later = self.options[self.options.index(best) + 1 :]
        rivals = [o for o in later if not (o.labelled_biased or o.bound_only) and o.mechanism != best.mechanism]
        next_best = ""
        if rivals and best.error > 0:
            next_best = f"; the next, {rivals[0].name}, has {rivals[0].error / best.error:.3g} times its error"
        return self.reason(best, next_best=next_best)

    def reason(self, best: Option, among: str = "", next_best: str = "", asked: str = "") -> str:
        """The sentence, of its parts: among what the option is best, how it shares ε, what is next, what is asked."""
        size = self.work.estimates
        sentence = f"{best.mechanism} has the least predicted error{among}"
        if size > 1 or asked:
            how = {
                "one report": f"one report answers all {asked or f'{size:,} queries'} with ε spent once",
                "ε split": f"everyone answers all {size:,} queries with ε/{size:,} each",
                "people split": f"everyone answers one of the {size:,} queries with the whole ε",
                "shared report": f"everyone answers all {size:,} queries, which are far apart, in one report",
                "shared reports": f"everyone answers one class of the {size:,} queries, those far apart, in one report",
            }[best.arrangement]
            sentence += f": {how}"
        share = self._share(best)
        return f"{sentence}{next_best}." + (f" {best.mechanism}'s efficiency is {share}." if share else "")

    @property
    def suggestion(self) -> str:
        """What else would help; empty if nothing."""
        if self.best.mechanism == "InputLaplace" and len(self.best.variances) > 1 and self.relative_error > 0.05:
            share = f"{100 * self.relative_error:.2g} %"
            return f"The error is {share} of the answers: estimate(..., shrink=True) would cut it, but is biased."
        return ""

    def _share(self, option: Option) -> str:
        efficiency = self.efficiency(option)
        return f"{100 * efficiency:.2g} %" if efficiency > 0 else ""

    def __str__(self) -> str:
        lines = [f"{'mechanism':<20}{'arrangement':<14}{'error':>11}{'worst':>11}{'bias':>10}{'efficiency':>12}"]
        for o in self.options:
            share = self._share(o)
            bias = float(np.abs(o.biases).max())
            sign = "≥" if o.bound_only else ""
            lines.append(
                f"{o.mechanism:<20}{o.arrangement:<14}{sign + f'{o.error:.3g}':>11}{f'{o.worst_error:.3g}':>11}"
                f"{f'{bias:.1g}' if bias > 1e-9 else 'none':>10}{share:>12}"
            )
        return "\n".join([*lines, self.why, *([self.suggestion] if self.suggestion else [])])


def plan_queries(
    queries: Sequence[Query] | Query,
    epsilon: float | str,
    people: int,
    prior: Any = None,
    mechanisms: Sequence[str] = MECHANISMS,
    for_devices: bool = False,
) -> Plan:
    """`plan` for queries; its parameters are described there."""
    return plan_work(Workload.of(queries, epsilon, people, prior), mechanisms, for_devices)


def plan_work(
    work: Workload,
    mechanisms: Sequence[str] = MECHANISMS,
    for_devices: bool = False,
    grid: Lattice | None = None,
    told: Told = untold,
) -> Plan:
    """Every option for a workload; that of a Lattice on a given grid."""
    least = [option for option in _least(work) if not (for_devices and option.arrangement == "ε split")]
    options: list[Option] = []
    left_out: dict[str, str] = {}

    def attempt(name: str, make: Callable[[], Option]) -> None:
        try:
            options.append(make())
        except InvalidParameter as reason:
            left_out[name] = str(reason)

    inputs: dict[str, Callable[[Workload], Option]] = {
        "InputLaplace": _input,
        "Lattice": partial(_lattice, grid=grid),
        "InputLaplace plain": _plain,
        "VectorTable": partial(vector_option, grid=grid),
    }
    names = asked_for(mechanisms, MECHANISMS)
    for k, name in enumerate(names):  # tables last, when it is known what they must beat
        told(f"Predicting {work.size:,} errors", k / len(names))
        if name in inputs:
            attempt(name, partial(inputs[name], work))
        elif name in ("Table", "SharedTables"):
            rivals = [o for o in options if o.mechanism in ON_DEVICES or not for_devices]
            best = min((o.error for o in rivals if not (o.labelled_biased or o.bound_only)), default=math.inf)
            many = partial(shared_option, work, best, partial(floors, work, work.rate))
            one = partial(_table, work, least, best, _MOST_HELD if for_devices else math.inf)
            attempt(name, many if name == "SharedTables" else one)
        else:
            attempt(name, partial(_posterior, name, work, least))
    if not any(not (o.labelled_biased or o.bound_only) for o in options):
        reasons = [f"{name}: {reason}" for name, reason in left_out.items()]
        raise InvalidParameter(" ".join(["No mechanism that was asked for answers these without bias.", *reasons]))
    best_first = tuple(sorted(options, key=lambda o: o.error))
    return Plan(best_first, left_out, floor_of(work), work, tuple(mechanisms), for_devices)


def _input(work: Workload) -> Option:
    variance = input_laplace(work, work.rate) / work.people
    return Option("InputLaplace", "one report", variance, np.zeros(work.size))


def _lattice(work: Workload, grid: Lattice | None = None) -> Option:
    variance, bias = lattice(work, work.rate, grid)
    return Option("Lattice", "one report", variance / work.people, bias)


def _plain(work: Workload) -> Option:
    variance, bias = plain_input(work, work.rate)
    return Option("InputLaplace plain", "one report", variance / work.people, bias, labelled_biased=True)


def _least(work: Workload) -> list[Option]:
    """For each arrangement of one query a report what no mechanism can beat, the best first."""
    alone = floors(work, work.rate)
    if work.estimates == 1:
        return [Option("Table", "one report", alone / work.people, np.zeros(1), bound_only=True)]
    split = floors(work, work.rate / work.estimates) / work.people
    both = [
        _people_split("Table", work, alone, bound_only=True),
        Option("Table", "ε split", split, np.zeros(work.size), bound_only=True),
    ]
    return sorted(both, key=lambda option: option.error)


def _posterior(name: str, work: Workload, least: list[Option]) -> Option:
    """The better arrangement; one whose floor is above what the other reaches is not computed."""
    found = _arranged(name, least[0].arrangement, work)
    for bound in least[1:]:
        if bound.error < found.error:
            found = min(found, _arranged(name, bound.arrangement, work), key=lambda option: option.error)
    return found


def _arranged(name: str, arrangement: Arrangement, work: Workload) -> Option:
    rate = work.rate / work.estimates if arrangement == "ε split" else work.rate
    variance = posterior(name, work, rate)
    if arrangement == "people split":
        return _people_split(name, work, variance)
    return Option(name, arrangement, variance / work.people, np.zeros(work.size))


def _people_split(name: str, work: Workload, alone: Any, bound_only: bool = False) -> Option:
    """K groups of people: the noise of a group, and the chance of who is in it."""
    chance = (work.estimates - 1) * work.answers[1]
    variance = (work.estimates * alone + chance) / work.people
    return Option(name, "people split", variance, np.zeros(work.size), bound_only=bound_only)


def _table(work: Workload, least: list[Option], best: float, most: float) -> Option:
    """Compiled where its floor says that it could be the best; otherwise that floor."""
    if work.estimates > most and least[0].error < best:
        raise InvalidParameter(f"A table for each of {work.estimates:,} queries is more than a design holds, {most:g}.")
    if len(work.kinds) > _MOST_TABLES:
        raise InvalidParameter(f"Tables of {len(work.kinds)} different shapes would take long to compile.")
    found = [bound if bound.error >= best else _arranged("Table", bound.arrangement, work) for bound in least]
    return min(found, key=lambda option: (option.bound_only, option.error))
