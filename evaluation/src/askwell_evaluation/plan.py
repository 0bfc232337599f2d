"""Whether statements give the same rows through the model, the planner and the engine as run directly
(`askwell eval plan`), on SQLite files whose models are introspected."""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from askwell.errors import InvalidModel
from askwell.mdl.importers import manifest_from_schema
from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import Engine, EngineLimits
from askwell.providers.engine.factory import create_engine
from askwell.providers.engine.worker.values import encode
from askwell.sql.checker import SqlChecker
from askwell.sql.context import QueryContext
from askwell.sql.outcome import CheckMode, RejectedSql
from askwell.sql.planner import Planner
from askwell.sql.query_result import QueryBroke
from askwell.sql.same_result import Row, same_result
from askwell_evaluation.databases import SqliteReader
from askwell_evaluation.questions import Question, by_database, read_checked, sample
from askwell_evaluation.report import Report, say

# Both ways of running a statement stop here; results are compared as far as this.
_ROW_LIMIT = 200_000
_TIMEOUT = 20.0
# Results are compared whole, so nothing but the row limit may cut them.
_LIMITS = EngineLimits(pool_size=1, byte_limit=500_000_000)


@dataclass(frozen=True, slots=True)
class Compared:
    """One gold: what came of it, how long guard, binder and planner took in milliseconds, and why it is not the same
    (a sentence, empty where it is). An unrunnable one the database itself does not run today."""

    id: str
    verdict: Literal["same", "different", "refused", "unrunnable"]
    ms: float = 0.0
    why: str = ""


def run_plan(questions: Path, databases: Path, *, limit: int | None = None, seed: int = 0) -> Report:
    """Run every distinct scorable gold both ways.

    `questions` is a `questions.jsonl`, `databases` the folder of `<db_id>.sqlite`. Raises `InvalidRequest` for files
    that cannot be read, `InvalidModel` for a database that cannot be modelled.
    """
    rows = sample(read_checked(questions), limit, seed)
    distinct = {(row.db_id, row.golds[0]): row for row in reversed(rows)}
    golds = by_database(list(distinct.values())[::-1], databases)
    results = asyncio.run(_compare_all(golds))
    compared = [one for one in results if one.verdict != "unrunnable"]
    by_verdict = {verdict: [one.id for one in results if one.verdict == verdict] for verdict in _VERDICTS}
    figures = {
        "golds": len(compared),
        "same": len(by_verdict["same"]),
        "different": by_verdict["different"],
        "refused": by_verdict["refused"],
        "p50_ms": round(statistics.median(one.ms for one in compared), 3) if compared else 0.0,
        "unrunnable": by_verdict["unrunnable"],
        "why": {one.id: one.why for one in compared if one.why},
    }
    lines = [
        f"statements       {figures['golds']}",
        f"same result      {figures['same']}",
        f"other result     {len(by_verdict['different'])}",
        f"refused          {len(by_verdict['refused'])}",
        f"time a statement p50 {figures['p50_ms']:.2f} ms (guard, bind and plan)",
    ]
    if unrunnable := by_verdict["unrunnable"]:
        lines.append(f"left out         {len(unrunnable)} that the database itself does not run")
    return Report(figures, lines + [f"{one.verdict.upper():<10} {one.id}: {one.why}" for one in compared if one.why])


_VERDICTS = ("same", "different", "refused", "unrunnable")


async def _compare_all(golds: Mapping[Path, Sequence[Question]]) -> list[Compared]:
    """Several databases at once: while one's child process computes, another's statements are planned."""
    results: list[Compared] = []
    waiting = iter(golds.items())

    async def work() -> None:
        for path, mine in waiting:
            results.extend(await _compare(path, mine))
            say(f"{path.stem}: {len(results)} statements in all")

    await asyncio.gather(*(work() for _ in range(os.cpu_count() or 1)))
    return results


async def _compare(path: Path, golds: Sequence[Question]) -> list[Compared]:
    """Each gold of one database compared."""
    results = []
    engine = create_engine("sqlite", path, _LIMITS)
    try:
        checker = await introspected_checker(engine)
        with closing(SqliteReader(path, _TIMEOUT)) as reader:
            for gold in golds:
                direct = reader.run(gold.golds[0], _ROW_LIMIT)
                if isinstance(direct, QueryBroke):
                    results.append(Compared(gold.id, "unrunnable"))
                else:
                    results.append(await _compared(checker, gold, direct))
    finally:
        await engine.close()
    return results


async def introspected_checker(engine: Engine) -> SqlChecker:
    """The way of SQL over everything that a database declares. Raises `InvalidModel` where that makes no model."""
    schema = await engine.introspect()
    written: Any = manifest_from_schema(schema, data_source=engine.data_source).model_dump(mode="json", by_alias=True)
    reading = read_manifest(written, data_source=engine.data_source)
    if reading.manifest is None:
        raise InvalidModel(
            "A database cannot be made into a model.",
            "Each problem is listed; rename what it names.",
            tuple(str(problem) for problem in reading.problems),
        )
    model = authorised_view(reading.manifest, "")
    return SqlChecker(model, Planner(model, reading.manifest, engine.dialect), engine)


async def _compared(checker: SqlChecker, gold: Question, direct: Sequence[Row]) -> Compared:
    sql, context = gold.golds[0], QueryContext(now=datetime.now(UTC))
    started = time.perf_counter()
    checked = await checker.check(sql, mode=CheckMode.DRY_PLAN, context=context, timeout=_TIMEOUT)
    ms = (time.perf_counter() - started) * 1000
    if isinstance(checked, RejectedSql):
        return Compared(gold.id, "refused", ms, f"{checked.kind}: {checked.error}")
    executed = await checker.execute(sql, context=context, row_limit=_ROW_LIMIT, timeout=_TIMEOUT)
    if isinstance(executed, RejectedSql):
        return Compared(gold.id, "refused", ms, f"{executed.kind}: {executed.error}")
    expected = [tuple(map(encode, row)) for row in direct]
    if same_result(expected, executed.rows.rows, ordered=bool(gold.ordered)):
        return Compared(gold.id, "same", ms)
    counts = f"{len(direct)} rows directly, {len(executed.rows.rows)} through the model"
    return Compared(gold.id, "different", ms, f"{counts}: {sql}")
