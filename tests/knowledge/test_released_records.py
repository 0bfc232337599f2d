"""Records that earlier commits wrote, one for each schema there ever was: they open, keep what they have, and end up
like a new one. `records/make.py` writes them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, inspect, text

from askwell.errors import RecordUnavailable
from askwell.knowledge.jobs import AcceptedJob
from askwell.knowledge.migrations import FOLDER, head
from askwell.knowledge.migrations.running import differences, take_steps
from askwell.knowledge.record import FILE_NAME, Record
from askwell.knowledge.tables import bring_up_to_date
from tests.knowledge.conftest import throw_away_schema
from tests.knowledge.test_jobs import ask

RECORDS = Path(__file__).parent / "records"
NAMES = sorted({path.name.split(".")[0] for path in RECORDS.glob("*.sql")})
KINDS = ["sqlite", "postgresql"]
# What version 1 had in place of jobs.
OF_VERSION_1 = {"asks", "preparations", "knowledge_events"}
Rows = list[dict[str, Any]]


@asynccontextmanager
async def place(kind: str, home: Path) -> AsyncIterator[str]:
    """The address of an empty place for a record."""
    if kind == "sqlite":
        yield f"sqlite:///{home / FILE_NAME}"
        return
    async with throw_away_schema() as url:
        yield url


def write(engine: Engine, name: str) -> None:
    """The record of that name."""
    with engine.begin() as connection:
        for statement in (RECORDS / f"{name}.{engine.dialect.name}.sql").read_text().split(";\n"):
            if statement:
                connection.exec_driver_sql(statement)


def content(engine: Engine) -> Mapping[str, Rows]:
    """Every row of every table, without columns that are null."""
    with engine.begin() as connection:
        return {
            table: [
                {name: value for name, value in row.items() if value is not None}
                for row in connection.execute(text(f"SELECT * FROM {table}")).mappings()
            ]
            for table in inspect(connection).get_table_names()
        }


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", KINDS)
async def test_a_record_of_each_schema_there_was_opens_and_keeps_what_it_has(
    tmp_path: Path, kind: str, name: str
) -> None:
    async with place(kind, tmp_path) as url:
        engine = create_engine(url)
        write(engine, name)
        before = content(engine)
        for _ in range(2):
            record = await Record.open(url, tmp_path)
            assert await record.has_everything()
            await check_what_shelves_say(record, before)
            await record.close()
        after = content(engine)
        with engine.begin() as connection:
            # Versions that count their steps in this table open the record all the same.
            assert [one for one in differences(connection) if "alembic_version" not in one] == []
        engine.dispose()
    assert after.keys() & OF_VERSION_1 == set()
    assert after["record_version"] == [{"version": 2}]
    assert after["askwell_steps"] == [{"version_num": head()}]
    assert after.get("alembic_version") == before.get("alembic_version")
    kept = before.keys() - OF_VERSION_1 - {"record_version", "askwell_steps", "alembic_version"}
    assert {table: after[table] for table in kept} == {table: before[table] for table in kept}
    if "asks" in before:
        assert len(after["jobs"]) == sum(len(before[table]) for table in OF_VERSION_1)


async def check_what_shelves_say(record: Record, before: Mapping[str, Rows]) -> None:
    (unfinished,) = await record.jobs.unfinished("ask")
    assert (unfinished.id, unfinished.request["query"]) == ("a1", "how many orders")
    ended = await record.jobs.find("a2")
    assert ended is not None
    assert (ended.status, ended.result and ended.result["text"]) == ("finished", "It is one.")
    if "preparations" in before:
        (going_on,) = await record.jobs.unfinished("preparation")
        assert going_on.label == "v2"
        assert await record.jobs.find("e1") is not None
    assert await record.models.resolve("shop", None) == ("c1", "v1")
    model = await record.models.find("shop", "c1")
    assert model is not None
    assert model.warnings == ("mind the gap",)
    saved = await record.saved.of("shop")
    assert ([*saved.pairs], [*saved.instructions]) == (["p1"], ["i1"])
    assert [*saved.keywords] == [row["id"] for row in before.get("keywords", [])]
    assert [*saved.lessons] == [row["id"] for row in before.get("lessons", [])]
    passages = await record.documents.all_passages("shop")
    assert [one.text for one in passages] == [row["text"] for row in before.get("chunks", [])]
    threads, _ = await record.threads.page("shop", 0, 10)
    assert [one.id for one in threads] == [row["id"] for row in before.get("threads", [])]


@pytest.mark.parametrize("kind", KINDS)
async def test_the_steps_lead_to_the_schema_as_a_new_record_has_it(tmp_path: Path, kind: str) -> None:
    """Fails where `schema.py` says something that no step makes: run `make migration MESSAGE="what is new"`."""
    shapes = []
    for make in (take_steps, bring_up_to_date):
        async with place(kind, tmp_path / make.__name__) as url:
            (tmp_path / make.__name__).mkdir()
            engine = create_engine(url)
            with engine.begin() as connection:
                make(connection)
                assert differences(connection) == []
                shapes.append(shape(connection))
            engine.dispose()
    assert shapes[0] == shapes[1]


def shape(connection: Any) -> Mapping[str, Any]:
    """The columns, keys and indexes of each table, in any order."""
    found = inspect(connection)
    return {
        table: (
            sorted((one["name"], str(one["type"]), one["nullable"]) for one in found.get_columns(table)),
            found.get_pk_constraint(table)["constrained_columns"],
            sorted(one["column_names"] for one in found.get_unique_constraints(table)),
            sorted((one["name"], one["column_names"]) for one in found.get_indexes(table)),
        )
        for table in found.get_table_names()
    }


def test_steps_are_numbered_one_after_the_other() -> None:
    numbers = sorted(path.name[1:5] for path in (FOLDER / "versions").glob("r*.py"))
    assert numbers == [f"{number:04}" for number in range(1, len(numbers) + 1)]
    assert numbers[-1] == head()


@pytest.mark.parametrize("kind", KINDS)
async def test_a_newer_askwell_that_only_added_leaves_room_for_this_one(tmp_path: Path, kind: str) -> None:
    async with place(kind, tmp_path) as url:
        engine = create_engine(url)
        await (await Record.open(url, tmp_path)).close()
        with engine.begin() as connection:
            for statement in (
                "ALTER TABLE jobs ADD COLUMN worker_of_tomorrow TEXT",
                "CREATE TABLE things_of_tomorrow (id TEXT PRIMARY KEY)",
                "UPDATE askwell_steps SET version_num = '9001'",
            ):
                connection.exec_driver_sql(statement)
        record = await Record.open(url, tmp_path)
        assert await record.has_everything()
        accepted = ask("a")
        await record.jobs.accept(accepted)
        assert await record.jobs.unfinished("ask") == [accepted]
        await record.close()
        after = content(engine)
        assert after["askwell_steps"] == [{"version_num": "9001"}]
        assert "things_of_tomorrow" in after
        with engine.begin() as connection:
            connection.exec_driver_sql("UPDATE record_version SET version = 3")
        with pytest.raises(RecordUnavailable, match="version 3"):
            await Record.open(url, tmp_path)
        engine.dispose()


@pytest.mark.parametrize("number", ["ae1027a6acf", "0004"])
@pytest.mark.parametrize("name", [NAMES[0], ""])
@pytest.mark.parametrize("kind", KINDS)
async def test_another_program_in_the_database_counts_its_own_steps(
    tmp_path: Path, kind: str, name: str, number: str
) -> None:
    """Under the name that Alembic gives to everybody."""
    async with place(kind, tmp_path) as url:
        engine = create_engine(url)
        if name:
            write(engine, name)
        with engine.begin() as connection:
            connection.exec_driver_sql("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
            connection.exec_driver_sql(f"INSERT INTO alembic_version VALUES ('{number}')")
        for _ in range(2):
            record = await Record.open(url, tmp_path)
            assert await record.has_everything()
            await record.close()
        after = content(engine)
        assert after["askwell_steps"] == [{"version_num": head()}]
        assert after["alembic_version"] == [{"version_num": number}]
        engine.dispose()


@pytest.mark.parametrize("name", [NAMES[0], NAMES[-1], ""])
async def test_of_several_that_open_a_record_at_once_one_takes_the_steps(postgresql: str, name: str) -> None:
    engine = create_engine(postgresql, pool_size=6)
    if name:
        write(engine, name)

    def open_it() -> None:
        with engine.begin() as connection:
            bring_up_to_date(connection)

    await asyncio.gather(*(asyncio.to_thread(open_it) for _ in range(6)))
    after = content(engine)
    assert after["askwell_steps"] == [{"version_num": head()}]
    assert after["record_version"] == [{"version": 2}]
    if name:
        assert len(after["jobs"]) == (5 if name == NAMES[0] else 2)
    engine.dispose()


async def test_steps_that_are_broken_off_leave_the_record_as_it_was(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / FILE_NAME}")
    write(engine, NAMES[0])
    before = content(engine)
    with engine.begin() as connection:
        # What the steps make is in their way, late: by then there are new tables and the work has moved.
        connection.exec_driver_sql("CREATE VIEW jobs_by_end AS SELECT 1")
    with pytest.raises(RecordUnavailable):
        await Record.open("sqlite", tmp_path)
    assert content(engine) == before
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP VIEW jobs_by_end")
    record = await Record.open("sqlite", tmp_path)
    found = await record.jobs.find("a1")
    assert found is not None
    assert isinstance(found.job, AcceptedJob)
    await record.close()
    engine.dispose()
