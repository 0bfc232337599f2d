"""`askwell check`: a question and its SQL against a database."""

from __future__ import annotations

import io
import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from askwell.cli.answer import show_answer, show_rows
from askwell.cli.main import app
from tests.support.tables import case_rows, case_table


@pytest.fixture
def yard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    path = tmp_path / "yard.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE boats (id INTEGER PRIMARY KEY, name TEXT, hull TEXT, length REAL)")
        connection.execute(
            "INSERT INTO boats VALUES (1, 'Siren', 'oak', 9.5), (2, 'Tern', 'steel', 14), (3, 'Gull', 'Oak ', 8)"
        )
    return path


def check(yard: Path, *arguments: str | os.PathLike[str]) -> Result:
    return CliRunner().invoke(app, ["check", *map(str, arguments), "--database", str(yard)])


@pytest.mark.parametrize(
    ("question", "sql", "status", "said"),
    case_rows(__file__, "the_status_says_what_was_found", "question", "sql", "status", "said"),
)
def test_the_status_says_what_was_found(yard: Path, question: str, sql: str, status: int, said: str) -> None:
    result = check(yard, question, "--sql", sql)
    assert (result.exit_code, said in result.output) == (status, True), result.output


def test_json_has_each_finding(yard: Path) -> None:
    result = check(yard, "How many boats are there?", "--sql", "SELECT name FROM boats", "--json")
    told = json.loads(result.stdout)
    assert (told["verdict"], told["rewritten"]) == ("wrong", "SELECT COUNT(*) FROM boats")
    assert 0 < told["sureness"] < 0.5
    assert [(one["code"], one["severity"], one["words"]) for one in told["findings"]] == [
        ("no_count", "wrong", "how many")
    ]
    assert set(told["findings"][0]) == {"code", "severity", "words", "sql", "message"}


def test_sql_of_another_database_is_read(yard: Path) -> None:
    sql = "SELECT TOP 1 [name] FROM [boats] ORDER BY [length] DESC"
    assert check(yard, "Which boat is the longest?", "--sql", sql, "--dialect", "tsql").exit_code == 0
    result = check(yard, "Show the top 3 boats by length", "--sql", sql.replace("1", "3"), "--dialect", "tsql")
    assert "Askwell would write: SELECT TOP 3 [name], [length] FROM [boats]" in result.output


def test_many_are_checked_in_their_order(yard: Path, tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"id": "a", "question": "How many boats are there?", "sql": "SELECT COUNT(*) FROM boats"},
        {"id": 2, "question": "How many boats are there?", "sql": "SELECT name FROM boats"},
    ]
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    result = check(yard, "--questions", file, "--json")
    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(one["id"], one["verdict"]) for one in told] == [("a", "sound"), (2, "wrong")]
    assert result.exit_code == 0
    file.write_text(json.dumps(rows[0] | {"sql": "DROP TABLE boats"}) + "\n" + json.dumps(rows[1]))
    result = check(yard, "--questions", file, "--json")
    assert (result.exit_code, json.loads(result.stdout.splitlines()[0])["verdict"]) == (3, None)


@pytest.mark.parametrize("arguments", case_table(__file__, "what_cannot_be_used_is_said"))
def test_what_cannot_be_used_is_said(yard: Path, arguments: list[str]) -> None:
    result = check(yard, *arguments)
    assert result.exit_code == 2
    assert "\n" in result.output.strip()


def test_without_a_database_one_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASKWELL_DATABASE", raising=False)
    result = CliRunner().invoke(app, ["check", "How many boats?", "--sql", "SELECT 1"])
    assert (result.exit_code, "Name the database" in result.output) == (2, True)


# -- An answer for people: the table of its rows in a terminal of some width, and what it cites.


INVOICES: dict[str, list[Any]] = case_table(__file__, "invoices")


