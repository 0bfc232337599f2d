"""What was asked: a project's asks one by one, and in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from askwell.asks.request import AskRequest
from askwell.asks.states import AskState
from askwell.jobs.service import JobService
from askwell.knowledge.jobs import JobFilter
from askwell.knowledge.record import Record
from askwell.knowledge.usage import FailedJob, JobGroup

# Examples of a cause, the last ones.
_EXAMPLES = 3


class AskHistory:
    """Asks of a project as far back as they can be read."""

    def __init__(self, asks: JobService[AskRequest, AskState], record: Record) -> None:
        self._asks = asks
        self._record = record

    async def latest(
        self,
        project_id: str,
        chosen: JobFilter,
        *,
        limit: int,
        offset: int,
    ) -> tuple[Sequence[Mapping[str, Any]], int]:
        """See `JobReader.latest`."""
        return await self._asks.latest(project_id, chosen, limit=limit, offset=offset)

    async def usage(self, project_id: str, days: int, owner: str | None = None) -> dict[str, Any]:
        """The last `days` days, today the last of them, in UTC: what was asked, how it ended and what it cost, each day
        by itself; why asks failed, with the last questions of `owner` alone where one is named; and what wrote the SQL
        of answers."""
        kind, now = self._asks.kind, self._asks.now()
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        since = max(midnight - timedelta(days=days - 1), self._asks.oldest())
        groups = await self._record.usage.groups(kind.name, project_id, since)
        failed = await self._record.usage.failed(kind.name, project_id, since, _EXAMPLES, owner)
        dates = [since.date() + timedelta(days=number) for number in range((now.date() - since.date()).days + 1)]
        return {
            "days": [_day(one, [group for group in groups if group.day == one]) for one in dates],
            "causes": _causes(groups, failed),
            "sources": _counted("source", (one for one in groups if one.status == "finished")),
        }


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
