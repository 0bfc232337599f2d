"""Conversations with tools are in the log of an ask, as its prompts are."""

from __future__ import annotations

import json

import pytest
from haystack.dataclasses import ChatMessage

from askwell.config import LlmConfig
from askwell.errors import ModelUnavailable
from askwell.providers.llm import create_language_model
from askwell.providers.llm.base import ToolSpec
from askwell_evaluation.model_calls import RecordedModel, recorded
from tests.fakes.openai_server import Answer, Call, ChatServer
from tests.fakes.recording_model import reply_of

ASKED = [ChatMessage.from_system("Task: agent"), ChatMessage.from_user("What sells best?")]
TOOLS = [ToolSpec("find_tables", "Finds tables.", {"type": "object", "properties": {}})]


async def test_turns_are_logged_with_what_they_cost_and_why_they_failed() -> None:
    answers = [Answer(calls=[Call("find_tables")]), Answer(text="Shirts."), Answer(status=400)]
    async with ChatServer({"agent": answers}) as server:
        model = create_language_model(LlmConfig(model="test", api_base=server.api_base))
        assert model is not None
        logged = RecordedModel(model, "agent", {}, None)
        with recorded() as log:
            for _ in range(2):
                await reply_of(logged, messages=ASKED, tools=TOOLS)
            with pytest.raises(ModelUnavailable):
                await reply_of(logged, messages=ASKED, tools=TOOLS)
        await logged.close()
    called, said, failed = log.calls
    assert (called.pipeline, called.system) == ("agent", "Task: agent")
    assert json.loads(called.user) == [{"role": "user", "content": "What sells best?"}]
    assert json.loads(called.reply)["tool_calls"][0]["function"] == {"name": "find_tables", "arguments": "{}"}
    assert (said.reply, said.usage["llm_calls"], said.failure) == ("Shirts.", 1, "")
    assert (failed.reply, failed.is_outage, "refused" in failed.failure) == ("", True, True)
