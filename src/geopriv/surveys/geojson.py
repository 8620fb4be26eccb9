"""Features of a GeoJSON file that a survey names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from geopriv.surveys.part import Part, shown


def read_features(path: Path, name: str, part: Part, what: str = "polygon") -> tuple[list[Any], bool]:
    """The features of a file, perhaps no objects themselves, and whether they are of a collection.

    Args:
        path: of the file.
        name: of the file, as the survey writes it.
        part: the table whose key `file` names it.
        what: there must be at least one of.
    """
    with part.reading("file", "a GeoJSON file", name):
        tree = json.loads(path.read_text(encoding="utf-8-sig"))
    if not isinstance(tree, dict) or not isinstance(tree.get("features", []), list):
        raise part.error(f"must be a GeoJSON file, not {shown(name)}, which holds no GeoJSON object", "file")
    several = tree.get("type") == "FeatureCollection"
    features = tree.get("features", []) if several else [tree]
    if not features:
        raise part.error(f"must be a GeoJSON file of at least one {what}; {shown(name)} is empty", "file")
    return features, several


def property_of(feature: Any, name: str) -> Any:
    """A property of a feature; None where it has none."""
    properties = feature.get("properties") if isinstance(feature, dict) else None
    return properties.get(name) if isinstance(properties, dict) else None
