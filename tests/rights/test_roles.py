"""Roles from the person to the rows: on real servers, and where the configuration or the database stands against it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from askwell.config import load_config
from askwell.container import Container
from askwell.errors import ConfigurationError
from askwell.principal import Person
from tests.rights.servers import RoleServer, role_server, secret_of
from tests.rights.world import World, prepare, save_pairs, world
from tests.support.service import write_config
from tests.support.tables import case_rows

KINDS = ("postgres", "mariadb")
COUNT = "How many deals are there?"


def _model(server: RoleServer, table: str = "deals") -> dict[str, Any]:
    columns = [
        {"name": "id", "type": "INTEGER"},
        {"name": "region", "type": "VARCHAR"},
        {"name": "customer", "type": "VARCHAR"},
        {"name": "amount", "type": "INTEGER"},
    ]
    source = "POSTGRES" if server.kind == "postgres" else "MYSQL"
    tables = ("deals",) if server.kind == "postgres" else ("deals_north", "deals_south")
    models = [{"name": one, "tableReference": {"table": one}, "primaryKey": "id", "columns": columns} for one in tables]
    salaries = {"name": "salaries", "tableReference": {"table": "salaries"}, "columns": [columns[0], columns[3]]}
    return {"catalog": "c", "schema": "s", "dataSource": source, "models": [*models, salaries]}


@asynccontextmanager
async def _world(server: RoleServer, folder: Path, **source: Any) -> AsyncIterator[World]:
    entry = {"engine": "sqlalchemy", "url": server.url, "shared": True, **source}
    container = Container(load_config(write_config(folder, data_sources={"default": entry}), {}))
    await container.start()
    try:
        one = World(container)
        one.keep(Person("admin"), await prepare(one, _model(server)))
        yield one
    finally:
        await container.stop()


def _rows(result: Any) -> Any:
    return (result.get("data") or {}).get("rows")


@pytest.mark.parametrize("kind", KINDS)
async def test_each_person_reads_what_their_role_may(kind: str, tmp_path: Path) -> None:
    with role_server(kind) as server:
        ann, bob = Person("ann", {}, server.north), Person("bob", {}, server.south)
        async with _world(server, tmp_path, roles=True) as one:
            for person, role, count in ((ann, server.north, 2), (bob, server.south, 1)):
                table = server.own(role)
                sql = f"SELECT customer, amount FROM {table}"
                told = await one.tool(person, "run_sql", sql=sql)
                assert told["table"]["row_count"] == count
                assert {row[0] for row in told["table"]["rows"]} == {secret_of(role)}
                asked = await one.ask(person, f"How many {table.replace('_', ' ')} are there?")
                assert _rows(asked) == [[count]]
            # A table that the role may not read is told as such, without its rows or the login's rights.
            refused = await one.tool(ann, "run_sql", sql="SELECT amount FROM salaries")
            assert "role" in refused["message"]
            assert "4711" not in str(refused)
            assert _rows(await one.ask(ann, "What is the maximum amount of salaries?")) is None
            # Under roles the database's own words are never told.
            cast = f"SELECT id FROM {server.own(server.north)} WHERE CAST(customer AS INTEGER) = 1"
            assert secret_of(server.south) not in str(await one.tool(ann, "run_sql", sql=cast))
            # Attempts to take another role.
            for sql in (
                f"SET ROLE {server.south}",
                "RESET ROLE",
                "SELECT 1 AS one; RESET ROLE",
                f"SELECT set_config('role', '{server.south}', true) AS r",
                f"SELECT set_config('role', 'none', false) AS r FROM {server.own(server.north)}",
                "SET SESSION AUTHORIZATION DEFAULT",
            ):
                assert "code" in await one.tool(ann, "run_sql", sql=sql)
            assert one.leaks(ann, (secret_of(server.south), "4711")) == []


@pytest.mark.parametrize("kind", KINDS)
async def test_what_the_login_could_see_is_not_told(kind: str, tmp_path: Path) -> None:
    """The login here may read everything: what it would sample is nobody's."""
    with role_server(kind) as server:
        login = server.url.partition("://")[2].partition("@")[0]
        for table in ("deals_north", "deals_south", "salaries") if kind == "mariadb" else ("deals", "salaries"):
            grantee = f"{login}@'%'" if kind == "mariadb" else login
            server.database.ask(f"GRANT SELECT ON {table} TO {grantee}")
        if kind == "postgres":
            server.database.ask(f"CREATE POLICY all_of_it ON deals TO {login} USING (true)")
        ann = Person("ann", {}, server.north)
        secret = secret_of(server.south)
        pair = {
            "id": "1",
            "question": "Who is south?",
            "sql": f"SELECT id FROM {server.own(server.south)} WHERE customer = '{secret}'",
        }
        for source, is_hidden in (({"roles": True}, True), ({"roles": True, "values_for_all_roles": True}, False)):
            folder = tmp_path / str(is_hidden)
            folder.mkdir()
            async with _world(server, folder, **source) as one:
                await save_pairs(one, [pair])
                for table in ("deals", "deals_north", "deals_south", "salaries"):
                    await one.tool(ann, "describe_table", table=table)
                await one.tool(ann, "find_values", text=secret[:-1])
                await one.ask(ann, f"How many deals of customer {secret[:-1]}?")
                shown, _ = await one.container.knowledge.pairs_for(ann, "default", 0, 10)
                one.keep(ann, list(shown))
                assert (one.leaks(ann, (secret,)) == []) is is_hidden
                assert ("Askwell stores no sample values" in str(one.received["admin"])) is is_hidden


