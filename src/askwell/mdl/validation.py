"""Reads a manifest item by item and checks it in full, so that every problem is reported at once.

Checked here are the shape, names, relationships, views, metrics, cubes and enums. `checks/` has models, calculated
fields and the database's own tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, get_args, get_origin

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from rapidfuzz import fuzz

from askwell.mdl.checks.database import warnings_against
from askwell.mdl.checks.models import Scope, check_circles, check_models
from askwell.mdl.data_sources import SQL_DIALECTS, data_source_name, same_engine, sql_dialect
from askwell.mdl.expressions import Side, Unreadable, read_condition, read_expression
from askwell.mdl.json_source import kind_of, read_json
from askwell.mdl.lookup import Lookup
from askwell.mdl.manifest import Entry, Grouped, Manifest, Metric, MetricField, Model, ModelColumn, RelationshipEntry
from askwell.mdl.names import MAX_NAME_CHARACTERS, is_reserved, listed, nearest_hint, unusable_characters
from askwell.mdl.problems import AND_MORE, Findings, Problem, TooManyProblems, item, place, shown
from askwell.mdl.semantic_model import Cardinality
from askwell.mdl.types import comparable
from askwell.mdl.view import read_statements
from askwell.resources import words_file

__all__ = ["ManifestReading", "Problem", "read_manifest", "warnings_against"]

# An unknown key this like a known one (rapidfuzz ratio, 0-100) is more likely a slip than a person's extension.
_SLIP = 85
# Unknown keys of one object that are looked at.
_MOST_SLIPS = 200

_UNION_MEMBERS = frozenset({"str", "int", "float", "bool"})


@dataclass(slots=True)
class Shaped:
    """What could be read. `broken` are the lower-case names of parts that were left out because of their shape, so that
    nobody reports a second time that they are missing: `("orders",)`, `("orders", "total")`. `positions` tells where an
    entry stood in its list, by the entry's identity."""

    manifest: Manifest | None
    broken: set[tuple[str, ...]] = field(default_factory=set)
    positions: dict[int, int] = field(default_factory=dict)


def read_shape(value: Mapping[str, Any], findings: Findings) -> Shaped:
    """Read a JSON object as a manifest. Wrong types and missing fields become problems; lists keep their good items."""
    shaped = Shaped(manifest=None)
    # A manifest without a usable catalog and schema is still worth looking through.
    stand_in = {"catalog": "?", "schema": "?"}
    manifest = _Reader(findings, shaped).entry(Manifest, value, "manifest", (), stand_in)
    shaped.manifest = manifest if isinstance(manifest, Manifest) else None
    if value.get("models") in (None, "", []):  # not where the shape of those that it has is wrong
        findings.refuse("manifest", "it has no models, so there is nothing to ask about", 'List a table in "models".')
    return shaped


