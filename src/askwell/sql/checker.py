"""The whole way of a statement: extract, guard, bind, repair, plan, guard again, and prove it on the engine or run it.

Whatever wrote the text, this is the only road to a database.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from askwell.mdl.semantic_model import SampledValues, SemanticModel, Table, TableKind
from askwell.providers.engine.base import (
    ALL_ROWS,
    Engine,
    QueryFailure,
    QueryRows,
    QueryTerms,
    StreamEnd,
    StreamingEngine,
    TakeRows,
)
from askwell.sql.binder import QUALIFIERS, bind, readable
from askwell.sql.bound import BoundSql
from askwell.sql.context import QueryContext, role_problem
from askwell.sql.extract import NoStatement, extract_sql
from askwell.sql.fanout import Statement, bare_columns, find_fan_outs
from askwell.sql.guard import NAME_RULES, Allowed, Guard, GuardPass, GuardRefusal, Rule
from askwell.sql.guard.functions import functions_of
from askwell.sql.headings import with_headings
from askwell.sql.joins_in_words import joins_in_words
from askwell.sql.names import ByFoldedName, Renamed, as_named, fold
from askwell.sql.nearest import nearest
from askwell.sql.outcome import CheckMode, RejectedSql, RejectionKind, SqlOutcome, ValidSql, in_one
from askwell.sql.planner import PlannedSql, Planner, model_shapes
from askwell.sql.repair import (
    KnownValues,
    Repairer,
    aggregate_in_where,
    foreign_words,
    function_sentence,
    misread_in_mysql,
    missing_functions,
)
from askwell.sql.table_list import TableList

# Up to this many characters parsing, guarding and planning take little of the event loop's time, whatever they are.
_INLINE_CHARACTERS = 600
NO_ROWS = "The statement is valid but returns no rows. A filter may use a value that no row has."
# Names are the model's by then, so what the database does not know is the model's mistake.
_LACKING = {
    "name": "The model no longer fits the database. Update the model and send it again; askwell doctor lists what "
    "the database lacks.",
    "right": "Grant SELECT on the tables of the model to the role that Askwell uses; askwell doctor lists its rights.",
}
_ROLE_LACKS_RIGHT = "Your role in the database may not read it. Ask the owner of the database for the right."
_QUOTED_WORD = re.compile(r"[\"'`]([^\"'`\s]{2,64})[\"'`]|no such (?:column|table|function): ([\w.]+)")


@dataclass(frozen=True, slots=True)
class Executed:
    """A statement that ran, and its rows. Where these hold nothing, `near` says which values of the data come nearest
    to those that it filters by; the warnings say so too."""

    valid: ValidSql
    rows: QueryRows
    near: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Streamed:
    """A statement that ran, and whose rows were handed over; `end` describes them."""

    valid: ValidSql
    end: StreamEnd


@dataclass(frozen=True, slots=True)
class _Read:
    """A statement that names nothing but the model. `slips`: it binds, but only because the parser was lenient."""

    bound: BoundSql
    slips: bool = False
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Ready:
    """A statement that may be run: `sql` is the guard's rendering of the planned tree."""

    valid: ValidSql
    bound: BoundSql
    sql: str
    terms: QueryTerms
    # Why there is no plan, where the statement as bound stands in for one.
    unplanned: RejectedSql | None = None


