"""What was asked: a project's asks one by one, and in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from askwell.access.caller import Caller
from askwell.asks.request import AskRequest
from askwell.asks.states import AskState
from askwell.jobs.service import JobService
from askwell.knowledge.jobs import JobFilter
from askwell.knowledge.record import Record
from askwell.knowledge.usage import FailedJob, JobGroup

# Examples of a cause, the last ones.
_EXAMPLES = 3
# What an administrator sees of someone else's ask in a list: no rows, and no words that were made of them. Messages of
# errors are such words: they name what was not understood, and the nearest values.
_SHOWN_TO_ADMINS = ("query_id", "status", "type", "response", "sql_source", "nl2sql_code", "trace_id")
# … and whoever curates, of an answer that was reported as wrong: what made it, and not its SQL, which may hold values.
_SHOWN_TO_CURATORS = ("query_id", "status", "type", "sql_source")


class AskHistory:
    """Asks of a project as far back as they can be read."""

    def __init__(self, asks: JobService[AskRequest, AskState], record: Record) -> None:
        self._asks = asks
        self._record = record

    async def latest(
        self,
        caller: Caller,
        project_id: str,
        chosen: JobFilter,
        *,
        limit: int,
        offset: int,
    ) -> tuple[Sequence[Mapping[str, Any]], int]:
        """See `JobReader.latest`. Everybody sees their own asks; an administrator everybody's, with little of what
        others were answered. That an answer is wrong is a report to those who curate the project: they see these
        questions too, with the remark."""
        page, total = await self._asks.latest(project_id, _visible_filter(caller, chosen), limit=limit, offset=offset)
        reduce = _without_answer if caller.may("admin") else _question_alone
        return [one if caller.owns(one["owner"]) else reduce(one) for one in page], total

    async def usage(self, caller: Caller, project_id: str, days: int) -> dict[str, Any]:
        """The last `days` days, today the last of them, in UTC: what was asked, how it ended and what it cost, each day
        by itself; why asks failed, with the last questions that the caller may see; and what wrote the SQL of answers.
        The numbers are those of the whole project."""
        kind, now = self._asks.kind, self._asks.now()
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        since = max(midnight - timedelta(days=days - 1), self._asks.oldest())
        groups = await self._record.usage.groups(kind.name, project_id, since)
        failed = await self._record.usage.failed(kind.name, project_id, since, _EXAMPLES, _owner_filter(caller))
        dates = [since.date() + timedelta(days=number) for number in range((now.date() - since.date()).days + 1)]
        return {
            "days": [_day(one, [group for group in groups if group.day == one]) for one in dates],
            "causes": _causes(groups, failed),
            "sources": _counted("source", (one for one in groups if one.status == "finished")),
        }


def _owner_filter(caller: Caller) -> str | None:
    """The id of the caller, where they see nobody else's questions."""
    return None if caller.may("admin") else caller.principal.id


def _visible_filter(caller: Caller, chosen: JobFilter) -> JobFilter:
    """What is chosen, of what the caller may see."""
    if not caller.is_anybody and chosen.feedback is False and caller.may("curate"):
        # What was asked before people signed in is the administrators' alone.
        return replace(chosen, of_somebody=not caller.may("admin"))
    return replace(chosen, owner=_owner_filter(caller))


def _without_answer(listed: Mapping[str, Any]) -> Mapping[str, Any]:
    result = {name: listed["result"][name] for name in _SHOWN_TO_ADMINS if name in listed["result"]}
    if error := listed["result"].get("error"):
        result["error"] = {"code": error["code"]}
    return {**listed, "result": {**result, "is_own": False}, "notes": _visible_feedback(listed)}


def _question_alone(listed: Mapping[str, Any]) -> Mapping[str, Any]:
    """The question by itself: what was asked before it was not reported."""
    result = {name: listed["result"][name] for name in _SHOWN_TO_CURATORS if name in listed["result"]}
    asked = {"query": listed["request"]["query"]}
    return {**listed, "request": asked, "result": {**result, "is_own": False}, "notes": _visible_feedback(listed)}


def _visible_feedback(listed: Mapping[str, Any]) -> Mapping[str, Any]:
    """Whether the answer was right; the words that say why where it was not, which are for those who curate."""
    feedback = listed["notes"].get("feedback")
    if not feedback:
        return {}
    names = ("positive",) if feedback["positive"] else ("positive", "comment")
    return {"feedback": {name: feedback[name] for name in names if name in feedback}}


def _day(day: date, groups: Sequence[JobGroup]) -> dict[str, Any]:
    ended = Counter[str | None]()
    for group in groups:
        ended[group.status] += group.jobs
    return {
        "date": day.isoformat(),
        "asks": ended.total(),
        "answered": ended["finished"],
        "failed": ended["failed"],
        "stopped": ended["stopped"],
        "unfinished": ended[None],
        "llm_calls": sum(one.llm_calls for one in groups),
        "prompt_tokens": sum(one.prompt_tokens for one in groups),
        "completion_tokens": sum(one.completion_tokens for one in groups),
        "cost_usd": round(sum(one.cost_usd for one in groups), 6),
    }


def _causes(groups: Iterable[JobGroup], failed: Sequence[FailedJob]) -> list[dict[str, Any]]:
    causes = _counted("code", (one for one in groups if one.status == "failed"))
    for cause in causes:
        examples = (one for one in failed if one.code == cause["code"])
        cause["examples"] = [{"query_id": one.id, "query": one.query} for one in examples]
    return causes


def _counted(what: str, groups: Iterable[JobGroup]) -> list[dict[str, Any]]:
    """How many there are of each, the most frequent first."""
    counts = Counter[str]()
    for group in groups:
        if (named := getattr(group, what)) is not None:
            counts[named] += group.jobs
    return [{what: name, "count": count} for name, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))]
