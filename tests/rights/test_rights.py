"""A person's rights: what wins, what is refused, and what of stored knowledge is whose."""

from __future__ import annotations

import copy
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from askwell.agent.request import RunRequest
from askwell.asks.feedback import Feedback
from askwell.config import load_config
from askwell.container import Container
from askwell.errors import InvalidRequest
from askwell.knowledge.saved import SqlPair
from askwell.principal import Person
from askwell.providers.engine.worker.outcomes import Trouble, withheld
from tests.fakes.openai_server import Answer, Call, ChatServer
from tests.rights.world import ANN, BOB, NIL, World, manifest, prepare, save_pairs, world
from tests.support.tables import case_table

COUNT = "How many deals are there?"
AS_CHIEF = Person("chief", {"region": "'EMEA'", "level": "3"})


def _rows(result: Any) -> Any:
    return (result.get("data") or {}).get("rows")


async def test_a_persons_properties_win_over_those_of_a_request(tmp_path: Path) -> None:
    async with world("sqlite", tmp_path, settings={"allow_session_properties": True}) as one:
        asked = {"region": "'APAC'"}
        amounts = "SELECT MAX(amount) AS m FROM deals"
        await save_pairs(one, [{"id": "m", "question": "Most?", "sql": amounts}])
        assert _rows(await one.ask(ANN, "Most?", session_properties=asked)) == [[30]]
        assert _rows(await one.ask(BOB, "Most?", session_properties={"region": "'EMEA'"})) == [[7731903]]
        # Of whom nothing is known, what a request says counts for nothing.
        assert (await one.ask(NIL, "Most?", session_properties=asked))["status"] == "failed"
        # Where nobody signed in it counts.
        assert _rows(await one.ask(Person(), "Most?", session_properties=asked)) == [[7731903]]


async def test_every_job_reads_the_persons_rows(tmp_path: Path) -> None:
    sql = "SELECT id, amount FROM deals"
    async with world("sqlite", tmp_path) as one:
        for person, amount in ((ANN, "30"), (BOB, "7731903")):
            drawn = await one.job(person, "chart", query="Draw", sql=sql, remove_data_from_chart_schema=False)
            assert amount in str(drawn["response"])
            words = await one.ended(*(await _answer(one, person, sql)))
            assert words["status"] == "succeeded"
            assert any(amount in text for text in one.received[person.id])
            told = await one.tool(person, "run_sql", sql=sql)
            assert amount in str(told["table"])
            chart = await one.tool(person, "make_chart", query="Draw", sql=sql)
            assert chart["chart_type"]
        # Whether a row has what a statement fails on is told to nobody.
        broken = await one.tool(ANN, "run_sql", sql="SELECT json_extract(note, '$.a') FROM deals")
        assert any(told in broken["message"] for told in map(withheld, Trouble)), broken
        for kind, body in (("sql_correction", {"error": "?"}), ("ask_details", {"query": "?"})):
            assert (await one.job(NIL, kind, sql=sql, **body))["status"] == "failed"
        recommended = await one.job(NIL, "question_recommendation")
        assert "deals" not in str(recommended.get("response"))
        assert "deals" in str((await one.job(BOB, "question_recommendation"))["response"])
        assert one.leaks(ANN) == []


async def _answer(one: World, person: Person, sql: str) -> tuple[Any, str, Person]:
    jobs = one.container.jobs["sql_answer"]
    request = jobs.kind.request.model_validate({"query": "What?", "sql": sql, "project_id": "default"})  # type: ignore[attr-defined]
    return jobs, await jobs.start(request, person=person), person


async def test_a_picture_shows_the_rows_of_whom_it_was_drawn_for(tmp_path: Path) -> None:
    sql = "SELECT code, amount FROM deals"
    async with world("sqlite", tmp_path) as one:
        jobs = one.container.jobs["chart"]
        for person, own in ((ANN, "18"), (BOB, "bcode9kanari")):
            made = await one.job(person, "chart", query="Draw amounts by code", sql=sql)
            image = await one.container.chart_images.draw(jobs, made["query_id"], "svg")
            one.keep(person, image.decode())
            assert own in image.decode()
        assert one.leaks(ANN) == []


async def test_suggestions_and_recommendations_are_the_persons(tmp_path: Path) -> None:
    def is_of_pay(question: str) -> bool:
        return any(word in question for word in ("salary", "yearly", "badge", "payroll"))

    async with world("sqlite", tmp_path) as one:
        for person, may_know in ((ANN, False), (NIL, False), (BOB, True)):
            suggested = (await one.ask(person, "How many staff are there?", suggest=True))["suggested_questions"]
            recommended = (await one.job(person, "question_recommendation"))["response"]["questions"]
            assert len(suggested) == 3
            assert any(map(is_of_pay, suggested)) is may_know
            assert any(is_of_pay(f"{offered}") for offered in recommended) is may_know
            for question in suggested:
                assert (await one.ask(person, question))["status"] == "finished"
            for offered in recommended:
                assert "rows" in (await one.tool(person, "run_sql", sql=offered["sql"]))["table"], offered


