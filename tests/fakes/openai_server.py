"""A scripted OpenAI-compatible server: real HTTP over loopback, answers by stage, delays, failures, and a record.

In a test:

    wrong_then_right = [Answer(json={"sql": "SELEC"}), Answer(json={"sql": "SELECT 1"})]
    async with ChatServer({"sql_generation": wrong_then_right}) as server:
        model = create_language_model(LlmConfig(model="test", api_base=server.api_base, ...))
        ...
    assert server.calls("sql_generation") == 2
    assert "orders" in server.requests[0].user

A model that calls tools, and what it was sent:

    look = Answer(text="Let me look.", calls=[Call("find_tables", {"query": "sales"}), Call("find_values", {})])
    async with ChatServer({"agent": [look, Answer(text="There are two.")]}) as server:   # "Task: agent" in the prompt
        ...
    first, second = server.requests
    assert first.tools == ["find_tables", "find_values"]
    assert second.tool_results["call_0"] == "sales, returns"

`Answer(whole_calls=…, object_arguments=…, omitted=…, calls_by_index_0=…)` write the calls as other servers do, and
`ChatScript(tools=False)` refuses them. `request.messages` and `request.body` are everything that was sent.

As a process (for benchmarks), stopped by SIGTERM:

    python -m tests.fakes.openai_server --script script.json --port 0

It prints one line of JSON, `{"api_base": "http://127.0.0.1:PORT/v1"}`. The script file is `ChatScript.from_dict`:

    {"accepts": "json_object", "stages": {"sql_generation": [{"json": {"sql": "SELECT 1"}, "delay": 0.2}, "prose"]}}

`POST /v1/embeddings` gives vectors of 384 dimensions made from the words of each text.

Stages are named as the pipelines are: column_pruning, table_relevance, table_refinement, query_requirements,
intent_classification, question_reformulation, join_inference, field_extraction, choice_matching, sql_generation,
sql_diagnosis, sql_correction, sql_regeneration, sql_summaries, sql_question, sql_answer, chart_generation,
chart_adjustment, data_assistance, misleading_assistance, user_guide, question_recommendation, question_suggestion,
relationship_recommendation, semantics_description. One that is not scripted gets a harmless default. `Answer` and
`ChatScript` (chat_script.py) say all that can be scripted.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import signal
import struct
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.fakes import openai_wire as wire
from tests.fakes.chat_script import PROBE, READ_AHEAD, Answer, Call, ChatScript, stage_of
from tests.fakes.openai_wire import ChatRequest

__all__ = ["Answer", "Call", "ChatRequest", "ChatScript", "ChatServer"]


class ChatServer:
    """The server as an async context manager. `script` may also be just the stages. `port` 0 takes the one that the
    process had before, or a free one: services that tests share know the address of their model."""

    _usual_port = 0

    def __init__(
        self, script: ChatScript | Mapping[str, Sequence[Answer | str]] | None = None, *, port: int = 0
    ) -> None:
        self.script = script if isinstance(script, ChatScript) else _from_stages(script or {})
        self.requests: list[ChatRequest] = []
        self.probes: list[ChatRequest] = []
        """What a provider asked to find out what the server can do, or to have it read ahead; they are no requests."""
        self.looks = 0
        """How often somebody asked which models there are, which costs nothing."""
        self.embedded: list[str] = []
        """The texts that vectors were wanted of."""
        self.embedding_dimensions = wire.EMBEDDING_DIMENSIONS
        self.most_at_once: Counter[str] = Counter()
        """By stage, how many requests were open at the same time at most."""
        self._open: Counter[str] = Counter()
        self._port = port
        self._changed = asyncio.Condition()
        self._released = asyncio.Event()
        self._runner: web.AppRunner | None = None

    @property
    def api_base(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def calls(self, stage: str | None = None) -> int:
        """How many chat requests arrived, of one stage or in all; in all, probes are left out."""
        return sum(1 for request in self._of(stage))

    async def arrived(self, stage: str, count: int = 1, within: float = 30.0) -> ChatRequest:
        """Waits until `count` requests of this stage have arrived; gives the last of them."""
        await self._until(lambda: self.calls(stage) >= count, within)
        return self._of(stage)[count - 1]

    def _of(self, stage: str | None) -> list[ChatRequest]:
        return [one for one in (*self.requests, *self.probes) if one.stage == stage] if stage else self.requests

    async def probed(self, within: float = 10.0) -> None:
        """Waits until a provider has found out what it wants: the last of its requests is streamed."""
        await self._until(lambda: any(probe.streamed and probe.outcome == "answered" for probe in self.probes), within)

    async def ended(self, request: ChatRequest, within: float = 10.0) -> str:
        """Waits until the request is answered or its connection is gone; gives its outcome."""
        await self._until(lambda: request.outcome is not None, within)
        return request.outcome or ""

    def release(self) -> None:
        """Lets answers that hang go on."""
        self._released.set()

    def hold(self) -> None:
        """Lets answers that hang, and come from now on, wait for another release."""
        self._released.clear()

    def replace(self, script: ChatScript) -> None:
        """Another script from now on; answers of it that hang wait for another release."""
        self.script = script
        self.hold()

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.add_routes(self.routes())
        self._runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, "127.0.0.1", self._port or ChatServer._usual_port).start()
        except OSError:
            # Another server of this process has it.
            await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        self._port = self._runner.addresses[0][1]
        ChatServer._usual_port = ChatServer._usual_port or self._port
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _until(self, condition: Any, within: float) -> None:
        async with asyncio.timeout(within), self._changed:
            await self._changed.wait_for(condition)

    async def _note(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def embeddings(self, http: web.Request) -> web.StreamResponse:
        """A vector for each text, of its words alone: the same words give the same vector."""
        body = await http.json()
        self.embedded += body["input"]
        vectors = [wire.word_vector(text, self.embedding_dimensions) for text in body["input"]]
        data = [
            {"index": index, "embedding": base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()}
            for index, vector in enumerate(vectors)
        ]
        return web.json_response({"data": data, "usage": {"prompt_tokens": 0, "total_tokens": 0}})

    # What vendors do in their own ways.

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/v1/chat/completions", self.chat),
            web.get("/v1/models", self._models),
            web.post("/v1/embeddings", self.embeddings),
        ]

    def refusal(self, request: ChatRequest) -> web.Response | None:
        """What a server of these abilities turns away before it thinks."""
        script, body = self.script, request.body
        if script.api_key is not None and request.authorization != f"Bearer {script.api_key}":
            return wire.error(401, f"Incorrect API key provided: {request.authorization}.", "invalid_api_key")
        if script.models is not None and body["model"] not in script.models:
            return wire.error(404, f"The model `{body['model']}` does not exist.", "model_not_found")
        if "stream_options" in body and not script.stream_options:
            return wire.error(script.refusal_status, "Unrecognized request argument supplied: stream_options", None)
        if "tools" in body and not script.tools:
            return wire.error(script.refusal_status, f"{body['model']} does not support tools", None)
        abilities = ["text", "json_object", "json_schema"]
        asked = request.response_format or "text"
        if abilities.index(asked) > abilities.index(script.accepts):
            return wire.error(script.refusal_status, f"'response_format.type' {asked} is not supported.", None)
        if asked == "json_object" and "json" not in (request.system + request.user).lower():
            return wire.error(
                400, "'messages' must contain the word 'json' to use 'response_format' of type 'json_object'.", None
            )
        return None

    def models(self) -> list[dict[str, Any]]:
        return [{"id": name, "object": "model"} for name in self.script.models or ["test"]]

    def usage(self, request: ChatRequest, answer: Answer) -> dict[str, Any] | None:
        return wire.usage(request, answer) if self.script.usage else None

    def said(self, request: ChatRequest, answer: Answer) -> Answer:
        return answer

    def before_stream(self, request: ChatRequest) -> bytes:
        return b""

    # The chat route.

    async def chat(self, http: web.Request) -> web.StreamResponse:
        body = await http.json()
        key = http.headers.get("Authorization") or http.headers.get("api-key")
        request = ChatRequest(stage_of(body), body, key, str(http.rel_url), http.headers.get("traceparent"))
        (self.probes if request.stage in (PROBE, READ_AHEAD) else self.requests).append(request)
        self._open[request.stage] += 1
        self.most_at_once[request.stage] = max(self.most_at_once[request.stage], self._open[request.stage])
        await self._note()
        try:
            response = await self._answered(http, request)
        except (asyncio.CancelledError, ConnectionResetError):
            request.outcome = "abandoned"
            raise
        else:
            request.outcome = request.outcome or ("answered" if response.status == 200 else "refused")
            return response
        finally:
            self._open[request.stage] -= 1
            await asyncio.shield(self._note())

    async def _answered(self, http: web.Request, request: ChatRequest) -> web.StreamResponse:
        refused = self.refusal(request)
        if refused is not None:
            return refused
        answer = self.said(request, self.script.next_answer(request.stage, request.user))
        if answer.delay:
            await asyncio.sleep(answer.delay)
        if answer.hang:
            await self._released.wait()
        if answer.drop == "before":
            return self._dropped(http, request)
        if answer.status != 200 or answer.error:
            error = answer.error or {"message": f"Scripted status {answer.status}.", "type": "scripted"}
            return web.json_response({"error": dict(error)}, status=answer.status, headers=dict(answer.headers))
        usage = self.usage(request, answer)
        if request.streamed and self.script.streams:
            return await self._stream(http, request, answer, usage)
        if answer.drop == "middle":
            return await self._half(http, request)
        if answer.raw is not None:
            return web.Response(
                body=answer.raw.encode(), headers={"Content-Type": "application/json", **answer.headers}
            )
        return web.json_response(wire.completion(request, answer, usage))

    def _dropped(self, http: web.Request, request: ChatRequest) -> web.StreamResponse:
        request.outcome = "dropped"
        if http.transport is not None:
            http.transport.abort()
        return web.Response()

    async def _half(self, http: web.Request, request: ChatRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "1000"})
        await response.prepare(http)
        await response.write(b'{"id": "half", "choices": [')
        self._dropped(http, request)
        return response

    async def _stream(
        self, http: web.Request, request: ChatRequest, answer: Answer, usage: dict[str, Any] | None
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", **answer.headers})
        await response.prepare(http)
        if answer.raw is not None:
            await response.write(answer.raw.encode())
            if answer.drop == "middle":
                return self._dropped(http, request)
            await response.write_eof()
            return response
        await response.write(self.before_stream(request))
        if answer.reasoning is not None:
            await response.write(wire.event(request, {"reasoning_content": answer.reasoning, "content": None}, None))
        deltas = wire.deltas(answer)
        for index, delta in enumerate(deltas):
            if answer.drop == "middle" and index >= len(deltas) // 2:
                self._dropped(http, request)
                return response
            await response.write(wire.event(request, delta, None))
            if answer.chunk_delay:
                await asyncio.sleep(answer.chunk_delay)
        await response.write(wire.event(request, {}, answer.ending))
        if usage is not None and (request.body.get("stream_options") or {}).get("include_usage"):
            await response.write(
                wire.data({**wire.head(request, "chat.completion.chunk"), "choices": [], "usage": usage})
            )
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response

    # The other routes.

    async def _models(self, http: web.Request) -> web.Response:
        self.looks += 1
        return web.json_response({"object": "list", "data": self.models()})


def _from_stages(stages: Mapping[str, Sequence[Answer | str]]) -> ChatScript:
    return ChatScript(
        {stage: [Answer(text=a) if isinstance(a, str) else a for a in answers] for stage, answers in stages.items()}
    )


async def _serve(script: ChatScript, port: int) -> None:
    stop = asyncio.Event()
    for signum in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(signum, stop.set)
    async with ChatServer(script, port=port) as server:
        sys.stdout.write(json.dumps({"api_base": server.api_base}) + "\n")
        sys.stdout.flush()
        await stop.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description="A scripted OpenAI-compatible server on 127.0.0.1.")
    parser.add_argument("--script", type=Path, help="a JSON file; without one every stage gets its default answer")
    parser.add_argument("--port", type=int, default=0)
    arguments = parser.parse_args()
    script = ChatScript.from_dict(json.loads(arguments.script.read_text())) if arguments.script else ChatScript()
    asyncio.run(_serve(script, arguments.port))


if __name__ == "__main__":
    main()
