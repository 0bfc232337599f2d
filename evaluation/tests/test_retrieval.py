"""`askwell eval retrieval` on a catalogue made here."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from askwell.config import Config, load_config
from askwell.errors import InvalidRequest
from askwell_evaluation.catalogue import Catalogue, LinkedQuestion, read_catalogue, read_linked_questions
from askwell_evaluation.retrieval import Found, retrieve, run_retrieval
from evaluation.tests.marina import figures, run_eval, write_rows

HARBOUR = {
    "boat": [["boat_id", "number"], ["name", "text"], ["length_m", "number"], ["berth_id", "number"]],
    "berth": [["berth_id", "number"], ["side", "text"]],
    "notes": [["note", "text"]],
}
BAKERY = {"loaf": [["loaf_id", "number"], ["grain", "text"]], "notes": [["author", "text"]]}
SPIDER = {
    "db_id": "harbour",
    "table_names_original": ["boat", "berth"],
    "table_names": ["vessel", "mooring"],
    "column_names_original": [
        [-1, "*"], [0, "boat_id"], [0, "name"], [0, "length_m"], [0, "berth_id"], [1, "berth_id"],
    ],
    "column_names": [[-1, "*"], [0, "vessel id"], [0, "name"], [0, "metres"], [0, "mooring id"], [1, "mooring id"]],
    "primary_keys": [1, 5],
    "foreign_keys": [[4, 5]],
}  # fmt: skip
SAID = {"bakery": {"table_metadata": {"loaf": [{"column_name": "grain", "column_description": "Rye or spelt flour."}]}}}
QUESTIONS: tuple[tuple[str, str, list[str], list[str]], ...] = (
    ("harbour", "How long is each boat?", ["boat"], ["boat.length_m"]),
    ("harbour", "Which boats lie at which berth?", ["boat", "berth"], ["boat.name", "boat.berth_id", "berth.berth_id"]),
    ("bakery", "Which flour is in a loaf?", ["Loaf"], ["Loaf.GRAIN"]),
    ("bakery", "Who is the author of the notes?", ["notes"], ["notes.author"]),
    ("bakery", "What is the weather?", [], []),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_rows(tmp_path / "a" / "schema.json", [{"harbour": HARBOUR}])
    write_rows(tmp_path / "a" / "tables.json", [[SPIDER]])
    write_rows(tmp_path / "b" / "schema.json", [{"bakery": BAKERY}])
    write_rows(tmp_path / "said.json", [SAID])
    rows = (
        {"id": f"q{n}", "db_id": db_id, "question": text, "gold_tables": tables, "gold_columns": columns}
        for n, (db_id, text, tables, columns) in enumerate(QUESTIONS)
    )
    write_rows(tmp_path / "questions.jsonl", rows)
    (tmp_path / "config.yaml").write_text("embedder: {default: {provider: none}}\n", encoding="utf-8")
    return tmp_path


def given(folder: Path, **settings: Any) -> tuple[Catalogue, list[LinkedQuestion], Config]:
    config: Config = load_config(folder / "config.yaml", {"ASKWELL_HOME": str(folder)})
    config = config.model_copy(update={"settings": config.settings.model_copy(update=settings)})
    catalogue = read_catalogue([folder / "a" / "schema.json", folder / "b" / "schema.json"], folder / "said.json")
    return catalogue, read_linked_questions([folder / "questions.jsonl"], catalogue), config


def run(folder: Path, **settings: Any) -> dict[str, Any]:
    return run_retrieval(*given(folder, **settings)).figures


def found_in(folder: Path, folds: int = 0) -> list[Found]:
    return asyncio.run(retrieve(*given(folder), folds=folds))[0]


def test_all_databases_are_one_catalogue_with_keys_names_and_descriptions(folder: Path) -> None:
    catalogue = read_catalogue([folder / "a" / "schema.json", folder / "b" / "schema.json"], folder / "said.json")
    assert list(catalogue.model.tables) == ["boat", "berth", "harbour.notes", "loaf", "bakery.notes"]
    assert [(one.left, one.pairs, one.right) for one in catalogue.model.relationships] == [
        ("boat", (("berth_id", "berth_id"),), "berth")
    ]
    assert catalogue.model.tables["boat"].display_name == "vessel"
    grain = catalogue.model.tables["loaf"].column("grain")
    assert grain is not None
    assert grain.description == "Rye or spelt flour."


def test_what_several_files_say_of_one_table_is_put_together(folder: Path) -> None:
    more = write_rows(folder / "c" / "schema.json", [{"bakery": {"LOAF": [["Grain", "text"], ["crust", "text"]]}}])
    tables = read_catalogue([folder / "b" / "schema.json", more]).model.tables
    assert list(tables) == ["loaf", "notes"]
    assert [column.name for column in tables["loaf"].columns] == ["loaf_id", "grain", "crust"]


def test_questions_that_need_no_table_are_left_out_and_names_go_by_any_letter_case(folder: Path) -> None:
    found = run(folder)
    assert (found["questions"], found["tables"]) == (4, 5)
    assert (found["recall_at_5"], found["recall_at_10"], found["all_at_10"]) == (1, 1, 1)
    assert (found["column_recall"], found["column_recall_overall"]) == (1, 1)
    assert min(found[name] for name in ("prompt_tokens_p50", "p50_ms", "index_s")) > 0
    assert json.loads(json.dumps(found)) == found


def test_a_table_that_is_not_among_the_first_is_not_found(folder: Path) -> None:
    assert [one.recall(1) for one in found_in(folder)] == [1, 0.5, 1, 1]


def test_a_table_is_shown_in_full_or_on_a_line_and_with_room_for_neither_not_at_all(folder: Path) -> None:
    found = run(folder, table_retrieval_size=1, context_token_budget=200)
    assert (found["shown_recall"], found["all_shown"]) == (1, 1)
    many = {f"very_long_name_of_a_table_{n}": [["some_column", "text"], ["other_column", "text"]] for n in range(90)}
    write_rows(folder / "b" / "schema.json", [{"bakery": BAKERY | {"Notes2": [["author", "text"]]} | many}])
    row = {"db_id": "bakery", "question": "Grain?", "gold_columns": []}
    golds = (["loaf"], ["loaf", "very_long_name_of_a_table_89"])
    write_rows(folder / "questions.jsonl", [row | {"id": str(n), "gold_tables": gold} for n, gold in enumerate(golds)])
    found = run(folder, table_retrieval_size=1, context_token_budget=200)
    assert (found["shown_recall"], found["all_shown"]) == (0.75, 0.5)


def test_in_folds_each_database_is_searched_with_weights_fitted_to_the_others(folder: Path) -> None:
    found = found_in(folder, folds=3)
    assert sorted(one.question.id for one in found) == ["q0", "q1", "q2", "q3"]
    assert all(one.recall(5) == 1 for one in found)
    with pytest.raises(InvalidRequest, match="no others to fit weights to"):
        found_in(folder, folds=2)


def test_a_sample_is_a_part_of_the_questions(folder: Path) -> None:
    catalogue = read_catalogue([folder / "a" / "schema.json", folder / "b" / "schema.json"])
    whole = read_linked_questions([folder / "questions.jsonl"], catalogue)
    some = read_linked_questions([folder / "questions.jsonl"], catalogue, limit=2, seed=1)
    assert len(some) == 2
    assert {row.id for row in some} < {row.id for row in whole}


def test_a_question_about_a_table_that_no_file_has_is_told_of(folder: Path) -> None:
    catalogue = read_catalogue([folder / "a" / "schema.json"])
    with pytest.raises(InvalidRequest, match=r"bakery\.Loaf"):
        read_linked_questions([folder / "questions.jsonl"], catalogue)


def test_a_file_of_schemas_that_is_something_else_is_told_of(folder: Path) -> None:
    wrong = write_rows(folder / "wrong.json", [["boat"]])
    with pytest.raises(InvalidRequest, match="holds something else"):
        read_catalogue([wrong])
    wrong.write_text('{\n"boat": [}', encoding="utf-8")
    with pytest.raises(InvalidRequest, match=r"wrong\.json is not JSON at line 2, column 10"):
        read_catalogue([wrong])


def test_the_command_prints_the_figures(folder: Path) -> None:
    given = (
        *("--schemas", "a/schema.json", "--merge", "b/schema.json", "--questions", "questions.jsonl"),
        *("--config", "config.yaml"),
    )
    paths = [word if word.startswith("--") else str(folder / word) for word in given]
    found = figures(run_eval("retrieval", *paths, "--budget", "200", "--json"))
    keys = "questions tables recall_at_5 recall_at_10 all_at_10 shown_recall all_shown"
    keys += " column_recall prompt_tokens_p50 p50_ms index_s"
    assert set(keys.split()) <= set(found)
    assert found["prompt_tokens_p50"] <= 200
