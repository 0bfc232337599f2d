"""The tool by which an agent changes variables of its thread."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, ClassVar

from pydantic import Field

from askwell.agent.definition import VARIABLE_CHARACTERS
from askwell.sql.nearest import nearest_text
from askwell.tools.base import Arguments, Caller, Output, Progress, Result, Tool, ToolFailure


class RememberArguments(Arguments):
    name: Annotated[str, Field(min_length=1, max_length=64)] = Field(description="The name of a variable.")
    value: Annotated[str, Field(max_length=VARIABLE_CHARACTERS)] = Field(description="What it is from now on.")


class Remembered(Result):
    name: str
    value: str


class Remember(Tool[RememberArguments]):
    """Bound to one run; `writable` are the variables that the agent may change, `keep` changes one."""

    name: ClassVar[str] = "remember"
    title: ClassVar[str] = "Remember"
    description: ClassVar[str] = (
        "Keeps a text under the name of a variable of this conversation, for later turns. Use it when the person says "
        "something about themselves or about how they want answers, and a variable is there for it."
    )
    arguments: ClassVar[type[Arguments]] = RememberArguments
    result: ClassVar[type[Result]] = Remembered

    def __init__(self, writable: tuple[str, ...], keep: Callable[[str, str], Awaitable[None]]) -> None:
        self._writable = writable
        self._keep = keep

    async def run(self, caller: Caller, arguments: RememberArguments, progress: Progress) -> Output:
        if arguments.name not in self._writable:
            near = nearest_text(arguments.name, self._writable)
            raise ToolFailure(
                "NOT_ALLOWED",
                f"{arguments.name[:64]} is no variable that you may change{near}.",
                f"You may change: {', '.join(self._writable)}.",
            )
        await self._keep(arguments.name, arguments.value)
        return Output(Remembered(name=arguments.name, value=arguments.value))
