"""How many broken statements are found without a database and put right without a model (`askwell eval repair`): by
execution accuracy, on the SQLite files of the cases."""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from sqlglot import exp, parse_one

from askwell.mdl.semantic_model import ColumnRef, SemanticModel
from askwell.providers.engine.factory import create_engine
from askwell.sql.binder import ModelCatalogue
from askwell.sql.bound import BoundSql
from askwell.sql.checker import SqlChecker
from askwell.sql.context import QueryContext
from askwell.sql.extract import extract_sql
from askwell.sql.outcome import CheckMode, SqlOutcome, ValidSql
from askwell.sql.planner import PlannedSql, Planner
from askwell.sql.query_result import QueryBroke, is_ordered
from askwell.sql.same_result import same_result
from askwell.sql.scopes import resolve
from askwell_evaluation.databases import (
    Spider,
    SqliteReader,
    introspected_model,
    read_spider_tables,
    sampled_values,
)
from askwell_evaluation.questions import each_database, read_rows, sample
from askwell_evaluation.report import Report

# Runs on the database and needs its data to be noticed: never repaired, so no part of the totals.
VALUE_KIND = "value_case"
_TIMEOUT = 20.0

_COLUMNS = (("detected", 5), ("repaired", 9), ("wrong", 5), ("cases", 2))


@dataclass(frozen=True, slots=True)
class Case:
    """A broken statement and its gold."""

    kind: str
    db_id: str
    bad_sql: str
    gold_sql: str
    question: str


@dataclass(frozen=True, slots=True)
class Judged:
    """One case: whether it was found before execution, what came of it, whether the right value was suggested, and how
    long the whole way took in milliseconds."""

    kind: str
    detected: bool
    verdict: Literal["repaired", "wrong", "refused"]
    suggested: bool
    ms: float


def run_repair(cases: Path, databases: Path, *, limit: int | None = None, seed: int = 0) -> Report:
    """Check every case, every distinct gold of the cases, and every gold with one used column out of the model.

    `cases` holds a JSON object a line, `databases` is the folder of `<db_id>.sqlite`; a `tables.json` beside either
    gives foreign keys that the files leave out. `seed` says which sample of `limit` cases, and which columns. Raises
    `InvalidRequest` for files that cannot be read.
    """
    rows = sample(read_rows(cases, _case, "id, kind, db_id, bad_sql and gold_sql"), limit, seed)
    spider = read_spider_tables(databases.parent) or read_spider_tables(cases.parent)
    figures = asyncio.run(_figures(sorted(rows, key=lambda case: case.db_id), databases, spider, seed))
    return Report(figures, _lines(figures))


def _case(row: Mapping[str, Any]) -> Case:
    return Case(row["kind"], row["db_id"], row["bad_sql"], row["gold_sql"], row.get("question", ""))


async def _figures(cases: Sequence[Case], databases: Path, spider: Mapping[str, Spider], seed: int) -> dict[str, Any]:
    judged: list[Judged] = []
    unchanged: list[bool] = []
    answered: list[bool] = []
    for path, mine in each_database(cases, databases):
        with closing(SqliteReader(path, _TIMEOUT)) as reader:
            bench = _Bench(path, reader, introspected_model(reader.connection, spider.get(path.stem)))
            try:
                judged += [await bench.judge(case) for case in mine]
                distinct = list({case.gold_sql: case for case in mine}.values())
                unchanged += [await bench.leaves(case.gold_sql) for case in distinct]
                hidden = [await bench.answers_without_a_column(case, seed) for case in distinct]
                answered += [one for one in hidden if one is not None]
            finally:
                await bench.close()
    counted = [one for one in judged if one.kind != VALUE_KIND]
    return {
        **_counts(counted),
        "no_harm": {"golds": len(unchanged), "unchanged": sum(unchanged)},
        "hidden_column": {"cases": len(answered), "wrong": sum(answered)},
        "by_kind": {kind: _of_kind(kind, judged) for kind in sorted({one.kind for one in judged})},
        "p50_ms": round(statistics.median(one.ms for one in counted), 3) if counted else 0.0,
    }


def _of_kind(kind: str, judged: Sequence[Judged]) -> dict[str, int]:
    mine = [one for one in judged if one.kind == kind]
    suggested = {"suggested": sum(one.suggested for one in mine)} if kind == VALUE_KIND else {}
    return _counts(mine) | suggested


def _counts(judged: Sequence[Judged]) -> dict[str, int]:
    verdicts = Counter(one.verdict for one in judged)
    return {
        "cases": len(judged),
        "detected": sum(one.detected for one in judged),
        "repaired": verdicts["repaired"],
        "wrong": verdicts["wrong"],
        "refused": verdicts["refused"],
    }


def _lines(figures: Mapping[str, Any]) -> list[str]:
    total = figures["cases"] or 1
    golds, hidden = figures["no_harm"], figures["hidden_column"]
    lines = [
        f"cases              {figures['cases']}",
        f"found              {figures['detected']}  ({figures['detected'] / total:.1%})",
        f"put right          {figures['repaired']}  ({figures['repaired'] / total:.1%})",
        f"wrong              {figures['wrong']}  ({figures['wrong'] / total:.1%})",
        f"turned away        {figures['refused']}",
        f"golds unchanged    {golds['unchanged']} of {golds['golds']}",
        f"wrong without the column  {hidden['wrong']} of {hidden['cases']}",
        f"time a statement   p50 {figures['p50_ms']:.2f} ms",
        "",
        "found  put right  wrong  of  kind",
    ]
    for kind, counts in figures["by_kind"].items():
        figure = "  ".join(f"{counts[key]:>{wide}}" for key, wide in _COLUMNS)
        lines.append(f"{figure}  {kind}" + (f"  (suggested {counts['suggested']})" if "suggested" in counts else ""))
    return lines


