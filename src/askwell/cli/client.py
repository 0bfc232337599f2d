"""One client for a running service over HTTP and for a database in this process: the same requests either way."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from askwell.cli.options import DatabaseOptions, ProjectOptions
from askwell.cli.progress import Progress
from askwell.cli.waiting import run
from askwell.errors import AskwellError, ConfigurationError, Conflict, InvalidRequest, NotFound
from askwell.messages import say

if TYPE_CHECKING:
    from askwell.cli.local.session import LocalSession

Found = TypeVar("Found")
Item = Mapping[str, Any]
PROJECT = "default"
_POLL_SECONDS = 5
ENDS = ("done", "error")
RUN_ENDS = ("RUN_FINISHED", "RUN_ERROR")
STOP = {"status": "stopped"}
# The most items that a page of a service has.
_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class ReceivedEvent:
    """An event of a job; `id` is "" where it has none to go on from."""

    id: str
    kind: str
    data: Item


Answer = Callable[[Any, Any], Awaitable[Any]]
Stream = Callable[[Any, Any, str], AsyncGenerator[ReceivedEvent, None]]


class Transport(Protocol):
    """Takes a request to where it is answered. A route is a method and a path under /v1; `given` fills its braces, and
    what is left of it is the query. Everything raises `AskwellError` where it is refused."""

    async def call(self, route: str, given: Item, body: Item | None = None) -> Any:
        """The answer: JSON, or text."""
        ...

    async def upload(self, route: str, file: Path, fields: Mapping[str, str]) -> Any:
        """Send a file with the fields of a form; the answer."""
        ...

    def events(self, route: str, given: Item, after: str = "") -> AsyncGenerator[ReceivedEvent, None]:
        """The events behind the one with the id `after`, to the end."""
        ...


class InProcess:
    """A transport to `services`: each route has a function that takes them and the fields of the request."""

    def __init__(self, services: Any, answers: Mapping[str, Answer], streams: Mapping[str, Stream]) -> None:
        self._services, self._answers, self._streams = services, answers, streams

    async def call(self, route: str, given: Item, body: Item | None = None) -> Any:
        """See `Transport.call`."""
        return await self._answers[route](self._services, {**given, **(body or {})})

    async def upload(self, route: str, file: Path, fields: Mapping[str, str]) -> Any:
        """See `Transport.upload`."""
        content = await asyncio.to_thread(file.read_bytes)
        return await self.call(route, {**fields, "content": content, "name": file.name})

    def events(self, route: str, given: Item, after: str = "") -> AsyncGenerator[ReceivedEvent, None]:
        """See `Transport.events`."""
        return self._streams[route](self._services, given, after)


class Client:
    """What commands ask of a project. `name` is what people call it; `local` is set where it is a database in this
    process, which can do more."""

    def __init__(
        self,
        transport: Transport,
        name: str,
        project: str = PROJECT,
        local: LocalSession | None = None,
        timezone: str | None = None,
    ) -> None:
        self._transport, self.name, self._project, self.local = transport, name, project, local
        # What a service is told that would go by its own.
        self._configurations = {"configurations": {"timezone": {"name": timezone}}} if timezone else {}

    async def call(self, route: str, body: Item | None = None, **given: Any) -> Any:
        """What a route answers for the project."""
        if body is None:
            return await self._transport.call(route, {**given, "project_id": self._project})
        return await self._transport.call(route, given, {**body, "project_id": self._project})

    def _events(self, route: str, after: str = "", **given: Any) -> AsyncGenerator[ReceivedEvent, None]:
        return self._transport.events(route, {**given, "project_id": self._project}, after)

    async def all(self, collection: str) -> list[Item]:
        """All items of a collection ("lessons"), oldest first, page by page."""
        items: list[Item] = []
        total = 1
        while len(items) < total:
            page = await self.call(f"GET /{collection}", limit=_PAGE, offset=len(items))
            total = page["total"] if page[collection] else len(items)
            items += page[collection]
        return items

    # -- questions --------------------------------------------------------------------------------------------------

    async def ask(
        self, question: str, watcher: Progress, *, execute: bool = True, histories: Sequence[Item] = ()
    ) -> dict[str, Any]:
        """The result object of an ask. Cancelling the call stops the ask; so does an empty answer to what is asked
        back."""
        body: dict[str, Any] = {"query": question, "execute": execute, "request_from": "api", **self._configurations}
        body |= {"histories": list(histories)} if histories else {}
        body |= {"interactive": True} if watcher.is_there else {}
        ask_id = (await self.call("POST /asks", body))["query_id"]
        try:
            async for event in self._events("GET /asks/{ask_id}/events", ask_id=ask_id):
                watcher.event(event.kind, event.data)
                if watcher.is_there and event.data.get("status") == "awaiting_correction":
                    await self._ask_back(ask_id, event.data["clarification"], watcher)
                if event.kind in ENDS:
                    return dict(event.data)
        except asyncio.CancelledError:
            await self.call("PATCH /asks/{ask_id}", STOP, ask_id=ask_id)
            raise
        raise AskwellError(*say("cli.ask_without_result"))

    async def _ask_back(self, ask_id: str, asked: Item, watcher: Progress) -> None:
        """Send the answer to a clarification, and ask again where it is not understood. Without one, stop the ask."""
        while (typed := await watcher.answer(asked)) is not None:
            correction = {**correction_in(typed), "clarification_id": asked["id"]}
            try:
                await self.call("POST /asks/{ask_id}/corrections", correction, ask_id=ask_id)
            except AskwellError as error:
                if error.code == Conflict.code:
                    return  # it has expired; the event that says so follows
                if error.code != InvalidRequest.code:
                    raise
                watcher.note(f"{error.message} {error.hint}".strip())
            else:
                return
        await self.call("PATCH /asks/{ask_id}", STOP, ask_id=ask_id)

    # -- documents --------------------------------------------------------------------------------------------------

    async def add_document(self, file: Path, title: str | None, tags: Sequence[str]) -> Item:
        """Add a file under its name and wait until it can be found: the end of the event, with the document's id."""
        fields = {"id": document_id(file), "title": title or "", "tags": ",".join(tags), "project_id": self._project}
        return await self._document_event(await self._transport.upload("POST /documents", file, fields))

    async def remove_document(self, document: str) -> Item:
        """Remove a document and wait until it cannot be found any more: the end of the event."""
        return await self._document_event(await self.call("DELETE /documents/{document_id}", document_id=document))

    async def _document_event(self, started: Item) -> Item:
        while True:
            event: Item = await self.call(
                "GET /documents/events/{event_id}", event_id=started["event_id"], wait=_POLL_SECONDS
            )
            if event["status"] not in ("indexing", "deleting"):
                return event

    # -- conversations ----------------------------------------------------------------------------------------------

    async def send(self, text: str, thread_id: str | None, agent_id: str | None) -> tuple[str, str]:
        """Send a message in a thread, or in a new one: the ids of the thread and of the run."""
        body = {"message": text, "thread_id": thread_id, "agent_id": agent_id, **self._configurations}
        begun = await self.call("POST /chats", body)
        return begun["thread_id"], begun["run_id"]

    async def follow(self, run_id: str, after: int, hear: Callable[[Item], None]) -> int:
        """Hand the events of a run behind a place to `hear`, until it ends or asks back; the place of the last."""
        events = self._events("GET /runs/{run_id}/events", str(after), run_id=run_id)
        async with contextlib.aclosing(events):
            async for event in events:
                hear(event.data)
                after = int(event.id)
                if event.data["type"] in RUN_ENDS:
                    break
        return after

    async def waiting_run(self, thread_id: str) -> tuple[str, Sequence[Item]] | None:
        """The run of a thread that waits for answers, with what it asked back."""
        try:
            messages = (await self.call("GET /threads/{thread_id}/messages", thread_id=thread_id))["messages"]
        except AskwellError as error:
            if error.code == NotFound.code:
                return None
            raise
        if not messages or not (run_id := messages[-1]["run_id"]):
            return None
        found = await self.call("GET /runs/{run_id}", run_id=run_id)
        return (run_id, found["interrupts"]) if found["status"] == "awaiting_input" else None


