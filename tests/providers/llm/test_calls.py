"""Calls of a language model over real HTTP: what each server answers, what is made of it, and what is sent the next
time. Each row of `calls.yaml` is one server and what comes of calling it, whole and streamed."""

from __future__ import annotations

import logging
import re
from typing import Any

import pytest
from aiohttp import web
from haystack.dataclasses import ChatMessage

from askwell.errors import ModelUnavailable
from askwell.providers.llm import base
from askwell.providers.llm.base import JsonSchema, LanguageModel, ModelReply, ToolSpec
from tests.fakes.model_at import KEY, model_at
from tests.fakes.openai_server import Answer, Call, ChatRequest, ChatScript, ChatServer
from tests.fakes.recording_model import reply_of
from tests.support.tables import case_table

SYSTEM = "Task: sql_generation\nBe brief."
USER = "the-secret-question"
SCHEMA = JsonSchema(
    "sql_generation", {"type": "object", "properties": {"sql": {"type": "string"}}, "required": ["sql"]}
)
PARAMETERS = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
TOOLS = (
    ToolSpec("find_tables", "Finds tables.", PARAMETERS),
    ToolSpec("count_rows", "Counts rows.", {"type": "object", "properties": {}}),
)
ASKED = [ChatMessage.from_system(SYSTEM), ChatMessage.from_user(USER)]
CASES = [
    pytest.param(
        case,
        streamed,
        id=f"{'stream' if streamed else 'whole'}-{case['why']}",
        marks=[pytest.mark.deep] if "deep" in case else [],
    )
    for case in case_table(__file__, "calls")
    for streamed in case.get("streamed", (False, True))
]
_ALWAYS_SENT = {"model", "messages", "stream", "stream_options", "n"}


class Particular(ChatServer):
    """A server that knows only some fields of a request, or no system message."""

    def __init__(self, script: ChatScript, unknown: list[str]) -> None:
        super().__init__(script)
        self.unknown = unknown

    def refusal(self, request: ChatRequest) -> web.Response | None:
        for field in self.unknown:
            if field in request.body:
                error = {"message": f"Unsupported parameter: '{field}'.", "param": field, "code": "unsupported"}
                return web.json_response({"error": error}, status=400)
        if "system" in self.unknown and any(message["role"] == "system" for message in request.body["messages"]):
            return web.json_response({"detail": "System role not supported"}, status=400)
        return super().refusal(request)


async def test_a_reply_without_end_is_asked_for_again() -> None:
    endless = Answer(raw=" " * 9_000_000)
    async with ChatServer({"*": [endless, Answer(text="one")]}) as server, model_at(server) as model:
        assert (await reply_of(model, system=SYSTEM, user=USER)).text == "one"
    assert server.calls() == 2


def answer_of(said: dict[str, Any]) -> Answer:
    return Answer(**{**said, "calls": [Call(*call) for call in said.get("calls", ())]})


async def _called(model: LanguageModel, case: dict[str, Any], heard: list[str] | None) -> ModelReply | ModelUnavailable:
    asked: dict[str, Any] = {"messages": ASKED} if "tools" in case else {"system": SYSTEM, "user": USER}
    asked |= {"tools": TOOLS if case.get("tools") else (), "schema": SCHEMA if case.get("schema") else None}
    try:
        return await reply_of(
            model, **asked, timeout=case.get("timeout"), on_delta=None if heard is None else heard.append
        )
    except ModelUnavailable as error:
        return error


@pytest.mark.parametrize(("case", "streamed"), CASES)
async def test_a_call(case: dict[str, Any], streamed: bool, caplog: pytest.LogCaptureFixture) -> None:
    script = ChatScript({"*": [answer_of(said) for said in case.get("answers", [])]}, **case.get("script", {}))
    async with (
        Particular(script, case.get("unknown", [])) as server,
        model_at(server, **case.get("model", {})) as model,
    ):
        with caplog.at_level(logging.DEBUG):
            for _ in range(case.get("times", 1)):
                heard: list[str] = []
                outcome = await _called(model, case, heard if streamed else None)
    if "fails" in case:
        assert type(outcome).__name__ == case.get("error") or "error" not in case
        assert isinstance(outcome, ModelUnavailable), outcome
        assert re.search(case["fails"], outcome.message), outcome.message
        assert outcome.hint
        assert case.get("hint", "") in outcome.hint
        for secret in (KEY, USER, "Be brief", "cannot help"):
            assert secret not in outcome.message + outcome.hint + caplog.text.replace("DEBUG", "")
        if isinstance(outcome, base.NoTextReply):
            assert outcome.usage.llm_calls == server.calls()
            assert outcome.usage.prompt_tokens > 0
    else:
        _check(outcome, case, heard if streamed else None)
    assert server.calls() == case.get("requests", case.get("times", 1))
    if "sent" in case:
        assert {name: one for name, one in server.requests[-1].body.items() if name not in _ALWAYS_SENT} == case["sent"]
    assert all(words in server.requests[-1].user for words in case.get("told", ()))
    if "formats" in case:
        assert [request.response_format for request in server.requests] == case["formats"]


def _check(outcome: ModelReply | ModelUnavailable, case: dict[str, Any], heard: list[str] | None) -> None:
    assert isinstance(outcome, ModelReply), outcome
    assert (outcome.text, outcome.truncated) == (case.get("text", ""), case.get("truncated", False))
    if heard is not None:
        assert "".join(heard) == outcome.text
        assert heard == case.get("pieces", heard)
    assert [[call.name, call.arguments] for call in outcome.calls] == case.get("said", [])
    ids = [call.id for call in outcome.calls]
    assert all(ids)
    assert len(set(ids)) == len(ids)
    assert case.get("ids", ids) == ids
    for name, count in case.get("usage", {}).items():
        assert getattr(outcome.usage, name) == count, name
