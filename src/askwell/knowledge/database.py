"""The connection to the record: writes in groups on one thread, reads on another, both off the event loop.

A write waits at most for the group in front of it; everything that arrives meanwhile is committed together, so one
disk flush serves many. Statements are plain synchronous SQLAlchemy Core, which works with every driver: 0.28 ms of
processor time for a write alone and 0.09 in a group of 16, against 0.46 by its asyncio layer.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Column, Connection, event, inspect, select
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError

from askwell.errors import RecordUnavailable
from askwell.knowledge.engines import record_engines
from askwell.knowledge.postgres import LockTaken
from askwell.knowledge.record_file import RecordFile
from askwell.knowledge.schema import SCHEMA_VERSION, metadata, record_version
from askwell.knowledge.troubles import PassingTrouble, trouble

logger = logging.getLogger(__name__)

T = TypeVar("T")
Operation = Callable[[Connection], T]

# Writes committed together. More would make the first of them wait for the last.
GROUP_LIMIT = 128
_READERS = 2
# How often a start that waits for the record tries again, in seconds.
_TRY_EVERY = 0.5


class Database:
    """Runs operations on the record. Raises `RecordUnavailable`, with a hint, whenever it cannot be read or written;
    hints call `setting` what says where it is."""

    def __init__(self, url: URL, setting: str) -> None:
        self._url, self._setting = url, setting
        self._reading, self._writing = record_engines(url, _READERS)
        # Whoever starts the service is told the address; once it is open, clients may read messages too.
        self._name = f"The record {self._where}"
        self._opened = False
        self._file: RecordFile | None = None
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="record-writer")
        self._reader = ThreadPoolExecutor(_READERS, thread_name_prefix="record-reader")
        self._waiting: list[tuple[Operation[Any], asyncio.Future[Any]]] = []
        self._flusher: asyncio.Task[None] | None = None
        self._closed = False

    @classmethod
    async def open(cls, url: URL, setting: str, patience: float = 0.0) -> Database:
        """Connect, create what is missing, and refuse a record written by a newer version. A server that is not there
        yet, or that another service writes to, is waited for `patience` seconds."""
        database = cls(url, setting)
        try:
            await database._prepare_in_time(patience)
            database._is_open()
        except BaseException:
            await database.close()
            raise
        return database

    @classmethod
    async def look(cls, url: URL, setting: str) -> Database | None:
        """Connect for reading to what is there, beside a service that uses it: nothing is written or locked (SQLite
        itself keeps two files beside its own while it is open). None where there is no record yet. Raises as `open`
        does for one of another version."""
        if url.get_backend_name() == "sqlite" and not await asyncio.to_thread(Path(str(url.database)).exists):
            return None
        database = cls(url, setting)
        try:
            version = await database.read(_version)
            database._require_version(version)
        except BaseException:
            await database.close()
            raise
        if version is not None:
            return database
        await database.close()
        return None

    async def has_everything(self) -> bool:
        """Whether it has all tables and columns of this Askwell; `open` adds what an earlier one did not know."""
        return not await self.read(lambda connection: list(_missing(connection)))

    async def read(self, operation: Operation[T]) -> T:
        """The result of `operation`, which must only read."""
        self._refuse_when_closed()
        return await asyncio.get_running_loop().run_in_executor(self._reader, self._run, operation, False)

    async def write(self, operation: Operation[T]) -> T:
        """The result of `operation`, once it is on disk. It runs in a transaction of its own or of its group: it may be
        called twice (when another of the group failed), so it has no effects but those on its connection."""
        self._refuse_when_closed()
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((operation, future))
        if self._flusher is None or self._flusher.done():
            self._flusher = asyncio.create_task(self._flush(), name="record-flush")
        return await future

    async def check(self) -> None:
        """Whether it can be read, and whether what is written is kept. Raises as any use would."""
        self._require_file()
        # On a server only a writing connection tells whether the record is still this service's.
        use = self.read if self._reading is self._writing else self.write
        await use(lambda connection: connection.scalar(select(record_version.c.version)))

    async def close(self) -> None:
        """Finish the writes that were asked for and let go of the file. Safe to call twice."""
        self._closed = True
        if self._flusher is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await self._flusher
        self._writer.shutdown(wait=False)
        self._reader.shutdown(wait=False)
        for engine in {self._reading, self._writing}:
            await asyncio.to_thread(engine.dispose)

    @property
    def _where(self) -> str:
        """The address for the operator, without the parameters: a password may be among them."""
        return self._url.set(query={}).render_as_string(hide_password=True)

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise RecordUnavailable("The record is closed.", "The service is shutting down; send the request again.")

    async def _flush(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            group, self._waiting = self._waiting[:GROUP_LIMIT], self._waiting[GROUP_LIMIT:]
            outcomes = await loop.run_in_executor(self._writer, self._run_group, [operation for operation, _ in group])
            for (_, future), (result, error) in zip(group, outcomes, strict=True):
                if future.done():
                    continue
                if error is not None:
                    future.set_exception(error)
                else:
                    future.set_result(result)

    def _run_group(self, group: list[Operation[Any]]) -> list[tuple[Any, BaseException | None]]:
        """Each operation's (result, error). One bad operation does not take the others of its group with it."""
        try:
            return [(result, None) for result in self._run(lambda c: [run(c) for run in group], True)]
        except PassingTrouble as error:
            return [(None, error)] * len(group)  # one by one they would wait for the same again
        except Exception as error:  # noqa: BLE001 - handed to whoever asked for the write
            if len(group) == 1:
                return [(None, error)]
        return [self._run_group([operation])[0] for operation in group]

    def _run(self, operation: Operation[T], writing: bool) -> T:
        engine = self._writing if writing else self._reading
        try:
            with engine.connect().execution_options(askwell_writes=writing) as connection, connection.begin():
                result = operation(connection)
                if writing:
                    self._require_file()
                return result
        except SQLAlchemyError as error:
            if self._opened:
                kind = type(getattr(error, "orig", None) or error).__name__
                logger.error("the record cannot be used", extra={"record": self._where, "error": kind})
            raise trouble(self._name, error, self._setting) from error
        except LockTaken as error:
            if self._opened:
                logger.error("another service has the record", extra={"record": self._where, "holder": error.holder})
            holder = f" ({error.holder})" if error.holder and not self._opened else ""
            raise PassingTrouble(
                f"Another Askwell service{holder} has {self._name[0].lower()}{self._name[1:]}.",
                f"Stop that one first, or give this one a record of its own in {self._setting}.",
            ) from error

    def _is_open(self) -> None:
        url = self._url
        if url.get_backend_name() == "sqlite" and url.database not in (None, "", ":memory:"):
            self._file = RecordFile(Path(str(url.database)))
            # Another connection would make an empty file where the record was.
            event.listen(self._writing, "do_connect", lambda *_: self._require_file())
        self._name = f"The record {self._file.name}" if self._file else "The record"
        self._opened = True

    def _require_file(self) -> None:
        """Nothing is accepted that could not be found again. Reading goes on: it tells what was accepted before."""
        happened = self._file.what_happened() if self._file else None
        if happened is not None:
            logger.error("the record's file is gone", extra={"record": self._where, "happened": happened})
            raise RecordUnavailable(
                f"{self._name} {happened} while the service was running, so nothing can be kept.",
                "Put the file back if there is a copy, and start the service again.",
            )

    async def _prepare_in_time(self, patience: float) -> None:
        loop = asyncio.get_running_loop()
        deadline, told = loop.time() + patience, ""
        while True:
            try:
                return await loop.run_in_executor(self._writer, self._prepare)
            except PassingTrouble as error:
                if loop.time() + _TRY_EVERY >= deadline:
                    raise
                if error.message != told:
                    told = error.message
                    logger.warning("waiting for the record: %s", told, extra={"seconds": round(deadline - loop.time())})
            await asyncio.sleep(_TRY_EVERY)

    def _prepare(self) -> None:
        def create(connection: Connection) -> int:
            metadata.create_all(connection, checkfirst=True)
            _add_new_columns(connection)
            version = connection.scalar(select(record_version.c.version))
            if version is None:
                connection.execute(record_version.insert().values(version=SCHEMA_VERSION))
            return version or SCHEMA_VERSION

        # Looked at first: a record of another version must not be touched, not even by adding tables.
        self._require_version(self._run(_version, False))
        self._require_version(self._run(create, True))

    def _require_version(self, version: int | None) -> None:
        """None is no record yet. There is nothing to take over from before version 1, the first one."""
        if version in (None, SCHEMA_VERSION):
            return
        age = "newer" if version > SCHEMA_VERSION else "older"
        raise RecordUnavailable(
            f"{self._name} has version {version}; this Askwell reads version {SCHEMA_VERSION}.",
            f"Start the {age} Askwell that wrote it, or point `home` or {self._setting} at another record.",
        )


def _version(connection: Connection) -> int | None:
    """None where there is no record yet."""
    if not inspect(connection).has_table(record_version.name):
        return None
    return connection.scalar(select(record_version.c.version))


def _missing(connection: Connection) -> Iterator[Column[Any]]:
    """The columns that an earlier Askwell of the same version did not know."""
    found = inspect(connection)
    tables = set(found.get_table_names())
    for table in metadata.sorted_tables:
        there = {column["name"] for column in found.get_columns(table.name)} if table.name in tables else set()
        yield from (column for column in table.columns if column.name not in there)


def _add_new_columns(connection: Connection) -> None:
    """All of them may be null."""
    preparer = connection.dialect.identifier_preparer
    for column in list(_missing(connection)):
        kind = column.type.compile(connection.dialect)
        table, name = preparer.quote(column.table.name), preparer.quote(column.name)
        connection.exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN {name} {kind}")
