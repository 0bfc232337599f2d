"""A record that is away for some seconds, for one process or for all, or that does not say what it has kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from tests.asks.test_events import QUESTION, RIGHT, script
from tests.cluster.conftest import Configure
from tests.fakes.openai_server import Answer, ChatServer
from tests.support.gateway import Gateway
from tests.support.servers import ServerDatabase
from tests.support.service import Client, running_service

pytestmark = pytest.mark.deep

COUNT = "How many customers are there?"
STUCK = Answer(json={"sql": RIGHT}, hang=True)
# Longer than a process may be silent before the others take it for dead.
AWAY_SECONDS = 12.0
# Longer than a process that waits for the record takes to find it again and to tell that it lives.
BACK_SECONDS = 5.0


@asynccontextmanager
async def door_to(record: ServerDatabase) -> AsyncIterator[tuple[Gateway, dict[str, str]]]:
    """A door between one process and the record, and that process's `knowledge` configuration."""
    place = make_url(record.url)
    async with Gateway(place.host or "127.0.0.1", place.port or 5432) as door:
        through = place.set(host="127.0.0.1", port=door.port).render_as_string(hide_password=False)
        yield door, {"url": through}


def patient(server: ChatServer) -> dict[str, Any]:
    """A language model that is waited for as long as all of this takes."""
    return {"default": {"provider": "openai", "model": "gpt-test", "api_base": server.api_base, "timeout": 120}}


async def is_ready(service: Client) -> None:
    async with asyncio.timeout(20):
        while (await service.call("GET", "/health/ready"))[0] != 200:
            await asyncio.sleep(0.05)


async def test_a_record_that_was_away_for_all_makes_nobody_dead(configure: Configure, record: ServerDatabase) -> None:
    """The first one to find it again sees that the other has told nothing for too long, as it has not itself."""
    async with (
        ChatServer(script(sql_generation=[STUCK, Answer(json={"sql": RIGHT})])) as server,
        door_to(record) as (door, first),
        door_to(record) as (other_door, second),
        running_service(configure("has-it", knowledge=first, llm=patient(server))) as has_it,
    ):
        await has_it.prepare()
        ask = await has_it.ask(QUESTION)
        await server.arrived("sql_generation")
        async with running_service(configure("other", knowledge=second, llm=patient(server))) as other:
            await asyncio.sleep(AWAY_SECONDS)  # by now it would take over what a dead process has
            await asyncio.gather(door.shut(), other_door.shut())
            await asyncio.sleep(AWAY_SECONDS)
            await other_door.open()
            await is_ready(other)
            await asyncio.sleep(BACK_SECONDS)
            await door.open()
            await is_ready(has_it)
            await asyncio.sleep(BACK_SECONDS)
            server.release()
            assert (await other.end(ask))["status"] == "finished"
            assert server.calls("sql_generation") == 1


async def test_what_was_kept_and_not_confirmed_is_done_by_the_process_that_wrote_it(
    configure: Configure, record: ServerDatabase
) -> None:
    async with door_to(record) as (door, knowledge):
        async with running_service(configure("alone", knowledge=knowledge)) as service:
            await service.prepare()
            door.shut_after(b"INSERT INTO jobs", b"COMMIT")
            key = {"headers": {"Idempotency-Key": "one"}, "json": {"query": COUNT}}
            status, answer = await service.call("POST", "/v1/asks", **key)
            assert (status, answer["code"]) == (503, "RECORD_UNAVAILABLE"), answer
            await door.open()
            await is_ready(service)
            status, answer = await service.call("POST", "/v1/asks", **key)
            assert status == 202, answer
            assert (await service.end(answer["query_id"]))["status"] == "finished"
