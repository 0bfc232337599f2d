"""Servers that cannot be used, that come and go, and what is left running on them: said plainly, and cleaned up."""

from __future__ import annotations

import asyncio
import socket
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from askwell.errors import ConfigurationError, EngineUnavailable
from askwell.mdl.importers import manifest_from_schema
from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import (
    EngineLimits,
    ForeignKey,
    PhysicalColumn,
    PhysicalTable,
    QueryFailure,
    QueryRows,
)
from askwell.providers.engine.sqlalchemy_engine import SQLAlchemyEngine
from askwell.sql.checker import Executed, SqlChecker
from askwell.sql.context import QueryContext
from askwell.sql.planner import Planner
from tests.providers.engine.conftest import (
    ENDLESS,
    ONE_PROCESS,
    SERVER_KINDS,
    SMALL,
    Bench,
    failure_of,
    query_processes,
    rows_of,
    until,
)
from tests.support.servers import ServerDatabase
from tests.support.tables import case_rows, case_table


@pytest.fixture(params=SERVER_KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(kind: str, sample_on_server: Callable[[str], ServerDatabase]) -> ServerDatabase:
    return sample_on_server(kind)


@asynccontextmanager
async def opened(url: str, limits: EngineLimits = SMALL) -> AsyncIterator[SQLAlchemyEngine]:
    engine = SQLAlchemyEngine(url, limits)
    yield engine
    await engine.close()


@pytest.mark.parametrize(
    ("url", "dialect", "data_source"),
    case_rows(__file__, "urls", "url", "dialect", "data_source"),
)
def test_a_url_says_which_database_it_is(url: str, dialect: str, data_source: str) -> None:
    engine = SQLAlchemyEngine(url)

    assert (engine.dialect, engine.data_source) == (dialect, data_source)


@pytest.mark.parametrize(("url", "words"), case_rows(__file__, "refused_urls", "url", "words"))
def test_a_url_that_cannot_be_used_is_refused_without_repeating_it(url: str, words: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        SQLAlchemyEngine(url)

    assert words in caught.value.hint
    assert "secret" not in caught.value.message + caught.value.hint


async def refusal(url: str, caplog: pytest.LogCaptureFixture) -> EngineUnavailable:
    """What an engine on that URL says, whichever of its methods is called; the password is nowhere."""
    async with opened(url) as engine:
        with pytest.raises(EngineUnavailable) as by_execute:
            await engine.execute("SELECT 1", row_limit=1, timeout=20)
        with pytest.raises(EngineUnavailable) as by_introspection:
            await engine.introspect()
    assert by_execute.value.message == by_introspection.value.message
    said = by_execute.value.message + by_execute.value.hint
    logged = " ".join(str(vars(record)) for record in caplog.records)
    assert "hunter2" not in said + logged + repr(engine)
    assert "127.0.0.1" not in said
    assert "nobody" not in said
    return by_execute.value


@pytest.mark.parametrize(
    ("change", "words", "hint"),
    [
        (
            {"port": "closed", "username": "nobody", "password": "hunter2"},
            "Nothing accepts connections",
            "host and port",
        ),
        ({"host": "nowhere.invalid", "password": "hunter2"}, "host name is not known", "Check the host"),
        ({"username": "nobody", "password": "hunter2"}, "refuses the user or the password", "percent-encoded"),
        ({"database": "no_such_database"}, "The database no_such_database cannot be used. The server has no", "name"),
        pytest.param({"port": "silent", "password": "hunter2"}, "does not answer", "firewalls", marks=pytest.mark.deep),
    ],
    ids=["closed port", "host", "user", "database", "silent port"],
)
async def test_a_server_that_cannot_be_used_says_what_is_wrong(
    server: ServerDatabase, caplog: pytest.LogCaptureFixture, change: dict[str, str], words: str, hint: str
) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        if change.get("port") == "silent":
            listener.listen(16)  # takes connections and never says anything
        port = {"port": listener.getsockname()[1]} if "port" in change else {}
        url = make_url(server.url).set(**{**change, **port})  # type: ignore[arg-type]
        url = url.update_query_dict({"connect_timeout": "2"}) if change.get("port") == "silent" else url
        error = await refusal(url.render_as_string(hide_password=False), caplog)
    assert words in error.message
    assert hint in error.hint


async def test_encryption_that_the_server_does_not_have(kind: str, server: ServerDatabase) -> None:
    ask_for_it = {"postgres": {"sslmode": "require"}, "mariadb": {"ssl_ca": "/nonexistent.pem"}}[kind]
    if server.ask({"postgres": "SHOW ssl", "mariadb": "SELECT @@have_ssl"}[kind])[0][0] in ("on", "YES"):
        pytest.skip("this server does encrypt")
    url = make_url(server.url).update_query_dict(ask_for_it)

    async with opened(url.render_as_string(hide_password=False)) as engine:
        with pytest.raises(EngineUnavailable) as caught:
            await engine.execute("SELECT 1", row_limit=1, timeout=20)

    assert "encrypted connection" in caught.value.message


@pytest.mark.parametrize("kind", ["postgres"])
async def test_a_server_without_connections_left(server: ServerDatabase) -> None:
    url = make_url(server.url)
    role = f"{server.name}_few"
    server.ask(f"CREATE ROLE {role} LOGIN CONNECTION LIMIT 0")
    try:
        async with opened(url.set(username=role).render_as_string(hide_password=False)) as engine:
            with pytest.raises(EngineUnavailable) as caught:
                await engine.execute("SELECT 1", row_limit=1, timeout=20)
    finally:
        server.ask(f"DROP ROLE {role}")
    assert "no connection left" in caught.value.message
    assert "pool_size" in caught.value.hint


_END_OUR_CONNECTIONS = {
    "postgres": "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}' AND pid <> "
    "pg_backend_pid() AND application_name = 'askwell'",
    "mariadb": "SELECT id FROM information_schema.processlist WHERE db = '{name}' AND id <> connection_id()",
}


def end_connections(kind: str, server: ServerDatabase) -> None:
    rows = server.ask(_END_OUR_CONNECTIONS[kind].format(name=server.name))
    if kind == "mariadb":
        for (number,) in rows:
            server.ask(f"KILL {number}")


async def test_a_connection_that_the_server_ended_is_made_again_unnoticed(kind: str, server: ServerDatabase) -> None:
    async with opened(server.url) as engine:
        for _ in range(3):
            await rows_of(engine, "SELECT count(*) FROM orders", row_limit=1)
            end_connections(kind, server)
        assert await engine.dry_run("SELECT count(*) FROM orders", timeout=20) is None
        assert len(query_processes()) == 1


async def test_a_query_whose_connection_is_ended_fails_and_the_next_one_works(kind: str, bench: Bench) -> None:
    assert bench.server is not None
    query = asyncio.create_task(bench.engine.execute(ENDLESS, row_limit=1, timeout=30))
    await until(bench.is_at_work)

    end_connections(kind, bench.server)

    with pytest.raises(EngineUnavailable) as caught:
        await query
    assert "ended the connection" in caught.value.message
    assert await bench.value("SELECT count(*) FROM orders") == 3


async def test_a_truncated_result_does_not_go_on_on_the_server(kind: str, bench: Bench) -> None:
    slow_rows = {
        "postgres": "SELECT CASE WHEN v > 5 THEN pg_sleep(60) END FROM (VALUES (1), (2), (3), (4), (9)) AS t(v)",
        "mariadb": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) "
        "SELECT i, IF(i > 5, SLEEP(60), 0), repeat('x', 20000) FROM n",
    }
    outcome = await rows_of(bench.engine, slow_rows[kind], row_limit=2)
    assert outcome.truncated
    assert len(outcome.rows) == 2
    await until(lambda: bench.running() == [])
    assert await bench.value("SELECT count(*) FROM orders") == 3
    assert len(query_processes()) == 1


@pytest.mark.parametrize("kind", ["postgres"])
async def test_a_plan_that_works_in_parallel_is_run_as_one(server: ServerDatabase) -> None:
    eager = "-cparallel_setup_cost=0 -cparallel_tuple_cost=0 -cmin_parallel_table_scan_size=0 -cseq_page_cost=1000000"
    url = make_url(server.url).update_query_dict({"options": eager})
    async with opened(url.render_as_string(hide_password=False)) as engine:
        counted = await engine.execute("SELECT count(*) FROM orders", row_limit=1, timeout=20)
        cut = await engine.execute("SELECT id FROM orders", row_limit=2, timeout=20)
        wrong = await engine.execute("SELECT total / 0 FROM orders", row_limit=2, timeout=20)
        again = await engine.execute("SELECT id FROM orders WHERE id > 100", row_limit=2, timeout=20)

    assert isinstance(counted, QueryRows), counted
    assert counted.rows == ((3,),)
    assert isinstance(cut, QueryRows), cut
    assert (len(cut.rows), cut.truncated) == (2, True)
    assert isinstance(wrong, QueryFailure), wrong
    assert isinstance(again, QueryRows), again
    assert again.rows == ()
    assert [column.name for column in again.columns] == ["id"]


async def test_nothing_waits_on_the_server_between_questions(kind: str, bench: Bench) -> None:
    assert bench.server is not None
    in_transaction = {
        "postgres": "SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}' AND state LIKE 'idle in%'",
        "mariadb": "SELECT count(*) FROM information_schema.innodb_trx t JOIN information_schema.processlist p "
        "ON p.id = t.trx_mysql_thread_id WHERE p.db = '{name}'",
    }[kind].format(name=bench.server.name)
    for sql in ("SELECT * FROM orders", "SELECT * FROM nowhere", "SELECT * FROM orders"):
        await bench.engine.execute(sql, row_limit=1, timeout=20)
        await bench.engine.dry_run(sql, timeout=20)

        assert bench.server.ask(in_transaction) == [(0,)]


@pytest.mark.deep
async def test_many_cancelled_questions_never_run_more_queries_than_the_pool_may(bench: Bench) -> None:
    most = 0
    for _ in range(4):
        queries = [asyncio.create_task(bench.engine.execute(ENDLESS, row_limit=1, timeout=60)) for _ in range(4)]
        await until(bench.is_at_work)
        most = max(most, len(bench.running()))
        for query in queries:
            query.cancel()
        await asyncio.gather(*queries, return_exceptions=True)
        most = max(most, len(bench.running()))

    assert most <= SMALL.pool_size
    await until(lambda: bench.running() == [])
    assert await bench.value("SELECT count(*) FROM orders") == 3


@pytest.mark.parametrize("kind", ["postgres"])
async def test_a_table_that_somebody_has_locked_is_a_timeout(server: ServerDatabase) -> None:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(server.url) as holder:
        holder.execute("LOCK TABLE orders IN ACCESS EXCLUSIVE MODE")
        async with opened(server.url) as engine:
            outcome = await engine.execute("SELECT count(*) FROM orders", row_limit=1, timeout=1)
        holder.rollback()

    assert isinstance(outcome, QueryFailure), outcome
    assert outcome.kind == "timeout"


async def test_a_role_that_may_write_is_warned_of_once(
    kind: str, server: ServerDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    reader = f"{server.name[:20]}_r"
    host = "" if kind == "postgres" else "@'%'"
    server.ask(f"CREATE {'ROLE' if kind == 'postgres' else 'USER'} {reader}{host}{' LOGIN' * (kind == 'postgres')}")
    try:
        server.ask(f"GRANT SELECT ON orders TO {reader}{host}")
        url = make_url(server.url)
        for name, warned in ((url.username, True), (reader, False)):
            caplog.clear()
            async with opened(url.set(username=name).render_as_string(hide_password=False)) as engine:
                await engine.functions()
                await engine.functions()
            said = [record.getMessage() for record in caplog.records if "role" in record.getMessage()]
            assert len(said) == int(warned), said
    finally:
        server.ask(f"REVOKE ALL ON orders FROM {reader}{host}")
        server.ask(f"DROP {'ROLE' if kind == 'postgres' else 'USER'} {reader}{host}")


@pytest.mark.parametrize("kind", ["mariadb"])
async def test_a_refused_table_does_not_say_who_was_refused(server: ServerDatabase) -> None:
    reader = f"{server.name[:20]}_n"
    server.ask(f"CREATE USER {reader}@'%'")
    try:
        server.ask(f"GRANT SELECT ON orders TO {reader}@'%'")
        url = make_url(server.url).set(username=reader)
        async with opened(url.render_as_string(hide_password=False)) as engine:
            outcome = await engine.execute("SELECT * FROM customers", row_limit=1, timeout=20)
    finally:
        server.ask(f"DROP USER {reader}@'%'")
    assert isinstance(outcome, QueryFailure), outcome
    assert "denied" in outcome.message
    assert reader not in outcome.message
    assert "localhost" not in outcome.message


@pytest.mark.parametrize("kind", ["postgres"])
async def test_what_a_superusers_function_does_is_rolled_back(bench: Bench) -> None:
    assert bench.server is not None
    await bench.engine.execute("SELECT lo_create(471100)", row_limit=1, timeout=20)

    assert bench.server.ask("SELECT count(*) FROM pg_largeobject_metadata WHERE oid = 471100") == [(0,)]


_LOCKS = case_table(__file__, "locks")
_SETTINGS = {
    "postgres": ("SELECT set_config('work_mem', '99MB', false)", "SELECT current_setting('work_mem')"),
    "mariadb": ("SELECT @x := 99", "SELECT @x"),
}


async def test_nothing_of_a_statement_is_left_to_the_next(kind: str, server: ServerDatabase) -> None:
    """Statements that the guard would refuse: the session itself forgets them."""
    engine = SQLAlchemyEngine(server.url, ONE_PROCESS)

    async def value(sql: str) -> object:
        outcome = await rows_of(engine, sql, row_limit=1)
        return outcome.rows[0][0]

    try:
        lock, count = _LOCKS[kind]
        await value(lock)
        await value("SELECT id FROM customers")
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


# -- What introspection of a server finds, how quickly, and that a model comes of it.


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


# -- What servers reached by URL have in common, proved on a driver that stands in for Trino's.


# SQLite speaks of tables and types in its own way, so the shared sample is written out once more.
_SCHEMA = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(50) NOT NULL);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id), total DECIMAL(8, 2));
INSERT INTO customers VALUES (1, 'Ada'), (2, 'Grace');
INSERT INTO orders VALUES (10, 1, 20.5), (11, 1, 5.0), (12, 2, 100.0);
CREATE VIEW big_orders AS SELECT id, total FROM orders WHERE total > 10;
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "fake_trino"))
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(_SCHEMA)
    return path


