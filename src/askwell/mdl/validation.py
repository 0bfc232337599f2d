"""Reads a manifest and checks it in full, so that every problem is reported at once.

What is checked here: names, relationships, views, metrics, cubes and enums. `checks/` has models, calculated fields and
the database's own tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from askwell.mdl.checks.calculations import check_circles
from askwell.mdl.checks.database import warnings_against
from askwell.mdl.checks.models import check_models
from askwell.mdl.checks.scope import Scope
from askwell.mdl.data_sources import SQL_DIALECTS, data_source_name, same_engine, sql_dialect
from askwell.mdl.expressions import Side, Unreadable, read_condition, read_expression
from askwell.mdl.json_source import read_json
from askwell.mdl.lookup import Lookup
from askwell.mdl.manifest import Grouped, Manifest, Metric, MetricField, Model, ModelColumn, RelationshipEntry
from askwell.mdl.names import nearest_hint
from askwell.mdl.problems import AND_MORE, Findings, Problem, TooManyProblems, place, shown
from askwell.mdl.reserved import MAX_NAME_CHARACTERS, is_reserved, unusable_characters
from askwell.mdl.semantic_model import Cardinality
from askwell.mdl.shape import Shaped, read_shape
from askwell.mdl.types import comparable
from askwell.mdl.view import read_statements


def check_derived(scope: Scope) -> None:
    """Check everything that is built on models."""
    _check_enums(scope)
    good = {view.name for view in scope.manifest.views}
    places = {
        view.name: scope.at("views", view, position, view.name) for position, view in enumerate(scope.manifest.views)
    }
    for where, entry in _grouped(scope):
        places[entry.name] = where
        if _check_grouped(scope, where, entry):
            good.add(entry.name)
    _check_statements(scope, places, good)


def _grouped(scope: Scope) -> list[tuple[str, Grouped]]:
    """Metrics and cubes with their places."""
    found = scope.manifest.grouped()
    return [(scope.at(kind, entry, position, entry.name), entry) for kind, position, entry in found]


def _check_statements(scope: Scope, places: dict[str, str], good: set[str]) -> None:
    statements = read_statements(scope.manifest)
    for name in statements.names:
        reading = statements.reading(name)
        for what, todo in reading.mistakes if name in good and not scope.broken else ():
            scope.findings.refuse(places[name], what, todo or "Correct it.")
        for what, todo in reading.doubts:
            scope.findings.warn(places[name], what, todo)


def _check_grouped(scope: Scope, where: str, entry: Grouped) -> bool:
    """Whether the metric's or cube's own parts are good enough to look at the statement that it stands for."""
    before = len(scope.findings.problems)
    names = scope.lookup.selectable
    known = scope.lookup.model(entry.base_object) is not None or scope.lookup.is_derived(entry.base_object)
    if not known and not scope.is_broken(entry.base_object):
        scope.dangling(place(where, "baseObject"), entry.base_object, "a model, view or metric", names)
    if not any(entry.fields().values()):
        scope.findings.refuse(where, "it has neither dimensions nor measures", "Give at least one.")
    for kind, members in entry.fields().items():
        for position, field in enumerate(members):
            spot = place(where, scope.at(kind, field, position, field.name))
            _check_field(scope, spot, field, is_measure=kind.startswith("measure"))
    if isinstance(entry, Metric) and entry.time_grain:
        todo = "Make each one a dimension, such as one with the expression date_trunc('month', ordered_on)."
        scope.findings.refuse(place(where, "timeGrain"), "time grains are not supported", todo)
    return known and len(scope.findings.problems) == before


def _check_field(scope: Scope, where: str, field: MetricField, *, is_measure: bool) -> None:
    scope.check_type(where, field.type)
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


def check_names(scope: Scope) -> None:
    """Check the names of everything that has one."""
    manifest = scope.manifest
    tables = _named(scope, "models", manifest.models) + _named(scope, "views", manifest.views)
    tables += _named(scope, "metrics", manifest.metrics) + _named(scope, "cubes", manifest.cubes)
    _check(scope, tables, may_be_reserved=False)
    _check(scope, _named(scope, "relationships", manifest.relationships))
    _check(scope, _named(scope, "enumDefinitions", manifest.enum_definitions))
    for position, model in enumerate(manifest.models):
        where = scope.at("models", model, position, model.name)
        _check(scope, _named(scope, "columns", model.columns, where))
    for where, entry in _grouped(scope):
        _check(scope, [one for kind, members in entry.fields().items() for one in _named(scope, kind, members, where)])


class _NamedEntry(Protocol):
    @property
    def name(self) -> str: ...


_Named = tuple[str, str]
"""Where an entry is, and its name."""


def _named(scope: Scope, kind: str, entries: Sequence[_NamedEntry], within: str = "") -> list[_Named]:
    return [
        (place(within, scope.at(kind, entry, position, entry.name)), entry.name)
        for position, entry in enumerate(entries)
    ]


def _check(scope: Scope, named: list[_Named], *, may_be_reserved: bool = True) -> None:
    first: dict[str, str] = {}
    for where, name in named:
        _check_one(scope, where, name, may_be_reserved=may_be_reserved)
        key = name.lower()
        if key.strip() and key in first:
            what = f'the name "{shown(name)}" is there already, at {first[key]}'
            scope.findings.refuse(where, what, "Rename one: names are the same in any letter case.")
        first.setdefault(key, where)


def _check_one(scope: Scope, where: str, name: str, *, may_be_reserved: bool) -> None:
    if not name.strip():
        scope.findings.refuse(where, "the name is empty", "Give it a name.")
        return
    if name != name.strip():
        scope.findings.refuse(where, "the name begins or ends with a space", "Remove the space.")
    if len(name) > MAX_NAME_CHARACTERS:
        scope.findings.refuse(where, f"the name is longer than {MAX_NAME_CHARACTERS} characters", "Shorten it.")
    unusable = unusable_characters(name)
    if unusable:
        listed = " ".join(sorted(map(repr, unusable)))
        todo = 'Give it another name; a column keeps its database name in "expression".'
        scope.findings.refuse(where, f"the name has characters that no query can carry ({shown(listed)})", todo)
    if not may_be_reserved and is_reserved(name):
        todo = "Give it another name; the name in the database stays in tableReference."
        scope.findings.refuse(where, f'"{shown(name)}" is a name of the database\'s own catalogue', todo)


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


__all__ = ["ManifestReading", "Problem", "read_manifest", "warnings_against"]


@dataclass(frozen=True, slots=True)
class ManifestReading:
    """`manifest` is there if and only if there are no `problems`. `warnings` never stand in its way."""

    manifest: Manifest | None
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]


def read_manifest(source: str | bytes | dict[str, Any], *, data_source: str | None = None) -> ManifestReading:
    """Read MDL JSON and check everything that can be checked without a database.

    `data_source` is the configured engine's; a manifest that names another is refused, one that names none takes it.
    Total: whatever JSON value (or text, or bytes) comes in, problems come out, never an exception. It takes about half
    a millisecond a model: call it off the event loop.
    """
    findings = Findings()
    manifest = None
    try:
        value = read_json(source, findings)
        if value is not None:
            manifest = _checked(read_shape(value, findings), findings, data_source)
    except TooManyProblems:
        findings.problems.append(AND_MORE)
    return ManifestReading(
        manifest=None if findings.problems else manifest,
        problems=tuple(findings.problems),
        warnings=tuple(findings.warnings),
    )


def _checked(shaped: Shaped, findings: Findings, data_source: str | None) -> Manifest | None:
    manifest = shaped.manifest
    if manifest is None:
        return None
    manifest = _with_data_source(manifest, findings, data_source)
    scope = Scope(
        manifest=manifest,
        lookup=Lookup(manifest),
        findings=findings,
        dialect=sql_dialect(manifest.data_source),
        broken=frozenset(shaped.broken),
        positions=shaped.positions,
    )
    for check in (check_names, check_models, check_relationships, check_circles, check_derived):
        check(scope)
    return manifest


def _with_data_source(manifest: Manifest, findings: Findings, engine: str | None) -> Manifest:
    """The manifest with its data source spelled our way; the engine's where it names none."""
    for key, text in (("catalog", manifest.catalog), ("schema", manifest.schema_name)):
        if not text.strip():
            findings.refuse("manifest", f'"{key}" is empty', "Give it a name; it is a name of the model only.")
    own = data_source_name(engine) if engine else None
    written = data_source_name(manifest.data_source) if manifest.data_source else None
    if written is None and own is None:
        findings.warn("manifest", '"dataSource" is missing, so its SQL is read as DuckDB\'s', "Name the database.")
    elif written is not None and written not in SQL_DIALECTS:
        hint = nearest_hint(written, SQL_DIALECTS)
        findings.refuse("manifest", f'"dataSource" is not one that is known ({shown(written)})', hint or "Correct it.")
    elif written is not None and own is not None and not same_engine(written, own):
        what = f'"dataSource" is {written}, but the project\'s database is {own}'
        findings.refuse("manifest", what, "Send the model to the project whose database it describes.")
    chosen = written if written in SQL_DIALECTS else own
    return manifest if chosen == manifest.data_source else manifest.model_copy(update={"data_source": chosen})
