"""The lessons of a database that is asked in this process, or of a service's project, for commands."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from askwell.cli.remote import lessons_call, lessons_text
from askwell.cli.threads import in_own_thread
from askwell.errors import AskwellError

if TYPE_CHECKING:
    from askwell.cli.local.session import LocalSession
    from askwell.services.lessons.book import LessonBook

Changed = TypeVar("Changed")
# The most that a page of a service has.
_PAGE = 1_000
_PROJECT = "default"
Lessons = Sequence[Mapping[str, Any]]


class LocalBook:
    """What was learnt of a database in this process. Everything raises `AskwellError` where it cannot be done."""

    def __init__(self, session: LocalSession) -> None:
        self._book, self._session = session.container.lessons, session

    async def all(self) -> Lessons:
        from askwell.knowledge.lessons import MAX_LESSONS

        return (await self._book.page(_PROJECT, limit=MAX_LESSONS))[0]

    async def teach(self, lesson: Mapping[str, Any]) -> Lessons:
        from askwell.services.lessons.checking import read_form

        return await self._changed(lambda book: book.add(_PROJECT, [read_form(lesson)]))

    async def load(self, text: str) -> tuple[Lessons, Sequence[str]]:
        return await self._changed(lambda book: book.load(_PROJECT, text))

    async def decide(self, lesson_id: str, status: str) -> Mapping[str, Any]:
        from askwell.services.lessons.bodies import LessonChange

        change = LessonChange.model_validate({"status": status})
        return await self._changed(lambda book: book.change(_PROJECT, lesson_id, change))

    async def revert(self, lesson_id: str) -> None:
        await self._changed(lambda book: book.revert(_PROJECT, lesson_id))

    async def remove(self, lesson_ids: Sequence[str]) -> None:
        await self._changed(lambda book: book.delete(_PROJECT, lesson_ids))

    async def export(self) -> str:
        return await self._book.export(_PROJECT)

    async def _changed(self, change: Callable[[LessonBook], Awaitable[Changed]]) -> Changed:
        """Where another command asks the database, it is changed there too, and that is what counts."""
        async with self._session.lessons_in_use() as in_use:
            if in_use is not None:
                changed = await change(in_use)
                with contextlib.suppress(AskwellError):
                    await change(self._book)
                return changed
        if self._session.not_kept:
            raise AskwellError(f"Nothing can be taught now. {self._session.not_kept}", "Try again afterwards.")
        return await change(self._book)


class ServiceBook:
    """That of a project of a running service: the same."""

    def __init__(self, url: str, project: str) -> None:
        self._url, self._project = url, project

    async def all(self) -> Lessons:
        page: list[Mapping[str, Any]] = []
        total = 1
        while len(page) < total:
            found = await self._call("GET", f"?limit={_PAGE}&offset={len(page)}")
            total = found["total"] if found["lessons"] else len(page)
            page += found["lessons"]
        return page

    async def teach(self, lesson: Mapping[str, Any]) -> Lessons:
        kept: Lessons = (await self._call("POST", body={"lessons": [lesson]}))["lessons"]
        return kept

    async def load(self, text: str) -> tuple[Lessons, Sequence[str]]:
        kept = await self._call("POST", "/import", {"yaml": text})
        return kept["lessons"], kept["problems"]

    async def decide(self, lesson_id: str, status: str) -> Mapping[str, Any]:
        return await self._call("PATCH", f"/{lesson_id}", {"status": status})

    async def revert(self, lesson_id: str) -> None:
        await self._call("POST", f"/{lesson_id}/revert")

    async def remove(self, lesson_ids: Sequence[str]) -> None:
        await self._call("DELETE", body={"lesson_ids": list(lesson_ids)})

    async def export(self) -> str:
        return await in_own_thread(partial(lessons_text, self._url, self._project))

    async def _call(self, method: str, path: str = "", body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return await in_own_thread(partial(lessons_call, self._url, self._project, method, path, body))


Book = LocalBook | ServiceBook


@contextlib.asynccontextmanager
async def opened_book(url: str | None, project: str, database: str | None) -> AsyncIterator[Book]:
    """The lessons of a service's project or, without `url`, of a database. Raises `ConfigurationError` where neither
    is named."""
    if url is not None:
        yield ServiceBook(url, project)
        return
    from askwell.cli.local.opening import opened_project

    async with opened_project(database, "lessons") as session:
        yield LocalBook(session)
