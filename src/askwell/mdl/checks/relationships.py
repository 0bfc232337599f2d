"""Relationships: two models that exist, a join type, and a condition of columns that exist."""

from __future__ import annotations

from askwell.mdl.checks.scope import Scope
from askwell.mdl.expressions import Side, Unreadable, read_condition
from askwell.mdl.manifest import Model, ModelColumn, RelationshipEntry
from askwell.mdl.problems import place, shown
from askwell.mdl.semantic_model import Cardinality
from askwell.mdl.types import comparable


def check_relationships(scope: Scope) -> None:
    """Check every relationship."""
    for position, entry in enumerate(scope.manifest.relationships):
        where = scope.at("relationships", entry, position, entry.name)
        if entry.join_type.upper() not in set(Cardinality):
            scope.dangling(where, entry.join_type, "a joinType", sorted(Cardinality))
        models = _models(scope, where, entry)
        condition = read_condition(entry.condition)
        if isinstance(condition, Unreadable):
            what = f"its condition cannot be used: {condition.reason}"
            scope.findings.refuse(where, what, "Write a.x = b.y, or several of these joined by AND.")
        elif models is not None:
            for one, other in condition:
                _check_equality(scope, place(where, "condition"), models, one, other)


def _models(scope: Scope, where: str, entry: RelationshipEntry) -> tuple[Model, Model] | None:
    if len(entry.models) != 2:
        count = {0: "no names", 1: "one name"}.get(len(entry.models), f"{len(entry.models)} names")
        scope.findings.refuse(where, f'"models" has {count}, not two', "Name the two models that it joins.")
        return None
    found = []
    for name in entry.models:
        model = scope.lookup.model(name)
        if model is not None:
            found.append(model)
        elif not scope.is_broken(name):
            scope.dangling(where, name, "a model", [known.name for known in scope.manifest.models])
    return (found[0], found[1]) if len(found) == 2 else None


def _check_equality(scope: Scope, where: str, models: tuple[Model, Model], one: Side, other: Side) -> None:
    left, right = models
    if one.table.lower() != left.name.lower():
        one, other = other, one
    if (one.table.lower(), other.table.lower()) != (left.name.lower(), right.name.lower()):
        written = f"{shown(one.table)} and {shown(other.table)}"
        what = f"it compares {written}, but the relationship is between {left.name} and {right.name}"
        scope.findings.refuse(where, what, "Compare a column of the one with a column of the other.")
        return
    here, there = _column(scope, where, left, one), _column(scope, where, right, other)
    if here is not None and there is not None and not comparable(here.type, there.type):
        what = f"{left.name}.{here.name} is {here.type}, but {right.name}.{there.name} is {there.type}"
        scope.findings.warn(where, what, "Check that their values can be equal.")


def _column(scope: Scope, where: str, model: Model, side: Side) -> ModelColumn | None:
    column = scope.lookup.column(model, side.column)
    if column is None:
        if not scope.is_broken(model.name, side.column):
            names = [known.name for known in model.columns if known.relationship is None]
            scope.dangling(where, side.column, f"a column of {model.name}", names)
        return None
    if column.relationship is not None:
        scope.findings.refuse(where, f'"{column.name}" is a relationship column', "Compare plain columns.")
        return None
    return column
