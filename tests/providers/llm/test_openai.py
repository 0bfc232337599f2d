"""The language model adapter against a server that speaks the real protocol, in its good and its bad moods."""

from __future__ import annotations

import asyncio
import logging
import re
from typing import Any

import pytest
from aiohttp import web

from askwell.errors import ConfigurationError, ModelUnavailable
from askwell.providers.llm import ModelOptions, create_language_model
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
        model_at(server.api_base, kwargs={"temperature": 0.2}, prices=(1.0, 2.0)) as model,
    ):
        reply = await reply_of(model, system=SYSTEM, user=USER, schema=SCHEMA)
    (request,) = server.requests
    assert (request.system, request.user, request.authorization) == (SYSTEM, USER, f"Bearer {KEY}")
    assert (request.body["model"], request.body["temperature"]) == ("test", 0.2)
    assert request.body["response_format"]["json_schema"]["schema"] == SCHEMA.schema
    assert reply.text == '{"sql": "SELECT 1"}'
    assert (reply.usage.llm_calls, reply.usage.prompt_tokens, reply.usage.completion_tokens) == (1, 12, 4)
    assert reply.usage.cost_usd == pytest.approx((12 * 1.0 + 4 * 2.0) / 1_000_000)


async def test_no_usage_is_zero_tokens_and_still_a_call() -> None:
    async with ChatServer(_script(SQL, usage=False)) as server, model_at(server.api_base) as model:
        usage = (await reply_of(model, system=SYSTEM, user=USER)).usage
        assert (usage.llm_calls, usage.prompt_tokens, usage.completion_tokens) == (1, 0, 0)
        usage = (await reply_of(model, system=SYSTEM, user=USER, on_delta=lambda _: None)).usage
        assert (usage.llm_calls, usage.prompt_tokens, usage.completion_tokens) == (1, 0, 0)


async def test_streaming_gives_pieces_and_usage() -> None:
    plan = "1. **Read** table: orders\n2. **Count** the rows"
    pieces: list[str] = []
    async with ChatServer(_script(Answer(text=plan))) as server, model_at(server.api_base) as model:
        reply = await reply_of(model, system=SYSTEM, user=USER, on_delta=pieces.append)
    assert reply.text == "".join(pieces) == plan
    assert len(pieces) > 3
    assert reply.usage.completion_tokens == len(plan) // 4


_PIECE = 'data: {"choices": [{"index": 0, "delta": {"content": "%s"}, "finish_reason": null}]}'


@pytest.mark.parametrize(
    "raw",
    [
        f"{_PIECE % 'one '}\n\n{_PIECE % 'two'}\n\ndata: [DONE]\n\n",
        f": ping\r\n\r\nevent: message\r\n{_PIECE % 'one '}\r\n\r\n{_PIECE % 'two'}\r\n\r\ndata: [DONE]\r\n\r\n",
        f"{_PIECE % 'one '}\n\n{_PIECE % 'two'}\n\n",
        f"{_PIECE % 'one '}\n\n{_PIECE % 'two'}",
        f"{_PIECE % 'one '}\n\n{_PIECE % 'two'}\n\ndata: [DONE]",
        (_PIECE % "one ").replace("data: {", "data:{")
        + '\n\ndata: {"choices": []}\n\ndata: {"choices": [{"delta": null}]}\n\n'
        + (_PIECE % "two").replace(', "finish_reason": null', "")
        + "\n\n",
    ],
    ids=["plain", "crlf and comments", "no done", "no last line", "done without end", "odd pieces"],
)
async def test_streams_of_every_server(raw: str) -> None:
    pieces: list[str] = []
    async with ChatServer(_script(Answer(raw=raw))) as server, model_at(server.api_base) as model:
        reply = await reply_of(model, system=SYSTEM, user=USER, on_delta=pieces.append)
    assert (pieces, reply.text) == (["one ", "two"], "one two")


async def test_a_server_that_does_not_stream_when_asked_to() -> None:
    pieces: list[str] = []
    script = _script(Answer(text="one two"), streams=False)
    async with ChatServer(script) as server, model_at(server.api_base) as model:
        reply = await reply_of(model, system=SYSTEM, user=USER, on_delta=pieces.append)
    assert (pieces, reply.text, reply.usage.completion_tokens) == (["one two"], "one two", 1)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (f'{_PIECE % "one"}\n\ndata: {{"error": {{"message": "{KEY}"}}}}\n\n', "broke the connection off"),
        ("data: <html>\n\n", "not a chat completion"),
        ("data: [1]\n\n", "not a chat completion"),
        ('data: {"choices": [7]}\n\n', "not a chat completion"),
    ],
)
async def test_a_stream_that_holds_something_else(raw: str, words: str) -> None:
    async with ChatServer(_script(Answer(raw=raw))) as server, model_at(server.api_base) as model:
        with pytest.raises(ModelUnavailable, match=words) as caught:
            await reply_of(model, system=SYSTEM, user=USER, on_delta=lambda _: None)
    assert _nothing_secret(caught.value)


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


