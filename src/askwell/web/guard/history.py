"""What was asked, as those who signed in may see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from askwell.access.current import Call, current_call
from askwell.asks.history import AskHistory
from askwell.knowledge.jobs import JobFilter
from askwell.web.guard.jobs import is_own

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
