"""Whether a statement that somebody wrote answers a question."""

from __future__ import annotations

import asyncio
from typing import Any

import sqlglot

from askwell.checking.check import QuestionCheck
from askwell.checking.finding import Finding, Severity, verdict_of
from askwell.checking.results import probed
from askwell.checking.sureness import Origin, sureness
from askwell.errors import EngineUnavailable, InvalidRequest, StatementRejected
from askwell.providers.engine.base import QueryRows
from askwell.services.projects import ProjectModel
from askwell.sql.binder import QUALIFIERS, bind, readable
from askwell.sql.bound import BoundSql
from askwell.sql.checker import Executed
from askwell.sql.context import QueryContext
from askwell.sql.guard import DIALECTS, Allowed, Guard, GuardRefusal
from askwell.sql.names import fold
from askwell.sql.outcome import SHORTEN, CheckMode, RejectedSql, RejectionKind, ValidSql

_CODES = {RejectionKind.GUARD: "SQL_REFUSED", RejectionKind.TIME_OUT: "SQL_TIMED_OUT"}
_TODO = "Correct the statement."
_ROWS, _PROBE_SECONDS = 1_000, 2.0


async def checked(
    project: ProjectModel,
    sql: str,
    question: str,
    context: QueryContext,
    seconds: float,
    dialect: str | None = None,
    *,
    execute: bool = False,
) -> dict[str, Any]:
    """Whether a statement answers `question`: `{verdict, sureness, findings, rewritten}`. `dialect` is the SQL that it
    is written in, where that is not the database's. Only with `execute` it is run, for at most so many `seconds`, and
    its rows are looked at where they come in that time. Raises `StatementRejected` for a statement that may not be run
    or cannot be read."""
    if dialect is not None and dialect != project.engine.dialect:
        sql = await asyncio.to_thread(_translated, sql, dialect, project)
    checker = project.checker
    outcome: Executed | ValidSql | RejectedSql | None = None
    if execute:
        outcome = await checker.execute(sql, context=context, row_limit=_ROWS, timeout=seconds, question=question)
    if outcome is None or (isinstance(outcome, RejectedSql) and outcome.kind is RejectionKind.TIME_OUT):
        outcome = await checker.check(
            sql,
            mode=CheckMode.DRY_PLAN,
            context=context,
            timeout=seconds,
            allow_dry_plan_fallback=False,
            question=question,
        )
    if isinstance(outcome, RejectedSql):
        if outcome.kind is not RejectionKind.BIND:
            raise statement_rejected(outcome)
        return _verdict((Finding("unknown_name", Severity.WRONG, "", outcome.sql, outcome.error),))
    valid, rows = (outcome.valid, outcome.rows) if isinstance(outcome, Executed) else (outcome, None)
    today = context.now.date()
    against = await asyncio.to_thread(lambda: QuestionCheck(question, project.model, project.value_index, today))
    bound = await asyncio.to_thread(_bound, valid, project)
    findings = await asyncio.to_thread(against.findings, bound, rows)
    if rows is not None:

        async def glance(text: str) -> QueryRows | None:
            try:
                limit = min(seconds, _PROBE_SECONDS)
                found = await checker.execute(text, context=context, row_limit=_ROWS, timeout=limit)
            except EngineUnavailable:  # the statement was looked at all the same
                return None
            return found.rows if isinstance(found, Executed) else None

        findings = await probed(findings, await asyncio.to_thread(against.probes, bound), bound.dialect, glance)
    better = await asyncio.to_thread(against.mended, bound, findings)
    return _verdict(findings, (readable(better.bound.tree, dialect or valid.dialect) or None) if better.said else None)


def _translated(sql: str, dialect: str, project: ProjectModel) -> str:
    """The statement in the database's dialect. Raises `StatementRejected` for what may not be run, or is none in its
    own, and `InvalidRequest` for an unknown dialect."""
    if dialect not in DIALECTS:
        raise InvalidRequest(f"There is no dialect “{dialect}”.", f"Take one of {', '.join(DIALECTS)}.")
    tables = {fold(name): None for name in project.model.tables}
    shape = Guard(dialect).check_shape(sql, Allowed(tables, QUALIFIERS.get(dialect, frozenset())))
    if isinstance(shape, GuardRefusal):
        raise StatementRejected("SQL_REFUSED", shape.message, _TODO)
    return shape.tree.sql(dialect=project.engine.dialect)


def _bound(valid: ValidSql, project: ProjectModel) -> BoundSql:
    bound = bind(sqlglot.parse_one(valid.sql, dialect=valid.dialect), project.model, valid.dialect)
    assert isinstance(bound, BoundSql), "a statement that was planned binds"
    return bound


def _verdict(findings: tuple[Finding, ...], rewritten: str | None = None) -> dict[str, Any]:
    sure = sureness(findings, Origin("given"))
    return {
        "verdict": str(verdict_of(findings)),
        "sureness": round(sure, 3) if sure is not None else None,
        "findings": [finding.as_json() for finding in findings],
        "rewritten": rewritten,
    }


def statement_rejected(found: RejectedSql, todo: str = _TODO) -> StatementRejected:
    """Why a statement has no rows, for whoever wrote it. `todo` is what to do where nothing else is known."""
    suggested = "; ".join(found.suggestions)
    hint = found.hint or suggested or (SHORTEN if found.kind is RejectionKind.TIME_OUT else todo)
    return StatementRejected(_CODES.get(found.kind, "SQL_FAILED"), found.told_to_writer, hint)