async def test_a_server_without_stream_options_is_asked_once_with_them() -> None:
    async with (
        ChatServer(_script(Answer(text="ok"), stream_options=False)) as server,
        model_at(server.api_base) as model,
    ):
        first = await reply_of(model, system=SYSTEM, user=USER, on_delta=lambda _: None)
        second = await reply_of(model, system=SYSTEM, user=USER, on_delta=lambda _: None)
    assert (first.text, first.usage.llm_calls) == ("ok", 2)
    assert (second.text, second.usage.llm_calls) == ("ok", 1)
    assert server.calls() == 3


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


async def test_usage_of_another_shape_is_not_counted() -> None:
    raw = 'data: {"choices": [{"delta": {"content": "ok"}}], "usage": {"prompt_tokens": "few"}}\n\ndata: [DONE]\n\n'
    async with ChatServer(_script(Answer(raw=raw))) as server, model_at(server.api_base) as model:
        reply = await reply_of(model, system=SYSTEM, user=USER, on_delta=lambda _: None)
    assert (reply.text, reply.usage.prompt_tokens) == ("ok", 0)


@pytest.mark.parametrize("status", [400, 422, 500])
@pytest.mark.parametrize(
    ("accepts", "ways"),
    [
        ("json_object", ["json_schema", "json_object", "json_object"]),
        ("text", ["json_schema", "json_object", None, None]),
    ],
)
async def test_steps_down_to_what_the_server_takes_and_remembers(
    accepts: Any, ways: list[str | None], status: int
) -> None:
    script = _script(SQL, accepts=accepts, refusal_status=status)
    async with ChatServer(script) as server, model_at(server.api_base) as model:
        first = await reply_of(model, system=SYSTEM, user=USER, schema=SCHEMA)
        second = await reply_of(model, system=SYSTEM, user=USER, schema=SCHEMA)
    assert first.text == second.text == '{"sql": "SELECT 1"}'
    assert [request.response_format for request in server.requests] == ways
    assert (first.usage.llm_calls, second.usage.llm_calls) == (len(ways) - 1, 1)
    assert server.requests[-1].system == SYSTEM
    last = server.requests[-1].user
    assert last.startswith(USER)
    assert "JSON" in last
    assert '"required": ["sql"]' in last


async def test_another_refusal_does_not_step_down() -> None:
    refusal = Answer(status=400, error={"message": "top_p is not supported", "param": "top_p"})
    async with ChatServer(_script(refusal)) as server, model_at(server.api_base, kwargs={"top_p": 0}) as model:
        with pytest.raises(ModelUnavailable, match="does not accept the setting top_p"):
            await reply_of(model, system=SYSTEM, user=USER, schema=SCHEMA)
    assert server.calls() == 1


LEAK = f"You sent {KEY} and {USER}"


