"""What counts as an ask of `sign_in.limits`: everything that starts a job, or lets a run go on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from askwell.access.limits import Limits
from askwell.config.sign_in import LimitsConfig
from tests.access.house import ALPHA, Caller, House, house
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


# -- What was begun before a key was revoked, or was over: no more is told than to whom has none.


SECRET = "canary-of-a-row"
ENDS = ("revoked", "over")


async def ending(home: House, somebody: Caller, how: str) -> None:
    """Their key works no more."""
    if how == "revoked":
        assert (await home.root.call("DELETE", f"/v1/keys/{somebody.key_id}"))[0] == 200
    else:
        home.clock.pass_by(120)


async def soon_over(home: House) -> Caller:
    return await home.somebody("Ann", expires_at=home.clock.after(60))


async def polled_chat(ann: Caller) -> Callable[[], Any]:
    """A run, and a poll of it that is held."""
    status, begun = await ann.call("POST", "/v1/chats", json={"message": "Hello", "project_id": ALPHA})
    assert status == 202, begun

    async def held() -> tuple[int, Any]:
        # A poll is answered too when the run that it found waiting begins.
        while (told := await ann.call("GET", f"/v1/runs/{begun['run_id']}?wait=30"))[1].get("status") == "running":
            pass
        return told

    return held


async def completion(ann: Caller) -> Callable[[], Any]:
    """The other interface, which answers once the run has ended."""
    body = {"model": f"{ALPHA}/default", "messages": [{"role": "user", "content": "Hello"}]}
    return lambda: ann.call("POST", "/v1/chat/completions", json=body)


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("how", ENDS)
async def test_an_answer_that_was_held_is_not_told(talk: House, how: str) -> None:
    model, ann = talk.script(Answer(text=SECRET, hang=True)), await soon_over(talk)
    held = [asyncio.create_task((await begun(ann))()) for begun in (polled_chat, completion)]
    await model.arrived("conversation", len(held))
    await asyncio.sleep(2.1)  # longer than a look at a key is believed
    assert not any(one.done() for one in held)
    await ending(talk, ann, how)
    model.release()
    for status, told in await asyncio.gather(*held):
        assert status == 401, told
        assert SECRET not in str(told)


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("how", ENDS)
async def test_a_poll_that_is_held_ends_with_the_key(talk: House, how: str) -> None:
    model, ann = talk.script(Answer(text=SECRET, hang=True)), await soon_over(talk)
    held = asyncio.create_task((await polled_chat(ann))())
    await model.arrived("conversation")
    await ending(talk, ann, how)
    async with asyncio.timeout(8):  # it waits for 30 s else
        status, told = await held
    assert (status, told["code"]) == (401, "UNAUTHORIZED")
    model.release()


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("how", ENDS)
async def test_a_quiet_stream_ends_before_anything_is_sent(talk: House, how: str) -> None:
    model, ann = talk.script(Answer(text=SECRET, hang=True)), await soon_over(talk)
    status, begun = await ann.call("POST", "/v1/chats", json={"message": "Hello", "project_id": ALPHA})
    assert status == 202, begun
    await model.arrived("conversation")
    url = f"{talk.service.url}/v1/runs/{begun['run_id']}/events"
    async with talk.service.session.get(url, headers={"Authorization": f"Bearer {ann.key}"}) as stream:
        await stream.content.readuntil(b"\n\n")
        await ending(talk, ann, how)
        async with asyncio.timeout(30):
            rest = await stream.read()
    # Signs of life come every 15 seconds: the stream did not wait for one.
    assert not any(line.startswith(b":") for line in rest.splitlines())
    assert b"RUN_FINISHED" not in rest
    model.release()