async def test_an_older_model_with_fewer_rules_is_not_asked(tmp_path: Path) -> None:
    async with world("sqlite", tmp_path) as one:
        bare = copy.deepcopy(manifest("SQLITE"))
        for model in bare["models"]:
            model.pop("rowLevelAccessControls", None)
            for column in model["columns"]:
                column.pop("columnLevelAccessControl", None)
        await prepare(one, bare, "open")
        await prepare(one, manifest("SQLITE"), "again")
        for label in ("open", "m1", "again"):
            result = await one.ask(NIL, COUNT, mdl_hash=label)
            assert result["status"] == "failed"
        refused = await one.ask(ANN, COUNT, mdl_hash="open")
        assert "isn't the current one" in refused["error"]["message"]
        assert _rows(await one.ask(ANN, COUNT, mdl_hash="again")) == [[3]]
        details = await one.job(ANN, "ask_details", query="?", sql="SELECT badge FROM staff", mdl_hash="open")
        assert "isn't the current one" in details["error"]["message"]
        # Nobody had to sign in: whoever reaches the service chooses.
        assert _rows(await one.ask(Person(), COUNT, mdl_hash="open")) == [[6]]


async def test_a_model_of_ones_own_shows_no_rows(tmp_path: Path) -> None:
    async with ChatServer() as model, world("sqlite", tmp_path, model=model) as one:
        bare = copy.deepcopy(manifest("SQLITE"))
        for table in bare["models"]:
            table.pop("rowLevelAccessControls", None)
        questions = {"questions": [{"category": "x", "question": "Deals with note like bnote7?"}]}
        sqls = ("SELECT id FROM deals WHERE note LIKE 'bnote7%'", "SELECT id FROM deals WHERE note LIKE 'nosuch%'")
        told = []
        for sql in sqls:
            model.script.stages |= {
                "question_recommendation": [Answer(json=questions)],
                "sql_generation": [Answer(json={"sql": sql})],
            }
            body = {"mdl": bare, "categories": ["x"], "max_questions": 1, "max_categories": 1}
            told.append(
                [
                    one["question"]
                    for one in (await one.job(ANN, "question_recommendation", **body))["response"]["questions"]
                ]
            )
        assert told[0] == told[1]  # whether there are such rows is not said
        links = await one.job(ANN, "relationship_recommendation", mdl=bare)
        assert links["status"] == "finished"
        assert "values" not in str(links["response"])


async def test_feedback_is_for_whoever_gave_it(tmp_path: Path) -> None:
    right = "SELECT id FROM deals WHERE note = 'Boreakanari'"
    async with world("sqlite", tmp_path) as one:
        asked = await one.ask(BOB, COUNT)
        given = await one.container.feedback.give(asked["ask_id"], Feedback(False, sql=right))
        pair_id = given["accepted_question_id"]
        assert given["lesson_ids"] == []
        assert (await one.ask(BOB, COUNT))["sql_pair_id"] == pair_id
        ann = await one.ask(ANN, COUNT)
        assert "sql_pair_id" not in ann
        assert _rows(ann) == [[3]]
        # Ann's own word about the same question stands beside Bob's.
        hers = await one.container.feedback.give(ann["ask_id"], Feedback(True))
        assert hers["accepted_question_id"] != pair_id
        assert (await one.ask(ANN, COUNT))["sql_pair_id"] == hers["accepted_question_id"]
        assert (await one.ask(BOB, COUNT))["sql_pair_id"] == pair_id
        mine, total = await one.container.knowledge.pairs_for(ANN, "default", 0, 10)
        assert ([pair["id"] for pair in mine], total) == ([hers["accepted_question_id"]], 1)
        with pytest.raises(InvalidRequest, match="may only be read with"):
            await one.container.feedback.give(ann["ask_id"], Feedback(False, sql="SELECT badge FROM staff"))
        assert one.leaks(ANN) == []


async def test_saved_questions_without_values_are_for_everybody(tmp_path: Path) -> None:
    named = [{"name": "name", "type": "VARCHAR"}]
    sqls = case_table(__file__, "sqls")
    pairs = [
        {"id": id, "question": f"The {id} question?", "sql": sql}
        | ({"question": f"Amount of {{name}} by {id} then?", "parameters": named} if ":name" in sql else {})
        for id, sql in sqls.items()
    ]
    async with world("sqlite", tmp_path) as one:
        project = await one.container.projects.get("default", None)
        assert project is not None
        saved = {pair["id"]: SqlPair.of(pair) for pair in pairs}
        assert set(project.pairs_for(ANN, saved)) == {"month", "share", "form", "both"}
        assert _rows(await one.ask(ANN, "The share question?")) is None  # it was not saved
        await save_pairs(one, [pair for pair in pairs if pair["id"] != "broken"])
        assert _rows(await one.ask(ANN, "Amount of Alderkanari by form then")) == [[40]]
        assert _rows(await one.ask(ANN, "Amount of Alderkanari by noted form then")) is None
        assert _rows(await one.ask(ANN, "The share question?")) == [[2000.0]]
        assert (await one.ask(ANN, "The since question?")).get("sql_source") != "history"


