"""Statements under roles, on real servers: nobody's rights are left over for the next one, whatever happened before."""

from __future__ import annotations

import asyncio
import contextlib
import random

import pytest

from askwell.providers.engine.base import Engine, EngineLimits, QueryFailure, QueryRows, QueryTerms
from askwell.providers.engine.factory import create_engine, create_server_engine
from askwell.sql.guard.functions import functions_of
from tests.rights.servers import RoleServer, role_server, secret_of
from tests.support import tiny_shop

KINDS = ("postgres", "mariadb")
_SLOW = {"postgres": "SELECT count(*) FROM generate_series(1, 500000000) AS s(n)", "mariadb": "SELECT sleep(20)"}


async def _customers(engine: Engine, server: RoleServer, role: str | None, table: str) -> set[str] | QueryFailure:
    found = await engine.execute(
        f"SELECT customer FROM {table}", row_limit=100, timeout=20, terms=QueryTerms(role=role)
    )
    return {row[0] for row in found.rows} if isinstance(found, QueryRows) else found


async def _ended_early(engine: Engine, server: RoleServer, role: str, how: str) -> None:
    """A statement under a role that is cancelled, late, or turned away by the database while it runs."""
    terms = QueryTerms(role=role)
    match how:
        case "cancel":
            task = asyncio.create_task(engine.execute(_SLOW[server.kind], row_limit=1, timeout=20, terms=terms))
            await asyncio.sleep(0.05)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        case "late":
            found = await engine.execute(_SLOW[server.kind], row_limit=1, timeout=0.2, terms=terms)
            assert isinstance(found, QueryFailure)
            assert found.kind == "timeout"
        case "error":
            sql = f"SELECT * FROM {server.own(role)} WHERE nowhere = 1"
            found = await engine.execute(sql, row_limit=1, timeout=20, terms=terms)
            assert isinstance(found, QueryFailure)
        case "few rows":
            await engine.execute(f"SELECT id FROM {server.own(role)}", row_limit=1, timeout=20, terms=terms)


@pytest.mark.parametrize("kind", KINDS)
async def test_two_roles_at_once_never_mix(kind: str) -> None:
    random_ = random.Random(17)
    with role_server(kind) as server:
        engine = create_server_engine(server.url, EngineLimits(pool_size=6))
        seen: list[tuple[str | None, set[str] | QueryFailure]] = []

        async def one(number: int) -> None:
            role = random_.choice([server.north, server.south])
            if number % 4 == 0:
                await _ended_early(engine, server, role, ("cancel", "late", "error", "few rows")[number // 4 % 4])
                return
            as_whom = None if number % 5 == 0 else role
            seen.append((as_whom, await _customers(engine, server, as_whom, server.own(role))))

        places = asyncio.Semaphore(32)

        async def in_turn(number: int) -> None:
            async with places:
                await one(number)

        try:
            await asyncio.gather(*map(in_turn, range(320)))
            # One process after the other, until each has had both.
            for role in (server.north, server.south) * 6:
                seen.append((role, await _customers(engine, server, role, server.own(role))))
                seen.append((None, await _customers(engine, server, None, server.own(role))))
        finally:
            await engine.close()
    assert len(seen) == 240 + 24
    for role, customers in seen:
        if role is not None:
            assert customers == {secret_of(role)}
        elif kind == "postgres":
            assert customers == set()  # the policy has no rows for the login
        else:
            assert isinstance(customers, QueryFailure)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_dry_run_is_under_the_same_role(kind: str) -> None:
    with role_server(kind) as server:
        engine = create_server_engine(server.url)
        try:
            for role, passes in ((server.south, True), (server.north, False), (None, False)):
                outcome = await engine.dry_run("SELECT amount FROM salaries", timeout=20, terms=QueryTerms(role=role))
                assert (outcome is None) is passes
        finally:
            await engine.close()


@pytest.mark.parametrize("kind", KINDS)
async def test_what_is_no_role_of_the_login_is_refused(kind: str) -> None:
    with role_server(kind) as server:
        engine = create_server_engine(server.url)
        names = [
            "none",
            "NONE",
            "default",
            "all",
            "public",
            "",
            " ",
            f" {server.north}",
            "nobody_there",
            "root",
            "postgres",
        ]
        attacks = ['x"; RESET ROLE; --', "x`; SET ROLE NONE; -- ", "x' OR '1'='1", "a\0b", "x" * 200]
        try:
            for name in (*names, *attacks):
                sql = "SELECT 1 AS one"
                for outcome in (
                    await engine.execute(sql, row_limit=1, timeout=20, terms=QueryTerms(role=name)),
                    await engine.dry_run(sql, timeout=20, terms=QueryTerms(role=name)),
                ):
                    assert isinstance(outcome, QueryFailure), name
                    assert "role" in outcome.message
                    assert server.north not in outcome.message
            # And the session is as good as before.
            assert await _customers(engine, server, server.north, server.own(server.north)) == {secret_of(server.north)}
        finally:
            await engine.close()


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
async def test_a_database_without_roles_refuses_one(kind: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / f"shop.{kind}"
    if kind == "sqlite":
        tiny_shop.make_database(path)
    else:
        import duckdb

        duckdb.connect(str(path)).close()
    engine = create_engine(kind, path)
    try:
        for outcome in (
            await engine.execute("SELECT 1 AS one", row_limit=1, timeout=20, terms=QueryTerms(role="north")),
            await engine.dry_run("SELECT 1 AS one", timeout=20, terms=QueryTerms(role="north")),
        ):
            assert isinstance(outcome, QueryFailure)
            assert "no roles" in outcome.message
    finally:
        await engine.close()


def _reviewed(dialect: str) -> frozenset[str]:
    return functions_of(dialect, None).callable


@pytest.mark.parametrize("kind", KINDS)
async def test_code_that_one_role_may_call_is_looked_for_under_that_role(kind: str) -> None:
    """What a database defines of its own is remembered for a while: for each role apart."""
    with role_server(kind) as server:
        name = server.database.name
        if kind == "postgres":
            server.database.ask(
                "CREATE FUNCTION public.upper(integer) RETURNS text LANGUAGE sql AS $$ SELECT 'own code' $$;"
                f"REVOKE EXECUTE ON FUNCTION public.upper(integer) FROM PUBLIC;"
                f"GRANT EXECUTE ON FUNCTION public.upper(integer) TO {server.south}"
            )
            called = "upper(id)"
        else:
            server.database.ask("CREATE FUNCTION json_detailed_of(n INTEGER) RETURNS INTEGER DETERMINISTIC RETURN n")
            server.database.ask(f"GRANT EXECUTE ON FUNCTION {name}.json_detailed_of TO {server.south}")
            called = "json_detailed_of(id)"
        engine = create_server_engine(server.url, EngineLimits(pool_size=1), _reviewed)
        try:
            for role in (server.north, server.south):
                table = server.own(role)
                terms = QueryTerms(frozenset({table}), role=role)
                plain = f"SELECT id FROM {table}"
                assert await engine.dry_run(plain, timeout=20, terms=terms) is None
                outcome = await engine.dry_run(f"SELECT {called} AS u FROM {table}", timeout=20, terms=terms)
                assert isinstance(outcome, QueryFailure)
            assert "rename it" in outcome.message
        finally:
            await engine.close()
