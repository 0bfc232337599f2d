"""The language model adapter against a server that speaks the real protocol, in its good and its bad moods."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from aiohttp import web

from askwell.errors import ModelUnavailable
from askwell.providers.llm.base import JsonSchema
from tests.fakes.model_at import KEY, model_at
from tests.fakes.openai_server import Answer, ChatRequest, ChatScript, ChatServer
from tests.fakes.recording_model import reply_of

SYSTEM = "Task: sql_generation\nBe brief."
USER = "the-secret-question"
SCHEMA = JsonSchema(
    "sql_generation",
    {
        "type": "object",
        "properties": {"sql": {"type": "string"}},
        "required": ["sql"],
        "additionalProperties": False,
    },
)
SQL = Answer(json={"sql": "SELECT 1"})


def _script(*answers: Answer, **abilities: Any) -> ChatScript:
    return ChatScript({"sql_generation": list(answers)}, **abilities)


def _nothing_secret(failure: ModelUnavailable) -> bool:
    return not any(secret in failure.message + failure.hint for secret in (KEY, USER, "Be brief"))


async def test_a_reply_with_its_usage_and_cost() -> None:
    async with (
        ChatServer(_script(SQL)) as server,
        model_at(server.api_base, kwargs={"temperature": 0.2}, prices={"prompt": 1.0, "completion": 2.0}) as model,
    ):
        reply = await reply_of(model, system=SYSTEM, user=USER, schema=SCHEMA)
    (request,) = server.requests
    assert (request.system, request.user, request.authorization) == (SYSTEM, USER, f"Bearer {KEY}")
    assert (request.body["model"], request.body["temperature"]) == ("test", 0.2)
    assert request.body["response_format"]["json_schema"]["schema"] == SCHEMA.schema
    assert reply.text == '{"sql": "SELECT 1"}'
    assert (reply.usage.llm_calls, reply.usage.prompt_tokens, reply.usage.completion_tokens) == (1, 12, 4)
    assert reply.usage.cost_usd == pytest.approx((12 * 1.0 + 4 * 2.0) / 1_000_000)


_PIECE = 'data: {"choices": [{"index": 0, "delta": {"content": "%s"}, "finish_reason": null}]}'


async def test_a_long_stream_lets_others_run_meanwhile() -> None:
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    raw = f"{_PIECE % 'x'}\n\n" * 2000 + "data: [DONE]\n\n"
    script = _script(Answer(text="ok"), Answer(raw=raw))
    async with ChatServer(script) as server, model_at(server.api_base) as model:
        await reply_of(model, system=SYSTEM, user=USER)  # connected
        task = asyncio.create_task(others())
        seen: list[int] = []
        reply = await reply_of(model, system=SYSTEM, user=USER, on_delta=lambda _: seen.append(turns))
        task.cancel()
    assert len(reply.text) == 2000
    assert seen[-1] - seen[0] >= 20


async def test_calls_that_are_refused_together_all_go_on_without_the_field() -> None:
    class Server(ChatServer):
        async def _answered(self, http: web.Request, request: ChatRequest) -> web.StreamResponse:
            await self._until(lambda: self.calls() >= 2, 10)
            if "temperature" in request.body:
                error = {"message": "Unsupported value.", "param": "temperature"}
                return web.json_response({"error": error}, status=400)
            return await super()._answered(http, request)

    async with Server(_script(SQL)) as server, model_at(server.api_base, kwargs={"temperature": 0}) as model:
        replies = await asyncio.gather(*(reply_of(model, system=SYSTEM, user=USER) for _ in range(2)))
    assert [(reply.text, reply.usage.llm_calls) for reply in replies] == [('{"sql": "SELECT 1"}', 2)] * 2


async def test_a_server_that_is_down() -> None:
    async with ChatServer() as server:
        nobody = server.api_base
    async with model_at(nobody.replace("//", "//user:pass@")) as model:
        with pytest.raises(ModelUnavailable, match="cannot be reached") as caught:
            await reply_of(model, system=SYSTEM, user=USER)
    assert not re.search(r"127\.0|user|pass", caught.value.message + caught.value.hint)


async def test_something_that_is_not_a_chat_completion() -> None:
    async with ChatServer() as server, model_at(server.api_base.replace("/v1", "/v1/models?x=")) as model:
        with pytest.raises(ModelUnavailable, match=r"not a chat completion|does not know|\(405\)"):
            await reply_of(model, system=SYSTEM, user=USER)


async def test_a_stream_that_breaks_is_not_started_again() -> None:
    pieces: list[str] = []
    answer = Answer(text="one two three four five six", drop="middle", chunk_delay=0.02)
    async with ChatServer(_script(answer)) as server, model_at(server.api_base) as model:
        with pytest.raises(ModelUnavailable, match="closed the connection before it answered"):
            await reply_of(model, system=SYSTEM, user=USER, on_delta=pieces.append)
    assert pieces == ["one ", "two ", "three "]
    assert server.calls() == 1


async def test_the_time_limit_ends_the_call_and_its_connection() -> None:
    async with ChatServer(_script(Answer(hang=True))) as server, model_at(server.api_base, timeout=30) as model:
        with pytest.raises(ModelUnavailable, match=r"did not answer within 0\.2 seconds") as caught:
            await reply_of(model, system=SYSTEM, user=USER, timeout=0.2)
        assert await server.ended(server.requests[0]) == "abandoned"
    assert _nothing_secret(caught.value)


@pytest.mark.parametrize(
    "answer", [Answer(hang=True), Answer(text="word " * 500, chunk_delay=0.05)], ids=["waiting", "streaming"]
)
async def test_cancelling_closes_the_connection(answer: Answer) -> None:
    async with ChatServer(_script(answer)) as server, model_at(server.api_base) as model:
        first_piece = asyncio.Event()
        call = asyncio.create_task(reply_of(model, system=SYSTEM, user=USER, on_delta=lambda _: first_piece.set()))
        request = await server.arrived("sql_generation")
        if not answer.hang:
            await first_piece.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert await server.ended(request) == "abandoned"


async def test_many_calls_at_once_do_not_mix() -> None:
    answers = [Answer(text=f"answer {n}", when=f"<{n}>", delay=0.01 * (n % 3)) for n in range(40)]
    async with ChatServer(_script(*answers)) as server, model_at(server.api_base) as model:
        replies = await asyncio.gather(*(reply_of(model, system=SYSTEM, user=f"<{n}>") for n in range(40)))
    assert [reply.text for reply in replies] == [f"answer {n}" for n in range(40)]


@pytest.mark.parametrize(
    ("scheme", "no_proxy", "reached"),
    [("http://", "", True), ("", "", True), ("http://", "models.example", False), ("", "models.example:8000", False)],
)
async def test_the_proxy_of_the_environment_is_used(
    monkeypatch: pytest.MonkeyPatch, scheme: str, no_proxy: str, *, reached: bool
) -> None:
    async with ChatServer(_script(SQL)) as server, model_at("http://models.example:8000/v1", timeout=2) as model:
        monkeypatch.setenv("http_proxy", scheme + server.api_base.removesuffix("/v1").removeprefix("http://"))
        monkeypatch.setenv("no_proxy", no_proxy)
        if reached:
            assert (await reply_of(model, system=SYSTEM, user=USER)).text == '{"sql": "SELECT 1"}'
        else:
            with pytest.raises(ModelUnavailable):
                await reply_of(model, system=SYSTEM, user=USER)
    assert bool(server.calls()) is reached


async def test_after_closing_there_are_no_more_calls() -> None:
    async with ChatServer() as server:
        async with model_at(server.api_base) as model:
            await reply_of(model, system=SYSTEM, user=USER)
        await model.close()
        with pytest.raises(ModelUnavailable, match="closed"):
            await reply_of(model, system=SYSTEM, user=USER)
    assert server.calls() == 1


async def test_a_local_server_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    async with ChatServer(_script(SQL)) as server, model_at(server.api_base, api_key=None) as model:
        await reply_of(model, system=SYSTEM, user=USER)
    assert server.requests[0].authorization == "Bearer no-key"