@pytest.fixture
async def engine(file: Path) -> AsyncIterator[SQLAlchemyEngine]:
    opened = SQLAlchemyEngine(f"trino://me:hunter2@db:8080/shop?file={file}", SMALL)
    yield opened
    await opened.close()
    assert query_processes() == []


def statements(file: Path) -> list[str]:
    """What the server was told, in order."""
    return Path(f"{file}.log").read_text().splitlines()


async def test_rows_types_and_truncation(engine: SQLAlchemyEngine, file: Path) -> None:
    assert (engine.dialect, engine.data_source) == ("trino", "TRINO")

    outcome = await rows_of(engine, "SELECT id, total, id FROM orders ORDER BY id", row_limit=2)
    assert [column.name for column in outcome.columns] == ["id", "total", "id"]
    assert outcome.rows == ((10, 20.5, 10), (11, 5, 11))
    assert outcome.truncated
    limit, query = [said for said in statements(file) if "SET SESSION" in said or "orders" in said]
    assert limit == "SET SESSION query_max_run_time = '19s'"
    assert query.startswith("SELECT id, total")


async def test_a_dry_run_is_the_servers_own_and_runs_nothing(engine: SQLAlchemyEngine, file: Path) -> None:
    assert await engine.dry_run(ENDLESS, timeout=20) is None
    wrong = await engine.dry_run("SELECT nmae FROM customers", timeout=20)

    assert isinstance(wrong, QueryFailure)
    assert "nmae" in wrong.message
    assert statements(file)[-1] == "EXPLAIN (TYPE VALIDATE) SELECT nmae FROM customers"


