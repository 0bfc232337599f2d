"""All tools of a service, by name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from askwell.asks.corrections import AskCorrections
from askwell.asks.request import AskRequest
from askwell.asks.states import AskState
from askwell.jobs.kind import JobState
from askwell.jobs.service import JobService
from askwell.pipelines.retrieval import Retrieval
from askwell.principal import Person
from askwell.privacy.current import current_vault, holding, is_decided
from askwell.privacy.vault import Vault
from askwell.services.documents import Documents
from askwell.services.projects import ProjectModels
from askwell.sql.nearest import nearest_text
from askwell.tools.asking import AskData
from askwell.tools.base import Caller, Output, Progress, Tool, ToolFailure
from askwell.tools.catalogue import DescribeTable, FindTables, FindValues, SearchPassages
from askwell.tools.charts import MakeChart
from askwell.tools.statements import CheckSql, RunSql

# Hears of a call: who, of which project, which tool, with which arguments, and how many rows came.
Heard = Callable[[Person, str, str, Mapping[str, Any], int | None], None]


@dataclass(frozen=True, slots=True)
class Doors:
    """What the tools lead to. `engine_timeout` is what a statement gets on the database, in seconds; `vault_for` gives
    what masks the values of a project, None where these may leave."""

    projects: ProjectModels
    retrieval: Retrieval
    documents: Documents
    asks: JobService[AskRequest, AskState]
    corrections: AskCorrections
    jobs: Mapping[str, JobService[Any, JobState]]
    engine_timeout: float
    vault_for: Callable[[str], Awaitable[Vault | None]]


class Toolbox:
    """The tools that a project offers to language models."""

    def __init__(self, doors: Doors, heard: Heard = lambda *_: None) -> None:
        """`heard` is told of each call that was answered."""
        self._heard = heard
        self._vault_for = doors.vault_for
        tools: tuple[Tool[Any], ...] = (
            FindTables(doors.projects, doors.retrieval),
            DescribeTable(doors.projects),
            FindValues(doors.projects),
            AskData(doors.asks, doors.corrections, doors.projects),
            RunSql(doors.projects, doors.engine_timeout),
            CheckSql(doors.projects, doors.engine_timeout),
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
        """Call a tool by name, with arguments as they came. Within a job its vault masks what the tool sends. Raises
        `ToolFailure` for everything that is known to go wrong."""
        tool = self.tool(name)
        vault = current_vault() if is_decided() else await self._vault_for(caller.project_id)
        with holding(vault):
            output = await tool.call(caller, given, progress)
        rows = output.rows["row_count"] if output.rows is not None else None
        self._heard(caller.person, caller.project_id, name, given, rows)
        return output
