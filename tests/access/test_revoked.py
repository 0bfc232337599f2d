"""What was begun before a key was revoked, or was over: no more is told than to whom has none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.access.house import ALPHA, Caller, House
from tests.fakes.openai_server import Answer

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
