"""SQL that a language model writes: generated, checked, and corrected until it works or no correction is left."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from askwell.asks.citations import cited, unmarked
from askwell.asks.failures import late_code
from askwell.asks.proof import Proved, Prover
from askwell.asks.stages import FittedContext, Ledger, Shrink, attempted
from askwell.asks.states import AskError
from askwell.config import Settings
from askwell.messages import say
from askwell.pipelines.generation.question import Diagnosis, QuestionContext, SqlReply
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.providers.llm.base import NoTextReply, UnfinishedReply, Usage
from askwell.providers.llm.call_options import at_temperature, call_options
from askwell.sql.outcome import RejectedSql, RejectionKind

if TYPE_CHECKING:
    from askwell.pipelines.generation.build import GenerationPipelines

# What was broken is the diagnosis: a rule, the form of a reply, what does not answer the question, or a name beside
# which the nearest ones stand.
_SELF_EVIDENT = frozenset({RejectionKind.GUARD, RejectionKind.EXTRACT, RejectionKind.QUESTION, RejectionKind.BIND})
# For a model that writes the same statement again: high enough for another one, low enough for a sensible one.
_ANOTHER_WAY = 0.8


Widen = Callable[[RetrievedContext, tuple[str, ...]], Awaitable[RetrievedContext]]


@dataclass(slots=True)
class SqlWriting:
    """Writes the SQL of one ask, or corrects SQL that came from elsewhere. `on_correcting` gets each statement that is
    to be corrected, and the number of the attempt. `shrink` makes `found` smaller where a prompt with it is too long;
    `first` is a reply that is there already, and `plan` what it went by, or None where nobody reads a plan: another
    statement gets its own. `widen` adds the tables that a rejection names. `standing` answers the ask in any case,
    while something better is being tried; `corrections` counts them. `advice` says what mended such a rejection
    before."""

    generation: GenerationPipelines
    question: QuestionContext
    found: RetrievedContext
    plan: str | None
    prover: Prover
    settings: Settings
    ledger: Ledger
    on_correcting: Callable[[RejectedSql, int], None]
    shrink: Shrink | None = None
    first: SqlReply | None = None
    widen: Widen | None = None
    advice: Callable[[RejectedSql], tuple[str, ...]] = lambda rejected: ()
    standing: Proved | None = field(default=None, init=False)
    corrections: int = field(default=0, init=False)
    _fitted: FittedContext = field(init=False)

    def __post_init__(self) -> None:
        self._fitted = FittedContext(self.found, self.shrink)

    async def run(self) -> Proved | RejectedSql:
        """A statement that works, or the last one that does not. Raises `AskwellError` when a model breaks."""
        if self.first is not None:
            return await self.corrected(await self.prove(self.first))
        with self.ledger.stage("generation"):
            reply = await self._reply(self._generated)
        return await self.corrected(await self.prove(reply))

    async def _generated(self, found: RetrievedContext) -> SqlReply:
        written = await self.generation.generation.run(self.question, found, asks_plan=self.plan is not None)
        if written.plan:
            self.plan = unmarked(*cited(written.plan, self.question.passages))
        return written.reply

    async def _reply(self, call: Callable[[RetrievedContext], Awaitable[SqlReply]]) -> SqlReply:
        try:
            return await self._fitted.ask(call)
        except UnfinishedReply as error:
            self.ledger.add(error.usage)
            raise
        except NoTextReply as error:
            return SqlReply(None, error.message, error.usage)
        except asyncio.CancelledError:
            self.ledger.add(Usage(llm_calls=1))  # what it cost until then nobody tells
            raise

    async def corrected(self, outcome: Proved | RejectedSql) -> Proved | RejectedSql:
        """A statement that was proved, or the corrections of one that was rejected, until one works; the last one where
        none does. Raises `AskwellError` when a model breaks."""
        earlier: tuple[RejectedSql, ...] = ()
        for attempt in range(1, self.settings.max_sql_correction_retries + 1):
            if isinstance(outcome, Proved):
                break
            self._tell(outcome, attempt)
            rejected = outcome
            outcome = await self._correct(rejected, earlier)
            earlier += (rejected,)
        if isinstance(outcome, Proved):
            return await self._to_the_point(outcome, earlier)
        return self.standing or outcome

    async def _to_the_point(self, proved: Proved, earlier: tuple[RejectedSql, ...]) -> Proved:
        """The statement written anew, once, where it does not answer its question; itself where that gives nothing
        better.

        It counts among the corrections. Whatever goes wrong from here on, `proved` is what there is.
        """
        if not proved.is_wrong or len(earlier) >= self.settings.max_sql_correction_retries:
            return proved
        self.standing = proved
        self._tell(proved.refused, len(earlier) + 1)
        outcome = await self._correct(proved.refused, earlier)
        return outcome if isinstance(outcome, Proved) and not outcome.is_wrong else proved

    def _tell(self, rejected: RejectedSql, attempt: int) -> None:
        self.corrections += 1
        self.on_correcting(rejected, attempt)

    async def _correct(self, rejected: RejectedSql, earlier: tuple[RejectedSql, ...]) -> Proved | RejectedSql:
        """The statement written anew. One that was written before is what the plan and the diagnosis led to: the next
        attempt goes another way, without them and the failed statements, and with more variety."""
        await self._show_more(rejected)
        stuck = any(_is_same(rejected, one) for one in earlier)
        plan = None if stuck else self.plan
        diagnosis = None if stuck else await self._diagnosis(rejected)
        question = replace(self.question, lessons=(*self.question.lessons, *self.advice(rejected)))
        with self.ledger.stage("correction"), at_temperature(_ANOTHER_WAY if stuck else call_options().temperature):
            reply = await self._reply(
                lambda found: self.generation.correction.run(
                    question,
                    found,
                    plan=plan,
                    rejected=rejected,
                    diagnosis=diagnosis,
                    earlier=earlier,
                    anew=stuck,
                )
            )
        return await self.prove(reply)

    async def _show_more(self, rejected: RejectedSql) -> None:
        """The tables that a rejection says may be meant stand in the next prompt too; not where half of the schema was
        too much already."""
        fitted = self._fitted
        more = rejected.tables_beyond(fitted.found.schema.tables)
        if more and self.widen is not None and fitted.shrink is self.shrink:
            fitted.found = await self.widen(fitted.found, more)

    async def _diagnosis(self, rejected: RejectedSql) -> Diagnosis | None:
        if not self.settings.allow_sql_diagnosis or rejected.kind in _SELF_EVIDENT:
            return None
        asking = self._fitted.ask(lambda found: self.generation.diagnosis.run(self.question, found, rejected=rejected))
        diagnosis = await attempted("diagnosis", self.ledger, self.settings, asking)
        return diagnosis.value if diagnosis is not None else None

    async def prove(self, reply: SqlReply) -> Proved | RejectedSql:
        """Check what a model wrote; a reply without SQL is a rejection too."""
        self.ledger.add(reply.usage)
        if reply.sql is None:
            problem = reply.problem or "the model's reply holds no SQL"
            unusable = RejectedSql(RejectionKind.EXTRACT, sql="", original_sql="", error=problem)
            self.ledger.rejected(unusable)
            return unusable
        with self.ledger.stage("check"):
            outcome = await self.prover.prove(reply.sql, may_be_rewritten=True)
        self.standing = self.standing or self.prover.empty
        return outcome


def _is_same(one: RejectedSql, other: RejectedSql) -> bool:
    """Whether a model wrote the same statement, or nothing usable for the same reason, twice."""
    return _words(one.original_sql) == _words(other.original_sql) and (
        bool(one.original_sql) or one.error == other.error
    )


def _words(sql: str) -> list[str]:
    return sql.rstrip("; \n").split()


def never_valid(rejected: RejectedSql, retries: int) -> AskError:
    """The error of a statement that never passed; `3002` when the last failure was a time limit, `OTHERS` where neither
    the question nor the statement is at fault."""
    attempts = f"No valid SQL was found after {retries} corrections. The last error: " if retries else ""
    code = late_code(rejected)
    if rejected.hint:
        return AskError("OTHERS", f"{attempts}{rejected.error}", rejected.hint, code)
    why = f"{attempts}{rejected.error}"
    message = say("ask.never_valid", why=why) if code is None else say("ask.database_late", why=why)
    return AskError("NO_RELEVANT_SQL", *message, code)
