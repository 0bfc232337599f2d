"""Calculated fields: what their expressions refer to, and that none is built on itself."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from askwell.mdl.aggregates import TooComplex, aggregate_around, common_hops, is_own_aggregate, taken_apart
from askwell.mdl.checks.scope import Scope
from askwell.mdl.expressions import Unreadable, read_expression, references
from askwell.mdl.lookup import Dangling, Reach
from askwell.mdl.manifest import Model, ModelColumn
from askwell.mdl.names import nearest_hint
from askwell.mdl.problems import place, shown


def check_calculation(scope: Scope, where: str, model: Model, column: ModelColumn) -> None:
    """Check one calculated field."""
    if not (column.expression or "").strip():
        scope.findings.refuse(where, "it is calculated, but has no expression", 'Give "expression".')
        return
    tree = read_expression(column.expression or "", scope.dialect)
    if isinstance(tree, Unreadable):
        scope.findings.refuse(where, f"its expression cannot be used: {tree.reason}", "Write one SQL expression.")
        return
    top = exp.Paren(this=tree)
    reached = [(node, check_reference(scope, where, model, names, column.name)) for node, names in references(top)]
    found = [(node, reach) for node, reach in reached if reach is not None]
    if len(found) < len(reached):
        return
    if any(reach.to_many for _, reach in found) and not model.primary_key:
        what = f"it aggregates related rows, and {model.name} has no primary key"
        scope.findings.refuse(where, what, 'Give the model a "primaryKey".')
    _check_aggregates(scope, where, model, top, found)


def check_reference(
    scope: Scope, where: str, model: Model, names: tuple[str, ...], own: str = "", text: str = "expression"
) -> Reach | None:
    """Where a dotted reference leads; a problem is reported where it leads nowhere.

    `own` is the name of the column whose expression this is, and `text` says what the reference stands in.
    """
    reach = scope.lookup.reach(model, names)
    if not isinstance(reach, Dangling):
        return reach
    if reach.elsewhere or scope.is_broken(reach.model, reach.name):
        return None
    written = shown(".".join(names))
    which = f'but "{shown(reach.name)}"' if len(names) > 1 else "which"
    what = f'its {text} reads "{written}", {which} is {reach.reason}'
    valid = [name for name in reach.valid if name.rpartition(".")[2] != own or reach.model != model.name]
    scope.findings.refuse(where, what, nearest_hint(reach.name, valid) or "Correct the name.")
    return None


def _check_aggregates(
    scope: Scope, where: str, model: Model, top: exp.Expr, found: list[tuple[exp.Expr, Reach]]
) -> None:
    aggregates: dict[int, exp.Expr] = {}
    for node, reach in found:
        aggregate = aggregate_around(node, top)
        if reach.to_many and aggregate is None:
            what = f"{shown(node.sql())} may have several values for one row of {model.name}"
            scope.findings.refuse(where, what, "Put an aggregate around it, such as sum(…).")
            return
        if reach.to_many and aggregate is not None:
            aggregates[id(aggregate)] = aggregate
    for aggregate in aggregates.values():
        members = [reach for node, reach in found if _is_within(node, aggregate)]
        try:
            if common_hops(members)[-1].to_many:
                taken_apart(aggregate)
        except TooComplex as error:
            scope.findings.refuse(where, f"{shown(aggregate.sql())} cannot be worked out: {error}", "Split it up.")
    for node, _ in found:
        if not any(_is_within(node, aggregate) for aggregate in aggregates.values()) and is_own_aggregate(node, top):
            what = f"it aggregates rows of {model.name} itself"
            scope.findings.refuse(where, what, "Make it a measure of a metric, or follow a relationship.")
            return


def _is_within(node: exp.Expr, ancestor: exp.Expr) -> bool:
    here: exp.Expr | None = node
    while here is not None and here is not ancestor:
        here = here.parent
    return here is ancestor


def check_circles(scope: Scope) -> None:
    """Refuse calculated fields that are built on themselves, over any number of models; each circle once."""
    done: set[tuple[str, str]] = set()
    for position, model in enumerate(scope.manifest.models):
        for number, column in enumerate(model.columns):
            if column.is_calculated and (model.name, column.name) not in done:
                circle = _circle(scope, model, column, done)
                if circle:
                    where = place(
                        scope.at("models", model, position, model.name),
                        scope.at("columns", column, number, column.name),
                    )
                    what = f"calculated fields are built on one another in a circle ({' → '.join(circle)})"
                    if len(circle) == 2:
                        what = "its expression reads the calculated field itself"
                    scope.findings.refuse(
                        where, what, "Take one of them out of it." if len(circle) > 2 else "Read other columns in it."
                    )


def _circle(scope: Scope, model: Model, column: ModelColumn, done: set[tuple[str, str]]) -> list[str] | None:
    """A circle that the field leads to, walked depth first without recursion; all that was walked is `done`."""
    path: list[tuple[str, str]] = [(model.name, column.name)]
    waiting = [_built_on(scope, model, column)]
    while waiting:
        step = next(waiting[-1], None)
        if step is None:
            waiting.pop()
            done.add(path.pop())
            continue
        key = (step.model.name, step.column.name)
        if key in path:
            done.update(path)
            circle = [*path[path.index(key) :], key]
            return [f"{owner}.{name}" for owner, name in circle]
        if key not in done:
            path.append(key)
            waiting.append(_built_on(scope, step.model, step.column))
    return None


def _built_on(scope: Scope, model: Model, column: ModelColumn) -> Iterator[Reach]:
    tree = read_expression(column.expression or "", scope.dialect)
    if not isinstance(tree, Unreadable):
        for _, names in references(tree):
            reach = scope.lookup.reach(model, names)
            if isinstance(reach, Reach) and reach.column.is_calculated:
                yield reach
