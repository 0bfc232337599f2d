"""A database's own code that is named like what was reviewed: overloads, operators, casts. No statement gets at it.

The asker's role may only read; the database's owner made all this.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from pydantic import SecretStr

from askwell.config import DataSourceConfig
from askwell.providers.engine.base import Engine, QueryFailure, QueryRows, QueryTerms
from askwell.providers.engine.sqlalchemy_engine import SQLAlchemyEngine
from askwell.services.database import Database
from askwell.services.health.databases import database_answers
from askwell.sql.guard.functions import functions_of
from tests.providers.engine.conftest import ONE_PROCESS, failure_of, new_server_database, postgresql_as_reader, rows_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

_LEAK = "LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE EXCEPTION ''%'', (SELECT token FROM secrets); END'"
_SHOP = (
    "CREATE TABLE secrets (token TEXT)",
    "INSERT INTO secrets VALUES ('CANARY')",
    "CREATE TYPE addr AS (street TEXT)",
    "CREATE TYPE mood AS ENUM ('glad')",
    "CREATE TYPE parcel AS (code TEXT)",
    "CREATE TABLE people (id INT, name TEXT, city TEXT, born DATE, address addr, places addr[])",
    "INSERT INTO people VALUES (1, 'Ann', 'Rome', '2020-01-01', ROW('S1'), NULL)",
    "CREATE TABLE orders (id INT, name TEXT, feeling mood, parcel parcel)",
    "CREATE TABLE plain (id INT, name TEXT, born DATE)",
    "INSERT INTO plain VALUES (1, 'Ann', '2020-01-01')",
    f"CREATE FUNCTION lower(DATE) RETURNS TEXT {_LEAK}",
    f"CREATE FUNCTION upper(addr) RETURNS TEXT {_LEAK}",
    f"CREATE FUNCTION leak(TEXT) RETURNS TEXT {_LEAK}",
    f"CREATE FUNCTION leak(TEXT, TEXT) RETURNS TEXT {_LEAK}",
    f"CREATE FUNCTION leak(DATE, TEXT) RETURNS BOOLEAN {_LEAK}",
    f"CREATE FUNCTION leak(addr) RETURNS TEXT {_LEAK}",
    f"CREATE FUNCTION leak(TEXT, INT) RETURNS mood {_LEAK}",
    f"CREATE FUNCTION leak(parcel) RETURNS JSON {_LEAK}",
    f"CREATE FUNCTION feel(TEXT) RETURNS mood {_LEAK}",
    "CREATE AGGREGATE sum(TEXT) (SFUNC = textcat, STYPE = TEXT)",
    "CREATE OPERATOR + (LEFTARG = TEXT, RIGHTARG = TEXT, PROCEDURE = leak)",
    "CREATE OPERATOR - (RIGHTARG = TEXT, PROCEDURE = leak)",
    "CREATE OPERATOR = (LEFTARG = DATE, RIGHTARG = TEXT, PROCEDURE = leak)",
    "CREATE OPERATOR ~~ (LEFTARG = DATE, RIGHTARG = TEXT, PROCEDURE = leak)",
    "CREATE OPERATOR >= (LEFTARG = DATE, RIGHTARG = TEXT, PROCEDURE = leak)",
    "CREATE CAST (addr AS TEXT) WITH FUNCTION leak(addr) AS ASSIGNMENT",
    "CREATE CAST (TEXT AS mood) WITH FUNCTION feel(TEXT) AS IMPLICIT",
    "CREATE CAST (parcel AS JSON) WITH FUNCTION leak(parcel)",
    # A view uses them on purpose.
    "CREATE VIEW spied AS SELECT id, upper(name) AS shout, -id AS less FROM plain WHERE born = DATE '2020-01-01'",
    # What is behind a built-in operator as well does nothing new, and what is off the search path is out of reach.
    "CREATE OPERATOR ^ (LEFTARG = TEXT, RIGHTARG = TEXT, PROCEDURE = textcat)",
    "CREATE SCHEMA tools",
    f"CREATE FUNCTION tools.length(DATE) RETURNS TEXT {_LEAK}",
    f"CREATE FUNCTION tools.leak(INT, TEXT) RETURNS TEXT {_LEAK}",
    "CREATE OPERATOR tools.* (LEFTARG = INT, RIGHTARG = TEXT, PROCEDURE = tools.leak)",
    # The owner has seen to this one.
    f"CREATE FUNCTION initcap(DATE) RETURNS TEXT {_LEAK}",
    "REVOKE EXECUTE ON FUNCTION initcap(DATE) FROM PUBLIC",
)


def _terms(sql: str) -> QueryTerms:
    return QueryTerms(frozenset(name for name in ("people", "orders", "plain", "spied") if name in sql))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shop() -> AsyncIterator[SQLAlchemyEngine]:
    async with postgresql_as_reader(_SHOP) as opened:
        yield opened


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("SELECT lower(born) FROM people", "lower:"),
        ("SELECT LOWER (born) FROM people", "lower:"),
        ('SELECT "lower"(born) FROM people', "lower:"),
        ("SELECT lower(CAST('2020-01-01' AS date))", "lower:"),
        ("SELECT id FROM people ORDER BY (born).lower", "lower:"),
        ("SELECT upper(address) FROM people", "upper:"),
        ("SELECT sum(name) FROM people", "sum:"),
        ("SELECT leak('x')", "may not call leak."),
        ("SELECT name + city FROM people", "operator +,"),
        ("SELECT 'a'::text + 'b'::text", "operator +,"),
        ("SELECT 1 FROM people a JOIN people b ON a.name + b.name IS NULL", "operator +,"),
        ("SELECT - name FROM people", "operator -,"),
        ("SELECT id*-name FROM people", "operator -,"),
        ("SELECT born = name FROM people", "operator =,"),
        ("SELECT id FROM people WHERE born IN (name)", "operator =,"),
        ("SELECT id FROM people WHERE born NOT IN (SELECT name FROM people)", "operator =,"),
        ("SELECT NULLIF(born, name) FROM people", "operator =,"),
        ("SELECT CASE born WHEN name THEN 1 END FROM people", "operator =,"),
        ("SELECT id FROM people WHERE born IS DISTINCT FROM name", "operator =,"),
        ("SELECT 1 FROM plain JOIN (SELECT name AS born FROM plain) AS q USING (born)", "operator =,"),
        ("SELECT 1 FROM plain NATURAL JOIN (SELECT name AS born FROM plain) AS q", "operator =,"),
        ("SELECT id FROM people WHERE born BETWEEN name AND name", "operator >=,"),
        ("SELECT id FROM people WHERE born LIKE name", "operator ~~,"),
        ("SELECT address::text FROM people", "cast"),
        ("SELECT CAST(address AS text) FROM people", "cast"),
        ("SELECT address || 'x' FROM people", "cast"),
        ("SELECT string_agg(address::text, ',') FROM people", "cast"),
        ("SELECT array_agg(address)::text[] FROM people", "cast"),
        ("SELECT places::text[] FROM people", "cast"),
        ("SELECT quote_literal(address) FROM people", "cast"),
        ("SELECT coalesce(feeling, name) FROM orders", "cast"),
        ("SELECT json_build_array(parcel) FROM orders", "cast"),
    ],
)
async def test_code_of_the_databases_own_is_not_run(shop: Engine, sql: str, what: str) -> None:
    outcome = await failure_of(shop, sql, terms=_terms(sql))
    assert what in outcome.message
    assert outcome == await shop.dry_run(sql, timeout=20, terms=_terms(sql))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id, name, born, count(*) OVER () FROM people",
        "SELECT *, p.* FROM plain AS p",
        "SELECT id, address, places FROM people",
        "SELECT doc -> 'a', doc ->> 'b - c', id <> 1, id != 2, 'lower(x) + y = z'::varchar FROM plain AS p(id), "
        "LATERAL (SELECT '{}'::jsonb AS doc) AS q",
        "SELECT CASE WHEN id > 1 THEN 1 END, id * 2, id / 2, name ^ 'x', length(name), name || 'x' FROM plain",
        "SELECT DISTINCT name FROM plain GROUP BY name ORDER BY name",
        'SELECT name AS "lower" FROM plain AS lower(id, name)',
        "SELECT CAST(id AS text) FROM plain",
        "SELECT * FROM spied",
        "SELECT initcap(name) FROM plain",
    ],
)
async def test_what_cannot_mean_it_runs(shop: Engine, sql: str) -> None:
    await rows_of(shop, sql, terms=_terms(sql))


async def test_doctor_says_what_there_is_of_it(shop: SQLAlchemyEngine) -> None:
    source = DataSourceConfig(engine="sqlalchemy", url=SecretStr("postgresql://db.example/shop"))
    own = (await shop.rights()).own_code
    assert own == (
        "a cast of addr to text", "a cast of parcel to json", "a cast of text to mood",
        "a function lower", "a function sum", "a function upper",
        "an operator +", "an operator -", "an operator =", "an operator >=", "an operator ~~",
    )  # fmt: skip

    class Lasting:
        """The engine, which others still need."""

        dialect = shop.dialect
        execute, introspect, rights = shop.execute, shop.introspect, shop.rights

        async def close(self) -> None:
            pass

    found = await database_answers(lambda: Database(Lasting()), source)  # type: ignore[arg-type]
    assert found.state == "warning", found.message
    assert "The database defines a cast of addr to text, " in found.message
    assert "and 6 more: statements that could mean that are refused" in found.message


@pytest.mark.deep
async def test_functions_of_extensions_go_on_working() -> None:
    database = new_server_database("postgres", ("CREATE TABLE people (name TEXT, also TEXT)",))
    try:
        available = {row[0] for row in database.ask("SELECT name FROM pg_available_extensions")}
        if not {"citext", "hstore"} <= available:
            pytest.skip("the server has no extensions to try")
        database.ask("CREATE EXTENSION citext; CREATE EXTENSION hstore; ALTER TABLE people ALTER also TYPE citext")
        engine = SQLAlchemyEngine(database.url, ONE_PROCESS, lambda dialect: functions_of(dialect, None).callable)
        sql = (
            "SELECT replace(also, 'a', 'b'), split_part(also, 'a', 1), CAST(also AS text) FROM people WHERE also = 'x'"
        )
        outcome = await engine.dry_run(sql, timeout=20, terms=QueryTerms(frozenset({"people"})))
        await engine.close()
        assert outcome is None
    finally:
        database.drop()


_STORED = ("any_value", "is_uuid", "format_bytes", "format_pico_time", "bin_to_uuid", "spy")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stored() -> AsyncIterator[Engine]:
    database = new_server_database(
        "mariadb",
        (
            "CREATE TABLE secrets (token TEXT)",
            "INSERT INTO secrets VALUES ('CANARY')",
            "CREATE TABLE people (name VARCHAR(50))",
            "INSERT INTO people VALUES ('Ann')",
            *(
                f"CREATE FUNCTION {name}(x TEXT) RETURNS TEXT READS SQL DATA RETURN (SELECT token FROM secrets)"
                for name in _STORED
            ),
            "CREATE VIEW spied AS SELECT spy(name) AS token FROM people",
        ),
    )
    opened = SQLAlchemyEngine(database.url, ONE_PROCESS, lambda dialect: functions_of(dialect, None).callable)
    yield opened
    await opened.close()
    database.drop()


@pytest.mark.parametrize(
    ("sql", "called"),
    [
        *((f"SELECT {name}(name) FROM people", name) for name in _STORED),
        ("SELECT Any_Value (name) FROM people", "any_value"),
        ("SELECT `any_value`(name) FROM people", "any_value"),
        ("SELECT 'it\\'s (', any_value/* */(name) FROM people", "any_value"),
        ("SELECT name FROM people ORDER BY is_uuid('x')", "is_uuid"),
    ],
)
async def test_a_stored_function_is_not_called_by_a_reviewed_name(stored: Engine, sql: str, called: str) -> None:
    message = f"The statement may not call {called}: the database has a stored function of that name. Its owner can"
    outcome = await stored.execute(sql, row_limit=10, timeout=20)
    assert outcome == await stored.dry_run(sql, timeout=20)
    assert outcome == QueryFailure("error", f"{message} rename it.")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT upper(name), count(*), 'any_value(name)', \"is_uuid(\" FROM people GROUP BY name",
        "SELECT `spy(` FROM (SELECT name AS `spy(` FROM people) AS any_value",
        "SELECT token FROM spied",
    ],
)
async def test_what_calls_no_stored_function_runs(stored: Engine, sql: str) -> None:
    assert isinstance(await stored.execute(sql, row_limit=10, timeout=20), QueryRows)
