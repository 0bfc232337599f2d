"""`askwell eval clarification` on a database whose questions are answered."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from askwell.errors import InvalidRequest
from askwell.evaluation.clarification import run_clarification

QUESTIONS = (
    ("How many boats are there?", "SELECT count(*) FROM boats"),
    ("List the price of all boats.", "SELECT price FROM boats"),
    ("What is the average price of boats?", "SELECT avg(price) FROM boats"),
    ("Show the colour of each boat.", "SELECT colour FROM boats"),
    ("What is the meaning of life?", "SELECT 42"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "harbour.sqlite")) as database:
        database.executescript(
            "CREATE TABLE boats (id INTEGER PRIMARY KEY, name TEXT, colour TEXT, price REAL);"
            "INSERT INTO boats VALUES (1, 'Ada', 'red', 10), (2, 'Bo', 'blue', 20), (3, 'Cy', 'red', 35);"
        )
    lines = (
        {"id": str(n), "db_id": "harbour", "question": question, "sql": sql, "gold_exec": "ok", "ordered": False}
        for n, (question, sql) in enumerate(QUESTIONS)
    )
    (tmp_path / "questions.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return tmp_path


def test_what_is_made_ambiguous_is_asked_back_and_the_answer_counts(folder: Path) -> None:
    report = run_clarification(folder / "questions.jsonl", folder, count=10)
    assert report.clear == len(QUESTIONS)
    assert report.needlessly == 0
    assert report.ambiguous >= 3  # what is answered rightly at first
    assert report.asked == report.offered == report.right_after == report.ambiguous, report.failures
    assert {kind: counts["ambiguous"] for kind, counts in report.by_kind.items()}.keys() <= {"column", "table"}
    assert "ambiguous questions: 100.0% asked back" in report.as_table()


def test_the_same_seed_makes_the_same_questions(folder: Path) -> None:
    first, second = (run_clarification(folder / "questions.jsonl", folder, count=3, seed=7) for _ in "12")
    assert first.as_json() == second.as_json()


def test_no_questions_is_no_evaluation(folder: Path) -> None:
    with pytest.raises(InvalidRequest, match="--count"):
        run_clarification(folder / "questions.jsonl", folder, count=0)
