"""From a statement over the semantic model to one over the database."""

from __future__ import annotations

from askwell.sql.planner.planner import PlannedSql, Planner
from askwell.sql.planner.safety import model_shapes, unsafe_parts

__all__ = ["PlannedSql", "Planner", "model_shapes", "unsafe_parts"]
