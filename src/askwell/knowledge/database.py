"""The connection to the record: writes in groups on one thread, reads on another, both off the event loop.

A write waits at most for the group in front of it; everything that arrives meanwhile is committed together, so one
disk flush serves many. Statements are plain synchronous SQLAlchemy Core, which works with every driver: 0.28 ms of
processor time for a write alone and 0.09 in a group of 16, against 0.46 by its asyncio layer.

What a server broke off is begun again for a while, here and nowhere else: every operation can be repeated, also where
nobody knows whether its last commit came through.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from askwell.errors import RecordUnavailable
from askwell.knowledge.engines import LockTaken, record_engines
from askwell.knowledge.migrations import bring_up_to_date, is_complete, refusal, step_of
from askwell.knowledge.repeats import pauses
from askwell.knowledge.rows import insert_or_replace
from askwell.knowledge.schema import write_check
from askwell.messages import say
from askwell.resources import words_file

# Read at once: where nothing can be opened any more, it is too late.
_TROUBLES = words_file("askwell.knowledge", "troubles.yaml")["troubles"]


class PassingTrouble(RecordUnavailable):
    """Nothing can be done with the record now, whatever is asked of it; it may be well again by itself."""


def trouble(name: str, error: SQLAlchemyError, setting: str) -> RecordUnavailable:
    """The sentences for an error of the database; `name` is how the record is called in them, `setting` what
    says where it is."""
    words = str(error.orig).lower() if isinstance(error, DBAPIError) else ""
    for one in _TROUBLES:
        ended = one.get("ended", False) and isinstance(error, DBAPIError) and error.connection_invalidated
        if ended or any(sign in words for sign in one["signs"]):
            kind = PassingTrouble if one.get("passes") else RecordUnavailable
            return kind(f"{name} {one['what']}.", one["hint"].format(setting=setting))
    reason = type(getattr(error, "orig", None) or error).__name__
    return RecordUnavailable(*say("record.unusable", name=name, reason=reason, setting=setting))


logger = logging.getLogger(__name__)

T = TypeVar("T")
Operation = Callable[[Connection], T]
Outcome = tuple[Any, BaseException | None]

# Writes committed together. More would make the first of them wait for the last.
GROUP_LIMIT = 128
_READERS = 2
# How long something that was broken off is begun again, at most. A cut connection is back in some milliseconds; what
# takes longer, a client should hear of, and an ask waits for in its own way.
_REPEAT_SECONDS = 3.0
# The longest wait between two tries.
_LONGEST_PAUSE = 0.5
# What is written to see whether writing works, about as much as an ask with some rows; and for how many seconds that
# it did is believed, so that who looks often does not write often.
_CHECK_BYTES = 65_536
_CHECKED_SECONDS = 5.0
# How often the log says the same of a record that cannot be used: those who wait for it try again and again.
_SAID_SECONDS = 10.0


class Database:
    """Runs operations on the record. Raises `RecordUnavailable`, with a hint, whenever it cannot be read or written;
    hints call `setting` what says where it is."""

    def __init__(self, url: URL, setting: str, patience: float = 0.0, *, shared: bool = False) -> None:
        self._url, self._setting, self._patience = url, setting, patience
        self._reading, self._writing = record_engines(url, _READERS, shared=shared)
        # Whoever starts the service is told the address; once it is open, clients may read messages too.
        self._name = f"The record {self._where}"
        self._opened = False
        # The record's file, and what it was when it was opened: SQLite goes on writing to one that has been deleted.
        self._file: Path | None = None
        self._identity: tuple[int, int] | None = None
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="record-writer")
        self._reader = ThreadPoolExecutor(_READERS, thread_name_prefix="record-reader")
        self._waiting: list[tuple[Operation[Any], asyncio.Future[Any]]] = []
        self._flusher: asyncio.Task[None] | None = None
        self._checking = asyncio.Lock()
        self._checked_at = float("-inf")
        self._said: tuple[str, float] = ("", 0.0)
        self._closed = False

    @classmethod
    async def open(cls, url: URL, setting: str, patience: float = 0.0, *, shared: bool = False) -> Database:
        """Connect, create what is missing, and refuse a record written by a newer version. A server that is not there
        yet, or that another service writes to, is waited for `patience` seconds; with any patience, what it breaks off
        later is begun again for a shorter while. A server's record may be `shared` with processes that open it so."""
        database = cls(url, setting, patience, shared=shared)
        try:
            await database._prepare_in_time()
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
            database._require_usable(await database.read(refusal))
            if await database.read(step_of):
                return database
        except BaseException:
            await database.close()
            raise
        await database.close()
        return None

    async def has_everything(self) -> bool:
        """Whether it has all tables and columns of this Askwell; `open` adds what an earlier one did not know."""
        return await self.read(is_complete)

    async def read(self, operation: Operation[T]) -> T:
        """The result of `operation`, which must only read."""

        async def once() -> T:
            self._refuse_when_closed()
            return await asyncio.get_running_loop().run_in_executor(self._reader, self._run, operation, False)

        return await self._repeated(once)

    async def write(self, operation: Operation[T]) -> T:
        """The result of `operation`, once it is on disk. It runs in a transaction of its own or of its group, and may
        be called again: when another of the group failed, and when the server broke it off, perhaps after it was kept.
        So it has no effects but those on its connection, and done twice it leaves what it leaves when done once."""
        self._refuse_when_closed()
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((operation, future))
        if self._flusher is None or self._flusher.done():
            self._flusher = asyncio.create_task(self._flush(), name="record-flush")
        return await future

    async def check(self) -> None:
        """Whether what is written is kept, by writing something, though not more often than every few seconds. Raises
        as any use would."""
        self._require_file()
        async with self._checking:
            now = asyncio.get_running_loop().time
            if now() < self._checked_at + _CHECKED_SECONDS:
                return
            row = {"id": 1, "content": os.urandom(_CHECK_BYTES)}
            await self.write(lambda connection: insert_or_replace(connection, write_check, [row]))
            self._checked_at = now()

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
    def name(self) -> str:
        """The name of the database."""
        return self._url.database or ""

    @property
    def _where(self) -> str:
        """The address for the operator, without the parameters: a password may be among them."""
        return self._url.set(query={}).render_as_string(hide_password=True)

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise RecordUnavailable(*say("record.closed"))

    async def _flush(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting[:GROUP_LIMIT], self._waiting[GROUP_LIMIT:]
            try:
                outcomes = await self._repeated(partial(self._write_once, [operation for operation, _ in group]))
            except PassingTrouble as trouble_of_all:
                outcomes = [(None, trouble_of_all)] * len(group)
            for (_, future), (result, error) in zip(group, outcomes, strict=True):
                if isinstance(error, RecordUnavailable):
                    self._checked_at = float("-inf")
                if future.done():
                    continue
                if error is not None:
                    future.set_exception(error)
                else:
                    future.set_result(result)

    async def _write_once(self, group: list[Operation[Any]]) -> list[Outcome]:
        return await asyncio.get_running_loop().run_in_executor(self._writer, self._run_group, group)

    def _run_group(self, group: list[Operation[Any]]) -> list[Outcome]:
        """Each operation's (result, error). One bad operation does not take the others of its group with it. Raises
        `PassingTrouble`, which concerns them all."""
        try:
            return [(result, None) for result in self._run(lambda c: [run(c) for run in group], True)]
        except PassingTrouble:
            raise
        except Exception as error:  # noqa: BLE001 - handed to the caller
            if len(group) == 1:
                return [(None, error)]
        return [self._run_group([operation])[0] for operation in group]

    async def _repeated(
        self,
        once: Callable[[], Awaitable[T]],
        seconds: float | None = None,
        tell: Callable[[PassingTrouble, float], None] = lambda _error, _left: None,
    ) -> T:
        """The result of `once`, begun again while there is passing trouble and time: `seconds`, which are few unless
        given. `tell` hears before each wait what broke, and how many seconds are left."""
        now = asyncio.get_running_loop().time
        deadline = now() + (min(self._patience, _REPEAT_SECONDS) if seconds is None else seconds)
        waits, tries = pauses(_LONGEST_PAUSE), 1
        while True:
            try:
                result = await once()
            except PassingTrouble as error:
                pause = next(waits)
                if self._closed or now() + pause >= deadline:
                    self._log(error)
                    raise
                tell(error, deadline - now())
            else:
                if tries > 1:
                    logger.warning("the record was away for a moment", extra={"record": self._where, "tries": tries})
                return result
            await asyncio.sleep(pause)
            tries += 1

    def _run(self, operation: Operation[T], writing: bool) -> T:
        engine = self._writing if writing else self._reading
        try:
            with engine.connect().execution_options(askwell_writes=writing) as connection, connection.begin():
                result = operation(connection)
                if writing:
                    self._require_file()
                return result
        except SQLAlchemyError as error:
            broke = trouble(self._name, error, self._setting)
            broke.__cause__ = error  # the log tells its kind
            if not isinstance(broke, PassingTrouble):
                self._log(broke)
            raise broke from error
        except LockTaken as error:
            holder = f" ({error.holder})" if error.holder and not self._opened else ""
            raise PassingTrouble(
                f"Another Askwell service{holder} has {self._name[0].lower()}{self._name[1:]}.",
                f"Stop that one first, or give this one a record of its own in {self._setting}.",
            ) from error

    def _log(self, error: RecordUnavailable) -> None:
        """Once in a while; a start that fails says so itself."""
        message, since = self._said
        if not self._opened or (message == error.message and time.monotonic() < since + _SAID_SECONDS):
            return
        self._said = error.message, time.monotonic()
        cause = error.__cause__
        if isinstance(cause, LockTaken):
            logger.error("another service has the record", extra={"record": self._where, "holder": cause.holder})
        else:
            kind = type(getattr(cause, "orig", None) or cause).__name__
            logger.error("the record cannot be used", extra={"record": self._where, "error": kind})

    def _is_open(self) -> None:
        url = self._url
        if url.get_backend_name() == "sqlite" and url.database not in (None, "", ":memory:"):
            self._file = Path(str(url.database))
            self._identity = _identity(self._file)
            # Another connection would make an empty file where the record was.
            event.listen(self._writing, "do_connect", lambda *_: self._require_file())
        self._name = f"The record {self._file.name}" if self._file else "The record"
        self._opened = True

    def _require_file(self) -> None:
        """Nothing is accepted that could not be found again. Reading goes on: it tells what was accepted before."""
        now = _identity(self._file) if self._file else None
        if now != self._identity:
            happened = "was deleted" if now is None else "was replaced"
            logger.error("the record's file is gone", extra={"record": self._where, "happened": happened})
            raise RecordUnavailable(*say("record.gone", name=self._name, happened=happened))

    async def _prepare_in_time(self) -> None:
        last = ""

        def tell(error: PassingTrouble, left: float) -> None:
            nonlocal last
            if error.message != last:
                last = error.message
                logger.warning("waiting for the record: %s", last, extra={"seconds": round(left)})

        async def once() -> None:
            await asyncio.get_running_loop().run_in_executor(self._writer, self._prepare)

        await self._repeated(once, self._patience, tell)

    def _prepare(self) -> None:
        # Looked at first: a record of another version must not be touched, not even by adding tables.
        self._require_usable(self._run(refusal, False))
        self._run(bring_up_to_date, True)

    def _require_usable(self, refused: tuple[str, str] | None) -> None:
        if refused is not None:
            why, what_to_do = refused
            raise RecordUnavailable(
                *say("record.version", name=self._name, why=why, what_to_do=what_to_do, setting=self._setting)
            )


def _identity(path: Path) -> tuple[int, int] | None:
    """Tells a file from others, in some microseconds."""
    try:
        found = os.stat(path)
    except OSError:  # also a folder on the way that is gone, or that may not be entered any more
        return None
    return found.st_dev, found.st_ino
