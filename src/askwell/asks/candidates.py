"""Several statements for one question compared by what they find, and a second reading by rules beside them."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from datetime import date, time
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from askwell.asks.proof import Proved
from askwell.asks.stages import Ledger
from askwell.asks.writing_step import SqlWriting
from askwell.errors import AskwellError
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.providers.llm.call_options import at_temperature
from askwell.semantic_parsing.translation import Translation
from askwell.sql.outcome import RejectedSql

if TYPE_CHECKING:
    from askwell.asks.ask import Ask


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
    return proved.rows is not None and all(value is None for row in proved.rows.rows for value in row)


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
