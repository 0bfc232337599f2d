"""`askwell check`: a question and its SQL against a database."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from askwell.cli.main import app
from tests.support.tables import case_rows, case_table


@pytest.fixture
def yard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
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
    assert (result.exit_code, "--database" in result.output) == (2, True)
