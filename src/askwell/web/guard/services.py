"""All services, each behind the door that asks who calls.

Files that people send, for those who signed in.

What was asked, as those who signed in may see it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any

from askwell.access.access import Access
from askwell.access.current import Call, current_call, known_call
from askwell.asks.corrections import Correction
from askwell.asks.feedback import Feedback
from askwell.asks.history import AskHistory
from askwell.asks.meant import Meant
from askwell.asks.request import AskRequest
from askwell.charts.vega_library import VegaLibrary
from askwell.errors import Busy, Forbidden
from askwell.knowledge.jobs import JobFilter
from askwell.observability.metrics import Metrics
from askwell.observability.tracing import Tracing
from askwell.principal import Principal
from askwell.row_files.files import RowFileFormat
from askwell.services.health.semantic_models import NO_MODEL_YET
from askwell.services.statements import PersonsStatement
from askwell.services.uploads import Uploads
from askwell.web.guard.conversations import GuardedConversations
from askwell.web.guard.jobs import Counted, GuardedJobs, counted_person, is_own
from askwell.web.guard.saved import (
    GuardedArchives,
    GuardedDocuments,
    GuardedKnowledge,
    GuardedLessons,
    GuardedPreparation,
    GuardedSemanticModels,
)

if TYPE_CHECKING:
    from askwell.container import Container


# What an administrator is told of somebody else's ask in a list: no rows, and no words that were made of them. Messages
# of errors are such words: they name what was not understood, and the nearest values.
_TOLD_TO_ADMINS = ("query_id", "status", "type", "response", "sql_source", "nl2sql_code", "trace_id")
# … and whoever curates, of an answer that was reported as wrong: what made it, and not its SQL, which may hold values.
_TOLD_TO_CURATORS = ("query_id", "status", "type", "sql_source")


class GuardedHistory:
    """Everybody sees their own asks; an administrator everybody's, with little of what others were told. That an answer
    is wrong is a report to those who keep the project in order: who curates sees these questions too, with the
    remark."""

    def __init__(self, history: AskHistory) -> None:
        self._history = history

    async def latest(
        self, project_id: str, chosen: JobFilter, *, limit: int, offset: int
    ) -> tuple[Sequence[Mapping[str, Any]], int]:
        """See `AskHistory.latest`."""
        call = _call_for(project_id)
        page, total = await self._history.latest(project_id, _seen_by(call, chosen), limit=limit, offset=offset)
        told = _for_admins if call.principal.may("admin") else _for_curators
        return [one if is_own(one["owner"], call) else told(one) for one in page], total

    async def usage(self, project_id: str, days: int) -> Mapping[str, Any]:
        """The numbers are those of the whole project; questions are shown as `latest` lists them."""
        call = _call_for(project_id)
        return await self._history.usage(project_id, days, owner=_only_of(call))


def _call_for(project_id: str) -> Call:
    call = current_call()
    call.require_project(project_id)
    return call


def _only_of(call: Call) -> str | None:
    """The id of the caller, where they see nobody else's questions."""
    return None if call.principal.may("admin") else call.principal.id


def _seen_by(call: Call, chosen: JobFilter) -> JobFilter:
    """What is chosen, of what the caller may see."""
    if chosen.feedback is False and call.principal.may("curate"):
        # What was asked before people signed in is the administrators' alone.
        return replace(chosen, of_somebody=not call.principal.may("admin"))
    return replace(chosen, owner=_only_of(call))


def _for_admins(listed: Mapping[str, Any]) -> Mapping[str, Any]:
    result = {name: listed["result"][name] for name in _TOLD_TO_ADMINS if name in listed["result"]}
    if error := listed["result"].get("error"):
        result["error"] = {"code": error["code"]}
    return {**listed, "result": {**result, "is_own": False}, "notes": _report(listed)}


