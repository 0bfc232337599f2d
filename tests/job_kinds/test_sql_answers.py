"""Answers in words over HTTP: streamed while they are written, and whole whatever breaks."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest

from tests.fakes.openai_server import Answer, ChatServer
from tests.support.job_calls import BODIES, Jobs
from tests.support.service import running_service, scripted_service, write_config

ANSWER = "sql-answers"
ROWS = {"columns": ["name", "total_spent"], "data": [["Ada", 150.0], ["Grace", 75.5]]}


async def test_without_a_model_the_rows_are_told(plain: Jobs) -> None:
    one = await plain.start(ANSWER, sql="SELECT count(*) AS orders FROM orders")
    assert await plain.words(one) == "orders: 4"
    table = await plain.start(ANSWER)
    words = await plain.words(table)
    assert "| Ada Lovelace | 150.0 |" in words
    assert "3 rows" in words
    assert (await plain.poll(ANSWER, table))["num_rows_used_in_llm"] == 3
    given = await plain.start(ANSWER, sql_data=ROWS)
    assert "Grace" in await plain.words(given)


async def test_no_rows_take_no_model(written: Jobs) -> None:
    for body in ({"sql": "SELECT id FROM orders WHERE id = -1"}, {"sql_data": {"columns": ["a"], "data": []}}):
        job_id = await written.start(ANSWER, **body)
        assert "no rows" in (await written.words(job_id)).lower()
        assert (await written.poll(ANSWER, job_id))["num_rows_used_in_llm"] == 0
    assert written.stages() == []


async def test_words_come_while_they_are_written_and_from_the_start_for_everybody(written: Jobs) -> None:
    text = "Ada spent 150.0. " * 12
    server = written.script(sql_answer=[Answer(text=text, chunk_delay=0.02)])
    job_id = await written.start(ANSWER)
    await server.arrived("sql_answer")
    url = f"{written.service.url}/v1/{ANSWER}/{job_id}/streaming"
    begun, pieces = time.monotonic(), []
    async with written.service.session.get(url) as response:
        late = asyncio.create_task(written.words(job_id))
        async for line in response.content:
            if line.startswith(b"data:"):
                pieces.append((time.monotonic() - begun, json.loads(line[5:])["message"]))
                if len(pieces) == 1:
                    result = await written.poll(ANSWER, job_id)
                    assert result["status"] == "succeeded"
                    assert result["num_rows_used_in_llm"] == 3
    assert "".join(piece for _, piece in pieces) == await late == await written.words(job_id) == text
    assert pieces[-1][0] - pieces[0][0] > 0.1
    assert written.stages() == ["sql_answer"]


async def test_numbers_that_are_not_in_the_rows_are_said(written: Jobs) -> None:
    written.script(sql_answer=["Ada spent 150, and 98765 others did too."])
    job_id = await written.start(ANSWER)
    result = await written.end(ANSWER, job_id)
    assert "98765" in result["warnings"][0]
    assert result["warnings"][0] in await written.words(job_id)


@pytest.mark.deep
@pytest.mark.parametrize(
    "breaks",
    [
        Answer(text="Ada spent much. " * 9, drop="middle"),
        Answer(drop="before"),
        Answer(status=400),
        Answer(status=200, error={"message": "overloaded"}),
        Answer(raw="data: {not json\n\n"),
        Answer(raw="", headers={}),
        Answer(text=""),
        Answer(text="Half of it", finish_reason="length"),
        Answer(text="", reasoning="Let me think."),
        Answer(text="<think>secret thoughts</think>Ada spent most."),
    ],
)
async def test_an_answer_that_breaks_ends_with_words(tmp_path: Path, breaks: Answer) -> None:
    async with scripted_service(tmp_path, {"sql_answer": [breaks]}) as (service, server):
        jobs = Jobs(service, server)
        job_id = await jobs.start(ANSWER)
        result = await jobs.end(ANSWER, job_id)
        assert result["status"] == "succeeded"
        words = await jobs.words(job_id)
        assert words.strip()
        assert "secret thoughts" not in words
        if "error" in result:
            assert result["error"]["code"] == "OTHERS"
            assert words.endswith(result["error"]["message"])
            assert words.startswith(("Ada", "Half")), "nothing was written before it broke off"
        assert result == await jobs.poll(ANSWER, job_id)


@pytest.mark.deep
async def test_an_answer_that_was_told_of_never_fails_later(tmp_path: Path) -> None:
    # The rows take most of the time that the job has, and the model never answers.
    slow = (
        "WITH n AS (SELECT a.id FROM orders a CROSS JOIN orders b CROSS JOIN orders c CROSS JOIN orders d"
        + "".join(f" CROSS JOIN orders e{n}" for n in range(8))
        + ") SELECT count(*) AS n FROM n"
    )
    async with ChatServer({"sql_answer": [Answer(text="Ada", hang=True)]}) as server:
        config = write_config(tmp_path, api_base=server.api_base, settings={"ask_deadline": 2})
        async with running_service(config) as service:
            await service.prepare()
            jobs = Jobs(service, server)
            job_id = await jobs.start(ANSWER, sql=slow)
            statuses = []
            for name, data in await jobs.events(ANSWER, job_id):
                if name != "delta":
                    statuses.append(data["status"])
            if "succeeded" in statuses:
                assert statuses[-1] == "succeeded", statuses


async def test_a_stream_that_was_stopped_ends(written: Jobs) -> None:
    server = written.script(sql_answer=[Answer(text="word " * 400, chunk_delay=0.05)])
    job_id = await written.start(ANSWER)
    await server.arrived("sql_answer")
    reading = asyncio.create_task(written.words(job_id))
    await asyncio.sleep(0.1)
    await written.stop(ANSWER, job_id)
    async with asyncio.timeout(5):
        words = await reading
    assert len(words) < len("word " * 400)
    assert await written.words(job_id) == words


async def test_long_cells_and_many_rows_are_cut_for_the_model(written: Jobs) -> None:
    rows = [["x" * 5_000, number] for number in range(2_000)]
    job_id = await written.start(ANSWER, sql_data={"columns": ["name", "total_spent"], "data": rows})
    result = await written.end(ANSWER, job_id)
    assert 0 < result["num_rows_used_in_llm"] < 2_000
    assert "x" * 501 not in written.shown()


@pytest.mark.parametrize("job_id", ["none", "0" * 32])
async def test_the_stream_of_nothing(plain: Jobs, job_id: str) -> None:
    assert (await plain.service.call("GET", f"/v1/{ANSWER}/{job_id}/streaming"))[0] == 404


async def test_ten_megabytes_of_rows_hold_nobody_up(plain: Jobs) -> None:
    rows = [["x" * 100, number] for number in range(85_000)]
    body = json.dumps(BODIES[ANSWER] | {"sql_data": {"columns": ["name", "total_spent"], "data": rows}}).encode()
    headers = {"Content-Type": "application/json"}
    sending = asyncio.create_task(plain.service.call("POST", f"/v1/{ANSWER}", data=body, headers=headers))
    longest = 0.0
    while not sending.done():
        begun = time.monotonic()
        assert (await plain.service.call("GET", "/v1/health/live"))[0] == 200
        longest = max(longest, time.monotonic() - begun)
    status, answer = await sending
    assert status == 202, answer
    assert longest < 2.0  # of several seconds; machines are busy
    result = await plain.end(ANSWER, answer["query_id"])
    assert (result["status"], result["num_rows_used_in_llm"]) == ("succeeded", 10)
    assert "85000 rows" in await plain.words(answer["query_id"])
