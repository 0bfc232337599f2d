"""What the templates may name, from the question and from what retrieval found."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from askwell.pipelines.generation.dialects import dialect_name
from askwell.pipelines.generation.question import QuestionContext
from askwell.pipelines.retrieval.context import RetrievedContext


def values_of(question: QuestionContext, context: RetrievedContext | None = None, **more: Any) -> dict[str, Any]:
    """The values for `Prompt.write`; each prompt takes from them the ones that it declares."""
    values: dict[str, Any] = {
        "question": question.question,
        "language": question.language,
        "now": time_in_words(question.now, question.timezone),
        "timezone": question.timezone,
        "dialect": question.dialect,
        "dialect_name": dialect_name(question.dialect),
        "histories": question.histories,
        "custom_instruction": question.custom_instruction or "",
    }
    if context is not None:
        values |= {
            "schema": context.schema,
            "tables": context.tables,
            "samples": context.samples,
            "instructions": context.instructions,
            "functions": context.functions,
            "values": context.values,
        }
    return values | more


def time_in_words(now: datetime, timezone: str) -> str:
    """`Tuesday, 2026-11-17 14:05:09 +01:00 (Europe/Berlin)`: unambiguous, and with the weekday that models miscount."""
    offset = now.strftime("%z")
    return f"{now:%A, %Y-%m-%d %H:%M:%S} {offset[:3]}:{offset[3:5]} ({timezone})"
