"""The types of CSV columns, by all of their values: what reads as a number or a date everywhere is one. Digits behind a
leading zero are no number: postal codes and article numbers are written so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb

from askwell.csv_files.amounts import Amounts, read_amounts
from askwell.csv_files.kinds import ALL_ROWS, FIRST_ROWS, Kind, all_fitting, counted, fitting, matching, sql_text
from askwell.csv_files.words import word_set
from askwell.mdl.importers.imported import quoted
from askwell.mdl.problems import Findings, shown

_ZONE = r"(Z|[+-]\d{2}(:?\d{2})?)"
_MOMENT = r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?"
_DECIMAL_DIGITS = 18
_MOST_SCALE = 6
# A column in which so many values are of a type, and some are not, is told.
_NEARLY, _FEWEST = 0.9, 10


def _written_so(kind: str, *formats: str) -> Kind:
    written = ", ".join(f"'{one}'" for one in formats)
    return Kind(kind, f"try_strptime(@, [{written}]) IS NOT NULL", f"strptime(@, [{written}])::{kind}")


# A column has the first type whose condition holds for all its values.
_KINDS = (
    Kind("BOOLEAN", "lower(@) IN ('true', 'false')", "@::BOOLEAN"),
    Kind("BIGINT", matching(r"-?(0|[1-9]\d{0,17})"), "@::BIGINT"),
    Kind("DECIMAL", matching(r"-?(0|[1-9]\d{0,11})(\.\d{1,6})?"), "@::DECIMAL"),
    Kind("DOUBLE", matching(r"-?(0|[1-9]\d*)?(\.\d+)?([eE][+-]?\d{1,3})?") + " AND @ != '-'", "@::DOUBLE"),
    Kind("DATE", matching(r"\d{4}-\d{2}-\d{2}") + " AND TRY_CAST(@ AS DATE) IS NOT NULL", "@::DATE"),
    Kind("TIMESTAMP", matching(_MOMENT) + " AND TRY_CAST(@ AS TIMESTAMP) IS NOT NULL", "@::TIMESTAMP"),
    Kind("TIMESTAMPTZ", matching(_MOMENT + _ZONE) + " AND TRY_CAST(@ AS TIMESTAMPTZ) IS NOT NULL", "@::TIMESTAMPTZ"),
    Kind("TIME", matching(r"\d{2}:\d{2}:\d{2}") + " AND TRY_CAST(@ AS TIME) IS NOT NULL", "@::TIME"),
    _written_so("DATE", "%d.%m.%Y"),
    _written_so("TIMESTAMP", "%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M"),
    # Where there are decimals behind a point, a comma is between thousands.
    Kind("DECIMAL", matching(r"-?(\d{1,3}(,\d{3})+|0|[1-9]\d{0,11})\.\d{1,6}"), "replace(@, ',', '')"),
)
# Where the delimiter is no comma, numbers may have one.
_COMMA = Kind(
    "DECIMAL", matching(r"-?(\d{1,3}(\.\d{3})+|0|[1-9]\d{0,11}),\d{1,6}"), "replace(replace(@, '.', ''), ',', '.')"
)
_THREE_DIGITS = Kind("", matching(r"-?[1-9]\d{0,2},\d{3}"), "@")
_DAY_FIRST = (
    _written_so("DATE", "%d/%m/%Y", "%d-%m-%Y"),
    _written_so("TIMESTAMP", "%d/%m/%Y %H:%M:%S", "%d/%m/%Y %H:%M", "%d-%m-%Y %H:%M:%S", "%d-%m-%Y %H:%M"),
)
_MONTH_FIRST = (
    _written_so("DATE", "%m/%d/%Y", "%m-%d-%Y"),
    _written_so("TIMESTAMP", "%m/%d/%Y %H:%M:%S", "%m/%d/%Y %H:%M", "%m-%d-%Y %H:%M:%S", "%m-%d-%Y %H:%M"),
)


def cast_columns(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    columns: Sequence[str],
    delimiter: str,
    where: str,
    findings: Findings,
) -> dict[str, str]:
    """Make `table` from the texts in the temporary table `raw`, each column with its type. The units of amounts
    with a sign come back, by column."""
    kinds = (*_KINDS, *([_COMMA] if delimiter != "," else []))
    written, units = [], {}
    for column in columns:
        value, kind = _read_as(connection, column, kinds, where, findings)
        if kind is None and (amounts := _read_amounts(connection, column, delimiter, where, findings)):
            value, kind, units[column] = amounts.value, amounts.kind, amounts.unit
        written.append(f"{_cast(connection, value, kind)} AS {quoted(column)}")
    connection.execute(f"CREATE TABLE {quoted(table)} AS SELECT {', '.join(written)} FROM raw")
    return units


def _read_as(
    connection: duckdb.DuckDBPyConnection, column: str, kinds: Sequence[Kind], where: str, findings: Findings
) -> tuple[str, Kind | None]:
    """SQL for the column's values, and what all of them are; None for text."""
    every = (*kinds, *_DAY_FIRST, *_MONTH_FIRST)
    plain = quoted(column)
    found = all_fitting(connection, plain, every)
    value = plain
    if not found and _has_values(connection, plain):
        value = _without_missing(plain)
        found = all_fitting(connection, value, every)
        if found and _has_values(connection, value):
            _tell_missing(connection, plain, value, column, where, findings)
    if not found or not _has_values(connection, value):
        if _has_values(connection, plain):
            _tell_nearly(connection, value, column, every, where, findings)
        return plain, None
    if {*found} & {*_DAY_FIRST} and {*found} & {*_MONTH_FIRST} and {*found} <= {*_DAY_FIRST, *_MONTH_FIRST}:
        what = f"the dates of {shown(column)} may have the day or the month first, and are kept as text"
        findings.warn(where, what, "Write them as 2026-12-31.")
        return plain, None
    if found[0] is _COMMA and fitting(connection, value, [_THREE_DIGITS], ALL_ROWS):
        what = f"the commas of {shown(column)} are read as decimal signs, and might be between thousands"
        findings.warn(where, what, "Write thousands without a sign if they are.")
    return value, found[0]


