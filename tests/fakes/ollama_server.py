"""Ollama's own API over real HTTP, as far as its Haystack components use it: chats, whole and as lines, and embeddings.

    async with FakeOllama([{"content": '{"sql": "SELECT 1"}'}]) as server:
        config = {"component": CHAT, "init": {"model": "tiny:1b", "url": server.url}}

Each chat takes the next of `replies`, the last one again and again: a message, or `{"status": 400, "body": …}`. A
`"done_reason"` in it is why it stopped. `requests` are the bodies that came, `headers` theirs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any, Self

from aiohttp import web

CHAT = "haystack_integrations.components.generators.ollama.OllamaChatGenerator"
Reply = dict[str, Any]


class FakeOllama:
    def __init__(self, replies: Sequence[Reply] = (), *, choose: Callable[[str], Reply] | None = None) -> None:
        self.requests: list[dict[str, Any]] = []
        self._replies = list(replies)
        self._choose = choose
        self._runner: web.AppRunner | None = None
        self.url = ""

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/api/chat", self._chat)
        app.router.add_post("/api/embed", self._embed)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}"  # type: ignore[union-attr]
        return self

    async def __aexit__(self, *args: object) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        said = self._choose(json.dumps(body)) if self._choose else self._replies[0]
        if len(self._replies) > 1:
            self._replies.pop(0)
        if said.get("refuses_system") and all(message["role"] != "system" for message in body["messages"]):
            said = said["otherwise"]
        if "status" in said:
            return web.json_response(said["body"], status=said["status"])
        message = {"role": "assistant", "content": "", **{k: v for k, v in said.items() if k != "done_reason"}}
        end = {"done": True, "done_reason": said.get("done_reason", "stop"), "prompt_eval_count": 11, "eval_count": 7}
        head = {"model": body["model"], "created_at": "2026-11-29T00:00:00Z"}
        if not body["stream"]:
            return web.json_response({**head, "message": message, **end})
        pieces = [{"thinking": message["thinking"]}] if message.get("thinking") else []
        text = message["content"]
        pieces += [{"content": text[at : at + 5]} for at in range(0, len(text), 5)]
        lines = [{**head, "message": {"role": "assistant", "content": "", **one}, "done": False} for one in pieces]
        lines.append({**head, "message": {"role": "assistant", "content": ""}, **end})
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        return web.Response(text=text, content_type="application/x-ndjson")

    async def _embed(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.requests.append(body)
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        return web.json_response({"model": body["model"], "embeddings": [vector(text) for text in texts]})


def vector(text: str, dimension: int = 8) -> list[float]:
    """The same for the same text."""
    return [byte / 255 for byte in hashlib.sha256(text.encode()).digest()[:dimension]]
