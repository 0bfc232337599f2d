"""`askwell eval plan` on a folder of questions made here."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from askwell.errors import InvalidRequest
from askwell.evaluation.plan import PlanReport, run_plan

PER_HARBOUR = "SELECT h.Name, count(*) FROM boat b JOIN harbour h ON b.harbour_id = h.id GROUP BY h.id"
LENGTHS = "SELECT name, length FROM boat ORDER BY length DESC"
GOLDS = (
    ("lengths", LENGTHS, "ok", True),
    ("lengths again", LENGTHS, "ok", True),
    (
        "harbours",
        "SELECT h.Name, count(*) FROM boat b JOIN harbour h ON b.harbour_id = h.id GROUP BY h.id",
        "ok",
        False,
    ),
    ("odd values", "SELECT raw, big, half FROM oddity", "ok", False),
    ("text in double quotes", 'SELECT id FROM boat WHERE name = "Siren"', "ok", False),
    ("not scored", "SELECT name FROM boat WHERE id < 0", "empty", False),
    ("no longer there", "SELECT name FROM ship", "ok", False),
    ("may not be run", "SELECT id, name FROM boat; SELECT 1", "ok", False),
    ("never the same", "SELECT random() FROM boat", "ok", False),
    ("reads the catalogue", "SELECT name FROM sqlite_master", "ok", False),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    databases = tmp_path / "databases"
    databases.mkdir()
    for db_id in ("marina", "pier"):
        connection = sqlite3.connect(databases / f"{db_id}.sqlite")
        connection.executescript(
            """
            CREATE TABLE harbour (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, length REAL,
                               harbour_id INTEGER REFERENCES harbour (id));
            CREATE TABLE oddity (raw BLOB, big INTEGER, half REAL);
            INSERT INTO harbour VALUES (1, 'North'), (2, 'South');
            INSERT INTO boat VALUES (1, 'Siren', 9.5, 1), (2, 'Tern', 6.0, 1), (3, 'Gull', 7.25, 2);
            INSERT INTO oddity VALUES (x'00ff', 9007199254740993, 0.1), (NULL, -1, 9e999);
            """
        )
        connection.close()
    rows = [
        {"id": f"{db_id}: {name}", "db_id": db_id, "question": name, "sql": sql, "gold_exec": state, "ordered": ordered}
        for name, sql, state, ordered in GOLDS
        for db_id in ("marina", "pier")
    ]
    (tmp_path / "questions.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return tmp_path


def run(folder: Path, limit: int | None = None, seed: int = 0) -> PlanReport:
    return run_plan(folder / "questions.jsonl", folder / "databases", limit=limit, seed=seed, progress=lambda _: None)


def test_every_distinct_scorable_statement_is_compared(folder: Path) -> None:
    figures = run(folder).as_json()
    assert (figures["golds"], figures["same"]) == (12, 8)
    assert sorted(figures["different"]) == ["marina: never the same", "pier: never the same"]
    assert sorted(figures["refused"]) == ["marina: reads the catalogue", "pier: reads the catalogue"]
    assert sorted(figures["unrunnable"]) == [
        f"{db_id}: {name}" for db_id in ("marina", "pier") for name in ("may not be run", "no longer there")
    ]
    assert figures["p50_ms"] > 0
    assert json.loads(json.dumps(figures)) == figures


def test_the_table_for_people_says_why(folder: Path) -> None:
    text = run(folder).as_table()
    assert "same result      8" in text
    assert "DIFFERENT  marina: never the same: 3 rows directly, 3 through the model" in text
    assert "REFUSED    pier: reads the catalogue: " in text


def test_a_sample_is_the_same_for_the_same_seed(folder: Path) -> None:
    first, second = (run(folder, limit=5, seed=3) for _ in range(2))
    assert {gold.question.id for gold in first.compared} == {gold.question.id for gold in second.compared}
    assert len(first.compared) + len(first.unrunnable) <= 5


def test_a_missing_database_is_said(folder: Path) -> None:
    (folder / "databases" / "pier.sqlite").unlink()
    with pytest.raises(InvalidRequest, match=r"pier\.sqlite"):
        run(folder)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "cannot be read: line 1 holds something else"),
        ('\n{"id": 1}', "cannot be read: line 2 has no “db_id”"),
        ('{"id":', "cannot be read: line 1 is not JSON at column 7"),
        ("\n", "is empty"),
    ],
)
def test_a_file_that_holds_no_questions_is_said(folder: Path, text: str, said: str) -> None:
    (folder / "questions.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidRequest, match=rf"questions\.jsonl {said}"):
        run(folder)
