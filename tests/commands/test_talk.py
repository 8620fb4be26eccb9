"""What commands say beside their answers."""

from __future__ import annotations

import shlex

from geopriv.commands.talk import command


def test_the_next_command_can_be_copied_where_a_path_has_spaces() -> None:
    line = command("estimate", "our survey/design.json", "reports [1].parquet")
    assert shlex.split(line) == ["geopriv", "estimate", "our survey/design.json", "reports [1].parquet"]
    assert command("check", "survey.toml") == "geopriv check survey.toml"
