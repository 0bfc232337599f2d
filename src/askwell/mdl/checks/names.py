"""Names: usable, not reserved, and no two the same in any letter case."""

from __future__ import annotations

from collections.abc import Iterable

from askwell.mdl.checks.scope import Scope
from askwell.mdl.manifest import Entry
from askwell.mdl.problems import place, shown
from askwell.mdl.reserved import MAX_NAME_CHARACTERS, is_reserved, unusable_characters

Named = tuple[str, Entry, str]
"""Where an entry is, the entry, its name."""


def check_names(scope: Scope) -> None:
    """Check the names of everything that has one."""
    manifest = scope.manifest
    kinds = (
        ("models", manifest.models),
        ("views", manifest.views),
        ("metrics", manifest.metrics),
        ("cubes", manifest.cubes),
    )
    tables = [found for kind, entries in kinds for found in _named(scope, kind, entries)]
    _check(scope, tables, may_be_reserved=False)
    _check(scope, _named(scope, "relationships", manifest.relationships))
    _check(scope, _named(scope, "enumDefinitions", manifest.enum_definitions))
    for where, model, _ in _named(scope, "models", manifest.models):
        _check(scope, _named(scope, "columns", getattr(model, "columns", ()), where))
    for where, metric, _ in _named(scope, "metrics", manifest.metrics):
        fields = [("dimension", getattr(metric, "dimension", ())), ("measure", getattr(metric, "measure", ()))]
        _check(scope, [found for kind, entries in fields for found in _named(scope, kind, entries, where)])
    for where, cube, _ in _named(scope, "cubes", manifest.cubes):
        kinds_of_field = (("dimensions", "dimensions"), ("timeDimensions", "time_dimensions"), ("measures", "measures"))
        fields = [(kind, getattr(cube, attribute, ())) for kind, attribute in kinds_of_field]
        _check(scope, [found for kind, entries in fields for found in _named(scope, kind, entries, where)])


def _named(scope: Scope, kind: str, entries: Iterable[Entry], within: str = "") -> list[Named]:
    return [
        (place(within, scope.at(kind, entry, position, name)), entry, name)
        for position, entry in enumerate(entries)
        if isinstance(name := getattr(entry, "name", None), str)
    ]


def _check(scope: Scope, named: list[Named], *, may_be_reserved: bool = True) -> None:
    first: dict[str, str] = {}
    for where, _, name in named:
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
