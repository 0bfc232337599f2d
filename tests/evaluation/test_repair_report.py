"""`askwell eval repair` on cases made here."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from askwell.cli.main import app
from askwell.errors import InvalidRequest
from askwell.evaluation.repair import run_repair

PER_HARBOUR = "SELECT h.name, count(*) FROM boat b JOIN harbour h ON b.harbour_id = h.id GROUP BY h.id"
CASES = (
    ("table_typo", "SELECT name FROM baot ORDER BY length", "SELECT name FROM boat ORDER BY length"),
    ("missing_join", PER_HARBOUR.replace("JOIN harbour h ON b.harbour_id = h.id ", ""), PER_HARBOUR),
    ("markdown_prose", "Here:\n```sql\nSELECT count(*) FROM boat;\n```", "SELECT count(*) FROM boat"),
    ("not_to_be_repaired", "SELECT width FROM boat", "SELECT length FROM boat"),
    ("wrong_from_the_start", "SELECT TOP 1 name FROM boat", "SELECT name FROM boat LIMIT 2"),
    ("not_found", "SELECT name FROM boat LIMIT 1", "SELECT name FROM boat ORDER BY length LIMIT 1"),
    ("value_case", "SELECT length FROM boat WHERE name = 'siren'", "SELECT length FROM boat WHERE name = 'Siren'"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    databases = tmp_path / "databases"
    databases.mkdir()
    with sqlite3.connect(databases / "marina.sqlite") as connection:
        connection.executescript(
            """
            CREATE TABLE harbour (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, length REAL,
                               harbour_id INTEGER REFERENCES harbour (id));
            INSERT INTO harbour VALUES (1, 'North'), (2, 'South');
            INSERT INTO boat VALUES (1, 'Siren', 9.5, 1), (2, 'Tern', 6.0, 1), (3, 'Gull', 7.25, 2);
            """
        )
    rows = [
        {"id": f"c{n}", "kind": kind, "db_id": "marina", "question": "", "bad_sql": bad, "gold_sql": gold}
        for n, (kind, bad, gold) in enumerate(CASES)
    ]
    (tmp_path / "cases.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return tmp_path


def figures(folder: Path, limit: int | None = None, seed: int = 0) -> dict[str, Any]:
    lines: list[str] = []
    report = run_repair(folder / "cases.jsonl", folder / "databases", limit=limit, seed=seed, progress=lines.append)
    assert lines
    assert report.as_table()
    return report.as_json()


def test_figures_of_a_run(folder: Path) -> None:
    report = figures(folder)
    assert list(report) == [
        "cases",
        "detected",
        "repaired",
        "wrong",
        "refused",
        "no_harm",
        "hidden_column",
        "by_kind",
        "p50_ms",
    ]
    assert (report["cases"], report["detected"]) == (6, 5)
    assert (report["repaired"], report["wrong"], report["refused"]) == (3, 2, 1)
    assert report["no_harm"] == {"golds": 7, "unchanged": 7}
    assert report["hidden_column"]["cases"] == 6, "the gold that uses no column by name hides none"
    assert report["hidden_column"]["wrong"] == 0
    assert report["p50_ms"] > 0


def test_a_value_in_other_letters_is_suggested_and_counts_in_no_total(folder: Path) -> None:
    kind = figures(folder)["by_kind"]["value_case"]
    assert kind == {"cases": 1, "detected": 1, "repaired": 0, "wrong": 1, "refused": 0, "suggested": 1}


def test_a_sample_is_the_same_for_the_same_seed(folder: Path) -> None:
    first, second = figures(folder, limit=2, seed=3), figures(folder, limit=2, seed=3)
    assert sum(kind["cases"] for kind in first["by_kind"].values()) == 2
    assert first["by_kind"] == second["by_kind"]


def test_on_the_command_line(folder: Path) -> None:
    arguments = ["eval", "repair", "--cases", str(folder / "cases.jsonl"), "--databases", str(folder / "databases")]
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout.splitlines()[-1])["cases"] == 6


def test_files_that_cannot_be_read_say_so(folder: Path) -> None:
    (folder / "broken.jsonl").write_text('{"id": 1}', encoding="utf-8")
    with pytest.raises(InvalidRequest, match=r"broken\.jsonl"):
        run_repair(folder / "broken.jsonl", folder / "databases", limit=None, seed=0, progress=print)
    with pytest.raises(InvalidRequest, match=r"marina\.sqlite"):
        run_repair(folder / "cases.jsonl", folder, limit=None, seed=0, progress=print)
