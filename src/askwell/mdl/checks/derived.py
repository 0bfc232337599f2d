"""Views, metrics, cubes and enums."""

from __future__ import annotations

from askwell.mdl.checks.scope import Scope
from askwell.mdl.checks.types import check_type
from askwell.mdl.expressions import Unreadable, read_expression
from askwell.mdl.manifest import Cube, Metric, MetricField
from askwell.mdl.problems import place, shown
from askwell.mdl.view import read_statements


def check_derived(scope: Scope) -> None:
    """Check everything that is built on models."""
    _check_enums(scope)
    good = {view.name for view in scope.manifest.views}
    places = {
        view.name: scope.at("views", view, position, view.name) for position, view in enumerate(scope.manifest.views)
    }
    for position, metric in enumerate(scope.manifest.metrics):
        places[metric.name] = where = scope.at("metrics", metric, position, metric.name)
        if _check_grouped(scope, where, metric, [("dimension", metric.dimension), ("measure", metric.measure)]):
            good.add(metric.name)
    for position, cube in enumerate(scope.manifest.cubes):
        places[cube.name] = where = scope.at("cubes", cube, position, cube.name)
        dimensions = [("dimensions", cube.dimensions), ("timeDimensions", cube.time_dimensions)]
        if _check_grouped(scope, where, cube, [*dimensions, ("measures", cube.measures)]):
            good.add(cube.name)
    _check_statements(scope, places, good)


def _check_statements(scope: Scope, places: dict[str, str], good: set[str]) -> None:
    statements = read_statements(scope.manifest)
    for name in statements.names:
        reading = statements.reading(name)
        for what, todo in reading.mistakes if name in good and not scope.broken else ():
            scope.findings.refuse(places[name], what, todo or "Correct it.")
        for what, todo in reading.doubts:
            scope.findings.warn(places[name], what, todo)


def _check_grouped(
    scope: Scope, where: str, entry: Metric | Cube, fields: list[tuple[str, tuple[MetricField, ...]]]
) -> bool:
    """Whether the metric's or cube's own parts are good enough to look at the statement that it stands for."""
    before = len(scope.findings.problems)
    names = scope.lookup.selectable
    known = scope.lookup.model(entry.base_object) is not None or scope.lookup.is_derived(entry.base_object)
    if not known and not scope.is_broken(entry.base_object):
        scope.dangling(place(where, "baseObject"), entry.base_object, "a model, view or metric", names)
    if not any(members for _, members in fields):
        scope.findings.refuse(where, "it has neither dimensions nor measures", "Give at least one.")
    for kind, members in fields:
        for position, field in enumerate(members):
            spot = place(where, scope.at(kind, field, position, field.name))
            _check_field(scope, spot, field, is_measure=kind.startswith("measure"))
    if isinstance(entry, Metric) and entry.time_grain:
        todo = "Make each one a dimension, such as one with the expression date_trunc('month', ordered_on)."
        scope.findings.refuse(place(where, "timeGrain"), "time grains are not supported", todo)
    return known and len(scope.findings.problems) == before


def _check_field(scope: Scope, where: str, field: MetricField, *, is_measure: bool) -> None:
    check_type(scope, where, field.type)
    if field.expression is None:
        if is_measure:
            scope.findings.refuse(where, "a measure needs an expression", "Give one, such as sum(amount).")
        return
    tree = read_expression(field.expression, scope.dialect)
    if isinstance(tree, Unreadable):
        scope.findings.refuse(where, f"its expression cannot be used: {tree.reason}", "Write one SQL expression.")


def _check_enums(scope: Scope) -> None:
    for position, enum in enumerate(scope.manifest.enum_definitions):
        where = scope.at("enumDefinitions", enum, position, enum.name)
        if not enum.values:
            scope.findings.refuse(where, "it has no values", "List its values.")
        seen: set[str] = set()
        for value in enum.values:
            if value.name in seen:
                scope.findings.refuse(where, f'the value "{shown(value.name)}" is there twice', "Keep one.")
            seen.add(value.name)
