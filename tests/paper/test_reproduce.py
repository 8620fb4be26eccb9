"""`geopriv reproduce`: data, formulas against simulations, resuming, claims, and a page that must not go stale."""

from __future__ import annotations

import copy
import gzip
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import geopriv as gp
from geopriv.commands.cli import app
from geopriv.commands.populations import income_quantiles
from geopriv_paper import one_way, reproduction, surveys
from geopriv_paper.agreement import (
    disagreements,
    merged,
    moments_of,
    squared_error_check,
)
from geopriv_paper.changed import changed
from geopriv_paper.claims import judged
from geopriv_paper.datasets import (
    Data,
    Households,
    Incomes,
    load,
    read_incomes,
    read_places,
)
from geopriv_paper.experiments import EXPERIMENTS
from geopriv_paper.page import page
from geopriv_paper.panel import Panel
from geopriv_paper.runs import Results, run_panels
from geopriv_paper.settings import ONE_WAY_PEOPLE, OneWay, one_way_settings

DOCS = Path(__file__).parents[2] / "docs" / "reproduction"
REAL = Path(__file__).parents[3] / "shared" / "data" / "ca_income.parquet"


def few_incomes(people: int = 500) -> Incomes:
    return Incomes(income_quantiles(people), np.full(people, 1 / people), "quantiles")


# data


def test_an_extract_of_ipums_gives_each_household_of_california_once(tmp_path: Path) -> None:
    rows = "hhincome,HHWT,PERNUM,STATEFIP\n100,2,1,6\n100,2,2,6\n9999999,1,1,6\n50,3,1,36\n200,1,1,6\n"
    (tmp_path / "a.csv").write_text(rows)
    with gzip.open(tmp_path / "a.csv.gz", "wt") as file:
        file.write(rows)
    for name in ("a.csv", "a.csv.gz"):
        incomes = read_incomes(tmp_path / name)
        assert incomes.values.tolist() == [100.0, 200.0]
        np.testing.assert_allclose(incomes.weights, [2 / 3, 1 / 3])
        assert name in incomes.source


