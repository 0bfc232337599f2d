"""From a statement over the semantic model to one over the database."""

from __future__ import annotations

from askwell.sql.planner.planner import PlannedSql, Planner

__all__ = ["PlannedSql", "Planner"]