class SqlChecker:
    """Checks and runs statements over one semantic model on one engine.

    Keeps nothing between statements but the engine's catalogue of functions, which it asks for once. `values` are texts
    known to be in columns, beside those that the model itself lists; they are only ever suggested. Whatever the model
    says, no table of the database is read that is not `listed` (None: all are). `roles` as in `roles.role_problem`.
    """

    def __init__(
        self,
        model: SemanticModel,
        planner: Planner,
        engine: Engine,
        guard: Guard | None = None,
        values: SampledValues | None = None,
        listed: TableList | None = None,
        roles: bool | None = None,
    ) -> None:
        self._model = model
        self._planner = planner
        self._engine = engine
        self._dialect = engine.dialect
        self._guard = guard if guard is not None else Guard(engine.dialect)
        self._listed = listed
        self._roles = roles
        self._names = Allowed(
            ByFoldedName({fold(table.name): table for table in model}, _columns_of),
            QUALIFIERS.get(engine.dialect, frozenset()),
            spelling={fold(name): name for name in model.tables},
            shapes=model_shapes(model, engine.dialect),
            renamed=lambda schema, name: self.renamed(schema, name),
        )
        # What is built on other tables may take long to plan, however short the statement is.
        self._built = [fold(name) for name, table in model.tables.items() if table.kind is not TableKind.MODEL]
        # Views whose statements nobody is shown.
        self._untold = {name for name, one in model.tables.items() if one.kind is TableKind.VIEW and not one.statement}
        self._functions: frozenset[str] | None = None
        self._callable: frozenset[str] = frozenset()
        self._repairer: Repairer | None = None
        self._values = KnownValues(model, values or {}, engine.dialect)
        # Of tables that the model does not have, those that they are by what the project was taught.
        self.renamed: Renamed = as_named

    def with_values(self, values: SampledValues) -> SqlChecker:
        """The same, with these values known."""
        return SqlChecker(self._model, self._planner, self._engine, self._guard, values, self._listed, self._roles)

    def same_for_all(self, table: str, columns: Sequence[str]) -> frozenset[str]:
        """Those of a table's columns of which everybody reads the same values. May take as long as planning does."""
        return self._planner.same_for_all(table, columns)

    async def check(
        self,
        text: str,
        *,
        mode: CheckMode,
        context: QueryContext,
        timeout: float,
        allow_dry_plan_fallback: bool = False,
        question: str = "",
    ) -> SqlOutcome:
        """Prove a statement as far as `mode` says. `text` may be a model's whole reply; `timeout` is in seconds.
        Repairs heed the `question` that the statement answers, where it is given.

        In dry-plan mode nothing reaches the database, except when planning itself breaks and
        `allow_dry_plan_fallback` is set: then the statement as bound, over the model's own names, is dry run. Where
        the engine knows those names it counts as valid, with a warning; otherwise the planning error stands.
        Raises `EngineUnavailable` when the database cannot be used at all.
        """
        fallback = mode is CheckMode.DRY_PLAN and allow_dry_plan_fallback
        ready = await self._prepare(text, context, question, fallback=fallback)
        if isinstance(ready, RejectedSql):
            return ready
        if ready.unplanned is not None:
            failure = await self._engine.dry_run(ready.sql, timeout=timeout, terms=ready.terms)
            return ready.valid if failure is None else ready.unplanned
        match mode:
            case CheckMode.DRY_PLAN:
                return ready.valid
            case CheckMode.DRY_RUN:
                failure = await self._engine.dry_run(ready.sql, timeout=timeout, terms=ready.terms)
                return ready.valid if failure is None else self._failed(RejectionKind.DRY_RUN, failure, ready, text)
            case CheckMode.PREVIEW:
                rows = await self._run(ready, 1, timeout)
                if isinstance(rows, QueryFailure):
                    return self._failed(RejectionKind.PREVIEW_FAILED, rows, ready, text)
                if not rows.rows:
                    near = await asyncio.to_thread(self._values.nearest, ready.bound)
                    return RejectedSql(RejectionKind.PREVIEW_EMPTY_DATA, ready.valid.sql, text, NO_ROWS, near)
                return ready.valid

    async def execute(
        self, text: str, *, context: QueryContext, row_limit: int, timeout: float, question: str = ""
    ) -> Executed | RejectedSql:
        """Check a statement from the start and run it, for at most `row_limit` rows and `timeout` seconds.

        Running it is the proof, so there is no dry run before. `question` is what it is to `check`, and
        `EngineUnavailable` is raised as there.
        """
        ready = await self._prepare(text, context, question, fallback=False)
        if isinstance(ready, RejectedSql):
            return ready
        rows = await self._run(ready, row_limit, timeout)
        if isinstance(rows, QueryFailure):
            return self._failed(RejectionKind.DRY_RUN, rows, ready, text)
        rows = replace(rows, columns=with_headings(rows.columns, ready.bound, self._model))
        if not _holds_nothing(rows):
            return Executed(ready.valid, rows)
        near = await asyncio.to_thread(self._values.nearest, ready.bound)
        return Executed(replace(ready.valid, warnings=(*ready.valid.warnings, *near)), rows, near)

    async def stream(
        self, text: str, take: TakeRows, *, context: QueryContext, timeout: float, row_limit: int = ALL_ROWS
    ) -> Streamed | RejectedSql:
        """Check a statement from the start and run it, and give at most `row_limit` rows to `take`, some at a time.
        `timeout` in seconds, for all of it. An engine that cannot stream gives all of them at once, within its own
        limit of bytes. Raises `EngineUnavailable` when the database cannot be used at all."""
        ready = await self._prepare(text, context, "", fallback=False)
        if isinstance(ready, RejectedSql):
            return ready
        end: StreamEnd | QueryFailure
        if isinstance(self._engine, StreamingEngine):
            end = await self._engine.stream(ready.sql, take, timeout=timeout, terms=ready.terms, row_limit=row_limit)
        else:
            rows = await self._run(ready, row_limit, timeout)
            end = rows if isinstance(rows, QueryFailure) else StreamEnd(rows.columns, rows.truncated)
            if isinstance(rows, QueryRows):
                await take(rows.rows)
        if isinstance(end, QueryFailure):
            return self._failed(RejectionKind.DRY_RUN, end, ready, text)
        return Streamed(ready.valid, end)

    async def _run(self, ready: _Ready, row_limit: int, timeout: float) -> QueryRows | QueryFailure:
        return await self._engine.execute(ready.sql, row_limit=row_limit, timeout=timeout, terms=ready.terms)

    # The steps that need no database

    async def _prepare(
        self, text: str, context: QueryContext, question: str, *, fallback: bool
    ) -> _Ready | RejectedSql:
        problem = role_problem(self._roles, context)
        if problem is not None:
            return RejectedSql(RejectionKind.DRY_PLAN, "", text, problem[0], hint=problem[1])
        if self._functions is None:
            self._functions = await self._engine.functions()
            self._names = replace(self._names, functions=self._functions)
            self._callable = functions_of(self._dialect, self._functions).callable
            renamed = self._names.renamed
            self._repairer = Repairer(self._model, self._dialect, self._callable, self._harmless, renamed)
        extracted = extract_sql(text)
        if isinstance(extracted, NoStatement):
            return RejectedSql(RejectionKind.EXTRACT, "", text, extracted.reason)
        foreign = foreign_words(extracted, self._dialect, self._callable, self._model)
        if foreign:
            return RejectedSql(RejectionKind.BIND, extracted, text, in_one(foreign))
        inline = len(extracted) <= _INLINE_CHARACTERS and not any(name in fold(extracted) for name in self._built)
        read = self._read(extracted) if inline else await asyncio.to_thread(self._read, extracted)
        if isinstance(read, RejectedSql) or read.slips:
            read = await asyncio.to_thread(self._repaired, extracted, read, question)
        if isinstance(read, RejectedSql):
            return replace(read, original_sql=text)
        if inline and not read.repairs:
            return self._planned(read, text, context, fallback=fallback)
        return await asyncio.to_thread(self._planned, read, text, context, fallback=fallback)

    def _read(self, extracted: str) -> _Read | RejectedSql:
        """Guard and bind; what comes out names nothing but the model."""
        shape = self._guard.check_shape(extracted, self._names)
        if isinstance(shape, GuardRefusal):
            return _refused(shape, extracted)
        bound = bind(shape.tree, self._model, self._dialect)
        if isinstance(bound, RejectedSql):
            return replace(bound, original_sql=extracted)
        names = self._guard.check_tree(bound.tree, self._names, spelled=False)
        if isinstance(names, GuardRefusal):
            return _refused(names, extracted)
        missing = missing_functions(bound.tree, self._dialect, self._callable)
        sentences = tuple(function_sentence(call, self._dialect, self._callable) for call in missing)
        misplaced = aggregate_in_where(bound.tree)
        if misplaced is not None:
            sentences += (misplaced,)
        if self._dialect == "mysql":
            sentences += misread_in_mysql(extracted)
        if sentences:
            return RejectedSql(RejectionKind.BIND, extracted, extracted, in_one(sentences))
        assert self._repairer is not None
        return _Read(bound, self._repairer.slips(extracted))

    def _repaired(self, extracted: str, read: _Read | RejectedSql, question: str) -> _Read | RejectedSql:
        """The statement put right, if it then passes all that any other has to; otherwise what was read at first.

        What the guard refuses is not repaired, only what cannot be parsed or names what is not there, and names that
        lack their quotes, which make a call or a parameter of it.
        """
        assert self._repairer is not None
        named = self._repairer.with_quotes(extracted) if isinstance(read, RejectedSql) else None
        if named is not None:
            again = self._read(named.sql)
            if isinstance(again, RejectedSql) or again.slips:
                again = self._mended(named.sql, again, question)
            if isinstance(again, _Read):
                return replace(again, repairs=(named.sentence, *again.repairs))
        return self._mended(extracted, read, question)

    def _mended(self, extracted: str, read: _Read | RejectedSql, question: str) -> _Read | RejectedSql:
        assert self._repairer is not None
        if isinstance(read, RejectedSql) and read.kind not in (RejectionKind.PARSE, RejectionKind.BIND):
            return read
        repaired = self._repairer.repair(extracted, question)
        if repaired is None:
            return read
        again = self._read(repaired.sql)
        return read if isinstance(again, RejectedSql) else replace(again, repairs=repaired.sentences)

    def _harmless(self, sql: str) -> exp.Expr | None:
        """The tree of a text in which the guard finds nothing but unknown names, and parts of which can be written."""
        shape = self._guard.check_shape(sql, self._names)
        return None if isinstance(shape, GuardRefusal) or not self._guard.can_write(shape.tree) else shape.tree

    def _planned(self, read: _Read, text: str, context: QueryContext, *, fallback: bool) -> _Ready | RejectedSql:
        bound = read.bound
        sql = readable(bound.tree, self._dialect)
        planned = self._planner.plan(bound, context)
        if isinstance(planned, RejectedSql):
            unplanned = replace(planned, sql=sql, original_sql=text)
            # What a rule refuses is not tried without the rule.
            fallback = fallback and not self._planner.has_rules
            return self._as_bound(read, sql, unplanned, context) if fallback else unplanned
        physical = self._physical_names(planned)
        checked = self._listed_only(self._guard.check_tree(planned.tree, physical))
        if isinstance(checked, GuardRefusal):
            return replace(_refused(checked, sql), original_sql=text)
        statement = Statement.of(bound, self._model)
        valid = ValidSql(
            sql,
            checked.sql,
            self._dialect,
            bound.tables,
            read.repairs,
            (*_repeated(statement), *bare_columns(statement), *self._values.suggestions(bound)),
            joins_in_words(bound, self._model, statement),
            planned.renames(bound),
            any(name in self._untold for name in planned.written),
        )
        terms = self._terms(frozenset(physical.tables), context, planned.rules)
        return _Ready(valid, bound, checked.sql, terms)

    def _terms(self, tables: frozenset[str], context: QueryContext, hides_rows: bool) -> QueryTerms:
        """Under a role the database may itself hide rows."""
        role = context.database_role if self._roles else None
        return QueryTerms(tables, context.timezone, hides_rows or role is not None, role)

    def _as_bound(self, read: _Read, sql: str, unplanned: RejectedSql, context: QueryContext) -> _Ready | RejectedSql:
        """The statement as bound in place of a plan: the model's visible names are the only ones it may use."""
        bound = read.bound
        checked = self._listed_only(self._guard.check_tree(bound.tree, self._names))
        if isinstance(checked, GuardRefusal):
            return unplanned
        warning = f"The statement could not be planned ({unplanned.error}); it was only tried as it stands."
        statement = Statement.of(bound, self._model)
        warnings, joins = (warning, *_repeated(statement)), joins_in_words(bound, self._model, statement)
        valid = ValidSql(sql, checked.sql, self._dialect, bound.tables, read.repairs, warnings, joins)
        terms = self._terms(frozenset(map(fold, bound.tables)), context, hides_rows=False)
        return _Ready(valid, bound, checked.sql, terms, unplanned)

    def _listed_only(self, checked: GuardPass | GuardRefusal) -> GuardPass | GuardRefusal:
        if isinstance(checked, GuardRefusal) or self._listed is None:
            return checked
        for written in self._listed.strange(checked.tree):
            return GuardRefusal(Rule.TABLE, written, f"There is no table {written} that this project may read.")
        return checked

    def _physical_names(self, planned: PlannedSql) -> Allowed:
        """The tables of exactly the models that the statement reads, and nothing else."""
        return Allowed(
            {
                fold(name): None if columns is None else frozenset(map(fold, columns))
                for name, columns in planned.physical.items()
            },
            frozenset(map(fold, planned.qualifiers)),
            self._functions,
            {fold(name): name for name in planned.physical},
            planned.shapes,
            planned.cte_shapes,
        )

    def _failed(self, kind: RejectionKind, failure: QueryFailure, ready: _Ready, text: str) -> RejectedSql:
        """What the database said, with the names of the model that come nearest to those it complains about."""
        if failure.kind == "timeout":
            kind = RejectionKind.TIME_OUT
        suggestions = _suggestions(failure.message, ready.bound, self._model)
        hint = _LACKING.get(failure.lacks, "")
        if failure.lacks == "right" and ready.terms.role is not None:
            hint = _ROLE_LACKS_RIGHT
        return RejectedSql(kind, ready.valid.sql, text, failure.message, suggestions, hint=hint)


