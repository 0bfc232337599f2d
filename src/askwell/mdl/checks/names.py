"""Names: usable, not reserved, and no two the same in any letter case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from askwell.mdl.checks.scope import Scope
from askwell.mdl.problems import place, shown
from askwell.mdl.reserved import MAX_NAME_CHARACTERS, is_reserved, unusable_characters


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
    for position, metric in enumerate(manifest.metrics):
        where = scope.at("metrics", metric, position, metric.name)
        fields = _named(scope, "dimension", metric.dimension, where) + _named(scope, "measure", metric.measure, where)
        _check(scope, fields)
    for position, cube in enumerate(manifest.cubes):
        where = scope.at("cubes", cube, position, cube.name)
        fields = _named(scope, "dimensions", cube.dimensions, where)
        fields += _named(scope, "timeDimensions", cube.time_dimensions, where)
        _check(scope, fields + _named(scope, "measures", cube.measures, where))


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
