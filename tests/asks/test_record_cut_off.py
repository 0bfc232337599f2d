"""A record whose server cuts its connections again and again: what was accepted ends once, and none ends as failed."""

from __future__ import annotations

import asyncio
import uuid
from datetime import UTC, datetime
from pathlib import Path

import pytest

from askwell.asks.request import AskRequest, asked_for
from askwell.jobs.kind import body_hash
from askwell.knowledge.jobs import AcceptedJob
from askwell.knowledge.record import Record
from tests.asks.test_stop_and_kill import HISTORY, RIGHT
from tests.asks.test_stop_and_kill import QUESTION as SPENDERS
from tests.fakes.openai_server import Answer, ChatServer
from tests.knowledge.conftest import throw_away_schema
from tests.knowledge.test_postgres import gateway
from tests.observability.scraping import scrape
from tests.support.cuts import cut_again_and_again
from tests.support.service import ENDS, Client, prepared_service, running_service, write_config

UNDERSTOOD = {"rephrased_question": SPENDERS, "reasoning": "", "intent": "TEXT_TO_SQL"}
QUESTION = {"query": "How many customers are there?", "execute": True}
ASKS = 25


async def accepted(service: Client) -> str:
    """The id of an ask. One that is refused is sent again, as clients do."""
    key = {"Idempotency-Key": uuid.uuid4().hex}
    async with asyncio.timeout(30):
        while True:
            status, answer = await service.call("POST", "/v1/asks", json=QUESTION, headers=key)
            if status == 202:
                return str(answer["query_id"])
            assert status == 503, answer
            await asyncio.sleep(0.1)


async def ends_of(service: Client, ask_id: str) -> list[str]:
    """The events of an ended ask that are ends."""
    async with service.session.get(f"{service.url}/v1/asks/{ask_id}/events") as response:
        lines = (await response.text()).splitlines()
    return [line for line in lines if line in ("event: done", "event: error")]


@pytest.mark.deep
async def test_every_ask_ends_once_and_is_answered_while_connections_are_cut(tmp_path: Path) -> None:
    async with throw_away_schema() as url:
        config = write_config(tmp_path, knowledge={"url": url})
        async with running_service(config):
            pass  # making the tables takes a server longer than there is between two cuts
        async with cut_again_and_again(url) as cuts, running_service(config) as service:
            assert (await service.prepare())["status"] == "finished"
            asks = []
            for _ in range(ASKS):
                asks.append(await accepted(service))
                await asyncio.sleep(0.02)
            results = [await service.end(ask) for ask in asks]
            ends = [await ends_of(service, ask) for ask in asks]
            counted = (await scrape(service)).value("askwell_asks_total")
        async with running_service(config) as service:
            kept = [await service.result(ask) for ask in asks]
    assert sum(cuts) > 5
    assert [(one["status"], one.get("error")) for one in results] == [("finished", None)] * ASKS
    assert all(one["status"] in ENDS for one in results)
    assert ends == [["event: done"]] * ASKS
    assert counted == ASKS
    assert kept == results


async def test_an_ask_that_was_written_and_refused_runs_when_it_is_sent_again(tmp_path: Path) -> None:
    request = AskRequest(**QUESTION).to_json()  # type: ignore[arg-type]
    del request["passages"]  # which were not known when it was written
    left = AcceptedJob("left", "ask", "default", request, "key", body_hash(asked_for(request)), datetime.now(UTC))
    async with prepared_service(tmp_path) as service:
        record = await Record.open("sqlite", tmp_path / "home")
        await record.jobs.accept(left)  # as one whose commit came through and whose answer did not
        await record.close()
        for more in ({}, {"passages": None}):
            body, key = QUESTION | more, {"Idempotency-Key": "key"}
            status, answer = await service.call("POST", "/v1/asks", json=body, headers=key)
            assert (status, answer.get("query_id")) == (202, "left")
            assert (await service.end("left"))["data"]["rows"] == [[3]]
        assert (await scrape(service)).value("askwell_asks_total") == 1


@pytest.mark.deep  # a stop, and each look at the record, first tries for some seconds
async def test_an_ask_waits_for_a_server_that_is_away_and_is_answered(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def said(what: str) -> None:
        async with asyncio.timeout(30):
            while what not in caplog.text:
                await asyncio.sleep(0.02)

    script = {
        "intent_classification": [Answer(json=UNDERSTOOD, hang=True), Answer(json=UNDERSTOOD)],
        "sql_generation": [Answer(json={"sql": RIGHT})],
    }
    async with throw_away_schema() as url, gateway(url) as (door, address), ChatServer(script) as model:
        config = write_config(tmp_path, api_base=model.api_base, settings={"concurrency": 1})
        async with running_service(config, {"ASKWELL_KNOWLEDGE__URL": address}) as service:
            await service.prepare()
            first = await service.ask(SPENDERS, histories=HISTORY, execute=True)
            second = await service.ask(SPENDERS, execute=True)
            await model.arrived("intent_classification")
            await door.shut()
            model.release()
            await said("ask waits for the record")
            # The first has read all that it needs, and waits for its end to be written; the second to begin.
            assert [(await service.result(ask))["status"] for ask in (first, second)] == ["generating", "understanding"]
            status, refused = await service.call("POST", "/v1/asks", json=QUESTION)
            assert (status, refused["code"]) == (503, "RECORD_UNAVAILABLE")
            assert (await service.call("GET", "/health/ready"))[0] == 503
            await door.open()
            ends = [await service.end(ask) for ask in (first, second)]
            assert [end["data"]["rows"] for end in ends] == [[["Ada Lovelace"]]] * 2
            assert (await service.call("GET", "/health/ready"))[0] == 200
            assert (await scrape(service)).value("askwell_asks_total") == 2
            assert await ends_of(service, first) == ["event: done"]
