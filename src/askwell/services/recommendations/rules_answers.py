"""SQL for recommended questions by rules alone, checked on the way that every statement goes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from askwell.providers.engine.base import QueryRows
from askwell.semantic_parsing.translation import RulesMode, Translation
from askwell.services.recommendations.candidates import CandidateQuestion
from askwell.services.rules_translation import translated
from askwell.sql.checker import Executed
from askwell.sql.context import QueryContext
from askwell.sql.outcome import CheckMode, ValidSql

if TYPE_CHECKING:
    from askwell.services.projects import ProjectModel


@dataclass(frozen=True, slots=True)
class RulesAnswers:
    """Answers questions by rules as an ask would, with `mode` as the bar for those that somebody wrote freely.

    `wants_rows`: SQL that gives no row, or nothing but a zero, is no answer. `timeout` is in
    seconds, for one statement. Raises `EngineUnavailable` where the database cannot be used.
    """

    project: ProjectModel
    context: QueryContext
    timeout: float
    mode: RulesMode = RulesMode.STRICT
    wants_rows: bool = False

    async def candidate(self, candidate: CandidateQuestion) -> str | None:
        """Checked SQL for a question of our own. A `balanced` reading is enough: it is held against the tables and
        columns that the question was made of, which tells more than its probability."""
        sql = await asyncio.to_thread(candidate_sql, self.project, candidate, RulesMode.BALANCED)
        return await self._checked(sql)

    async def question(self, question: str) -> str | None:
        """Checked SQL for any question; None where rules are not sure enough, or the database turns the SQL away."""
        if self.project.rules is None:
            return None
        reading = await asyncio.to_thread(translated, self.project.rules, question)
        if not isinstance(reading, Translation) or not reading.answers_in(self.mode):
            return None
        return await self._checked(reading.sql)

    async def _checked(self, sql: str | None) -> str | None:
        if sql is None:
            return None
        if self.wants_rows:
            outcome = await self.project.checker.execute(sql, context=self.context, row_limit=2, timeout=self.timeout)
            return outcome.valid.sql if isinstance(outcome, Executed) and says_something(outcome.rows) else None
        checked = await self.project.checker.check(
            sql, mode=CheckMode.DRY_RUN, context=self.context, timeout=self.timeout
        )
        return checked.sql if isinstance(checked, ValidSql) else None


def says_something(rows: QueryRows) -> bool:
    """Whether there is a row, and it is not a lone zero or nothing: a count or a sum of what is not there."""
    return bool(rows.rows) and rows.rows not in (((0,),), ((None,),))


def candidate_sql(project: ProjectModel, candidate: CandidateQuestion, mode: RulesMode) -> str | None:
    """The SQL that rules give for a question of our own, unchecked; None where they are not as sure as `mode` asks for,
    or read something else than was meant. Takes milliseconds: call it on a thread."""
    if project.rules is None:
        return None
    reading = translated(project.rules, candidate.question)
    if not isinstance(reading, Translation) or not reading.answers_in(mode):
        return None
    return reading.sql if _reads_what_was_meant(reading, candidate, project.engine.dialect) else None


def _reads_what_was_meant(reading: Translation, candidate: CandidateQuestion, dialect: str) -> bool:
    """Whether the SQL reads the tables of the question, no others, and at least its columns."""
    if not candidate.tables <= set(reading.tables) <= candidate.tables | candidate.through:
        return False
    try:
        tree = parse_one(reading.sql, dialect=dialect)
    except SqlglotError:
        return False
    read = {column.name.lower() for column in tree.find_all(exp.Column)}
    return read >= {ref.column.lower() for ref in candidate.columns}
