"""Bodies as servers send them: what is read of a reply, what is told of a failure, what is left out after a refusal."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from askwell.errors import ModelUnavailable
from askwell.providers.llm.base import JsonSchema, LanguageModel, ModelCall
from askwell.providers.llm.call_options import at_most
from askwell.providers.llm.reachability import BackgroundProbes
from tests.fakes.model_at import KEY, model_at
from tests.support.tables import case_table

SCHEMA = JsonSchema("reply", {"type": "object"})


class Server:
    """Answers every chat with the same, or with a refusal while the request has what is refused."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.case = case
        self.bodies: list[dict[str, Any]] = []

    async def chat(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.bodies.append(body)
        case = self.case
        if self.refuses(body):
            return _whole(case["body"], case.get("status", 400))
        if "body" in case and "field" not in case and not self._is_refusal:
            streamed = body["stream"] and case.get("status", 200) == 200
            return _stream([case["body"]]) if streamed else _whole(case["body"], case.get("status", 200))
        choice = {"index": 0, "finish_reason": case.get("finish_reason", "stop")}
        choice |= {"error": case["error"]} if "error" in case else {}
        message = {"role": "assistant", **case.get("message", {"content": "{}"})}
        usage = {"prompt_tokens": 3, "completion_tokens": 2}
        if not body["stream"]:
            return _whole({"choices": [{**choice, "message": message}], "usage": usage}, 200)
        first = {"choices": [{"index": 0, "delta": message, "finish_reason": None}]}
        return _stream([first, {"choices": [{**choice, "delta": {}}], "usage": usage}])

    @property
    def _is_refusal(self) -> bool:
        return "says" not in self.case and "body" in self.case

    def refuses(self, body: dict[str, Any]) -> bool:
        if not self._is_refusal:
            return False
        if "field" in self.case:
            return self.case["field"] in body
        return any(message["role"] == "system" for message in body["messages"])


def _whole(body: Any, status: int) -> web.Response:
    if isinstance(body, str):
        return web.Response(text=body, status=status, content_type="text/html" if body[0] == "<" else "text/plain")
    return web.json_response(body, status=status, headers={"Retry-After": "0"})


def _stream(events: list[Any]) -> web.Response:
    text = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    return web.Response(text=f"{text}data: [DONE]\n\n", content_type="text/event-stream", headers={"Retry-After": "0"})


@asynccontextmanager
async def serving(case: dict[str, Any], **options: Any) -> AsyncIterator[tuple[Server, LanguageModel]]:
    server, app = Server(case), web.Application()
    app.router.add_post("/v1/chat/completions", server.chat)
    app.router.add_post("/v1", server.chat)  # what a path behind a query comes to
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
    user, query = (f"{case['user']}@" if "user" in case else ""), (f"?{case['query']}" if "query" in case else "")
    async with model_at(f"http://{user}127.0.0.1:{port}/v1{query}", **options) as model:
        yield server, model
    await runner.cleanup()


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("case", case_table(__file__, "answers"), ids=lambda case: case.get("says", case.get("text")))
async def test_an_answer(case: dict[str, Any], streamed: bool) -> None:
    async with serving(case) as (_, model):
        call = ModelCall("Task: x", "Who?", SCHEMA, on_delta=(lambda _: None) if streamed else None)
        if "text" in case:
            reply = await model.reply(call)
            assert (reply.text, reply.truncated) == (case["text"], case.get("truncated", False))
            return
        with pytest.raises(ModelUnavailable) as failed:
            await model.reply(call)
    assert case["says"] in failed.value.message
    assert case.get("fails", type(failed.value).__name__) == type(failed.value).__name__
    assert case.get("hint", "") in failed.value.hint
    assert failed.value.hint
    assert KEY not in failed.value.message
    assert "sk-abc" not in failed.value.message


@pytest.mark.parametrize("status", [400, 401, 404])
@pytest.mark.parametrize("case", case_table(__file__, "secrets"), ids=lambda case: case["says"])
async def test_a_secret_that_is_echoed_stays_hidden(
    case: dict[str, Any], status: int, caplog: pytest.LogCaptureFixture
) -> None:
    told = {"error": {"message": case["says"], "code": case.get("code")}}
    caplog.set_level("DEBUG")
    answers = {**case, "body": told, "status": status, "says": case["shown"]}
    async with serving(answers, api_key=case.get("key"), kwargs=case.get("kwargs", {})) as (_, model):
        with pytest.raises(ModelUnavailable) as failed:
            await model.reply(ModelCall("Task: x", "Who?"))
        probes = BackgroundProbes([model])
        probes.start()
        async with asyncio.timeout(10):
            while case["shown"] not in caplog.text:
                await asyncio.sleep(0.01)
        await probes.stop()
    seen = failed.value.message + failed.value.hint + caplog.text
    assert f": “{case['shown']}”" in seen
    assert case.get("key", "sesame") not in seen.replace("abcde", "")


@pytest.mark.parametrize("case", case_table(__file__, "refusals"), ids=lambda case: json.dumps(case["body"])[:60])
async def test_what_is_refused_is_stepped_down_from_once_and_remembered(case: dict[str, Any]) -> None:
    call = ModelCall("Task: x", "Who?", SCHEMA, on_delta=lambda _: None)
    async with serving(case, kwargs={"temperature": 0}) as (server, model):
        with at_most(100):
            await model.reply(call)
            first = len(server.bodies)
            await model.reply(call)
    assert first in (2, 3)  # a schema, then any JSON, then words
    assert len(server.bodies) == first + 1
    assert not server.refuses(server.bodies[-1])
    assert "Task: x" in json.dumps(server.bodies[-1]["messages"])
