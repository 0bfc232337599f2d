"""Each vendor's example in docs/configuration answers a question, at a server with that vendor's habits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.chat_script import ChatScript
from tests.fakes.openai_server import Answer, ChatServer
from tests.fakes.vendors import (
    AzureVendor,
    LmStudioVendor,
    OllamaVendor,
    OpenAIVendor,
    OpenRouterVendor,
    VllmVendor,
)
from tests.support import tiny_shop
from tests.support.service import Client, running_service

pytestmark = pytest.mark.deep  # each starts a service

EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "configuration"
KEY = "the-vendors-key"
# A question that rules cannot place, so that it reaches the model.
QUESTION = "Who among our customers is the keenest spender, roughly?"
RIGHT = "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"
PLAN = "1. **Rank** customers."


# A follow-up: it is rewritten by one call, and the plan of another one is streamed.
BEFORE = [{"question": "How many customers are there?", "sql": "SELECT count(*) FROM customers"}]
WRITTEN = {"plan": PLAN, "sql": RIGHT}


def script(*sql: Answer, **abilities: Any) -> ChatScript:
    return ChatScript({"sql_generation": [*sql, Answer(json=WRITTEN)]}, **abilities)


class TestEachExample:
    @pytest.fixture
    def environ(self, tmp_path: Path) -> Mapping[str, str]:
        """Where this test's database is, and every vendor's key."""
        return {
            "ASKWELL_HOME": str(tmp_path / "home"),
            "ASKWELL_EMBEDDER__DEFAULT__PROVIDER": "none",  # the default one would cost each test a second
            "ASKWELL_SETTINGS__PROMPT_STYLE": "full",  # on this machine, unknown models are taken for small ones
            "ASKWELL_DATA_SOURCES__DEFAULT__ENGINE": "sqlite",
            "ASKWELL_DATA_SOURCES__DEFAULT__PATH": str(tiny_shop.make_database(tmp_path / "shop.sqlite")),
        }

    async def answered(
        self, example: str, server: ChatServer, environ: Mapping[str, str], api_base: str = "", **variables: str
    ) -> dict[str, Any]:
        """The result of an ask, once the service knows what the server can do."""
        environ = {**environ, **variables, "ASKWELL_LLM__DEFAULT__API_BASE": api_base or server.api_base}
        async with running_service(EXAMPLES / example, environ, lasting=True) as service:
            await server.probed()
            return await self._asked(service)

    async def _asked(self, service: Client) -> dict[str, Any]:
        assert (await service.prepare())["status"] == "finished"
        ask = await service.ask(QUESTION, histories=BEFORE, execute=True)
        result = await service.end(ask)
        assert result["status"] == "finished", result
        assert (result["sql_source"], result["data"]["rows"]) == ("llm", [["Ada Lovelace"]])
        assert result["sql_generation_reasoning"] == PLAN
        thoughts, _, told = (await service.text(ask)).rpartition("\n\n")
        assert told == PLAN
        assert all(line.startswith("> ") for line in thoughts.splitlines())
        return result

    async def test_openai(self, environ: Mapping[str, str]) -> None:
        async with OpenAIVendor(script(api_key=KEY, models=["gpt-6-sol", "gpt-6-luna"])) as server:
            result = await self.answered(
                "openai.yaml",
                server,
                environ,
                OPENAI_API_KEY=KEY,
                ASKWELL_LLM__DEFAULT__API_KEY_ENV="OPENAI_API_KEY",
                ASKWELL_LLM__FAST__API_BASE=server.api_base,
                ASKWELL_LLM__FAST__API_KEY_ENV="OPENAI_API_KEY",
            )
        models = {request.stage: request.body["model"] for request in server.requests}
        assert (models["intent_classification"], models["sql_generation"]) == ("gpt-6-luna", "gpt-6-sol")
        assert {request.response_format for request in server.requests} == {"json_schema"}
        assert result["usage"]["completion_tokens"] > 0
        assert result["usage"]["cost_usd"] > 0

    @pytest.mark.deep
    async def test_openai_with_a_temperature_that_its_models_refuse(self, environ: Mapping[str, str]) -> None:
        async with OpenAIVendor(script()) as server:
            await self.answered(
                "openai.yaml",
                server,
                environ,
                OPENAI_API_KEY=KEY,
                ASKWELL_LLM__FAST__API_BASE=server.api_base,
                ASKWELL_LLM__DEFAULT__KWARGS="{temperature: 0}",
            )
        assert [probe.outcome for probe in server.probes if "temperature" in probe.body] == ["refused"]
        assert not any("temperature" in request.body for request in server.requests)

    @pytest.mark.deep
    @pytest.mark.parametrize("version", ["", "2024-10-21"])
    async def test_azure(self, environ: Mapping[str, str], version: str) -> None:
        filters = script(api_key=KEY) if not version else script()
        deployments = ("my-chat-deployment", "my-embedding-deployment")
        variables = {"ASKWELL_LLM__DEFAULT__API_VERSION": version, "ASKWELL_EMBEDDER__DEFAULT__API_VERSION": version}
        async with AzureVendor(*deployments, script=filters) as server:
            server.embedding_dimensions = 1536
            result = await self.answered(
                "azure.yaml",
                server,
                {**environ, "ASKWELL_EMBEDDER__DEFAULT__PROVIDER": "azure_openai"},
                api_base=server.endpoint,
                AZURE_OPENAI_API_KEY=KEY,
                ASKWELL_EMBEDDER__DEFAULT__API_BASE=server.endpoint,
                **(variables if version else {}),
            )
        route = "/openai/deployments/my-chat-deployment/chat/completions?api-version=2024-10-21"
        assert {request.path for request in server.requests} == {route if version else "/openai/v1/chat/completions"}
        assert {request.authorization for request in server.requests} == {KEY if version else f"Bearer {KEY}"}
        assert result["usage"]["prompt_tokens"] > 0

    @pytest.mark.parametrize("thoughts", ["", '<think>The user wants {"sql": "SELECT 1"}?</think>\n'])
    async def test_ollama(self, environ: Mapping[str, str], thoughts: str) -> None:
        sql = Answer(text=thoughts + json.dumps(WRITTEN))
        async with OllamaVendor("qwen3-coder:30b", script=script(sql)) as server:
            result = await self.answered("ollama.yaml", server, environ)
        assert server.cut == 0
        assert {request.authorization for request in server.requests} == {"Bearer no-key"}
        assert result["usage"]["prompt_tokens"] > 0

    @pytest.mark.deep
    async def test_vllm(self, environ: Mapping[str, str]) -> None:
        sql = Answer(json=WRITTEN, reasoning="They ask for spending: SELECT 1 would be too short.")
        model = "Qwen/Qwen3-Coder-30B-A3B-Instruct"
        vendor = VllmVendor(model, max_model_len=32768, script=script(sql, api_key=KEY))
        async with vendor as server:
            server.embedding_dimensions = 1024
            result = await self.answered(
                "vllm.yaml",
                server,
                {**environ, "ASKWELL_EMBEDDER__DEFAULT__PROVIDER": "openai"},
                VLLM_API_KEY=KEY,
                ASKWELL_EMBEDDER__DEFAULT__API_BASE=server.api_base,
            )
        assert result["usage"]["prompt_tokens"] > 0

    @pytest.mark.deep
    async def test_lm_studio(self, environ: Mapping[str, str]) -> None:
        async with LmStudioVendor("qwen/qwen3-coder-30b", script=script()) as server:
            result = await self.answered("lm-studio.yaml", server, environ)
        assert {request.response_format for request in server.requests} == {"json_schema"}
        counted = [request for request in server.requests if not request.streamed]
        assert result["usage"]["llm_calls"] > len(counted)
        assert result["usage"]["prompt_tokens"] == sum(len(r.system + r.user) // 4 for r in counted)

    @pytest.mark.deep
    async def test_openrouter(self, environ: Mapping[str, str]) -> None:
        down = {"code": 502, "message": "Provider returned error"}
        sql = Answer(status=200, error=down)
        async with OpenRouterVendor("qwen/qwen3-coder", script=script(sql, api_key=KEY)) as server:
            base = server.api_base.replace("/v1", "/api/v1")
            result = await self.answered("openrouter.yaml", server, environ, api_base=base, OPENROUTER_API_KEY=KEY)
        # The provider takes no notice of schemas, which was found out, so the next plainer way is used.
        assert {request.response_format for request in server.requests} == {"json_object"}
        assert all(request.body["provider"] == {"require_parameters": True} for request in server.requests)
        assert server.calls("sql_generation") == 2
        assert result["usage"]["prompt_tokens"] > 0
