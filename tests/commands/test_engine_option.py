"""`--engine`: the same commands by Arrow and by DuckDB, and options that do not fit together."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest

import geopriv as gp
from geopriv.commands.cli import main
from geopriv.reports.engines.spark.session import silent_session
from geopriv.surveys.design import Design
from tests.designs import small_table

QUERY = gp.Threshold(0.0, 2.0)
SOURCE = gp.Source(("income",), low=(-4.0,), high=(4.0,))
DESIGN = Design("survey", (small_table(QUERY, 1.0),), questions=(gp.Share("above", QUERY),), source=SOURCE)
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs the command line in a folder with a design and 400 people."""
    monkeypatch.chdir(tmp_path)
    DESIGN.write("design.json")
    people = pa.table({"income": np.random.default_rng(0).normal(0.0, 2.0, 400)})
    csv.write_csv(people, "people.csv")
    Path("people.json").write_text("".join(json.dumps(row) + "\n" for row in people.to_pylist()))

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["geopriv", *words])
        with pytest.raises(SystemExit) as done:
            main()
        return int(done.value.code or 0), *capsys.readouterr()

    return run


@pytest.mark.parametrize("name", ["people.csv", "people.json"])
def test_duckdb_reads_people_and_counts_reports(name: str, command: Command) -> None:
    code, out, err = command("privatize", "design.json", name, "--engine", "duckdb", "--json")
    assert code == 0, err
    assert json.loads(out)["reports"] == 400
    told = [
        command("estimate", "design.json", "reports.parquet", "--no-page", "--json", "--engine", engine)
        for engine in ("arrow", "duckdb")
    ]
    assert told[0] == told[1]
    assert json.loads(told[0][1])["n"] == 400


SECRET = "Ada Lovelace"


@pytest.mark.parametrize(
    "text",
    [
        "income\n" + "1.5\n" * 30_000 + "many\n",  # far beyond what is looked at to guess a type
        "income,who\n1,x\n,x\ninf,x\n0x10,x\n",
        "income\n2024-01-01\n3\n",
        "income\ntrue\nfalse\n",
        f"{SECRET},53111\n{SECRET},4\n",
        f"{SECRET},Bob\n{SECRET},Carl\n",
    ],
)
def test_duckdb_judges_a_csv_as_arrow_does(text: str, command: Command) -> None:
    """And quotes no value, be it one that stands where names should."""
    Path("others.csv").write_text(text)
    words = ("privatize", "design.json", "others.csv", "--json", "--again", "--allow-unreadable", "100%", "--allow-odd")
    told = [command(*words, "-o", f"{name}.parquet", "--engine", name) for name in ("arrow", "duckdb")]
    assert told[0][0] == told[1][0]
    assert SECRET not in told[1][2]
    if told[0][0]:
        errors = [err.replace("file others.csv", "query's result") for _, _, err in told]
        assert errors[0] == errors[1]
    else:
        found = [json.loads(out) | {"output": "", "earlier": 0, "spent": ""} for _, out, _ in told]
        assert found[0] == found[1]


