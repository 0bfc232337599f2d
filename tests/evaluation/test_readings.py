"""Learning the grammar's weights: candidates are executed and judged, fits are made on other databases than they are
measured on, and a rule's worth is what its absence changes."""

from __future__ import annotations

import itertools
import json
import math
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from askwell.evaluation import ablation, reading_candidates
from askwell.evaluation.fit_readings import fit_ranker, fit_trust, left_out, observed, ranked, sureness
from askwell.semantic_parsing.grammar import GRAMMAR
from askwell.semantic_parsing.scoring import priors
from askwell.semantic_parsing.trust import Trust

HARBOURS = """
CREATE TABLE harbour (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, length REAL, harbour_id INTEGER REFERENCES harbour (id));
INSERT INTO harbour VALUES (1, 'North'), (2, 'South');
INSERT INTO boat VALUES (1, 'Siren', 9.5, 1), (2, 'Tern', 6.0, 1), (3, 'Gull', 7.25, 2);
"""
ASKED = (
    ("how many boats are there", "SELECT count(*) FROM boat"),
    ("boats longer than 7", "SELECT name FROM boat WHERE length > 7"),
    ("the longest boat", "SELECT name FROM boat ORDER BY length DESC LIMIT 1"),
    ("average length of boats", "SELECT max(length) FROM boat"),
)


@pytest.fixture
def rows(tmp_path: Path) -> list[dict[str, Any]]:
    databases = tmp_path / "databases"
    databases.mkdir()
    lines = []
    for number in range(8):
        with sqlite3.connect(databases / f"marina{number}.sqlite") as connection:
            connection.executescript(HARBOURS)
        lines += [
            {"id": f"q{number}-{n}", "db_id": f"marina{number}", "question": question, "sql": [sql], "ordered": False}
            for n, (question, sql) in enumerate(ASKED)
        ]
    questions = tmp_path / "questions.jsonl"
    questions.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    out = tmp_path / "out.jsonl"
    reading_candidates.main([str(questions), str(databases), str(out), "--business"])
    return [json.loads(line) for line in out.read_text("utf-8").splitlines()]


def test_candidates_are_judged_by_their_rows(rows: list[dict[str, Any]]) -> None:
    first = {row["question"]: row["candidates"][0]["right"] for row in rows}
    assert first == {question: question != "average length of boats" for question, _ in ASKED}


def test_what_was_wrong_is_weighed_down(rows: list[dict[str, Any]]) -> None:
    turned = json.loads(json.dumps(rows))
    for row in turned:  # the second candidate shall be the right one
        for place, candidate in enumerate(row["candidates"]):
            candidate["right"] = place == 1
    learned = fit_ranker(turned)
    assert learned != {}
    assert learned.keys() <= {name for row in turned for c in row["candidates"] for name in c["features"]}
    won = sum(row["candidates"][0]["right"] for row in ranked(turned, learned))
    assert won > sum(row["candidates"][0]["right"] for row in ranked(turned, priors()))


def test_sureness_is_that_of_databases_left_out(rows: list[dict[str, Any]]) -> None:
    found = left_out(rows)
    assert len(found) == len(rows)
    said = [sure for _, sure in found if sure is not None]
    assert all(0 < sure < 1 for sure in said)


def test_a_reading_that_leaves_a_word_out_is_never_sure(rows: list[dict[str, Any]]) -> None:
    trust = Trust(fit_trust(rows))
    row = json.loads(json.dumps(rows[0]))
    assert sureness(row, trust) is not None
    row["candidates"][0]["features"]["skip:unknown"] = 1
    assert sureness(row, trust) is None


def test_what_is_printed_is_what_was_observed() -> None:
    """Of ten answers that were said to be 90% sure six were right, of ten that were said to be 40% sure none."""
    told = [(0.9, n < 6) for n in range(10)] + [(0.4, False)] * 10
    found: list[tuple[dict[str, Any], float | None]] = [
        ({"candidates": [{"shown": shown}]}, said) for said, shown in told
    ]
    knots = observed(found)
    assert all(low <= high for low, high in itertools.pairwise(was for _, was in knots))
    trust = Trust({"bias": math.log(9)}, knots)
    assert trust.probability({"bias": 1.0}) == pytest.approx(0.6, abs=0.1)
    assert Trust({"bias": math.log(9)}).probability({"bias": 1.0}) == pytest.approx(0.9)


def test_a_rule_that_is_needed_is_worth_something(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    found = _ablated("rules", tmp_path)
    needed = found.worth["Pred<COMPARE_BY NUM"]
    assert (needed.used, needed.lost) == (8, 8)
    assert found.worth.keys() == set(GRAMMAR.names)
    assert "Pred<COMPARE_BY NUM" in found.as_table()


@pytest.mark.deep
def test_a_list_that_is_needed_is_worth_something(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    found = _ablated("lexicon", tmp_path)
    assert found.worth["COMPARE_BY"].lost == 8, "longer than"
    assert (found.worth["SHARE"].lost, found.worth["SHARE"].gained) == (0, 0)
    assert found.as_json()["questions"] == 32


def _ablated(part: str, folder: Path) -> ablation.AblationReport:
    return ablation.run_ablation(
        part,
        folder / "questions.jsonl",
        folder / "databases",
        limit=None,
        seed=0,
        split="all",
        progress=lambda _: None,
    )