@pytest.mark.parametrize("kind", KINDS)
async def test_a_role_that_the_data_source_does_not_speak_of_is_refused(kind: str, tmp_path: Path) -> None:
    with role_server(kind) as server:
        north = Person("ann", {}, server.north)
        sql = f"SELECT id FROM {server.own(server.north)}"
        for number, (source, person, word) in enumerate(
            (
                ({}, north, "doesn't say whether to use people's database roles"),
                ({"roles": True}, Person("ann"), "doesn't know yours"),
                ({"roles": True}, Person(), "doesn't know yours"),
            )
        ):
            folder = tmp_path / str(number)
            folder.mkdir()
            async with _world(server, folder, **source) as one:
                assert word in (await one.ask(person, COUNT))["error"]["message"]
                assert word in (await one.job(person, "chart", query="?", sql=sql))["error"]["message"]
                assert word in (await one.tool(person, "run_sql", sql=sql))["message"]
                assert word in (await one.tool(person, "describe_table", table="salaries"))["message"]


async def test_a_file_has_no_roles(tmp_path: Path) -> None:
    person = Person("ann", {"region": "'EMEA'"}, "north")
    async with world("sqlite", tmp_path) as one:
        assert (
            "doesn't say whether to use people's database roles" in (await one.ask(person, COUNT))["error"]["message"]
        )
        assert (
            "doesn't say whether to use people's database roles"
            in (await one.tool(person, "run_sql", sql="SELECT 1 AS one"))["message"]
        )


async def test_a_file_that_is_read_by_everybody_alike_says_so(tmp_path: Path) -> None:
    person = Person("ann", {"region": "'EMEA'"}, "north")
    async with world("sqlite", tmp_path, source={"roles": False}) as one:
        assert _rows(await one.ask(person, COUNT)) == [[3]]


@pytest.mark.parametrize(
    ("source", "what"),
    case_rows(__file__, "roles_where_there_are_none_are_refused_at_the_start", "source", "what"),
)
def test_roles_where_there_are_none_are_refused_at_the_start(source: dict[str, Any], what: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as refused:
        load_config(write_config(tmp_path, data_sources={"default": source}), {})
    assert what in refused.value.message