def _for_curators(listed: Mapping[str, Any]) -> Mapping[str, Any]:
    """The question by itself: what was asked before it was not reported."""
    result = {name: listed["result"][name] for name in _TOLD_TO_CURATORS if name in listed["result"]}
    asked = {"query": listed["request"]["query"]}
    return {**listed, "request": asked, "result": {**result, "is_own": False}, "notes": _report(listed)}


def _report(listed: Mapping[str, Any]) -> Mapping[str, Any]:
    """Whether the answer was right; the words that say why where it was not, which are for those who are told."""
    feedback = listed["notes"].get("feedback")
    if not feedback:
        return {}
    told = ("positive",) if feedback["positive"] else ("positive", "comment")
    return {"feedback": {name: feedback[name] for name in told if name in feedback}}


class GuardedUploads:
    """A project that somebody sent is theirs, and of whoever may use every project. `counted` hears of each that is
    sent, whose model is prepared, and raises `Busy` where it is one too many."""

    def __init__(self, uploads: Uploads, counted: Counted) -> None:
        self._uploads, self._counted = uploads, counted

    @property
    def are_taken(self) -> bool:
        return self._uploads.are_taken

    @property
    def most_bytes(self) -> int:
        return self._uploads.most_bytes

    def require_room(self) -> None:
        self._uploads.require_room()

    async def add(self, file: IO[bytes], name: str, wanted: str | None) -> tuple[str, str]:
        call = current_call()
        await self._counted(call.principal.id)
        project_id, label = await self._uploads.add(file, name, wanted, call.principal.person)
        call.projects.add(project_id)
        return project_id, label

    async def delete(self, project_id: str) -> None:
        current_call().require_project(project_id)
        await self._uploads.delete(project_id)


_NOT_SET_UP = {"ok": True, "message": "not set up", "set_up": False}
_NO_MODEL = {**_NOT_SET_UP, "message": NO_MODEL_YET}
_WORKS = {True: "works", False: "does not work; `askwell doctor` says why"}


class _Feedback:
    def __init__(self, container: Container, asks: GuardedJobs) -> None:
        self._container, self._asks = container, asks

    async def give(self, ask_id: str, feedback: Feedback) -> dict[str, Any]:
        await self._asks.require(ask_id)
        if current_call().principal.may("curate"):
            return await self._container.feedback.give(ask_id, feedback)
        if feedback.positive or feedback.sql is not None:
            raise Forbidden(
                "What is right answers everybody's question from then on: this takes the role curate; yours is ask.",
                'Say only that it is wrong, `{"positive": false}`, with a comment.',
            )
        return await self._container.feedback.note_wrong(ask_id, feedback.comment)


class _Corrections:
    def __init__(self, container: Container, asks: GuardedJobs) -> None:
        self._container, self._asks = container, asks

    async def in_advance(self, request: AskRequest, meant: Meant) -> AskRequest:
        call = current_call()
        call.require_project(request.project_id)
        return await self._container.corrections.in_advance(request, meant, call.principal.person)

    async def give(self, ask_id: str, correction: Correction) -> None:
        await self._asks.require(ask_id)
        await self._container.corrections.give(ask_id, correction)


class _Statements:
    """Run for whoever calls, and counted like asks."""

    def __init__(self, container: Container, counted: Counted) -> None:
        self._container, self._counted = container, counted

    async def run(self, said: PersonsStatement, limit: int) -> Mapping[str, Any]:
        return await self._container.statements.run(await self._own(said), limit)

    async def export(self, said: PersonsStatement, form: RowFileFormat) -> IO[bytes]:
        return await self._container.statements.export(await self._own(said), form)

    async def check(
        self, said: PersonsStatement, question: str, dialect: str | None = None, *, execute: bool = False
    ) -> Mapping[str, Any]:
        return await self._container.statements.check(await self._own(said), question, dialect, execute=execute)

    async def _own(self, said: PersonsStatement) -> PersonsStatement:
        return replace(said, person=await counted_person(said.project_id, self._counted))


