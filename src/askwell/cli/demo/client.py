"""The demo's side of the HTTP contract."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Self

import aiohttp

from askwell.cli.event_stream import EventReader
from askwell.errors import AskwellError

_READY_SECONDS = 60.0
_JOB_SECONDS = 120.0


class Client:
    """Talks to a service as any client would. Raises `AskwellError` when it does not answer as it should."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def wait_until_ready(self) -> None:
        """Until every dependency of the service works."""
        said: dict[str, Any] = {}
        try:
            async with asyncio.timeout(_READY_SECONDS):
                while said.get("status") != "ready":
                    said = await self._call("GET", "/health/ready", accept=(200, 503))
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise AskwellError(said.get("message", "The service never became ready."), json.dumps(said)) from None

    async def prepare(self, mdl: dict[str, Any], on_progress: Callable[[str, int, int], None]) -> list[str]:
        """Send the semantic model and follow its preparation to the end; its warnings."""
        started = await self._call("POST", "/v1/semantics-preparations", {"mdl": mdl, "mdl_hash": "demo"})

        def show(status: Mapping[str, Any]) -> None:
            progress = status.get("progress", {})
            on_progress(progress.get("stage", status["status"]), progress.get("done", 0), progress.get("total", 0))

        path = f"/v1/semantics-preparations/{started['id']}/events"
        ended: Mapping[str, Any] = {}
        async for _, ended in self._events(path):
            show(ended)
        if ended.get("status") != "finished":
            raise _refused(ended, path)
        warnings: list[str] = ended.get("warnings", [])
        return warnings

    async def teach(self, what: str, items: list[dict[str, Any]]) -> None:
        """Save SQL pairs (`sql-pairs`) or instructions (`instructions`) and wait until they count."""
        body = {what.replace("-", "_"): items}
        started = await self._call("POST", f"/v1/{what}", body)
        await self._follow(f"/v1/{what}/{started['event_id']}")

    async def ask(self, question: str, on_status: Callable[[str], None]) -> dict[str, Any]:
        """Ask, report every status as it comes, and return the result object."""
        started = await self._call("POST", "/v1/asks", {"query": question, "execute": True, "request_from": "api"})
        seen, result = "", dict[str, Any]()
        path = f"/v1/asks/{started['query_id']}/events"
        async for kind, data in self._events(path):
            if kind == "delta":
                continue
            result = dict(data)
            if result["status"] != seen:
                seen = result["status"]
                on_status(seen)
        if not result:
            raise AskwellError(f"GET {path} ended without a result.", "The service may have ended.")
        return result

    async def add_document(self, document: Mapping[str, str]) -> None:
        """Add a document of words (`id`, `title`, `text`) and wait until it is found."""
        started = await self._call("POST", "/v1/documents", dict(document))
        await self._follow(f"/v1/documents/events/{started['event_id']}")

    async def define_agent(self, agent_id: str, definition: Mapping[str, Any]) -> None:
        """Define an agent."""
        await self._call("PUT", f"/v1/agents/{agent_id}", dict(definition))

    async def converse(self, said: Mapping[str, Any]) -> AsyncIterator[Mapping[str, Any]]:
        """Send an AG-UI `RunAgentInput`; the events of the run as they come."""
        async for _, event in self._events("/v1/agent", said):
            yield event

    async def _follow(self, path: str) -> None:
        try:
            async with asyncio.timeout(_JOB_SECONDS):
                while True:
                    status = await self._call("GET", path)
                    if status["status"] == "finished":
                        return
                    if status["status"] == "failed":
                        raise _refused(status, path)
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise AskwellError(f"{path} did not end within {_JOB_SECONDS:g} seconds.") from None

    async def _events(
        self, path: str, body: Mapping[str, Any] | None = None
    ) -> AsyncIterator[tuple[str, Mapping[str, Any]]]:
        """(event, data) of everything that happens until the end; a `body` is posted."""
        method = "GET" if body is None else "POST"
        try:
            async with (
                asyncio.timeout(_JOB_SECONDS),
                self._session.request(method, self._url + path, json=body) as response,
            ):
                if response.status != 200:
                    raise AskwellError(f"{method} {path} was answered with {response.status}.", await response.text())
                reader = EventReader()
                async for line in response.content:
                    event = reader.take(line)
                    if event is not None and event.kind != "heartbeat":
                        yield event.kind, event.data
        except (aiohttp.ClientError, ValueError, TimeoutError) as error:
            raise AskwellError(
                f"{method} {path} broke off ({type(error).__name__}).", "The service may have ended."
            ) from None

    async def _call(
        self, method: str, path: str, body: dict[str, Any] | None = None, accept: tuple[int, ...] = (200, 202)
    ) -> dict[str, Any]:
        try:
            async with self._session.request(method, self._url + path, json=body) as response:
                said: dict[str, Any] = await response.json()
                if response.status in accept:
                    return said
        except (aiohttp.ClientError, ValueError, TimeoutError) as error:
            raise AskwellError(
                f"{method} {path} did not get an answer ({type(error).__name__}).", "The service may have ended."
            ) from None
        message = said.get("message") or json.dumps(said.get("detail", said))[:500]
        raise AskwellError(f"{method} {path} was answered with {response.status}: {message}", said.get("hint", ""))


def _refused(status: Mapping[str, Any], path: str) -> AskwellError:
    return AskwellError(f"The service refused it: {status.get('error', {}).get('message', 'no reason given')}", path)
