"""The official client, in the versions of the protocol that are served, over HTTP and over stdio."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation, InitializedNotification, InitializeRequest, InitializeRequestParams
from mcp_types import InitializeResult as Initialized

OLD, USUAL, NEW = "2025-06-18", "2025-11-25", "2026-07-28"
VERSIONS = (OLD, USUAL, NEW)


class _OldSession(ClientSession):
    """Offers the version that clients of mid-2025 know as their last one."""

    async def initialize(self) -> Initialized:
        params = InitializeRequestParams(
            protocol_version=OLD,
            capabilities=self._build_capabilities(OLD),
            client_info=Implementation(name="old", version="1"),
        )
        result = await self.send_request(InitializeRequest(params=params), Initialized)
        self.adopt(result)
        await self.send_notification(InitializedNotification())
        return result


class _OldClient(Client):
    async def _build_session(self, exit_stack: Any) -> ClientSession:
        dispatcher = await self._connect(exit_stack, self.mode, self.raise_exceptions)
        return _OldSession(
            dispatcher=dispatcher,
            elicitation_callback=self.elicitation_callback,
            message_handler=self.message_handler,
        )


@asynccontextmanager
async def connected(transport: Any, version: str, **options: Any) -> AsyncIterator[Client]:
    """A client that speaks this version of the protocol."""
    kind = _OldClient if version == OLD else Client
    mode = "auto" if version == NEW else "legacy"
    async with kind(transport, mode=mode, **options) as client:
        assert client.protocol_version == version
        yield client


@asynccontextmanager
async def over_http(
    url: str, version: str, headers: Mapping[str, str] | None = None, **options: Any
) -> AsyncIterator[Client]:
    """A client of `/mcp` of a service."""
    async with httpx2.AsyncClient(headers=dict(headers or {}), timeout=30) as http:
        transport = streamable_http_client(f"{url}/mcp", http_client=http)
        async with connected(transport, version, **options) as client:
            yield client


@asynccontextmanager
async def over_stdio(
    *arguments: str, cwd: Path, version: str, environ: Mapping[str, str] | None = None, **options: Any
) -> AsyncIterator[Client]:
    """A client that starts `askwell mcp` as a process of its own."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "askwell", "mcp", *arguments],
        env={**os.environ, "XDG_CACHE_HOME": str(cwd / "cache"), "XDG_DATA_HOME": str(cwd / "data"), **(environ or {})},
        cwd=cwd,
    )
    with open(cwd / "stderr.txt", "w") as stderr:  # noqa: ASYNC230 - the test process waits for nothing else
        async with connected(stdio_client(command, errlog=stderr), version, **options) as client:
            yield client
