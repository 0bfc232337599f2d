"""`askwell eval asks`: the files of others, own ones, and what it says of those that it cannot use."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from evaluation.tests.marina import (
    COUNT,
    OLDEST,
    SPIDER,
    evaluated,
    figures,
    make_database,
    outcomes,
    run_eval,
    write_config,
)
from tests.fakes.openai_server import Answer, ChatServer

LENGTHS = "SELECT name, length FROM boat ORDER BY length"
HARBOURS = "SELECT h.name, count(*) FROM boat b JOIN harbour h ON b.berth = h.id GROUP BY h.id"


def asked(folder: Path, rows: Any, databases: Path | None, *options: str, config: dict[str, Any] | None = None) -> Any:
    """The command on these rows as one JSON file."""
    (folder / "dev.json").write_text(json.dumps(rows), encoding="utf-8")
    given = ["--questions", str(folder / "dev.json"), "--config", str(write_config(folder, config or {}))]
    return run_eval("asks", *given, *(["--databases", str(databases)] if databases else []), *options)


class TestSpider:
    def test_its_own_file_and_folders_are_read(self, tmp_path: Path) -> None:
        (tmp_path / "database" / "marina").mkdir(parents=True)
        make_database(tmp_path / "database" / "marina" / "marina.sqlite")
        # The link that the third question needs stands in tables.json alone; `sql` is a parsed tree in Spider's files.
        (tmp_path / "tables.json").write_text(json.dumps([SPIDER]))
        tree = {"select": [False, [[3, [0, [0, 0, False], None]]]], "from": {}}
        rows = [
            {"db_id": "marina", "query": COUNT, "query_toks": [], "question": "How many boats are there?", "sql": tree},
            {"db_id": "marina", "query": HARBOURS, "question": "How many boats does each harbour have?", "sql": tree},
        ]
        out = tmp_path / "out.jsonl"
        said = asked(tmp_path, rows, tmp_path / "database", "--llm", "none", "--json", "--out", str(out))
        assert figures(said)["correct"] == 2
        assert outcomes(out)["0"]["golds"] == [COUNT]


class TestBird:
    async def test_descriptions_beside_a_database_are_in_its_model(self, tmp_path: Path) -> None:
        folder = tmp_path / "dev_databases" / "marina"
        (folder / "database_description").mkdir(parents=True)
        make_database(folder / "marina.sqlite")
        header = "original_column_name,column_name,column_description,data_format,value_description"
        # As some of BIRD's are: a blank after the name, a dash of Windows, nothing said of a column.
        lines = [header, "length ,length,overall length \x96 in metres,real,rounded to 0.25", "berth,,,integer,"]
        (folder / "database_description" / "Boat.csv").write_bytes("\r\n".join(lines).encode("latin-1"))
        row = {"question_id": 1, "db_id": "marina", "question": "How many boats?", "evidence": "", "SQL": COUNT}
        async with ChatServer({"sql_generation": [Answer(json={"sql": COUNT})]}) as server:
            model = {"provider": "openai", "model": "test", "api_base": server.api_base}
            config = {"llm": {"default": model}, "settings": {"rules_mode": "off"}}
            said = await asyncio.to_thread(asked, tmp_path, [row], tmp_path / "dev_databases", "--json", config=config)
            prompt = next(one for one in server.requests if one.stage == "sql_generation")
        assert figures(said)["correct"] == 1
        assert "overall length – in metres; rounded to 0.25" in prompt.user + prompt.system

    async def test_the_evidence_of_a_question_is_an_instruction_for_it(self, tmp_path: Path) -> None:
        (tmp_path / "dev_databases" / "marina").mkdir(parents=True)
        make_database(tmp_path / "dev_databases" / "marina" / "marina.sqlite")
        (tmp_path / "dev_tables.json").write_text(json.dumps([SPIDER]))
        evidence = "the eldest boat has the lowest id"
        gold = "SELECT name FROM boat ORDER BY id LIMIT 1"
        common = {"db_id": "marina", "difficulty": "simple"}
        rows = [
            {"question_id": 7, "question": OLDEST, "evidence": evidence, "SQL": gold, **common},
            {"question_id": 8, "question": "Which boat has the first id?", "evidence": "", "SQL": gold, **common},
        ]
        async with ChatServer({"sql_generation": [Answer(json={"sql": gold})]}) as server:
            model = {"provider": "openai", "model": "test", "api_base": server.api_base}
            config = {"llm": {"default": model}, "settings": {"rules_mode": "off", "concurrency": 1}}
            said = await asyncio.to_thread(asked, tmp_path, rows, tmp_path / "dev_databases", "--json", config=config)
            prompts = [one.user + one.system for one in server.requests if one.stage == "sql_generation"]
        assert figures(said)["correct"] == 2
        assert [evidence in prompt for prompt in prompts] == [True, False]


class TestOwnFiles:
    def test_questions_about_one_file_need_no_ids_and_may_give_their_rows(self, tmp_path: Path) -> None:
        database = make_database(tmp_path / "my boats.db")
        rows = [
            {"question": "How many boats are there?", "rows": [[3]]},
            {"question": "How many harbours are there?", "rows": [[4]]},
            {"question": "What are the names and lengths of boats?", "sql": "SELECT length FROM boat"},
        ]
        out = tmp_path / "out.jsonl"
        found = figures(asked(tmp_path, rows, database, "--llm", "none", "--json", "--out", str(out)))
        ended = outcomes(out)
        assert [ended[key]["verdict"] for key in "012"] == ["correct", "wrong", "wrong"]
        # The gold's column is there, beside one that was asked for.
        assert [ended[key]["contained"] for key in "012"] == [True, False, True]
        assert (found["strict"]["count"], found["contained"]["count"]) == (1, 2)
        assert found["strict"]["low"] < found["strict"]["share"] < found["strict"]["high"]
        assert ended["1"]["answer_rows"]["rows"] == [[2]]
        assert ended["1"]["gold_rows"]["rows"] == [[4]]

    def test_golds_that_fail_or_give_nothing_are_left_out_and_said(self, tmp_path: Path) -> None:
        database = make_database(tmp_path / "marina.db")
        rows = [
            {"question": "How many boats are there?", "sql": COUNT},
            {"question": "How many boots are there?", "sql": "SELECT count(*) FROM boot"},
            {"question": "Which boats are in the air?", "sql": "SELECT name FROM boat WHERE berth = 9"},
        ]
        said = asked(tmp_path, rows, database, "--llm", "none", "--json")
        found = figures(said)
        assert (found["questions"], found["correct"]) == (1, 1)
        assert found["left_out"] == {"failing": 1, "empty": 1, "marked": 0}
        assert "no such table: boot" in said.stderr

    def test_decimals_are_numbers_also_on_duckdb(self, tmp_path: Path) -> None:
        with duckdb.connect(str(tmp_path / "marina.duckdb")) as connection:
            connection.execute("CREATE TABLE boat (id INTEGER PRIMARY KEY, price DECIMAL(10, 2))")
            connection.execute("INSERT INTO boat VALUES (1, 10.25), (2, 2.25)")
        rows = [
            {"question": "What is the total price of boats?", "rows": [[12.5]]},
            {"question": "What is the average price of boats?", "sql": "SELECT sum(price) / 2 FROM boat"},
        ]
        found = figures(asked(tmp_path, rows, tmp_path / "marina.duckdb", "--llm", "none", "--json"))
        assert found["correct"] == 2

    def test_the_order_counts_where_the_gold_has_one(self, tmp_path: Path) -> None:
        database = make_database(tmp_path / "marina.db")
        names = "SELECT name FROM boat"
        rows = [
            {"question": "List the names of boats.", "sql": f"{names} ORDER BY length DESC"},
            {"question": "List the names of boats!", "sql": f"SELECT name FROM ({names} ORDER BY length DESC)"},
        ]
        out = tmp_path / "out.jsonl"
        figures(asked(tmp_path, rows, database, "--llm", "none", "--json", "--out", str(out)))
        ended = outcomes(out)
        assert (ended["0"]["verdict"], ended["1"]["verdict"]) == ("wrong", "correct")

    async def test_a_project_of_the_configuration_with_its_own_model_and_knowledge(self, tmp_path: Path) -> None:
        database = make_database(tmp_path / "marina.db")
        mdl = {
            "catalog": "c", "schema": "s", "dataSource": "SQLITE", "relationships": [],
            "models": [{
                "name": "vessels", "tableReference": {"table": "boat"}, "primaryKey": "id",
                "columns": [{"name": "id", "type": "INTEGER"}, {"name": "name", "type": "TEXT"}],
            }],
        }  # fmt: skip
        (tmp_path / "mdl.json").write_text(json.dumps(mdl))
        pair = {"question": "Which is the flagship?", "sql": "SELECT name FROM vessels WHERE id = 1"}
        (tmp_path / "pairs.json").write_text(json.dumps({"harbour-master": [pair]}))
        (tmp_path / "rules.yaml").write_text("- Vessels that sank do not count.\n")
        rows = [
            {"question": "How many vessels are there?", "sql": COUNT},
            {"question": "Which is the flagship?", "rows": [["Siren"]]},
        ]
        out = tmp_path / "out.jsonl"
        options = ("--mdl", "mdl.json", "--sql-pairs", "pairs.json", "--instructions", "rules.yaml")
        paths = [word if word.startswith("--") else str(tmp_path / word) for word in options]
        async with ChatServer({"sql_generation": [Answer(json={"sql": "SELECT count(*) FROM vessels"})]}) as server:
            model = {"provider": "openai", "model": "test", "api_base": server.api_base}
            config = {
                "llm": {"default": model},
                "settings": {"rules_mode": "off"},
                "data_sources": {"harbour-master": {"engine": "sqlite", "path": str(database)}},
            }
            given = ("--project", "harbour-master", "--json", "--out", str(out), *paths)
            said = await asyncio.to_thread(asked, tmp_path, rows, None, *given, config=config)
            prompt = next(one for one in server.requests if one.stage == "sql_generation")
        assert figures(said)["by_source"] == {"history": {"correct": 1, "wrong": 0}, "llm": {"correct": 1, "wrong": 0}}
        assert "Vessels that sank do not count." in prompt.user + prompt.system
        assert {one["db_id"] for one in outcomes(out).values()} == {"harbour-master"}


QUESTION = {"question": "How many boats are there?", "db_id": "marina", "sql": COUNT}


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], "is empty"),
        ([1], "object 1 holds something else"),
        ([{"db_id": "marina", "sql": COUNT}], "object 1 has no “question”"),
        ([QUESTION, {"question": "How many?", "db_id": "marina"}], "object 2 has no gold"),
        ([{"question": "How many?", "sql": COUNT}], "has no “db_id”"),
        ([QUESTION | {"rows": [3]}], "rows that are no lists"),
        ([QUESTION | {"id": "a"}, QUESTION | {"id": "a"}], "the id “a” is there twice"),
        ([QUESTION | {"db_id": "atlantis"}], "atlantis.sqlite"),
        ([QUESTION | {"sql": "SELECT 1 FROM boot"}], "No question can be scored"),
    ],
)
def test_files_of_another_shape_are_told_by_their_place(folder: Path, rows: Any, words: str) -> None:
    said = asked(folder, rows, folder / "databases", "--llm", "none")
    assert (said.exit_code, said.stdout) == (2, "")
    assert words in said.stderr
    assert "Traceback" not in said.output


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('[{"question": ', "is not JSON"),
        ('{"question": "How many?", "db_id": "marina", "sql": "SELECT 1"}\n{', "line 2 is not JSON"),
        ("question,sql\nHow many?,SELECT 1", "line 1 is not JSON"),
    ],
)
def test_a_file_that_is_no_json_is_told(folder: Path, content: str, words: str) -> None:
    (folder / "questions.jsonl").write_text(content)
    said = evaluated(folder, {}, "--llm", "none")
    assert said.exit_code == 2
    assert words in said.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--project", "marina"], "both name what is asked"),
        (["--resume"], "Name it by --out"),
        (["--mdl", "{folder}/nowhere.json"], "There is no"),
        (["--instructions", "{folder}/tables.json"], "has no text"),
        (["--sql-pairs", "{folder}/pairs.json"], "is about fleet"),
        (["--mdl", "{folder}/tables.json"], "What is given for marina cannot be used"),
        (["--sql-pairs", "{folder}/wrong-pairs.json"], "What is given for marina cannot be used"),
        (["--report", "{folder}/nowhere/report.html"], "its folder is not there"),
        (["--reply-cache", "{folder}/tables.json"], "Replies cannot be kept"),
        (["--model", "gpt"], "do not go together"),
    ],
)
def test_options_that_do_not_fit_are_told_before_anything_is_asked(
    folder: Path, options: list[str], words: str
) -> None:
    (folder / "pairs.json").write_text(json.dumps({"fleet": [{"question": "How many?", "sql": "SELECT 1"}]}))
    (folder / "wrong-pairs.json").write_text(
        json.dumps({"marina": [{"question": "How many?", "sql": "SELECT x FROM y"}]})
    )
    said = evaluated(folder, {}, "--llm", "none", *(word.format(folder=folder) for word in options))
    assert said.exit_code == 2, said.output
    assert words in said.stderr
    assert " asks, " not in said.stderr


@pytest.mark.parametrize(
    ("content", "words"), [(b"Dear diary", "is no SQLite or DuckDB database"), (b"", "is no SQLite or DuckDB database")]
)
def test_a_database_file_that_is_none_is_told(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "diary.db").write_bytes(content)
    said = asked(tmp_path, [QUESTION], tmp_path / "diary.db", "--llm", "none")
    assert said.exit_code == 2
    assert words in said.stderr


def test_a_project_that_is_not_configured_is_told_with_those_that_are(tmp_path: Path) -> None:
    config = {"data_sources": {"marina": {"engine": "sqlite", "path": str(make_database(tmp_path / "m.db"))}}}
    said = asked(tmp_path, [QUESTION], None, "--llm", "none", "--project", "fleet", config=config)
    assert said.exit_code == 2
    assert "It has: marina." in said.stderr


def test_questions_may_have_several_golds_or_no_answer(tmp_path: Path) -> None:
    database = make_database(tmp_path / "marina.sqlite")
    rows = [
        {"question": "How many boats are there?", "sql": ["SELECT name FROM boat", COUNT]},
        {"question": "Which boat has the best crew?", "sql": []},
        {"question": "How many harbours are there?", "sql": []},
    ]
    out = tmp_path / "out.jsonl"
    said = asked(tmp_path, rows, database, "--llm", "none", "--json", "--out", str(out))
    assert [outcomes(out)[key]["verdict"] for key in "012"] == ["correct", "correct", "wrong"]
    assert outcomes(out)["2"]["why"] == "Answered, and the data does not hold it."
    assert (figures(said)["correct"], figures(said)["wrong"]) == (2, 1)