def test_the_official_file_of_collisions_is_read_without_blanks_and_strangers(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("CRASH DATE,LATITUDE,LONGITUDE\n1,40.7,-74\n2,,\n3,0,0\n")
    assert read_places(tmp_path / "c.csv").values.tolist() == [[40.7, -74.0]]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("LATITUDE,LONGITUDE\nsecret,-74\n", "hold numbers"),
        ("LATITUDE\n1\n", "no LONGITUDE"),
        ("LATITUDE,LONGITUDE\n0,0\n", "inside the paper's box"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_without_its_rows(tmp_path: Path, text: str, rule: str) -> None:
    (tmp_path / "c.csv").write_text(text)
    with pytest.raises(gp.InvalidParameter, match=rule) as caught:
        read_places(tmp_path / "c.csv")
    assert "secret" not in str(caught.value)


def test_people_that_are_made_up_say_so() -> None:
    data = load()
    assert "synthetic" in data.incomes.source
    assert "synthetic" in data.places.source
    assert "synthetic" in data.households.source


def test_households_have_the_papers_medians_and_correlation() -> None:
    logs = np.log(Households().draw(40_000, np.random.default_rng(0)))
    # five standard errors of means (0.0041) and of the correlation (0.0042)
    assert abs(logs[:, 0].mean() - 11.494) < 0.021
    assert abs((logs[:, 1] - logs[:, 0]).mean() - math.log(1.791)) < 0.023
    assert abs(np.corrcoef(logs.T)[0, 1] - 0.4) < 0.021


def test_other_data_have_another_fingerprint() -> None:
    assert few_incomes(10).fingerprint == few_incomes(10).fingerprint != few_incomes(11).fingerprint


# agreement


def test_right_formulas_agree_and_wrong_ones_do_not() -> None:
    rng = np.random.default_rng(1)
    errors = moments_of(0.3 + rng.standard_normal(2_000))
    assert squared_error_check("right", 0.3, 1.0, errors)["agrees"]
    assert not squared_error_check("bias left out", 0.0, 1.0 / 1.3, errors)["agrees"]
    assert not squared_error_check("scale 15 % low", 0.3, 0.85**2, errors)["agrees"]
    assert not squared_error_check("scale 15 % high", 0.3, 1.15**2, errors)["agrees"]


def test_an_outlier_of_heavy_tails_is_no_disagreement() -> None:
    errors = np.random.default_rng(2).standard_normal(200)
    errors[7] = 60.0
    assert squared_error_check("one outlier", 0.0, 1.0, moments_of(errors))["agrees"]


def test_batches_of_surveys_add_up() -> None:
    errors = np.random.default_rng(3).standard_normal(90)
    together = merged([moments_of(errors[:30]), moments_of(errors[30:])])
    assert together == pytest.approx(moments_of(errors))


# one-way


def test_formulas_give_the_theorys_table() -> None:
    """Published variances for the log-normal fit: the paper's M3 and the floor."""
    incomes = read_incomes()
    published = {(10_000, 800): (0.02667, 0.00073), (1_000_000, 48_000): (0.0709, 0.00040)}
    for (at, inverse), (m3, floor) in published.items():
        found = one_way.expected(OneWay(at, inverse, 1), incomes)
        assert found["expected"]["M3"]["variance"] == pytest.approx(m3, rel=2e-3)
        assert found["floor"] == pytest.approx(floor, abs=6e-6)


def test_simulated_surveys_of_the_paper_agree_and_a_wrong_scale_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surveys, "_BLOCKS", 64)
    monkeypatch.setattr(surveys, "ONE_WAY_PEOPLE", (4_000, 64_000))
    monkeypatch.setattr(surveys, "BLOCK", 1_000)
    settings, incomes = [OneWay(100_000, 8_000, 12_000)], few_incomes()
    (first, second) = surveys.survey_rounds(incomes, settings, 8, seed=5)
    result = first.run()
    assert disagreements({"round": result}) == []
    assert {one["what"].split(", ")[1] for one in result["checks"]} == {"LDP", "M0", "M2", "M3"}
    sizes = result["simulated"]["T100000-8000"]["M3"]
    assert {size: numbers["repetitions"] for size, numbers in sizes.items()} == {"1000": 256, "4000": 64, "64000": 4}
    assert second.run()["simulated"] != result["simulated"]

    faulty, rng = surveys._Setting(settings[0], incomes), np.random.default_rng(0)
    faulty.scales[2] = 1.5 * faulty.scales[2]
    errors = np.array([surveys._block(incomes, [faulty], rng)[0][2] for _ in range(256)])
    bias, variance = faulty.expected["M3"]
    assert not squared_error_check("M3", bias, variance / 1_000, moments_of(errors))["agrees"]


def test_sums_of_draws_are_those_of_each_income() -> None:
    counts = np.array([2, 0, 1, 3])
    np.testing.assert_allclose(surveys._summed(np.arange(1.0, 7.0), counts), [3, 0, 3, 15])


def test_a_panel_holds_formulas_and_simulations_of_all_mechanisms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_way, "_SMALL", 1_000)
    monkeypatch.setattr(one_way, "_SURVEYS", {False: 200})
    data = Data(few_incomes(), Households(), read_places())
    panel = next(one for one in one_way.panels(data, full=False) if one.name == "T100000-8000")
    result = panel.run()
    assert set(result["expected"]) == {*one_way.PAPERS, *one_way.OURS}
    assert disagreements({panel.name: result}) == []
    assert [one["repetitions"] for one in result["checks"]] == [200] * 4
    broken = copy.deepcopy(result["expected"]["Table"])
    seen = result["simulated"]["Table"]["1000"]
    assert not squared_error_check("half", 0.0, broken["variance"] / 2_000, seen)["agrees"]
    json.dumps(result, allow_nan=False)


# running


def counting(name: str, calls: list[str], settings: dict[str, Any] | None = None, fails: bool = False) -> Panel:
    def run() -> dict[str, Any]:
        calls.append(name)
        if fails:
            raise KeyboardInterrupt
        return {"name": name}

    return Panel("one-way", name, settings or {}, run)


def test_a_run_that_was_stopped_continues_and_runs_nothing_twice(tmp_path: Path) -> None:
    calls: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        run_panels([counting("a", calls), counting("b", calls), counting("c", calls, fails=True)], tmp_path)
    again = [counting("a", calls), counting("b", calls), counting("c", calls)]
    results = run_panels(again, tmp_path)
    assert results == {"one-way": {name: {"name": name} for name in "abc"}}
    assert sorted(calls) == ["a", "b", "c", "c"]
    run_panels(again, tmp_path)
    assert len(calls) == 4
    run_panels(again, tmp_path, fresh=True)
    assert len(calls) == 7


