"""`askwell eval scope` on databases made here, and the gate on the questions that are kept for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from askwell.config import load_config
from askwell.errors import InvalidRequest
from askwell.providers.embedder.minilm_export import missing_for_export
from askwell_evaluation.catalogue import read_models
from askwell_evaluation.report import Report
from askwell_evaluation.scope import AskedQuestion, area_under_curve, read_asked, run_scope
from evaluation.tests.marina import figures, run_eval, write_rows

NEEDS_MINILM = pytest.mark.skipif(bool(missing_for_export()), reason="the minilm extra is not installed")
KEPT = Path(__file__).parents[2] / "benchmarks" / "scope"
SCHEMAS = {
    "harbour": {"boat": [["boat_id", "number"], ["length_m", "number"]], "berth": [["berth_id", "number"]]},
    "bakery": {"loaf": [["loaf_id", "number"], ["grain", "text"]]},
}
INSIDE = [
    {"db_id": "harbour", "question": "How long is each boat?"},
    {"db_id": "bakery", "question": "Which grains are in a loaf?"},
    {"db_id": "bakery", "question": "Which violinist plays sonatas and fugues?"},
]
OUTSIDE: list[dict[str, Any]] = [
    {"kind": "zoo", "question": "Which penguins hatched near the giraffes?"},
    {"kind": "sea", "question": "Which boat sank?", "unless": ["boats", "ships"]},
    {"kind": "zoo", "question": "Which keepers fed the tigers meat?", "db_id": "bakery"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMAS), encoding="utf-8")
    write_rows(tmp_path / "in.jsonl", INSIDE)
    write_rows(tmp_path / "out.jsonl", OUTSIDE)
    (tmp_path / "config.yaml").write_text("embedder: {default: {provider: none}}\n", encoding="utf-8")
    return tmp_path


def run(folder: Path, inside: list[AskedQuestion] | None = None, **options: Any) -> Report:
    return run_scope(
        inside if inside is not None else read_asked(folder / "in.jsonl"),
        read_asked(folder / "out.jsonl"),
        read_models([folder / "schema.json"]),
        load_config(folder / "config.yaml", {"ASKWELL_HOME": str(folder)}),
        **options,
    )


def test_each_question_is_put_to_its_own_catalogue_or_to_all_that_it_is_not_about(folder: Path) -> None:
    report = run(folder)
    found = report.figures
    assert (found["in"], found["out"], found["out_verdicts"], found["catalogues"]) == (3, 3, 4, 2)
    assert (found["in_stopped_rate"], found["out_stopped_rate"]) == (0.3333, 0.75)
    assert found["out_by_kind"] == {"zoo": 1.0, "sea": 0.0}
    assert found["out_by_catalogue"] == {"harbour": 1.0, "bakery": 0.6667}
    assert found["in_by_catalogue"] == {"harbour": 0.0, "bakery": 0.5}
    assert found["in_stopped"] == ["bakery: Which violinist plays sonatas and fugues?"]
    assert found["in_stopped_bounds"][0] < 1 / 3 < found["in_stopped_bounds"][1]
    assert "STOPPED          bakery: Which violinist" in report.table


def test_only_named_databases_and_a_sample_of_what_belongs(folder: Path) -> None:
    assert run(folder, catalogues=["harbour"]).figures["out_by_catalogue"].keys() == {"harbour"}
    assert run(folder, limit=1, seed=3).figures["in"] == 1


def test_a_database_that_the_schemas_do_not_have_is_told_of(folder: Path) -> None:
    with pytest.raises(InvalidRequest, match="observatory"):
        run(folder, [AskedQuestion("Which stars are bright?", "observatory")])


@pytest.mark.parametrize(
    ("positives", "negatives", "area"),
    [([2, 3], [0, 1], 1.0), ([0, 1], [2, 3], 0.0), ([1], [1], 0.5), ([0, 2], [1], 0.5), ([], [1], 0.0)],
)
def test_the_area_under_the_curve_counts_pairs_in_order(
    positives: list[float], negatives: list[float], area: float
) -> None:
    assert area_under_curve(positives, negatives) == area


def test_the_command_prints_the_figures(folder: Path) -> None:
    given = {"--in": "in.jsonl", "--out": "out.jsonl", "--schemas": "schema.json", "--config": "config.yaml"}
    said = run_eval("scope", *(word for name, file in given.items() for word in (name, str(folder / file))), "--json")
    assert {"in_stopped_rate", "out_stopped_rate", "auc"} <= set(figures(said))
    assert "2 of 2 catalogues" in said.stderr


@pytest.mark.parametrize(
    ("provider", "in_stopped", "out_stopped"),
    [
        ("none", 2, 0.5),
        pytest.param("minilm", 1, 0.75, marks=[pytest.mark.deep, NEEDS_MINILM]),
    ],
)
def test_questions_about_a_staff_database_pass_and_others_are_stopped(
    tmp_path: Path, provider: str, in_stopped: int, out_stopped: float
) -> None:
    (tmp_path / "config.yaml").write_text(f"embedder: {{default: {{provider: {provider}}}}}\n", encoding="utf-8")
    report = run_scope(
        read_asked(KEPT / "in_scope.jsonl"),
        read_asked(KEPT / "out_of_scope.test.jsonl"),
        read_models([KEPT / "schema.json"]),
        load_config(tmp_path / "config.yaml", {"ASKWELL_HOME": str(tmp_path)}),
        catalogues=["hr"],
    )
    assert len(report.figures["in_stopped"]) <= in_stopped
    assert report.figures["out_stopped_rate"] >= out_stopped
