"""A language model with tools, asked again until it has an answer: Haystack's `Agent`, within bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from askwell.providers.llm.base import Usage

# How a loop ended: with an answer, with half of one, because its owner wanted it, or after the last step it had.
Ending = Literal["text", "length", "stopped", "max_steps"]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool as the model made it. `id` is the model's own."""

    id: str
    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """A turn that was taken before: of a `user`; of the `assistant`, with its calls; of a `tool`, which answers one."""

    role: Literal["user", "assistant", "tool"]
    text: str
    calls: tuple[Call, ...] = ()
    answers: Call | None = None


@dataclass(frozen=True, slots=True)
class LoopEnd:
    """How it ended, what it cost, and the steps it took: calls of the model."""

    ending: Ending
    usage: Usage
    steps: int


class Owner(Protocol):
    """Whoever the loop works for."""

    async def stop(self) -> bool:
        """Whether the model is to be asked no more; asked before each step."""
        ...

    def hear(self, piece: str) -> None:
        """A piece of what the model writes."""
        ...

    async def called(self, text: str, calls: Sequence[Call]) -> None:
        """The model wrote this and made these calls, of tools that there are or not."""
        ...

    async def call(self, call: Call) -> str:
        """What a tool gives the model to read. What it raises ends the loop."""
        ...

    async def unanswered(self, call: Call, content: str) -> None:
        """A call that no tool answered, such as one of a tool that there is not, and what the model is told."""
        ...

    async def answered(self, text: str, *, is_cut: bool) -> str | None:
        """The model wrote this and made no call. What it is to be told to go on; None where that is the answer."""
        ...
