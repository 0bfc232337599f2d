"""Whatever stands in a claim becomes one SQL literal, or the person is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp, parse_one

from askwell.access.audit import FILE_NAME, AuditLog
from askwell.access.reading_rights import UnusableClaim, principal_from
from askwell.config import SignInConfig
from askwell.config.sign_in import AuditConfig
from askwell.principal import Person, Principal, Role
from tests.access.house import ALPHA, BETA, House, house_config
from tests.support.service import service_process
from tests.support.tables import case_rows

TYPES = ("text", "number", "boolean")
ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(), st.lists(st.text()), st.just("1e5"),
    st.dictionaries(st.text(), st.text()), st.text("'\\\";-/*` 0a", max_size=20),
)  # fmt: skip


def mapped(claims: dict[str, Any], **section: Any) -> Principal:
    config = SignInConfig.model_validate({"keys": True, **section})
    return principal_from(claims, id="i", name="n", role="ask", projects=None, mapping=config)


@pytest.mark.parametrize("kind", TYPES)
@given(value=ANYTHING)
def test_a_claim_is_one_literal_or_refused(kind: str, value: Any) -> None:
    try:
        person = mapped({"c": value}, properties={"p": {"claim": "c", "type": kind}}).person
    except UnusableClaim:
        return
    if value is None:
        assert person.session_properties == {}
        return
    tree = parse_one(f"SELECT {person.session_properties['p']}")
    (only,) = tree.expressions
    inner = only.this if isinstance(only, exp.Neg) else only
    assert isinstance(inner, exp.Literal | exp.Boolean)
    if kind == "text":
        assert inner.this == str(value)


@pytest.mark.parametrize(
    ("kind", "value", "literal"),
    case_rows(__file__, "what_becomes_what", "kind", "value", "literal"),
)
def test_what_becomes_what(kind: str, value: Any, literal: str) -> None:
    found = mapped({"c": value}, properties={"p": {"claim": "c", "type": kind}})
    assert found.person.session_properties == {"p": literal}


@pytest.mark.parametrize(
    ("kind", "value"),
    [("text", ["a"]), ("text", "a\0b"), ("text", "x" * 1_001), ("text", True), ("number", "1; DROP TABLE x"),
     ("number", "1e400"), ("number", 1e-40), ("number", float("nan")), ("number", True), ("boolean", "yes"),
     ("boolean", 1)],
)  # fmt: skip
def test_what_is_refused(kind: str, value: Any) -> None:
    with pytest.raises(UnusableClaim):
        mapped({"c": value}, properties={"p": {"claim": "c", "type": kind}})


@pytest.mark.parametrize(("role", "curates"), [("ask", False), ("curate", True), ("admin", True)])
def test_who_may_only_ask_is_told_nothing_of_teaching(role: Role, curates: bool) -> None:
    config = SignInConfig.model_validate({"keys": True})
    found = principal_from({}, id="i", name="n", role=role, projects=None, mapping=config)
    assert found.person.may_curate is curates


def test_a_database_role_is_one_of_the_map_or_the_person_is_refused() -> None:
    chosen = {"claim": "team", "roles": {"emea": "askwell_emea"}}
    assert mapped({"team": "emea"}, database_role=chosen).person.database_role == "askwell_emea"
    assert mapped({}, database_role={**chosen, "default": "least"}).person.database_role == "least"
    assert mapped({"team": "r_1"}, database_role={"claim": "team"}).person.database_role == "r_1"
    for team in ("apac", "askwell_emea", ["emea"], "", None):
        with pytest.raises(UnusableClaim):
            mapped({"team": team}, database_role=chosen)
    for role in ("a; DROP ROLE b", 'a"b', "NONE; ", "", "x" * 64):
        with pytest.raises(UnusableClaim):
            mapped({"team": role}, database_role={"claim": "team"})


# -- What stands in the audit log.


@pytest.mark.parametrize(("sql", "tables"), case_rows(__file__, "the_tables_of_a_statement", "sql", "tables"))
def test_the_tables_of_a_statement(tmp_path: Path, sql: str, tables: list[str] | None) -> None:
    log = AuditLog(AuditConfig(), tmp_path)
    log.open()
    log.called(Person("key:1"), "alpha", "run_sql", {"sql": sql}, 1)
    log.close()
    (line,) = (tmp_path / "audit" / FILE_NAME).read_text("utf-8").splitlines()
    assert json.loads(line).get("tables") == tables


# -- What a stranger who attacked sign-in found.


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
