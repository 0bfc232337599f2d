"""Servers that cannot be used, that come and go, and what is left running on them: said plainly, and cleaned up."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from sqlalchemy.engine import make_url

from askwell.errors import ConfigurationError, EngineUnavailable
from askwell.providers.engine.base import EngineLimits, QueryFailure, QueryRows
from askwell.providers.engine.sqlalchemy_engine import SQLAlchemyEngine
from tests.providers.engine.conftest import (
    ENDLESS,
    ONE_PROCESS,
    SERVER_KINDS,
    SMALL,
    Bench,
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
