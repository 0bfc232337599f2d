"""`askwell eval values` on a folder of questions made here."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from askwell.errors import InvalidRequest
from askwell.evaluation.values import run_values

QUESTIONS = (
    ("Which boats lie in the harbour North Point?", "SELECT b.name FROM boat b JOIN harbour h ON b.harbour_id = h.id "
     "WHERE h.name = 'North Point'", "ok"),
    ("Dutch boats, and the length of the Siren", "SELECT length FROM boat WHERE flag = \"Netherlands\" OR name IN "
     "('Siren')", "ok"),
    ("Boats whose name contains 'Ter'", "SELECT length FROM boat WHERE name LIKE '%Ter%'", "ok"),
    ("Boats called Kraken", "SELECT length FROM boat WHERE name = 'Kraken'", "empty"),
    ("Which boats are fast?", "SELECT name FROM boat WHERE class = 'A1'", "ok"),
    ("How many boats are there?", "SELECT count(*) FROM boat", "ok"),
    ("What is this?", "SELECT FROM WHERE", "error"),
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    databases = tmp_path / "databases"
    databases.mkdir()
    with sqlite3.connect(databases / "marina.sqlite") as connection:
        connection.executescript(
            """
            CREATE TABLE harbour (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, flag TEXT, class TEXT, length REAL,
                               harbour_id INTEGER REFERENCES harbour (id));
            INSERT INTO harbour VALUES (1, 'North Point'), (2, 'South Point');
            INSERT INTO boat VALUES (1, 'Siren', 'Netherlands', 'A1', 9.5, 1), (2, 'Tern', 'France', 'B2', 6.0, 1);
            """
        )
    rows = [
        {"id": f"q{n}", "db_id": "marina", "question": question, "sql": sql, "gold_exec": state}
        for n, (question, sql, state) in enumerate(QUESTIONS)
    ]
    rows.append({"id": "far", "db_id": "elsewhere", "question": "?", "sql": "SELECT 1", "gold_exec": "no_database"})
    (tmp_path / "questions.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return tmp_path


def test_figures_of_a_run(folder: Path) -> None:
    report = run_values(folder / "questions.jsonl", folder / "databases").as_json()
    assert (report["questions"], report["texts"], report["texts_in_database"]) == (5, 6, 5)
    assert report["found"] == 4
    assert (report["found_share"], report["found_share_of_all"]) == (0.8, 0.6667)
    assert report["found_by_kind"] == {"exact": 2, "demonym": 1, "partial": 1}
    assert report["missed_because"] == {"the question has none of its words": 1}
    assert report["candidates_without_texts"] == 0.0
    assert report["sampled_values"] == 8


def test_the_table_for_people_has_the_figures(folder: Path) -> None:
    text = run_values(folder / "questions.jsonl", folder / "databases").as_table()
    assert "80.0% of those held" in text
    assert "1  the question has none of its words" in text


def test_a_file_that_is_no_database_is_said(folder: Path) -> None:
    (folder / "databases" / "marina.sqlite").write_text("nothing of the kind, however long it may be " * 50)
    with pytest.raises(InvalidRequest, match=r"marina\.sqlite is not a SQLite database"):
        run_values(folder / "questions.jsonl", folder / "databases")