async def test_a_model_that_is_not_served_says_of_no_saved_question_whose_it_is(tmp_path: Path) -> None:
    async with world("sqlite", tmp_path) as one:
        await save_pairs(one, [{"id": "tally", "question": "Deal tally?", "sql": "SELECT COUNT(*) AS n FROM deals"}])
        for person in (ANN, Person()):
            assert (await one.container.knowledge.pairs_for(person, "default", 0, 10))[1] == 1
    record = tmp_path / "home" / "record.sqlite"
    with closing(sqlite3.connect(record)) as connection, connection:
        ((text,),) = connection.execute("SELECT manifest FROM manifests").fetchall()
        broken = json.loads(text)
        broken["models"][0] |= {"refSql": "SELECT load_extension('x') AS id"}
        connection.execute("UPDATE manifests SET manifest = ?", (json.dumps(broken),))
    container = Container(load_config(tmp_path / "config.yaml", {}))
    await container.start()
    try:
        for person in (ANN, Person()):
            assert await container.knowledge.pairs_for(person, "default", 0, 10) == ([], 0)
    finally:
        await container.stop()


async def test_a_plan_that_a_rule_refuses_is_not_tried_without_the_rule(tmp_path: Path) -> None:
    async with ChatServer() as model, world("sqlite", tmp_path, model=model) as one:
        model.script.stages |= {"sql_generation": [Answer(json={"sql": "SELECT badge FROM staff"})]}
        model.script.stages |= {"sql_correction": [Answer(json={"sql": "SELECT badge FROM staff"})]}
        asked = await one.ask(ANN, "Show me the badges of staff", execute=False, use_dry_plan=True)
        assert asked["status"] == "failed"
        assert "may only be read with" in asked["error"]["message"]


async def test_enum_values_of_a_ruled_column_are_not_told(tmp_path: Path) -> None:
    async with world("sqlite", tmp_path) as one:
        mdl = copy.deepcopy(manifest("SQLITE"))
        mdl["enumDefinitions"] = [
            {"name": "badge_kind", "values": [{"name": "badge4kanari"}, {"name": "badge6kanari"}]}
        ]
        staff = next(model for model in mdl["models"] if model["name"] == "staff")
        next(column for column in staff["columns"] if column["name"] == "badge")["type"] = "badge_kind"
        mdl["metrics"][1]["dimension"] = [{"name": "badge", "type": "badge_kind"}]
        await prepare(one, mdl, "m2")
        for table in ("staff", "pay_by_badge", "badges"):
            await one.tool(ANN, "describe_table", table=table)
        await one.tool(ANN, "find_values", text="badge4kanary")
        await one.ask(ANN, "How many staff with badge badge4kanary?")
        assert one.leaks(ANN) == []
        told = await one.ask(AS_CHIEF, "Pay by badge")
        assert told["status"] == "finished"


async def test_what_is_learnt_of_one_persons_statements_is_no_text_for_others(tmp_path: Path) -> None:
    settings = {"rules_mode": "off", "scope_gate": False}
    wrong, right = (
        "SELECT nope(note) FROM deals WHERE note = 'Boreakanari'",
        "SELECT id FROM deals WHERE note = 'Boreakanari'",
    )
    async with ChatServer() as model, world("sqlite", tmp_path, model=model, settings=settings) as one:
        model.script.stages |= {"sql_generation": [Answer(json={"sql": wrong})]}
        model.script.stages |= {"sql_correction": [Answer(json={"sql": right})]}
        asked = await one.ask(BOB, "Explain the case of Boreakanari to me please")
        assert asked["status"] == "finished"
        lessons, _ = await one.container.lessons.page("default")
        assert "kanari" not in str(lessons)


async def test_tools_of_a_conversation_read_what_the_person_may(tmp_path: Path) -> None:
    calls = [Call("run_sql", {"sql": "SELECT note, amount FROM deals"}), Call("ask_data", {"question": COUNT})]
    calls += [Call("find_values", {"text": "bravokanary"}), Call("describe_table", {"table": "staff"})]
    async with ChatServer() as model, world("sqlite", tmp_path, model=model) as one:
        conversations = one.container.conversations
        for person in (BOB, ANN):
            model.requests.clear()
            model.script.stages["conversation"] = [Answer(calls=calls), Answer(text="Done.")]
            thread = await conversations.create("default", agent_id=None, title="Deals", variables={})
            request = RunRequest(project_id="default", message="Show me the deals", thread_id=thread.id)
            run_id = await conversations.runs.start(request, person=person)
            one.keep(person, [f"{event}" async for event in await conversations.events(run_id)])
            one.keep(person, await conversations.messages("default", thread.id))
            sent = str([request.body for request in model.requests])
            assert ("bnote7kanari" in sent) is (person is BOB)
            assert ("Amberkanari" in sent) is (person is ANN)
        assert one.prompt_leaks() == []  # Ann's were the last
        assert one.leaks(BOB)
        assert one.leaks(ANN) == []
