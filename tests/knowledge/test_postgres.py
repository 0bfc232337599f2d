"""A record on PostgreSQL: one service at a time has it, and a server that goes away comes back."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from askwell.errors import RecordUnavailable
from askwell.knowledge.database import PassingTrouble
from askwell.knowledge.engines import reading_engine, writing_engine
from askwell.knowledge.jobs import AcceptedJob
from askwell.knowledge.record import Record
from tests.knowledge.conftest import throw_away_schema
from tests.support.gateway import Gateway

HOME = Path("unused")


def ask(id: str) -> AcceptedJob:
    return AcceptedJob(id, "ask", "default", {"query": "q"}, None, "h", datetime.now(UTC))


def at(url: str, **parts: object) -> str:
    return make_url(url).set(**parts).render_as_string(hide_password=False)  # type: ignore[arg-type]


def sql(url: str, statement: str) -> None:
    import psycopg

    with psycopg.connect(at(url, drivername="postgresql"), autocommit=True) as connection:
        connection.execute(statement)


@asynccontextmanager
async def gateway(url: str) -> AsyncIterator[tuple[Gateway, str]]:
    """A door to the server, and the address that leads through it."""
    place = make_url(url)
    async with Gateway(place.host or "127.0.0.1", place.port or 5432) as door:
        yield door, at(url, host="127.0.0.1", port=door.port, password="hunter2")


async def test_a_second_one_is_told_who_has_it_and_what_to_do(postgresql: str) -> None:
    first = await Record.open(postgresql, HOME)
    with pytest.raises(
        RecordUnavailable, match=r"Another Askwell service \(askwell \S+ \d+\) has the record"
    ) as caught:
        await Record.open(postgresql, HOME)
    assert "knowledge.url" in caught.value.hint
    await first.jobs.accept(ask("a"))
    await first.close()
    second = await Record.open(postgresql, HOME)
    assert [one.id for one in await second.jobs.unfinished("ask")] == ["a"]
    await second.close()


async def test_a_record_of_another_schema_is_another_record(postgresql: str) -> None:
    first = await Record.open(postgresql, HOME)
    async with throw_away_schema() as elsewhere:
        await (await Record.open(elsewhere, HOME)).close()
    await first.close()


async def test_one_that_waits_gets_it_when_the_first_ends(postgresql: str, caplog: pytest.LogCaptureFixture) -> None:
    first = await Record.open(postgresql, HOME)
    waiting = asyncio.create_task(Record.open(postgresql, HOME, patience=60))
    async with asyncio.timeout(30):
        while "waiting for the record: Another Askwell service" not in caplog.text:
            await asyncio.sleep(0.01)
        await first.close()
        await (await waiting).close()
    assert caplog.text.count("waiting for the record") == 1


async def test_many_first_starts_at_once_all_get_their_turn(postgresql: str) -> None:
    async def start(name: str) -> None:
        record = await Record.open(postgresql, HOME, patience=60)
        await record.jobs.accept(ask(name))
        await record.close()

    await asyncio.gather(*(start(name) for name in "abcd"))
    record = await Record.open(postgresql, HOME)
    assert {one.id for one in await record.jobs.unfinished("ask")} == set("abcd")
    await record.close()


HOLDER = """
import asyncio, sys
from pathlib import Path
from askwell.knowledge.record import Record

async def main():
    record = await Record.open(sys.argv[1], Path("unused"))
    print("taken", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


async def test_it_is_free_again_when_its_holder_was_killed(postgresql: str) -> None:
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", HOLDER, postgresql), stdout=asyncio.subprocess.PIPE
    )
    assert child.stdout is not None
    assert await child.stdout.readline() == b"taken\n"
    with pytest.raises(RecordUnavailable, match=f" {child.pid}\\)"):
        await Record.open(postgresql, HOME)
    child.kill()
    await child.wait()
    await (await Record.open(postgresql, HOME, patience=30)).close()


