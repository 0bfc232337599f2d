"""What of the record's tables is there already, and what an earlier Askwell did not know."""

from __future__ import annotations

from sqlalchemy import Connection, inspect, select, update

from askwell.knowledge.schema import SCHEMA_VERSION, metadata, record_version
from askwell.knowledge.version_1 import make_jobs_of_version_1


def version_of(connection: Connection) -> int | None:
    """None where there is no record yet."""
    if not inspect(connection).has_table(record_version.name):
        return None
    return connection.scalar(select(record_version.c.version))


def is_complete(connection: Connection) -> bool:
    """Whether there is nothing that an earlier Askwell of the same version did not know."""
    found = _columns(connection)
    return all(column.name in found.get(table.name, ()) for table in metadata.sorted_tables for column in table.columns)


def add_what_is_new(connection: Connection) -> None:
    """Make the tables and columns that are not there yet; such columns may all be null. Few questions are asked: a
    server that cuts connections again and again has to leave time for all of it."""
    found = _columns(connection)
    metadata.create_all(
        connection, [table for table in metadata.sorted_tables if table.name not in found], checkfirst=False
    )
    preparer = connection.dialect.identifier_preparer
    for table in metadata.sorted_tables:
        there = found.get(table.name, set(table.columns.keys()))
        for column in table.columns:
            if column.name not in there:
                kind = column.type.compile(connection.dialect)
                connection.exec_driver_sql(
                    f"ALTER TABLE {preparer.quote(table.name)} ADD COLUMN {preparer.quote(column.name)} {kind}"
                )


def bring_up_to_date(connection: Connection) -> None:
    """Make a record of this version out of one that an earlier Askwell wrote, or of nothing."""
    add_what_is_new(connection)
    version = connection.scalar(select(record_version.c.version))
    if version is None:
        connection.execute(record_version.insert().values(version=SCHEMA_VERSION))
    elif version < SCHEMA_VERSION:
        make_jobs_of_version_1(connection)
        connection.execute(update(record_version).values(version=SCHEMA_VERSION))


def _columns(connection: Connection) -> dict[str, set[str]]:
    """The names of the columns that there are, by table."""
    found = inspect(connection).get_multi_columns()
    return {table: {column["name"] for column in columns} for (_, table), columns in found.items()}
