"""`geopriv plan`: targets, sweeps, and designs that reports depend on."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

import geopriv as gp
from geopriv.commands.expectations import _print_sweep, print_beside
from geopriv.commands.plan import print_plan
from geopriv.commands.repeated import _print_rounds
from geopriv.surveys.planning import plan_walk
from geopriv.surveys.planning.rounds import Expected, Rounds, Way
from geopriv.surveys.planning.targets import Needs, Sweep
from tests.commands.test_cli import run

SURVEY = """name = "Incomes"
epsilon = 1.0
per = "8,000 USD"
people = 20_000
space = { kind = "line", unit = "USD", range = [0, 2_000_000] }
query = [{ kind = "threshold", at = 100_000 }]
"""
MAP = """name = "City"
epsilon = 1.0
per = "1 km"
people = 20_000
space = { kind = "map", region = { south = 40.5, west = -74.1, north = 40.7, east = -73.9 } }
query = [{ kind = "density map", bandwidth = "3 km", cells = 11 }]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "survey.toml").write_text(SURVEY, encoding="utf-8")
    return tmp_path


def test_another_design_is_replaced_only_when_told_and_the_same_silently(folder: Path) -> None:
    assert run("plan", "survey.toml", cwd=folder).returncode == 0
    before = (folder / "design.json").read_bytes()
    assert run("plan", "survey.toml", cwd=folder).returncode == 0
    (folder / "survey.toml").write_text(SURVEY.replace("8,000", "7,000"), encoding="utf-8")
    refused = run("plan", "survey.toml", cwd=folder)
    assert refused.returncode == 2
    assert "another design" in refused.stderr
    assert "--replace" in refused.stderr
    assert (folder / "design.json").read_bytes() == before
    assert run("plan", "survey.toml", "--replace", cwd=folder).returncode == 0
    assert (folder / "design.json").read_bytes() != before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("epsilon = 1.0", "epsilon = 1000"),
        ('"8,000 USD"', '"8 USD"'),
        ('"8,000 USD"', "8.000"),  # a number of TOML, whose digits nobody sees
        ('"8,000 USD"', '"199 USD"'),
    ],
)
def test_an_epsilon_that_tells_nearly_everybody_apart_is_to_be_said_aloud(old: str, new: str, folder: Path) -> None:
    (folder / "survey.toml").write_text(SURVEY.replace(old, new), encoding="utf-8")
    asked = gp.Survey.read(folder / "survey.toml")
    with pytest.raises(gp.InvalidParameter, match=r"1/ε is .*USD, below 1/10,000 of the public range .*--yes"):
        gp.plan(asked)
    if "199" in new:
        assert gp.plan(asked, yes=True).design.guarantee.epsilon == 1 / 199
        refused = run("plan", "survey.toml", cwd=folder)
        assert (refused.returncode, (folder / "design.json").exists()) == (2, False)
        assert "say that it is meant: --yes" in refused.stderr
        assert run("plan", "survey.toml", "--yes", cwd=folder).returncode == 0


def test_an_epsilon_of_a_ten_thousandth_of_the_range_and_one_without_a_range_need_no_word(folder: Path) -> None:
    (folder / "survey.toml").write_text(SURVEY.replace("8,000 USD", "200 USD"), encoding="utf-8")
    gp.plan(gp.Survey.read(folder / "survey.toml"))
    asked = gp.Share("above", gp.Threshold(100_000, 16, gp.Line("USD")))
    gp.plan(gp.Survey("Incomes", gp.Line("USD"), 1 / 8, (asked,), 20_000))


def test_a_walk_and_a_map_at_such_an_epsilon_are_to_be_said_aloud_too(folder: Path) -> None:
    walk = SURVEY.replace("8,000 USD", "8 USD").replace('kind = "threshold", at = 100_000', 'kind = "mean"')
    with pytest.raises(gp.InvalidParameter, match="below 1/10,000 of the public range"):
        plan_walk(gp.Survey.parse(walk + "walk = { rounds = 3 }\n"))
    with pytest.raises(gp.InvalidParameter, match=r"1/ε is 1.m, below 1/10,000"):
        gp.plan(gp.Survey.parse(MAP.replace("1 km", "1 m")))


def test_a_target_and_a_sweep_are_printed_and_drawn(folder: Path) -> None:
    done = run("plan", "survey.toml", "--target", "3 points", "--sweep", "--picture", "s.png", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["target"]["half_width"] == 0.03
    assert found["target"]["people"] > 1_000
    assert len(found["sweep"]["half_widths"]["above 100,000 USD"]) == len(found["sweep"]["epsilon"]) == 5
    assert (folder / "s.png").read_bytes().startswith(b"\x89PNG")
    assert found["warnings"] == []
    (question,) = found["questions"]
    assert 0 < question["standard_error_expected"] <= question["standard_error_at_worst"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--target", "1"), "percentage points"),
        (("--picture", "a.png"), "--sweep"),
        (("--rounds", "1"), "between 2 and 366"),
        (("--neighbours", "9"), "--within"),
    ],
)
def test_options_that_do_not_fit_are_refused_before_anything_is_written(
    options: tuple[str, ...], words: str, folder: Path
) -> None:
    done = run("plan", "survey.toml", *options, cwd=folder)
    assert done.returncode == 2
    assert words in done.stderr
    assert not (folder / "design.json").exists()


