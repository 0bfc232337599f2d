"""What can be wrong with an answer, whatever was asked: a reader that raises, SQL that the guard, the binder or the
planner rejects or has to repair, and SQL that the database does not run."""

from __future__ import annotations

import random
import time
import traceback
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from askwell.mdl.semantic_model import SampledValues, SemanticModel
from askwell.semantic_parsing.translation import Abstention, Translation
from askwell.sql.checker import SqlChecker
from askwell.sql.context import QueryContext
from askwell.sql.outcome import CheckMode, RejectedSql
from tests.support.in_process import DIALECTS, checked_model, filled
from tests.support.random_models import random_database
from tests.support.random_questions import QuestionMaker

NOW = datetime(2026, 5, 4, tzinfo=UTC)
_CONTEXT = QueryContext(NOW, "UTC")
# In seconds of processor time. Most questions take a few milliseconds; an ask waits for this one.
_LONGEST = 5.0


class Reader(Protocol):
    """What reads questions about one model."""

    def translate(self, question: str) -> Translation | Abstention: ...


ReaderOf = Callable[[SemanticModel, SampledValues, str], Reader]


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. `seed` makes its model again; `why` is a traceback or what was said of the SQL."""

    seed: int
    dialect: str
    question: str
    why: str
    sql: str = ""


@dataclass(slots=True)
class Asked:
    """How many questions were asked, and how many of them answered."""

    questions: int = 0
    answers: int = 0


async def faults(
    reader_of: ReaderOf, seed: int, questions: int, known: Sequence[str], real: Sequence[str], asked: Asked
) -> AsyncIterator[Fault]:
    """Ask a number of random questions about the random model of this seed, in one of the dialects. Answers are
    planned, and run where the dialect has a database in this process."""
    rng = random.Random(seed)
    database, dialect = random_database(rng), DIALECTS[seed % len(DIALECTS)]
    engine = filled(database, dialect)
    try:
        model, checker = checked_model(database, engine)
        reader = reader_of(model, database.values, dialect)
        maker = QuestionMaker(rng, database, known, real)
        for _ in range(questions):
            question = maker.question()
            asked.questions += 1
            started = time.thread_time()
            try:
                outcome = reader.translate(question)
            except Exception:  # noqa: BLE001 - any exception is a fault
                yield Fault(seed, dialect, question, traceback.format_exc())
                continue
            if (took := time.thread_time() - started) > _LONGEST:
                yield Fault(seed, dialect, question, f"It took {took:.1f} s of processor time.")
            if isinstance(outcome, Abstention):
                if not outcome.message.strip():
                    yield Fault(seed, dialect, question, "The abstention says nothing.")
                continue
            asked.answers += 1
            maker.learn(question)
            for sql in filter(None, (outcome.sql, outcome.ranking)):
                if why := await wrong_with(sql, checker):
                    yield Fault(seed, dialect, question, why, sql)
    finally:
        await engine.close()


async def wrong_with(sql: str, checker: SqlChecker) -> str | None:
    """What is wrong with a statement: an error of the guard, the binder, the planner or the database, or a repair that
    it needed. None where it runs as it is."""
    try:
        planned = await checker.check(sql, mode=CheckMode.DRY_PLAN, context=_CONTEXT, timeout=30)
        if isinstance(planned, RejectedSql):
            return f"{planned.kind}: {planned.error}"
        if planned.repairs:
            return f"repaired: {planned.repairs}"
        executed = await checker.execute(sql, context=_CONTEXT, row_limit=100, timeout=30)
    except Exception:  # noqa: BLE001 - any exception is a fault
        return traceback.format_exc()
    return f"{executed.kind}: {executed.error}" if isinstance(executed, RejectedSql) else None
