"""Running golds and answers on the database that was asked, and comparing what they give."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from askwell.errors import EngineUnavailable
from askwell.providers.engine.base import Engine, QueryFailure
from askwell.sql.same_result import Row, same_result
from askwell_evaluation.databases import QueryBroke, is_ordered, shows
from askwell_evaluation.questions import Question

EMPTY = "gives no rows"

_SECONDS = 30.0
_MOST_ROWS = 100_000
# What results keep of rows, for reading.
_KEPT_ROWS = 20
_KEPT_CHARACTERS = 200
# Engines give decimals as text, which would tell 1.5 from 1.50.
_DECIMAL = re.compile(r"\s*(decimal|numeric|number|bignumeric|money)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Rows with the names of their columns; without names where a file gave the rows."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    def as_json(self) -> dict[str, Any]:
        """The first rows, JSON-ready, long values cut, and how many there are."""
        shown = [[_cut(value) for value in row] for row in self.rows[:_KEPT_ROWS]]
        return {"columns": list(self.columns), "rows": shown, "count": len(self.rows)}

    @property
    def shape(self) -> str:
        """In words: how many rows of how many columns."""
        if not self.rows:
            return "no rows"
        return f"{_counted(len(self.rows), 'row')} of {_counted(len(self.rows[0]), 'column')}"


@dataclass(frozen=True, slots=True)
class Score:
    """How an answer compares with the golds. `strict`: its rows are those of a gold. `contained`: it has a gold's rows
    and, among its columns, the gold's. `why` says in words why it is not strictly right, else empty. `broken_gold` is
    the database's message where no gold gives a result today."""

    strict: bool
    contained: bool
    why: str = ""
    answer: Mapping[str, Any] | None = None
    gold: Mapping[str, Any] | None = None
    broken_gold: str = ""


async def run_query(engine: Engine, sql: str) -> QueryResult | QueryBroke:
    """All rows of a statement, or why the database refuses it. Raises `EngineUnavailable`."""
    found = await engine.execute(sql, row_limit=_MOST_ROWS, timeout=_SECONDS)
    if isinstance(found, QueryFailure):
        return QueryBroke(found.message)
    decimals = [bool(_DECIMAL.match(column.type)) for column in found.columns]
    rows = found.rows
    if any(decimals):
        rows = tuple(tuple(_number(v) if d else v for v, d in zip(row, decimals, strict=True)) for row in rows)
    return QueryResult(tuple(column.name for column in found.columns), rows)


async def what_is_wrong_with(engine: Engine, question: Question) -> str:
    """Why a question cannot be scored: `fails: …` or `gives no rows`; "" where it can. An empty gold is matched by many
    wrong statements."""
    if question.is_checked:
        return ""
    try:
        found = [await run_query(engine, sql) for sql in question.golds]
    except EngineUnavailable as error:
        return f"fails: {error.message}"
    results = [one for one in found if isinstance(one, QueryResult)]
    if not results:
        return next(f"fails: {one.message}" for one in found if isinstance(one, QueryBroke))
    return "" if any(one.rows for one in results) else EMPTY


async def score(engine: Engine, question: Question, planned_sql: str) -> Score:
    """How the answer that `planned_sql` gives compares with what the golds give now. Raises `EngineUnavailable`."""
    answer = await run_query(engine, planned_sql)
    golds, broken = await _golds(engine, question)
    first = golds[0][0].as_json() if golds else None
    if not golds:
        return Score(False, False, broken_gold=broken)
    if isinstance(answer, QueryBroke):
        return Score(False, False, f"the statement does not run: {answer.message}", gold=first)
    contained = None
    for gold, ordered in golds:
        if same_result(gold.rows, answer.rows, ordered=ordered):
            return Score(True, True, answer=answer.as_json(), gold=gold.as_json())
        if contained is None and shows(gold.rows, answer.rows, ordered=ordered):
            contained = gold
    shapes = " or ".join(dict.fromkeys(gold.shape for gold, _ in golds))
    why = f"{answer.shape}, gold has {shapes}"
    if contained is not None:
        why = f"the gold's columns are there, others or in another order: {why}"
    return Score(False, contained is not None, why, answer.as_json(), contained.as_json() if contained else first)


async def _golds(engine: Engine, question: Question) -> tuple[list[tuple[QueryResult, bool]], str]:
    """What each gold gives, with whether its order counts; and what the last one that fails says."""
    if question.rows is not None:
        return [(QueryResult((), question.rows), bool(question.ordered))], ""
    given, broken = [], ""
    for sql in question.golds:
        found = await run_query(engine, sql)
        if isinstance(found, QueryBroke):
            broken = found.message
        else:
            ordered = is_ordered(sql, engine.dialect) if question.ordered is None else question.ordered
            given.append((found, ordered))
    return given, broken


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _number(value: Any) -> Any:
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _cut(value: Any) -> Any:
    if isinstance(value, int | float | bool) or value is None:
        return value
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= _KEPT_CHARACTERS else f"{text[: _KEPT_CHARACTERS - 1]}…"
