"""`askwell eval asks`: whole asks on questions made here, on the files of others and on own ones, and what it says of
those that it cannot use."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import Result

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

HARBOURS = "SELECT h.name, count(*) FROM boat b JOIN harbour h ON b.berth = h.id GROUP BY h.id"
ELDEST = "SELECT name FROM boat ORDER BY id LIMIT 1"
NO_LLM = ("--llm", "none")
QUESTION = {"question": "How many boats are there?", "db_id": "marina", "sql": COUNT}


def asked(
    folder: Path, rows: Any, databases: Path | None, *options: str, config: dict[str, Any] | None = None
) -> Result:
    """The command on these rows as one JSON file."""
    (folder / "dev.json").write_text(json.dumps(rows), encoding="utf-8")
    given = ["--questions", str(folder / "dev.json"), "--config", str(write_config(folder, config or {}))]
    return run_eval("asks", *given, *(["--databases", str(databases)] if databases else []), *options)


def asked_by_rules(folder: Path, rows: Any, databases: Path) -> tuple[Result, dict[str, dict[str, Any]]]:
    """The same without a language model, with the results by their ids."""
    said = asked(folder, rows, databases, *NO_LLM, "--json", "--out", str(folder / "out.jsonl"))
    return said, outcomes(folder / "out.jsonl")


async def asked_with_model(
    folder: Path, rows: Any, databases: Path | None, answer: Answer, *options: str, **more: Any
) -> tuple[Result, list[str]]:
    """The same with a language model alone that always gives one answer, and its prompts."""
    async with ChatServer({"sql_generation": [answer]}) as server:
        model = {"provider": "openai", "model": "test", "api_base": server.api_base}
        config = {"llm": {"default": model}, "settings": {"rules_mode": "off", "concurrency": 1}} | more
        said = await asyncio.to_thread(asked, folder, rows, databases, "--json", *options, config=config)
        return said, [one.user + one.system for one in server.requests if one.stage == "sql_generation"]


class TestRulesAlone:
    def test_some_are_answered_and_the_others_fail_with_a_kind(self, folder: Path) -> None:
        out = folder / "out.jsonl"
        found = figures(evaluated(folder, {}, *NO_LLM, "--json", "--out", str(out)))
        assert (found["questions"], found["correct"], found["wrong"], found["failed"]) == (4, 2, 1, 1)
        assert found["accuracy"] == 0.5
        assert found["by_source"] == {"rules": {"correct": 2, "wrong": 1}}
        assert (found["llm_calls"], found["prompt_tokens"], found["completion_tokens"]) == (0, 0, 0)
        assert found["p50_ms"] > 0
        ended = outcomes(out)
        verdicts = {"q0": "correct", "q1": "wrong", "q2": "correct", "q3": "failed"}
        assert {key: row["verdict"] for key, row in ended.items()} == verdicts
        assert ended["q1"]["source"] == "rules"
        assert "avg" in ended["q1"]["sql"].lower()
        assert ended["q3"]["failure"] == "NO_RELEVANT_SQL"
        assert not (folder / "home").exists(), "nothing is kept of what was only measured"

    def test_the_table_for_people_and_a_database_that_fails_its_questions_alone(self, folder: Path) -> None:
        (folder / "databases" / "void.sqlite").write_text("Dear diary")
        with (folder / "questions.jsonl").open("a") as file:
            file.write(
                "\n" + json.dumps({"id": "v", "db_id": "void", "question": "?", "sql": COUNT, "gold_exec": "ok"})
            )
        said = evaluated(folder, {}, *NO_LLM)
        assert said.exit_code == 0, said.output
        for words in ("66.7% of the answered", "1  NO_RELEVANT_SQL", "1  MODEL", "void: "):
            assert words in said.stdout
        assert "5 of 5 asks, 2 right" in said.stderr

    def test_links_that_nobody_declares_are_inferred(self, tmp_path: Path) -> None:
        script = """
        CREATE TABLE harbour (id INTEGER, name TEXT);
        CREATE TABLE boat (id INTEGER, name TEXT, harbour_id INTEGER, skipper TEXT);
        CREATE TABLE skippers (skipper TEXT, country TEXT);
        INSERT INTO harbour VALUES (1, 'North'), (2, 'South');
        INSERT INTO boat VALUES (1, 'Siren', 1, 'Ann'), (2, 'Tern', 1, 'Bob'), (3, 'Gull', 2, 'Ann');
        INSERT INTO skippers VALUES ('Ann', 'DE'), ('Bob', 'FR');
        """
        row = {"question": "How many boats does each harbour have?", "sql": HARBOURS.replace("berth", "harbour_id")}
        said, ended = asked_by_rules(tmp_path, [row], make_database(tmp_path / "fleet.sqlite", script))
        assert figures(said)["correct"] == 1, ended

    def test_a_sample_is_of_the_scorable_questions(self, folder: Path) -> None:
        found = figures(evaluated(folder, {}, *NO_LLM, "--json", "--limit", "2", "--seed", "3"))
        assert found["questions"] == found["correct"] + found["wrong"] + found["failed"] == 2

    def test_golds_that_fail_or_give_nothing_are_left_out_and_told(self, tmp_path: Path) -> None:
        rows = [
            {"question": "How many boats are there?", "sql": COUNT},
            {"question": "How many boots are there?", "sql": "SELECT count(*) FROM boot"},
            {"question": "Which boats are in the air?", "sql": "SELECT name FROM boat WHERE berth = 9"},
        ]
        said, _ = asked_by_rules(tmp_path, rows, make_database(tmp_path / "marina.db"))
        found = figures(said)
        assert (found["questions"], found["correct"]) == (1, 1)
        assert found["left_out"] == {"failing": 1, "empty": 1, "marked": 0}
        assert "no such table: boot" in said.stderr

    def test_golds_are_rows_or_several_statements_or_none_and_their_order_counts(self, tmp_path: Path) -> None:
        by_length = "SELECT name FROM boat ORDER BY length DESC"
        rows: list[dict[str, Any]] = [
            {"question": "How many boats are there?", "rows": [[3]]},
            {"question": "How many harbours are there?", "rows": [[4]]},
            # The gold's column is there, beside one that was asked for.
            {"question": "What are the names and lengths of boats?", "sql": "SELECT length FROM boat"},
            {"question": "List the names of boats.", "sql": by_length},
            {"question": "List the names of boats!", "sql": f"SELECT name FROM ({by_length})"},
            {"question": "How many boats are there in all?", "sql": ["SELECT name FROM boat", COUNT]},
            {"question": "Which boat has the best crew?", "sql": []},
            {"question": "How many harbours?", "sql": []},
        ]
        said, ended = asked_by_rules(tmp_path, rows, make_database(tmp_path / "my boats.db"))
        found = figures(said)
        letters = "".join(ended[str(number)]["verdict"][0] for number in range(len(rows)))
        assert letters == "cwwwcccw"
        assert [ended[key]["contained"] for key in "0123"] == [True, False, True, False]
        assert (found["strict"]["count"], found["contained"]["count"]) == (4, 5)
        assert found["strict"]["low"] < found["strict"]["share"] < found["strict"]["high"]
        assert (ended["1"]["answer_rows"]["rows"], ended["1"]["gold_rows"]["rows"]) == ([[2]], [[4]])
        assert ended["7"]["why"] == "Answered, and the data does not hold it."

    def test_decimals_are_numbers_also_on_duckdb(self, tmp_path: Path) -> None:
        with duckdb.connect(str(tmp_path / "marina.duckdb")) as connection:
            connection.execute("CREATE TABLE boat (id INTEGER PRIMARY KEY, price DECIMAL(10, 2))")
            connection.execute("INSERT INTO boat VALUES (1, 10.25), (2, 2.25)")
        rows = [
            {"question": "What is the total price of boats?", "rows": [[12.5]]},
            {"question": "What is the average price of boats?", "sql": "SELECT sum(price) / 2 FROM boat"},
        ]
        assert figures(asked_by_rules(tmp_path, rows, tmp_path / "marina.duckdb")[0])["correct"] == 2


class TestFilesOfOthers:
    def test_spiders_own_file_and_folders_are_read(self, tmp_path: Path) -> None:
        make_database(tmp_path / "database" / "marina" / "marina.sqlite")
        # The link that the second question needs stands in tables.json alone; `sql` is a parsed tree in Spider's files.
        (tmp_path / "tables.json").write_text(json.dumps([SPIDER]))
        tree = {"select": [False, [[3, [0, [0, 0, False], None]]]], "from": {}}
        rows = [
            {"db_id": "marina", "query": COUNT, "query_toks": [], "question": "How many boats are there?", "sql": tree},
            {"db_id": "marina", "query": HARBOURS, "question": "How many boats does each harbour have?", "sql": tree},
        ]
        said, ended = asked_by_rules(tmp_path, rows, tmp_path / "database")
        assert figures(said)["correct"] == 2
        assert ended["0"]["golds"] == [COUNT]

    async def test_birds_descriptions_and_evidence_are_in_prompts(self, tmp_path: Path) -> None:
        folder = tmp_path / "dev_databases" / "marina"
        make_database(folder / "marina.sqlite")
        (folder / "database_description").mkdir()
        header = "original_column_name,column_name,column_description,data_format,value_description"
        # As some of BIRD's are: a blank after the name, a dash of Windows, nothing said of a column.
        lines = [header, "length ,length,overall length \x96 in metres,real,rounded to 0.25", "berth,,,integer,"]
        (folder / "database_description" / "Boat.csv").write_bytes("\r\n".join(lines).encode("latin-1"))
        (tmp_path / "dev_tables.json").write_text(json.dumps([SPIDER]))
        evidence = "the eldest boat has the lowest id"
        common = {"db_id": "marina", "SQL": ELDEST, "difficulty": "simple"}
        rows = [
            common | {"question_id": 7, "question": OLDEST, "evidence": evidence},
            common | {"question_id": 8, "question": "Which boat has the first id?", "evidence": ""},
        ]
        answer = Answer(json={"sql": ELDEST})
        said, prompts = await asked_with_model(tmp_path, rows, tmp_path / "dev_databases", answer)
        assert figures(said)["correct"] == 2
        assert [evidence in prompt for prompt in prompts] == [True, False], (
            "evidence is an instruction for its question"
        )
        assert "overall length – in metres; rounded to 0.25" in prompts[1]

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
        given = ("--mdl", "mdl.json", "--sql-pairs", "pairs.json", "--instructions", "rules.yaml", "--out", "out.jsonl")
        paths = [word if word.startswith("--") else str(tmp_path / word) for word in given]
        answer = Answer(json={"sql": "SELECT count(*) FROM vessels"})
        sources = {"harbour-master": {"engine": "sqlite", "path": str(database)}}
        said, prompts = await asked_with_model(
            tmp_path, rows, None, answer, "--project", "harbour-master", *paths, data_sources=sources
        )
        assert figures(said)["by_source"] == {"history": {"correct": 1, "wrong": 0}, "llm": {"correct": 1, "wrong": 0}}
        assert "Vessels that sank do not count." in prompts[0]
        assert {one["db_id"] for one in outcomes(tmp_path / "out.jsonl").values()} == {"harbour-master"}


@pytest.mark.parametrize(
    ("questions", "words"),
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
        ('[{"question": ', "is not JSON"),
        (json.dumps(QUESTION) + "\n{", "line 2 is not JSON at column 2"),
        ("question,sql\nHow many?,SELECT 1", "line 1 is not JSON"),
    ],
)
def test_questions_that_cannot_be_used_are_told_by_their_place(folder: Path, questions: Any, words: str) -> None:
    text = questions if isinstance(questions, str) else json.dumps(questions)
    (folder / "questions.jsonl").write_text(text)
    refuses(evaluated(folder, {}, *NO_LLM), words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--project", "marina"], "both name what is asked"),
        (["--resume"], "Name it by --out"),
        (["--out", "{folder}/nowhere/out.jsonl"], "cannot be written"),
        (["--mdl", "{folder}/nowhere.json"], "There is no"),
        (["--instructions", "{folder}/tables.json"], "instruction 1 cannot be read: its “instruction” is missing"),
        (["--sql-pairs", "{folder}/pairs.json"], "is about fleet"),
        (["--mdl", "{folder}/tables.json"], "What is given for marina cannot be used"),
        (["--sql-pairs", "{folder}/wrong-pairs.json"], "What is given for marina cannot be used"),
        (["--report", "{folder}/nowhere/report.html"], "its folder is not there"),
        (["--reply-cache", "{folder}/tables.json"], "Replies cannot be kept"),
        (["--model", "gpt"], "do not go together"),
        (["--databases", "{folder}/tables.json"], "is no SQLite or DuckDB database"),
    ],
)
def test_options_that_do_not_fit_are_told_before_anything_is_asked(
    folder: Path, options: list[str], words: str
) -> None:
    (folder / "pairs.json").write_text(json.dumps({"fleet": [{"question": "How many?", "sql": "SELECT 1"}]}))
    wrong = {"marina": [{"question": "How many?", "sql": "SELECT x FROM y"}]}
    (folder / "wrong-pairs.json").write_text(json.dumps(wrong))
    refuses(evaluated(folder, {}, *NO_LLM, *(word.format(folder=folder) for word in options)), words)


def test_what_the_configuration_lacks_is_told_before_anything_is_asked(folder: Path) -> None:
    model = {"provider": "openai", "model": "test", "api_base": "http://127.0.0.1:9/v1"}
    config: dict[str, Any] = {"llm": {"default": model}}
    refuses(evaluated(folder, config), "can't be reached (in use: test)")
    refuses(evaluated(folder, config, "--max-cost", "1"), "--max-cost needs the prices of test")
    (folder / "mine" / "sql_generator").mkdir(parents=True)
    (folder / "mine" / "sql_generator" / "user.md.jinja").write_text("Hello")
    refuses(evaluated(folder, config, "--prompts", str(folder / "mine")), "Did you mean sql_generation/user.md.jinja?")
    source = {"engine": "sqlite", "path": str(folder / "databases" / "marina.sqlite")}
    config = {"data_sources": {"marina": source}}
    refuses(asked(folder, [QUESTION], None, *NO_LLM, "--project", "fleet", config=config), "It has: marina.")


def refuses(said: Result, words: str) -> None:
    assert (said.exit_code, said.stdout) == (2, ""), said.output
    assert said.stderr.count(words) == 1
    assert " asks," not in said.stderr
    assert "Traceback" not in said.output