def test_values_of_several_types_in_json_are_read_one_by_one(command: Command) -> None:
    """A number and its text name one person; what is no number is counted, however late it comes."""
    rows: list[dict[str, Any]] = [{"who": i, "income": 1.5} for i in range(30_000)]
    rows += [{"who": "7", "income": "2.5"}, {"who": "x", "income": "2.5"}, {"who": "y", "income": "many"}]
    Path("mixed.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    _, out, err = command("privatize", "design.json", "mixed.json", "--engine", "duckdb", "--person", "who", "--json")
    assert not err
    told = json.loads(out)
    assert (told["rows"], told["reports"], told["repeated"]) == (30_003, 30_001, 1)
    assert told["unread"] == {"not a number": 1}


@pytest.mark.parametrize("given", ["table.parquet", "t*.parquet", "--query=from 'table.parquet'"])
def test_no_engine_writes_over_the_people(given: str, command: Command) -> None:
    pq.write_table(pa.table({"income": [1.0, 2.0]}), "table.parquet")
    before = Path("table.parquet").read_bytes()
    code, _, err = command(
        "privatize", "design.json", given, "-o", "table.parquet", "--overwrite", "--engine", "duckdb"
    )
    assert code == 2
    assert "may be the people's own" in err
    assert Path("table.parquet").read_bytes() == before


def test_duckdb_takes_names_of_files_as_they_are(command: Command) -> None:
    """To DuckDB people[1].csv is a pattern, which people1.csv fits."""
    Path("people[1].csv").write_text("income\n1\n2\n")
    Path("people1.csv").write_text("income\n1\n")
    Path("tabs.tsv").write_text("who\tincome\na\t1\n")
    for given, rows in (("people[1].csv", 2), ("people?.csv", 1), ("tabs.tsv", 1)):
        _, out, _ = command("privatize", "design.json", given, "--json", "--overwrite", "--again", "--engine", "duckdb")
        assert json.loads(out)["rows"] == rows


def test_reports_come_from_a_query_and_add_to_a_tally(command: Command) -> None:
    command("privatize", "design.json", "people.csv")
    command("estimate", "design.json", "reports.parquet", "--no-page", "--tally", "before.parquet")
    command("privatize", "design.json", "people.csv", "-o", "more.ndjson", "--again")
    add = ("--add-tally", "before.parquet", "--no-page", "--json")
    both = command("estimate", "design.json", "more.ndjson", *add, "--engine", "duckdb")
    assert json.loads(both[1])["n"] == 800
    query = "select * from 'reports.parquet'"
    asked = command("estimate", "design.json", "--query", query, "--no-page", "--json")
    assert asked[1] == command("estimate", "design.json", *add)[1]
    code, _, err = command("estimate", "design.json", "--query", query, *add)
    assert (code, "counts some reports that are given already" in err) == (2, True)


@pytest.mark.parametrize("name", ["arrow", "duckdb", "spark"])
def test_no_engine_takes_a_file_for_a_tally_that_was_not_named_as_one(name: str, command: Command) -> None:
    command("privatize", "design.json", "people.csv")
    command("estimate", "design.json", "reports.parquet", "--no-page", "--tally", "before.parquet")
    Path("folder").mkdir()
    Path("reports.parquet").rename("folder/a.parquet")
    Path("before.parquet").rename("folder/b.parquet")
    for given in ("folder/b.parquet", "folder"):
        code, _, err = command("estimate", "design.json", given, "--no-page", "--engine", name)
        assert code == 2
        assert "folder/b.parquet holds counts and no reports" in err.replace("\n", " ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("privatize", "design.json"), "a file or folder, or else a --query. Got neither"),
        (("privatize", "design.json", "people.csv", "--query", "select 1"), "or else a --query. Got both"),
        (("privatize", "design.json", "--query", "select 1", "--engine", "arrow"), "duckdb or spark, to run a query"),
        (("privatize", "design.json", "people.csv", "--master", "yarn"), "given with --engine spark"),
        (("privatize", "design.json", "people.csv", "--checkpoint", "x"), "given with --engine spark"),
        (("estimate", "design.json"), "a file or folder, or else a --query. Got neither"),
        (("estimate", "design.json", "r.parquet", "--database", "x.duckdb"), "given with a query that DuckDB runs"),
        (("privatize", "design.json", "nobody.csv", "--engine", "duckdb"), "There is no file 'nobody.csv'"),
        (("privatize", "design.json", ".", "--engine", "duckdb"), "name those in '.' by a pattern"),
        (("privatize", "design.json", "design.json", "--engine", "duckdb"), "holds a design"),
        (("estimate", "design.json", "nobody.parquet", "--engine", "duckdb"), "No such file or directory"),
    ],
)
def test_options_that_do_not_fit_are_refused(words: tuple[str, ...], message: str, command: Command) -> None:
    code, _, err = command(*words)
    assert code == 2
    assert message in err


def test_without_java_the_command_says_how_to_get_it(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    code, _, err = command("privatize", "design.json", "people.csv", "--engine", "spark")
    assert code == 2
    assert "Spark needs Java 17 or newer" in err
    assert "Traceback" not in err


def test_the_folder_that_spark_makes_for_tables_is_gone_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    later: list[Callable[[], object]] = []
    monkeypatch.setattr("atexit.register", lambda work, *given: later.append(lambda: work(*given)))
    monkeypatch.setattr(
        "geopriv.reports.engines.spark.session.session", lambda *_: (tmp_path / "spark-warehouse").mkdir()
    )
    silent_session("local[1]")
    later[0]()
    assert not list(tmp_path.iterdir())
    silent_session("local[1]")
    (tmp_path / "spark-warehouse" / "table").mkdir()  # it is somebody's
    later[1]()
    assert (tmp_path / "spark-warehouse" / "table").exists()


def test_spark_is_not_imported_unless_it_is_asked_for() -> None:
    look = "import geopriv.commands.privatize, geopriv.reports.verbs, sys; sys.exit('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", look], check=False).returncode == 0