def printed(columns: dict[str, list[Any]], width: int = 100, sql: str = "") -> str:
    told = io.StringIO()
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    names = [{"name": name, "type": "?"} for name in columns]
    data = {"columns": names, "rows": rows, "row_count": len(rows), "truncated": False}
    show_rows(Console(file=told, width=width), data, 20, sql=sql)
    return told.getvalue()


def cells(values: list[Any]) -> list[str]:
    return [line.strip() for line in printed({"it": values}).splitlines()[3 : 3 + len(values)]]


@pytest.mark.parametrize("sql", ["SELECT * FROM i ORDER BY Total DESC", "SELECT * FROM i WHERE total > 20"])
def test_where_not_all_columns_fit_the_ones_that_were_asked_about_do(sql: str) -> None:
    assert "25.86" not in printed(INVOICES, 24)
    said = printed(INVOICES, 24, sql)
    assert "25.86" in said
    assert "3 columns do not fit into this terminal: Date, Address, City" in said


def test_no_cell_is_cut() -> None:
    assert [width for width in range(20, 100) if "…" in printed(INVOICES, width)] == []
    assert "fit" not in printed(INVOICES, 100)


@pytest.mark.parametrize("width", range(20, 40))
def test_what_is_about_something_has_its_figure_in_a_narrow_terminal_too(width: int) -> None:
    said = printed({"Name": ["Rock", "Alternative & Punk"], "number_of_tracks": [1297, 332]}, width)
    lines = said.splitlines()
    assert max(map(len, lines[:-1])) <= width
    assert any("Rock" in line and "1297" in line for line in lines)
    assert "…" not in said
    assert "fit" not in said


def test_one_long_text_goes_on_in_the_next_line() -> None:
    said = printed({"Name": ["In Through The Out Door"]}, 20)
    assert [word for word in ("In", "Through", "The", "Out", "Door") if word not in said] == []


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (["2025-11-13 00:00:00", None], ["2025-11-13", "NULL"]),
        (["2018-02-28T10:55:36", "2018-03-01T00:00:00"], ["2018-02-28 10:55:36", "2018-03-01 00:00:00"]),
        (["2018-02-28T00:00:00+02:00"], ["2018-02-28 00:00:00+02:00"]),
        (["2018-02-28T10:55:36", "Tuesday"], ["2018-02-28T10:55:36", "Tuesday"]),
        (["1.8000000000000000", "2.0000000000000000"], ["1.8", "2"]),
        (["12.50", "3.00"], ["12.50", "3.00"]),
        ([0.1 + 0.2, 1.0], ["0.3", "1"]),
        (
            [2328.600000000004, 100 / 3, -2 / 3, 1e20, 5e-324],
            ["2328.6", "33.3333", "-0.6667", "1e+20", "4.9407e-324"],
        ),
        ([0.00001234567891, 0.0, 99999.99999999], ["1.2346e-05", "0", "100000"]),
        ([0.0012345678912, 52.520008, -13.40495], ["0.001235", "52.520008", "-13.40495"]),
        (["39.3846153846153846", "0.3333333333333333"], ["39.3846", "0.3333"]),
        (["1234567.0000000000001"], ["1234567"]),
    ],
)
def test_values_are_shown_in_one_form(values: list[Any], shown: list[str]) -> None:
    assert cells(values) == shown


CITED = case_table(__file__, "cited")
ANSWER = {"status": "finished", "type": "GENERAL", "citations": [CITED, CITED | {"start": 20, "end": 23}]}


@pytest.mark.parametrize(
    ("result", "quiet", "sources"),
    [(ANSWER, False, 1), (ANSWER, True, 0), (ANSWER | {"type": "TEXT_TO_SQL"}, False, 0)],
    ids=["words", "quiet", "a plan that is not shown"],
)
def test_each_source_is_told_once(
    result: dict[str, object], quiet: bool, sources: int, capsys: pytest.CaptureFixture[str]
) -> None:
    show_answer(result, rows=5, words="Thirty days [1]. So [1].", quiet=quiet)
    assert capsys.readouterr().out.count("[1] Shop rules: “Thirty days.”") == sources
