"""survey.toml: good ones become surveys, bad ones one sentence with the line, and never another exception."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import geopriv as gp
from tests.surveys.files import (
    BAD,
    GOOD,
    LINE,
    LOG,
    MAP,
    PLANE,
    SPACE,
    Change,
    changed,
    collection,
    feature,
    square,
    survey_in,
    write_files,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("survey"))


@pytest.mark.parametrize(("text", "changes", "line", "words"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_a_bad_survey_gets_one_sentence_with_its_line_and_key(
    text: str, changes: list[Change], line: int, words: list[str], folder: Path
) -> None:
    with pytest.raises(gp.InvalidParameter) as caught:
        survey_in(folder, changed(text, changes))
    sentence = str(caught.value)
    assert sentence.startswith(f"{folder / 'survey.toml'}, line {line}")
    assert all(word in sentence for word in words), sentence
    assert sentence.endswith((".", "?"))
    rest = sentence.removeprefix(str(folder))
    assert ". " not in rest.replace("e.g. ", ""), "one sentence"
    assert "\n" not in sentence
    assert len(rest) < 400


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_a_good_survey_of_every_space_becomes_questions_on_it(text: str, folder: Path) -> None:
    found = survey_in(folder, text)
    assert {question.space for question in found.questions} == {found.space}
    assert found.source is not None
    assert len(found.source.columns) == found.space.dimension


def test_a_line_has_its_rate_range_and_default_widths(folder: Path) -> None:
    found = survey_in(folder, LINE)
    assert found.space == gp.Line("USD")
    assert found.epsilon == 1 / 8000
    assert found.people == 200_000
    assert found.prior is None
    assert found.source == gp.Source(("income",), (0.0,), (2e6,))
    above, curve, between = found.questions
    assert above == gp.Share("above 100,000 USD", gp.Threshold(100_000, 32_000, found.space, "smooth"))
    at = tuple(range(0, 400_001, 10_000))
    assert curve == gp.Distribution("distribution from 0 to 400,000 USD", at, 32_000, found.space)
    query = gp.Range(20_000, 60_000, 32_000, space=found.space, edge="smooth")
    assert between == gp.Share("between 20,000 and 60,000 USD", query)


def test_a_lone_threshold_has_a_linear_edge_which_suits_a_table_and_several_have_smooth_ones(folder: Path) -> None:
    head = LINE[: LINE.index("[[query]]")]
    lone = survey_in(folder, head + '[[query]]\nkind = "threshold"\nat = 5_000\n')
    several = survey_in(folder, head + '[[query]]\nkind = "threshold"\nat = [5_000, 6_000]\n')
    chosen = survey_in(folder, head + '[[query]]\nkind = "threshold"\nat = 5_000\nedge = "smooth"\n')
    edges = [[query.edge for query in s.queries] for s in (lone, several, chosen)]  # type: ignore[attr-defined]
    assert edges == [["linear"], ["smooth", "smooth"], ["smooth"]]


def test_a_narrow_range_has_a_width_that_fits_it(folder: Path) -> None:
    found = survey_in(folder, changed(LINE, [("high = 60_000", "high = 25_000")]))
    assert found.questions[2].queries[0].width == pytest.approx(5_000)  # type: ignore[attr-defined]


def test_a_log_space_starts_at_its_range_and_takes_ratios_as_lengths(folder: Path) -> None:
    found = survey_in(folder, LOG)
    assert found.space == gp.LogLine(2.0, floor=1_000.0, unit="USD")
    assert found.epsilon == 1.0
    assert found.questions[0].queries[0].width == 2.0  # type: ignore[attr-defined]
    curve = found.questions[1]
    assert isinstance(curve, gp.Distribution)
    assert curve.at == tuple(2_000.0 * 2**k for k in range(9))
    assert found.prior is not None
    share = float(found.prior.weights @ (found.prior.values < np.sqrt(1_000 * 2e6)))
    assert share == pytest.approx(0.5, abs=1e-3)  # even in ratios


def test_a_map_is_a_local_plane_with_blurred_regions_in_metres(folder: Path) -> None:
    found = survey_in(folder, MAP)
    space = gp.LocalPlane(40.49, -74.27, 40.93, -73.68)
    assert found.space == space
    assert found.epsilon == 1 / 500
    kernels, ball, central, prospect, corner = found.questions
    assert isinstance(kernels, gp.DensityMap)
    assert kernels.shape == (7, 5)
    assert kernels.bandwidth == 1_000
    assert np.array_equal([kernels.low, kernels.high], space.rectangle)
    query = gp.Blurred(gp.Ball((40.75, -73.98), 1_000.0, 500.0, space), 500.0)
    assert ball == gp.Share("within 1,000 m of (40.75, -73.98)", query)
    assert [central.name, prospect.name] == ["Central", "Prospect"]
    inside = [[float(share.query((40.77, -73.97)))] for share in (central, prospect)]  # type: ignore[attr-defined]
    assert inside[0] > [0.5] > inside[1]
    assert corner.name == "north and east of (40.7, -74)"
    assert found.prior is not None
    assert float(found.prior.values[:, 0].mean()) == pytest.approx(space.middle[0], abs=0.01)


@pytest.mark.parametrize("radius", ["2 km", "9 km", "20 km"])
def test_the_least_blur_that_is_named_can_be_computed(folder: Path, radius: str) -> None:
    with pytest.raises(gp.InvalidParameter, match="'blur' must be at least") as refused:
        survey_in(folder, changed(MAP, [('"1 km"', f'"{radius}"\nblur = 1')]))
    least = str(refused.value).split("at least ")[1].split(" for an area")[0].replace("\u202f", " ")
    found = survey_in(folder, changed(MAP, [('"1 km"', f'"{radius}"\nblur = "{least}"')]))
    query = found.questions[1].queries[0]
    assert float(query((40.75, -73.98))) == pytest.approx(1.0)
    assert not query.small_region


def test_a_part_of_a_map_is_drawn_where_it_is(folder: Path) -> None:
    region = "region = { south = 40.7, west = -74.0, north = 40.8, east = -73.9 }"
    found = survey_in(folder, changed(MAP, [("cells = [7, 5]", f"cells = 9\n{region}")]))
    part = found.questions[0]
    assert isinstance(part, gp.DensityMap)
    assert part.shape == (9, 9)
    west, south = part.queries[0].center  # type: ignore[attr-defined]
    assert (west, south) == pytest.approx((40.7, -74.0), abs=1e-3)


def test_a_region_may_cross_the_antimeridian(folder: Path) -> None:
    text = changed(MAP, [
        ("40.49, west = -74.27, north = 40.93, east = -73.68", "-18, west = 177, north = -16, east = -179"),
        ("[40.75, -73.98]", "[-17, 179.9]"), ("[40.7, -74.0]", "[-17, -179.9]"), ("parks", "fiji"),
    ])  # fmt: skip
    (folder / "fiji.geojson").write_text(collection(feature("Taveuni", square(179.9, -17.0, 0.2))), encoding="utf-8")
    assert len(survey_in(folder, text).questions) == 4


def test_names_come_from_features_files_and_the_query(folder: Path) -> None:
    def names(file: str, more: str = "") -> list[str]:
        found = survey_in(folder, changed(MAP, [('"parks.geojson"', f'"{file}"\n{more}')]))
        return [question.name for question in found.questions[2:-1]]

    assert names("one.geojson") == ["one"]
    assert names("one.geojson", 'name = "the park"') == ["the park"]
    assert names("unnamed.geojson") == ["unnamed 1", "unnamed 2"]
    assert names("parks.geojson", 'name = "in"') == ["in, Central", "in, Prospect"]
    assert names("odd.geojson") == ["St. Marys park", "area"]
    assert names("parks.geojson", 'name_property = "name"') == ["Central", "Prospect"]


def test_a_plane_has_corners_scores_maps_and_discs(folder: Path) -> None:
    found = survey_in(folder, PLANE)
    assert found.space == gp.Plane("USD")
    assert found.source == gp.Source(("income", "debt"), (0.0, 0.0), (1e6, 2e6), person="household")
    corner, other, score, kernels, ball = found.questions
    assert corner.name == "income above 100,000 USD and debt above 200,000 USD"
    assert other.queries[0].bandwidth == 10_000  # type: ignore[attr-defined]
    assert score.queries[0]([(5e5, 1e5), (1e5, 5e5)]).round(3).tolist() == [1.0, 0.0]
    assert kernels.shape == (4, 4)
    # a width alone asks for a linear edge
    assert ball.queries[0] == gp.Ball((50_000.0, 50_000.0), 20_000.0, 40_000.0, found.space)


def test_regions_of_more_than_two_axes_have_linear_edges(folder: Path) -> None:
    corner, score, ball = (question.queries[0] for question in survey_in(folder, SPACE).questions)
    assert isinstance(corner, gp.Orthant)
    assert corner.width == 4.0
    assert isinstance(score, gp.Blurred)
    assert isinstance(ball, gp.Ball)


PRIORS = {
    "lognormal": ('kind = "lognormal"\nmedian = 98_100\nsigma = 0.829', 98_100),
    "normal": ('kind = "normal"\nmean = 60_000\nsd = 20_000', 60_000),
    "uniform": ('kind = "uniform"', 1_000_000),
    "brackets": ('kind = "brackets"\nfile = "brackets.csv"\nshares = "households"\nend = 1e9', 100_000),
}


@pytest.mark.parametrize(("table", "median"), PRIORS.values(), ids=PRIORS)
def test_a_prior_has_its_median_and_is_clamped_like_people(table: str, median: float, folder: Path) -> None:
    prior = survey_in(folder, changed(LINE, [("[[query]]", f"[prior]\n{table}\n[[query]]")])).prior
    assert prior is not None
    assert float(prior.weights @ (prior.values < median)) == pytest.approx(0.5, abs=1e-3)
    assert prior.values.min() >= 0
    assert prior.values.max() <= 2e6


def test_columns_may_be_left_out_where_only_devices_report(folder: Path) -> None:
    """Their values are clamped to the same range."""
    source = survey_in(folder, changed(LINE, [('columns = ["income"]\n', "")])).source
    assert source == gp.Source((), low=(0.0,), high=(2e6,))


@pytest.mark.parametrize("name", ["line", "log", "map", "euclidean"])
def test_a_survey_with_default_borders_fits_one_lattice_and_its_design(name: str, folder: Path) -> None:
    found = survey_in(folder, GOOD[name])
    lattice = gp.Lattice.calibrate(found.space, found.epsilon, queries=found.queries)
    design = gp.Design(found.name, (lattice,), questions=found.questions, source=found.source)
    assert design.questions == found.questions
