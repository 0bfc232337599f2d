"""`askwell eval clarification` on a database whose questions are answered."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from askwell.errors import InvalidRequest
from askwell.evaluation.clarification import run_clarification
from askwell.evaluation.scoring import QueryBroke, SqliteReader

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
    assert report.by_kind.keys() == {"column", "table"}
    assert sum(counts["ambiguous"] for counts in report.by_kind.values()) == report.ambiguous
    assert "ambiguous questions: 100.0% asked back" in report.as_table()


def test_the_same_seed_makes_the_same_questions(folder: Path) -> None:
    first, second = (run_clarification(folder / "questions.jsonl", folder, count=3, seed=7) for _ in "12")
    assert first.as_json() == second.as_json()
    others = [run_clarification(folder / "questions.jsonl", folder, count=3, seed=seed) for seed in range(4)]
    assert any(other.as_json() != first.as_json() for other in others)


def test_a_gold_query_that_cannot_be_read_ends_nothing(folder: Path) -> None:
    questions = folder / "questions.jsonl"
    whole = run_clarification(questions, folder, count=10)
    unreadable = {"id": "x", "db_id": "harbour", "question": "How many boats are red?", "sql": "SELECT FROM (((",
                  "sql_alternatives": ["SELECT 2"], "gold_exec": "ok", "ordered": False}  # fmt: skip
    questions.write_text(f"{json.dumps(unreadable)}\n{questions.read_text()}")
    report = run_clarification(questions, folder, count=10)
    assert (report.clear, report.ambiguous) == (whole.clear + 1, whole.ambiguous)


def test_only_a_column_that_is_read_gets_a_twin(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "coast.sqlite")) as database:
        database.executescript(
            "CREATE TABLE harbours (id INTEGER PRIMARY KEY, town TEXT, code TEXT);"
            "CREATE TABLE boats (code TEXT PRIMARY KEY, name TEXT, harbour_id INTEGER REFERENCES harbours);"
            "INSERT INTO harbours VALUES (1, 'Ulm', 'U'), (2, 'Kiel', 'K');"
            "INSERT INTO boats VALUES ('A', 'Ada', 1), ('B', 'Bo', 2), ('C', 'Cy', 1);"
        )
    sql = "SELECT b.code FROM boats AS b JOIN harbours AS h ON b.harbour_id = h.id WHERE h.town = 'Ulm'"
    question = {"id": "1", "db_id": "coast", "question": "Show the code of boats in Ulm.", "sql": sql,
                "gold_exec": "ok", "ordered": False}  # fmt: skip
    (tmp_path / "questions.jsonl").write_text(json.dumps(question))
    report = run_clarification(tmp_path / "questions.jsonl", tmp_path, count=1)
    assert (report.clear, report.ambiguous) == (1, 0)  # the code of a harbour is not read, that of a boat is its key


def test_a_query_over_a_given_connection_has_a_time_limit() -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with closing(SqliteReader(sqlite3.connect(":memory:"), timeout=0.05)) as reader:
        assert isinstance(reader.run(endless), QueryBroke)
        assert reader.run("SELECT 1") == [(1,)]


def test_no_questions_is_no_evaluation(folder: Path) -> None:
    with pytest.raises(InvalidRequest, match="--count"):
        run_clarification(folder / "questions.jsonl", folder, count=0)