@pytest.mark.parametrize(
    ("answer", "words", "calls"),
    [
        (Answer(status=401, error={"message": LEAK}), "refused the API key", 1),
        (Answer(status=403, error={"message": LEAK}), "refused the API key", 1),
        (Answer(status=404, error={"message": LEAK}), "does not know test", 1),
        (Answer(status=429, error={"message": LEAK}, headers={"Retry-After": "0"}), "too many", 4),
        (Answer(status=429, error={"message": LEAK, "code": "insufficient_quota"}), "no credit", 1),
        (Answer(status=400, error={"message": LEAK, "code": "context_length_exceeded"}), "too long", 1),
        (Answer(status=400, error={"message": "This model's maximum context length is 8"}), "too long", 1),
        (Answer(status=400, error={"message": LEAK, "code": KEY}), r"refused the request \(400\)", 1),
        (Answer(status=500, error={"message": LEAK}, headers={"Retry-After": "0"}), r"failed \(500\)", 4),
        (Answer(drop="before"), "broke the connection off", 3),
        (Answer(drop="middle"), "broke the connection off", 3),
    ],
)
async def test_failures_are_said_to_people_without_secrets(
    answer: Answer, words: str, calls: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with ChatServer(_script(answer)) as server, model_at(server.api_base) as model:
        with caplog.at_level(logging.DEBUG), pytest.raises(ModelUnavailable, match=words) as caught:
            await reply_of(model, system=SYSTEM, user=USER, schema=SCHEMA)
    assert server.calls() == calls
    assert caught.value.hint
    assert _nothing_secret(caught.value)
    assert KEY not in caplog.text
    assert USER not in caplog.text


@pytest.mark.parametrize("code", [None, "model_not_found"])
async def test_a_server_that_is_sent_no_key_is_not_said_to_refuse_one(code: str | None) -> None:
    wanted = Answer(status=403, error={"message": LEAK, "code": code})
    async with ChatServer(_script(wanted)) as server, model_at(server.api_base, api_key=None) as model:
        with pytest.raises(ModelUnavailable, match=r"wants an API key|does not let callers without a key") as caught:
            await reply_of(model, system=SYSTEM, user=USER)
    assert "key in OPENAI_API_KEY" not in caught.value.hint
    assert "None" not in caught.value.hint
    assert ("`api_key_env`" in caught.value.hint) == (code is None)


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


async def test_a_passing_failure_is_tried_again() -> None:
    busy = Answer(status=503, headers={"Retry-After": "0"})
    async with ChatServer(_script(busy, busy, SQL)) as server, model_at(server.api_base) as model:
        reply = await reply_of(model, system=SYSTEM, user=USER)
    assert (reply.text, reply.usage.llm_calls, server.calls()) == ('{"sql": "SELECT 1"}', 3, 3)


async def test_waiting_as_long_as_the_server_asks_would_pass_the_limit_so_it_fails_at_once() -> None:
    busy = Answer(status=429, headers={"Retry-After": "3600"})
    async with ChatServer(_script(busy)) as server, model_at(server.api_base) as model:
        with pytest.raises(ModelUnavailable, match="too many"):
            await asyncio.wait_for(reply_of(model, system=SYSTEM, user=USER), 10)
    assert server.calls() == 1


async def test_a_stream_that_breaks_is_not_started_again() -> None:
    pieces: list[str] = []
    answer = Answer(text="one two three four five six", drop="middle", chunk_delay=0.02)
    async with ChatServer(_script(answer)) as server, model_at(server.api_base) as model:
        with pytest.raises(ModelUnavailable, match="broke the connection off"):
            await reply_of(model, system=SYSTEM, user=USER, on_delta=pieces.append)
    assert pieces == ["one ", "two ", "three "]
    assert server.calls() == 1


async def test_the_time_limit_ends_the_call_and_its_connection() -> None:
    async with ChatServer(_script(Answer(hang=True))) as server, model_at(server.api_base, timeout=30) as model:
        with pytest.raises(ModelUnavailable, match=r"did not answer within 0\.2 seconds") as caught:
            await reply_of(model, system=SYSTEM, user=USER, timeout=0.2)
        assert await server.ended(server.requests[0]) == "abandoned"
    assert _nothing_secret(caught.value)


async def test_a_call_cannot_take_longer_than_the_configured_limit() -> None:
    async with ChatServer(_script(Answer(hang=True))) as server, model_at(server.api_base, timeout=0.2) as model:
        with pytest.raises(ModelUnavailable, match=r"within 0\.2 seconds"):
            await reply_of(model, system=SYSTEM, user=USER, timeout=60)


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


@pytest.mark.parametrize("text", ["", "I cannot do that.", '{"sql": "SELECT', "```json\n{}\n```"])
async def test_whatever_text_comes_is_handed_on(text: str) -> None:
    async with ChatServer(_script(Answer(text=text))) as server, model_at(server.api_base) as model:
        reply = await reply_of(model, system=SYSTEM, user=USER, schema=SCHEMA)
        assert (reply.text, reply.truncated) == (text, False)
        if not text:
            return  # one that is cut before its first word is a failure
        server.script.stages["sql_generation"] = [Answer(text=text, finish_reason="length")]
        for on_delta in (None, lambda _: None):
            reply = await reply_of(model, system=SYSTEM, user=USER, schema=SCHEMA, on_delta=on_delta)
            assert (reply.text, reply.truncated) == (text, True)


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


def test_the_key_comes_from_the_named_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASKWELL_TEST_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="ASKWELL_TEST_KEY is not set"):
        create_language_model(ModelOptions("openai", model="m", api_key_env="ASKWELL_TEST_KEY"))
    monkeypatch.setenv("ASKWELL_TEST_KEY", KEY)
    model = create_language_model(
        ModelOptions("openai", model="m", api_key_env="ASKWELL_TEST_KEY", context_window=8000)
    )
    assert model is not None
    assert (model.name, model.context_window) == ("m", 8000)


async def test_a_local_server_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    async with ChatServer(_script(SQL)) as server, model_at(server.api_base, api_key=None) as model:
        await reply_of(model, system=SYSTEM, user=USER)
    assert server.requests[0].authorization == "Bearer no-key"


def test_none_is_no_model_and_unknown_providers_are_refused() -> None:
    assert create_language_model(ModelOptions("none")) is None
    with pytest.raises(ConfigurationError, match="no language model provider 'opnai'"):
        create_language_model(ModelOptions("opnai", model="m"))
    with pytest.raises(ConfigurationError, match="needs a model name"):
        create_language_model(ModelOptions("openai", api_base="http://127.0.0.1:1/v1"))
