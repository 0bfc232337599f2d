"""Runs of conversations, read, answered and stopped at another process than the one that works on them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.agent.talking import ASK, SUGGESTED, Answer, Call, ChatServer, Talk
from tests.cluster.conftest import Configure
from tests.support.service import running_service
from tests.support.small_shops import make_small_shop

pytestmark = pytest.mark.deep

WHICH = Answer(calls=[Call("ask_data", {"question": "how many orders are open?"})])


@asynccontextmanager
async def talking_at_two(
    configure: Configure, folder: Path, **script: list[Answer]
) -> AsyncIterator[tuple[Talk, Talk, ChatServer]]:
    """The same conversation at a process that takes requests alone and at one that works."""
    path, model = make_small_shop("trader", folder)
    async with ChatServer({"conversation_suggestion": [SUGGESTED], **script}) as server:
        options = {
            "data_sources": {"default": {"engine": "sqlite", "path": str(path), "shared": True}},
            "settings": {"apply_lessons": False, "allow_intent_classification": False, "rules_mode": "balanced"},
            "api_base": server.api_base,
        }
        web, worker = configure("web", jobs={"work": False}, **options), configure("worker", **options)
        async with running_service(web) as at_web, running_service(worker) as at_worker:
            assert (await at_web.prepare(model))["status"] == "finished"
            yield Talk(at_web, server, folder, model), Talk(at_worker, server, folder, model), server


async def test_a_run_is_read_at_any_process(configure: Configure, tmp_path: Path) -> None:
    answer = [ASK, Answer(text="There are 3 customers.")]
    async with talking_at_two(configure, tmp_path, conversation=answer) as (web, worker, _):
        begun = await web.begin("How many customers are there?")
        live, run = await asyncio.gather(web.events(begun["run_id"]), worker.settled(begun["run_id"]))
        assert run["status"] == "finished", run
        assert live == await worker.events(begun["run_id"])
        for place in range(1, len(live)):
            assert await web.events(begun["run_id"], after=place) == live[place:]
        told = await web.agui("How many customers are there?", begun["thread_id"], "again")
        assert told[-1]["type"] == "RUN_FINISHED"


async def test_what_a_run_asks_back_is_answered_at_another_process(configure: Configure, tmp_path: Path) -> None:
    answer = [WHICH, Answer(text="There are 3 of them.")]
    async with talking_at_two(configure, tmp_path, conversation=answer) as (web, worker, _):
        begun = await worker.begin("How many orders are open?")
        asked = await web.settled(begun["run_id"])
        assert asked["status"] == "awaiting_input", asked
        reading = asyncio.create_task(worker.events(begun["run_id"]))
        run = await web.give(asked, "sales orders")
        assert run["status"] == "finished", run
        events = await reading
        assert events == await web.events(begun["run_id"])
        assert [event["type"] for event in events].count("RUN_FINISHED") == 2


async def test_a_run_is_stopped_from_another_process(configure: Configure, tmp_path: Path) -> None:
    stuck = Answer(text="There are 3.", hang=True)
    async with talking_at_two(configure, tmp_path, conversation=[ASK, stuck]) as (web, worker, server):
        begun = await web.begin("How many customers are there?")
        await server.arrived("conversation", 2)
        await web.stop(begun["run_id"])
        run = await worker.settled(begun["run_id"])
        assert run["status"] == "stopped"
        assert await web.events(begun["run_id"]) == await worker.events(begun["run_id"])
        status, _ = await worker.call(
            "POST", "/v1/chats", json={"message": "And now?", "thread_id": begun["thread_id"]}
        )
        assert status == 202
