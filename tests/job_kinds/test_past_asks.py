"""The list of past asks, what people say of them, and the questions that may follow."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.fakes.openai_server import Answer
from tests.support.job_calls import Jobs
from tests.support.tables import case_table

HOW_MANY = "How many customers are there?"


async def listed(jobs: Jobs, project: str, **query: Any) -> tuple[list[str], int]:
    status, page = await jobs.service.call("GET", "/v1/asks", params={"project_id": project, **query})
    assert status == 200, page
    assert not [one for one in page["asks"] if "data" in one]
    return [one["query"] for one in page["asks"]], page["total"]


async def test_pages_of_asks(plain: Jobs) -> None:
    service = plain.service
    await service.prepare(project_id="pages")
    assert await listed(plain, "pages") == ([], 0)
    questions = [HOW_MANY, "How many orders are there?", "What is 100% of_it?", "Wie viele Kunden gibt es in Köln?"]
    for question in questions:
        await service.answer(question, project_id="pages", execute=True)
    latest = questions[::-1]
    assert await listed(plain, "pages") == (latest, 4)
    assert await listed(plain, "pages", limit=2) == (latest[:2], 4)
    assert await listed(plain, "pages", limit=2, offset=3) == (latest[3:], 4)
    assert await listed(plain, "pages", offset=1_000) == ([], 4)
    assert await listed(plain, "pages", q="HOW MANY") == ([questions[1], questions[0]], 2)
    assert await listed(plain, "pages", q="%") == ([questions[2]], 1)
    assert (await listed(plain, "pages", q="_"))[0] == [questions[2]]
    assert await listed(plain, "pages", q="köln") == ([questions[3]], 1)
    assert await listed(plain, "pages", q="KÖLN") == ([questions[3]], 1)
    assert await listed(plain, "pages", q="nothing") == ([], 0)
    finished, total = await listed(plain, "pages", status="finished")
    failed, others = await listed(plain, "pages", status="failed")
    assert sorted(finished + failed) == sorted(questions)
    assert total + others == 4
    assert HOW_MANY in finished
    assert await listed(plain, "others") == ([], 0)
    for wrong in case_table(__file__, "pages_of_asks"):
        assert (await service.call("GET", "/v1/asks", params=wrong))[0] == 422, wrong


async def test_an_ask_is_listed_before_its_end(written: Jobs) -> None:
    server = written.script(sql_generation=[Answer(json={}, hang=True)])
    await written.service.prepare(project_id="living")
    ask = await written.service.ask("Who is the keenest, roughly?", project_id="living")
    await server.arrived("sql_generation")
    _, page = await written.service.call("GET", "/v1/asks?project_id=living")
    assert page["asks"][0]["status"] in ("generating", "planning", "searching")
    await written.service.stop(ask)
    _, page = await written.service.call("GET", "/v1/asks?project_id=living&status=stopped")
    assert page["total"] == 1


async def say(jobs: Jobs, ask: str, **body: Any) -> tuple[int, Any]:
    return await jobs.service.call("POST", f"/v1/asks/{ask}/feedback", json=body)


async def saved(jobs: Jobs, project: str) -> list[dict[str, Any]]:
    return (await jobs.service.call("GET", f"/v1/sql-pairs?project_id={project}"))[1]["sql_pairs"]


async def until_saved(jobs: Jobs, project: str, sql: str | None) -> None:
    async with asyncio.timeout(10):
        while [pair["sql"] for pair in await saved(jobs, project)] != ([sql] if sql else []):
            await asyncio.sleep(0.01)


async def test_the_last_word_about_an_answer_counts(plain: Jobs) -> None:
    service = plain.service
    await service.prepare(project_id="words")
    first = await service.answer(HOW_MANY, project_id="words", execute=True)
    ask = first["trace_id"]
    status, taken = await say(plain, ask, positive=True)
    assert (status, len(taken["lesson_ids"])) == (200, 1)
    await until_saved(plain, "words", first["response"][0]["sql"])
    right = "SELECT count(*) AS right FROM customers WHERE id < 100"
    status, corrected = await say(plain, ask, positive=False, sql=right, comment="Not quite.")
    assert (status, corrected["accepted_question_id"]) == (200, taken["accepted_question_id"])
    assert corrected["lesson_ids"] != taken["lesson_ids"]
    assert "findings" not in taken
    assert [one["code"] for one in corrected["findings"]] == ["filter_unasked", "key_compared"]
    await until_saved(plain, "words", right)
    listed = (await service.call("GET", "/v1/asks?project_id=words"))[1]["asks"]
    assert listed[0]["feedback"] == {"positive": False, "sql": right, "comment": "Not quite."}
    again = await service.answer(f"  {HOW_MANY.lower()} ", project_id="words", execute=True)
    assert (again["sql_source"], again["data"]["rows"]) == ("history", [[3]])
    for refused in ("DROP TABLE orders", "SELECT secret FROM customers", "SELECT 1; SELECT 2", "nothing at all"):
        status, answer = await say(plain, ask, positive=False, sql=refused)
        assert status == 422, answer
        assert answer["hint"]
    assert [pair["sql"] for pair in await saved(plain, "words")] == [right]
    assert await say(plain, ask, positive=False) == (200, {"lesson_ids": []})
    await until_saved(plain, "words", None)
    assert await say(plain, ask, positive=False) == (200, {"lesson_ids": []})
    assert (await service.answer(HOW_MANY, project_id="words"))["sql_source"] != "history"


async def test_feedback_is_for_answers_of_ones_own(written: Jobs) -> None:
    server = written.script(sql_generation=[Answer(json={}, hang=True)])
    ask = await written.service.ask("Who is the keenest, roughly?")
    await server.arrived("sql_generation")
    assert (await say(written, ask, positive=True))[0] == 422
    await written.service.stop(ask)
    assert (await say(written, ask, positive=True))[0] == 422
    assert (await say(written, "0" * 32, positive=True))[0] == 404
    assert (await say(written, ask, positive=True, project_id="stranger"))[0] == 404
    chart = await written.start("charts")
    assert (await say(written, chart, positive=True))[0] == 404


@pytest.mark.parametrize(
    "body",
    [{}, {"positive": 1}, {"positive": "yes"}, {"positive": None}, {"positive": True, "sql": ""}, {"sql": "SELECT 1"}],
)
async def test_feedback_that_is_none(plain: Jobs, body: dict[str, Any]) -> None:
    ask = (await plain.service.answer(HOW_MANY))["trace_id"]
    assert (await say(plain, ask, **body))[0] == 422


async def test_questions_that_may_follow(plain: Jobs, written: Jobs) -> None:
    plainly = await plain.service.answer(HOW_MANY, suggest=True, execute=True)
    assert len(set(plainly["suggested_questions"])) == 3
    assert HOW_MANY not in plainly["suggested_questions"]
    for question in plainly["suggested_questions"]:
        assert (await plain.service.answer(question, execute=True))["status"] == "finished"
    assert "suggested_questions" not in await plain.service.answer(HOW_MANY, suggest=False)
    for question in ("Which tables are there?", "What can you do?", "How tall is the moon?"):
        told = await plain.service.answer(question, suggest=True)
        assert "response" not in told, question
        assert len(set(told["suggested_questions"])) == 3, question
    three = ["How many orders?", "Which countries?", "Who spent most?"]
    for said, given in [
        (three, three),
        ([*three, "And then?"], three),
        (three[:2], None),
        ([HOW_MANY, *three[:2]], None),
        ([three[0], three[0].upper(), three[1]], None),
        ([], None),
    ]:
        written.script(question_suggestion=[Answer(json={"questions": said})])
        answer = await written.service.answer(HOW_MANY, suggest=True, execute=True)
        assert answer["status"] == "finished"
        assert answer.get("suggested_questions") == given, said
        assert written.stages().count("question_suggestion") == 1


@pytest.mark.parametrize("how", [Answer(status=400), Answer(text="no JSON"), Answer(drop="before"), Answer(text='{"q')])
async def test_an_answer_stands_where_suggesting_breaks(written: Jobs, how: Answer) -> None:
    written.script(question_suggestion=[how])
    answer = await written.service.answer(HOW_MANY, suggest=True, execute=True)
    assert (answer["status"], answer["data"]["rows"]) == ("finished", [[3]])
    assert "suggested_questions" not in answer
    assert "error" not in answer
