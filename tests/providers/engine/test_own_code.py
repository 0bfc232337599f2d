"""Code of a database's own that is named like what was reviewed: functions, operators, casts, macros. No statement gets
at it. The asker's role may only read; the database's owner made all this.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from pydantic import SecretStr

from askwell.config import DataSourceConfig
from askwell.providers.engine.base import Engine, QueryTerms
from askwell.providers.engine.factory import create_engine
from askwell.providers.engine.sqlalchemy_engine import SQLAlchemyEngine
from askwell.services.database import Database
from askwell.services.health.databases import database_answers
from askwell.sql.guard.functions import functions_of
from tests.providers.engine.conftest import (
    ONE_PROCESS,
    SMALL,
    failure_of,
    new_server_database,
    postgresql_as_reader,
    rows_of,
    write_database,
)
from tests.support.tables import case_file

pytestmark = pytest.mark.asyncio(loop_scope="module")

DATABASES = case_file(__file__)
_LEAK = "LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE EXCEPTION ''%'', (SELECT token FROM secrets); END'"


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=DATABASES)
async def database(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[Engine, dict[str, Any]]]:
    """A database, and its cases."""
    cases = DATABASES[request.param]
    statements = tuple(statement.replace("{leak}", _LEAK) for statement in cases["tables"])
    if cases["kind"] == "postgres":
        async with postgresql_as_reader(statements) as reader:
            yield reader, cases
    elif cases["kind"] == "mariadb":
        made = new_server_database("mariadb", statements)
        stored = SQLAlchemyEngine(made.url, ONE_PROCESS, lambda dialect: functions_of(dialect, None).callable)
        yield stored, cases
        await stored.close()
        made.drop()
    else:
        path = write_database("duckdb", tmp_path_factory.mktemp("macros") / 'shop "a.b".duckdb', statements)
        engine = create_engine("duckdb", path, SMALL)
        yield engine, cases
        await engine.close()


def _terms(cases: dict[str, Any], sql: str) -> QueryTerms:
    return QueryTerms(frozenset(name for name in cases["names"] if name in sql))


async def test_code_of_the_databases_own_is_not_run(database: tuple[Engine, dict[str, Any]]) -> None:
    engine, cases = database
    for case in cases["refused"]:
        terms = _terms(cases, case["sql"])
        outcome = await failure_of(engine, case["sql"], terms=terms)
        assert (outcome.kind, case["says"] in outcome.message) == ("error", True), case
        assert outcome == await engine.dry_run(case["sql"], timeout=20, terms=terms), case


async def test_what_cannot_mean_it_runs(database: tuple[Engine, dict[str, Any]]) -> None:
    engine, cases = database
    for case in cases["runs"]:
        terms = _terms(cases, case["sql"])
        assert await engine.dry_run(case["sql"], timeout=20, terms=terms) is None, case
        outcome = await rows_of(engine, case["sql"], terms=terms)
        assert "value" not in case or outcome.rows[0][0] == case["value"], case


@pytest.mark.parametrize("database", ["macros"], indirect=True)
async def test_macros_hide_no_table_of_any_schema(database: tuple[Engine, dict[str, Any]]) -> None:
    engine, _ = database
    found = {(table.schema, table.name) for table in (await engine.introspect()).tables}
    assert found == {("main", "people"), ("main", "secrets"), ("main", "trimmed"), ("other", "towns")}


@pytest.mark.parametrize("database", ["overloads, operators and casts"], indirect=True)
async def test_doctor_says_what_there_is_of_it(database: tuple[Engine, dict[str, Any]]) -> None:
    shop, _ = database
    assert isinstance(shop, SQLAlchemyEngine)
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
    assert "and 6 more: Askwell refuses statements that could call it" in found.message


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
