"""Vendors of language models: the scripted chat server with the habits that each has besides OpenAI's protocol.

Each takes the models that it has and a script, as `ChatServer` does. What is known of the vendors here is from their
documentation and from issues that their users wrote, late in 2026.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, ClassVar

from aiohttp import web

from tests.fakes import openai_wire as wire
from tests.fakes.chat_script import Answer
from tests.fakes.openai_server import ChatServer
from tests.fakes.openai_wire import ChatRequest
from tests.support.tables import case_table


class OpenAIVendor(ChatServer):
    """Wants its key. Models that think refuse every temperature but their own."""

    def refusal(self, request: ChatRequest) -> web.Response | None:
        if request.body.get("temperature", 1) != 1 and request.body.get("reasoning_effort") != "none":
            error = {
                "message": "Unsupported value: 'temperature' does not support 0 with this model. Only 1 is supported.",
                "type": "invalid_request_error",
                "param": "temperature",
                "code": "unsupported_value",
            }
            return web.json_response({"error": error}, status=400)
        return super().refusal(request)


class AzureVendor(ChatServer):
    """A resource with deployments, by both routes. A stream begins with what the filter thought of the prompt."""

    def __init__(self, *deployments: str, **script: Any) -> None:
        super().__init__(**script)
        self.deployments = deployments

    @property
    def endpoint(self) -> str:
        return self.api_base.removesuffix("/v1")

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/openai/v1/chat/completions", self.chat),
            web.post("/openai/v1/embeddings", self.embeddings),
            web.post("/openai/deployments/{deployment}/chat/completions", self.chat),
            web.post("/openai/deployments/{deployment}/embeddings", self.embeddings),
        ]

    def refusal(self, request: ChatRequest) -> web.Response | None:
        if request.body["model"] not in self.deployments:
            error = {"code": "DeploymentNotFound", "message": "The API deployment for this resource does not exist."}
            return web.json_response({"error": error}, status=404)
        return super().refusal(request)

    def before_stream(self, request: ChatRequest) -> bytes:
        filtered = {"prompt_index": 0, "content_filter_results": {"hate": {"filtered": False, "severity": "safe"}}}
        return wire.data({"id": "", "model": "", "choices": [], "prompt_filter_results": [filtered]})


# What Azure answers to a question that its filter stops.
AZURE_FILTERED: dict[str, Any] = case_table(__file__, "azure_filtered")


class OllamaVendor(ChatServer):
    """Loads a model with the first call, with less room for a prompt than the model has, and cuts what is longer.
    `tells_room`: newer versions say how much it is."""

    room: ClassVar[int] = 4096

    def __init__(self, *names: str, tells_room: bool = True, num_ctx: int | None = None, **script: Any) -> None:
        super().__init__(**script)
        self.names, self.tells_room, self.num_ctx = names, tells_room, num_ctx
        self.cut = 0
        """How many prompts it cut."""

    def routes(self) -> list[web.RouteDef]:
        own = [web.get("/api/tags", self._tags), web.get("/api/ps", self._ps), web.post("/api/show", self._show)]
        return [*super().routes(), *own]

    def models(self) -> list[dict[str, Any]]:
        return [{"id": name, "object": "model", "created": 0, "owned_by": "library"} for name in self.names]

    def refusal(self, request: ChatRequest) -> web.Response | None:
        if request.body["model"] not in self.names:
            message = f'model "{request.body["model"]}" not found, try pulling it first'
            return web.json_response({"error": {"message": message, "type": "not_found_error"}}, status=404)
        return super().refusal(request)

    def usage(self, request: ChatRequest, answer: Answer) -> dict[str, Any] | None:
        usage = wire.usage(request, answer)
        if usage["prompt_tokens"] > self.room:
            self.cut += 1
            usage["prompt_tokens"] = self.room // 2 + 2
        return usage

    async def _tags(self, http: web.Request) -> web.Response:
        return web.json_response({"models": [{"name": name, "model": name} for name in self.names]})

    async def _ps(self, http: web.Request) -> web.Response:
        loaded = sorted({request.body["model"] for request in (*self.probes, *self.requests)})
        room = {"context_length": self.room} if self.tells_room else {}
        return web.json_response({"models": [{"name": name, "model": name, **room} for name in loaded]})

    async def _show(self, http: web.Request) -> web.Response:
        parameters = "temperature                    0.7\ntop_k                          20"
        if self.num_ctx is not None:
            parameters += f"\nnum_ctx                        {self.num_ctx}"
        return web.json_response({"parameters": parameters, "model_info": {"qwen3moe.context_length": 262144}})


class VllmVendor(ChatServer):
    """Wants its key, tells `max_model_len`, and refuses what is longer. The status is also the error's code."""

    def __init__(self, model: str, *, max_model_len: int, **script: Any) -> None:
        super().__init__(**script)
        self.model, self.max_model_len = model, max_model_len

    def models(self) -> list[dict[str, Any]]:
        return [{"id": self.model, "object": "model", "owned_by": "vllm", "max_model_len": self.max_model_len}]

    def refusal(self, request: ChatRequest) -> web.Response | None:
        tokens = len(request.system + request.user) // 3
        if request.body["model"] != self.model:
            return self._error(404, f"The model `{request.body['model']}` does not exist.", None)
        if tokens > self.max_model_len:
            what = f"You passed {tokens} input tokens. However, the model's context length is only {self.max_model_len}"
            return self._error(400, what, "input_tokens")
        return super().refusal(request)

    @staticmethod
    def _error(status: int, message: str, param: str | None) -> web.Response:
        error = {"message": message, "type": "BadRequestError", "param": param, "code": status}
        return web.json_response({"error": error}, status=status)


