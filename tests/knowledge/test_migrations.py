"""Opening records: new ones, those of today, of other versions, and several processes at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, create_engine, inspect, text

from askwell.errors import RecordUnavailable
from askwell.knowledge.migrations import bring_up_to_date, step_numbers
from askwell.knowledge.migrations.running import differences, take_steps
from askwell.knowledge.record import FILE_NAME, Record
from askwell.knowledge.schema import metadata
from tests.knowledge.conftest import throw_away_schema
from tests.knowledge.test_jobs import ask


@pytest.fixture(params=["sqlite", "postgresql"])
async def url(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    """The address of an empty place for a record."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / FILE_NAME}"
        return
    async with throw_away_schema() as address:
        yield address


def change(url: str, *statements: str) -> None:
    engine = create_engine(url)
    with engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    engine.dispose()


def content(url: str) -> dict[str, list[Sequence[Any]]]:
    """Every row of every table."""
    engine = create_engine(url)
    with engine.begin() as connection:
        tables = inspect(connection).get_table_names()
        rows = {name: [tuple(row) for row in connection.execute(text(f"SELECT * FROM {name}"))] for name in tables}
    engine.dispose()
    return rows


def shape(connection: Connection) -> dict[str, Any]:
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


async def test_the_steps_lead_to_the_schema_of_a_new_record(url: str) -> None:
    """Fails where `schema.py` says something that no step makes: run `make migration MESSAGE="what is new"`."""
    shapes = []
    engine = create_engine(url)
    for make in (take_steps, bring_up_to_date):
        with engine.begin() as connection:
            make(connection)
            assert differences(connection) == []
            shapes.append(shape(connection))
            for table in shapes[-1]:
                connection.exec_driver_sql(f"DROP TABLE {table}")
    engine.dispose()
    assert shapes[0] == shapes[1]
    numbers = [int(number) for number in step_numbers()]
    assert numbers == list(range(numbers[0], numbers[-1] + 1))


async def test_a_record_of_today_or_ahead_of_it_within_a_version_opens(tmp_path: Path, url: str) -> None:
    accepted = ask("a")
    first = await Record.open(url, tmp_path)
    await first.jobs.accept(accepted)
    await first.close()
    for statements in (
        # Another program in the database counts its own steps under the name that Alembic gives to everybody.
        ["CREATE TABLE alembic_version (version_num VARCHAR(32))", "INSERT INTO alembic_version VALUES ('0004')"],
        ["ALTER TABLE jobs ADD COLUMN worker_of_tomorrow TEXT", "UPDATE askwell_steps SET version_num = '9001'"],
    ):
        change(url, *statements)
        record = await Record.open(url, tmp_path)
        assert await record.has_everything()
        assert await record.jobs.unfinished("ask") == [accepted]
        await record.close()
    after = content(url)
    assert (after["askwell_steps"], after["alembic_version"]) == ([("9001",)], [("0004",)])


async def test_a_first_step_that_fails_midway_leaves_nothing(tmp_path: Path, url: str) -> None:
    last = metadata.sorted_tables[-1].name
    change(url, f"CREATE TABLE {last} (theirs TEXT)", f"INSERT INTO {last} VALUES ('kept')")
    with pytest.raises(RecordUnavailable):
        await Record.open(url, tmp_path)
    assert content(url) == {last: [("kept",)]}
    change(url, f"DROP TABLE {last}")
    record = await Record.open(url, tmp_path)
    assert await record.has_everything()
    await record.close()


DEVELOPMENT = "development version"
OTHERS = {
    "of a newer version": ("UPDATE record_version SET version = 3", "has version 3; this Askwell reads version 2"),
    "of version 1": ("UPDATE record_version SET version = 1", DEVELOPMENT),
    "of an earlier step": ("UPDATE askwell_steps SET version_num = '0005'", DEVELOPMENT),
    "from before steps were counted": ("DROP TABLE askwell_steps", DEVELOPMENT),
}


@pytest.mark.parametrize("name", OTHERS)
async def test_a_record_of_another_version_is_refused_with_what_to_do_and_left_alone(
    tmp_path: Path, url: str, name: str
) -> None:
    statement, why = OTHERS[name]
    await (await Record.open(url, tmp_path)).close()
    change(url, statement, "DROP TABLE embeddings")
    before = content(url)
    for way in (Record.open, Record.look):
        with pytest.raises(RecordUnavailable, match=why) as caught:
            await way(url, tmp_path)
        assert ("askwell project export" in caught.value.hint) is (why == DEVELOPMENT)
        assert "`knowledge.url`" in caught.value.hint
    assert content(url) == before


async def test_of_several_that_open_a_record_at_once_one_makes_it(postgresql: str) -> None:
    engine: Engine = create_engine(postgresql, pool_size=6)

    def open_it() -> None:
        with engine.begin() as connection:
            bring_up_to_date(connection)

    await asyncio.gather(*(asyncio.to_thread(open_it) for _ in range(6)))
    engine.dispose()
    after = content(postgresql)
    assert (after["askwell_steps"], after["record_version"]) == ([(step_numbers()[-1],)], [(2,)])