def test_other_settings_and_files_that_were_cut_are_run_again(tmp_path: Path) -> None:
    calls: list[str] = []
    run_panels([counting("a", calls, {"n": 1})], tmp_path)
    run_panels([counting("a", calls, {"n": 2})], tmp_path)
    assert len(calls) == 2
    (tmp_path / "one-way" / "a.json").write_text('{"key": "cut')
    run_panels([counting("a", calls, {"n": 2})], tmp_path)
    assert len(calls) == 3


class Fake:
    """An experiment of one panel, whose formula is right or wrong."""

    def __init__(self, variance: float) -> None:
        self.variance = variance

    def panels(self, data: Data, full: bool) -> list[Panel]:
        moments = moments_of(np.random.default_rng(0).standard_normal(1_000))
        check = squared_error_check("a mean", 0.0, self.variance, moments)
        return [Panel("fake", "only", {"variance": self.variance}, lambda: {"source": "nobody", "checks": [check]})]

    def draw(self, results: dict[str, dict[str, Any]], folder: Path) -> list[Path]:
        return []


@pytest.mark.parametrize(("variance", "code"), [(1.0, 0), (1.5, 1)])
def test_a_formula_that_its_simulation_contradicts_is_exit_code_1(
    variance: float, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in list(EXPERIMENTS):
        monkeypatch.delitem(EXPERIMENTS, name)
    monkeypatch.setitem(EXPERIMENTS, "fake", Fake(variance))
    monkeypatch.setattr("geopriv_paper.datasets.read_places", lambda path: None)
    done = CliRunner().invoke(app, ["reproduce", "--data", str(tmp_path), "--output", str(tmp_path / "out")])
    assert done.exit_code == code, done.output
    assert ("Disagrees" in done.output) == bool(code)
    assert ("**Disagrees:**" in (tmp_path / "out" / "README.md").read_text()) == bool(code)
    spoken = CliRunner().invoke(
        app, ["reproduce", "--data", str(tmp_path), "--output", str(tmp_path / "out"), "--json"]
    )
    assert spoken.exit_code == code
    assert len(json.loads(spoken.stdout[spoken.stdout.index("{") :])["disagreements"]) == code


def test_an_experiment_joins_those_that_ran_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Other(Fake):
        def panels(self, data: Data, full: bool) -> list[Panel]:
            return [replace(panel, experiment="other") for panel in super().panels(data, full)]

    for name, fake in {"fake": Fake(1.0), "other": Other(1.0)}.items():
        monkeypatch.setitem(EXPERIMENTS, name, fake)
    people = load(None, None)
    reproduction.reproduce("other", people, tmp_path)
    assert list(reproduction.reproduce("fake", people, tmp_path).results) == ["fake", "other"]
    assert list(reproduction.read_back(tmp_path).results) == ["fake", "other"]
    assert list(reproduction.reproduce("fake", people, tmp_path, full=True).results) == ["fake"]  # not of one kind
    (tmp_path / "results" / "index.json").write_text("{")
    assert list(reproduction.reproduce("other", people, tmp_path, full=True).results) == ["other"]


def test_bad_input_is_named(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["reproduce", "one-way", "--incomes", str(tmp_path / "none.csv")])
    assert isinstance(done.exception, gp.InvalidParameter)
    assert CliRunner().invoke(app, ["reproduce", "figure-9"]).exit_code == 2


# claims, changes and the page, from the results that the repository holds


@pytest.fixture(scope="module")
def published() -> reproduction.Reproduction:
    return reproduction.read_back(DOCS)


def test_the_page_holds_what_its_results_say_and_nothing_else(published: reproduction.Reproduction) -> None:
    assert (DOCS / "README.md").read_text(encoding="utf-8") == page(published)


def test_the_page_shows_every_figure_and_they_are_there(published: reproduction.Reproduction) -> None:
    text = page(published)
    for name in (stem for stems in published.figures.values() for stem in stems):
        assert f"figures/{name}.svg" in text
        assert (DOCS / "figures" / f"{name}.svg").read_text(encoding="utf-8").rstrip().endswith("</svg>")


def test_published_formulas_are_what_the_code_computes_today(published: reproduction.Reproduction) -> None:
    """Without a file: two settings of the log-normal fit."""
    incomes, kept = read_incomes(), published.results["one-way"]["log-normal"]["settings"]
    for setting in (one for one in one_way_settings() if one.name in ("T10000-800", "T100000-8000")):
        found = one_way.expected(setting, incomes)
        assert found["floor"] == pytest.approx(kept[setting.name]["floor"], rel=1e-9)
        for name, numbers in found["expected"].items():
            assert numbers == pytest.approx(kept[setting.name]["expected"][name], rel=1e-6, abs=1e-12)


@pytest.mark.skipif(not REAL.is_file(), reason="the real incomes are not here")
def test_published_errors_are_those_of_the_real_incomes(published: reproduction.Reproduction) -> None:
    setting = one_way_settings()[-1]
    found, kept = one_way.expected(setting, read_incomes(REAL)), published.results["one-way"][setting.name]
    for name, numbers in found["expected"].items():
        assert numbers == pytest.approx(kept["expected"][name], rel=1e-6, abs=1e-12)


def test_no_published_formula_disagrees_with_its_simulation(published: reproduction.Reproduction) -> None:
    assert published.comparisons > 100
    assert published.disagreements == []


def test_a_number_that_was_changed_makes_the_page_stale(published: reproduction.Reproduction) -> None:
    other = copy.deepcopy(published.results)
    other["one-way"]["T10000-800"]["expected"]["M3"]["variance"] *= 1.01
    assert page(replace(published, results=other, changes=changed(other))) != page(published)


def verdicts(results: Results) -> dict[str, bool]:
    return {claim["sentence"]: claim["holds"] for claim in judged(results)}


def test_claims_that_the_theory_contradicts_do_not_hold(published: reproduction.Reproduction) -> None:
    found = verdicts(published.results)
    assert not found["Since the bias depends on the private x, it cannot be removed."]
    assert not found["The errors shown for M3 on the map are those of an ε-GP mechanism."]
    assert found["For T = 10,000 and 500,000 M3 has a clear advantage over M2."]
    assert found["There M3 is worse than M2 by a constant factor."]


def test_a_budget_for_each_query_is_none_for_a_person(published: reproduction.Reproduction) -> None:
    found = [claim for claim in published.claims if claim["sentence"] == "These are the errors of an ε-GP survey."]
    assert [claim["experiment"] for claim in found] == ["two-way", "kde"]
    assert not any(claim["holds"] for claim in found)
    for name, most in (("two-way", 1_000), ("kde", 10_000)):
        for row in published.changes[name]:  # one report a person for all queries, against M3 that shares ε among them
            assert row["shared_gains"]["Lattice"] > most


def test_claims_change_with_the_results(published: reproduction.Reproduction) -> None:
    other = copy.deepcopy(published.results)
    other["one-way"]["T500000-24000"]["expected"]["M3"]["variance"] *= 100
    other["table1"]["kernel"]["rows"]["InputLaplace"]["largest_bias"] = 0.1
    found = verdicts(other)
    assert not found["For T = 10,000 and 500,000 M3 has a clear advantage over M2."]
    assert found["Since the bias depends on the private x, it cannot be removed."]


def test_ours_beat_the_papers_unbiased_mechanisms_on_every_panel(published: reproduction.Reproduction) -> None:
    for row in published.changes["one-way"]:
        panel = published.results["one-way"][row["panel"]]["expected"]
        assert row["gains"]["Table"] >= 12
        assert row["gains"]["LeastScaleT"] >= 4
        assert row["over_floor"]["Table"] <= 2.35
        best = panel["Table"]["variance"]
        assert best < min(panel[name]["variance"] for name in ("LDP", "M2", "M3"))
        # the plain M0 wins with few people only, and at none of the paper's sizes
        assert 0 < row["m0_wins_up_to"]["ours"] < ONE_WAY_PEOPLE[0]


def test_figures_are_drawn_from_results_alone(published: reproduction.Reproduction, tmp_path: Path) -> None:
    for name in ("one-way", "table1"):
        paths = EXPERIMENTS[name].draw(published.results[name], tmp_path)
        assert {path.stem for path in paths} == set(published.figures[name])
        assert all(path.stat().st_size > 10_000 for path in paths)
