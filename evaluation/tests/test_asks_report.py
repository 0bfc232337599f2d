"""`askwell eval asks`: whole asks on a folder of questions made here, with rules alone and with a scripted model."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path

import pytest

from evaluation.tests.marina import OLDEST, evaluated, figures, outcomes
from tests.fakes.openai_server import Answer, ChatScript, ChatServer

KEYS = [
    "questions", "correct", "wrong", "failed", "accuracy", "by_source",
    "llm_calls", "prompt_tokens", "completion_tokens", "p50_ms",
]  # fmt: skip


def test_rules_alone_answer_some_and_the_others_fail_with_a_kind(folder: Path) -> None:
    out = folder / "out.jsonl"
    found = figures(evaluated(folder, {}, "--llm", "none", "--json", "--out", str(out)))
    assert set(KEYS) <= found.keys()
    assert (found["questions"], found["correct"], found["wrong"], found["failed"]) == (4, 2, 1, 1)
    assert found["accuracy"] == 0.5
    assert found["by_source"] == {"rules": {"correct": 2, "wrong": 1}}
    assert (found["llm_calls"], found["prompt_tokens"], found["completion_tokens"]) == (0, 0, 0)
    assert found["p50_ms"] > 0

    ended = outcomes(out)
    assert {key: row["verdict"] for key, row in ended.items()} == {
        "q0": "correct", "q1": "wrong", "q2": "correct", "q3": "failed",
    }  # fmt: skip
    assert ended["q1"]["source"] == "rules"
    assert "avg" in ended["q1"]["sql"].lower()
    assert ended["q3"]["failure"] == "NO_RELEVANT_SQL"
    assert not (folder / "home").exists(), "nothing is kept of what was only measured"


def test_links_that_nobody_declares_are_inferred_as_for_a_database_that_is_asked_directly(folder: Path) -> None:
    with sqlite3.connect(folder / "databases" / "fleet.sqlite") as connection:
        connection.executescript(
            """
            CREATE TABLE harbour (id INTEGER, name TEXT);
            CREATE TABLE boat (id INTEGER, name TEXT, harbour_id INTEGER, skipper TEXT);
            CREATE TABLE skippers (skipper TEXT, country TEXT);
            INSERT INTO harbour VALUES (1, 'North'), (2, 'South');
            INSERT INTO boat VALUES (1, 'Siren', 1, 'Ann'), (2, 'Tern', 1, 'Bob'), (3, 'Gull', 2, 'Ann');
            INSERT INTO skippers VALUES ('Ann', 'DE'), ('Bob', 'FR');
            """
        )
    (folder / "tables.json").unlink()
    row = {"id": "f", "db_id": "fleet", "question": "How many boats does each harbour have?", "gold_exec": "ok"}
    sql = "SELECT h.name, count(*) FROM boat b JOIN harbour h ON b.harbour_id = h.id GROUP BY h.id"
    (folder / "questions.jsonl").write_text(json.dumps(row | {"sql": sql}))
    found = figures(evaluated(folder, {}, "--llm", "none", "--json", "--out", str(folder / "out.jsonl")))
    assert found["correct"] == 1, (folder / "out.jsonl").read_text()


def test_the_table_for_people_counts_the_kinds_of_failure(folder: Path) -> None:
    said = evaluated(folder, {}, "--llm", "none")
    assert said.exit_code == 0
    assert "66.7% of the answered" in said.stdout
    assert "1  NO_RELEVANT_SQL" in said.stdout
    assert "4 of 4 asks, 2 right" in said.stderr


async def test_a_model_answers_what_rules_do_not_and_its_calls_are_counted(folder: Path) -> None:
    script = ChatScript(
        stages={
            "sql_generation": [
                Answer(when=OLDEST, json={"sql": "SELECT name FROM boat ORDER BY id LIMIT 1"}),
                Answer(when="average", json={"sql": "SELECT avg(length) FROM boat"}),
                Answer(when="boats are there", json={"sql": "SELECT count(*) FROM boat"}),
            ]
        }
    )
    async with ChatServer(script) as server:
        model = {"provider": "openai", "model": "test", "api_base": server.api_base}
        config = {"llm": {"default": model}, "settings": {"rules_mode": "off", "concurrency": 2, "scope_gate": False}}
        found = figures(await asyncio.to_thread(evaluated, folder, config, "--json"))
        calls = len(server.requests)
    # What the script does not know is answered with "SELECT 1", which is no answer to "how many".
    assert (found["correct"], found["wrong"], found["failed"]) == (2, 1, 1)
    assert found["by_source"] == {"llm": {"correct": 2, "wrong": 1}}
    assert found["llm_calls"] == calls >= 4
    assert found["prompt_tokens"] > 0
    assert found["completion_tokens"] > 0


def test_a_model_that_is_away_is_told_before_anything_is_asked(folder: Path) -> None:
    model = {"provider": "openai", "model": "test", "api_base": "http://127.0.0.1:9/v1"}
    said = evaluated(folder, {"llm": {"default": model}})
    assert said.exit_code == 2
    assert "cannot be reached (in use: test)" in said.stderr
    assert "asks," not in said.stderr


def test_a_database_that_cannot_be_modelled_fails_its_questions_alone(folder: Path) -> None:
    (folder / "databases" / "void.sqlite").write_text("Dear diary")
    with (folder / "questions.jsonl").open("a") as file:
        row = {"id": "v", "db_id": "void", "question": "How many?", "sql": "SELECT 1", "gold_exec": "ok"}
        file.write("\n" + json.dumps(row))
    said = evaluated(folder, {}, "--llm", "none")
    assert said.exit_code == 0, said.output
    assert "1  MODEL" in said.stdout
    assert "void: " in said.stdout


def test_a_sample_is_of_the_scorable_questions(folder: Path) -> None:
    found = figures(evaluated(folder, {}, "--llm", "none", "--json", "--limit", "2", "--seed", "3"))
    assert found["questions"] == 2
    assert found["correct"] + found["wrong"] + found["failed"] == 2


@pytest.mark.parametrize(
    ("spoilt", "words"),
    [
        ("questions", "line 2"),
        ("databases", "marina.sqlite"),
        ("out", "cannot be written"),
    ],
)
def test_what_cannot_be_read_or_written_is_named_once(folder: Path, spoilt: str, words: str) -> None:
    options: list[str] = []
    if spoilt == "questions":
        first = {"id": 1, "db_id": "marina", "question": "?", "sql": "SELECT 1"}
        (folder / "questions.jsonl").write_text(json.dumps(first) + "\nno json")
    elif spoilt == "databases":
        (folder / "databases" / "marina.sqlite").unlink()
    else:
        options = ["--out", str(folder / "nowhere" / "out.jsonl")]
    said = evaluated(folder, {}, "--llm", "none", *options)
    assert said.exit_code == 2
    assert said.stderr.count(words) == 1
    assert "Traceback" not in said.output
