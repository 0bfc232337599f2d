"""What the stages of an ask share: costs, the context shown to the language model, and stages that may fail."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from askwell.asks.states import Account
from askwell.config import Settings
from askwell.errors import ModelUnavailable
from askwell.observability.metrics import Metrics
from askwell.pipelines.generation.question import QuestionContext
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.providers.llm.base import NoTextReply, PromptTooLong, Usage
from askwell.providers.llm.call_options import within
from askwell.resources import words_file
from askwell.sql.outcome import RejectedSql

if TYPE_CHECKING:
    from askwell.pipelines.generation.build import GenerationPipelines


class Ledger:
    """Adds up model usage and the time of each stage of one ask; survives a stage that fails. The metrics hear of each
    stage and each rejected statement at once, so that those of an ask that is stopped count too.

    `clock` gives seconds: the wall clock, or a benchmark's count of processor time. `whole`: this is a part of another
    one, which hears of its costs and not of its times, since parts run beside each other.
    """

    def __init__(
        self, metrics: Metrics, clock: Callable[[], float] = time.perf_counter, whole: Ledger | None = None
    ) -> None:
        self._metrics = metrics
        self._clock = clock
        self._whole = whole
        self._usage = Usage()
        self._timings: dict[str, float] = {}
        self._warnings: dict[str, None] = {}
        self._span: tuple[float, float] | None = None
        self._rejections: list[RejectedSql] = []

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the asker is to know of how the answer came about, each thing once."""
        return tuple(self._warnings)

    @property
    def rejections(self) -> tuple[RejectedSql, ...]:
        """The statements that did not pass."""
        return tuple(self._rejections)

    def part(self) -> Ledger:
        """A ledger for work that runs beside other work of the same ask."""
        return Ledger(self._metrics, self._clock, self)

    def add(self, usage: Usage) -> None:
        self._usage += usage
        if self._whole is not None:
            self._whole.add(usage)

    def warn(self, sentence: str) -> None:
        self._warnings[sentence] = None
        if self._whole is not None:
            self._whole.warn(sentence)

    def rejected(self, rejected: RejectedSql) -> None:
        """A statement did not pass."""
        self._metrics.statement_rejected(rejected.kind, rejected.rule)
        for ledger in filter(None, (self, self._whole)):
            ledger._rejections.append(rejected)

    def rules_failed(self) -> None:
        """The rules raised an exception."""
        self._metrics.rules_failed()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time until the block ends, however it ends; a stage that runs again is added to."""
        started = self._clock()
        try:
            yield
        finally:
            ended = self._clock()
            self._span = (min(started, self._span[0]) if self._span else started, ended)
            self._timings[name] = self._timings.get(name, 0.0) + (ended - started) * 1000
            self._metrics.stage_ended(name, ended - started)

    def account(self) -> Account:
        began, ended = self._span or (0.0, 0.0)
        return Account(self._usage, tuple(self._timings.items()), (ended - began) * 1000)


T = TypeVar("T")
Shrink = Callable[[RetrievedContext], Awaitable[RetrievedContext]]


@dataclass(slots=True)
class FittedContext:
    """`found` is made smaller by `shrink`, once, when a prompt with it is too long; every later prompt has the smaller
    one. None of `shrink`: it cannot be."""

    found: RetrievedContext
    shrink: Shrink | None = None
    _shrinking: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def ask(self, call: Callable[[RetrievedContext], Awaitable[T]]) -> T:
        """What `call` gives for what was found. Raises what it raises."""
        shown = self.found
        try:
            return await call(shown)
        except PromptTooLong:
            async with self._shrinking:  # another prompt may have been too long meanwhile
                if self.found is shown:
                    if self.shrink is None:
                        raise
                    self.found, self.shrink = await self.shrink(shown), None
            return await call(self.found)


@dataclass(frozen=True, slots=True)
class StageContext:
    """The question as it is understood by now, and what was found for it. A stage may put something else into `fitted`:
    the stages after it go by that."""

    generation: GenerationPipelines
    question: QuestionContext
    fitted: FittedContext
    settings: Settings
    ledger: Ledger


logger = logging.getLogger(__name__)

# The share of an ask's time that one of them may take: the SQL still has to be written after two that hang.
_SHARE_OF_DEADLINE = 0.25


def optional_seconds(settings: Settings) -> float:
    """How long one of these stages may take."""
    return _SHARE_OF_DEADLINE * float(settings.ask_deadline)


class Reply(Protocol):
    """What a language model said, made of one or more calls."""

    @property
    def usage(self) -> Usage: ...


ReplyT = TypeVar("ReplyT", bound=Reply)


async def attempted(stage: str, ledger: Ledger, settings: Settings, call: Awaitable[ReplyT]) -> ReplyT | None:
    """What the stage gives; None, with a warning on the answer, when the language model fails or is late. The ledger
    has its time and what it cost."""
    with ledger.stage(stage):
        return await skipped_on_failure(stage, ledger, settings, call)


async def skipped_on_failure(stage: str, ledger: Ledger, settings: Settings, call: Awaitable[ReplyT]) -> ReplyT | None:
    """The same for one of several calls of a stage, which is timed as a whole."""
    try:
        with within(optional_seconds(settings)):
            reply = await call
    except asyncio.CancelledError:
        ledger.add(Usage(llm_calls=1))  # what it cost until then nobody tells
        raise
    except ModelUnavailable as error:
        logger.warning("a stage was skipped", extra={"stage": stage, "error": type(error).__name__})
        if isinstance(error, NoTextReply):
            ledger.add(error.usage)
        name = words_file("askwell.asks", "stages.yaml")[stage]
        ledger.warn(f"{name} was skipped. {error.message}")
        return None
    ledger.add(reply.usage)
    return reply
