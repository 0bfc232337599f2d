"""What counts as an ask of `sign_in.limits`: everything that starts a job, or lets a run go on."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from askwell.access.limits import Limits
from askwell.config.sign_in import LimitsConfig
from tests.access.house import ALPHA, Caller, house
from tests.fakes.openai_server import Answer
from tests.support import tiny_shop
from tests.support.redis_server import redis_server

PAIR = {"id": "p", "sql": "SELECT count(*) FROM orders", "question": "How many orders?"}
RESUMED = {"threadId": "t", "runId": "r", "messages": [], "resume": [{"interruptId": "i", "status": "cancelled"}]}
STARTS: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "/v1/documents", {"title": "t", "text": "x"}),
    ("DELETE", f"/v1/documents/none?project_id={ALPHA}", {}),
    ("POST", "/v1/sql-pairs", {"sql_pairs": [PAIR]}),
    ("DELETE", "/v1/sql-pairs", {"sql_pair_ids": ["p"]}),
    ("POST", "/v1/instructions", {"instructions": [{"id": "i", "instruction": "Count twice.", "is_default": True}]}),
    ("DELETE", "/v1/instructions", {"instruction_ids": ["i"]}),
    ("POST", "/v1/semantics-preparations", {"mdl": json.dumps(tiny_shop.manifest()), "mdl_hash": "m"}),
    ("POST", "/v1/sql-answers", {"query": "q", "sql": "SELECT 1"}),
    ("POST", "/v1/agent", {**RESUMED, "forwardedProps": {"project_id": ALPHA}}),
]


async def twice(somebody: Caller, method: str, path: str, body: dict[str, Any]) -> list[int]:
    answers = [await somebody.answer(method, path, json=body) for _ in range(2)]
    assert "Retry-After" in answers[1][2], answers[1]
    return [status for status, _, _ in answers]


async def test_what_starts_work_counts(tmp_path: Path) -> None:
    async with house(tmp_path, script={"conversation": []}, sign_in={"limits": {"asks": 1}}) as home:
        for number, (method, path, body) in enumerate(STARTS):
            somebody = await home.somebody(f"Somebody {number}", "admin")
            said = body if "?" in path or path == "/v1/agent" else {**body, "project_id": ALPHA}
            first, second = await twice(somebody, method, path, said)
            assert (first in (202, 404, 409), second) == (True, 429), (path, first)


async def test_answers_to_what_was_asked_back_count(tmp_path: Path) -> None:
    script = {"conversation": [Answer(text="Hello.")]}
    async with house(tmp_path, script=script, sign_in={"limits": {"asks": 2}}) as home:
        ann = await home.somebody("Ann")
        status, begun = await ann.call("POST", "/v1/chats", json={"message": "Hello", "project_id": ALPHA})
        assert status == 202, begun
        await ann.end(f"/v1/runs/{begun['run_id']}")
        path = f"/v1/runs/{begun['run_id']}/input"
        assert await twice(ann, "POST", path, {"interrupt_id": "i", "payload": "x"}) == [409, 429]


@pytest.mark.parametrize("moment", ["paused", "gone"])
async def test_nobody_waits_for_a_redis_that_does_not_answer(moment: str) -> None:
    async with redis_server() as server:
        limits = Limits(LimitsConfig(asks=1), server.url)
        assert [await limits.ask("ann") is None for _ in range(2)] == [True, False]
        server.pause() if moment == "paused" else server.stop()
        async with asyncio.timeout(30):
            assert [await limits.ask("ann") for _ in range(2)] == [None, None]
            await limits.failed("address")
            assert await limits.barred("address", "token") is None
        if moment == "paused":
            server.go_on()
        await limits.close()


async def test_connections_to_redis_are_closed() -> None:
    async with redis_server() as server:
        limits = Limits(LimitsConfig(), server.url)
        await limits.request("ann")
        watching = Redis.from_url(server.url)
        assert len(await watching.client_list()) == 2
        await limits.close()
        async with asyncio.timeout(10):
            while len(await watching.client_list()) > 1:
                await asyncio.sleep(0.01)
        await watching.aclose()
