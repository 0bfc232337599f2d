"""A service with a scripted language model to talk to, and what clients of its agents do."""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.fakes.openai_server import Answer, Call, ChatServer
from tests.support.service import Client, running_service, write_config
from tests.support.small_shops import make_small_shop

__all__ = ["Answer", "Call", "ChatServer", "Talk", "talking", "trader_config"]

SUGGESTED = Answer(text=json.dumps({"questions": ["How many are paid?", "How many per country?", "Which is first?"]}))
END = ("finished", "failed", "stopped", "awaiting_input")


def trader_config(folder: Path, server: ChatServer, **settings: Any) -> tuple[Path, dict[str, Any]]:
    path, model = make_small_shop("trader", folder)
    sources = {"default": {"engine": "sqlite", "path": str(path), "shared": True}}
    chosen = {"apply_lessons": False, "allow_intent_classification": False, "rules_mode": "balanced", **settings}
    return write_config(folder, api_base=server.api_base, data_sources=sources, settings=chosen), model


class Talk:
    """A client of conversations over HTTP."""

    def __init__(self, service: Client, server: ChatServer) -> None:
        self.service = service
        self.server = server

    async def call(self, method: str, path: str, **kwargs: Any) -> tuple[int, Any]:
        return await self.service.call(method, path, **kwargs)

    async def say(self, message: str, **body: Any) -> dict[str, Any]:
        """The run once it has ended or waits."""
        status, begun = await self.call("POST", "/v1/chats", json={"message": message, **body})
        assert status == 202, begun
        return await self.settled(begun["run_id"])

    async def settled(self, run_id: str) -> dict[str, Any]:
        for _ in range(40):
            status, run = await self.call("GET", f"/v1/runs/{run_id}?wait=5")
            assert status == 200, run
            if run["status"] in END:
                return run
        raise AssertionError(run)

    async def events(self, run_id: str, after: int | None = None) -> list[dict[str, Any]]:
        headers = {"Last-Event-ID": str(after)} if after is not None else {}
        async with self.service.session.get(f"{self.service.url}/v1/runs/{run_id}/events", headers=headers) as answer:
            assert answer.status == 200
            return frames(await answer.text())

    async def agui(self, text: str, thread_id: str, run_id: str | None = None, **more: Any) -> list[dict[str, Any]]:
        body = {
            "threadId": thread_id,
            "runId": run_id or uuid.uuid4().hex,
            "messages": [{"id": "m", "role": "user", "content": text}] if text else [],
            "state": {},
            "tools": [],
            "context": [],
            "forwardedProps": {},
            **more,
        }
        async with self.service.session.post(f"{self.service.url}/v1/agent", json=body) as answer:
            text = await answer.text()
            assert answer.status == 200, text
            return frames(text)

    async def messages(self, thread_id: str) -> list[dict[str, Any]]:
        status, found = await self.call("GET", f"/v1/threads/{thread_id}/messages")
        assert status == 200, found
        messages: list[dict[str, Any]] = found["messages"]
        return messages


def frames(text: str) -> list[dict[str, Any]]:
    """The events of a stream."""
    lines = (line for line in text.splitlines() if line.startswith("data: "))
    return [json.loads(line.removeprefix("data: ")) for line in lines]


def names(events: Sequence[Mapping[str, Any]]) -> list[str]:
    return [event.get("name", event["type"]) for event in events]


def words(events: Sequence[Mapping[str, Any]]) -> str:
    return "".join(event["delta"] for event in events if event["type"] == "TEXT_MESSAGE_CONTENT")


@asynccontextmanager
async def talking(folder: Path, script: Mapping[str, Any], **settings: Any) -> AsyncIterator[Talk]:
    async with ChatServer({"conversation_suggestion": [SUGGESTED], **script}) as server:
        config, model = trader_config(folder, server, **settings)
        async with running_service(config) as service:
            assert (await service.prepare(model))["status"] == "finished"
            yield Talk(service, server)
