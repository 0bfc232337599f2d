"""`/mcp` where people sign in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError

from askwell.mcp_server.services import PROJECT_HEADER
from askwell.messages import say
from tests.access.house import ALPHA, BETA, Caller, House
from tests.mcp_server.clients import OLD, USUAL, VERSIONS, over_http, over_stdio

COUNT = "how many customers are there?"
CANARY = "zqmcp91"


def headers(somebody: Caller, project: str = ALPHA) -> Mapping[str, str]:
    return {"X-Askwell-Project": project} | ({"Authorization": f"Bearer {somebody.key}"} if somebody.key else {})


async def tool(home: House, somebody: Caller, version: str, name: str, arguments: Mapping[str, Any]) -> Any:
    async with over_http(home.service.url, version, headers(somebody)) as client:
        return await client.call_tool(name, dict(arguments))


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("version", VERSIONS)
async def test_an_answer_is_for_whoever_asked(home: House, version: str) -> None:
    ann, ben = await home.somebody("Ann"), await home.somebody("Ben")
    asked = (await tool(home, ann, version, "ask_data", {"question": COUNT})).structured_content
    assert asked["status"] == "finished"
    assert (await ann.call("GET", f"/v1/asks/{asked['ask_id']}/result"))[0] == 200
    assert (await ben.call("GET", f"/v1/asks/{asked['ask_id']}/result"))[0] == 404
    for name, arguments in (("ask_data", "ask_id"), ("make_chart", "data_ref")):
        said = {"question": COUNT} if name == "ask_data" else {"query": COUNT}
        own = await tool(home, ann, version, name, {**said, arguments: asked["ask_id"]})
        foreign = await tool(home, ben, version, name, {**said, arguments: asked["ask_id"]})
        unknown = await tool(home, ben, version, name, {**said, arguments: "f" * 32})
        assert not own.is_error
        assert foreign.is_error
        assert str(foreign.content).replace(asked["ask_id"], "f" * 32) == str(unknown.content)


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("version", VERSIONS)
async def test_a_foreign_project_looks_like_none(home: House, version: str) -> None:
    cleo = await home.somebody("Cleo", "admin", [BETA])
    for project in (ALPHA, "nowhere", "default"):
        unknown, _ = say("roles.project_unknown_in_header", project=project, header=PROJECT_HEADER)
        with pytest.RaisesGroup(pytest.RaisesExc(MCPError, match=re.escape(unknown)), flatten_subgroups=True):
            async with over_http(home.service.url, version, headers(cleo, project)) as client:
                await client.list_resources()
    async with over_http(home.service.url, version, headers(cleo, BETA)) as client:
        assert {one.uri.host if hasattr(one.uri, "host") else str(one.uri).split("/")[2]
                for one in (await client.list_resources()).resources} == {BETA}  # fmt: skip
        with pytest.raises(MCPError):
            await client.read_resource(f"askwell://{ALPHA}/model")


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("version", [OLD, USUAL])
async def test_nobody_gets_into_somebody_elses_session(home: House, version: str) -> None:
    ann, ben = await home.somebody("Ann"), await home.somebody("Ben")
    accept = {"Accept": "application/json, text/event-stream", "X-Askwell-Project": ALPHA}
    client_info = {"name": CANARY, "version": "1"}
    opening = {"protocolVersion": version, "capabilities": {}, "clientInfo": client_info}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening}
    status, _, told = await ann.answer("POST", "/mcp", accept, json=message)
    assert status == 200
    session = told["Mcp-Session-Id"]
    ping = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
    for somebody, name, expected in ((ann, session, 200), (ben, session, 404), (ben, "f" * 32, 404)):
        status, _ = await somebody.call("POST", "/mcp", {**accept, "Mcp-Session-Id": name}, json=ping)
        assert status == expected
    foreign, unknown = [
        await ben.call("DELETE", "/mcp", {**accept, "Mcp-Session-Id": name}) for name in (session, "f" * 32)
    ]
    assert foreign == unknown
    nobody = home.nobody()
    assert (await nobody.call("POST", "/mcp", {**accept, "Mcp-Session-Id": session}, json=ping))[0] == 401
    status, _ = await ann.call("POST", "/mcp", {**accept, "Mcp-Session-Id": session}, json=ping)
    assert status == 200


@pytest.mark.asyncio(loop_scope="session")
async def test_the_bridge_sends_the_key(home: House, tmp_path: Path) -> None:
    ann = await home.somebody("Ann")
    arguments = ("--url", home.service.url, "--project", ALPHA)
    environ = {"ASKWELL_API_KEY": ann.key or ""}
    async with over_stdio(*arguments, cwd=tmp_path, version=USUAL, environ=environ) as client:
        told = (await client.call_tool("ask_data", {"question": COUNT})).structured_content
    assert told["status"] == "finished"
    assert (await ann.call("GET", f"/v1/asks/{told['ask_id']}/result"))[0] == 200


@pytest.mark.asyncio(loop_scope="session")
async def test_statements_of_tools_are_in_the_audit_log(home: House) -> None:
    ann = await home.somebody("Ann")
    told = await tool(home, ann, USUAL, "run_sql", {"sql": "SELECT name FROM customers"})
    assert "Lovelace" in str(told.content)
    (line,) = [one for one in home.audit() if one.get("kind") == "run_sql" and one["principal"] == f"key:{ann.key_id}"]
    assert (line["principal"], line["project"], line["tables"], line["rows"]) == (
        f"key:{ann.key_id}",
        ALPHA,
        ["customers"],
        3,
    )
    assert "Lovelace" not in str(home.audit())
