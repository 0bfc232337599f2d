"""The model that Askwell drafts of a SQLite file by its names alone, and statements over it as they run on the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import sqlglot

from askwell.evaluation.text2sql import introspected_manifest
from askwell.mdl.semantic_model import ColumnRole, SemanticModel
from askwell.mdl.view import authorised_view
from askwell.services.drafted_measures import with_measures
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql
from askwell.sql.context import QueryContext
from askwell.sql.planner import PlannedSql, Planner


class DraftedModel:
    """`model` is what may be asked about, `manifest` what it was made from."""

    def __init__(self, connection: sqlite3.Connection, spider: Mapping[str, Any] | None) -> None:
        self.manifest = with_measures(introspected_manifest(connection, spider))
        self.model: SemanticModel = authorised_view(self.manifest, "")
        self._planner = Planner(self.model, self.manifest, "sqlite")
        self._calculated = [c.name for t in self.model for c in t.columns if c.role is ColumnRole.CALCULATED]

    def on_file(self, sql: str) -> str:
        """The statement over the file's own tables; as it is where it reads nothing else, or cannot be planned."""
        if not any(name in sql for name in self._calculated):
            return sql
        bound = bind(sqlglot.parse_one(sql, dialect="sqlite"), self.model, "sqlite")
        if not isinstance(bound, BoundSql):
            return sql
        planned = self._planner.plan(bound, QueryContext(datetime.now(UTC)))
        return planned.sql if isinstance(planned, PlannedSql) else sql
