"""SQL that a language model writes.

It is generated, checked, and corrected until it works or no correction is left. Several statements for one question are
compared by what they find, and with a second reading by rules.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field, replace
from datetime import date, time
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from askwell.asks.citations import cited, unmarked
from askwell.asks.failures import late_code
from askwell.asks.proof import Proved, Prover
from askwell.asks.stages import FittedContext, Ledger, Shrink, attempted
from askwell.asks.states import AskError
from askwell.config import Settings
from askwell.errors import AskwellError
from askwell.messages import say
from askwell.pipelines.generation.question import Diagnosis, QuestionContext, SqlReply
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.providers.engine.base import QueryRows
from askwell.providers.llm.base import NoTextReply, UnfinishedReply, Usage
from askwell.providers.llm.call_options import at_temperature, call_options
from askwell.semantic_parsing.translation import Translation
from askwell.sql.outcome import RejectedSql, RejectionKind

if TYPE_CHECKING:
    from askwell.asks.ask import Ask
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
    told = say("ask.never_valid", why=why) if code is None else say("ask.database_late", why=why)
    return AskError("NO_RELEVANT_SQL", *told, code)


# High enough for statements that differ where the model is unsure, low enough for ones that work.
_TEMPERATURE = 0.7
# How many there are in all when one is in doubt, and when those do not agree.
_AUTO = (3, 5)
# The share of an ask's time after which a vote is taken among those that are there.
_SHARE_OF_DEADLINE = 0.5
# Digits that equal figures share: sums of floats differ with the order of rows.
_DIGITS = 6

Written = Proved | RejectedSql | AskwellError
# Makes the writing of the candidate with this number, from 0, with a ledger of its own.
MakeWriting = Callable[[int, Ledger], SqlWriting]


@dataclass(frozen=True, slots=True)
class Elected:
    """The statement that won, or the rejection of the first where none passed. `agreement` says how far they agree,
    from 0 to 1, and is no calibrated probability; None where nothing was compared."""

    outcome: Proved | RejectedSql
    agreement: float | None = None
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class Candidates:
    """Writes `wanted` statements for one ask, with `auto` more than one only where the first is in doubt. `deadline` is
    the ask's, in seconds. `standing` answers the ask if it has to end now."""

    wanted: int | Literal["auto"]
    write: MakeWriting
    ledger: Ledger
    deadline: float
    _writings: list[SqlWriting] = field(default_factory=list, init=False)
    _first: Proved | RejectedSql | None = field(default=None, init=False)
    _ended: dict[int, Written] = field(default_factory=dict, init=False)

    @property
    def corrections(self) -> int:
        """Of all statements together."""
        return sum(writing.corrections for writing in self._writings)

    @property
    def standing(self) -> Proved | None:
        """Of what there is, the statement that most others agree with."""
        if (won := _largest(self._ended)) is not None:
            return won.proved
        if isinstance(self._first, Proved):
            return self._first
        return next((writing.standing for writing in self._writings if writing.standing is not None), None)

    async def run(self) -> Elected:
        """Raises `AskwellError` when every candidate breaks, as the first of them did."""
        if self.wanted == 1:
            return Elected(await self._writing(0, self.ledger).run())
        if self.wanted != "auto":
            await self._write_until(self.wanted)
            return self._elected()
        writing = self._writing(0, self.ledger)
        self._first = await writing.run()
        if isinstance(self._first, Proved) and not _is_doubtful(self._first, writing):
            return Elected(self._first)
        for count in _AUTO:
            await self._write_until(count)
            won = _largest(self._ended)
            if won is not None and won.votes > 1:
                break
        return self._elected()

    def _writing(self, number: int, ledger: Ledger) -> SqlWriting:
        writing = self.write(number, ledger)
        self._writings.append(writing)
        return writing

    async def _write_until(self, count: int) -> None:
        """Write what is missing to `count` at once. Ends when the vote is decided; whatever still runs is stopped."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self.deadline * _SHARE_OF_DEADLINE
        with self.ledger.stage("candidates"):
            running = {
                asyncio.create_task(self._write(number), name=f"candidate {number}")
                for number in range(count)
                if number not in self._ended
            }
            try:
                while running and not _is_decided(self._ended, count):
                    # Until one has passed there is nothing to vote on, however late it is.
                    voted = any(isinstance(one, Proved) for one in self._ended.values())
                    left = max(end - loop.time(), 0.0) if voted else None
                    done, running = await asyncio.wait(running, timeout=left, return_when=asyncio.FIRST_COMPLETED)
                    for task in done:
                        task.result()
                    if not done:
                        break
            finally:
                for task in running:
                    task.cancel()
                if running:
                    await asyncio.wait(running)

    async def _write(self, number: int) -> None:
        try:
            self._ended[number] = await self._compared(number)
        except AskwellError as error:
            self._ended[number] = error

    async def _compared(self, number: int) -> Proved | RejectedSql:
        """A candidate with what it is compared by."""
        if number == 0 and self._first is not None:
            outcome = self._first
        else:
            with at_temperature(_TEMPERATURE if number else None):
                outcome = await self._writing(number, self.ledger.part()).run()
        if isinstance(outcome, RejectedSql):
            return outcome
        return await self._writings[0].prover.with_rows(outcome)

    def _elected(self) -> Elected:
        won = _largest(self._ended)
        if won is None:
            first = self._ended[min(self._ended)]
            rejected = next((one for one in self._ended.values() if isinstance(one, RejectedSql)), None)
            if rejected is None:
                assert isinstance(first, AskwellError)
                raise first
            return Elected(rejected)
        count = sum(not isinstance(one, AskwellError) for one in self._ended.values())
        warnings = () if won.votes == count else (_disagreement(won.votes, count),)
        # Laplace's rule of succession: two that agree say less than five.
        return Elected(won.proved, (won.votes + 1) / (count + 2), warnings)


def varied(found: RetrievedContext, number: int) -> RetrievedContext:
    """What was found, with its tables and samples in another order for each number; for 0 as it is. Models read the
    beginning of a list with more attention than its middle."""
    if number == 0:
        return found
    shuffle = random.Random(number)
    tables, samples = found.schema.text.split("\n\n"), list(found.samples)
    shuffle.shuffle(tables)
    tables.sort(key=lambda text: "CREATE " not in text)  # what is said of the others comes after them
    shuffle.shuffle(samples)
    return replace(found, schema=replace(found.schema, text="\n\n".join(tables)), samples=tuple(samples))


@dataclass(frozen=True, slots=True)
class _Group:
    proved: Proved
    votes: int


def _groups(ended: dict[int, Written]) -> list[_Group]:
    """The groups of equal results: those that do not answer the question last, else the largest first; of equal ones,
    those with rows, and then the earliest."""
    groups: dict[Hashable, list[Proved]] = {}
    for _, one in sorted(ended.items(), key=lambda item: item[0]):
        if isinstance(one, Proved):
            groups.setdefault(result_key(one), []).append(one)
    ranked = sorted(groups.values(), key=lambda group: (group[0].is_wrong, -len(group), _finds_nothing(group[0])))
    return [_Group(group[0], len(group)) for group in ranked]


def _largest(ended: dict[int, Written]) -> _Group | None:
    return next(iter(_groups(ended)), None)


def _is_decided(ended: dict[int, Written], count: int) -> bool:
    """Whether those that still run cannot change who wins."""
    votes = [group.votes for group in _groups(ended) if not group.proved.is_wrong][:2]
    return bool(votes) and votes[0] > sum(votes[1:]) + count - len(ended)


def result_key(proved: Proved) -> Hashable:
    """What is compared: the rows in any order, or the planned statement where it was not run."""
    if proved.rows is None:
        return " ".join(proved.valid.planned_sql.split())
    return frozenset(Counter(tuple(map(_cell, row)) for row in proved.rows.rows).items())


def _cell(value: object) -> str:
    match value:
        case bool() | None:
            return str(value)
        case int() | float() | Decimal():
            return f"{float(value):.{_DIGITS}g}"
        case date() | time():
            return value.isoformat()
    return str(value)


def _finds_nothing(proved: Proved) -> bool:
    return proved.rows is not None and _is_empty(proved.rows)


def _is_empty(rows: QueryRows) -> bool:
    return all(value is None for row in rows.rows for value in row)


def _is_doubtful(proved: Proved, writing: SqlWriting) -> bool:
    return writing.corrections > 0 or bool(proved.doubts) or _finds_nothing(proved)


def _disagreement(votes: int, count: int) -> str:
    if votes == 1:
        return f"{count} statements were written for this question, and no two of them gave the same result."
    return f"Of {count} statements that were written for this question, {votes} gave this result."


async def agrees_with_rules(ask: Ask, proved: Proved) -> bool | None:
    """Whether the rules' reading of the question, however unsure, gives the same rows; None where there is no such
    reading, or nothing was run."""
    rules, settings = ask.project.rules, ask.tools.settings
    if rules is None or proved.rows is None:
        return None
    question, bound = ask.question.question, ask.question.bindings
    reading, _ = await asyncio.to_thread(ask.lessons.read, rules, question, ask.project.model, bound=bound)
    if not isinstance(reading, Translation):
        return None
    rows = await ask.prover(ask.ledger).glance(reading.sql, settings.row_limit, float(settings.engine_timeout))
    return None if rows is None else result_key(replace(proved, rows=rows)) == result_key(proved)
