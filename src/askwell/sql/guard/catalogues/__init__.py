"""The functions that a statement may call, by dialect: each was looked at by someone, name by name. The lists lie
beside this file."""

from __future__ import annotations

from askwell.resources import text_of, words_file

_DIALECTS = ("duckdb", "sqlite", "postgres", "mysql", "trino", "bigquery", "snowflake", "tsql")


def _listed(dialect: str) -> frozenset[str]:
    lines = text_of(__name__, f"{dialect}.txt").splitlines()
    return frozenset(name for line in lines if not line.startswith("#") for name in line.split())


REVIEWED: dict[str, frozenset[str]] = {dialect: _listed(dialect) for dialect in _DIALECTS}
# Functions with a place before their name: place → names.
NAMESPACES: dict[str, dict[str, frozenset[str]]] = {
    dialect: {place: frozenset(names.split()) for place, names in places.items()}
    for dialect, places in words_file(__name__, "namespaces.yaml").items()
}