async def test_percent_signs_and_colons_are_not_parameters(engine: SQLAlchemyEngine) -> None:
    sql = "SELECT count(*), ':x', '%(y)s', '{z}' FROM customers WHERE name LIKE '%a%'"

    assert await engine.dry_run(sql, timeout=20) is None
    outcome = await rows_of(engine, sql, row_limit=1)
    assert outcome.rows == ((2, ":x", "%(y)s", "{z}"),)


async def test_functions_and_introspection(engine: SQLAlchemyEngine) -> None:
    assert {"count", "lower"} <= await engine.functions()

    tables = {table.name: table for table in (await engine.introspect()).tables}

    assert set(tables) == {"customers", "orders", "big_orders"}
    assert tables["orders"].columns[2] == PhysicalColumn("total", "DECIMAL(8, 2)", not_null=False)
    assert tables["orders"].primary_key == ("id",)
    assert tables["orders"].foreign_keys == (ForeignKey(("customer_id",), "customers", ("id",)),)
    assert tables["big_orders"].is_view


async def test_what_changes_data_is_rolled_back(engine: SQLAlchemyEngine, file: Path) -> None:
    await failure_of(engine, "DELETE FROM orders", row_limit=1)
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT count(*) FROM orders").fetchone() == (3,)


async def test_a_query_that_does_not_end_is_ended(engine: SQLAlchemyEngine) -> None:
    began = time.monotonic()
    outcome = await engine.execute(ENDLESS, row_limit=1, timeout=0.7)

    assert time.monotonic() - began < 20
    assert isinstance(outcome, QueryFailure), outcome
    assert outcome.kind == "timeout"
    await rows_of(engine, "SELECT count(*) FROM orders", row_limit=1)


async def test_a_server_that_refuses_is_said_without_its_words(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    engine = SQLAlchemyEngine("trino://me:hunter2@db:8080/shop?file=nowhere", SMALL)
    with pytest.raises(EngineUnavailable) as caught:
        await engine.execute("SELECT 1", row_limit=1, timeout=20)
    await engine.close()

    said = caught.value.message + caught.value.hint + " ".join(str(vars(record)) for record in caplog.records)
    assert "hunter2" not in said
    assert "The database shop cannot be used" in caught.value.message
