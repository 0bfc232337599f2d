"""What `askwell shell` asks: a database in this process, or a running service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from askwell.cli.lesson_books import Book, LocalBook, ServiceBook
from askwell.cli.remote import ask_service, delete_pair, give_feedback, save_pair
from askwell.cli.threads import in_own_thread
from askwell.errors import InvalidRequest
from askwell.pipelines.generation.question import HistoryTurn

if TYPE_CHECKING:
    from askwell.cli.local.session import LocalSession, Watcher
    from askwell.cli.row_output import AllRows


@dataclass(frozen=True, slots=True)
class Said:
    """A question that was answered, and its statement."""

    question: str
    sql: str


class LocalDoor:
    """A database in this process, asked with the questions before it."""

    def __init__(self, session: LocalSession) -> None:
        self._session = session

    async def ask(self, question: str, watcher: Watcher, turns: Sequence[Said]) -> dict[str, Any]:
        histories = [HistoryTurn(turn.question, turn.sql) for turn in turns]
        return await self._session.ask(question, watcher, histories=histories)

    async def tables(self) -> Sequence[tuple[str, str, Sequence[str]]]:
        model = await self._session.model()
        return [
            (table.name, table.description or "", [f"{c.name} {c.type}".strip() for c in table.columns])
            for table in model
        ]

    async def words(self, sql: str) -> str:
        return await self._session.words(sql)

    async def judge(self, ask_id: str, *, positive: bool) -> None:
        await self._session.judge(ask_id, positive=positive)

    def all_rows(self, sql: str) -> AllRows:
        return partial(self._session.all_rows, sql)

    @property
    def dialect(self) -> str | None:
        return self._session.dialect

    async def save(self, pair: Mapping[str, Any]) -> None:
        await self._session.save_pair(pair)

    async def withdraw(self, pair_id: str) -> None:
        await self._session.delete_pair(pair_id)

    @property
    def book(self) -> Book:
        return LocalBook(self._session)


class ServiceDoor:
    """A running service. What it does not tell over HTTP is not known here."""

    def __init__(self, url: str, project: str) -> None:
        self._url, self._project = url, project

    async def ask(self, question: str, watcher: Watcher, turns: Sequence[Said]) -> dict[str, Any]:
        histories = [{"question": turn.question, "sql": turn.sql} for turn in turns]
        return await ask_service(self._url, self._project, question, watcher, histories=histories)

    async def tables(self) -> Sequence[tuple[str, str, Sequence[str]]]:
        raise InvalidRequest("A service is asked for its tables in words.", "Ask “Which tables are there?”.")

    async def words(self, sql: str) -> str:
        return ""

    async def judge(self, ask_id: str, *, positive: bool) -> None:
        await in_own_thread(partial(give_feedback, self._url, ask_id, self._project, positive=positive))

    def all_rows(self, sql: str) -> None:
        return None

    @property
    def dialect(self) -> str | None:
        return None

    async def save(self, pair: Mapping[str, Any]) -> None:
        await in_own_thread(partial(save_pair, self._url, self._project, pair))

    async def withdraw(self, pair_id: str) -> None:
        await in_own_thread(partial(delete_pair, self._url, self._project, pair_id))

    @property
    def book(self) -> Book:
        return ServiceBook(self._url, self._project)


Door = LocalDoor | ServiceDoor
