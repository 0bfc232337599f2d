"""Running golds and answers on the database that was asked, and comparing what they give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from askwell.errors import EngineUnavailable
from askwell.providers.engine.base import Engine
from askwell.sql.query_result import QueryBroke, QueryResult, is_ordered, run_query, shows
from askwell.sql.same_result import same_result
from askwell_evaluation.questions import Question

EMPTY = "gives no rows"


# What results keep of rows, for reading.
_KEPT_ROWS = 20
_KEPT_CHARACTERS = 200


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
    first = _as_json(golds[0][0]) if golds else None
    if not golds:
        return Score(False, False, broken_gold=broken)
    if isinstance(answer, QueryBroke):
        return Score(False, False, f"the statement does not run: {answer.message}", gold=first)
    contained = None
    for gold, ordered in golds:
        if same_result(gold.rows, answer.rows, ordered=ordered):
            return Score(True, True, answer=_as_json(answer), gold=_as_json(gold))
        if contained is None and shows(gold.rows, answer.rows, ordered=ordered):
            contained = gold
    shapes = " or ".join(dict.fromkeys(_shape(gold) for gold, _ in golds))
    why = f"{_shape(answer)}, gold has {shapes}"
    if contained is not None:
        why = f"the gold's columns are there, others or in another order: {why}"
    return Score(False, contained is not None, why, _as_json(answer), _as_json(contained) if contained else first)


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


def _as_json(result: QueryResult) -> dict[str, Any]:
    """The first rows, JSON-ready, long values cut, and how many there are."""
    shown = [[_cut(value) for value in row] for row in result.rows[:_KEPT_ROWS]]
    return {"columns": list(result.columns), "rows": shown, "count": len(result.rows)}


def _shape(result: QueryResult) -> str:
    """In words: how many rows of how many columns."""
    if not result.rows:
        return "no rows"
    return f"{_counted(len(result.rows), 'row')} of {_counted(len(result.rows[0]), 'column')}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _cut(value: Any) -> Any:
    if isinstance(value, int | float | bool) or value is None:
        return value
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= _KEPT_CHARACTERS else f"{text[: _KEPT_CHARACTERS - 1]}…"