async def test_connections_that_the_server_ended_are_made_again(postgresql: str) -> None:
    record = await Record.open(postgresql, HOME)
    await record.jobs.accept(ask("before"))
    ours = f"application_name = 'askwell {socket.gethostname()[:32]} {os.getpid()}'"
    sql(postgresql, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {ours}")
    await record.jobs.accept(ask("after"))
    assert [one.id for one in await record.jobs.unfinished("ask")] == ["before", "after"]
    with pytest.raises(RecordUnavailable, match="Another Askwell service"):
        await Record.open(postgresql, HOME)
    await record.close()


async def test_a_statement_that_waits_for_somebody_elses_lock_ends(postgresql: str) -> None:
    import psycopg

    record = await Record.open(f"{postgresql}%20-cstatement_timeout%3D100", HOME)
    with psycopg.connect(at(postgresql, drivername="postgresql")) as other:
        other.execute("LOCK TABLE jobs")
        for attempt in (record.jobs.accept(ask("a")), record.jobs.unfinished("ask")):
            with pytest.raises(PassingTrouble, match="The record is busy"):
                await attempt
    await record.jobs.accept(ask("b"))
    assert [one.id for one in await record.jobs.unfinished("ask")] == ["b"]
    await record.close()


async def test_statements_have_a_limit_where_nobody_sets_one(postgresql: str) -> None:
    for engine in (reading_engine(make_url(postgresql), 1), writing_engine(make_url(postgresql))):
        with engine.connect() as connection:
            assert connection.exec_driver_sql("SHOW statement_timeout").scalar() == "30s"
        engine.dispose()


async def test_a_server_that_goes_away_is_said_and_found_again(postgresql: str) -> None:
    async with gateway(postgresql) as (door, url):
        record = await Record.open(url, HOME)
        await record.jobs.accept(ask("before"))
        await door.shut()
        for attempt in (record.jobs.accept(ask("lost")), record.jobs.unfinished("ask"), record.check()):
            with pytest.raises(
                PassingTrouble, match=r"^The record cannot be reached: nothing listens there\.$"
            ) as caught:
                await attempt
            assert "hunter2" not in caught.value.hint
        many = [record.jobs.accept(ask(f"m{n}")) for n in range(20)]
        assert {type(end) for end in await asyncio.gather(*many, return_exceptions=True)} == {PassingTrouble}
        await door.open()
        await record.check()
        await record.jobs.accept(ask("after"))
        assert [one.id for one in await record.jobs.unfinished("ask")] == ["before", "after"]
        await record.close()


async def test_a_session_that_the_server_still_keeps_for_us_does_not_stand_in_the_way(postgresql: str) -> None:
    async with gateway(postgresql) as (door, url):
        record = await Record.open(url, HOME)
        await door.shut(telling=False)
        with pytest.raises(RecordUnavailable, match="Another Askwell service"):
            await Record.open(postgresql, HOME)  # the server has not noticed
        with pytest.raises(PassingTrouble, match="nothing listens there"):
            await record.check()
        await door.open()
        await record.jobs.accept(ask("a"))
        assert [one.id for one in await record.jobs.unfinished("ask")] == ["a"]
        await record.close()


async def test_what_another_one_took_meanwhile_is_its_own_until_it_ends(postgresql: str) -> None:
    async with gateway(postgresql) as (door, url):
        record = await Record.open(url, HOME)
        await door.shut()
        other = await Record.open(postgresql, HOME, patience=30)  # the server has noticed that the first is gone
        await door.open()
        for attempt in (record.jobs.accept(ask("a")), record.check()):
            with pytest.raises(PassingTrouble, match=r"^Another Askwell service has the record\.$"):
                await attempt
        assert await record.jobs.unfinished("ask") == []
        await other.close()
        await record.check()
        await record.jobs.accept(ask("a"))
        await record.close()


async def test_a_server_that_is_not_there_yet_is_waited_for(postgresql: str, caplog: pytest.LogCaptureFixture) -> None:
    async with gateway(postgresql) as (door, url):
        await door.shut()
        with pytest.raises(PassingTrouble, match="nothing listens there") as caught:
            await Record.open(url, HOME)
        assert str(door.port) in caught.value.message
        waiting = asyncio.create_task(Record.open(url, HOME, patience=60))
        async with asyncio.timeout(30):
            while "waiting for the record" not in caplog.text:
                await asyncio.sleep(0.01)
            await door.open()
            await (await waiting).close()
    assert "hunter2" not in caplog.text + caught.value.message + caught.value.hint


async def test_a_password_among_the_parameters_is_not_told(postgresql: str, caplog: pytest.LogCaptureFixture) -> None:
    url = at(postgresql, database="no_such_place").replace("?", "?password=hunter2&", 1)
    with pytest.raises(RecordUnavailable, match="/no_such_place does not exist") as caught:
        await Record.open(url, HOME)
    assert "hunter2" not in caplog.text + caught.value.message + caught.value.hint


@pytest.mark.parametrize(
    ("parts", "message", "hint"),
    [
        ({"database": "no_such_place"}, "has no database of that name", "CREATE DATABASE"),
        ({"username": "nobody_of_that_name"}, "refuses the sign-in", "user and password"),
    ],
)
async def test_what_waiting_does_not_help_is_said_at_once(
    postgresql: str, parts: dict[str, str], message: str, hint: str
) -> None:
    with pytest.raises(RecordUnavailable, match=message) as caught:
        await Record.open(at(postgresql, **parts), HOME, patience=3600)
    assert hint in caught.value.hint


async def test_a_user_who_may_not_make_tables_is_told(postgresql: str) -> None:
    role, schema = f"askwell_test_{uuid.uuid4().hex[:12]}", postgresql.rpartition("%3D")[2]
    sql(postgresql, f"CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA {schema} TO {role}")
    try:
        with pytest.raises(RecordUnavailable, match="may not create tables there") as caught:
            await Record.open(at(postgresql, username=role), HOME)
        assert "OWNER askwell" in caught.value.hint
    finally:
        sql(postgresql, f"DROP OWNED BY {role}; DROP ROLE {role}")


async def test_rows_with_what_postgresql_has_no_text_for_can_be_kept_and_dropped(postgresql: str) -> None:
    record = await Record.open(postgresql, HOME)
    strange = ["a\x00b", "half \ud83d", r"C:\u0000 is a path", "\\\x00"]
    await record.jobs.accept(ask("a"))
    await record.jobs.end("a", "finished", {"result": {"data": strange, "status": "finished"}})
    kept = await record.jobs.find("a")
    assert kept is not None
    assert kept.result is not None
    assert kept.result["result"]["data"] == ["a\ufffdb", "half ?", r"C:\u0000 is a path", "\\\ufffd"]
    assert await record.jobs.drop_rows(datetime.now(UTC) + timedelta(hours=1)) == 1
    await record.close()