def _read_amounts(
    connection: duckdb.DuckDBPyConnection, column: str, delimiter: str, where: str, findings: Findings
) -> Amounts | None:
    plain = quoted(column)
    value = _without_missing(plain)
    amounts = read_amounts(connection, value, column, delimiter, where, findings)
    if amounts is not None:
        _tell_missing(connection, plain, value, column, where, findings)
    return amounts


def _without_missing(plain: str) -> str:
    missing = ", ".join(map(sql_text, sorted(word_set("missing"))))
    return f"(CASE WHEN lower(trim({plain})) IN ({missing}) THEN NULL ELSE {plain} END)"


def _has_values(connection: duckdb.DuckDBPyConnection, value: str) -> bool:
    return bool(connection.execute(f"SELECT 1 FROM raw WHERE {value} IS NOT NULL LIMIT 1").fetchone())


def _tell_missing(
    connection: duckdb.DuckDBPyConnection, plain: str, value: str, column: str, where: str, findings: Findings
) -> None:
    found = connection.execute(
        f"SELECT lower(trim({plain})), count(*) FROM raw WHERE {plain} IS NOT NULL AND {value} IS NULL "
        "GROUP BY ALL ORDER BY 2 DESC, 1"
    ).fetchall()
    if not found:
        return
    said = ", ".join(f'"{word}" ({count})' for word, count in found)
    what = f"in {shown(column)}, these words are taken as missing values: {said}"
    findings.warn(where, what, "Write empty values to be free of this word.")


def _tell_nearly(
    connection: duckdb.DuckDBPyConnection,
    value: str,
    column: str,
    kinds: Sequence[Kind],
    where: str,
    findings: Findings,
) -> None:
    """Say that a column of text would have another type but for a few of its first values, which are not shown."""
    values, counts = counted(connection, value, kinds, FIRST_ROWS)
    most = max(counts, default=0)
    kind = kinds[counts.index(most)] if counts else None
    if kind is None or values < _FEWEST or most < values * _NEARLY:
        return
    first: Any = connection.execute(
        f"SELECT number FROM (SELECT {value} AS value, row_number() OVER () AS number {FIRST_ROWS}) "
        f"WHERE value IS NOT NULL AND NOT coalesce({kind.condition.replace('@', 'value')}, false) ORDER BY number"
    ).fetchone()
    place = f"; the first that does not is in row {first[0]} below the header" if first else ""
    what = f"{shown(column)} is kept as text, though {most:,} of {values:,} values read as {kind.type}{place}"
    findings.warn(where, what, "Correct the others, or leave them empty.")


def _cast(connection: duckdb.DuckDBPyConnection, name: str, kind: Kind | None) -> str:
    if kind is None:
        return name
    value = kind.value.replace("@", name)
    if kind.type != "DECIMAL":
        return value
    value = value.removesuffix("::DECIMAL")
    longest: Any = connection.execute(f"SELECT max(len(split_part({value}, '.', 2))) FROM raw").fetchone()
    return f"({value})::DECIMAL({_DECIMAL_DIGITS}, {min(longest[0] or 0, _MOST_SCALE)})"
