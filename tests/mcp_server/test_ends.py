"""Calls end with whoever waits for them, and streams with the service."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.fakes.chat_script import Answer
from tests.fakes.openai_server import ChatServer
from tests.mcp_server.clients import NEW, OLD, USUAL, VERSIONS, over_http
from tests.mcp_server.test_clarification import stopped
from tests.support.service import running_service, service_process, write_config

QUESTION = "Which of them would you rather not lose, all in all?"
HANGS = {"sql_generation": [Answer(json={"sql": "SELECT COUNT(*) AS n FROM customers"}, hang=True)]}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_call_that_is_cancelled_stops_its_question(tmp_path: Path, version: str) -> None:
    async with ChatServer(HANGS) as model, running_service(write_config(tmp_path, api_base=model.api_base)) as service:
        await service.prepare()
        async with over_http(service.url, version) as client:
            call = asyncio.create_task(client.call_tool("ask_data", {"question": QUESTION}))
            request = await model.arrived("sql_generation")
            call.cancel()
            await asyncio.wait({call})
            await stopped(service)
            assert await model.ended(request) == "abandoned"
            # The connection is as good as before.
            assert (await client.list_tools()).tools


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_client_that_goes_away_stops_its_question(tmp_path: Path, version: str) -> None:
    async with ChatServer(HANGS) as model, running_service(write_config(tmp_path, api_base=model.api_base)) as service:
        await service.prepare()
        async with aiohttp.ClientSession() as http:
            headers = await opened(http, service.url, version)
            body = message("tools/call", version, name="ask_data", arguments={"question": QUESTION})
            if version == NEW:
                headers |= {"Mcp-Method": "tools/call", "Mcp-Name": "ask_data"}
            call = asyncio.create_task(read(http.post(f"{service.url}/mcp", json=body, headers=headers)))
            request = await model.arrived("sql_generation")
            call.cancel()  # the connection is cut, without a word
            await asyncio.wait({call})
            await stopped(service)
            assert await model.ended(request) == "abandoned"


@pytest.mark.parametrize("version", [OLD, USUAL])
async def test_streams_end_when_the_service_does(tmp_path: Path, version: str) -> None:
    """Those of older versions stay open for as long as the client likes."""
    config = write_config(tmp_path)
    async with service_process(config) as (process, service), aiohttp.ClientSession() as http:
        await service.prepare()
        headers = await opened(http, service.url, version)
        async with http.get(f"{service.url}/mcp", headers=headers | {"Accept": "text/event-stream"}) as stream:
            assert stream.status == 200
            async with asyncio.timeout(4):
                await process.stop()
                await stream.read()
        assert "status 0" in (process.end() or "")


async def opened(http: aiohttp.ClientSession, url: str, version: str) -> dict[str, str]:
    """The headers of a client that has introduced itself."""
    headers = {**ACCEPT, "MCP-Protocol-Version": version}
    if version == NEW:
        return headers
    hello = {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
    }
    async with http.post(f"{url}/mcp", json=hello, headers=ACCEPT) as response:
        assert response.status == 200
        headers["Mcp-Session-Id"] = response.headers["Mcp-Session-Id"]
        await response.read()
    initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    async with http.post(f"{url}/mcp", json=initialized, headers=headers) as response:
        assert response.status == 202
    return headers


def message(method: str, version: str, **params: Any) -> dict[str, Any]:
    """A request as it goes over the wire."""
    if version == NEW:
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


async def read(request: Any) -> Any:
    async with request as response:
        return json.loads(await response.text())