class _Bench:
    """One database: the way of SQL up to the plan over all of it, and the file itself to run what comes out."""

    def __init__(self, path: Path, reader: SqliteReader, model: SemanticModel) -> None:
        self._reader = reader
        self._model = model
        self._engine = create_engine("sqlite", path)
        self._values = sampled_values(reader.connection, model)
        self._checker = self._checker_over(model)

    async def close(self) -> None:
        """Release the file."""
        await self._engine.close()

    async def judge(self, case: Case) -> Judged:
        """What becomes of a broken statement."""
        started = time.perf_counter()
        outcome = await _check(self._checker, case.bad_sql, case.question)
        ms = (time.perf_counter() - started) * 1000
        if not isinstance(outcome, ValidSql):
            return Judged(case.kind, True, "refused", False, ms)
        suggested = case.kind == VALUE_KIND and _suggests(outcome.warnings, case)
        is_extracted = extract_sql(case.bad_sql) != case.bad_sql.strip().rstrip(";").strip()
        detected = bool(outcome.repairs) or suggested or is_extracted
        gold, given = self._reader.run(case.gold_sql), self._reader.run(outcome.sql)
        if isinstance(given, QueryBroke) or isinstance(gold, QueryBroke):
            return Judged(case.kind, detected, "refused", suggested, ms)
        same = same_result(gold, given, ordered=is_ordered(case.gold_sql, "sqlite"))
        return Judged(case.kind, detected, "repaired" if same else "wrong", suggested, ms)

    async def leaves(self, sql: str) -> bool:
        """Whether a good statement passes without a repair."""
        outcome = await _check(self._checker, sql)
        return isinstance(outcome, ValidSql) and not outcome.repairs

    async def answers_without_a_column(self, case: Case, seed: int) -> bool | None:
        """Whether the gold is answered although one of its columns is not in the model; None where it uses none."""
        used = _used_columns(case.gold_sql, self._model)
        if not used:
            return None
        hidden = random.Random(f"{seed} {case.db_id} {case.gold_sql}").choice(used)
        checker = self._checker_over(_without_column(self._model, hidden))
        outcome = await _check(checker, case.gold_sql, case.question)
        return isinstance(outcome, ValidSql) and not isinstance(self._reader.run(outcome.sql), QueryBroke)

    def _checker_over(self, model: SemanticModel) -> SqlChecker:
        return SqlChecker(model, _NothingToPlan(model), self._engine, values=self._values)


async def _check(checker: SqlChecker, text: str, question: str = "") -> SqlOutcome:
    now = QueryContext(now=datetime.now(UTC))
    return await checker.check(text, mode=CheckMode.DRY_PLAN, context=now, timeout=_TIMEOUT, question=question)


class _NothingToPlan(Planner):
    """The model is the database itself, name by name, so that a statement over it can be run as it stands."""

    def __init__(self, model: SemanticModel) -> None:
        self._model = model

    def plan(self, bound: BoundSql, context: QueryContext) -> PlannedSql:
        physical = {name: frozenset(c.name for c in self._model.tables[name].columns) for name in bound.tables}
        return PlannedSql(bound.tree, bound.dialect, physical)


def _used_columns(sql: str, model: SemanticModel) -> list[ColumnRef]:
    """The columns of the model that a statement reads by name."""
    resolution = resolve(parse_one(sql, read="sqlite"), ModelCatalogue(model, "sqlite"), "sqlite")
    return sorted({ColumnRef(use.source.table.name, use.name) for use in resolution.columns if use.source.table})


def _without_column(model: SemanticModel, hidden: ColumnRef) -> SemanticModel:
    """The model as it is to someone who may not see the column: relationships over it are not there either."""
    table = model.tables[hidden.table]
    rest = tuple(column for column in table.columns if column.name != hidden.column)
    links = tuple(
        link
        for link in model.relationships
        if not any(hidden in (ColumnRef(link.left, left), ColumnRef(link.right, right)) for left, right in link.pairs)
    )
    return replace(model, tables={**model.tables, table.name: replace(table, columns=rest)}, relationships=links)


def _suggests(warnings: Sequence[str], case: Case) -> bool:
    """Whether the warnings name every text of the gold that the statement has otherwise."""
    text = " ".join(warnings)
    return bool(warnings) and all(f"'{value}'" in text for value in _texts(case.gold_sql) - _texts(case.bad_sql))


def _texts(sql: str) -> set[str]:
    """What stands in quotes, single or double, as values do in SQLite."""
    tree = parse_one(sql, read="sqlite")
    quoted = {column.name for column in tree.find_all(exp.Identifier) if column.args.get("quoted")}
    return quoted | {literal.name for literal in tree.find_all(exp.Literal) if literal.is_string}
