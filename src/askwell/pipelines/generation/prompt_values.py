"""What the templates may name, from the question and from what retrieval found."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from askwell.mdl.prompt_schema import model_ddl, table_ddl
from askwell.mdl.semantic_model import SemanticModel
from askwell.mdl.without_values import without_values
from askwell.pipelines.generation.question import QuestionContext
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.privacy.current import current_vault


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
        "lessons": question.lessons,
        "passages": question.passages,
        "custom_instruction": "\n".join(filter(None, (question.custom_instruction, *question.bindings.told()))),
        "requirements": question.requirements,
    }
    if context is not None:
        values |= {
            "schema": context.schema,
            "schema_lines": context.schema.lines,
            "tables": context.tables,
            "samples": context.samples,
            "instructions": context.instructions,
            "functions": context.functions,
            "values": context.values,
        }
    return values | more


def time_in_words(now: datetime, timezone: str) -> str:
    """`Tuesday, 2026-11-17 14:05 +01:00 (Europe/Berlin)`: unambiguous, with the weekday that models miscount, and
    without the seconds, which no question needs."""
    offset = now.strftime("%z")
    return f"{now:%A, %Y-%m-%d %H:%M} {offset[:3]}:{offset[3:5]} ({timezone})"


# Of a table, columns that a prompt about the whole model shows; and characters that a token has at least.
_MOST_COLUMNS = 60
_CHARACTERS = 3


def model_shown(model: SemanticModel) -> SemanticModel:
    """The model as prompts of this job may show it."""
    return model if current_vault() is None else without_values(model)


def ddl_within(model: SemanticModel, tables: Iterable[str], tokens: int) -> str:
    """The text of the first of the `tables` that have room in so many tokens, and of at least one. Takes up to some
    hundred milliseconds for a large context: call it on a thread."""
    shown: dict[str, list[str]] = {}
    size = 0
    model = model_shown(model)
    for table in filter(None, map(model.table, tables)):
        columns = [column.name for column in table.columns[:_MOST_COLUMNS]]
        size += len(table_ddl(table, columns=columns))
        if shown and size > tokens * _CHARACTERS:
            break
        shown[table.name] = columns
    return model_ddl(model, shown, shown)


_DIALECT_NAMES = {
    "duckdb": "DuckDB",
    "sqlite": "SQLite",
    "postgres": "PostgreSQL",
    "mysql": "MySQL",
    "trino": "Trino",
    "bigquery": "BigQuery",
    "snowflake": "Snowflake",
    "tsql": "Microsoft SQL Server (T-SQL)",
}


def dialect_name(dialect: str) -> str:
    """The name people know a sqlglot dialect by; an unknown one is called as it is written, none is standard SQL."""
    return _DIALECT_NAMES.get(dialect, dialect or "standard SQL")
