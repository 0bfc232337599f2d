"""Parts of requests and results that kinds of jobs share, for the OpenAPI page and the checks on what comes in."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from askwell.jobs.request import Identifier, Lenient
from askwell.providers.engine.base import QueryRows, ResultColumn

Mdl = Annotated[
    str | dict[str, Any] | None,
    Field(description="A semantic model, as JSON text or as the object. Left out: the project's current one."),
]


class JobError(BaseModel):
    code: str
    message: str
    hint: str | None = None


class JobResult(BaseModel):
    """Fields that are not known yet are absent."""

    model_config = ConfigDict(extra="forbid")

    status: str
    error: JobError | None = None
    warnings: list[str] | None = None
    trace_id: str


class ColumnBody(Lenient):
    name: Identifier
    type: Annotated[str, Field(max_length=256)] = ""


class ResultData(Lenient):
    """Rows that a client has already: each as wide as there are columns."""

    columns: Annotated[list[Identifier | ColumnBody], Field(min_length=1, max_length=1_000)]
    data: list[list[Any]]

    @model_validator(mode="after")
    def _is_a_table(self) -> ResultData:
        width = len(self.columns)
        for number, row in enumerate(self.data, 1):
            if len(row) != width:
                raise ValueError(f"row {number} has {len(row)} values for {width} columns")
        return self

    def rows(self) -> QueryRows:
        """The rows as an engine gives them."""
        columns = (one if isinstance(one, ColumnBody) else ColumnBody(name=one) for one in self.columns)
        return QueryRows(
            tuple(ResultColumn(column.name, column.type) for column in columns), tuple(tuple(row) for row in self.data)
        )
