"""`askwell eval links` on a folder of questions made here."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from askwell.errors import InvalidRequest
from askwell.evaluation.links import run_links

COLUMNS = {"boat": {"id": "INTEGER", "harbour_id": "INTEGER"}, "harbour": {"id": "INTEGER", "name": "TEXT"}}
JOIN = "SELECT b.id FROM boat b JOIN harbour h ON b.harbour_id = h.id"
QUESTIONS = (
    ("Boats of North Point", f"{JOIN} WHERE h.name = 'North Point'"),
    ("Boats with the number of a harbour", "SELECT boat.id FROM boat JOIN harbour ON boat.id = harbour.id"),
    ("How many boats are there?", "SELECT count(*) FROM boat"),
    ("What is this?", "SELECT FROM WHERE"),
    ("Harbours of boats", "SELECT h.name FROM (SELECT harbour_id AS x FROM boat) AS b, harbour AS h WHERE b.x = h.id"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    databases = tmp_path / "databases"
    databases.mkdir()
    with sqlite3.connect(databases / "marina.sqlite") as connection:
        connection.executescript(
            """
            CREATE TABLE harbour (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE boat (id INTEGER PRIMARY KEY, harbour_id INTEGER REFERENCES harbour (id),
                               builder INTEGER REFERENCES harbour (id));
            INSERT INTO harbour VALUES (1, 'North Point'), (2, 'South Point');
            INSERT INTO boat VALUES (1, 1, 1), (2, 2, 2);
            """
        )
    sqlite3.connect(databases / "empty.sqlite").execute("CREATE TABLE t (a)").connection.close()
    rows = [{"id": str(n), "db_id": "marina", "question": text, "sql": sql} for n, (text, sql) in enumerate(QUESTIONS)]
    questions = tmp_path / "questions.jsonl"
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return tmp_path


def test_what_is_found_again_is_counted_against_foreign_keys_and_gold_joins(folder: Path) -> None:
    report = run_links(folder / "questions.jsonl", folder / "databases", only=["marina"])
    figures = report.as_json()["all"]
    assert figures["names"] == {
        "precision": "1/1 100.0%",
        "precision_same_key": "1/1 100.0%",
        "recall": "1/2 50.0%",
    }
    assert figures["values"]["recall"] == "1/2 50.0%"
    assert figures["questions_allowed"] == "2/3 66.7%"
    assert [line.split()[0] for line in report.as_table().splitlines()[2:]] == ["marina", "all"]


def test_without_primary_keys_values_have_to_tell_them(folder: Path) -> None:
    figures = run_links(folder / "questions.jsonl", folder / "databases", only=["marina"], without_keys=True).as_json()
    assert (figures["all"]["names"]["recall"], figures["all"]["values"]["recall"]) == ("0/2 0.0%", "1/2 50.0%")


def test_a_folder_without_links_is_an_error(folder: Path) -> None:
    with pytest.raises(InvalidRequest, match="links"):
        run_links(folder / "questions.jsonl", folder / "databases", only=["nothing"])
