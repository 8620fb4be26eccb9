"""Survey files for tests: a good one for every kind of space, and more than forty that are wrong."""

from __future__ import annotations

import json
from pathlib import Path

import geopriv as gp
from geopriv.surveys import Survey

LINE = """name = "Household incomes"
epsilon = 1.0
per = "8,000 USD"
people = 200_000
[space]
kind = "line"
unit = "USD"
columns = ["income"]
range = [0, 2_000_000]
[[query]]
kind = "threshold"
at = 100_000
[[query]]
kind = "distribution"
from = 0
to = 400_000
step = 10_000
[[query]]
kind = "range"
low = 20_000
high = 60_000
"""

LOG = """name = "Ratios"
epsilon = 1.0
per = "factor 2"
people = 200_000
[space]
kind = "log"
unit = "USD"
columns = ["income"]
range = [1_000, 2_000_000]
[prior]
kind = "uniform"
[[query]]
kind = "threshold"
at = 100_000
width = "factor 4"
[[query]]
kind = "distribution"
from = 2_000
to = 512_000
step = "factor 2"
"""

MAP = """name = "Crashes"
epsilon = 1.0
per = "500 m"
people = 1_000_000
[space]
kind = "map"
columns = ["lat", "lon"]
region = { south = 40.49, west = -74.27, north = 40.93, east = -73.68 }
[prior]
kind = "uniform"
[[query]]
kind = "density map"
cells = [7, 5]
[[query]]
kind = "ball"
center = [40.75, -73.98]
radius = "1 km"
[[query]]
kind = "geofence"
file = "parks.geojson"
[[query]]
kind = "orthant"
at = [40.7, -74.0]
"""

PLANE = """name = "Income and debt"
epsilon = 1.0
per = 10_000
people = 200_000
[space]
kind = "plane"
unit = "USD"
columns = ["income", "debt"]
person = "household"
range = [[0, 1_000_000], [0, 2_000_000]]
[[query]]
kind = "orthant"
at = [[100_000, 200_000], [50_000, 10_000]]
[[query]]
kind = "score"
weights = [1, -1]
at = 0
[[query]]
kind = "density map"
cells = 4
range = [[0, 200_000], [0, 400_000]]
[[query]]
kind = "ball"
center = [50_000, 50_000]
radius = 20_000
width = 40_000
"""

SPACE = """name = "Three axes"
epsilon = 1.0
per = 1
people = 1000
[space]
kind = "euclidean"
columns = ["a", "b", "c"]
range = [[0, 10], [0, 10], [0, 10]]
[[query]]
kind = "orthant"
at = [1, 2, 3]
[[query]]
kind = "score"
weights = [1, -1, 0]
at = 0
[[query]]
kind = "ball"
center = [5, 5, 5]
radius = 3
"""

GOOD = {"line": LINE, "log": LOG, "map": MAP, "plane": PLANE, "euclidean": SPACE}


def square(west: float, south: float, side: float = 0.02) -> list[list[list[float]]]:
    """The ring of a square in GeoJSON order."""
    east, north = west + side, south + side
    return [[[west, south], [east, south], [east, north], [west, north], [west, south]]]


def feature(name: str | None, coordinates: object) -> dict[str, object]:
    properties = {} if name is None else {"name": name}
    return {"type": "Feature", "properties": properties, "geometry": {"type": "Polygon", "coordinates": coordinates}}


def collection(*features: object) -> str:
    return json.dumps({"type": "FeatureCollection", "features": features})


