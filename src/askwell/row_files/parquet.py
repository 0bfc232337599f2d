"""Rows as a Parquet file, written by DuckDB, with the types of their columns.

A database that does not hold its columns to a type (SQLite) may give values that do not fit: such a column is text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from askwell.row_files.columns import ColumnKind, FileColumn
from askwell.spelling import free_name

_MEMORY = "384MB"
_LEAST_LINE = 1 << 20
_MOST_DIGITS = 38
_TYPES = {
    ColumnKind.INTEGER: "BIGINT",
    ColumnKind.DOUBLE: "DOUBLE",
    ColumnKind.BOOLEAN: "BOOLEAN",
    ColumnKind.DATE: "DATE",
    ColumnKind.TIMESTAMP: "TIMESTAMP",
    ColumnKind.TIMESTAMP_TZ: "TIMESTAMPTZ",
}


def write_parquet(rows: Path, columns: Sequence[FileColumn], file: Path, longest: int) -> None:
    """Write the rows of a spool, whose longest line has so many bytes. Raises `MemoryError` and `OSError`."""
    config: dict[str, Any] = {
        "memory_limit": _MEMORY,
        "threads": "1",
        "temp_directory": str(file.parent),
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }
    try:
        with duckdb.connect(config=config) as connection:
            source = _source(rows, longest)
            chosen = _expressions(connection, source, columns)
            taken: set[str] = set()
            names = [_name(column.name, place, taken) for place, column in enumerate(columns, 1)]
            listed = ", ".join(f'{one} AS "{name}"' for one, name in zip(chosen, names, strict=True))
            # In small groups, since each is held in memory as a whole.
            connection.execute(
                f"COPY (SELECT {listed} FROM {source}) TO {_quoted(str(file))} "
                "(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20480)"
            )
    except duckdb.OutOfMemoryException:
        raise MemoryError from None
    except duckdb.IOException as error:
        raise OSError(0, "No space left on device") from error


def _source(rows: Path, longest: int) -> str:
    # Each line is read once, whole, into its values as texts.
    most = max(longest + 1, _LEAST_LINE)
    return (
        f"read_json({_quoted(str(rows))}, format = 'newline_delimited', records = 'false', "
        f"columns = {{r: 'VARCHAR[]'}}, maximum_object_size = {most})"
    )


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the values of a column are like: whether each fits, and the most digits before and behind the point."""

    fits: bool
    whole: int
    scale: int


def _expressions(connection: duckdb.DuckDBPyConnection, source: str, columns: Sequence[FileColumn]) -> list[str]:
    """For each column what gives its values in the type that all of them fit into."""
    texts = [f"r[{place}]" for place in range(1, len(columns) + 1)]
    typed = [place for place, column in enumerate(columns) if column.kind is not ColumnKind.TEXT]
    if not typed:
        return texts
    looks = ", ".join(_look(texts[place], columns[place]) for place in typed)
    found = connection.execute(f"SELECT {looks} FROM {source}").fetchone() or ()
    for at, place in enumerate(typed):
        texts[place] = _typed(texts[place], columns[place], _Seen(*found[3 * at : 3 * at + 3]))
    return texts


def _typed(text: str, column: FileColumn, seen: _Seen) -> str:
    if not seen.fits:
        return text
    match column.kind:
        case ColumnKind.BLOB:
            return f"from_base64({text})"
        case ColumnKind.DECIMAL if column.precision is None:
            is_exact = seen.whole + seen.scale <= _MOST_DIGITS
            return f"CAST({text} AS DECIMAL({_MOST_DIGITS}, {seen.scale}))" if is_exact else text
        case _:
            return f"CAST({text} AS {_type(column)})"


def _type(column: FileColumn) -> str:
    if column.kind is ColumnKind.DECIMAL:
        return f"DECIMAL({column.precision}, {column.scale})"
    return _TYPES[column.kind]


def _look(text: str, column: FileColumn) -> str:
    """Three expressions, for `_Seen`."""
    match column.kind:
        case ColumnKind.BLOB:
            fits = f"length({text}) % 4 = 0 AND regexp_full_match({text}, '[A-Za-z0-9+/]*={{0,2}}')"
        case ColumnKind.DECIMAL if column.precision is None:
            fits = f"regexp_full_match({text}, '[-+]?[0-9]+([.][0-9]+)?')"
        case ColumnKind.DECIMAL if (column.precision or 0) > _MOST_DIGITS:
            fits = "false"
        case ColumnKind.INTEGER:
            # A cast alone would take 1.5 for 2, and 01 for 1.
            fits = f"CAST(TRY_CAST({text} AS BIGINT) AS VARCHAR) = {text}"
        case _:
            fits = f"TRY_CAST({text} AS {_type(column)}) IS NOT NULL"
    all_fit = f"coalesce(bool_and(coalesce({fits}, false)) FILTER ({text} IS NOT NULL), true)"
    if column.kind is not ColumnKind.DECIMAL:
        return f"{all_fit}, 0, 0"
    whole, behind = (f"coalesce(max(length(split_part(ltrim({text}, '-+'), '.', {part}))), 0)" for part in (1, 2))
    return f"{all_fit}, {whole}, {behind}"


def _name(name: str, place: int, taken: set[str]) -> str:
    """A name that no other column has, in any case: DuckDB would give it one."""
    return free_name(name.replace("\x00", "") or f"column_{place}", taken, str.casefold).replace('"', '""')


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
