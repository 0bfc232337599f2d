"""What was asked, as those who signed in may see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from askwell.access.current import Call, current_call
from askwell.asks.history import AskHistory
from askwell.knowledge.jobs import JobFilter
from askwell.web.guard.jobs import is_own

# What an administrator is told of somebody else's ask in a list: no rows, and no words that were made of them.
_TOLD_TO_ADMINS = ("query_id", "status", "type", "response", "sql_source", "nl2sql_code", "trace_id")


class GuardedHistory:
    """Everybody sees their own asks; an administrator everybody's, with little of what others were told."""

    def __init__(self, history: AskHistory) -> None:
        self._history = history

    async def latest(
        self, project_id: str, chosen: JobFilter, *, limit: int, offset: int
    ) -> tuple[Sequence[Mapping[str, Any]], int]:
        """See `AskHistory.latest`."""
        call = _call_for(project_id)
        own = replace(chosen, owner=_only_of(call))
        page, total = await self._history.latest(project_id, own, limit=limit, offset=offset)
        return [one if is_own(one["owner"], call) else _for_admins(one) for one in page], total

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


def _for_admins(listed: Mapping[str, Any]) -> Mapping[str, Any]:
    result = {name: listed["result"][name] for name in _TOLD_TO_ADMINS if name in listed["result"]}
    if error := listed["result"].get("error"):
        result["error"] = {"code": error["code"]}
    # Whether it was right, without the words that say why.
    feedback = listed["notes"].get("feedback")
    notes = {"feedback": {"positive": feedback["positive"]}} if feedback else {}
    return {**listed, "result": {**result, "is_own": False}, "notes": notes}
