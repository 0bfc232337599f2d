"""SQL type names, coarsely: enough to say whether two columns can be equal."""

from __future__ import annotations

import re
from enum import StrEnum


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


def type_family(type_name: str) -> TypeFamily:
    """The family of a type in any database's spelling; an empty or unheard-of type is UNKNOWN."""
    name = type_name.strip().lower()
    return next((family for family, pattern in _FAMILIES if re.search(pattern, name)), TypeFamily.UNKNOWN)


def comparable(left: str, right: str) -> bool:
    """Whether columns of these types can hold equal values; nothing speaks against it where a type is unknown."""
    families = {type_family(left), type_family(right)}
    return len(families) == 1 or TypeFamily.UNKNOWN in families