class GuardedServices:
    """A container's services for those who have signed in; its parts are there once it is started."""

    def __init__(self, container: Container) -> None:
        self._container = container

    async def _counted(self, principal_id: str) -> None:
        seconds = await self.access.limits.ask(principal_id)
        if seconds is not None:
            raise Busy(
                "You have asked for more than sign_in.limits.asks allows in a minute.",
                f"Try again in {seconds} seconds.",
                retry_after=seconds,
            )

    @property
    def access(self) -> Access:
        """Who may call."""
        access = self._container.access
        assert access is not None
        return access

    @cached_property
    def asks(self) -> GuardedJobs:
        return GuardedJobs(self._container.asks, self._counted)

    @cached_property
    def jobs(self) -> Mapping[str, GuardedJobs]:
        return {name: GuardedJobs(jobs, self._counted) for name, jobs in self._container.jobs.items()}

    @cached_property
    def history(self) -> GuardedHistory:
        return GuardedHistory(self._container.history)

    @cached_property
    def feedback(self) -> _Feedback:
        return _Feedback(self._container, self.asks)

    @cached_property
    def corrections(self) -> _Corrections:
        return _Corrections(self._container, self.asks)

    @cached_property
    def lessons(self) -> GuardedLessons:
        return GuardedLessons(self._container.lessons)

    @cached_property
    def documents(self) -> GuardedDocuments:
        return GuardedDocuments(self._container.documents, self._counted)

    @property
    def tracing(self) -> Tracing:
        return self._container.tracing

    @cached_property
    def uploads(self) -> GuardedUploads:
        return GuardedUploads(self._container.uploads, self._counted)

    def with_uploads(self, principal: Principal) -> Principal:
        """The principal, who may use the projects that they sent too."""
        if principal.projects is None:
            return principal
        return replace(principal, projects=principal.projects | self._container.uploads.projects_of(principal.id))

    @cached_property
    def archives(self) -> GuardedArchives:
        return GuardedArchives(self._container.archives)

    @cached_property
    def conversations(self) -> GuardedConversations:
        return GuardedConversations(self._container.conversations, self._counted)

    @property
    def chart_images(self) -> Any:
        """The doors that it is given are guarded already."""
        return self._container.chart_images

    @property
    def vega(self) -> VegaLibrary:
        return self._container.vega

    @cached_property
    def statements(self) -> _Statements:
        return _Statements(self._container, self._counted)

    @cached_property
    def preparation(self) -> GuardedPreparation:
        return GuardedPreparation(self._container.preparation, self._counted)

    @cached_property
    def semantic_models(self) -> GuardedSemanticModels:
        return GuardedSemanticModels(self._container.semantic_models)

    @cached_property
    def knowledge(self) -> GuardedKnowledge:
        return GuardedKnowledge(self._container.knowledge, self._counted)

    @property
    def metrics(self) -> Metrics:
        return self._container.metrics

    @property
    def ending(self) -> asyncio.Event:
        return self._container.ending

    async def start(self) -> None:
        await self._container.start()

    async def stop(self) -> None:
        await self._container.stop()

    async def readiness(self) -> Mapping[str, Mapping[str, Any]]:
        """What works, without the names of projects, databases and models; to who curates, also which database of their
        projects does not."""
        checks = await self._container.readiness()
        found: dict[str, bool] = {}
        named: dict[str, Mapping[str, Any]] = {}
        absent: dict[str, Mapping[str, Any]] = {}
        for name, one in checks.items():
            kind, _, project = name.partition(".")
            if project and _may_be_named(project):
                named[name] = one
                continue
            found[kind] = found.get(kind, True) and bool(one["ok"])
            if one.get("set_up") is False:
                absent[kind] = _NO_MODEL if kind == "semantic_models" else _NOT_SET_UP
        told = {kind: {"ok": is_ok, "message": _WORKS[is_ok]} for kind, is_ok in found.items()}
        return {**told, **absent, **named}


def _may_be_named(project_id: str) -> bool:
    call = known_call()
    return call is not None and call.principal.may("curate") and call.principal.may_use(project_id)
