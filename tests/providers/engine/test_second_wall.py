"""The check behind the guard: what a server's own plan calls, and that no statement leaves anything to the next one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from askwell.providers.engine.base import Engine, QueryFailure, QueryTerms
from askwell.providers.engine.sqlalchemy_engine import SQLAlchemyEngine
from tests.providers.engine.conftest import ONE_PROCESS, new_server_database, postgresql_as_reader, rows_of
from tests.support.servers import ServerDatabase

pytestmark = pytest.mark.asyncio(loop_scope="module")

_TABLES = (
    "CREATE TABLE secrets (token TEXT)",
    "INSERT INTO secrets VALUES ('CANARY')",
    "CREATE TABLE people (id INT PRIMARY KEY, name TEXT, seen TIMESTAMPTZ DEFAULT now(), about JSONB DEFAULT '{}')",
    "INSERT INTO people (id, name) VALUES (1, 'Ann'), (2, 'Bob')",
    # Somebody's own: one that may do anything, and one that the planner puts into the statement.
    "CREATE FUNCTION spy(TEXT) RETURNS TEXT LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT token FROM secrets); END'",
    "CREATE FUNCTION seen(TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS 'SELECT (SELECT max(token) FROM secrets) || $1'",
    "CREATE VIEW spied AS SELECT id, spy(name) AS secret, md5(name) AS hash FROM people",
    "CREATE TABLE tenants (id INT, tenant TEXT)",
    "INSERT INTO tenants VALUES (1, 'a'), (2, 'b')",
    "ALTER TABLE tenants ENABLE ROW LEVEL SECURITY",
    "CREATE POLICY own ON tenants USING (tenant = coalesce(nullif(current_setting('app.tenant', true), ''), 'a'))",
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def postgres() -> AsyncIterator[Engine]:
    """Asked as a role that policies apply to."""
    async with postgresql_as_reader(_TABLES) as opened:
        yield opened


@pytest.mark.parametrize(
    ("sql", "called"),
    [
        ("SELECT (CAST('SELECT to_tsvector(''simple'', token) FROM secrets' AS text)).ts_stat", "ts_stat"),
        ("SELECT (0.0::float8).pg_sleep", "pg_sleep"),
        ("SELECT x.pg_sleep FROM unnest(ARRAY[0.0::float8]) AS x", "pg_sleep"),
        ("SELECT (77).pg_advisory_lock", "pg_advisory_lock"),
        ("SELECT (id).pg_terminate_backend FROM people", "pg_terminate_backend"),
        ("SELECT ('port').current_setting", "current_setting"),
        ("SELECT count(*) FROM people WHERE (name).spy IS NULL", "spy"),
        ("SELECT name FROM people ORDER BY (name).spy", "spy"),
        ("SELECT a.name FROM people a JOIN people b ON (a.name).spy = b.name", "spy"),
        ("SELECT sum(id) FILTER (WHERE (name).spy = 'x') OVER () FROM people", "spy"),
        ("SELECT spy(name) FROM people", "spy"),
        ('SELECT "spy"(name) FROM people', "spy"),
        ("SELECT public.spy(name) FROM people", "spy"),
        ("SELECT * FROM people, LATERAL spy(name)", "spy"),
        ("SELECT has_table_privilege(name, 'select') FROM people", "has_table_privilege"),
    ],
)
async def test_what_the_plan_calls_has_been_reviewed(postgres: Engine, sql: str, called: str) -> None:
    terms = QueryTerms(frozenset({"people"}))
    outcome = await postgres.execute(sql, row_limit=10, timeout=20, terms=terms)
    checked = await postgres.dry_run(sql, timeout=20, terms=terms)
    assert outcome == checked == QueryFailure("error", f"The statement may not call {called}.")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT hash FROM spied",
        "SELECT secret FROM spied",
        "SELECT id FROM tenants",
        "SELECT upper(name), EXTRACT(year FROM seen), seen AT TIME ZONE 'UTC', about -> 'a', about #> '{}' FROM people",
        "SELECT CAST(id AS numeric(10, 2)), name::varchar(3), trim(both 'x' from name), position('n' in name), "
        "substring(name from 1 for 2), overlay(name placing 'a' from 1), lpad(name, 9), log(10), bit_length(name), "
        "age(seen), to_char(seen, 'YYYY(MM)'), 'a (b) spy(c)' FROM people",
        'SELECT name AS "spy(x)", count(*) AS "pg_sleep(" FROM people AS "spy(" GROUP BY name',
        "SELECT name FROM people WHERE name LIKE 'A!%' ESCAPE '!' OR name SIMILAR TO '(A|B)%' OR name ~ '(x)' "
        "OR id IN (1, 2) OR id = ANY (ARRAY(SELECT 1)) OR (seen, seen) OVERLAPS (seen, seen) OR NOT EXISTS (SELECT 1)",
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY id), string_agg(name, ',' ORDER BY name), "
        "count(DISTINCT name) FILTER (WHERE id > 1), grouping(name) FROM people GROUP BY ROLLUP (name)",
        "SELECT row_number() OVER (PARTITION BY name ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM people",
        "SELECT x.key, g FROM people, LATERAL jsonb_each(about) AS x, generate_series(1, 3) AS g",
        "SELECT row_to_json(p), coalesce(name, 'x'), nullif(id, 1), greatest(id, 2), (p).name FROM people p",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT sum(n) FROM r",
    ],
)
async def test_what_a_statement_may_call_and_what_views_and_policies_call_runs(postgres: Engine, sql: str) -> None:
    terms = QueryTerms(frozenset({"people", "spied", "tenants"}))
    assert await postgres.dry_run(sql, timeout=20, terms=terms) is None
    await rows_of(postgres, sql, terms=terms)


@pytest.fixture(params=["postgres", "mariadb"])
def server(request: pytest.FixtureRequest) -> Iterator[ServerDatabase]:
    database = new_server_database(
        str(request.param), ("CREATE TABLE people (id INT)", "INSERT INTO people VALUES (1)")
    )
    yield database
    database.drop()


_LOCKS = {
    "postgres": (
        "SELECT pg_advisory_lock(4711)",
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711",
    ),
    "mariadb": ("SELECT get_lock('askwell', 0)", "SELECT count(is_used_lock('askwell'))"),
}
_SETTINGS = {
    "postgres": ("SELECT set_config('work_mem', '99MB', false)", "SELECT current_setting('work_mem')"),
    "mariadb": ("SELECT @x := 99", "SELECT @x"),
}


async def test_nothing_of_a_statement_is_left_to_the_next(server: ServerDatabase) -> None:
    """Statements that the guard would refuse: the session itself forgets them."""
    kind = "postgres" if server.url.startswith("postgresql") else "mariadb"
    engine = SQLAlchemyEngine(server.url, ONE_PROCESS)

    async def value(sql: str) -> object:
        outcome = await rows_of(engine, sql, row_limit=1)
        return outcome.rows[0][0]

    try:
        lock, count = _LOCKS[kind]
        await value(lock)
        await value("SELECT id FROM people")
        assert server.ask(count)[0][0] == 0
        change, look = _SETTINGS[kind]
        before = await value(look)
        await value(change)
        assert await value(look) == before
        # And what our own sessions rely on is there again.
        if kind == "mariadb":
            assert await value("SELECT @@tx_read_only") == 1
            assert await value("SELECT @@group_concat_max_len") == 1_000_000
            assert await value("SELECT @@character_set_client") == "utf8mb4"
    finally:
        await engine.close()
