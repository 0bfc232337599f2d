"""Bodies of the routes of statements."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal, Required

from pydantic import BaseModel, Field, Strict

from askwell.asks.result import FORBIDDEN, Data, FindingBody
from askwell.checking.finding import Verdict
from askwell.jobs.request import Configurations, Identifier, ProjectBody, Question, Sql
from askwell.knowledge.pair_parameter import PairParameter
from askwell.principal import Person
from askwell.row_files.files import RowFileFormat
from askwell.services.statements import PersonsStatement

Dialect = Literal["bigquery", "duckdb", "mysql", "postgres", "snowflake", "sqlite", "trino", "tsql"]


class _StatementBody(ProjectBody):
    sql: Annotated[Sql, Field(description="One statement that reads, over the semantic model.")]
    configurations: Configurations = Configurations()

    def statement(self, person: Person) -> PersonsStatement:
        """What is to be run for the person."""
        return PersonsStatement(self.project_id, self.sql, self.configurations.timezone.name, person=person)


class SqlRunBody(_StatementBody):
    limit: Annotated[int, Strict(), Field(ge=1, le=10_000, description="How many rows at most.")] = 1_000
    parameters: Annotated[
        list[PairParameter], Field(max_length=50, description="What stands in it as `:name`, as in a SQL pair.")
    ] = []
    values: Annotated[
        dict[Identifier, Any], Field(max_length=50, description="Values of these, by name; else their defaults.")
    ] = {}

    def statement(self, person: Person) -> PersonsStatement:
        """With its parameters and values."""
        parameters = [one.model_dump(exclude_none=True) for one in self.parameters]
        return replace(super().statement(person), parameters=parameters, values=self.values)


class SqlExportBody(_StatementBody):
    format: RowFileFormat
    name: Annotated[Identifier | None, Field(description="What the file is to be called.")] = None


class SqlCheckBody(_StatementBody):
    question: Annotated[Question, Field(description="What the statement is to answer.")]
    dialect: Annotated[
        Dialect | None, Field(description="The SQL that it is written in, where that is not the database's.")
    ] = None
    execute: Annotated[bool, Strict(), Field(description="Whether it is run, so that its rows are looked at too.")] = (
        False
    )


class SqlCheck(BaseModel):
    """Whether a statement answers a question."""

    verdict: Verdict
    sureness: float | None = Field(description="How often statements with such findings are right; null where unknown.")
    findings: list[FindingBody] = Field(description="The worst first.")
    rewritten: str | None = Field(description="The statement put right, where that is certain.")


@FORBIDDEN
class SqlRun(Data, total=False):
    """The rows of a statement; values are as in `data` of an ask."""

    sql: Required[Annotated[str, Field(description="The statement as it was checked.")]]
    planned_sql: Annotated[str | None, Field(description="What the database ran.")]
    renamed: Annotated[bool | None, Field(description="True where the database has other names than the SQL.")]
    warnings: Required[list[str]]
    repairs: Required[Annotated[list[str], Field(description="What was mended in the statement.")]]
    ms: Required[float]
