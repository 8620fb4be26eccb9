"""What maps are made of: letters beside what they mark, coasts where they are, scales that hide nobody."""

from __future__ import annotations

import base64
import zlib

import numpy as np
import pytest
import shapely

import geopriv as gp
from geopriv.pages.coasts import coasts
from geopriv.pages.frames import WIDE, Frame
from geopriv.pages.letters import fences
from geopriv.pages.live import packed
from geopriv.pages.regions import Region
from geopriv.pages.scales import LINEAR, LOGARITHMIC, Scale, fitting, scales
from geopriv.spaces import Earth

BRITAIN = gp.LocalPlane(49.8, -8.7, 60.9, 1.9)
FIJI = gp.LocalPlane(-20.0, 176.0, -12.0, -176.0)


def _chart(space: gp.LocalPlane, bandwidth: float = 15_000.0) -> gp.DensityMap:
    low, high = (tuple(corner.tolist()) for corner in space.rectangle)
    return gp.DensityMap("where", bandwidth, low, high, space, columns=12, rows=12)


def test_letters_stand_beside_small_and_large_areas_and_apart_from_each_other() -> None:
    chart = _chart(gp.LocalPlane(40.5, -74.3, 40.95, -73.65), 1000.0)
    frame = Frame.of(chart)
    places = [(0, 0, 900), (2_000, 500, 900), (-15_000, -12_000, 9_000), (20_000, 18_000, 6_000)]
    regions = [Region(f"{k}", "area", shapely.Point(x, y).buffer(size)) for k, (x, y, size) in enumerate(places)]
    found = fences(regions, frame)
    assert [fence.mark for fence in found] == ["0", "1", "2", "3"]
    at = np.array([(WIDE * fence.x / 100, frame.tall * fence.y / 100) for fence in found])
    assert ((at > 30) & (at < [WIDE - 30, frame.tall - 30])).all()
    for k, place in enumerate(at):
        for region in regions:  # a letter takes 30 to each side
            assert shapely.distance(shapely.transform(region.shape, frame), shapely.Point(place)) > 30
        assert all(np.hypot(*(place - other)) > 60 for other in at[k + 1 :])


def test_coasts_are_where_they_are_and_name_their_source() -> None:
    found = coasts(_chart(BRITAIN))
    assert found is not None
    assert found.source == "Coasts and borders: Natural Earth, 1:50 million (public domain)."
    for place, near in (
        ((50.066, -5.715), True),
        ((58.64, -3.07), True),
        ((52.5, -1.9), False),
    ):  # two ends, and a middle
        point = shapely.Point(BRITAIN.read(place))
        assert (shapely.distance(found.lines, point) < 8_000) == near
    across = coasts(_chart(FIJI))
    assert across is not None
    taveuni, viti_levu = (shapely.Point(FIJI.read(place)) for place in ((-16.85, -179.97), (-18.14, 178.44)))
    assert max(shapely.distance(across.lines, point) for point in (taveuni, viti_levu)) < 15_000
    # where a coast passes 180° no line goes back around the Earth, through the map
    ends = [shapely.get_coordinates(part) for part in shapely.get_parts(across.lines)]
    assert max(np.hypot(*np.diff(each, axis=0).T).max() for each in ends) < 60_000


def test_no_coast_is_drawn_where_it_would_be_too_coarse_or_of_another_globe() -> None:
    assert coasts(_chart(gp.LocalPlane(40.5, -74.3, 40.95, -73.65), 1000.0)) is None
    assert coasts(_chart(gp.LocalPlane(49.8, -8.7, 60.9, 1.9, radius=Earth().radius / 2))) is None
    plane = gp.Plane("m")
    assert coasts(gp.DensityMap("where", 1e4, (0, 0), (1e6, 1e6), plane, columns=3, rows=3)) is None


def test_a_city_does_not_hide_a_country() -> None:
    country, city = np.full(400, 0.1), np.full(4, 10.0)
    choices = scales(10.0, 0.05)
    assert fitting(np.concatenate([country, city]), choices).name == LOGARITHMIC
    assert fitting(np.linspace(0.5, 10.0, 400), choices).name == LINEAR
    shares = {scale.name: float(scale(country)[0]) for scale in choices}
    assert shares[LINEAR] == pytest.approx(0.01)
    assert shares["square root"] == pytest.approx(0.1)
    assert shares[LOGARITHMIC] == pytest.approx(np.log(2) / np.log(200))


def test_scales_rise_and_their_marks_are_on_them() -> None:
    for scale in (*scales(0.734, 0.002), *scales(3e-7, 0.0), Scale(LINEAR, -2.0, 5.0)):
        along = scale(np.linspace(scale.bottom, scale.top, 50))
        assert (along[0], along[-1]) == (0.0, 1.0)
        assert (np.diff(along) > 0).all()
        marks = scale.marks
        assert 2 <= len(marks) <= 6
        assert sorted(set(marks)) == marks
        slack = 1e-9 * (scale.top - scale.bottom)
        assert all(scale.bottom - slack <= mark <= scale.top + slack for mark in marks)


def test_packed_numbers_are_those_that_were_packed() -> None:
    values = np.random.default_rng(0).normal(0, 100, (7, 5))
    planes = np.frombuffer(zlib.decompress(base64.b64decode(packed(values, 1e-4))), dtype=np.uint8)
    steps = planes.reshape(4, -1).T.copy().view("<i4").ravel().cumsum()
    assert steps * 1e-4 == pytest.approx(values.ravel(), abs=0.51e-4)
