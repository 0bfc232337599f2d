"""Who may call `/mcp`, and for which project."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from mcp import MCPError

from tests.mcp_server.clients import VERSIONS, over_http
from tests.mcp_server.shops import COUNT, trader_service
from tests.mcp_server.test_ends import ACCEPT, message, opened
from tests.support.service import Client, running_service, write_config
from tests.support.tables import case_rows

HEADER = "X-Askwell-Project"
NEW_VERSION = "2026-07-28"


def projects(folder: Path) -> dict[str, Any]:
    """Two projects, each with a database of its own, of which one has the model of the tiny shop."""
    write_config(folder)
    source = {"engine": "sqlite", "path": str(folder / "shop.sqlite")}
    return {"data_sources": {"default": source, "sales": source}}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def two_projects(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client]:
    folder = tmp_path_factory.mktemp("projects")
    async with running_service(write_config(folder, **projects(folder))) as service:
        await service.prepare(project_id="sales")
        yield service


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("version", VERSIONS)
async def test_a_header_says_which_project(two_projects: Client, version: str) -> None:
    async with over_http(two_projects.url, version, {HEADER: "sales"}) as sales:
        listed = [one.uri for one in (await sales.list_resources()).resources]
        assert all(uri.startswith("askwell://sales/") for uri in listed)
        answer = (await sales.call_tool("ask_data", {"question": COUNT})).structured_content
        assert answer["status"] == "finished"
    async with over_http(two_projects.url, version) as default:
        assert len((await default.list_resources()).resources) == 3  # it has no model
        result = await default.call_tool("run_sql", {"sql": "SELECT 1"})
        assert result.is_error
        assert "RESOURCE_NOT_FOUND" in str(result.content)
        with pytest.raises(MCPError, match="no such resource"):
            await default.read_resource(listed[0])
        foreign = await default.call_tool("ask_data", {"question": COUNT, "ask_id": answer["ask_id"]})
        assert "NOT_FOUND" in str(foreign.content)
        chart = await default.call_tool("make_chart", {"query": COUNT, "data_ref": answer["ask_id"]})
        assert chart.is_error


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["nowhere", "no such/project", "../default"])
async def test_a_project_that_there_is_not_is_told_at_once(two_projects: Client, version: str, name: str) -> None:
    said = pytest.RaisesExc(MCPError, match=r"has no database|isn't a project id")
    with pytest.RaisesGroup(said, flatten_subgroups=True):
        async with over_http(two_projects.url, version, {HEADER: name}):
            pass


@pytest.mark.asyncio(loop_scope="module")
async def test_two_projects_in_one_request_are_told_to_be_two(two_projects: Client) -> None:
    body = message("server/discover", NEW_VERSION) | {"method": "tools/list"}
    async with aiohttp.ClientSession() as http:
        known = await opened(http, two_projects.url, NEW_VERSION)
        headers = [*known.items(), ("Mcp-Method", "tools/list"), (HEADER, "sales"), (HEADER, "default")]
        async with http.post(f"{two_projects.url}/mcp", json=body, headers=headers) as response:
            assert f"The request has the header {HEADER} 2 times." in await response.text()


@pytest.mark.parametrize(
    ("headers", "status"),
    case_rows(__file__, "other_hosts_and_pages_are_refused_as_everywhere", "headers", "status"),
)
async def test_other_hosts_and_pages_are_refused_as_everywhere(
    tmp_path: Path, headers: dict[str, str], status: int
) -> None:
    allowed = {"host": "127.0.0.1", "port": 0, "allowed_hosts": ["askwell.example"]}
    allowed |= {"allowed_origins": ["https://app.example"]}
    async with trader_service(tmp_path, server=allowed) as service, aiohttp.ClientSession() as http:
        body = message("server/discover", NEW_VERSION)
        known = await opened(http, service.url, NEW_VERSION) | {"Mcp-Method": "server/discover"}
        async with http.post(f"{service.url}/mcp", json=body, headers=known | headers) as response:
            assert response.status == status
            said = await response.json()
        assert ("result" in said) == (status == 200)
        if status == 403:
            assert said["code"] == "FORBIDDEN"


async def test_without_the_extra_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)  # as if it were not installed
    async with running_service(write_config(tmp_path)) as service:
        status, said = await service.call("POST", "/mcp", json={}, headers=ACCEPT)
        assert status == 501
        assert said["code"] == "NOT_INSTALLED"
        assert "askwell[mcp]" in said["hint"]
        assert "askwell[mcp]" in said["error"]["message"]


async def test_what_is_no_message_is_refused(tmp_path: Path) -> None:
    async with trader_service(tmp_path) as service:
        for body in (b"", b"{", b"[]", b'{"jsonrpc":"2.0"}', b'"x"', b"\xff"):
            headers = {**ACCEPT, "Content-Type": "application/json"}
            status, said = await service.call("POST", "/mcp", data=body, headers=headers)
            assert 400 <= status < 500, said
        status, _ = await service.call("POST", "/mcp", data=b" " * 2_000_000, headers=headers)
        assert status == 413
        status, _ = await service.call("GET", "/mcp", headers={"Mcp-Session-Id": "none", **ACCEPT})
        assert status == 404
