"""What a statement may be made of: node types, which of their arguments may be filled, types, functions.

The lists are in `allowed.yaml`. Everything that is not named there is refused, so a node type or an argument that a
later parser invents is refused too.
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from askwell.resources import words_file

ALLOWED = words_file("askwell.sql.guard", "allowed.yaml")


def types_named(names: str) -> frozenset[type[exp.Expr]]:
    # A name that this version of the parser does not know cannot occur in its trees either.
    found = (getattr(exp, name, None) for name in names.split())
    return frozenset(t for t in found if t is not None)


ROOTS = types_named("Select Union Except Intersect Subquery Values Pivot")
PLAIN = types_named(ALLOWED["plain"])
ARGUMENTS: dict[type[exp.Expr], frozenset[str]] = {
    node: frozenset(arguments.split())
    for names, arguments in ALLOWED["arguments"].items()
    for node in types_named(names)
}
STRUCTURE: frozenset[type[exp.Expr]] = PLAIN | ARGUMENTS.keys()
FREE_TEXT = types_named(ALLOWED["free_text"])
NAMING = frozenset((node, key) for key, names in ALLOWED["naming"].items() for node in types_named(names))


def _written(kind: exp.DType, dialect: str) -> str:
    return exp.DataType(this=kind).sql(dialect)


_KNOWN_TYPES = frozenset(t for t in exp.DataType.Type if t.name not in ALLOWED["refused_types"].split())
_TYPES = {
    dialect: frozenset(t for t in _KNOWN_TYPES if _written(t, dialect).partition("(")[0] in names.split(", "))
    | {exp.DType.ARRAY}
    for dialect, names in ALLOWED["types"].items()
}


def data_types(dialect: str) -> frozenset[exp.DType]:
    """The types that a value may be cast to."""
    return _TYPES.get(dialect, _KNOWN_TYPES)


DIALECTS = ("duckdb", "sqlite", "postgres", "mysql", "trino", "bigquery", "snowflake", "tsql")


def dialect_of(name: str) -> sqlglot.Dialect:
    """The parser's dialect, for one of `DIALECTS`."""
    if name not in DIALECTS:
        raise ValueError(f"the guard knows no dialect {name!r}; it knows {', '.join(DIALECTS)}")
    return sqlglot.Dialect.get_or_raise(name)