PARK, FIELD = square(-73.98, 40.76), square(-73.97, 40.65)
BOW_TIE = [[[-73.98, 40.76], [-73.96, 40.78], [-73.96, 40.76], [-73.98, 40.78], [-73.98, 40.76]]]
FILES = {
    "parks.geojson": collection(feature("Central", PARK), feature("Prospect", FIELD)),
    "one.geojson": json.dumps({"type": "Polygon", "coordinates": PARK}),
    "unnamed.geojson": collection(feature(None, PARK), feature(None, FIELD)),
    "odd.geojson": collection(feature("St. Mary's *park*", PARK), feature("___", FIELD)),
    "twice.geojson": collection(feature("Park", PARK), feature("Park", FIELD)),
    "none.geojson": collection(),
    "hollow.geojson": collection(feature("Nowhere", [])),
    "bow.geojson": collection(feature("Tie", BOW_TIE)),
    "swapped.geojson": collection(feature("Central", [[[y, x] for x, y in PARK[0]]])),
    "far.geojson": collection(feature("Paris", square(2.3, 48.85))),
    "point.geojson": json.dumps({"type": "Point", "coordinates": [-73.98, 40.76]}),
    "list.geojson": "[1, 2]",
    "broken.geojson": '{"type": "Polygon", "coordinates": [[[',
    "open.geojson": json.dumps({"type": "Polygon", "coordinates": [[[-73.98, 40.76], [-73.9, 40.76]]]}),
    "strange.geojson": collection(5, feature("Park", "here")),
    "brackets.csv": "bracket_min,bracket_max,households\n0,50000,3\n50000,100000,3\n100000,,6\n",
    "words.csv": "bracket_min,bracket_max,households\nzero,50000,3\n50000,,3\n",
}

_PRIOR = '[[query]]\nkind = "threshold"'

