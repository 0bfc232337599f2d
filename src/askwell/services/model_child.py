"""The process that reads models: it holds nothing of the service's, and can be killed at any moment.

A request says where the model's text is, in a file, since frames of many megabytes would hold up the service's event
loop; what becomes of it is written beside it.
"""

from __future__ import annotations

import gc
from collections.abc import Mapping
from dataclasses import astuple
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlglot import exp

from askwell.child_process import limits
from askwell.child_process.child import Child, Request
from askwell.errors import EngineUnavailable, InvalidModel
from askwell.knowledge.models import StoredModel
from askwell.mdl.semantic_model import ColumnRole, Table, TableKind
from askwell.messages import say
from askwell.providers.engine.base import ANY_TERMS, PhysicalSchema, QueryFailure, QueryRows, QueryTerms
from askwell.services.database import Database
from askwell.services.model_reading import read_model
from askwell.services.projects import ProjectModel, build
from askwell.sql.binder import bind
from askwell.sql.context import QueryContext
from askwell.sql.outcome import RejectedSql
from askwell.sql.table_list import TableList

# The largest models take 1 GB; fields that are built on one another would take all there is.
_MEMORY_MIB = 2 * 1024
# A process that has grown to this is not kept: it would not give the memory back.
_KEPT_MIB = 400


class NamedEngine:
    """A database of which nothing but the names is known, so that nothing can be asked of it."""

    def __init__(self, dialect: str, data_source: str) -> None:
        self.dialect = dialect
        self.data_source = data_source

    async def functions(self) -> frozenset[str]:
        return frozenset()

    async def dry_run(self, sql: str, *, timeout: float, terms: QueryTerms = ANY_TERMS) -> QueryFailure | None:
        raise _not_here()

    async def execute(
        self, sql: str, *, row_limit: int, timeout: float, terms: QueryTerms = ANY_TERMS
    ) -> QueryRows | QueryFailure:
        raise _not_here()

    async def introspect(self) -> PhysicalSchema:
        raise _not_here()

    async def close(self) -> None:
        """There is nothing to close."""


class NamedPlanningEngine(NamedEngine):
    """One that would plan over the model itself."""

    def with_manifest(self, manifest: Mapping[str, Any]) -> NamedEngine:
        return self


def main() -> None:
    """Serve until the pipe closes."""
    child = Child()
    limits.die_first()
    limits.tighten_address_space(_MEMORY_MIB)
    gc.freeze()
    child.serve(lambda request: {**_answer(request), "last": limits.resident_mib() > _KEPT_MIB}, cpu_factor=1.0)


def _answer(request: Request) -> dict[str, Any]:
    file = Path(request["file"])
    kind = NamedPlanningEngine if request["plans_itself"] else NamedEngine
    patterns, dialect = request["tables"], request["dialect"]
    tables = None if patterns is None else TableList(patterns, dialect)
    database = Database(kind(dialect, request["data_source"]), request["schema_map"], tables)
    try:
        text = file.read_bytes().decode("utf-8", "surrogatepass")
        if request["op"] == "read":
            found = read_model(text, database)
            file.with_suffix(".read").write_text(found.text)
            problems, warnings = ([astuple(one) for one in part] for part in (found.problems, found.warnings))
            return {"problems": problems, "warnings": warnings, "digest": found.digest}
        _try_out(text, database)
        return {}
    except InvalidModel as refusal:
        return {"refusal": [refusal.message, refusal.hint, refusal.problems]}


def _try_out(text: str, database: Database) -> None:
    """Everything that is made of a model before its first question, and a statement over each table that the planner
    has work with."""
    stored = StoredModel("", "", "", text, None, (), datetime.now(UTC))
    try:
        project = build(stored, database)
    except InvalidModel:
        return  # the service finds the same, and knows whose model it is
    _ = project.prepared, project.views_by_question
    for table in project.model:
        if table.kind is not TableKind.MODEL or any(one.role is not ColumnRole.PLAIN for one in table.columns):
            _plan(project, table)


def _plan(project: ProjectModel, table: Table) -> None:
    quoted = (exp.column(exp.to_identifier(column.name, quoted=True)) for column in table.columns)
    select = exp.select(*quoted).from_(exp.table_(table.name, quoted=True))
    bound = bind(select, project.model, project.engine.dialect)
    if not isinstance(bound, RejectedSql):
        project.planner.plan(bound, QueryContext(now=datetime.now(UTC)))


def _not_here() -> EngineUnavailable:
    return EngineUnavailable(*say("model.no_database_in_process"))
