"""How the tables of a statement were joined, and who says that they belong together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

Place = tuple[str, str]


def joins_in_words(manifest: Mapping[str, Any], sql: str, dialect: str, *, declared_by: str) -> list[str]:
    """A sentence for each relationship of the model that a statement over it relies on: first those that `declared_by`
    ("the database") declares, then those that were inferred."""
    try:
        tree = parse_one(sql, read=dialect)
    except (SqlglotError, RecursionError):
        return []
    tables = {table.name.lower() for table in tree.find_all(exp.Table)}
    columns = {column.name.lower() for column in tree.find_all(exp.Column)}
    equated = _equated(tree)
    declared: list[str] = []
    inferred: list[str] = []
    for entry in manifest.get("relationships", ()):
        if not {name.lower() for name in entry["models"]} <= tables:
            continue
        if _is_inferred(entry):
            inferred += _inferred(entry, columns)
        else:
            declared += _declared(entry, equated, declared_by)
    return declared + inferred


def _is_inferred(entry: Mapping[str, Any]) -> bool:
    properties = entry.get("properties")
    return isinstance(properties, Mapping) and properties.get("inferred") is True


def _equated(tree: exp.Expr) -> set[frozenset[Place]]:
    """The pairs of columns that a statement sets equal, by their tables' own names."""
    names = {table.alias_or_name.lower(): table.name.lower() for table in tree.find_all(exp.Table)}
    return {frozenset(_places(equal, names)) for equal in tree.find_all(exp.EQ)}


def _places(tree: exp.Expr, names: Mapping[str, str]) -> Iterator[Place]:
    for column in tree.find_all(exp.Column):
        table = column.table.lower()
        yield names.get(table, table), column.name.lower()


def _declared(entry: Mapping[str, Any], equated: Iterable[frozenset[Place]], declared_by: str) -> Iterator[str]:
    condition = _condition(entry)
    pairs = {frozenset(_places(equal, {})) for equal in condition.find_all(exp.EQ)} if condition else set()
    if condition and pairs and pairs <= set(equated):
        joined = _written(condition)
        yield f"{' and '.join(dict.fromkeys(entry['models']))} were joined where {joined}, as {declared_by} declares."


def _inferred(entry: Mapping[str, Any], columns: set[str]) -> Iterator[str]:
    condition = _condition(entry)
    if condition and {column.name.lower() for column in condition.find_all(exp.Column)} <= columns:
        reason = str(entry["properties"].get("reason", "")).strip()
        why = f" ({reason})" if reason else ""
        yield f"The database does not say that {_written(condition)}; this was inferred{why}."


def _condition(entry: Mapping[str, Any]) -> exp.Expr | None:
    try:
        return parse_one(entry["condition"])
    except (SqlglotError, RecursionError):
        return None


def _written(condition: exp.Expr) -> str:
    equals: list[exp.Expr] = [*condition.find_all(exp.EQ)] or [condition]
    return " and ".join(
        " = ".join(f"{column.table}.{column.name}" for column in equal.find_all(exp.Column)) for equal in equals
    )
