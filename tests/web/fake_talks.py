"""Conversations for the doors that know messages only: what is said is answered at once."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from askwell.agent import events
from askwell.agent.definition import DEFAULT_AGENT, AgentDefinition
from askwell.agent.service import Begun, NewMessage
from askwell.errors import NotFound
from askwell.knowledge.threads import RunEvent


class FakeTalkAgents:
    """The agent that is always there, of every project."""

    async def all(self, project_id: str) -> Mapping[str, AgentDefinition]:
        return {DEFAULT_AGENT: AgentDefinition()}

    async def is_project(self, project_id: str) -> bool:
        return False


class FakeTalkRuns:
    """No run waits for anybody."""

    async def result_json(self, run_id: str, wait: float = 0) -> bytes:
        return json.dumps({"run_id": run_id, "status": "finished"}).encode()


class FakeTalks:
    """Remembers what was sent, and says yes to everything."""

    def __init__(self) -> None:
        self.sent: list[NewMessage] = []
        self.stopped: list[str] = []
        self.agents = FakeTalkAgents()
        self.runs = FakeTalkRuns()

    def require_model(self) -> None:
        return None

    async def waiting_in(self, project_id: str, thread_id: str) -> str | None:
        return None

    async def send(self, message: NewMessage) -> Begun:
        if message.agent_id not in (None, DEFAULT_AGENT):
            raise NotFound("There is no such agent.", "List them.")
        self.sent.append(message)
        return Begun(message.thread_id or "thread-1", f"run-{len(self.sent)}")

    async def events(self, run_id: str, after: int = 0, segment: int | None = None) -> AsyncIterator[RunEvent]:
        told: list[Mapping[str, Any]] = [
            events.run_started("thread-1", run_id),
            events.text_started("m"),
            events.text("m", "Yes."),
            events.text_ended("m"),
            events.run_succeeded("thread-1", run_id, (), ()),
        ]

        async def follow() -> AsyncIterator[RunEvent]:
            for place, event in enumerate(told, 1):
                yield RunEvent(place, 0, event)

        return follow()

    async def stop(self, project_id: str | None, run_id: str) -> None:
        self.stopped.append(run_id)
