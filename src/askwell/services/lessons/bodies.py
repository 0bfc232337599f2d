"""The forms of a lesson, as clients and files write them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from askwell.field_types import Identifier, Question, Sql
from askwell.knowledge.lessons import LessonStatus

Words = Annotated[Identifier, Field(max_length=80)]
Sentence = Annotated[Question, Field(max_length=500)]


class Form(BaseModel):
    """Knows its fields, and no others: what is misspelt is not left out silently."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class TransformationRule(Form):
    """How a table is called otherwise than in the model: without `add_prefix`, with `strip_prefix`, in `strip_schema`.
    Statements that name it so read the table of the model."""

    add_prefix: Words | None = None
    strip_prefix: Words | None = None
    strip_schema: Words | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("needs add_prefix, strip_prefix or strip_schema")
        return self


class TableMapping(Form):
    """What people call a table; or a rule for the names of several."""

    said: Words | None = None
    table: Identifier | None = None
    transformation_rule: TransformationRule | None = None

    @model_validator(mode="after")
    def _one_of_the_two(self) -> Self:
        mapped = self.said is not None and self.table is not None
        if mapped == (self.transformation_rule is not None) or (self.said is None) != (self.table is None):
            raise ValueError("needs either said and table, or a transformation_rule")
        return self


class ColumnMapping(Form):
    """What people call a column (`table.column`)."""

    said: Words
    column: Annotated[Identifier, Field(max_length=257)]


class MetricDefinition(Form):
    """What people call a figure, and how it is computed: an aggregate over the columns of one table. `table` is that
    table; without it, the one of the columns."""

    said: Words
    formula: Annotated[Sql, Field(max_length=1_000)]
    table: Identifier | None = None


class ErrorPattern(Form):
    """An error, what it comes from, and what mends it."""

    error_like: Sentence
    cause: Sentence
    fix: Sentence


class QueryPattern(Form):
    """Advice, or SQL, for questions like one."""

    question_like: Sentence
    advice: Sentence | None = None
    sql: Annotated[Sql, Field(max_length=4_000)] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if (self.advice is None) == (self.sql is None):
            raise ValueError("needs either advice or sql")
        return self


class _New(Form):
    note: Sentence | None = None


class NewTableMapping(_New):
    kind: Literal["table_mapping"]
    body: TableMapping


class NewColumnMapping(_New):
    kind: Literal["column_mapping"]
    body: ColumnMapping


class NewMetric(_New):
    kind: Literal["metric"]
    body: MetricDefinition


class NewErrorPattern(_New):
    kind: Literal["error_pattern"]
    body: ErrorPattern


class NewQueryPattern(_New):
    kind: Literal["query_pattern"]
    body: QueryPattern


NewLesson = Annotated[
    NewTableMapping | NewColumnMapping | NewMetric | NewErrorPattern | NewQueryPattern, Field(discriminator="kind")
]


class LessonChange(Form):
    """What is to be different; what is absent stays."""

    status: LessonStatus | None = None
    body: dict[str, Any] | None = None
    note: Sentence | None = None
