"""Every sentence says which question it answers, and the plain answer comes first where the question was plain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import geopriv as gp
from geopriv.pages.page import page_html
from tests.answered import CITY, HASH, USD, answer
from tests.pages.test_pages import Page

ABOVE = gp.Share("above 100,000 USD", gp.Threshold(100_000, 16_000, USD), reach=6_000)
PROMISE = gp.Guarantee(1 / 8000, unit="USD", reference="theory T8")


def held(low: float, high: float, question: gp.Share = ABOVE) -> gp.answers.Answer:
    """A share whose soft estimate is in the middle of its plain answer."""
    plain = gp.answers.Band(np.array(low), np.array(high))
    return replace(answer(question, (low + high) / 2, 0.001, 50_000), plain=plain)


def answers(one: gp.answers.Answer) -> gp.Answers:
    return gp.Answers("Incomes", HASH, PROMISE, one.question.space, (one,), 50_000)


def shown(one: gp.answers.Answer) -> str:
    return Page(page_html(answers(one))).text.replace("\u202f", " ")


def test_the_plain_answer_is_the_headline_and_the_soft_one_says_who_counts_in_part() -> None:
    text = shown(held(0.4722, 0.5138))
    plain = "47.2 to 51.4 % of people are at or above 100,000 USD (95 % confidence)."
    soft = "Counting people within 8,000 USD of the line in part: 49.3 % (95 % interval 49.1 to 49.5 %)."
    assert plain in text
    assert soft in text
    assert text.index(plain) < text.index(soft)
    assert "counts nobody who is not meant" in text.replace("one that ", "")


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.0, 0.0213, "At most 2.2 % of people are at or above 100,000 USD. That cannot be told from zero"),
        (0.97, 1.0, "At least 97.0 % of people are at or above 100,000 USD. That cannot be told from everyone"),
        (0.0, 1.0, "No number These reports cannot tell what share of people are at or above 100,000 USD"),
    ],
)
def test_a_plain_answer_that_reaches_to_nobody_or_everybody_says_so(low: float, high: float, said: str) -> None:
    assert said in shown(held(low, high))


def test_an_area_that_cannot_be_told_from_its_surroundings_has_no_number_and_says_what_to_ask() -> None:
    place = gp.Blurred(gp.Ball((40.7, -74.0), 300.0, 300.0, CITY), 600.0)
    one = held(0.0, 0.0213, gp.Share("Kiosk", place, reach=500.0))
    text = shown(one)
    said = "Cannot be told from its surroundings at this ε: ask about an area at least 2.6 km across, or ask with 1/ε"
    assert said in text
    assert "At most 2.2 % of people are within 300 m of" in text
    assert "cannot be told from its surroundings" in str(answers(one))


def test_a_small_area_of_a_table_is_told_from_its_surroundings_where_somebody_is_surely_in_it() -> None:
    ring = [[-74.0, 40.7], [-73.996, 40.7], [-73.996, 40.703], [-74.0, 40.703], [-74.0, 40.7]]  # 337 m by 334 m
    square = {"type": "Polygon", "coordinates": [ring]}
    question = gp.Share("Square", gp.Geofence(square, 600.0, CITY), reach=500.0)
    text = shown(held(0.0, 0.0213, question))
    said = "Cannot be told from its surroundings at this ε: ask about an area at least 480 m across, or with a width of"
    assert f"{said} at most 410 m. At most 2.2 % of people are inside “Square”" in text
    assert "cannot be told from its surroundings" in str(answers(held(0.0, 0.0213, question)))
    sure = held(0.01, 0.0213, question)
    assert "1.0 to 2.2 % of people are inside “Square”" in shown(sure)
    assert "surroundings" not in shown(sure) + str(answers(sure))


@pytest.mark.parametrize(("width", "small"), [(410.0, False), (430.0, True)])
def test_an_area_is_small_beside_its_width_where_its_middle_counts_for_nine_tenths(width: float, small: bool) -> None:
    ring = [[-74.0, 40.7], [-73.996, 40.7], [-73.996, 40.703], [-74.0, 40.703], [-74.0, 40.7]]
    query = gp.Geofence({"type": "Polygon", "coordinates": [ring]}, width, CITY)
    assert bool(query.small_region) == small
    assert bool(float(query((40.7015, -73.998))) < 0.9) == small
    assert not gp.Ball((40.7, -74.0), 100.0, 200.0, CITY).small_region  # which is never wider than its disc


def test_the_text_gives_the_plain_answer_and_then_the_soft_one() -> None:
    first, second, *_ = str(answers(held(0.4722, 0.5138))).replace("\u202f", " ").splitlines()
    assert first == "above 100,000 USD: between 47.2 and 51.4 % (95 % confidence)"
    assert second.startswith("  Counting people within 8,000 USD of the line in part: 49.3 % (95 % interval")


def test_a_distribution_shows_between_which_lines_the_plain_shares_are() -> None:
    curve = gp.Distribution("Incomes", (50_000.0, 100_000.0, 150_000.0), 16_000.0, USD, reach=6_000.0)
    values = np.array([0.8, 0.5, 0.2])
    one = replace(answer(curve, values, [0.001] * 3, 50_000), plain=gp.answers.Band(values - 0.02, values + 0.02))
    html = page_html(answers(one))
    text = Page(html).text.replace("\u202f", " ")
    assert 'class="plain" d="M' in html
    assert "Plain share, 95 %" in text
    assert "48.0 to 52.0 %" in text
    assert "Half of all people are above a value between 50,000 and 150,000 USD." in text
    assert "(95 % confidence, each for itself.)" in text
    lines = str(answers(one)).splitlines()
    assert "between; then counting people within" in lines[0]
    assert "48.0 to 52.0" in next(line for line in lines if line.lstrip().startswith("100,000 USD"))


def test_a_quartile_is_not_named_where_the_plain_curve_does_not_tell() -> None:
    curve = gp.Distribution("Incomes", (50_000.0, 100_000.0, 150_000.0), 16_000.0, USD, reach=6_000.0)
    values = np.array([0.6, 0.5, 0.4])
    one = replace(answer(curve, values, [0.001] * 3, 50_000), plain=gp.answers.Band(values - 0.3, values + 0.3))
    assert "Half of all people" not in shown(one)


def test_who_is_counted_is_named_as_the_survey_names_them() -> None:
    one = replace(answers(held(0.4722, 0.5138)), counted="households")
    text = Page(page_html(one)).text.replace("\u202f", " ")
    assert "47.2 to 51.4 % of households are at or above 100,000 USD" in text
    assert "Counting households within 8,000 USD of the line in part" in text
    assert "50,000 households, one private report each" in text
    assert one.to_document()["answers"][0]["soft"]["edge"].startswith("households within")


def test_places_outside_the_region_and_distances_on_the_map_are_said() -> None:
    place = gp.Share("near", gp.Ball((40.7, -74.0), 3_000.0, 300.0, CITY), reach=500.0)
    assert "People outside the region of the survey count at its border." in shown(held(0.1, 0.2, place))
    assert "shorter than on the ground" not in shown(held(0.1, 0.2, place))
    wide = gp.LocalPlane(25.0, -125.0, 49.0, -67.0)
    far = gp.Share("near", gp.Ball((34.05, -118.24), 1e6, 3e5, wide), reach=1e5)
    assert "Distances are those of a flat map, up to 14 % shorter than on the ground." in shown(held(0.1, 0.2, far))


def test_a_name_that_begins_with_between_is_not_followed_by_another() -> None:
    one = held(0.4722, 0.5138)
    assert ": between 47.2 and 51.4" in str(one)
    named = replace(one, question=replace(one.question, name="Between 50,000 and 100,000 USD"))  # type: ignore[type-var]
    assert str(named).startswith("Between 50,000 and 100,000 USD: 47.2 to 51.4")
