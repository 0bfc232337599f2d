"""A service with a scripted language model to talk to, and what clients of its agents do."""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.agent.reference import verified
from tests.fakes.openai_server import Answer, Call, ChatRequest, ChatScript, ChatServer
from tests.support.service import Client, running_service, write_config
from tests.support.small_shops import make_small_shop

__all__ = ["ASK", "Answer", "Call", "ChatScript", "ChatServer", "Talk", "talking", "trader_config"]

SUGGESTED = Answer(text=json.dumps({"questions": ["How many are paid?", "How many per country?", "Which is first?"]}))
ASK = Answer(calls=[Call("ask_data", {"question": "how many customers are there?"})])
END = ("finished", "failed", "stopped", "awaiting_input")


def trader_config(folder: Path, server: ChatServer, **settings: Any) -> tuple[Path, dict[str, Any]]:
    path, model = make_small_shop("trader", folder)
    sources = {"default": {"engine": "sqlite", "path": str(path), "shared": True}}
    chosen = {"apply_lessons": False, "allow_intent_classification": False, "rules_mode": "balanced", **settings}
    return write_config(folder, api_base=server.api_base, data_sources=sources, settings=chosen), model


class Talk:
    """A client of conversations over HTTP. Every stream of events that it reads is checked against AG-UI's own models,
    and `check` does that for every run that it began."""

    def __init__(self, service: Client, server: ChatServer, folder: Path, model: dict[str, Any]) -> None:
        self.service = service
        self.server = server
        self.folder = folder
        self.model = model
        self._begun: list[str] = []

    def script(self, script: Mapping[str, Any] | ChatScript | None = None, **stages: Sequence[Answer | str]) -> None:
        """What the model says from now on; what it was asked before is forgotten."""
        if isinstance(script, ChatScript):
            self.server.replace(script)
        else:
            found = {"conversation_suggestion": [SUGGESTED], **(script or {}), **stages}
            texts = {name: [Answer(text=a) if isinstance(a, str) else a for a in said] for name, said in found.items()}
            self.server.replace(ChatScript(texts))
        self.server.requests.clear()

    def asked(self, stage: str = "conversation") -> list[ChatRequest]:
        """What the model was sent at a stage."""
        return [one for one in self.server.requests if one.stage == stage]

    async def call(self, method: str, path: str, **kwargs: Any) -> tuple[int, Any]:
        return await self.service.call(method, path, **kwargs)

    async def begin(self, message: str, **body: Any) -> dict[str, Any]:
        """`{thread_id, run_id}` of a run that has begun."""
        status, begun = await self.call("POST", "/v1/chats", json={"message": message, **body})
        assert status == 202, begun
        self._begun.append(begun["run_id"])
        found: dict[str, Any] = begun
        return found

    async def say(self, message: str, **body: Any) -> dict[str, Any]:
        """The run once it has ended or waits."""
        return await self.settled((await self.begin(message, **body))["run_id"])

    async def give(self, run: Mapping[str, Any], payload: Any, at: int = 0, **body: Any) -> dict[str, Any]:
        """Answer what a run asked back; the run once it has ended or waits again."""
        body = {"interrupt_id": run["interrupts"][at]["id"], "payload": payload, **body}
        status, begun = await self.call("POST", f"/v1/runs/{run['run_id']}/input", json=body)
        assert status == 202, begun
        return await self.settled(run["run_id"])

    async def stop(self, run_id: str) -> None:
        status, answer = await self.call("PATCH", f"/v1/runs/{run_id}", json={"status": "stopped"})
        assert status == 200, answer

    async def settled(self, run_id: str) -> dict[str, Any]:
        for wait in (0, *[5] * 40):
            status, run = await self.call("GET", f"/v1/runs/{run_id}?wait={wait}")
            assert status == 200, run
            if run["status"] in END:
                return run
        raise AssertionError(run)

    async def events(self, run_id: str, after: int | None = None) -> list[dict[str, Any]]:
        headers = {"Last-Event-ID": str(after)} if after is not None else {}
        async with self.service.session.get(f"{self.service.url}/v1/runs/{run_id}/events", headers=headers) as answer:
            if after and answer.status == 204:
                return []  # nothing follows
            assert answer.status == 200, await answer.text()
            found = frames(await answer.text())
        verified(found, whole=not after)
        return found

    async def so_far(self, run_id: str, until: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
        """The events of a run up to the first one that is such, or to its end; the client goes away then."""
        found: list[dict[str, Any]] = []
        async with self.service.session.get(f"{self.service.url}/v1/runs/{run_id}/events") as answer:
            async for line in answer.content:
                if line.startswith(b"data: "):
                    found.append(json.loads(line[6:]))
                    if until(found[-1]) or found[-1]["type"] in ("RUN_FINISHED", "RUN_ERROR"):
                        break
        return found

    async def check(self) -> None:
        """Whether the events of all runs of this client are in order."""
        begun, self._begun = self._begun, []
        for run_id in begun:
            status, run = await self.call("GET", f"/v1/runs/{run_id}")
            if status == 200 and run["status"] in ("finished", "failed", "stopped"):
                await self.events(run_id)

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
            found = frames(text)
        verified(found)
        return found

    async def messages(self, thread_id: str, project_id: str = "default") -> list[dict[str, Any]]:
        status, found = await self.call("GET", f"/v1/threads/{thread_id}/messages?project_id={project_id}")
        assert status == 200, found
        messages: list[dict[str, Any]] = found["messages"]
        return messages


def frames(text: str) -> list[dict[str, Any]]:
    """The events of a stream."""
    lines = (line for line in text.splitlines() if line.startswith("data: "))
    return [json.loads(line.removeprefix("data: ")) for line in lines]


def names(events: Sequence[Mapping[str, Any]]) -> list[str]:
    return [event.get("name", event["type"]) for event in events]


def results(events: Sequence[Mapping[str, Any]]) -> list[Any]:
    """What the tools gave the model to read, in the order in which they were done."""
    return [json.loads(event["content"]) for event in events if event["type"] == "TOOL_CALL_RESULT"]


def told(events: Sequence[Mapping[str, Any]], name: str) -> list[Any]:
    """The values of our own events of that name."""
    return [event["value"] for event in events if event.get("name") == f"askwell.{name}"]


def words(events: Sequence[Mapping[str, Any]]) -> str:
    return "".join(event["delta"] for event in events if event["type"] == "TEXT_MESSAGE_CONTENT")


@asynccontextmanager
async def talking(folder: Path, script: Mapping[str, Any], **settings: Any) -> AsyncIterator[Talk]:
    async with ChatServer({"conversation_suggestion": [SUGGESTED], **script}) as server:
        config, model = trader_config(folder, server, **settings)
        async with running_service(config) as service:
            assert (await service.prepare(model))["status"] == "finished"
            talk = Talk(service, server, folder, model)
            yield talk
            await talk.check()
