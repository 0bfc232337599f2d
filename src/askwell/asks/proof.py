"""Proving a statement on the real engine, and running it when rows were asked for."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace
from functools import partial

import sqlglot
from sqlglot import exp

from askwell.asks.request import AskRequest
from askwell.asks.stages import Ledger
from askwell.checking.check import Mended, QuestionCheck
from askwell.checking.finding import Finding, Severity, Verdict, verdict_of, worst_first
from askwell.checking.results import probed
from askwell.config import Settings
from askwell.errors import EngineUnavailable
from askwell.providers.engine.base import QueryRows
from askwell.services.projects import ProjectModel
from askwell.sql.binder import bound_again, readable
from askwell.sql.checker import NO_ROWS, Executed
from askwell.sql.context import QueryContext
from askwell.sql.outcome import CheckMode, RejectedSql, RejectionKind, SqlOutcome, ValidSql, in_one

# Enough to see whether two statements find the same.
_GLANCED_ROWS, _GLANCE_SECONDS = 50, 1.0
_ONE_OF_SEVERAL = "This is not the only one: others share the first place with it."
_RESTRICTING = ("with_", "joins", "where", "having", "qualify", "limit", "offset")
# Queries beside a statement, in seconds: no longer than this, and only where it took the database less than that.
_PROBE_SECONDS, _CHEAP, _PROBE_ROWS = 2.0, 1.0, 50
_LAST_OF_SEVERAL = "Others, which are not shown, share the last place."


@dataclass(frozen=True, slots=True)
class Proved:
    """A statement that holds, with its rows when they were asked for, and what speaks against it as the answer. One
    that finds no rows is also something to correct: `without_rows`."""

    valid: ValidSql
    rows: QueryRows | None = None
    warnings: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    without_rows: RejectedSql | None = None

    @property
    def is_wrong(self) -> bool:
        """Whether it cannot be what was asked."""
        return verdict_of(self.findings) is Verdict.WRONG

    @property
    def doubts(self) -> tuple[str, ...]:
        """Sentences on what speaks against it."""
        return tuple(one.message for one in self.findings if one.severity is not Severity.NOTE)

    @property
    def refused(self) -> RejectedSql:
        """As a statement that is to be written anew, since it does not answer its question."""
        sql = self.valid.sql
        return RejectedSql(RejectionKind.QUESTION, sql, sql, " ".join(self.doubts))


@dataclass(slots=True)
class Prover:
    """Checks statements of one ask in the mode its request chose; with `execute`, running it is the proof. The ledger
    hears of those that do not pass. `question` is what is asked, `background` are texts that say what statements may do
    besides.

    The first statement without rows that may be written anew does not pass with `allow_data_preview`, and where it was
    run and values near its own are known. It is kept as `empty`, and answers the ask where nothing better is written.
    """

    project: ProjectModel
    request: AskRequest
    context: QueryContext
    settings: Settings
    ledger: Ledger
    question: str
    background: str = ""
    empty: Proved | None = field(default=None, init=False)

    async def prove(
        self, sql: str, *, may_be_rewritten: bool = False, asked: str | None = None, vouched: bool = False
    ) -> Proved | RejectedSql:
        """Check `sql`; with `execute`, run it within `row_limit` and `engine_timeout`. What does not keep to what was
        said of the question is not run. `may_be_rewritten`: a writer can correct it, should it find no
        rows. It is checked against `asked`, where that is not the question, and stays as it is where people have
        `vouched` for it."""
        began = time.monotonic()
        broken = await self._broken(sql) if self.request.bindings else None
        outcome = broken or await self._run(sql)
        if isinstance(outcome, RejectedSql):
            self.ledger.rejected(outcome)
            return outcome
        seconds = time.monotonic() - began
        proved = await self._against(outcome, asked or self.question, seconds, vouched=vouched)
        rejected = outcome.without_rows
        if rejected is not None and may_be_rewritten and self.empty is None:
            if self.request.allow_data_preview or rejected.suggestions:
                self.empty = proved
                self.ledger.rejected(rejected)
                return rejected
        return proved

    async def _against(self, proved: Proved, question: str, seconds: float, *, vouched: bool) -> Proved:
        """The statement with what speaks against it, mended where that is provable; it took so many `seconds`. What
        people vouch for stays as it is, and without a question there is nothing to check."""
        project, today = self.project, self.context.now.date()
        bound, index = await asyncio.to_thread(lambda: (bound_again(proved.valid, project.model), project.value_index))
        if bound is None or not question.strip():
            return proved
        against = QuestionCheck(question, project.model, index, today, self.background)
        findings = await asyncio.to_thread(against.findings, bound, proved.rows)
        if proved.rows is not None and seconds < _CHEAP:
            glance = partial(self.glance, most=_PROBE_ROWS, seconds=_PROBE_SECONDS)
            findings = await probed(findings, await asyncio.to_thread(against.probes, bound), bound.dialect, glance)
        if vouched:
            return replace(proved, findings=findings)
        mended = await asyncio.to_thread(against.mended, bound, findings, notes=False)
        again = await self._again(mended) if mended.said else None
        if again is None:
            return replace(proved, findings=findings)
        after = await asyncio.to_thread(against.findings, mended.bound, again.rows)
        codes = {one.code for one in after}
        noted = (one for one in findings if one.severity is Severity.NOTE and one.code not in codes)
        valid = replace(again.valid, repairs=(*proved.valid.repairs, *mended.said, *again.valid.repairs))
        return replace(again, valid=valid, findings=worst_first((*after, *noted)))

    async def _again(self, mended: Mended) -> Proved | None:
        """The mended statement, proved; None where it does not pass."""
        sql = readable(mended.bound.tree, mended.bound.dialect)
        outcome = await self._run(sql)
        return outcome if isinstance(outcome, Proved) else None

    async def _broken(self, sql: str) -> RejectedSql | None:
        """The rejection of a statement that does not keep to what was said of the question; None where it does, and
        where it is no statement over the model."""
        valid = await self._checked(sql, CheckMode.DRY_PLAN)
        if isinstance(valid, RejectedSql):
            return None
        broken = await asyncio.to_thread(self._not_kept, valid)
        return RejectedSql(RejectionKind.CONSTRAINT, valid.sql, sql, in_one(broken)) if broken else None

    def _not_kept(self, valid: ValidSql) -> tuple[str, ...]:
        bound = bound_again(valid, self.project.model)
        return self.request.bindings.broken_by(bound, self.project.model) if bound is not None else ()

    async def with_rows(self, proved: Proved) -> Proved | RejectedSql:
        """The statement with its rows, so that it can be compared with others; as it is where nothing may be run."""
        if proved.rows is not None or self.request.use_dry_plan:
            return proved
        outcome = await self._execute(proved.valid.sql)
        return replace(proved, rows=outcome.rows) if isinstance(outcome, Proved) else outcome

    async def ranked(self, proved: Proved, ranking: str) -> tuple[Proved, tuple[str, ...]]:
        """What is said of the first few rows of a ranking: a warning where a row that is not shown has the place of the
        last one that is, and a note on what they were ranked by, where that is not shown. `ranking` is SQL that gives
        what each of the rows is ranked by, and the next one; where the database does not answer it, nothing is said."""
        if proved.rows is None or not proved.rows.rows:
            return proved, ()
        shown = len(proved.rows.rows)
        found = await self.glance(ranking, shown + 1, float(self.settings.engine_timeout))
        if found is None or len(found.rows) < shown:
            return proved, ()
        notes = _ranked_by(found, shown, {column.name for column in proved.rows.columns})
        places = found.rows
        if len(places) > shown and places[shown - 1] == places[shown]:
            proved = replace(proved, warnings=(*proved.warnings, _ONE_OF_SEVERAL if shown == 1 else _LAST_OF_SEVERAL))
        return proved, notes

    async def glance(self, sql: str, most: int = _GLANCED_ROWS, seconds: float = _GLANCE_SECONDS) -> QueryRows | None:
        """The first rows of a statement; None where nothing may be run, and where they do not come in time."""
        if not self.request.execute:
            return None
        try:
            found = await self.project.checker.execute(sql, context=self.context, row_limit=most, timeout=seconds)
        except EngineUnavailable:  # there is another answer
            return None
        return found.rows if isinstance(found, Executed) else None

    async def _run(self, sql: str) -> Proved | RejectedSql:
        return await (self._execute(sql) if self.request.execute else self._check(sql))

    async def _execute(self, sql: str) -> Proved | RejectedSql:
        executed = await self.project.checker.execute(
            sql,
            context=self.context,
            row_limit=self.settings.row_limit,
            timeout=float(self.settings.engine_timeout),
            question=self.question,
        )
        match executed:
            case RejectedSql():
                return executed
            case Executed(valid, rows, near) if not rows.rows:
                rejected = RejectedSql(RejectionKind.PREVIEW_EMPTY_DATA, valid.sql, sql, NO_ROWS, near)
                return _proved(valid, rows, rejected)
            case Executed(valid, rows):
                return _proved(valid, rows)

    async def _check(self, sql: str) -> Proved | RejectedSql:
        mode = CheckMode.PREVIEW if self.request.allow_data_preview else CheckMode.DRY_RUN
        outcome = await self._checked(sql, CheckMode.DRY_PLAN if self.request.use_dry_plan else mode)
        match outcome:
            case ValidSql():
                return _proved(outcome)
            case RejectedSql(kind=RejectionKind.PREVIEW_EMPTY_DATA):
                valid = await self._checked(sql, CheckMode.DRY_RUN)
                return valid if isinstance(valid, RejectedSql) else _proved(valid, None, outcome)
        return outcome

    async def _checked(self, sql: str, mode: CheckMode) -> SqlOutcome:
        return await self.project.checker.check(
            sql,
            mode=mode,
            context=self.context,
            timeout=float(self.settings.engine_timeout),
            allow_dry_plan_fallback=self.request.allow_dry_plan_fallback,
            question=self.question,
        )


def _proved(valid: ValidSql, rows: QueryRows | None = None, without_rows: RejectedSql | None = None) -> Proved:
    warnings: tuple[str, ...] = (_without_rows(valid),) if without_rows is not None else ()
    if rows is not None and len(rows.rows) == 1 and all(value is None for value in rows.rows[0]):
        warnings = ("Nothing but NULL was found: no rows fit the conditions, or those that do have no value there.",)
    if rows is not None and rows.truncated:
        warnings += (cut_off_after(len(rows.rows)),)
    return Proved(valid, rows, warnings, without_rows=without_rows)


def _without_rows(valid: ValidSql) -> str:
    """That there are no rows, and whether the table has none at all."""
    tree = sqlglot.parse_one(valid.sql, dialect=valid.dialect)
    plain = isinstance(tree, exp.Select) and not any(tree.args.get(clause) for clause in _RESTRICTING)
    if plain and len(valid.tables) == 1:
        return f"The table {valid.tables[0]} has no rows."
    return "The query is valid and returns no rows."


def cut_off_after(count: int) -> str:
    """The warning of an answer that has only the first rows."""
    return f"Only the first {count} rows are shown; there are more."


def _ranked_by(places: QueryRows, shown: int, columns: set[str]) -> tuple[str, ...]:
    name = places.columns[0].name
    if name in columns:
        return ()
    first, last = (_figure(places.rows[place][0]) for place in (0, shown - 1))
    figures = first if shown == 1 else f"from {first} to {last}"
    return (f"Ranked by {name.replace('_', ' ')}: {figures}.",)


def _figure(value: object) -> str:
    return str(round(value, 2)) if isinstance(value, float) else str(value)
