"""All tools of a service, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from askwell.asks.corrections import AskCorrections
from askwell.asks.request import AskRequest
from askwell.asks.states import AskState
from askwell.jobs.kind import JobState
from askwell.jobs.service import JobService
from askwell.pipelines.retrieval import Retrieval
from askwell.services.documents import Documents
from askwell.services.projects import ProjectModels
from askwell.sql.nearest import nearest_text
from askwell.tools.asking import AskData
from askwell.tools.base import Caller, Output, Progress, Tool, ToolFailure
from askwell.tools.catalogue import DescribeTable, FindTables, FindValues
from askwell.tools.charts import MakeChart
from askwell.tools.passages import SearchPassages
from askwell.tools.statements import RunSql


@dataclass(frozen=True, slots=True)
class Doors:
    """What the tools lead to. `engine_timeout` is what a statement gets on the database, in seconds."""

    projects: ProjectModels
    retrieval: Retrieval
    documents: Documents
    asks: JobService[AskRequest, AskState]
    corrections: AskCorrections
    jobs: Mapping[str, JobService[Any, JobState]]
    engine_timeout: float


class Toolbox:
    """The tools that a project offers to language models."""

    def __init__(self, doors: Doors) -> None:
        tools: tuple[Tool[Any], ...] = (
            FindTables(doors.projects, doors.retrieval),
            DescribeTable(doors.projects),
            FindValues(doors.projects),
            AskData(doors.asks, doors.corrections, doors.projects),
            RunSql(doors.projects, doors.engine_timeout),
            SearchPassages(doors.documents),
            MakeChart(doors.jobs, doors.asks, doors.projects),
        )
        self._tools = {tool.name: tool for tool in tools}

    def __iter__(self) -> Iterator[Tool[Any]]:
        return iter(self._tools.values())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all tools, in the order in which they are offered."""
        return tuple(self._tools)

    def tool(self, name: str) -> Tool[Any]:
        """The tool of that name. Raises `ToolFailure`."""
        found = self._tools.get(name)
        if found is None:
            raise ToolFailure(
                "UNKNOWN_TOOL",
                f"There is no tool {name[:64]}{nearest_text(name, self._tools)}.",
                f"There are: {', '.join(self._tools)}.",
            )
        return found

    async def call(self, name: str, caller: Caller, given: Mapping[str, Any], progress: Progress) -> Output:
        """Call a tool by name, with arguments as they came. Raises `ToolFailure` for everything that is known to go
        wrong."""
        return await self.tool(name).call(caller, given, progress)
