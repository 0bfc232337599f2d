"""The tables that a question needs, chosen by a language model in three phases: each candidate alone, those that are
relevant together, and what the SQL has to do with them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from askwell.asks.learning import said_of
from askwell.asks.request import TableSelection
from askwell.asks.stages import StageContext, attempted, skipped_on_failure
from askwell.mdl.join_candidates import read_joins
from askwell.mdl.join_graph import JoinEdge
from askwell.mdl.names import listed
from askwell.mdl.semantic_model import ColumnRef, SemanticModel
from askwell.pipelines.generation.question import Answered, QueryRequirements
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.semantic_parsing.translation import Abstention, Choice
from askwell.sql.bindings import Bindings, Equations, equations_of

if TYPE_CHECKING:
    from askwell.pipelines.generation.table_selection import Required

logger = logging.getLogger(__name__)

# A table that could not be judged is kept where so many at most are as near to the question.
_KEPT_UNJUDGED = 3
# The share of an ask's time after which tables that are not judged yet count as such.
_SHARE_OF_DEADLINE = 0.5
# Nobody reads a longer list.
_MOST_OPTIONS = 8


@dataclass(slots=True)
class TableSelector:
    """Chooses tables for the question of `stage`, and goes on from what was chosen `so_far`. `keep` writes each step
    down; `shown` gives what was found with these tables, in so many tokens at most. A call that fails does no harm: a
    table that could not be judged is kept if it is one of the nearest, and what is relevant is not narrowed further."""

    stage: StageContext
    prepared: PreparedModel
    so_far: TableSelection
    keep: Callable[[TableSelection], Awaitable[None]]
    shown: Callable[[Sequence[str], int | None], Awaitable[RetrievedContext]]
    _kept: TableSelection | None = field(default=None, init=False)
    _keeping: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def tables(self) -> tuple[str, ...]:
        """The tables that the question needs, those first that it is bound to; none where none is relevant."""
        if self.so_far.tables is None:
            relevant = await self._relevant()
            await self._note(tables=relevant if self._is_silent else await self._refined(relevant))
        ignored = self.stage.question.bindings.not_tables
        known = (name for name in self.so_far.tables or () if name in self.prepared.model.tables)
        return tuple(dict.fromkeys((*self._bound, *(name for name in known if name not in ignored))))

    async def requirements(self, tables: tuple[str, ...], found: RetrievedContext) -> QueryRequirements | None:
        """What the SQL over these tables has to do, of which `found` shows all; None where it is unknown."""
        if self.so_far.requirements is None and not self._is_silent:
            reply = await self._required(tables, found)
            if reply is not None:
                await self._note(requirements=reply.value[0], joins=reply.value[1])
        required = self.so_far.requirements
        if required is None:
            return None
        over = self.stage.question.bindings.relationships
        return _narrowed(
            required, tables, [equations_of(name, self.prepared.model) for name in over], self.prepared.model
        )

    async def _note(self, **known: Any) -> None:
        usage = self.stage.ledger.account().usage
        self.so_far = replace(self.so_far, usage=usage, **known)
        async with self._keeping:
            if (newest := self.so_far) is not self._kept:  # whoever waited less may have kept this too
                await self.keep(newest)
                self._kept = newest

    @property
    def _bound(self) -> tuple[str, ...]:
        """The tables that the statement has to read, whatever the model says."""
        bindings = self.stage.question.bindings
        figure = (bindings.figure,) if isinstance(bindings.figure, ColumnRef) else ()
        named = (*bindings.tables, *(ref.table for ref in (*bindings.columns, *figure)))
        return tuple(dict.fromkeys(name for name in named if name in self.prepared.model.tables))

    @property
    def _open(self) -> list[str]:
        """The candidates, best first, of which nobody has said whether they are meant."""
        settled = {*self._bound, *self.stage.question.bindings.not_tables}
        return [name for name in self.stage.fitted.found.candidates if name not in settled]

    @property
    def _is_silent(self) -> bool:
        """Whether the model judged none of the tables that it was shown: it is not asked for more."""
        return bool(self._open) and not self.so_far.verdicts

    # -- the first phase --------------------------------------------------------------------------------------------

    async def _relevant(self) -> tuple[str, ...]:
        """The tables that are relevant or bound, best first."""
        candidates, asked = list(self.stage.fitted.found.candidates), self._open
        await self._judge([name for name in asked if name not in self.so_far.verdicts])
        verdicts = self.so_far.verdicts
        if unjudged := [name for name in asked if name not in verdicts]:
            self.stage.ledger.warn(
                f"{len(unjudged)} of {len(candidates)} tables could not be judged. Of these only tables among the "
                f"{_KEPT_UNJUDGED} nearest to the question were kept."
            )
        nearest = candidates[:_KEPT_UNJUDGED]
        kept = (name for name in asked if (verdicts[name].is_relevant if name in verdicts else name in nearest))
        return (*self._bound, *kept)

    async def _judge(self, tables: Sequence[str]) -> None:
        """Judge these tables, so many at once."""
        settings = self.stage.settings
        slots = asyncio.Semaphore(settings.selection_concurrency)
        with self.stage.ledger.stage("table_relevance"):
            running = {asyncio.create_task(self._judge_one(name, slots), name=f"table {name}") for name in tables}
            try:
                async with asyncio.timeout(float(settings.ask_deadline) * _SHARE_OF_DEADLINE):
                    await asyncio.gather(*running)
            except TimeoutError:
                logger.warning("tables were not judged in time")
            finally:
                for task in running:
                    task.cancel()
                if running:
                    await asyncio.wait(running)

    async def _judge_one(self, name: str, slots: asyncio.Semaphore) -> None:
        """The verdict is kept before another table has its turn: a crash costs no more verdicts than there are
        slots."""
        stage, found = self.stage, self.stage.fitted.found
        async with slots:
            asking = stage.generation.relevance.run(
                stage.question,
                found,
                table=self.prepared.model.tables[name],
                ddl=found.candidates[name],
            )
            judgement = await skipped_on_failure("table_relevance", stage.ledger, stage.settings, asking)
            if judgement is not None and judgement.value is not None:
                await self._note(verdicts={**self.so_far.verdicts, name: judgement.value})

    # -- the second and the third -----------------------------------------------------------------------------------

    async def _refined(self, relevant: tuple[str, ...]) -> tuple[str, ...]:
        if len(relevant) < 2:
            return relevant
        from askwell.pipelines.generation.table_selection import JudgedTable

        stage, verdicts = self.stage, self.so_far.verdicts
        judged = []
        for name in relevant:
            line, verdict = self.prepared.text.line(name).text, verdicts.get(name)
            judgement = (verdict.confidence, verdict.columns, verdict.reasoning) if verdict is not None else ()
            judged.append(JudgedTable(name, line, *judgement))
        asking = stage.generation.refinement.run(
            stage.question,
            stage.fitted.found,
            judged=judged,
            tokens=stage.settings.max_tokens_per_call,
        )
        refined = await attempted("table_refinement", stage.ledger, stage.settings, asking)
        if refined is None:
            return relevant
        if not refined.value:
            logger.warning("all tables were used: the language model gave no usable reply")
            return relevant
        return tuple(name for name in relevant if name in refined.value or name in self._bound)

    async def _required(self, tables: tuple[str, ...], found: RetrievedContext) -> Answered[Required] | None:
        stage, most = self.stage, self.stage.settings.max_tokens_per_call
        asking = stage.generation.requirements.run(
            stage.question,
            found if found.schema.tokens <= most else await self.shown(tables, most),
            tables=tables,
            model=self.prepared.model,
        )
        return await attempted("query_requirements", stage.ledger, stage.settings, asking)


def which_table(
    required: QueryRequirements | None, bindings: Bindings, model: SemanticModel, question: str, unplaced: Sequence[str]
) -> Abstention | None:
    """What has to be asked back where any one of several tables would answer the question alone, and nothing was
    answered yet; else None. Its words are those of the question that all these tables are called by, or else the one
    that rules left `unplaced`."""
    if required is None or required.joins_needed or len(required.tables) < 2 or bindings:
        return None
    tables = [model.tables[name] for name in required.tables[:_MOST_OPTIONS]]
    choices = tuple(
        Choice(
            table.display_name or table.name,
            Bindings(tables=(table.name,), not_tables=tuple(other.name for other in tables if other is not table)),
            table.description or "",
        )
        for table in tables
    )
    message = f"The question could be about {listed((choice.label for choice in choices), 'or')}. Say which one."
    called = {said_of(question, table.name) for table in tables}
    words = unplaced if "" in called else tuple(called)
    return Abstention("ambiguous_table", message, tuple(words) if len(words) == 1 else (), choices=choices)


def _narrowed(
    required: QueryRequirements, tables: tuple[str, ...], over: Sequence[Equations], model: SemanticModel
) -> QueryRequirements:
    """The same for fewer tables, joined `over` these columns, where an answer said which are meant."""
    known, settled = set(tables), [{ref.table for pair in one for ref in pair} for one in over]

    def fits(edge: JoinEdge) -> bool:
        ends = {edge.left, edge.right}
        return ends <= known and (ends not in settled or edge.equations in over)

    joins = tuple(join for join in required.joins if all(map(fits, read_joins(model, join))))
    return replace(required, tables=tables, joins=joins, joins_needed=required.joins_needed and len(tables) > 1)
