"""Jobs as clients start and follow them, over the HTTP contract."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from askwell.job_kinds import KINDS
from askwell.job_kinds.tools import ToolsKind
from tests.fakes.openai_server import Answer, ChatScript, ChatServer
from tests.support.service import Client
from tests.support.tables import case_table

BY_PATH: Mapping[str, type[ToolsKind[Any]]] = {kind.path: kind for kind in KINDS}

PAID = "SELECT name, total_spent FROM customers ORDER BY name"
BY_STATUS = "SELECT status, sum(amount) AS total FROM orders GROUP BY status ORDER BY status"
# One good body of every kind, over the tiny shop.
BODIES: Mapping[str, dict[str, Any]] = case_table(__file__, "bodies")


@dataclass
class Jobs:
    """A service with the tiny shop prepared, and the scripted model behind it, where there is one."""

    service: Client
    model: ChatServer | None = None

    def script(self, **stages: list[Answer | str]) -> ChatServer:
        """What the model says from now on; what it was asked before is forgotten."""
        assert self.model is not None
        answers = {
            stage: [Answer(text=one) if isinstance(one, str) else one for one in said] for stage, said in stages.items()
        }
        self.model.replace(ChatScript(answers))
        self.model.requests.clear()
        return self.model

    def shown(self) -> str:
        """Everything that the model was shown."""
        assert self.model is not None
        return json.dumps([request.body for request in self.model.requests])

    def stages(self) -> list[str]:
        """The stages that the model was called for, in order."""
        assert self.model is not None
        return [request.stage for request in self.model.requests]

    async def post(self, path: str, headers: Mapping[str, str] | None = None, **body: Any) -> tuple[int, Any]:
        """What the start of a job answers; the body is the good one with these fields in place of its own."""
        return await self.service.call("POST", f"/v1/{path}", json=BODIES[path] | body, headers=dict(headers or {}))

    async def start(self, path: str, headers: Mapping[str, str] | None = None, **body: Any) -> str:
        status, answer = await self.post(path, headers, **body)
        assert status == 202, answer
        return str(answer[BY_PATH[path].id_name])

    async def poll(self, path: str, job_id: str, query: str = "") -> dict[str, Any]:
        status, answer = await self.service.call("GET", result_address(path, job_id) + query)
        assert status == 200, answer
        return dict(answer)

    async def end(self, path: str, job_id: str, within: float = 30.0) -> dict[str, Any]:
        """The result at the end, as the events tell it: `succeeded` is said before that."""
        async with asyncio.timeout(within):
            events = await self.events(path, job_id)
        name, data = events[-1]
        assert name in ("done", "error"), events[-1]
        return dict(data)

    async def done(self, path: str, **body: Any) -> dict[str, Any]:
        """The result of a job at its end."""
        return await self.end(path, await self.start(path, **body))

    async def events(self, path: str, job_id: str) -> list[tuple[str, Any]]:
        """All events of a job, until it ends."""
        status, text = await self.service.call("GET", f"/v1/{path}/{job_id}/events")
        assert status == 200, text
        frames = [dict(_fields(frame)) for frame in text.strip().split("\n\n")]
        return [(one["event"], json.loads(one["data"])) for one in frames if "data" in one and "event" in one]

    async def stop(self, path: str, job_id: str) -> None:
        status, answer = await self.service.call("PATCH", f"/v1/{path}/{job_id}", json={"status": "stopped"})
        assert (status, answer) == (200, {BY_PATH[path].id_name: job_id})

    async def words(self, job_id: str) -> str:
        """The words of an answer, read from its stream until it ends."""
        status, text = await self.service.call("GET", f"/v1/sql-answers/{job_id}/streaming")
        assert status == 200, text
        return "".join(json.loads(line[5:])["message"] for line in text.splitlines() if line.startswith("data:"))


def result_address(path: str, job_id: str) -> str:
    return f"/v1/{path}/{job_id}{BY_PATH[path].result_path}"


def _fields(frame: str) -> list[tuple[str, str]]:
    lines = (line.partition(":") for line in frame.splitlines() if not line.startswith(":"))
    return [(name, value.strip()) for name, _, value in lines]
