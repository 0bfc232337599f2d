"""SQL type names: whether there is such a type, and coarsely what it holds, so whether two columns can be equal."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from sqlglot import Dialect, exp
from sqlglot.errors import SqlglotError

from askwell.resources import words_file, words_of


class TypeFamily(StrEnum):
    """What kind of value a SQL type holds."""

    NUMBER = "number"
    TEXT = "text"
    TIME = "time"
    BOOLEAN = "boolean"
    OTHER = "other"
    UNKNOWN = "unknown"


@lru_cache(maxsize=1024)
def type_family(type_name: str) -> TypeFamily:
    """The family of a type in any database's spelling; an empty or unheard-of type is UNKNOWN."""
    name = type_name.strip().lower()
    families = words_file("askwell.mdl", "words.yaml")["families"]
    return TypeFamily(next((family for family, pattern in families.items() if re.search(pattern, name)), "unknown"))


def comparable(left: str, right: str) -> bool:
    """Whether columns of these types can hold equal values; nothing speaks against it where a type is unknown."""
    families = {type_family(left), type_family(right)}
    return len(families) == 1 or TypeFamily.UNKNOWN in families


def common_types() -> list[str]:
    """What anybody calls a type, for hints."""
    common: str = words_file("askwell.mdl", "words.yaml")["common_types"]
    return common.split()


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
    return bool(said) and set(said) <= words_of("askwell.mdl", "words.yaml", "type_words")


def _builds(type_name: str, dialect: str) -> bool:
    try:
        kind = exp.DataType.build(type_name, dialect=Dialect.get_or_raise(dialect))
    except (SqlglotError, ValueError, RecursionError, AttributeError, TypeError, IndexError, KeyError):
        return False
    unknown = (exp.DataType.Type.USERDEFINED, exp.DataType.Type.UNKNOWN)
    return kind is not None and not any(part.this in unknown for part in kind.find_all(exp.DataType))
