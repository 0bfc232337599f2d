"""What people with different rights are told of models and projects."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from mcp import MCPError

from askwell.mcp_server.services import PROJECT_HEADER
from askwell.messages import say
from tests.access.house import ALPHA, BETA, Caller, House, house, prepared
from tests.mcp_server.clients import OLD, USUAL, VERSIONS, over_http, over_stdio
from tests.support import tiny_shop

CANARY = "tokencanary"
LEVEL = {"name": "level", "required": True}
REGION = {"name": "region", "required": True}


def ruled() -> dict[str, Any]:
    """The tiny shop where not everybody may read the same customers, or the state of an order."""
    manifest = tiny_shop.manifest()
    customers, orders = manifest["models"]
    customers["rowLevelAccessControls"] = [
        {"name": "own", "condition": "country = @region", "requiredProperties": [REGION]}
    ]
    state = orders["columns"][3]
    state["type"] = "state"
    state["columnLevelAccessControl"] = {
        "name": "high",
        "operator": ">=",
        "threshold": 2,
        "requiredProperties": [LEVEL],
    }
    manifest["enumDefinitions"] = [{"name": "state", "values": [{"name": "open"}, {"name": "paid"}]}]
    return manifest


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shop(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    """A service to whose first project each test gives a model of its own."""
    async with house(tmp_path_factory.mktemp("models")) as one:
        yield one


async def _columns(somebody: Caller, project: str) -> dict[str, Any]:
    status, told = await somebody.call("GET", f"/v1/semantics?project_id={project}")
    assert status == 200, told
    return {f"{table['name']}.{one['name']}": one for table in told["tables"] for one in table["columns"]}


@pytest.mark.asyncio(loop_scope="module")
async def test_values_that_not_everybody_may_read_are_told_to_nobody(shop: House) -> None:
    ann = await shop.somebody("Ann", attributes={"region": "Germany", "level": "3"})
    people = (ann, await shop.somebody("Nil"), shop.root)
    await prepared(shop, ALPHA, label="free")
    # Where there are no rules, there are values.
    free = [await _columns(somebody, ALPHA) for somebody in people]
    await prepared(shop, ALPHA, ruled(), "ruled")
    for somebody, without_rules in zip(people, free, strict=True):
        assert sorted(without_rules["customers.country"]["values"]) == ["France", "Germany"]
        assert "paid" in without_rules["orders.status"]["values"]
        seen = await _columns(somebody, ALPHA)
        assert seen.keys() == without_rules.keys()
        for name in ("customers.country", "customers.name", "orders.status", "orders.customer_country"):
            assert "values" not in seen[name], name


@pytest.mark.asyncio(loop_scope="module")
async def test_values_of_secret_columns_are_told_to_nobody(shop: House) -> None:
    manifest = tiny_shop.manifest()
    manifest["enumDefinitions"] = [{"name": "kind", "values": [{"name": CANARY}]}]
    for column, properties in (("api_token", {}), ("memo", {"sensitive": True})):
        calculated = {"name": column, "type": "kind", "isCalculated": True, "expression": "status"}
        manifest["models"][1]["columns"].append({**calculated, "properties": properties})
    await prepared(shop, ALPHA, manifest, "secret")
    ann = await shop.somebody("Ann")
    columns = await _columns(ann, ALPHA)
    assert {"orders.api_token", "orders.memo"} <= columns.keys()
    assert CANARY not in "".join(ann.seen)


@pytest.mark.asyncio(loop_scope="module")
async def test_warnings_are_for_those_who_may_change_the_model(shop: House) -> None:
    manifest = tiny_shop.manifest()
    manifest["models"][0]["columns"][4]["name"] = "hiddencanary"
    await prepared(shop, ALPHA, manifest, "warned")
    asking, curating = await shop.somebody("Ann"), await shop.somebody("Ben", "curate")
    path = f"/v1/semantics?project_id={ALPHA}"
    _, told, headers = await curating.answer("GET", path)
    assert "hiddencanary" in str(told["warnings"])
    status, told, other = await asking.answer("GET", path, {"If-None-Match": headers["ETag"]})
    assert (status, told["warnings"], other["ETag"] != headers["ETag"]) == (200, [], True)
    assert "hiddencanary" not in "".join(asking.seen)


@pytest.mark.asyncio(loop_scope="module")
async def test_descriptions_are_changed_by_curators_of_the_project(shop: House) -> None:
    await prepared(shop, ALPHA, label="described")
    body = {"mdl_hash": "described", "changes": [{"table": "orders", "description": "Sold."}]}
    path = f"/v1/semantics?project_id={ALPHA}"
    asking = await shop.somebody("Ann")
    status, told = await asking.call("PATCH", path, json=body)
    assert (status, "needs the role curate" in told["message"]) == (403, True)
    foreign = await shop.somebody("Cleo", "curate", [BETA])
    for method, more in (("GET", {}), ("PATCH", {"json": body})):
        answers = [await foreign.call(method, path.replace(ALPHA, name), **more) for name in (ALPHA, "nowhere")]
        assert [status for status, _ in answers] == [404, 404]
        assert answers[0][1]["message"].replace(ALPHA, "nowhere") == answers[1][1]["message"]
    ben = await shop.somebody("Ben", "curate")
    status, told, headers = await ben.answer("PATCH", path, json=body)
    assert status == 202, told
    async with asyncio.timeout(20):
        while (await ben.call("GET", headers["Location"]))[1]["status"] == "indexing":
            await asyncio.sleep(0.02)
    _, told = await asking.call("GET", path)
    assert [table["description"] for table in told["tables"] if table["name"] == "orders"] == ["Sold."]


@pytest.mark.asyncio(loop_scope="module")
async def test_everybody_is_told_of_their_own_projects(shop: House) -> None:
    await prepared(shop, ALPHA, label="listed")
    listed = {}
    for name, projects in (("Ann", [ALPHA]), ("Cleo", [BETA, "nowhere"]), ("Dan", ["nowhere"])):
        somebody = await shop.somebody(name, projects=projects)
        _, told = await somebody.call("GET", "/v1/projects")
        listed[name] = {one["id"]: one["has_model"] for one in told["projects"]}
    _, told = await shop.root.call("GET", "/v1/projects")
    listed["root"] = {one["id"]: one["has_model"] for one in told["projects"]}
    assert listed == {
        "Ann": {ALPHA: True},
        "Cleo": {BETA: False},
        "Dan": {},
        "root": {ALPHA: True, BETA: False},
    }


# -- `/mcp` where people sign in.


COUNT = "how many customers are there?"
CANARY_OF_MCP_PEOPLE = "zqmcp91"


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
    client_info = {"name": CANARY_OF_MCP_PEOPLE, "version": "1"}
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
