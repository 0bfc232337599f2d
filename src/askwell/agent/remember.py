"""The tool that saves a fact in a variable of the thread."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

from pydantic import Field

from askwell.agent.definition import VARIABLE_CHARACTERS
from askwell.messages import say
from askwell.sql.nearest import nearest_text
from askwell.tools.base import Arguments, Caller, Output, Progress, Result, Tool, ToolFailure


class RememberArguments(Arguments):
    name: Annotated[str, Field(min_length=1, max_length=64)] = Field(description="The name of a variable.")
    value: Annotated[str, Field(max_length=VARIABLE_CHARACTERS)] = Field(description="What it is from now on.")


class Remembered(Result):
    name: str
    value: str


class Remember(Tool[RememberArguments], name="remember", arguments=RememberArguments, result=Remembered):
    """Bound to one run; `writable` are the variables that the agent may change, `keep` changes one."""

    def __init__(self, writable: tuple[str, ...], keep: Callable[[str, str], Awaitable[None]]) -> None:
        self._writable = writable
        self._keep = keep

    async def run(self, caller: Caller, arguments: RememberArguments, progress: Progress) -> Output:
        if arguments.name not in self._writable:
            near = nearest_text(arguments.name, self._writable)
            known = ", ".join(self._writable)
            message = say("tools.no_such_variable", name=arguments.name[:64], near=near, known=known)
            raise ToolFailure("NOT_ALLOWED", *message)
        await self._keep(arguments.name, arguments.value)
        return Output(Remembered(name=arguments.name, value=arguments.value))