def _holds_nothing(rows: QueryRows) -> bool:
    """No rows, or a single one of nothing but NULL and 0: no row of the tables met the conditions."""
    return len(rows.rows) < 2 and all(value is None or value == 0 for row in rows.rows for value in row)


def _columns_of(table: Table) -> frozenset[str] | None:
    return frozenset(fold(column.name) for column in table.columns)


def _repeated(statement: Statement) -> tuple[str, ...]:
    """A sentence for each aggregate over rows that a join repeats."""
    return tuple(found.sentence for found in find_fan_outs(statement))


def _refused(refusal: GuardRefusal, sql: str) -> RejectedSql:
    """A refusal in the terms of the way: text that is no SQL is a parse error, an unknown name a binding error."""
    if refusal.rule is Rule.UNPARSABLE:
        return RejectedSql(RejectionKind.PARSE, sql, sql, refusal.message)
    if refusal.rule in NAME_RULES:
        return RejectedSql(RejectionKind.BIND, sql, sql, refusal.message)
    where = f" At: {refusal.where}" if refusal.where else ""
    error = f"{refusal.message}{where} (Refused by the rule {refusal.rule}.)"
    return RejectedSql(RejectionKind.GUARD, sql, sql, error, rule=refusal.rule)


def _suggestions(message: str, bound: BoundSql, model: SemanticModel) -> tuple[str, ...]:
    tables = [table for name in bound.tables if (table := model.table(name)) is not None]
    columns = {column.name: table.name for table in tables for column in table.columns}
    known = {fold(name) for name in (*columns, *bound.tables)}
    sentences = []
    for found in _QUOTED_WORD.finditer(message):
        name = (found[1] or found[2]).rsplit(".", 1)[-1]
        if fold(name) in known:
            continue
        near = nearest(name, columns)
        if near:
            sentences.append(f'"{name}": nearest columns are {", ".join(f"{columns[n]}.{n}" for n in near)}')
    return tuple(dict.fromkeys(sentences))[:5]
