"""What `askwell chat` talks to: agents of a database in this process, or of a running service."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from askwell.agent.events import TERMINAL
from askwell.agent.service import NewMessage
from askwell.cli.remote import conversation_call, run_events
from askwell.cli.threads import in_own_thread
from askwell.errors import AskwellError, NotFound
from askwell.jobs.request import Configurations, TimeZone

if TYPE_CHECKING:
    from askwell.cli.local.session import LocalSession

_PROJECT = "default"
Event = Mapping[str, Any]
Waiting = tuple[str, Sequence[Event]]


class LocalChat:
    """An agent of a database in this process."""

    def __init__(self, session: LocalSession, agent_id: str | None) -> None:
        self._session, self._agent_id = session, agent_id
        self._conversations = session.container.conversations

    async def send(self, text: str, thread_id: str | None) -> tuple[str, str]:
        """Say something in a thread, or in a new one: the ids of the thread and of the run."""
        configurations = Configurations(timezone=TimeZone(name=self._session.timezone))
        message = NewMessage(
            _PROJECT, text, thread_id=thread_id, agent_id=self._agent_id, configurations=configurations
        )
        begun = await self._conversations.send(message)
        return begun.thread_id, begun.run_id

    async def answer(self, run_id: str, interrupt_id: str, said: str) -> None:
        """Answer what a run asked back."""
        await self._conversations.answer(_PROJECT, run_id, {interrupt_id: said})

    async def follow(self, run_id: str, after: int, hear: Callable[[Event], None]) -> int:
        """Have the events of a run heard behind a place, to the end or until it asks back; the place of the last."""
        with self._session.asking():
            async for one in await self._conversations.events(run_id, after):
                hear(one.event)
                after = one.place
                if one.event["type"] in TERMINAL:
                    break
        return after

    async def stop(self, run_id: str) -> None:
        """Stop a run."""
        await self._conversations.stop(_PROJECT, run_id)

    async def waiting(self, thread_id: str) -> Waiting | None:
        """The run of a thread that waits for answers, with what it asked back."""
        run_id = await self._conversations.waiting_in(_PROJECT, thread_id)
        if run_id is None:
            return None
        return _waiting(run_id, json.loads(await self._conversations.runs.result_json(run_id)))


class ServiceChat:
    """An agent of a running service."""

    def __init__(self, url: str, project: str, agent_id: str | None) -> None:
        self._url, self._project, self._agent_id = url, project, agent_id

    async def _call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        sent = None if body is None else {**body, "project_id": self._project}
        return await in_own_thread(partial(conversation_call, self._url, method, path, sent))

    async def send(self, text: str, thread_id: str | None) -> tuple[str, str]:
        said = {"message": text, "thread_id": thread_id, "agent_id": self._agent_id}
        begun = await self._call("POST", "/chats", said)
        return begun["thread_id"], begun["run_id"]

    async def answer(self, run_id: str, interrupt_id: str, said: str) -> None:
        body = {"interrupt_id": interrupt_id, "payload": said}
        await self._call("POST", f"/runs/{quote(run_id, safe='')}/input", body)

    async def follow(self, run_id: str, after: int, hear: Callable[[Event], None]) -> int:
        loop = asyncio.get_running_loop()
        is_heard = True

        def heard(event: Event) -> None:
            if is_heard:
                hear(event)

        def followed() -> int:
            for place, event in run_events(self._url, run_id, after):
                loop.call_soon_threadsafe(heard, event)
                if event["type"] in TERMINAL:
                    return place
            return after

        try:
            return await in_own_thread(followed)
        finally:
            is_heard = False

    async def stop(self, run_id: str) -> None:
        await self._call("PATCH", f"/runs/{quote(run_id, safe='')}", {"status": "stopped"})

    async def waiting(self, thread_id: str) -> Waiting | None:
        of_project = f"?project_id={quote(self._project, safe='')}"
        try:
            found = await self._call("GET", f"/threads/{quote(thread_id, safe='')}/messages{of_project}")
        except AskwellError as error:
            if error.code == NotFound.code:
                return None
            raise
        run_id = found["messages"][-1]["run_id"] if found["messages"] else ""
        return _waiting(run_id, await self._call("GET", f"/runs/{quote(run_id, safe='')}")) if run_id else None


# An agent. Everything raises `AskwellError` where it cannot be done.
ChatDoor = LocalChat | ServiceChat


def _waiting(run_id: str, run: Mapping[str, Any]) -> Waiting | None:
    return (run_id, run["interrupts"]) if run["status"] == "awaiting_input" else None
