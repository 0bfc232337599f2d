"""Parameters of saved SQL: what stands as `:name` in it is filled in when it is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from askwell.knowledge.saved import SqlPair
from askwell.mdl.types import TypeFamily, type_family

_SAMPLES: dict[TypeFamily, exp.Expr] = {
    TypeFamily.NUMBER: exp.Literal.number(1),
    TypeFamily.BOOLEAN: exp.Boolean(this=True),
}
_DAY = "2024-01-01"


def with_samples(pair: SqlPair, dialect: str) -> str:
    """The pair's SQL with a value of the right type for each parameter, so that it can be planned; as it is where it
    has none or cannot be parsed. What is no parameter of the pair stays a placeholder, which no statement may have."""
    if not pair.parameters:
        return pair.sql
    try:
        tree = sqlglot.parse_one(pair.sql, dialect=dialect)
    except (SqlglotError, RecursionError):
        return pair.sql
    declared = {str(one["name"]).lower(): one for one in pair.parameters}
    for placeholder in list(tree.find_all(exp.Placeholder, exp.Parameter)):
        parameter = declared.get(placeholder.name.lower())
        if parameter is not None:
            placeholder.replace(_sample(parameter))
    return tree.sql(dialect=dialect)


def _sample(parameter: Mapping[str, Any]) -> exp.Expr:
    default = parameter.get("default")
    if default is not None:
        return exp.convert(default)
    kind = str(parameter.get("type") or "")
    family = type_family(kind)
    if family is TypeFamily.TIME:
        day = "date" in kind.lower() and "time" not in kind.lower()
        return exp.Literal.string(_DAY if day else f"{_DAY} 00:00:00")
    return _SAMPLES.get(family, exp.Literal.string("x")).copy()
