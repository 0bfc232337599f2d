"""The documents of a database that is asked in this process, or of a service's project, for commands."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from askwell.cli.remote import documents_call, send_document
from askwell.cli.threads import in_own_thread
from askwell.errors import AskwellError

if TYPE_CHECKING:
    from askwell.cli.local.session import LocalSession

_PROJECT = "default"
_PAGE = 1_000
_POLL_SECONDS = 5


class LocalDocuments:
    """Those of a database in this process."""

    def __init__(self, session: LocalSession) -> None:
        self._documents, self._session = session.container.documents, session

    async def add(self, file: Path, title: str | None, tags: Sequence[str]) -> Mapping[str, Any]:
        """Add a file, under its name, and wait until it can be found: the end of the event, with the document's id."""
        self._require_kept()
        content = await asyncio.to_thread(file.read_bytes)
        _, event_id = await self._documents.add(
            _PROJECT, content, name=file.name, document_id=id_of(file), title=title, tags=tags
        )
        return await self._ended(event_id)

    async def all(self) -> Sequence[Mapping[str, Any]]:
        """All documents, oldest first."""
        page, _ = await self._documents.page(_PROJECT, 0, 1_000_000)
        return page

    async def search(self, query: str, top_k: int, tags: Sequence[str]) -> Sequence[Mapping[str, Any]]:
        """The passages that may answer a question."""
        return await self._documents.search(_PROJECT, query, top_k=top_k, tags=tags)

    async def remove(self, document_id: str) -> Mapping[str, Any]:
        """Remove a document, and wait until it cannot be found any more: the end of the event."""
        self._require_kept()
        return await self._ended(await self._documents.delete(_PROJECT, document_id))

    async def _ended(self, event_id: str) -> Mapping[str, Any]:
        while True:
            event = json.loads(await self._documents.jobs.result_json(event_id, _POLL_SECONDS))
            if event["status"] not in ("indexing", "deleting"):
                return dict(event)

    def _require_kept(self) -> None:
        if self._session.not_kept:
            raise AskwellError(f"Nothing can be kept now. {self._session.not_kept}", "Try again afterwards.")


class ServiceDocuments:
    """Those of a project of a running service."""

    def __init__(self, url: str, project: str) -> None:
        self._url, self._project = url, project

    async def add(self, file: Path, title: str | None, tags: Sequence[str]) -> Mapping[str, Any]:
        said = {"id": id_of(file), "project_id": self._project, "tags": ",".join(tags), "title": title or ""}
        sent = await in_own_thread(partial(send_document, self._url, file, said))
        return await self._ended(sent["event_id"])

    async def all(self) -> Sequence[Mapping[str, Any]]:
        page: list[Mapping[str, Any]] = []
        total = 1
        while len(page) < total:
            found = await self._call("GET", f"?limit={_PAGE}&offset={len(page)}")
            total = found["total"] if found["documents"] else len(page)
            page += found["documents"]
        return page

    async def search(self, query: str, top_k: int, tags: Sequence[str]) -> Sequence[Mapping[str, Any]]:
        body = {"query": query, "top_k": top_k, "tags": list(tags)}
        passages: Sequence[Mapping[str, Any]] = (await self._call("POST", "/search", body))["passages"]
        return passages

    async def remove(self, document_id: str) -> Mapping[str, Any]:
        started = await self._call("DELETE", f"/{quote(document_id, safe='')}")
        return await self._ended(started["event_id"])

    async def _ended(self, event_id: str) -> Mapping[str, Any]:
        while True:
            event = await self._call("GET", f"/events/{event_id}?wait={_POLL_SECONDS}")
            if event["status"] not in ("indexing", "deleting"):
                return event

    async def _call(self, method: str, path: str = "", body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return await in_own_thread(partial(documents_call, self._url, self._project, method, path, body))


# A project's documents. Everything raises `AskwellError` where it cannot be done.
DocumentDoor = LocalDocuments | ServiceDocuments


def id_of(file: Path) -> str:
    """What a file's document is called: a file of the same name takes its place."""
    return "".join(letter if letter.isprintable() else " " for letter in file.name).strip()[:128] or "document"


@contextlib.asynccontextmanager
async def opened_documents(url: str | None, project: str, database: str | None) -> AsyncIterator[DocumentDoor]:
    """The documents of a service's project or, without `url`, of a database. Raises `ConfigurationError` where neither
    is named."""
    if url is not None:
        yield ServiceDocuments(url, project)
        return
    from askwell.cli.local.opening import opened_project

    async with opened_project(database, "documents") as session:
        yield LocalDocuments(session)
