"""What introspection of a server finds, how quickly, and that a model comes of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from askwell.mdl.importers import manifest_from_schema
from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import ForeignKey, PhysicalTable, QueryFailure, QueryRows
from askwell.providers.engine.sqlalchemy_engine import SQLAlchemyEngine
from askwell.sql.checker import Executed, SqlChecker
from askwell.sql.context import QueryContext
from askwell.sql.planner import Planner
from tests.providers.engine.conftest import Bench
from tests.support.tables import case_table

ODD = case_table(__file__, "odd")


async def tables_of(engine: SQLAlchemyEngine) -> dict[tuple[str | None, str], PhysicalTable]:
    return {(table.schema, table.name): table for table in (await engine.introspect()).tables}


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
async def test_schemas_views_partitions_and_quoted_names_of_postgresql(make: Callable[..., Bench]) -> None:
    bench = make(statements=ODD["postgres"])
    tables = await tables_of(bench.engine)  # type: ignore[arg-type]

    assert set(tables) == {
        ("public", "people"),
        ("sales", "Order Items"),
        ("sales", "cheap"),
        ("sales", "days"),
        ("sales", "frozen"),
        ("sales", "notes"),
        ("sales", "people"),
        ("secret", "wages"),
    }
    items = tables["sales", "Order Items"]
    assert [(column.name, column.type, column.not_null) for column in items.columns] == [
        ("Id", "bigint", True),
        ("unit price", "numeric(10,2)", True),
        ("tags", "text[]", False),
    ]
    assert tables["public", "people"].primary_key == ("b", "a")
    assert set(tables["sales", "notes"].foreign_keys) == {
        ForeignKey(("item",), "Order Items", ("Id",)),
        ForeignKey(("x", "y"), "people", ("b", "a"), to_schema="public"),
    }
    assert [name for (_, name), table in tables.items() if table.is_view] == ["cheap", "frozen"]


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
async def test_only_what_the_role_may_read_and_the_search_path_names(make: Callable[..., Bench]) -> None:
    bench = make(statements=ODD["postgres"])
    assert bench.server is not None
    chosen = SQLAlchemyEngine(bench.server.url + "?options=-csearch_path%3Dsales")
    reader = f"{bench.server.name}_r"
    bench.server.ask(f"CREATE ROLE {reader} LOGIN; GRANT USAGE ON SCHEMA sales TO {reader}")
    bench.server.ask(f'GRANT SELECT ("Id") ON sales."Order Items" TO {reader}; GRANT SELECT ON sales.cheap TO {reader}')
    limited = SQLAlchemyEngine(bench.server.url.replace("postgres@", f"{reader}@"))
    try:
        assert {schema for schema, _ in await tables_of(chosen)} == {"sales"}
        seen = await tables_of(limited)
        outcome = await limited.execute('SELECT "Id" FROM sales."Order Items"', row_limit=1, timeout=20)
        refused = await limited.execute('SELECT * FROM sales."Order Items"', row_limit=1, timeout=20)
    finally:
        await chosen.close()
        await limited.close()
        bench.server.ask(f"DROP OWNED BY {reader}; DROP ROLE {reader}")
    assert {name: [column.name for column in table.columns] for (_, name), table in seen.items()} == {
        "Order Items": ["Id"],
        "cheap": ["Id", "unit price", "tags"],
    }
    assert isinstance(outcome, QueryRows), outcome
    assert isinstance(refused, QueryFailure)
    assert refused.lacks == "right"


MADE_TYPES = case_table(__file__, "made_types")


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
async def test_enums_are_their_values_and_domains_what_they_are_made_of(make: Callable[..., Bench]) -> None:
    engine = make(statements=MADE_TYPES).engine
    schema = await engine.introspect()

    listed = r"enum('a\b','sad','it''s fine')"
    assert [(column.name, column.type) for column in schema.tables[0].columns] == [
        ("now", listed),
        ("before", listed),
        ("all_of_them", "mood[]"),
        ("home", "character varying(30)"),
        ("work", "character varying(30)"),
        ("paid", "numeric(10,2)"),
        ("place", "pair"),
    ]
    imported = manifest_from_schema(schema, data_source=engine.data_source)
    model = authorised_view(imported, "imported").tables["people"]
    values = {column.name: column.values for column in model.columns if column.values}
    assert values == dict.fromkeys(("now", "before"), ("a\\b", "sad", "it's fine"))


@pytest.mark.parametrize("kind", ["mariadb"], indirect=True)
async def test_views_and_quoted_names_of_mariadb(make: Callable[..., Bench]) -> None:
    bench = make(statements=ODD["mariadb"])
    tables = await tables_of(bench.engine)  # type: ignore[arg-type]

    assert set(tables) == {(None, "Order Items"), (None, "cheap"), (None, "notes"), (None, "people")}
    assert [(column.name, column.type, column.not_null) for column in tables[None, "Order Items"].columns] == [
        ("Id", "bigint(20) unsigned", True),
        ("unit price", "decimal(10,2)", True),
        ("kind", "enum('a','b')", False),
    ]
    assert tables[None, "people"].primary_key == ("b", "a")
    assert set(tables[None, "notes"].foreign_keys) == {
        ForeignKey(("item",), "Order Items", ("Id",)),
        ForeignKey(("x", "y"), "people", ("b", "a")),
    }
    assert tables[None, "cheap"].is_view


@pytest.mark.parametrize("kind", ["postgres", "mariadb"], indirect=True)
async def test_a_model_made_of_it_answers(make: Callable[..., Bench], kind: str) -> None:
    bench = make(statements=(*ODD[kind], _ITEM[kind]))
    engine = bench.engine
    imported = manifest_from_schema(await engine.introspect(), data_source=engine.data_source)
    written = imported.model_dump(by_alias=True, exclude_none=True, mode="json")
    reading = read_manifest(written, data_source=engine.data_source)
    assert reading.manifest is not None, reading.problems
    model = authorised_view(reading.manifest, "imported")
    quote = '"' if kind == "postgres" else "`"
    sql = "SELECT count(*) AS n, max(`unit price`) AS most FROM `Order Items`".replace("`", quote)

    outcome = await SqlChecker(model, Planner(model, reading.manifest, engine.dialect), engine).execute(
        sql, context=QueryContext(datetime.now(UTC)), row_limit=10, timeout=20
    )

    assert isinstance(outcome, Executed), outcome
    assert outcome.rows.rows == ((1, "9.50"),)


_ITEM = {
    "postgres": """INSERT INTO sales."Order Items" VALUES (1, 9.5, '{a}')""",
    "mariadb": "INSERT INTO `Order Items` VALUES (1, 9.5, 'a')",
}


@pytest.mark.parametrize(("kind", "count"), [("postgres", 300), ("mariadb", 30)], indirect=["kind"])
async def test_many_tables_with_their_keys(make: Callable[..., Bench], kind: str, count: int) -> None:
    bench = make(statements=("CREATE TABLE t0 (id INTEGER PRIMARY KEY)",))
    assert bench.server is not None
    columns = ", ".join(f"c{number} VARCHAR(20) NOT NULL" for number in range(10))
    created = [
        f"CREATE TABLE t{number} (id INTEGER PRIMARY KEY, {columns}, up INTEGER, "
        f"FOREIGN KEY (up) REFERENCES t{number - 1} (id))"
        for number in range(1, count)
    ]
    for statements in ["; ".join(created)] if kind == "postgres" else created:
        bench.server.ask(statements)

    schema = await bench.engine.introspect()

    assert len(schema.tables) == count
    assert all(len(table.columns) == 12 for table in schema.tables if table.name != "t0")
    assert sum(len(table.foreign_keys) for table in schema.tables) == count - 1
