"""Recommended questions and relationships, and descriptions, over HTTP."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askwell.job_kinds import KINDS
from tests.fakes.openai_server import Answer
from tests.support import tiny_shop
from tests.support.job_calls import Jobs
from tests.support.service import running_service, write_config

QUESTIONS = "question-recommendations"
DESCRIPTIONS = "semantics-descriptions"


async def test_questions_of_templates_all_run(plain: Jobs) -> None:
    result = await plain.done(QUESTIONS, max_questions=2, max_categories=2)
    questions = result["response"]["questions"]
    assert 2 <= len(questions) <= 4
    assert len({one["category"] for one in questions}) <= 2
    for one in questions:
        checked = await plain.done("sql-corrections", sql=one["sql"], error="")
        assert checked["response"] == one["sql"]
    again = await plain.done(QUESTIONS, previous_questions=[one["question"].upper() for one in questions])
    assert not {one["question"] for one in questions} & {one["question"] for one in again["response"]["questions"]}


async def test_only_questions_whose_sql_passes_are_recommended(written: Jobs) -> None:
    asked = [
        {"question": "How many customers are there?", "category": "Descriptive"},
        {"question": "Which shoe sizes, roughly?", "category": "Descriptive"},
        {"question": "Nothing of a category", "category": "Gossip"},
    ]
    no = Answer(json={"sql": "SELECT shoe_size FROM customers"})
    written.script(
        question_recommendation=[Answer(json={"questions": asked})], sql_generation=[no], sql_correction=[no]
    )
    job_id = await written.start(QUESTIONS)
    result = await written.end(QUESTIONS, job_id)
    assert [one["question"] for one in result["response"]["questions"]] == [asked[0]["question"]]
    assert written.stages().count("question_recommendation") == 1
    grown = [
        len(data["response"]["questions"]) for _, data in await written.events(QUESTIONS, job_id) if "response" in data
    ]
    assert grown == sorted(grown)


@pytest.mark.parametrize("said", [[Answer(json={"questions": []})], [Answer(text='{"questions": [{"que')]])
async def test_templates_stand_in_where_the_model_writes_none(written: Jobs, said: list[Answer]) -> None:
    written.script(question_recommendation=list(said))
    result = await written.done(QUESTIONS)
    assert result["status"] == "finished"
    assert result["response"]["questions"]
    assert "made of templates" in result["warnings"][0]


async def test_questions_that_were_found_stand_where_the_model_breaks(written: Jobs) -> None:
    asked = [
        {"question": "How many customers are there?", "category": "Descriptive"},
        *({"question": f"Who is the keenest of {number}, roughly?", "category": "Comparative"} for number in range(9)),
    ]
    written.script(
        question_recommendation=[Answer(json={"questions": asked})],
        sql_generation=[*[Answer(json={"sql": "SELECT name FROM customers"})] * 3, Answer(status=400)],
    )
    result = await written.done(QUESTIONS, max_questions=9)
    assert result["status"] == "finished", result
    assert asked[0]["question"] in [one["question"] for one in result["response"]["questions"]]
    assert result["warnings"]
    written.script(question_recommendation=[Answer(status=400)])
    result = await written.done(QUESTIONS)
    assert (result["status"], result["error"]["code"]) == ("failed", "OTHERS")


async def test_a_model_that_came_with_a_request_is_used_and_not_kept(plain: Jobs) -> None:
    mdl = tiny_shop.manifest()
    mdl["models"][0]["name"] = "people"
    mdl["models"][1]["columns"][-2]["type"] = "people"
    mdl["relationships"][0]["models"] = ["orders", "people"]
    mdl["relationships"][0]["condition"] = "orders.customer_id = people.id"
    for given in (mdl, json.dumps(mdl)):
        result = await plain.done(DESCRIPTIONS, selected_models=["people"], mdl=given, project_id="not-prepared")
        assert result["status"] == "finished", result
        assert result["response"][0]["name"] == "people"
        result = await plain.done(QUESTIONS, mdl=given, project_id="not-prepared")
        assert result["response"]["questions"]
    result = await plain.done(DESCRIPTIONS, selected_models=["people"])
    assert (result["status"], result["error"]["code"]) == ("failed", "RESOURCE_NOT_FOUND")
    result = await plain.done(DESCRIPTIONS, selected_models=["orders"], project_id="not-prepared")
    assert result["error"]["code"] == "RESOURCE_NOT_FOUND"


async def test_relationships_that_are_missing_are_found_and_a_models_are_checked(plain: Jobs, written: Jobs) -> None:
    mdl = tiny_shop.manifest()
    mdl["relationships"] = []
    for model in mdl["models"]:
        model["columns"] = [column for column in model["columns"] if "relationship" not in column]
        model["columns"] = [column for column in model["columns"] if not column.get("isCalculated")]
    result = await plain.done("relationship-recommendations", mdl=mdl)
    (found,) = result["response"]["relationships"]
    assert (found["fromModel"], found["fromColumn"], found["toModel"], found["toColumn"]) == (
        "orders", "customer_id", "customers", "id",
    )  # fmt: skip
    proposals = [
        ("orders", "customer_id", "customers", "id"),
        ("orders", "customer_id", "customers", "secret"),
        ("orders", "nothing", "customers", "id"),
        ("orders", "status", "customers", "country"),
    ]
    names = ("fromModel", "fromColumn", "toModel", "toColumn")
    said = [dict(zip(names, one, strict=True), type="MANY_TO_ONE", reason="So.", name="x") for one in proposals]
    written.script(relationship_recommendation=[Answer(json={"relationships": said})])
    result = await written.done("relationship-recommendations", mdl=mdl)
    assert written.stages() == ["relationship_recommendation"]
    assert len(result["response"]["relationships"]) == 1
    assert "secret" not in written.shown()
    assert (await plain.done("relationship-recommendations"))["response"] == {"relationships": []}


async def test_found_relationships_stand_where_the_model_breaks(written: Jobs) -> None:
    mdl = tiny_shop.manifest()
    mdl["relationships"] = []
    for model in mdl["models"]:
        plain_columns = [c for c in model["columns"] if "relationship" not in c and not c.get("isCalculated")]
        model["columns"] = plain_columns
    written.script(relationship_recommendation=[Answer(status=400)])
    result = await written.done("relationship-recommendations", mdl=mdl)
    assert result["status"] == "finished", result
    assert len(result["response"]["relationships"]) == 1
    assert result["warnings"]


async def test_columns_are_described_without_those_that_are_hidden(plain: Jobs, written: Jobs) -> None:
    said = {"description": "People.", "columns": [{"name": "name", "description": "Their name."}]}
    written.script(semantics_description=[Answer(json=said)])
    names = ["id", "name", "country", "created_at", "total_spent"]
    for jobs in (plain, written):
        result = await jobs.done(DESCRIPTIONS, selected_models=["customers", "Customers"])
        (described,) = result["response"]
        assert [column["name"] for column in described["columns"]] == names
        assert described["description"]
    assert written.stages() == ["semantics_description"]
    assert result["warnings"]
    assert "secret" not in written.shown().replace("secrets", "")
    result = await plain.done(DESCRIPTIONS, selected_models=["customers", "custommers"])
    assert result["error"]["code"] == "RESOURCE_NOT_FOUND"
    assert "customers" in result["error"]["hint"]


async def test_a_chunk_that_breaks_leaves_the_others(written: Jobs) -> None:
    columns = [{"name": f"c{number}", "type": "INTEGER"} for number in range(120)]
    mdl = {
        "catalog": "a",
        "schema": "b",
        "dataSource": "SQLITE",
        "models": [{"name": "wide", "tableReference": {"table": "wide"}, "columns": columns}],
    }
    good = {"description": "Wide.", "columns": [{"name": f"c{number}", "description": "One."} for number in range(50)]}
    written.script(semantics_description=[Answer(json=good, when="c49"), Answer(status=400)])
    job_id = await written.start(DESCRIPTIONS, selected_models=["wide"], mdl=mdl)
    result = await written.end(DESCRIPTIONS, job_id)
    assert result["status"] == "finished", result
    described = [column["description"] for column in result["response"][0]["columns"]]
    assert described == ["One."] * 50 + [""] * 70
    assert len(result["warnings"]) == 2
    states = [data for name, data in await written.events(DESCRIPTIONS, job_id) if "response" in data]
    assert len(states) >= 2


@pytest.mark.deep
async def test_a_model_with_a_request_is_bounded_like_a_preparation(tmp_path: Path) -> None:
    # As `askwell serve` has it: models are read in processes of their own.
    garbage = ["x" * 30_000_000, "[" * 400_000, '{"catalog": "' + "y" * 20_000_000 + '"}']
    async with running_service(write_config(tmp_path), lasting=True) as service:
        jobs = Jobs(service)
        for path in (kind.path for kind in KINDS if "MDL_PARSE_ERROR" in kind.codes):
            for mdl in garbage if path == QUESTIONS else garbage[1:2]:
                result = await jobs.done(path, mdl=mdl)
                assert (result["status"], result["error"]["code"]) == ("failed", "MDL_PARSE_ERROR"), path
                assert len(result["error"]["message"]) < 1_000
        result = await jobs.done(DESCRIPTIONS, mdl=tiny_shop.manifest())
        assert result["status"] == "finished", result