def test_a_picture_replaces_no_other_file(folder: Path) -> None:
    done = run("plan", "survey.toml", "--sweep", "--picture", "survey.toml", cwd=folder)
    assert done.returncode == 2
    assert "something else" in done.stderr


MEANS = SURVEY.replace('kind = "threshold", at = 100_000', 'kind = "mean"')


def test_rounds_and_a_shuffler_are_stated_beside_a_plan_and_change_nothing_of_it(folder: Path) -> None:
    (folder / "survey.toml").write_text(MEANS, encoding="utf-8")
    options = ("--rounds", "3", "--neighbours", "300", "--within", "8,000 USD")
    done = run("plan", "survey.toml", *options, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["rounds"]["number"] == 3
    fresh, _, _, walk = found["rounds"]["ways"]
    assert len(walk["expected"]["mean value"]["rounds"]) == 3
    assert walk["expected"]["mean value"]["rounds"][2] < fresh["expected"]["mean value"]["rounds"][2]
    assert "walking noise" in walk["name"]
    assert found["shuffler"]["delta"] == 1e-6
    assert found["shuffler"]["radius"] == 8000
    assert found["design"] == gp.plan(gp.Survey.read(folder / "survey.toml")).design.hash
    said = run("plan", "survey.toml", *options, cwd=folder)
    words = " ".join(said.stdout.split())
    assert "Asked 3 times" in words
    assert "stated and not promised" in words
    assert "exp(3ε·d)" in words


def test_rounds_of_a_map_fit_into_eighty_columns_with_all_their_words() -> None:
    survey = gp.Survey.parse("""
name = "Places"
epsilon = 1.0
per = "1 km"
people = 50_000
space = { kind = "map", region = { south = 40.6, west = -74.1, north = 40.9, east = -73.8 } }
query = [{ name = "density of the people at home in the evening", kind = "density map", bandwidth = "2 km", cells = 8 }]
""")
    (question,) = survey.questions
    expected = {question.name: Expected((0.0123,) * 12, 0.0456, 0.0789)}
    names = "fresh people", "same people, ε each", "same people, ε/12 each", "walking noise"
    console = Console(width=80, file=StringIO())
    _print_rounds(console, survey, Rounds(12, tuple(Way(name, "", expected) for name in names), 4_000, 600_000))
    assert isinstance(console.file, StringIO)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert not any("…" in line for line in lines)
    for name in names:
        (row,) = (line for line in lines if line.startswith(f"   {name}") and "round" not in line)
        assert len(row.split()) == len(name.split()) + 4
    assert "evening, in % per km²" in " ".join("\n".join(lines).split())


def _printed(survey: str, needed: Needs | None = None) -> str:
    """What `plan` says of a survey, in one line."""
    found, console = gp.plan(gp.Survey.parse(survey)), Console(width=80, file=StringIO())
    print_plan(console, found)
    print_beside(console, found, needed, None)
    assert isinstance(console.file, StringIO)
    return " ".join(console.file.getvalue().split())


def test_an_efficiency_is_explained_where_one_is_known_and_only_there() -> None:
    known = _printed(SURVEY)
    assert "efficiency bias" in known
    assert "Efficiency: of the noise alone" in known
    ball = ', { kind = "ball", center = [40.6, -74.0], radius = "4 km" }]'
    unknown = _printed(ball.join(MAP.rsplit("]", 1)))
    assert "theory T11" in unknown
    assert "efficiency" not in unknown.lower()


def test_a_plan_is_printed_in_python_as_sentences() -> None:
    """Each question with its error in its unit, for whom, and why; not the fields of what it is made of."""
    said = " ".join(str(gp.plan(gp.Survey.parse(SURVEY))).split())
    assert said.startswith("Incomes: 20,000 people. Promise: 0.000125 per USD")
    assert " points, plain ± " in said
    assert "since the survey has no [prior]" in said
    assert "SurveyPlan(" not in said
    mapped = " ".join(str(gp.plan(gp.Survey.parse(MAP))).split())
    assert "% per km²" in mapped
    assert "points" not in mapped


def test_a_target_says_for_whom_it_is() -> None:
    needed = Needs(0.01, 5_000, 2e-4, 0.001)
    assert "a [prior] makes them yours" in _printed(SURVEY, needed)
    prior = 'prior = { kind = "lognormal", median = 98_000, sigma = 0.8 }\n'
    assert "makes them yours" not in _printed(SURVEY + prior, needed)


def test_a_sweep_names_its_rows_in_80_columns() -> None:
    found = gp.plan(gp.Survey.parse(SURVEY))
    rates = tuple(found.survey.epsilon * times for times in (0.25, 0.5, 1, 2, 4))
    people = (2_000, 6_000, 20_000, 60_000, 200_000)
    swept = Sweep(rates, people, {"above": (tuple(0.26 for _ in people),) * len(rates)})
    shown = StringIO()
    _print_sweep(Console(file=shown, width=80), found, swept)
    lines = [line.strip() for line in shown.getvalue().replace("\u202f", " ").splitlines()]
    for far in ("32,000 USD", "16,000 USD", "8,000 USD", "4,000 USD", "2,000 USD"):
        assert sum(line.startswith(far) for line in lines) == 1
    assert any(line.split() == ["1/ε,", "by", "people", *(f"{many:,}" for many in people)] for line in lines)
