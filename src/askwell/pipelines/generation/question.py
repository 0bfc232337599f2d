"""What every generation pipeline is told about the question, as values for templates too, and what it gives back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, TypeVar

from askwell.mdl.prompt_schema import model_ddl, table_ddl
from askwell.mdl.semantic_model import SemanticModel
from askwell.mdl.without_values import without_values
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.privacy.current import current_vault
from askwell.providers.llm.base import Usage
from askwell.semantic_parsing.translation import Turn
from askwell.sql.bindings import FREE, Bindings


@dataclass(frozen=True, slots=True)
class PromptPassage:
    """A passage of a document as prompts show it: `number` (from 1) is what a mark such as `[1]` names it by, `text` is
    cut to what a prompt has room for, and `quote` is the sentence of it that is nearest to the question, of 200
    characters at most. `score` is how probable it is that the passage answers the question."""

    number: int
    document_id: str
    title: str
    locator: str
    text: str
    quote: str
    score: float


@dataclass(frozen=True, slots=True)
class QueryRequirements:
    """What the SQL for a question has to do with its `tables`, in short lines as a language model wrote them; `joins`
    are conditions over columns of the semantic model. `joins_needed`: it has to read more than one of the tables."""

    tables: tuple[str, ...] = ()
    joins_needed: bool = False
    joins: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    aggregations: tuple[str, ...] = ()
    ordering: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    reasoning: str = ""

    def __bool__(self) -> bool:
        return any((self.joins, self.filters, self.aggregations, self.ordering, self.parameters))


@dataclass(frozen=True, slots=True)
class QuestionContext:
    """The question as asked (or rewritten), with everything about the asker that prompts need.

    `now` is timezone-aware and in `timezone` (an IANA name), fixed once an ask. `dialect` names the SQL to write.
    `bindings` is what was answered when it was asked back what the question means, `lessons` what was learnt before
    that bears on it, each in words. `requirements` are None where nobody worked them out. `passages` are those of the
    project's documents, the most probable first.
    """

    question: str
    now: datetime
    timezone: str = "UTC"
    language: str = "English"
    dialect: str = "duckdb"
    histories: tuple[Turn, ...] = ()
    custom_instruction: str | None = None
    bindings: Bindings = FREE
    lessons: tuple[str, ...] = ()
    requirements: QueryRequirements | None = None
    passages: tuple[PromptPassage, ...] = ()


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    """What a pipeline makes of the reply of a language model, and what that cost."""

    value: T
    usage: Usage


class Intent(StrEnum):
    """What kind of question it is."""

    TEXT_TO_SQL = "TEXT_TO_SQL"
    GENERAL = "GENERAL"
    MISLEADING_QUERY = "MISLEADING_QUERY"
    USER_GUIDE = "USER_GUIDE"


@dataclass(frozen=True, slots=True)
class IntentReading:
    """The intent, the question rewritten to stand alone, and why."""

    intent: Intent
    rephrased_question: str
    reasoning: str


@dataclass(frozen=True, slots=True)
class TableVerdict:
    """Whether a question needs a table: how sure that is, from 0 to 1, which of its columns matter, and why."""

    is_relevant: bool
    confidence: float
    columns: tuple[str, ...] = ()
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class SqlReply:
    """SQL a model wrote, as text to be checked; or, with `sql` None, why its reply could not be used (`problem`)."""

    sql: str | None
    problem: str | None
    usage: Usage


@dataclass(frozen=True, slots=True)
class StepSummaries:
    """What a statement finds out, and what each of its steps does; or why the model's reply could not be used
    (`problem`), with nothing in the rest."""

    description: str
    summaries: tuple[str, ...]
    problem: str | None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Why a statement failed, and what to change, in plain words."""

    diagnosis: str
    suggested_fix: str


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
        "custom_instruction": "\n".join(filter(None, (question.custom_instruction, *question.bindings.instructions()))),
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