@dataclass(slots=True)
class _Reader:
    findings: Findings
    shaped: Shaped

    def entry(
        self,
        kind: type[Entry],
        value: object,
        where: str,
        path: tuple[str, ...],
        stand_in: Mapping[str, Any] | None = None,
    ) -> Entry | None:
        """One object. Wrong optional fields are left out of it; wrong required ones leave the whole object out."""
        if not isinstance(value, dict):
            what = f"it is {kind_of(value)}, not a JSON object"
            self.findings.refuse(where, what, f"Write it as an object with {_required(kind)}.")
            return None
        parts = kind.given(value)
        self._note_slips(kind, parts, where)
        lists = _entry_lists(kind)
        for key in lists.keys() & parts.keys():
            parts[key] = self._entries(key, lists[key], parts[key], _inside(where, path), path)
        try:
            return kind.model_validate(parts)
        except ValidationError as error:
            details = error.errors(include_url=False, include_context=False)
        for detail in {detail["loc"][0]: detail for detail in reversed(details)}.values():
            self._refuse_field(where, detail)
        if kind is Manifest and any(detail["loc"][0] == "models" for detail in details):
            return None  # without any model, all the rest would be reported for missing them
        good = {key: part for key, part in parts.items() if key not in {detail["loc"][0] for detail in details}}
        try:
            return kind.model_validate({**(stand_in or {}), **good})
        except ValidationError:
            if path:
                self.shaped.broken.add(path)
            return None

    def _entries(self, key: str, kind: type[Entry], value: object, where: str, path: tuple[str, ...]) -> object:
        if not isinstance(value, list | tuple):
            return value  # the object's own validation says what is wrong
        entries = []
        for position, part in enumerate(value):
            name = part.get("name") if isinstance(part, dict) else None
            own_path = (*path, name.lower()) if isinstance(name, str) else path
            entry = self.entry(kind, part, place(where, item(key, position, name)), own_path)
            if entry is not None:
                self.shaped.positions[id(entry)] = position
                entries.append(entry)
        return entries

    def _refuse_field(self, where: str, detail: ErrorDetails) -> None:
        name = shown(_spelled(detail["loc"]))
        if detail["type"] == "missing":
            self.findings.refuse(where, f'"{name}" is missing', f'Add "{name}".')
        else:
            what = f'"{name}" has to be {_wanted(name, detail)}, not {kind_of(detail["input"])}'
            self.findings.refuse(where, what, "Correct its value.")

    def _note_slips(self, kind: type[Entry], parts: Mapping[str, Any], where: str) -> None:
        if self.findings.enough_warnings:
            return
        for key in sorted(parts.keys() - _known_keys(kind))[:_MOST_SLIPS]:
            meant = _meant(kind, key)
            if meant and meant not in parts:
                self.findings.warn(
                    where, f'"{shown(key)}" is not known and is ignored', f'If "{meant}" was meant, rename it.'
                )


def _inside(where: str, path: tuple[str, ...]) -> str:
    return where if path or where != "manifest" else ""


@cache
def _entry_lists(kind: type[Entry]) -> dict[str, type[Entry]]:
    """The fields of a type that are lists of objects, by their name on the wire."""
    lists = {}
    for name, info in kind.model_fields.items():
        arguments = get_args(info.annotation)
        if get_origin(info.annotation) is tuple and isinstance(arguments[0], type) and issubclass(arguments[0], Entry):
            lists[info.alias or name] = arguments[0]
    return lists


@cache
def _known_keys(kind: type[Entry]) -> frozenset[str]:
    return frozenset(info.alias or name for name, info in kind.model_fields.items())


@lru_cache(1_000)  # generators repeat their own keys in every object
def _meant(kind: type[Entry], key: str) -> str:
    """The known key that an unknown one is a slip of; empty where there is none."""
    meant = max(sorted(_known_keys(kind)), key=lambda name: fuzz.ratio(key, name))
    return meant if fuzz.ratio(key, meant) >= _SLIP else ""


def _required(kind: type[Entry]) -> str:
    return listed(f'"{info.alias or name}"' for name, info in kind.model_fields.items() if info.is_required())


def _spelled(loc: tuple[int | str, ...]) -> str:
    """A place inside an object: `tableReference.schema`, `dateParts[0]`."""
    name = ""
    for part in loc:
        if isinstance(part, int):
            name += f"[{part}]"
        elif part not in _UNION_MEMBERS and not part.startswith(("function-", "tuple")):
            name += f".{part}" if name else part
    return name


def _wanted(name: str, detail: ErrorDetails) -> str:
    if detail["loc"][-1] in _UNION_MEMBERS:
        return "text, a number, or true or false"
    if name == "primaryKey":
        return "a name or a list of names"
    wanted: Mapping[str, str] = words_file("askwell.mdl", "words.yaml")["wanted"]
    return wanted.get(detail["type"].removesuffix("_type"), "another kind of value")


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
        for position, member in enumerate(members):
            spot = place(where, scope.at(kind, member, position, member.name))
            _check_field(scope, spot, member, is_measure=kind.startswith("measure"))
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


_Named = tuple[str, str]
"""Where an entry is, and its name."""


def _named(scope: Scope, kind: str, entries: Sequence[Any], within: str = "") -> list[_Named]:
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
