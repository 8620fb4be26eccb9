"""On which line of a TOML file each key stands. The reader of the standard library does not say."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

Path = tuple[str | int, ...]

# strings come first, so that nothing inside them is taken for a bracket, a comment or an end of line
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|[\[\]{}=\n]"
    r"|[^\[\]{}=\n\"'\#]+",
    re.DOTALL,
)


def key_lines(text: str) -> dict[Path, int]:
    r"""The line of every table and key, counted from 1; keys of inline tables are on the line of the outermost key.

    Args:
        text: of a valid TOML document.

    >>> key_lines('name = "a"\n[[query]]\nat = [1,\n2]\n[[query]]\nwidth = 3\n')[("query", 1, "width")]
    6
    """
    found: dict[Path, int] = {}
    arrays: dict[Path, int] = {}  # the last index of each array of tables
    table: Path = ()
    for line, statement, key in _statements(text):
        if key is None:
            names = _keys(statement)
            table = ()
            for depth, name in enumerate(names, 1):
                table = (*table, name)
                if statement.startswith("[[") and depth == len(names):
                    arrays[table] = arrays.get(table, -1) + 1
                if table in arrays:
                    found.setdefault(table, line)
                    table = (*table, arrays[table])
            found[table] = line
        else:
            path = table
            for name in _keys(key + "= 0"):
                path = (*path, name)
                found.setdefault(path, line)
    return found


def line_of(lines: Mapping[Path, int], path: Path) -> int:
    """The line of a key, or of the nearest thing around it that has one."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def _statements(text: str) -> list[tuple[int, str, str | None]]:
    """Line, text and key of each statement; the key of a header is None."""
    found: list[tuple[int, str, str | None]] = []
    line, start, depth, statement, key = 1, 1, 0, "", None
    for token in [*_TOKEN.findall(text), "\n"]:
        if token == "\n" and depth <= 0:
            if statement.strip():
                found.append((start, statement.strip(), key))
            start, statement, key = line + 1, "", None
        elif not token.startswith("#"):
            if token == "=" and key is None:
                key = statement
            depth += (token in ("[", "{")) - (token in ("]", "}"))
            statement += token
        line += token.count("\n")
    return found


def _keys(statement: str) -> list[str]:
    """The names in a header or in a dotted key, read by TOML's own rules."""
    node: Any = tomllib.loads(statement)
    names: list[str] = []
    while (isinstance(node, dict) and node) or isinstance(node, list):
        if isinstance(node, list):
            node = node[0]
        else:
            ((name, node),) = node.items()
            names.append(name)
    return names
