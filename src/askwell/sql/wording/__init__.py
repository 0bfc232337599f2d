"""A statement in words: what it does, sentence by sentence, and the question that it answers."""

from __future__ import annotations

from askwell.sql.wording.description import describe_sql, describe_step
from askwell.sql.wording.questions import question_of_sql

__all__ = ["describe_sql", "describe_step", "question_of_sql"]
