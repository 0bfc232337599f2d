"""All tools of a service, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from askwell.messages import say
from askwell.principal import Person
from askwell.privacy.current import current_vault, holding, is_decided
from askwell.sql.nearest import nearest_text
from askwell.tools.base import Caller, Doors, Output, Progress, ProjectTool, Tool, ToolFailure
from askwell.tools.jobs import AskData, MakeChart
from askwell.tools.lookups import CheckSql, DescribeTable, FindTables, FindValues, RunSql, SearchPassages

# Hears of a call: who, of which project, which tool, with which arguments, and how many rows came.
Heard = Callable[[Person, str, str, Mapping[str, Any], int | None], None]


class Toolbox:
    """The tools that a project offers to language models."""

    def __init__(self, doors: Doors, heard: Heard = lambda *_: None) -> None:
        """`heard` is told of each call that was answered."""
        self._heard = heard
        self._vault_for = doors.vault_for
        kinds: tuple[type[ProjectTool[Any]], ...]
        kinds = (FindTables, DescribeTable, FindValues, AskData, RunSql, CheckSql, SearchPassages, MakeChart)
        self._tools: dict[str, Tool[Any]] = {kind.name: kind(doors) for kind in kinds}

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
            near, known = nearest_text(name, self._tools), ", ".join(self._tools)
            raise ToolFailure("UNKNOWN_TOOL", *say("tools.unknown", name=name[:64], near=near, known=known))
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
