"""What the columns of a result hold, by the names that databases give to types."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

_PRECISION = re.compile(r"\((\d+)(?:\s*,\s*(\d+))?\)")


class ColumnKind(StrEnum):
    """What a column holds. Everything else is text: lists and structures as JSON."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    DOUBLE = "double"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    TIMESTAMP_TZ = "timestamp_tz"
    BLOB = "blob"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class FileColumn:
    """A column of a file. `precision` and `scale` are a decimal's, None where its type does not say."""

    name: str
    kind: ColumnKind
    precision: int | None = None
    scale: int | None = None

    @classmethod
    def of(cls, name: str, type_name: str) -> FileColumn:
        """By a database's name for the type."""
        written = type_name.strip().upper()
        kind = _kind(written)
        declared = _PRECISION.search(written) if kind is ColumnKind.DECIMAL else None
        if declared is None:
            return cls(name, kind)
        return cls(name, kind, int(declared[1]), int(declared[2] or 0))


def _kind(written: str) -> ColumnKind:
    if written.endswith("]") or written.startswith(("STRUCT", "MAP", "LIST", "UNION")):
        return ColumnKind.TEXT
    bare = " ".join(re.sub(r"\(.*?\)", " ", written).split())
    if bare in ("TIMESTAMPTZ", "TIMESTAMP_TZ", "DATETIMEOFFSET") or bare.endswith("WITH TIME ZONE"):
        # A time of day with a zone is text, as is every other one.
        return ColumnKind.TEXT if bare.startswith("TIME WITH ") else ColumnKind.TIMESTAMP_TZ
    if bare.startswith(("TIMESTAMP", "DATETIME")):
        return ColumnKind.TIMESTAMP
    return _BY_NAME.get(bare.removesuffix(" UNSIGNED"), ColumnKind.TEXT)


_NAMES = {
    ColumnKind.INTEGER: "TINYINT SMALLINT MEDIUMINT INT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT "
    "UHUGEINT INT2 INT4 INT8 INT64 SERIAL BIGSERIAL YEAR",
    ColumnKind.DECIMAL: "DECIMAL NUMERIC DEC NUMBER BIGNUMERIC",
    ColumnKind.DOUBLE: "DOUBLE FLOAT REAL FLOAT4 FLOAT8 FLOAT64",
    ColumnKind.BOOLEAN: "BOOLEAN BOOL",
    ColumnKind.DATE: "DATE",
    ColumnKind.BLOB: "BLOB BYTEA BINARY VARBINARY BYTES",
}
_BY_NAME = {name: kind for kind, names in _NAMES.items() for name in names.split()} | {
    "DOUBLE PRECISION": ColumnKind.DOUBLE
}
