"""`askwell eval rules`, how results are compared, and learning the grammar's weights: candidates are executed and
judged, fits are made on other databases than they are measured on, and a rule's worth is what its absence changes."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import pytest

from askwell.semantic_parsing.grammar import GRAMMAR
from askwell.semantic_parsing.trust import Trust, priors
from askwell.sql.same_result import same_result
from askwell_evaluation import reading_candidates
from askwell_evaluation.fit_readings import fit_ranker, fit_trust, left_out, observed, ranked, sureness
from askwell_evaluation.questions import split_of
from askwell_evaluation.report import Report
from askwell_evaluation.rules import run_ablation, run_rules
from evaluation.tests.marina import COUNT, LINKED_BOATS, PER_HARBOUR, make_set, places, write_rows

QUESTIONS = [
    {"question": question, "sql": sql, "gold_exec": state, "ordered": ordered}
    for question, sql, state, ordered in (
        ("How many boats are there?", COUNT, "ok", False),
        ("List the names of all boats sorted by length.", "SELECT name FROM boat ORDER BY length", "ok", True),
        ("How many boats does each harbour have?", PER_HARBOUR, "ok", False),
        ("What is the average length of boats?", "SELECT max(length) FROM boat", "ok", False),
        ("Which boats are haunted?", "SELECT name FROM boat WHERE name = 'Siren'", "ok", False),
        ("How many harbours are there?", "SELECT count(*) FROM harbour WHERE id < 0", "empty", False),
    )
]
ASKED = (
    ("how many boats are there", COUNT),
    ("boats longer than 7", "SELECT name FROM boat WHERE length > 7"),
    ("the longest boat", "SELECT name FROM boat ORDER BY length DESC LIMIT 1"),
    ("average length of boats", "SELECT max(length) FROM boat"),
)


class TestReport:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        return make_set(tmp_path, LINKED_BOATS, QUESTIONS)

    # Of the five, one has a gold with the columns the other way round, and one asks for something else than it says.
    def test_figures_of_a_run(self, folder: Path) -> None:
        report = run_rules("all", *places(folder))
        figures = report.figures
        assert figures["questions"] == 5, "a gold result that is not ok is not scored"
        assert (figures["answered"], figures["correct"], figures["abstained"]) == (4, 2, 1)
        assert (figures["accuracy"], figures["precision"]) == (0.4, 0.5)
        assert figures["by_reason"] == {"unplaced_words": 1}
        assert figures["curve"][-1] == {"answered_share": 0.8, "precision": 0.5}
        assert figures["p50_ms"] > 0
        assert figures["shown"] == 0.75, "the columns of one stand in another order"
        assert sum(band["translations"] for band in figures["bands"]) == 4
        assert "50.0% of the answered" in report.table
        assert "unplaced_words" in report.table

    def test_the_result_of_an_alternative_is_right_too(self, folder: Path) -> None:
        rows = [{"id": str(n), "db_id": "marina"} | row for n, row in enumerate(QUESTIONS)]
        rows[3]["sql_alternatives"] = ["SELECT broken", "SELECT avg(length) FROM boat"]
        write_rows(folder / "questions.jsonl", rows)
        assert run_rules("all", *places(folder)).figures["correct"] == 3

    def test_modes_differ_in_what_counts_as_an_answer(self, folder: Path) -> None:
        counts = [run_rules(mode, *places(folder)).figures["answered"] for mode in ("strict", "balanced", "all")]
        assert counts == sorted(counts)
        assert counts[0] >= 1

    def test_a_sample_is_the_same_for_the_same_seed(self, folder: Path) -> None:
        first, second = (run_rules("all", *places(folder), limit=3, seed=7).figures for _ in range(2))
        assert first["questions"] == 3
        assert first | {"p50_ms": 0} == second | {"p50_ms": 0}

    def test_the_split_leaves_out_the_other_databases(self, folder: Path) -> None:
        counts = {
            split: run_rules("all", *places(folder), split=split).figures["questions"]
            for split in ("tuning", "validation")
        }
        assert counts.pop(split_of("marina")) == 5
        assert list(counts.values()) == [0]


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


@pytest.fixture(scope="module")
def learning(tmp_path_factory: pytest.TempPathFactory) -> Path:
    asked = [{"question": question, "sql": [sql], "ordered": False} for question, sql in ASKED]
    databases = [f"marina{number}" for number in range(8)]
    return make_set(tmp_path_factory.mktemp("learning"), LINKED_BOATS, asked, *databases)


@pytest.fixture(scope="module")
def rows(learning: Path) -> list[dict[str, Any]]:
    out = learning / "out.jsonl"
    reading_candidates.main([*map(str, places(learning)), str(out), "--business"])
    return [json.loads(line) for line in out.read_text("utf-8").splitlines()]


class TestLearning:
    def test_candidates_are_judged_by_their_rows(self, rows: list[dict[str, Any]]) -> None:
        first = {row["question"]: row["candidates"][0]["right"] for row in rows}
        assert first == {question: question != "average length of boats" for question, _ in ASKED}

    def test_what_was_wrong_is_weighed_down(self, rows: list[dict[str, Any]]) -> None:
        turned = json.loads(json.dumps(rows))
        for row in turned:  # the second candidate shall be the right one
            for place, candidate in enumerate(row["candidates"]):
                candidate["right"] = place == 1
        learned = fit_ranker(turned)
        assert learned != {}
        assert learned.keys() <= {name for row in turned for c in row["candidates"] for name in c["features"]}
        won = sum(row["candidates"][0]["right"] for row in ranked(turned, learned))
        assert won > sum(row["candidates"][0]["right"] for row in ranked(turned, priors()))

    def test_sureness_is_that_of_databases_left_out(self, rows: list[dict[str, Any]]) -> None:
        found = left_out(rows, fit_ranker)
        assert len(found) == len(rows)
        assert all(0 < sure < 1 for _, sure in found if sure is not None)

    def test_a_reading_that_leaves_a_word_out_is_never_sure(self, rows: list[dict[str, Any]]) -> None:
        trust = Trust(fit_trust(rows))
        row = json.loads(json.dumps(rows[0]))
        assert sureness(row, trust) is not None
        row["candidates"][0]["features"]["skip:unknown"] = 1
        assert sureness(row, trust) is None

    def test_what_is_printed_is_what_was_observed(self) -> None:
        """Of ten answers that were 90% sure six were right, of ten that were 40% sure none."""
        told = [(0.9, n < 6) for n in range(10)] + [(0.4, False)] * 10
        found: list[tuple[dict[str, Any], float | None]] = [
            ({"candidates": [{"shown": shown}]}, said) for said, shown in told
        ]
        knots = observed(found)
        assert all(low <= high for low, high in itertools.pairwise(was for _, was in knots))
        assert Trust({"bias": math.log(9)}, knots).probability({"bias": 1.0}) == pytest.approx(0.6, abs=0.1)
        assert Trust({"bias": math.log(9)}).probability({"bias": 1.0}) == pytest.approx(0.9)

    @pytest.mark.parametrize(
        ("part", "needed", "unneeded"),
        [
            ("rules", "Pred<COMPARE_BY NUM", None),
            pytest.param("lexicon", "COMPARE_BY", "SHARE", marks=pytest.mark.deep),
        ],
    )
    def test_what_is_needed_is_worth_something(
        self, learning: Path, part: str, needed: str, unneeded: str | None
    ) -> None:
        report: Report = run_ablation(part, *places(learning))
        parts = report.figures["parts"]
        assert parts[needed]["lost"] == 8, "longer than"
        assert report.figures["questions"] == 32
        assert needed in report.table
        if unneeded is None:
            assert parts[needed]["used"] == 8
            assert parts.keys() == set(GRAMMAR.names)
        else:
            assert (parts[unneeded]["lost"], parts[unneeded]["gained"]) == (0, 0)
