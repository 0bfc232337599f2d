"""`askwell eval clarification` and `lessons` on a database whose questions are answered."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from askwell.errors import InvalidRequest
from askwell.sql.query_result import QueryBroke
from askwell_evaluation.clarification import run_clarification
from askwell_evaluation.databases import SqliteReader
from askwell_evaluation.lessons import POISONED, run_lessons
from askwell_evaluation.report import Report
from evaluation.tests.marina import make_set, places

SCRIPT = """
CREATE TABLE boats (id INTEGER PRIMARY KEY, name TEXT, colour TEXT, price REAL);
INSERT INTO boats VALUES (1, 'Ada', 'red', 10), (2, 'Bo', 'blue', 20), (3, 'Cy', 'red', 35);
CREATE TABLE captains (id INTEGER PRIMARY KEY, age INTEGER);
INSERT INTO captains VALUES (1, 40), (2, 50);
"""
QUESTIONS = (
    ("How many boats are there?", "SELECT count(*) FROM boats"),
    ("List the price of all boats.", "SELECT price FROM boats"),
    ("What is the average price of boats?", "SELECT avg(price) FROM boats"),
    ("Show the colour of all boats.", "SELECT colour FROM boats"),
    ("How many captains are there?", "SELECT count(*) FROM captains"),
    ("What is the meaning of life?", "SELECT 42"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [{"question": question, "sql": sql, "gold_exec": "ok"} for question, sql in QUESTIONS]
    return make_set(tmp_path, SCRIPT, rows, "harbour")


class TestClarification:
    def test_what_is_made_ambiguous_is_asked_back_and_the_answer_counts(self, folder: Path) -> None:
        report = run_clarification(*places(folder), count=10)
        found = report.figures
        assert (found["clear"], found["needlessly"]) == (len(QUESTIONS), 0)
        assert found["ambiguous"] >= 4  # what is answered rightly at first
        rates = [found[f"{name}_rate"] for name in ("asked_back", "options_hold_it", "right_after_answer")]
        assert rates == [1.0, 1.0, 1.0], report.failures
        assert found["by_kind"].keys() == {"column", "table"}
        assert sum(counts["ambiguous"] for counts in found["by_kind"].values()) == found["ambiguous"]
        assert "ambiguous questions: 100.0% asked back" in report.table

    def test_a_gold_query_that_cannot_be_read_ends_nothing(self, folder: Path) -> None:
        questions, databases = places(folder)
        whole = run_clarification(questions, databases, count=10).figures
        unreadable = {"id": "x", "db_id": "harbour", "question": "How many boats are red?", "sql": "SELECT FROM (((",
                      "sql_alternatives": ["SELECT 2"], "gold_exec": "ok"}  # fmt: skip
        questions.write_text(f"{json.dumps(unreadable)}\n{questions.read_text()}")
        found = run_clarification(questions, databases, count=10).figures
        assert (found["clear"], found["ambiguous"]) == (whole["clear"] + 1, whole["ambiguous"])

    def test_only_a_column_that_is_read_gets_a_twin(self, tmp_path: Path) -> None:
        script = """
        CREATE TABLE harbours (id INTEGER PRIMARY KEY, town TEXT, code TEXT);
        CREATE TABLE boats (code TEXT PRIMARY KEY, name TEXT, harbour_id INTEGER REFERENCES harbours);
        INSERT INTO harbours VALUES (1, 'Ulm', 'U'), (2, 'Kiel', 'K');
        INSERT INTO boats VALUES ('A', 'Ada', 1), ('B', 'Bo', 2), ('C', 'Cy', 1);
        """
        sql = "SELECT b.code FROM boats AS b JOIN harbours AS h ON b.harbour_id = h.id WHERE h.town = 'Ulm'"
        make_set(tmp_path, script, [{"question": "Show the code of boats in Ulm.", "sql": sql, "gold_exec": "ok"}])
        found = run_clarification(*places(tmp_path), count=1).figures
        # The code of a harbour is not read, that of a boat is its key.
        assert (found["clear"], found["ambiguous"]) == (1, 0)


class TestLessons:
    def test_what_was_told_once_is_known_and_nothing_else_changes(self, folder: Path) -> None:
        report = run_lessons(*places(folder), count=10)
        found, answered = report.figures, len(QUESTIONS) - 1  # what is answered rightly at first
        assert found["questions"] == answered
        assert found["first"]["asked_back"] + found["first"]["refused"] >= answered - 1, report.failures
        assert found["corrected"] == found["told"] >= answered - 1, report.failures
        assert found["second"]["right"] >= found["corrected"], report.failures
        assert found["asked_again"] == found["corrected_and_not_right"] == 0, report.failures
        assert 1 <= found["lessons"] <= answered
        assert found["originals_changed"] == found["originals_broken"] == 0, report.failures
        # Poisoned lessons are refused or change nothing else.
        poisoned = found["poisoned"]
        assert sum(kind["taught"] for kind in poisoned.values()) == POISONED
        for kind in ("common", "model"):
            assert poisoned[kind]["refused"] == poisoned[kind]["taught"] > 0
        assert poisoned["instruction"]["refused"] > 0
        assert found["poisoned_changed"] == 0, report.failures


@pytest.mark.parametrize("run", [run_clarification, run_lessons])
class TestBoth:
    def test_the_same_seed_makes_the_same_questions(self, folder: Path, run: Callable[..., Report]) -> None:
        first, second = (run(*places(folder), count=3, seed=7) for _ in "12")
        assert (first.figures, first.failures) == (second.figures, second.failures)

    def test_no_questions_is_no_evaluation(self, folder: Path, run: Callable[..., Report]) -> None:
        with pytest.raises(InvalidRequest, match="--count"):
            run(*places(folder), count=0)


def test_a_query_over_a_given_connection_has_a_time_limit() -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with closing(SqliteReader(sqlite3.connect(":memory:"), timeout=0.05)) as reader:
        assert isinstance(reader.run(endless), QueryBroke)
        assert reader.run("SELECT 1") == [(1,)]
