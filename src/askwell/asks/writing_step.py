"""SQL that a language model writes: generated, checked, and corrected until it works or no correction is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from askwell.asks.ledger import Ledger
from askwell.asks.proof import Proved, Prover
from askwell.asks.states import AskError
from askwell.config import Settings
from askwell.pipelines.generation.question import QuestionContext, SqlReply
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.sql.outcome import RejectedSql, RejectionKind

if TYPE_CHECKING:
    from askwell.pipelines.generation.build import GenerationPipelines

# What was broken is the diagnosis: a rule, the form of a reply, or a join that the finding names.
_SELF_EVIDENT = frozenset({RejectionKind.GUARD, RejectionKind.EXTRACT, RejectionKind.FAN_OUT})


@dataclass(slots=True)
class SqlWriting:
    """Writes the SQL of one ask. `on_correcting` gets each statement that is to be corrected, and the number of the
    attempt. `standing` answers the ask in any case, while something better is being tried."""

    generation: GenerationPipelines
    question: QuestionContext
    found: RetrievedContext
    plan: str | None
    prover: Prover
    settings: Settings
    ledger: Ledger
    on_correcting: Callable[[RejectedSql, int], None]
    standing: Proved | None = field(default=None, init=False)

    async def run(self) -> Proved | RejectedSql:
        """A statement that works, or the last one that does not. Raises `AskwellError` when a model breaks."""
        with self.ledger.stage("generation"):
            reply = await self.generation.generation.run(self.question, self.found, plan=self.plan)
        outcome = await self._prove(reply)
        earlier: tuple[RejectedSql, ...] = ()
        for attempt in range(1, self.settings.max_sql_correction_retries + 1):
            if isinstance(outcome, Proved):
                break
            self.on_correcting(outcome, attempt)
            rejected = outcome
            outcome = await self._correct(rejected, earlier)
            earlier += (rejected,)
        return await self._without_fan_out(outcome, earlier) if isinstance(outcome, Proved) else outcome

    async def _without_fan_out(self, proved: Proved, earlier: tuple[RejectedSql, ...]) -> Proved:
        """The statement written anew, once, where a join inflates its sums; itself where that gives nothing better.

        It counts among the corrections. Whatever goes wrong from here on, `proved` is an answer.
        """
        if not proved.inflated or len(earlier) >= self.settings.max_sql_correction_retries:
            return proved
        self.standing = proved
        sql = proved.valid.sql
        doubted = RejectedSql(RejectionKind.FAN_OUT, sql=sql, original_sql=sql, error=" ".join(proved.inflated))
        self.on_correcting(doubted, len(earlier) + 1)
        outcome = await self._correct(doubted, earlier)
        return outcome if isinstance(outcome, Proved) and not outcome.inflated else proved

    async def _correct(self, rejected: RejectedSql, earlier: tuple[RejectedSql, ...]) -> Proved | RejectedSql:
        diagnosis = None
        if self.settings.allow_sql_diagnosis and rejected.kind not in _SELF_EVIDENT:
            with self.ledger.stage("diagnosis"):
                diagnosis = await self.generation.diagnosis.run(self.question, self.found, rejected=rejected)
            self.ledger.add(diagnosis.usage)
        with self.ledger.stage("correction"):
            reply = await self.generation.correction.run(
                self.question, self.found, plan=self.plan, rejected=rejected, diagnosis=diagnosis, earlier=earlier
            )
        return await self._prove(reply)

    async def _prove(self, reply: SqlReply) -> Proved | RejectedSql:
        self.ledger.add(reply.usage)
        if reply.sql is None:
            problem = reply.problem or "the model's reply holds no SQL"
            unusable = RejectedSql(RejectionKind.EXTRACT, sql="", original_sql="", error=problem)
            self.ledger.rejected(unusable)
            return unusable
        with self.ledger.stage("check"):
            return await self.prover.prove(reply.sql)


def never_valid(rejected: RejectedSql, retries: int) -> AskError:
    """The error of a statement that never passed; `3002` when the last failure was a time limit."""
    attempts = f"No valid SQL was found after {retries} corrections. The last error: " if retries else ""
    timed_out = rejected.kind is RejectionKind.TIME_OUT
    return AskError(
        code="NO_RELEVANT_SQL",
        message=f"{attempts}{rejected.error}",
        hint="Name the tables, columns or values you mean, or ask a narrower question."
        if not timed_out
        else "The database did not finish in time: ask for fewer rows or a shorter period, or raise engine_timeout.",
        nl2sql_code="3002" if timed_out else None,
    )
