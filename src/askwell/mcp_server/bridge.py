"""From the standard streams of a process to the `/mcp` of a running service: for clients that start commands."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    INTERNAL_ERROR,
    PROTOCOL_VERSION_META_KEY,
    JSONRPCRequest,
    JSONRPCResponse,
)
from mcp_types.version import LATEST_MODERN_VERSION

from askwell import __version__
from askwell.errors import AskwellError, ConfigurationError
from askwell.mcp_server.server import Writing, streams
from askwell.mcp_server.services import PROJECT_HEADER
from askwell.messages import say

# Of one answer with its rows.
_EVENT_BYTES = 32 * 1024 * 1024
_START = "Start it with askwell serve, and try again."
_CONNECT_SECONDS, _ANSWER_SECONDS = 10.0, 600.0


class _Reachable(httpx2.AsyncBaseTransport):
    """HTTP to the service. While that is away each request is told so, and the bridge stands."""

    def __init__(self, url: str) -> None:
        self._inner = httpx2.AsyncHTTPTransport()
        self._url = url

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            return await self._inner.handle_async_request(request)
        except httpx2.TransportError:
            body = {"message": f"The service at {self._url} does not answer.", "hint": _START}
            error = {"code": INTERNAL_ERROR, "message": " ".join(body.values()), "data": body}
            return httpx2.Response(503, json={"jsonrpc": "2.0", "id": None, "error": error}, request=request)

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Headers:
    """What HTTP wants to know of each message before it is read."""

    def __init__(self) -> None:
        self._opening: Any = None
        self._version: str | None = None

    def sent(self, message: SessionMessage) -> SessionMessage:
        """A message of the client's, with its headers."""
        said = message.message
        headers: dict[str, str] = {}
        params: dict[str, Any] = getattr(said, "params", None) or {}
        version = (params.get("_meta") or {}).get(PROTOCOL_VERSION_META_KEY)
        if isinstance(said, JSONRPCRequest) and isinstance(version, str):
            headers = {MCP_PROTOCOL_VERSION_HEADER: version, MCP_METHOD_HEADER: said.method}
            name = params.get(NAME_BEARING_METHODS.get(said.method, ""))
            if isinstance(name, str):
                headers[MCP_NAME_HEADER] = encode_header_value(name)
        elif isinstance(said, JSONRPCRequest) and said.method == "initialize":
            self._opening = said.id
        elif self._version is not None:
            headers = {MCP_PROTOCOL_VERSION_HEADER: self._version}
        return SessionMessage(said, ClientMessageMetadata(headers=headers) if headers else None)

    def received(self, message: SessionMessage) -> SessionMessage:
        """A message of the service's; the first one says which version is spoken."""
        said = message.message
        if isinstance(said, JSONRPCResponse) and self._opening is not None and said.id == self._opening:
            self._version = said.result.get("protocolVersion")
            self._opening = None
        return SessionMessage(said)


async def bridge(
    url: str, project: str, incoming: AsyncIterator[str], outgoing: Writing, *, api_key: str | None = None
) -> None:
    """Hand on what one client says, and what the service says to it, until the client has said all; with `api_key`,
    where the service wants to know who calls. Raises
    `AskwellError` where there is no such service to begin with, and `ConfigurationError` where it does not serve this
    project."""
    timeout = httpx2.Timeout(_ANSWER_SECONDS, connect=_CONNECT_SECONDS)
    said = {PROJECT_HEADER: project} | ({"Authorization": f"Bearer {api_key}"} if api_key else {})
    async with httpx2.AsyncClient(headers=said, timeout=timeout, transport=_Reachable(url)) as http:
        await _require_service(http, url)
        headers = _Headers()
        there = streamable_http_client(f"{url}/mcp", http_client=http, max_sse_event_size=_EVENT_BYTES)
        async with (
            there as (from_service, to_service),
            streams(incoming, outgoing) as (from_client, to_client),
            anyio.create_task_group() as both,
        ):

            async def answers() -> None:
                async for message in from_service:
                    if isinstance(message, SessionMessage):
                        await to_client.send(headers.received(message))

            both.start_soon(answers)
            async for message in from_client:
                if isinstance(message, SessionMessage):
                    await to_service.send(headers.sent(message))
            both.cancel_scope.cancel()
            await to_client.aclose()


async def _require_service(http: httpx2.AsyncClient, url: str) -> None:
    meta = {
        PROTOCOL_VERSION_META_KEY: LATEST_MODERN_VERSION,
        CLIENT_INFO_META_KEY: {"name": "askwell mcp", "version": __version__},
        CLIENT_CAPABILITIES_META_KEY: {},
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}}
    accepted = {
        "Accept": "application/json, text/event-stream",
        MCP_PROTOCOL_VERSION_HEADER: LATEST_MODERN_VERSION,
        MCP_METHOD_HEADER: "server/discover",
    }
    response = await http.post(f"{url}/mcp", json=body, headers=accepted)
    try:
        said = response.json()
        if "result" in said:
            return
        # What Askwell says of itself, in the one shape or in the other.
        details = said["error"].get("data", said) if "code" not in said else said
        message, hint = str(details["message"]), str(details.get("hint", ""))
    except (json.JSONDecodeError, UnicodeDecodeError, TypeError, KeyError, AttributeError):
        raise AskwellError(*say("mcp.no_service", url=url)) from None
    raise (ConfigurationError if response.status_code < 500 else AskwellError)(message, hint)