class LmStudioVendor(ChatServer):
    """Takes schemas and plain text and nothing between; counts no tokens in streams; answers for any name with the
    model that is loaded."""

    loaded_context_length: ClassVar[int] = 16384

    def __init__(self, model: str, **script: Any) -> None:
        super().__init__(**script)
        self.model = model

    def routes(self) -> list[web.RouteDef]:
        return [*super().routes(), web.get("/api/v0/models", self._own_models)]

    def models(self) -> list[dict[str, Any]]:
        return [{"id": self.model, "object": "model", "owned_by": "organization_owner"}]

    def refusal(self, request: ChatRequest) -> web.Response | None:
        if request.response_format == "json_object":
            return web.json_response({"error": "'response_format.type' must be 'json_schema' or 'text'"}, status=400)
        return super().refusal(request)

    def usage(self, request: ChatRequest, answer: Answer) -> dict[str, Any] | None:
        return None if request.streamed else wire.usage(request, answer)

    async def _own_models(self, http: web.Request) -> web.Response:
        model = {"id": self.model, "type": "llm", "state": "loaded", "max_context_length": 262144}
        return web.json_response({"data": [{**model, "loaded_context_length": self.loaded_context_length}]})


class OpenRouterVendor(ChatServer):
    """Wants its key. Sends comments until a provider answers, and that provider may take no notice of a schema and put
    its JSON into a fence. Tells how much the provider reads."""

    def __init__(self, model: str, *, provider_context: int = 65536, **script: Any) -> None:
        super().__init__(**script)
        self.model, self.provider_context = model, provider_context

    def routes(self) -> list[web.RouteDef]:
        return [web.post("/api/v1/chat/completions", self.chat), web.get("/api/v1/models", self._list)]

    def refusal(self, request: ChatRequest) -> web.Response | None:
        if request.body["model"] != self.model:
            error = {"message": f"{request.body['model']} is not a valid model ID", "code": 400}
            return web.json_response({"error": error}, status=400)
        return super().refusal(request)

    def said(self, request: ChatRequest, answer: Answer) -> Answer:
        return replace(answer, fenced=answer.json is not None and request.response_format == "json_schema")

    def before_stream(self, request: ChatRequest) -> bytes:
        return b": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n"

    async def _list(self, http: web.Request) -> web.Response:
        self.looks += 1
        served = {"context_length": self.provider_context, "max_completion_tokens": None, "is_moderated": False}
        prices = {"prompt": "0.00000022", "completion": "0.0000009"}
        model = {"id": self.model, "context_length": 262144, "top_provider": served, "pricing": prices}
        return web.json_response({"data": [{"id": "openrouter/auto", "context_length": 2000000}, model]})


def openrouter_failure_in_stream(first_words: str) -> Answer:
    """A provider that breaks down in the middle of its answer."""
    piece = {"choices": [{"index": 0, "delta": {"content": first_words}, "finish_reason": None}]}
    error = {
        "error": {"code": 502, "message": "Provider disconnected"},
        "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}],
    }
    return Answer(raw="".join(f"data: {json.dumps(event)}\n\n" for event in (piece, error)))
