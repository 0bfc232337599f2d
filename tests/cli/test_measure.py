"""`askwell measure`: what comes of each question is told apart, and `askwell doctor` names the result."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import duckdb
import pytest

from askwell.sample.measure import make_databases, measured_questions
from tests.cli.running import askwell, last_json
from tests.fakes.openai_server import Answer, ChatScript, ChatServer

QUESTIONS = measured_questions()


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return make_databases(tmp_path_factory.mktemp("measured"))


class TestQuestions:
    def test_each_database_has_twenty_and_one_that_it_cannot_answer(self, databases: dict[str, Path]) -> None:
        for name in databases:
            golds = [one.golds for one in QUESTIONS if one.database == name]
            assert (len(golds), golds.count(())) == (20, 1)

    def test_every_gold_finds_something(self, databases: dict[str, Path]) -> None:
        for name, file in databases.items():
            with duckdb.connect(str(file), read_only=True) as connection:
                for question in QUESTIONS:
                    for gold in question.golds if question.database == name else ():
                        rows = connection.execute(gold).fetchall()
                        assert rows, question.text
                        assert rows[0][0] not in (None, 0), question.text

    def test_the_databases_are_the_same_each_time(self, databases: dict[str, Path], tmp_path: Path) -> None:
        for name, file in make_databases(tmp_path).items():
            with duckdb.connect(str(databases[name]), read_only=True) as first, duckdb.connect(str(file)) as second:
                tables = [
                    row[0] for row in first.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()
                ]
                for table in tables:
                    rows = [one.execute(f"SELECT * FROM {table} ORDER BY ALL").fetchall() for one in (first, second)]
                    assert rows[0] == rows[1], table


def config(folder: Path, server: ChatServer) -> str:
    model = {"model": "test", "api_base": server.api_base, "prices": {"prompt": 1, "completion": 1}}
    file = folder / "own.yaml"
    settings = {"rules_mode": "off"}
    alone = {"embedder": {"default": {"provider": "none"}}, "settings": settings}
    file.write_text(json.dumps({"llm": {"default": model}, **alone}))
    return file.name


async def test_right_wrong_and_refused_are_counted_and_remembered(tmp_path: Path) -> None:
    right, wrong, refused, rounded = QUESTIONS[0], QUESTIONS[1], QUESTIONS[2], QUESTIONS[9]
    answers = [
        Answer(json={"sql": right.golds[0]}, when=right.text),
        Answer(json={"sql": "SELECT COUNT(*) FROM costumes WHERE size = 'M'"}, when=wrong.text),
        Answer(json={"sql": "SELECT nothing FROM nowhere"}, when=refused.text),
        Answer(
            json={"sql": rounded.golds[0].replace("avg(altitude_m)", "round(avg(altitude_m), 1)")}, when=rounded.text
        ),
    ]
    async with ChatServer(ChatScript({"sql_generation": answers, "sql_correction": answers})) as server:
        own = config(tmp_path, server)
        arguments = ("measure", "--config", own, "--limit", "10", "--json")
        ended = await asyncio.to_thread(askwell, *arguments, folder=tmp_path)
        told = last_json(ended)
        doctor = last_json(await asyncio.to_thread(askwell, "doctor", "--config", own, "--json", folder=tmp_path))
    outcomes = {one["question"]: one["outcome"] for one in told["questions"]}
    assert ended.returncode == 0
    assert outcomes[right.text].startswith("right")
    assert outcomes[wrong.text].startswith("wrong") or outcomes[wrong.text] == "refused"
    assert outcomes[refused.text] == "refused"
    assert outcomes[rounded.text].startswith("right")
    kinds = ("right", "right_unsure", "right_refused", "wrong_said", "wrong_unsaid", "asked_back", "refused", "failed")
    assert sum(told[kind] for kind in kinds) == told["asked"] == 10
    assert (told["model"], told["tokens"] > 0, told["cost_usd"] > 0) == ("test", True, True)
    measured = doctor["parts"]["language_model.default"]["message"]
    assert f"{told['right'] + told['right_unsure'] + told['right_refused']} of 10 right" in measured


async def test_a_model_that_is_away_is_said_at_once_and_nothing_is_remembered(tmp_path: Path) -> None:
    async with ChatServer() as server:
        own = config(tmp_path, server)
    ended = await asyncio.to_thread(askwell, "measure", "--config", own, folder=tmp_path)
    assert (ended.returncode, "Traceback" in ended.stderr) == (3, False)
    assert not (tmp_path / ".local/state/askwell/measured.json").exists()
