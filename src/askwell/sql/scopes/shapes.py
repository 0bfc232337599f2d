"""What values have inside: which fields a struct has, as far as a declared type says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

from sqlglot import Dialect, exp
from sqlglot.errors import SqlglotError

from askwell.sql.names import fold


class Opaque(Enum):
    """Values whose fields are not listed."""

    SCALAR = "scalar"  # has no fields
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct, or a row. `fields` maps folded names to what they hold; None where they are not listed. `is_record`: it
    has no type of a name, so that PostgreSQL forgets the fields where something else is made of it."""

    fields: Mapping[str, Shape] | None
    is_record: bool = False


@dataclass(frozen=True, slots=True)
class Items:
    """An array or list."""

    item: Shape


Shape = Struct | Items | Opaque

_STRUCTS = frozenset({exp.DType.STRUCT, exp.DType.OBJECT})
_ARRAYS = frozenset({exp.DType.ARRAY, exp.DType.LIST})
# Types whose values may be anything inside, and types that the parser does not know.
_UNKNOWN = frozenset(
    {
        exp.DType.JSON,
        exp.DType.JSONB,
        exp.DType.MAP,
        exp.DType.NESTED,
        exp.DType.NULL,
        exp.DType.SUPER,
        exp.DType.UNION,
        exp.DType.UNKNOWN,
        exp.DType.USERDEFINED,
        exp.DType.VARIANT,
    }
)


def shape_of_type(kind: exp.Expr | None) -> Shape:
    """The shape of a parsed type."""
    if not isinstance(kind, exp.DataType):
        return Opaque.UNKNOWN
    if kind.this in _STRUCTS:
        fields = {fold(part.name): shape_of_type(part.args.get("kind")) for part in kind.expressions if part.name}
        return Struct(fields or None)
    if kind.this in _ARRAYS:
        return Items(shape_of_type(kind.expressions[0]) if kind.expressions else Opaque.UNKNOWN)
    return Opaque.UNKNOWN if kind.this in _UNKNOWN else Opaque.SCALAR


@lru_cache(maxsize=1024)
def shape_of_type_name(name: str, dialect: str) -> Shape:
    """The shape of a type as a model writes it: `STRUCT(city VARCHAR)`, `ARRAY<STRUCT<x INT64>>`, `RECORD`, `DATE`."""
    if name.strip().upper() in ("RECORD", "ROW"):
        return Struct(None)
    try:
        return shape_of_type(exp.DataType.build(name, dialect=Dialect.get_or_raise(dialect)))
    except (SqlglotError, ValueError, RecursionError, AttributeError, TypeError, IndexError, KeyError):
        return Opaque.UNKNOWN


def shape_of_column(type_name: str, nested: Any, dialect: str) -> Shape:
    """The shape of a model's column: its type, or the property `nested_columns` (`{path: …}`, with dots between the
    levels), which says more where both are given."""
    paths = [str(path) for path in nested] if isinstance(nested, Mapping) else []
    if not paths:
        return shape_of_type_name(type_name, dialect)
    return _shape_of_paths([path.removeprefix("$.").split(".") for path in paths])


def _shape_of_paths(paths: list[list[str]]) -> Shape:
    below: dict[str, list[list[str]]] = {}
    for path in paths:
        below.setdefault(fold(path[0]), []).extend([path[1:]] if len(path) > 1 else [])
    return Struct({name: _shape_of_paths(rest) if rest else Opaque.UNKNOWN for name, rest in below.items()})
