"""SQL type names: whether there is such a type, and coarsely what it holds, so whether two columns can be equal."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from sqlglot import Dialect, exp
from sqlglot.errors import SqlglotError


class TypeFamily(StrEnum):
    """What kind of value a SQL type holds."""

    NUMBER = "number"
    TEXT = "text"
    TIME = "time"
    BOOLEAN = "boolean"
    OTHER = "other"
    UNKNOWN = "unknown"


_FAMILIES: tuple[tuple[TypeFamily, str], ...] = (
    (TypeFamily.TIME, r"date|time|year\b|interval"),
    (TypeFamily.BOOLEAN, r"bool|^bit$"),
    (
        TypeFamily.OTHER,
        r"struct|map|list|array|json|\[\]|union|blob|binary|bytea|geometry|geography|point|variant|object",
    ),
    (TypeFamily.TEXT, r"char|text|string|clob|uuid|enum|name|citext|inet|guid"),
    (TypeFamily.NUMBER, r"int|num|dec|real|float|double|money|serial|number|long|short"),
)


@lru_cache(maxsize=1024)
def type_family(type_name: str) -> TypeFamily:
    """The family of a type in any database's spelling; an empty or unheard-of type is UNKNOWN."""
    name = type_name.strip().lower()
    return next((family for family, pattern in _FAMILIES if re.search(pattern, name)), TypeFamily.UNKNOWN)


def comparable(left: str, right: str) -> bool:
    """Whether columns of these types can hold equal values; nothing speaks against it where a type is unknown."""
    families = {type_family(left), type_family(right)}
    return len(families) == 1 or TypeFamily.UNKNOWN in families


# What anybody calls a type, for hints; and words of types that are declared in several words.
COMMON_TYPES = (
    *("INTEGER", "BIGINT", "SMALLINT", "DECIMAL", "NUMERIC", "DOUBLE", "FLOAT", "REAL", "BOOLEAN", "VARCHAR", "CHAR"),
    *("TEXT", "DATE", "TIME", "TIMESTAMP", "TIMESTAMPTZ", "DATETIME", "INTERVAL", "BLOB", "JSON", "UUID"),
)
_TYPE_WORDS = frozenset(
    """
    unsigned signed big long native varying character large object double precision with without local time zone
    int integer int2 int4 int8 bool string number numeric decimal dec real enum struct map list array union
    bignum varint time_ns timestamp_s timestamp_ms timestamp_us timestamp_ns bit year any money geometry json
    null citext ltree tsvector tsquery cidr macaddr macaddr8 box lseg path line circle jsonpath pg_lsn inet4 inet6
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
# A model may be written for another database than its SQL types remind of; a type that none of these knows is a slip.
_TYPE_DIALECTS = ("duckdb", "postgres", "mysql", "bigquery", "snowflake", "tsql", "clickhouse", "oracle", "spark")
_MOST_CHARACTERS = 10_000
_PLAIN_TYPE = re.compile(r"([a-z][\w ]*)(?:\([\d, ]*\))?(?:\[\d*\])*")


@lru_cache(maxsize=1024)
def is_sql_type(type_name: str, dialect: str) -> bool:
    """Whether a database has a type of that name, whose values and sizes are not looked at."""
    if len(type_name) > _MOST_CHARACTERS:
        return True
    plain = _PLAIN_TYPE.fullmatch(type_name.strip().lower())
    said = plain[1].split() if plain else []
    if len(set(said)) < len(said):  # `money money` is a slip that some dialects read as a type and a name
        return False
    if any(_builds(type_name, known) for known in (dialect, "", *_TYPE_DIALECTS)):
        return True
    # SQLite takes any words for a type and databases have types of their own: UNSIGNED BIG INT, TIME_NS.
    return bool(said) and all(word in _TYPE_WORDS for word in said)


def _builds(type_name: str, dialect: str) -> bool:
    try:
        kind = exp.DataType.build(type_name, dialect=Dialect.get_or_raise(dialect))
    except (SqlglotError, ValueError, RecursionError, AttributeError, TypeError, IndexError, KeyError):
        return False
    unknown = (exp.DataType.Type.USERDEFINED, exp.DataType.Type.UNKNOWN)
    return kind is not None and not any(part.this in unknown for part in kind.find_all(exp.DataType))
