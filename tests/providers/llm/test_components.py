"""Chat generators of Haystack's ecosystem as language models, over real HTTP: `ollama-haystack`'s and Haystack's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from haystack.dataclasses import ChatMessage

from askwell.config import load_config
from askwell.errors import ConfigurationError, ModelUnavailable
from askwell.providers.llm import create_language_model
from askwell.providers.llm.base import JsonFormat, JsonSchema, LanguageModel, ModelCall, ToolSpec
from askwell.providers.llm.call_options import at_temperature, with_thoughts
from tests.fakes.ollama_server import CHAT, FakeOllama
from tests.fakes.openai_server import ChatServer
from tests.support.tables import case_rows, case_table

OPENAI = "haystack.components.generators.chat.OpenAIChatGenerator"
SCHEMA = JsonSchema("reply", {"type": "object"})
needs_ollama = pytest.mark.skipif(
    find_spec("ollama") is None or find_spec("haystack_integrations") is None,
    reason="ollama-haystack is not installed, so its generator is not tested",
)


def model_of(folder: Path, section: Mapping[str, Any], environ: Mapping[str, str] | None = None) -> LanguageModel:
    file = folder / "config.yaml"
    file.write_text(yaml.safe_dump({"llm": {"default": section}}))
    made = create_language_model(load_config(file, environ or {}).llm["default"])
    assert made is not None
    return made


@asynccontextmanager
async def ollama(
    folder: Path, *replies: dict[str, Any], **more: Any
) -> AsyncIterator[tuple[LanguageModel, FakeOllama]]:
    async with FakeOllama(replies) as server:
        init = {"model": "tiny:1b", "url": server.url, "generation_kwargs": {"temperature": 0}}
        model = model_of(folder, {"component": CHAT, "init": init, **more})
        yield model, server
        await model.close()


@needs_ollama
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("case", case_table(__file__, "replies"))
async def test_a_reply(case: dict[str, Any], streamed: bool, tmp_path: Path) -> None:
    heard: list[str] = []
    thoughts: list[str] = []
    async with ollama(tmp_path, *case["replies"], prices={"prompt": 1_000_000}) as (model, server):
        assert model.name == "tiny:1b"
        call = ModelCall("Task: x", "Who?", SCHEMA, on_delta=heard.append if streamed else None)
        with with_thoughts(thoughts.append):
            outcome: Any = await _outcome(model, call)
    assert len(server.requests) == case.get("asked", 1)
    if "fails" in case:
        assert type(outcome).__name__ == case["fails"]
        assert case.get("says", "") in outcome.message
        return
    assert (outcome.text, outcome.truncated) == (case["text"], case.get("truncated", False))
    assert (outcome.usage.llm_calls, outcome.usage.prompt_tokens) == (len(server.requests), 11)
    assert outcome.usage.cost_usd == 11
    assert "".join(heard) == (case["text"] if streamed else "")
    assert server.requests[0]["options"] == {"temperature": 0}


async def _outcome(model: LanguageModel, call: ModelCall) -> object:
    try:
        return await model.reply(call)
    except ModelUnavailable as error:
        return error


@needs_ollama
async def test_a_refusal_of_the_system_role_is_remembered(tmp_path: Path) -> None:
    refusing = {"refuses_system": True, "status": 400, "body": {"error": "System role not supported"}}
    async with ollama(tmp_path, {**refusing, "otherwise": {"content": "yes"}}) as (model, server):
        for _ in range(2):
            await model.reply(ModelCall("Task: x", "Who?"))
    roles = [[message["role"] for message in request["messages"]] for request in server.requests]
    assert roles == [["system", "user"], ["user"], ["user"]]


@needs_ollama
async def test_a_conversation_with_tools_a_temperature_and_a_probe(tmp_path: Path) -> None:
    called = {"content": "", "tool_calls": [{"function": {"name": "ask", "arguments": {"question": "Who?"}}}]}
    tool = ToolSpec("ask", "Asks.", {"type": "object", "properties": {"question": {"type": "string"}}})
    async with ollama(tmp_path, called, {"content": '{"answer": "yes"}'}) as (model, server):
        with at_temperature(0.7):
            turn = await model.reply(ModelCall(messages=[ChatMessage.from_user("Who?")], tools=[tool]))
        seen = await model.probe()
    assert [(one.name, one.arguments) for one in turn.calls] == [("ask", {"question": "Who?"})]
    assert server.requests[0]["tools"][0]["function"]["name"] == "ask"
    assert server.requests[0]["options"]["temperature"] == 0.7
    assert (seen.json_format, seen.streams, seen.usage, seen.usage_when_streaming) == (
        JsonFormat.TEXT,
        True,
        True,
        True,
    )


async def test_haystack_s_own_generator_with_a_secret_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-the-secret-key")
    async with ChatServer() as server:
        secret = {"type": "env_var", "env_vars": ["MY_KEY"]}
        init = {"model": "test", "api_base_url": server.api_base, "api_key": secret, "max_retries": 0}
        model = model_of(tmp_path, {"component": OPENAI, "init": init}, {"MY_KEY": "sk-the-secret-key"})
        reply = await model.reply(ModelCall("Task: sql_answer", "Who?"))
        await model.close()
    assert reply.text
    assert server.requests[0].authorization == "Bearer sk-the-secret-key"


@needs_ollama
async def test_a_server_that_is_away_or_late_is_named_as_that(tmp_path: Path) -> None:
    model = model_of(tmp_path, {"component": CHAT, "init": {"model": "m", "url": "http://127.0.0.1:9"}})
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await model.reply(ModelCall("Task: x", "Who?"))
    await model.close()

    async def silent(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.5)
        writer.close()

    async with await asyncio.start_server(silent, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        init = {"model": "m", "url": f"http://127.0.0.1:{port}"}
        model = model_of(tmp_path, {"component": CHAT, "init": init, "timeout": 0.2})
        with pytest.raises(ModelUnavailable, match=r"within 0\.2 seconds"):
            await model.reply(ModelCall("Task: x", "Who?"))
        await model.close()


@pytest.mark.parametrize(
    ("section", "said"), case_rows(__file__, "what_cannot_be_used_is_refused_at_start", "section", "said", lists=True)
)
def test_what_cannot_be_used_is_refused_at_start(section: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as refused:
        model_of(tmp_path, section, {"OPENAI_API_KEY": "sk-2"})
    told = refused.value.message + refused.value.hint
    assert said in told
    assert "sk-1" not in told
