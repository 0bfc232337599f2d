"""What a stranger who attacked sign-in found."""

from __future__ import annotations

from pathlib import Path

import aiohttp
import pytest

from tests.access.house import ALPHA, BETA, House, house_config
from tests.support.service import service_process

DATA = {"columns": ["status", "total"], "data": [["open", 3], ["shipped", 5], ["late", 1]]}


@pytest.mark.asyncio(loop_scope="session")
async def test_pictures_are_the_owners(home: House) -> None:
    ann, ben = await home.somebody("Ann"), await home.somebody("Ben")
    sql = "SELECT status, count(*) AS total FROM orders GROUP BY status"
    chart = {"query": "orders by status", "sql": sql, "project_id": ALPHA}
    schema = {"mark": "bar", "encoding": {}}
    option = {"chart_type": "bar", "x_axis": "status", "y_axis": "total"}
    adjustment = {**chart, "adjustment_option": option, "chart_schema": schema}
    for path, body in (("charts", chart), ("charts", {**chart, "data": DATA}), ("chart-adjustments", adjustment)):
        status, told = await ann.call("POST", f"/v1/{path}", json=body)
        assert status == 202, told
        job = f"/v1/{path}/{told.get('query_id') or told.get('job_id')}"
        assert (await ann.end(job))["status"] == "finished"
        status, svg = await ann.call("GET", f"{job}/image.svg")
        assert (status, svg[:4]) == (200, "<svg")
        status, _, headers = await ann.answer("GET", f"{job}/image.png")
        assert (status, headers["Content-Type"]) == (200, "image/png")
        assert (await ben.call("GET", f"{job}/image.svg"))[0] == 404


@pytest.mark.asyncio(loop_scope="session")
async def test_the_address_says_the_project_of_a_change(home: House) -> None:
    ann = await home.somebody("Ann", "curate")
    for said, status in ((ALPHA, 200), (BETA, 404)):
        path = f"/v1/agents/clerk?project_id={said}"
        assert (await ann.call("PUT", path, json={"persona": "A clerk."}))[0] == status
    body = {"persona": "A clerk.", "project_id": ALPHA}
    assert (await ann.call("PUT", f"/v1/agents/clerk?project_id={BETA}", json=body))[0] == 422
    status, told = await ann.call("GET", f"/v1/agents?project_id={ALPHA}")
    assert (status, {one["id"] for one in told["agents"]}) == (200, {"default", "clerk"})
    thread = (await ann.call("POST", f"/v1/threads?project_id={ALPHA}", json={}))[1]["id"]
    path = f"/v1/threads/{thread}?project_id="
    status, told = await ann.call("PATCH", f"{path}{ALPHA}", json={"title": "Orders"})
    assert (status, told["title"]) == (200, "Orders")
    assert (await ann.call("PATCH", f"{path}{BETA}", json={"title": "x"}))[0] == 404
    # Under either address a route has one name in the audit log.
    await ann.call("PATCH", f"/threads/{thread}?project_id={ALPHA}", json={"title": "Orders"})
    routes = {
        one["route"] for one in home.audit() if one["event"] == "request" and one["principal"] == f"key:{ann.key_id}"
    }
    assert routes == {"PUT /v1/agents/{agent_id}", "POST /v1/threads", "PATCH /v1/threads/{thread_id}"}


@pytest.mark.parametrize(("trusted", "count"), [([], 3), (["127.0.0.0/8"], 6), (["10.0.0.1"], 3)])
async def test_only_proxies_that_are_named_say_who_asks(tmp_path: Path, trusted: list[str], count: int) -> None:
    server = {"host": "127.0.0.1", "port": 0, "trusted_proxies": trusted}
    sign_in = {"limits": {"requests": 0, "asks": 0, "failures": 3}}
    config = house_config(tmp_path, sign_in=sign_in, server=server)
    async with service_process(config) as (process, _), aiohttp.ClientSession() as http:
        statuses = []
        for place in range(6):
            headers = {"Authorization": "Bearer wrong", "X-Forwarded-For": f"203.0.113.{place}"}
            async with http.get(f"{process.url}/v1/asks", headers=headers) as answer:
                statuses.append(answer.status)
    assert (statuses.count(401), statuses.count(429)) == (count, 6 - count)
    said = (tmp_path / "home" / "audit" / "audit.jsonl").read_text("utf-8")
    assert ("203.0.113." in said) == (count == 6)