# (what is wrong, good text, [(old, new)…], line of the error, words in it)
Change = tuple[str, str]
BAD: list[tuple[str, str, list[Change], int, list[str]]] = [
    ("a name with an escape", LINE, [("Household", "\\u001b[31m")], 1, ["'name'", "printed and seen", r"\x1b"]),
    ("a column with an escape", LINE, [('"income"', '"in\\u200bcome"')], 8, ["space, 'columns'", "printed and seen"]),
    ("spaces around a name", LINE, [("incomes", "incomes ")], 1, ["'name'", "without spaces at its ends"]),
    ("a long name", LINE, [("incomes", "x" * 200)], 1, ["'name'", "at most 200 characters"]),
    ("a unit with a number", LINE, [('"USD"', '"8,000 USD"')], 7, ["space, 'unit'", "has no number"]),
    ("people as a float", LINE, [("200_000", "2e5")], 4, ["'people'", "written like 200_000 and not 2e5"]),
    ("unknown key", LINE, [("people", "poeple")], 4, ["'poeple'", "did you mean 'people'"]),
    ("unknown key of a space", LINE, [("columns", "colunms")], 8, ["space, 'colunms'", "did you mean 'columns'"]),
    ("unknown key of a query", LINE, [("step = 10_000", "stepp = 10_000")], 17, ["query 2, 'stepp'", "'step'"]),
    ("unlike any key", LINE, [("step = 10_000", "zzz = 1")], 17, ["query 2, 'zzz'", "kind, from, to, count"]),
    ("unknown table", LINE, [("[space]", "[spaces]")], 5, ["'spaces'", "did you mean 'space'"]),
    ("a key of another kind", LINE, [("at = 100_000", "at = 1\nradius = 5")], 13, ["query 1, 'radius'", "no key"]),
    ("a blur without a walk", LINE, [("at = 100_000", "at = 1\nblur = 5")], 13, ["query 1, 'blur'", "no noise walks"]),
    ("missing key", LINE, [("at = 100_000\n", "")], 10, ["query 1 lacks 'at'", "a number"]),
    ("missing epsilon", LINE, [("epsilon = 1.0\n", "")], 1, ["the survey lacks 'epsilon'"]),
    ("missing space", LINE, [(LINE[LINE.index("[space]") : LINE.index("[[query]]")], "")], 1, ["lacks 'space'"]),
    ("no queries", LINE, [(LINE[LINE.index("[[query]]") :], "")], 1, ["lacks 'query'", "[[query]]"]),
    ("query is a table", LINE[: LINE.index("[[query]]")] + "[query]\nkind = 1\n", [], 10, ["'query'", "[[query]]"]),
    ("every query is a table", LINE.replace("[[query]]", "[query]"), [], 10, ["double brackets, [[query]]"]),
    ("the last query is a table", "[query]".join(LINE.rsplit("[[query]]", 1)), [], 18, ["double brackets, [[query]]"]),
    ("the first query is a table", LINE.replace("[[query]]", "[query]", 1), [], 10, ["double brackets, [[query]]"]),
    ("no kind", LINE, [('kind = "line"\n', "")], 5, ["'space' lacks 'kind'", "'line', 'log'"]),
    ("unknown kind of space", LINE, [('"line"', '"lime"')], 6, ["space, 'kind'", "did you mean 'line'"]),
    ("unknown kind of query", LINE, [('"distribution"', '"distributon"')], 14, ["query 2", "mean 'distribution'?"]),
    ("a median", LINE, [('"distribution"', '"median"')], 14, ["query 2, 'kind'", "it is asked by kind = 'quantile'"]),
    ("an average", LINE, [('"distribution"', '"average"')], 14, ["it is asked by kind = 'mean'"]),
    ("a count", LINE, [('"distribution"', '"count"')], 14, ["it is asked by kind = 'total'"]),
    ("a number", LINE, [('"distribution"', '"number"')], 14, ["it is asked by kind = 'total'"]),
    ("a share", LINE, [('"distribution"', '"share"')], 14, ["it is asked by kind = 'threshold'"]),
    ("a word of before", LINE, [('"distribution"', '"cdf"')], 14, ["query 2, 'kind'", "called 'distribution' now"]),
    ("a map of before", MAP, [('"density map"', '"map"')], 12, ["query 1, 'kind'", "called 'density map' now"]),
    ("a threshold on a map", MAP, [('"density map"\ncells = [7, 5]', '"threshold"\nat = 1')], 12, ["'kind'", "'ball'"]),
    (
        "a density map on a line",
        LINE,
        [('"distribution"\nfrom = 0\nto = 400_000\nstep = 10_000', '"density map"')],
        14,
        ["query 2", "'distribution'"],
    ),
    ("epsilon 0", LINE, [("1.0", "0")], 2, ["'epsilon'", "above 0", "not 0"]),
    ("epsilon negative", LINE, [("1.0", "-1.0")], 2, ["'epsilon'", "above 0", "not -1"]),
    ("epsilon in words", LINE, [("1.0", '"1 per 8,000 USD"')], 2, ["'epsilon'", "a number"]),
    ("epsilon not a number", LINE, [("1.0", "nan")], 2, ["'epsilon'", "nan"]),
    ("epsilon out of this world", LINE, [("1.0", "1e300")], 2, ["'epsilon'", "1e+100"]),
    ("people 0", LINE, [("200_000", "0")], 4, ["'people'", "at least 1", "not 0"]),
    ("people a fraction", LINE, [("200_000", "200.5")], 4, ["'people'", "whole number"]),
    ("people with a comma", LINE, [("200_000", "200,000")], 4, ["no TOML", "200_000"]),
    ("people yes", LINE, [("200_000", "true")], 4, ["'people'", "whole number"]),
    ("no quotes", LINE, [('"8,000 USD"', "8,000 USD")], 3, ["line 3, column 8", "quotes"]),
    ("a quote too few", LINE, [('"USD"', '"USD')], 7, ["line 7", "no TOML"]),
    ("a key twice", LINE, [("people", "epsilon")], 4, ["no TOML", "overwrite"]),
    ("a list without an end", LINE, [("2_000_000]", "2_000_000")], 10, ["no TOML"]),
    ("a point for thousands", LINE, [("8,000 USD", "8.000 USD")], 3, ["'per'", "8000 for thousands, 8.0 for eight"]),
    ("a comma for decimals", LINE, [("8,000 USD", "8,5 USD")], 3, ["'per'", "8000 for thousands, 8.0 for eight"]),
    ("a space for thousands", LINE, [("8,000 USD", "8 000 USD")], 3, ["'per'", "8000 for thousands, 8.0 for eight"]),
    ("wrong currency", LINE, [("8,000 USD", "8,000 EUR")], 3, ["'per'", "USD converts to no other unit", "8,000 EUR"]),
    ("wrong unit", MAP, [("1 km", "1 furlong")], 17, ["query 2, 'radius'", "km", "mi", "1 furlong"]),
    ("decimal comma", MAP, [("1 km", "0,5 km")], 17, ["query 2, 'radius'", "0,5 km"]),
    ("a unit where there is none", SPACE, [("per = 1", 'per = "1 m"')], 3, ["'per'", "no unit"]),
    ("a length on a log space", LOG, [('"factor 2"', "2")], 3, ["'per'", "'factor 1.5'", "not 2"]),
    ("a factor of 1", LOG, [('"factor 4"', '"factor 1"')], 15, ["query 1, 'width'", "ratio above 1"]),
    ("negative width", LINE, [("at = 100_000", "at = 100_000\nwidth = -5")], 13, ["query 1, 'width'", "above 0", "-5"]),
    ("width 0", LINE, [("at = 100_000", "at = 100_000\nwidth = 0")], 13, ["query 1, 'width'", "above 0"]),
    ("a width too small", LINE, [("at = 100_000", "at = 1\nwidth = 1e-9")], 13, ["query 1, 'width'", "8e-06", "1/ε"]),
    ("a width too wide", LINE, [("low = 20_000", "low = 20_000\nwidth = 50_000")], 21, ["query 3, 'width'", "at most"]),
    ("upside down range", LINE, [("[0, 2_000_000]", "[2_000_000, 0]")], 9, ["space, 'range'", "lower value first"]),
    ("range of one", LINE, [("[0, 2_000_000]", "[0]")], 9, ["space, 'range'", "[lowest, highest]"]),
    ("endless range", LINE, [("[0, 2_000_000]", "[0, inf]")], 9, ["space, 'range'", "inf"]),
    ("log range from 0", LOG, [("[1_000, 2_000_000]", "[0, 2_000_000]")], 9, ["space, 'range'", "above 0"]),
    ("range of a line on a plane", PLANE, [("[[0, 1_000_000], [0, 2_000_000]]", "[0, 5]")], 10, ["space, 'range'"]),
    ("three axes on a plane", PLANE, [("[0, 2_000_000]]", "[0, 2], [0, 3]]")], 10, ["space, 'range'", "two pairs"]),
    ("flat axis", PLANE, [("[0, 2_000_000]]", "[2, 2]]")], 10, ["space, 'range'", "lower value first"]),
    ("steps to record values in", LINE, [("range =", "resolution = 1e5\nrange =")], 9, ["'resolution'", "no longer"]),
    ("steps of a query", LINE, [("at = 100_000", "at = 1\nresolution = 9")], 13, ["'resolution'", "is no key"]),
    ("threshold outside", LINE, [("at = 100_000", "at = 3_000_000")], 12, ["query 1, 'at'", "0 to 2,000,000 USD"]),
    ("one of many outside", LINE, [("at = 100_000", "at = [\n 1,\n -5\n]")], 12, ["query 1, 'at'", "-5"]),
    ("a text as threshold", LINE, [("at = 100_000", 'at = "100k"')], 12, ["query 1, 'at'", "a number", "'100k'"]),
    ("no thresholds", LINE, [("at = 100_000", "at = []")], 12, ["query 1, 'at'", "a list of numbers", "not []"]),
    ("threshold on the floor", LOG, [("at = 100_000", "at = 1000")], 14, ["query 1, 'at'", "above 1,000"]),
    ("query upside down", LINE, [("high = 60_000", "high = 10_000")], 21, ["query 3, 'high'", "above low = 20,000"]),
    ("curve upside down", LINE, [("from = 0", "from = 500_000")], 16, ["query 2, 'to'", "above from = 500,000"]),
    ("count and step", LINE, [("step = 10_000", "step = 10_000\ncount = 5")], 17, ["query 2, 'step'", "'count'"]),
    ("a count of 1", LINE, [("step = 10_000", "count = 1")], 17, ["query 2, 'count'", "from 2 to 16,384"]),
    ("step too long", LINE, [("step = 10_000", "step = 500_000")], 17, ["query 2, 'step'", "2 to 16,384"]),
    ("step too short", LINE, [("step = 10_000", "step = 0.01")], 17, ["query 2, 'step'", "2 to 16,384"]),
    ("bad edge", LINE, [("at = 100_000", 'at = 1\nedge = "hard"')], 13, ["query 1, 'edge'", "'linear' or 'smooth'"]),
    ("two columns", LINE, [('["income"]', '["a", "b"]')], 8, ["space, 'columns'", "1 name", "'b'"]),
    ("a column as text", LINE, [('["income"]', '"income"')], 8, ["space, 'columns'", "a list"]),
    ("a column twice", PLANE, [('"debt"', '"income"')], 8, ["space, 'columns'", "named once"]),
    ("person is a column", PLANE, [('"household"', '"debt"')], 8, ["space, 'columns'", "person's"]),
    ("person without columns", PLANE, [('columns = ["income", "debt"]\n', "")], 8, ["space, 'person'", "'columns'"]),
    ("columns swapped", MAP, [('"lat", "lon"', '"lon", "lat"')], 7, ["space, 'columns'", "look swapped"]),
    ("two names alike", LINE, [("from = 0", 'name = "above 100,000 USD"\nfrom = 0')], 15, ["'name'", "is taken"]),
    ("a value twice", LINE, [("at = 100_000", "at = [5, 5]")], 10, ["query 1, 'name'", "'above 5 USD' is taken"]),
    ("name with a tag", LINE, [("from = 0", 'name = "<b>"\nfrom = 0')], 15, ["query 2, 'name'", "letters", "'<b>'"]),
    ("empty name", LINE, [('"Household incomes"', '""')], 1, ["'name'", "not ''"]),
    ("latitudes and longitudes swapped", MAP, [
        ("south = 40.49, west = -74.27, north = 40.93, east = -73.68",
         "south = -100.27, west = 40.49, north = -99.68, east = 40.93"),
    ], 8, ["space, 'region.south'", "between -90 and 90", "look swapped"]),
    ("south of south", MAP, [("north = 40.93", "north = 40.3")], 8, ["space, 'region.north'", "above south"]),
    ("half the globe", MAP, [("east = -73.68", "east = 120.0")], 8, ["space, 'region.east'", "180°"]),
    ("a region without an end", MAP, [(", east = -73.68", "")], 8, ["space, 'region' lacks 'east'"]),
    ("center swapped", MAP, [("[40.75, -73.98]", "[-73.98, 40.75]")], 16, ["query 2, 'center'", "swapped"]),
    ("center elsewhere", MAP, [("[40.75, -73.98]", "[48.85, 2.35]")], 16, ["query 2, 'center'", "in the region"]),
    ("center of one number", MAP, [("[40.75, -73.98]", "[40.75]")], 16, ["query 2, 'center'", "2 numbers"]),
    ("no radius", MAP, [('radius = "1 km"\n', "")], 14, ["query 2 lacks 'radius'"]),
    ("no file", MAP, [("parks.geojson", "park.geojson")], 20, ["query 3, 'file'", "No such file", "park.geojson"]),
    ("a folder", MAP, [("parks.geojson", ".")], 20, ["query 3, 'file'", "Is a directory"]),
    ("no JSON", MAP, [("parks.geojson", "broken.geojson")], 20, ["query 3, 'file'", "malformed"]),
    ("no object", MAP, [("parks.geojson", "list.geojson")], 20, ["query 3, 'file'", "no GeoJSON object"]),
    ("no features", MAP, [("parks.geojson", "none.geojson")], 20, ["query 3, 'file'", "at least one polygon"]),
    ("empty polygon", MAP, [("parks.geojson", "hollow.geojson")], 20, ["query 3, 'file'", "not empty"]),
    ("self-intersecting", MAP, [("parks.geojson", "bow.geojson")], 20, ["query 3, 'file'", "Self-intersection"]),
    ("polygon swapped", MAP, [("parks.geojson", "swapped.geojson")], 20, ["query 3, 'file'", "'Central'", "swapped"]),
    ("polygon elsewhere", MAP, [("parks.geojson", "far.geojson")], 20, ["query 3, 'file'", "'Paris'"]),
    ("a point", MAP, [("parks.geojson", "point.geojson")], 20, ["query 3, 'file'", "Polygon", "'Point'"]),
    ("two corners", MAP, [("parks.geojson", "open.geojson")], 20, ["query 3, 'file'", "GeoJSON"]),
    ("strange features", MAP, [("parks.geojson", "strange.geojson")], 20, ["query 3, 'file'", "GeoJSON"]),
    ("polygons of one name", MAP, [("parks.geojson", "twice.geojson")], 18, ["query 3, 'name'", "'Park' is taken"]),
    ("no such property", MAP, [('"parks.geojson"', '"parks.geojson"\nname_property = "title"')], 21,
     ["query 3, 'name_property'", "feature 1"]),
    ("a range on a map", MAP, [("cells = [7, 5]", "range = [[0, 1], [0, 1]]")], 13, ["query 1, 'range'", "'region'"]),
    ("a region on a plane", PLANE, [("range = [[0, 200_000], [0, 400_000]]",
     "region = { south = 0, west = 0, north = 1, east = 1 }")], 21, ["query 3, 'region'", "'range'"]),
    ("a map beyond", PLANE, [("[[0, 200_000]", "[[-5, 200_000]")], 21, ["query 3, 'range'", "range of the space"]),
    ("a map upside down", PLANE, [("[[0, 200_000]", "[[9, 4]")], 21, ["query 3, 'range'", "lower value first"]),
    ("a map elsewhere", MAP, [("cells = [7, 5]", "region = { south = 40, west = -74, north = 41, east = -73 }")], 13,
     ["query 1, 'region'", "in the region of the space"]),
    ("a map of one cell", MAP, [("[7, 5]", "1")], 13, ["query 1, 'cells'", "at least 2"]),
    ("a map of a million cells", MAP, [("[7, 5]", "1000")], 13, ["query 1, 'cells'", "262,144"]),
    ("too few numbers", PLANE, [("[50_000, 10_000]", "[50_000]")], 13, ["query 1, 'at'", "2 numbers"]),
    ("a corner beyond", PLANE, [("[50_000, 10_000]", "[50_000, -1]")], 13, ["query 1, 'at'", "range of the space"]),
    ("three weights", PLANE, [("[1, -1]", "[1, -1, 1]")], 16, ["query 2, 'weights'", "2 numbers"]),
    ("no weight", PLANE, [("[1, -1]", "[0, 0]")], 16, ["query 2, 'weights'", "other than 0"]),
    ("wider than the disc", PLANE, [("width = 40_000", "width = 50_000")], 26, ["query 4, 'width'", "at most"]),
    ("a blur in space", SPACE, [("at = [1, 2, 3]", "at = [1, 2, 3]\nblur = 1")], 12, ["query 1, 'blur'", "two axes"]),
    ("a blur below the grid", MAP, [('"1 km"', '"20 km"\nblur = "78 m"')], 18,
     ["query 2, 'blur'", "must be at least", "1/ε is 500", "not '78 m'"]),
    ("a law on a map", MAP, [('"uniform"', '"normal"\nmean = 0\nsd = 1')], 10,
     ["prior, 'kind'", "'points' or 'areas' on a map"]),
    ("unknown prior", MAP, [('"uniform"', '"unifrom"')], 10, ["prior, 'kind'", "did you mean 'uniform'"]),
    ("negative spread", LINE, [(_PRIOR, f'[prior]\nkind = "lognormal"\nmedian = 5\nsigma = -1\n{_PRIOR}')], 13,
     ["prior, 'sigma'", "above 0"]),
    ("no brackets", LINE, [(_PRIOR, f'[prior]\nkind = "brackets"\nfile = "b.csv"\nshares = "n"\n{_PRIOR}')], 12,
     ["prior, 'file'", "No such file"]),
    ("no such column", LINE, [(_PRIOR, f'[prior]\nkind = "brackets"\nfile = "brackets.csv"\nshares = "n"\n{_PRIOR}')],
     13, ["prior, 'shares'", "'households'", "not 'n'"]),
    ("open end", LINE, [
        (_PRIOR, f'[prior]\nkind = "brackets"\nfile = "brackets.csv"\nshares = "households"\n{_PRIOR}')], 10,
     ["prior, 'end'", "open-ended"]),
    ("words for numbers", LINE, [
        (_PRIOR, f'[prior]\nkind = "brackets"\nfile = "words.csv"\nshares = "households"\nend = 1e6\n{_PRIOR}')], 12,
     ["prior, 'file'", "holds numbers"]),
]  # fmt: skip


def write_files(folder: Path) -> Path:
    """The folder, with the files that the surveys name in it."""
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def survey_in(folder: Path, text: str) -> gp.Survey:
    """The survey of a text that stands in a folder."""
    return Survey.parse(text, str(folder / "survey.toml"))


def changed(text: str, changes: list[Change]) -> str:
    """The text with its first occurrence of each old part replaced."""
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text
