"""`askwell eval lessons` on a database whose questions are answered."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from askwell.errors import InvalidRequest
from askwell.evaluation.lessons import POISONED, run_lessons

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
    with closing(sqlite3.connect(tmp_path / "harbour.sqlite")) as database:
        database.executescript(
            "CREATE TABLE boats (id INTEGER PRIMARY KEY, name TEXT, colour TEXT, price REAL);"
            "INSERT INTO boats VALUES (1, 'Ada', 'red', 10), (2, 'Bo', 'blue', 20), (3, 'Cy', 'red', 35);"
            "CREATE TABLE captains (id INTEGER PRIMARY KEY, age INTEGER);"
            "INSERT INTO captains VALUES (1, 40), (2, 50);"
        )
    lines = (
        {"id": str(n), "db_id": "harbour", "question": question, "sql": sql, "gold_exec": "ok", "ordered": False}
        for n, (question, sql) in enumerate(QUESTIONS)
    )
    (tmp_path / "questions.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return tmp_path


def test_what_was_told_once_is_known_and_nothing_else_changes(folder: Path) -> None:
    report = run_lessons(folder / "questions.jsonl", folder, count=10)
    answered = len(QUESTIONS) - 1  # what is answered rightly at first
    assert report.questions == answered
    assert report.first["asked_back"] + report.first["refused"] >= answered - 1, report.failures
    assert report.corrected == report.told >= answered - 1, report.failures
    assert report.second["right"] >= report.corrected, report.failures
    assert report.asked_again == report.lost == 0, report.failures
    assert 1 <= report.learnt <= answered
    assert report.originals_changed == report.originals_broken == 0, report.failures


def test_poisoned_lessons_are_refused_or_change_nothing_else(folder: Path) -> None:
    report = run_lessons(folder / "questions.jsonl", folder, count=10)
    assert report.poisoned.total() == POISONED
    assert report.refused["common"] == report.poisoned["common"] > 0
    assert report.refused["model"] == report.poisoned["model"] > 0
    assert report.refused["instruction"] > 0
    assert report.poisoned_changed == 0, report.failures


def test_the_same_seed_asks_the_same(folder: Path) -> None:
    first, second = (run_lessons(folder / "questions.jsonl", folder, count=3, seed=7) for _ in "12")
    assert first.as_json() == second.as_json()
    assert first.questions == 3


def test_no_questions_is_no_evaluation(folder: Path) -> None:
    with pytest.raises(InvalidRequest, match="--count"):
        run_lessons(folder / "questions.jsonl", folder, count=0)
