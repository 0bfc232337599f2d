"""What stands around asks: lists, feedback, corrections, statements and charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import IO, Any, Literal, Protocol

from askwell.asks.corrections import Correction
from askwell.asks.feedback import Feedback
from askwell.asks.meant import Meant
from askwell.asks.request import AskRequest
from askwell.knowledge.jobs import JobFilter
from askwell.row_files.files import RowFileFormat
from askwell.services.statements import PersonsStatement


class History(Protocol):
    """What was asked in projects."""

    async def latest(
        self, project_id: str, chosen: JobFilter, *, limit: int, offset: int
    ) -> tuple[Sequence[Mapping[str, Any]], int]:
        """A page of a project's asks, latest first: `{id, request, result, created_at, notes}`; and how many there
        are."""
        ...

    async def usage(self, project_id: str, days: int) -> Mapping[str, Any]:
        """`{days, causes, sources}` of the last days."""
        ...


class AskFeedback(Protocol):
    """What people say of answers."""

    async def give(self, ask_id: str, feedback: Feedback) -> dict[str, Any]:
        """`{accepted_question_id?, lesson_ids}`. Raises `NotFound` and `InvalidRequest`."""
        ...


class AskCorrections(Protocol):
    """What questions mean: said with them, or when they were asked back."""

    async def in_advance(self, request: AskRequest, meant: Meant) -> AskRequest:
        """The request, which keeps to what the caller says that it means. Raises `NotFound` and `InvalidRequest`."""
        ...

    async def give(self, ask_id: str, correction: Correction) -> None:
        """Go on with the ask. Raises `NotFound`, `Conflict`, `InvalidRequest`, `Busy` and `Unavailable`."""
        ...


class Statements(Protocol):
    """Statements that people write; `services.statements.Statements` says what each gives and raises."""

    async def run(self, said: PersonsStatement, limit: int) -> Mapping[str, Any]: ...

    async def export(self, said: PersonsStatement, form: RowFileFormat) -> IO[bytes]: ...

    async def check(
        self, said: PersonsStatement, question: str, dialect: str | None = None, *, execute: bool = False
    ) -> Mapping[str, Any]: ...


class ChartPictures(Protocol):
    """Draws charts that were made."""

    async def draw(
        self, jobs: Any, job_id: str, image: Literal["svg", "png"], *, width: int | None, height: int | None
    ) -> bytes:
        """The picture. Raises `NotFound` until there is a chart, and `ChartsNotInstalled`."""
        ...


class Vega(Protocol):
    """The library that draws charts in browsers."""

    async def compressed(self) -> bytes:
        """One JavaScript module, as gzip. Raises `ChartsNotInstalled` and `Unavailable`."""
        ...
