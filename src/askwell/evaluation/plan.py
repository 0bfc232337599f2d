"""Whether statements give the same rows through the model, the planner and the engine as run directly
(`askwell eval plan`), on SQLite files whose models are introspected."""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from askwell.errors import InvalidModel
from askwell.evaluation.scoring import QueryBroke, Row, SqliteReader, same_result
from askwell.evaluation.text2sql import Question, by_database, read_questions
from askwell.mdl.importers import manifest_from_schema
from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import Engine, EngineLimits
from askwell.providers.engine.file_engine import SQLiteEngine
from askwell.providers.engine.worker.values import encode
from askwell.sql.checker import SqlChecker
from askwell.sql.context import QueryContext
from askwell.sql.outcome import CheckMode, RejectedSql
from askwell.sql.planner import Planner

# Both ways of running a statement stop here; results are compared as far as this.
_ROW_LIMIT = 200_000
_TIMEOUT = 20.0
# Results are compared whole, so nothing but the row limit may cut them.
_LIMITS = EngineLimits(pool_size=1, byte_limit=500_000_000)

Verdict = Literal["same", "different", "refused"]


@dataclass(frozen=True, slots=True)
class Compared:
    """One gold: what came of it, how long guard, binder and planner took in milliseconds, and why it is not the same
    (a sentence, empty where it is)."""

    question: Question
    verdict: Verdict
    ms: float
    why: str = ""


@dataclass(frozen=True, slots=True)
class PlanReport:
    """Figures of one run. `unrunnable` are golds that the database itself does not run today; they are not compared."""

    compared: tuple[Compared, ...]
    unrunnable: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """One object, JSON-ready."""
        return {
            "golds": len(self.compared),
            "same": len(self._ids("same")),
            "different": self._ids("different"),
            "refused": self._ids("refused"),
            "p50_ms": round(statistics.median(gold.ms for gold in self.compared), 3) if self.compared else 0.0,
            "unrunnable": list(self.unrunnable),
            "why": {gold.question.id: gold.why for gold in self.compared if gold.why},
        }

    def as_table(self) -> str:
        """Lines for people."""
        figures = self.as_json()
        lines = [
            f"statements       {figures['golds']}",
            f"same result      {figures['same']}",
            f"other result     {len(figures['different'])}",
            f"refused          {len(figures['refused'])}",
            f"time a statement p50 {figures['p50_ms']:.2f} ms (guard, bind and plan)",
        ]
        if self.unrunnable:
            lines.append(f"left out         {len(self.unrunnable)} that the database itself does not run")
        lines += [f"{gold.verdict.upper():<10} {gold.question.id}: {gold.why}" for gold in self.compared if gold.why]
        return "\n".join(lines)

    def _ids(self, verdict: Verdict) -> list[str]:
        return [gold.question.id for gold in self.compared if gold.verdict == verdict]


def run_plan(
    questions: Path, databases: Path, *, limit: int | None, seed: int, progress: Callable[[str], None]
) -> PlanReport:
    """Run every distinct scorable gold both ways.

    `questions` is a `questions.jsonl`, `databases` the folder of `<db_id>.sqlite`. Raises `InvalidRequest` for files
    that cannot be read, `InvalidModel` for a database that cannot be modelled.
    """
    rows = read_questions(questions, limit=limit, seed=seed)
    distinct = {(row.db_id, row.sql): row for row in reversed(rows) if row.scorable}
    golds = by_database(list(distinct.values())[::-1], databases)
    return asyncio.run(_run(golds, progress))


async def _run(golds: dict[Path, list[Question]], progress: Callable[[str], None]) -> PlanReport:
    """Several databases at once: while one's child process computes, another's statements are planned."""
    results: list[Compared | Question] = []
    waiting = iter(golds.items())
    done = 0

    async def work() -> None:
        nonlocal done
        for path, mine in waiting:
            results.extend(await _compare(path, mine))
            done += 1
            if done % 10 == 0 or done == len(golds):
                progress(f"{done} of {len(golds)} databases, {len(results)} statements")

    await asyncio.gather(*(work() for _ in range(os.cpu_count() or 1)))
    return PlanReport(
        tuple(result for result in results if isinstance(result, Compared)),
        tuple(result.id for result in results if isinstance(result, Question)),
    )


async def _compare(path: Path, golds: Sequence[Question]) -> list[Compared | Question]:
    """Each gold of one database compared; the gold itself where the database does not run it."""
    results: list[Compared | Question] = []
    engine = SQLiteEngine(path, _LIMITS)
    try:
        checker = await introspected_checker(engine)
        with closing(SqliteReader(path, _TIMEOUT)) as reader:
            for gold in golds:
                direct = reader.run(gold.sql, _ROW_LIMIT)
                results.append(gold if isinstance(direct, QueryBroke) else await _compared(checker, gold, direct))
    finally:
        await engine.close()
    return results


async def introspected_checker(engine: Engine) -> SqlChecker:
    """The way of SQL over everything that a database declares. Raises `InvalidModel` where that makes no model."""
    schema = await engine.introspect()
    written = manifest_from_schema(schema, data_source=engine.data_source).model_dump(mode="json", by_alias=True)
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
    context = QueryContext(now=datetime.now(UTC))
    started = time.perf_counter()
    checked = await checker.check(gold.sql, mode=CheckMode.DRY_PLAN, context=context, timeout=_TIMEOUT)
    ms = (time.perf_counter() - started) * 1000
    if isinstance(checked, RejectedSql):
        return Compared(gold, "refused", ms, f"{checked.kind}: {checked.error}")
    executed = await checker.execute(gold.sql, context=context, row_limit=_ROW_LIMIT, timeout=_TIMEOUT)
    if isinstance(executed, RejectedSql):
        return Compared(gold, "refused", ms, f"{executed.kind}: {executed.error}")
    expected = [tuple(map(encode, row)) for row in direct]
    if same_result(expected, executed.rows.rows, ordered=gold.ordered):
        return Compared(gold, "same", ms)
    counts = f"{len(direct)} rows directly, {len(executed.rows.rows)} through the model"
    return Compared(gold, "different", ms, f"{counts}: {gold.sql}")
