"""What was begun before a key was revoked, or was over: no more is told than to whom has none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.access.house import ALPHA, Caller, House, house, prepared
from tests.fakes.openai_server import Answer

SECRET = "canary-of-a-row"
ENDS = ("revoked", "over")


class Clock:
    """The wall clock of a service, which a test sets on."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


async def ending(home: House, clock: Clock, somebody: Caller, how: str) -> None:
    """Their key works no more."""
    if how == "revoked":
        assert (await home.root.call("DELETE", f"/v1/keys/{somebody.key_id}"))[0] == 200
    else:
        clock.ahead = timedelta(hours=2)


async def soon_over(home: House, clock: Clock) -> Caller:
    return await home.somebody("Ann", expires_at=(clock() + timedelta(hours=1)).isoformat())


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


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize("begun", [polled_chat, completion])
async def test_an_answer_that_was_held_is_not_told(tmp_path: Path, how: str, begun: Callable[[Caller], Any]) -> None:
    clock = Clock()
    async with house(tmp_path, script={"conversation": [Answer(text=SECRET, hang=True)]}, now=clock) as home:
        await prepared(home, ALPHA)
        ann = await soon_over(home, clock)
        held = asyncio.create_task((await begun(ann))())
        assert home.server is not None
        await home.server.arrived("conversation")
        await asyncio.sleep(2.1)  # longer than a look at a key is believed
        assert not held.done()
        await ending(home, clock, ann, how)
        home.server.release()
        status, told = await held
        assert status == 401, told
        assert SECRET not in str(told)


@pytest.mark.parametrize("how", ENDS)
async def test_a_poll_that_is_held_ends_with_the_key(tmp_path: Path, how: str) -> None:
    clock = Clock()
    async with house(tmp_path, script={"conversation": [Answer(text=SECRET, hang=True)]}, now=clock) as home:
        await prepared(home, ALPHA)
        ann = await soon_over(home, clock)
        held = asyncio.create_task((await polled_chat(ann))())
        assert home.server is not None
        await home.server.arrived("conversation")
        await ending(home, clock, ann, how)
        async with asyncio.timeout(8):  # it waits for 30 s else
            status, told = await held
        assert (status, told["code"]) == (401, "UNAUTHORIZED")
        home.server.release()


@pytest.mark.parametrize("how", ENDS)
async def test_a_quiet_stream_ends_before_anything_is_sent(tmp_path: Path, how: str) -> None:
    clock = Clock()
    async with house(tmp_path, script={"conversation": [Answer(text=SECRET, hang=True)]}, now=clock) as home:
        await prepared(home, ALPHA)
        ann = await soon_over(home, clock)
        status, begun = await ann.call("POST", "/v1/chats", json={"message": "Hello", "project_id": ALPHA})
        assert status == 202, begun
        assert home.server is not None
        await home.server.arrived("conversation")
        url = f"{home.service.url}/v1/runs/{begun['run_id']}/events"
        async with home.service.session.get(url, headers={"Authorization": f"Bearer {ann.key}"}) as stream:
            await stream.content.readuntil(b"\n\n")
            await ending(home, clock, ann, how)
            async with asyncio.timeout(30):
                rest = await stream.read()
        # Signs of life come every 15 seconds: the stream did not wait for one.
        assert not any(line.startswith(b":") for line in rest.splitlines())
        assert b"RUN_FINISHED" not in rest
        home.server.release()
