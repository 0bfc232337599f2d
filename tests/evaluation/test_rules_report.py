"""`askwell eval rules` and how results are compared, on a folder of questions made here."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from askwell.errors import InvalidRequest
from askwell.evaluation.rules import run_rules
from askwell.evaluation.scoring import same_result
from askwell.evaluation.text2sql import split_of

PER_HARBOUR = "SELECT h.name, count(*) FROM boat b JOIN harbour h ON b.harbour_id = h.id GROUP BY h.id"
QUESTIONS = (
    ("How many boats are there?", "SELECT count(*) FROM boat", "ok", False),
    ("List the names of all boats sorted by length.", "SELECT name FROM boat ORDER BY length", "ok", True),
    ("How many boats does each harbour have?", PER_HARBOUR, "ok", False),
    ("What is the average length of boats?", "SELECT max(length) FROM boat", "ok", False),
    ("Which boats are haunted?", "SELECT name FROM boat WHERE name = 'Siren'", "ok", False),
    ("How many harbours are there?", "SELECT count(*) FROM harbour WHERE id < 0", "empty", False),
)  # fmt: skip


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
        {"id": f"q{n}", "db_id": "marina", "question": question, "sql": sql, "gold_exec": state, "ordered": ordered}
        for n, (question, sql, state, ordered) in enumerate(QUESTIONS)
    ]
    (tmp_path / "questions.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return tmp_path


# Of the five, one has a gold with the columns the other way round, and one asks for something else than it says.
def test_figures_of_a_run(folder: Path) -> None:
    report = run_rules(folder / "questions.jsonl", folder / "databases", "all").as_json()
    assert report["questions"] == 5, "a gold result that is not ok is not scored"
    assert (report["answered"], report["correct"], report["abstained"]) == (4, 2, 1)
    assert (report["accuracy"], report["precision"]) == (0.4, 0.5)
    assert report["by_reason"] == {"unplaced_words": 1}
    assert report["curve"][-1]["answered_share"] == 0.8
    assert report["curve"][-1]["precision"] == 0.5
    assert report["p50_ms"] > 0
    assert report["shown"] == 0.75, "the columns of one stand in another order"
    assert sum(band["translations"] for band in report["bands"]) == 4


def test_the_result_of_an_alternative_is_right_too(folder: Path) -> None:
    path = folder / "questions.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows[3]["sql_alternatives"] = ["SELECT broken", "SELECT avg(length) FROM boat"]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert run_rules(path, folder / "databases", "all").as_json()["correct"] == 3


def test_modes_differ_in_what_counts_as_an_answer(folder: Path) -> None:
    counts = [
        run_rules(folder / "questions.jsonl", folder / "databases", mode).as_json()["answered"]
        for mode in ("strict", "balanced", "all")
    ]
    assert counts == sorted(counts)
    assert counts[0] >= 1


def test_a_sample_is_the_same_for_the_same_seed(folder: Path) -> None:
    runs = [run_rules(folder / "questions.jsonl", folder / "databases", "all", limit=3, seed=7) for _ in range(2)]
    assert [j.question.id for j in runs[0].judged] == [j.question.id for j in runs[1].judged]
    assert len(runs[0].judged) == 3


def test_the_table_for_people_has_the_figures(folder: Path) -> None:
    text = run_rules(folder / "questions.jsonl", folder / "databases", "all").as_table()
    assert "50.0% of the answered" in text
    assert "unplaced_words" in text


def test_the_split_leaves_out_the_other_databases(folder: Path) -> None:
    mine = split_of("marina")
    other = "validation" if mine == "tuning" else "tuning"
    assert run_rules(folder / "questions.jsonl", folder / "databases", "all", split=mine).as_json()["questions"] == 5
    assert run_rules(folder / "questions.jsonl", folder / "databases", "all", split=other).as_json()["questions"] == 0


@pytest.mark.parametrize(("mode", "split"), [("bold", "all"), ("strict", "half")])
def test_unknown_modes_and_splits_are_refused(folder: Path, mode: str, split: str) -> None:
    with pytest.raises(InvalidRequest):
        run_rules(folder / "questions.jsonl", folder / "databases", mode, split=split)


def test_a_missing_database_is_said(folder: Path) -> None:
    (folder / "databases" / "marina.sqlite").unlink()
    with pytest.raises(InvalidRequest, match="marina"):
        run_rules(folder / "questions.jsonl", folder / "databases", "all")


@pytest.mark.parametrize(
    ("gold", "predicted", "ordered", "same"),
    [
        ([(1,), (2,)], [(2,), (1,)], False, True),
        ([(1,), (2,)], [(2,), (1,)], True, False),
        ([(1,), (1,)], [(1,)], False, False),
        ([(1.0,)], [(1.0000001,)], False, True),
        ([(1.0,)], [(1.001,)], False, False),
        ([("a", 1)], [(1, "a")], False, False),
        ([(None,), ("x",), (3,)], [(3,), (None,), ("x",)], False, True),
        ([("1",)], [(1,)], False, False),
        ([], [], True, True),
    ],
)
def test_results_are_compared_as_multisets_or_lists(
    gold: list[tuple[object, ...]], predicted: list[tuple[object, ...]], ordered: bool, same: bool
) -> None:
    assert same_result(gold, predicted, ordered=ordered) is same