def correction_in(typed: str) -> dict[str, Any]:
    """What somebody typed as an answer, as clients send it."""
    text = typed.rstrip("! ")
    return {"text": text, "remember": True} if text and typed.endswith("!") else {"text": typed}


def document_id(file: Path) -> str:
    """The id of a file's document: a file of the same name takes its place."""
    return "".join(letter if letter.isprintable() else " " for letter in file.name).strip()[:128] or "document"


@contextlib.asynccontextmanager
async def opened_client(
    of: ProjectOptions,
    options: DatabaseOptions,
    watcher: Progress,
    *,
    max_attempts: int | None = None,
    asks_only: bool = False,
    alone: bool = False,
) -> AsyncIterator[Client]:
    """A client for a service's project or, without a URL, for a database: at the process that serves it now, or else,
    and where it is wanted `alone`, in this process, which can do more. Raises as `opened_session` does."""
    if of.url is not None:
        from askwell.cli.service import HttpTransport

        yield Client(HttpTransport(of.url), of.url, of.project)
        return
    from askwell.cli.local.database import opened_session, served_client

    if not alone and (served := served_client(of.database or "", options)) is not None:
        yield served
        return
    ready = opened_session(of.database or "", options, watcher, max_attempts=max_attempts, asks_only=asks_only)
    async with ready as session:
        yield session.client


def with_client(of: ProjectOptions, action: Callable[[Client], Awaitable[Found]], *, asks_only: bool = False) -> Found:
    """What `action` comes to, of a service's project or a database. Ends the command with a reason where it cannot be
    done."""

    async def done() -> Found:
        if of.url is None and of.database is None:
            raise ConfigurationError(*say("cli.nothing_named"))
        with Progress(quiet=True) as progress:
            async with opened_client(of, DatabaseOptions(), progress, asks_only=asks_only) as client:
                return await action(client)

    return run(done())
