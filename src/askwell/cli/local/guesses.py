"""Which relationships that nobody declared a statement relies on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError


def used_guesses(manifest: Mapping[str, Any], sql: str, dialect: str) -> list[str]:
    """A sentence for each inferred relationship whose models and columns a statement over the model names."""
    inferred = [entry for entry in manifest.get("relationships", ()) if _is_inferred(entry)]
    if not inferred:
        return []
    try:
        tree = parse_one(sql, read=dialect)
    except (SqlglotError, RecursionError):
        return []
    tables = {table.name.lower() for table in tree.find_all(exp.Table)}
    columns = {column.name.lower() for column in tree.find_all(exp.Column)}
    return [
        sentence
        for entry in inferred
        if {name.lower() for name in entry["models"]} <= tables
        for sentence in _sentence(entry, columns)
    ]


def _is_inferred(entry: Mapping[str, Any]) -> bool:
    properties = entry.get("properties")
    return isinstance(properties, Mapping) and properties.get("inferred") is True


def _sentence(entry: Mapping[str, Any], columns: set[str]) -> Iterator[str]:
    try:
        condition = parse_one(entry["condition"])
    except (SqlglotError, RecursionError):
        return
    if {column.name.lower() for column in condition.find_all(exp.Column)} <= columns:
        reason = str(entry["properties"].get("reason", "")).strip()
        why = f" ({reason})" if reason else ""
        joined = " = ".join(f"{column.table}.{column.name}" for column in condition.find_all(exp.Column))
        yield f"The database does not say that {joined}; this was inferred{why}."
