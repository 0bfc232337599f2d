"""The types of CSV columns, by all of their values: what reads as a number or a date everywhere is one.

Digits behind a leading zero are no number: postal codes and article numbers are written so. A number has a type that
holds it exactly: two that differ in the file never become equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from askwell.csv_files.amounts import Amounts, amount_kinds, may_be_amounts, read_amounts
from askwell.csv_files.kinds import (
    ALL_ROWS,
    FIRST_ROWS,
    MOST_FIRST_ROWS,
    Counts,
    Kind,
    counted,
    fitting,
    matching,
    sql_text,
)
from askwell.csv_files.words import word_set
from askwell.mdl.importers.imported import quoted
from askwell.mdl.problems import Findings, shown

# Decimals of usual size, and those with more digits, as DuckDB stores them: what they are written with in all, and
# behind the point.
USUAL_DIGITS, MOST_DIGITS = 18, 38
MOST_USUAL_WHOLE, MOST_WIDE_WHOLE, MOST_FEW_WHOLE = 12, 20, 8

_ZONE = r"(Z|[+-]\d{2}(:?\d{2})?)"
_MOMENT = r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?"
_FLOAT = r"-?(0|[1-9]\d*)?(\.\d+)?([eE][+-]?\d{1,3})?"


def _written_so(kind: str, *formats: str) -> Kind:
    written = ", ".join(f"'{one}'" for one in formats)
    return Kind(kind, f"try_strptime(@, [{written}]) IS NOT NULL", f"strptime(@, [{written}])::{kind}")


def _whole(kind: str, most_digits: int) -> Kind:
    pattern = rf"-?(0|[1-9]\d{{0,{most_digits - 1}}})"
    return Kind(kind, f"{matching(pattern)} AND TRY_CAST(@ AS {kind}) IS NOT NULL", f"@::{kind}")


def _decimal(most_whole: int, most_scale: int) -> Kind:
    return Kind("DECIMAL", matching(rf"-?(0|[1-9]\d{{0,{most_whole - 1}}})(\.\d{{1,{most_scale}}})?"), "@")


def _digits(written: str) -> str:
    """SQL for the digits that tell a number: those of its shortest way to be written, without point and exponent."""
    return f"trim(regexp_replace({written}, '[eE].*$|[-+.]', '', 'g'), '0')"


def _double() -> Kind:
    """What a DOUBLE gives back as it was written, in its shortest form or with all of its seventeen digits."""
    number = "TRY_CAST(@ AS DOUBLE)"
    ways = ", ".join(_digits(way) for way in (f"{number}::VARCHAR", f"printf('%.17g', {number})"))
    condition = (
        f"{matching(_FLOAT)} AND @ != '-' AND coalesce(isfinite({number}), false) AND {_digits('@')} IN ({ways})"
    )
    return Kind("DOUBLE", condition, "@::DOUBLE")


# What reads as a number, whether or not a type holds it exactly.
ANY_NUMBER = Kind("", matching(_FLOAT) + " AND @ != '-'", "@")

# A column has the first type whose condition holds for all its values.
PLAIN = (
    Kind("BOOLEAN", "lower(@) IN ('true', 'false')", "@::BOOLEAN"),
    _whole("BIGINT", 19),
    _whole("HUGEINT", 39),
    _decimal(MOST_USUAL_WHOLE, USUAL_DIGITS - MOST_USUAL_WHOLE),
    _double(),
    _decimal(MOST_WIDE_WHOLE, MOST_DIGITS - MOST_WIDE_WHOLE),
    _decimal(MOST_FEW_WHOLE, MOST_DIGITS - MOST_FEW_WHOLE),
    Kind("DATE", matching(r"\d{4}-\d{2}-\d{2}") + " AND TRY_CAST(@ AS DATE) IS NOT NULL", "@::DATE"),
    Kind("TIMESTAMP", matching(_MOMENT) + " AND TRY_CAST(@ AS TIMESTAMP) IS NOT NULL", "@::TIMESTAMP"),
    Kind("TIMESTAMPTZ", matching(_MOMENT + _ZONE) + " AND TRY_CAST(@ AS TIMESTAMPTZ) IS NOT NULL", "@::TIMESTAMPTZ"),
    Kind("TIME", matching(r"\d{2}:\d{2}:\d{2}") + " AND TRY_CAST(@ AS TIME) IS NOT NULL", "@::TIME"),
    _written_so("DATE", "%d.%m.%Y"),
    _written_so("TIMESTAMP", "%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M"),
    # Where there are decimals behind a point, a comma is between thousands.
    Kind("DECIMAL", matching(r"-?(\d{1,3}(,\d{3}){1,6}|0|[1-9]\d{0,11})\.\d{1,6}"), "replace(@, ',', '')"),
)
# Where the delimiter is no comma, numbers may have one.
COMMA = Kind(
    "DECIMAL", matching(r"-?(\d{1,3}(\.\d{3}){1,6}|0|[1-9]\d{0,11}),\d{1,6}"), "replace(replace(@, '.', ''), ',', '.')"
)
THREE_DIGITS = Kind("", matching(r"-?[1-9]\d{0,2},\d{3}"), "@")
DAY_FIRST = (
    _written_so("DATE", "%d/%m/%Y", "%d-%m-%Y"),
    _written_so("TIMESTAMP", "%d/%m/%Y %H:%M:%S", "%d/%m/%Y %H:%M", "%d-%m-%Y %H:%M:%S", "%d-%m-%Y %H:%M"),
)
MONTH_FIRST = (
    _written_so("DATE", "%m/%d/%Y", "%m-%d-%Y"),
    _written_so("TIMESTAMP", "%m/%d/%Y %H:%M:%S", "%m/%d/%Y %H:%M", "%m-%d-%Y %H:%M:%S", "%m-%d-%Y %H:%M"),
)

# A column in which so many values are of a type, and some are not, is told.
_NEARLY, _FEWEST = 0.9, 10
_DECIMALS_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class _Raw:
    """The texts in the temporary table `raw`. `plain` counts the first rows of each column, `bare` the same without
    words for missing values, of columns that are not all of one kind with them. `is_small` where that is all rows."""

    connection: duckdb.DuckDBPyConnection
    delimiter: str
    where: str
    findings: Findings
    kinds: Sequence[Kind]
    is_small: bool
    plain: Mapping[str, Counts]
    bare: dict[str, Counts]

    def counts(self, column: str) -> Counts:
        """Those of the first rows without words for missing values."""
        if column not in self.bare:
            self.bare[column] = _count_bare(self.connection, [column], self.kinds)[0]
        return self.bare[column]

    def all_fitting(self, value: str, first: Counts) -> list[Kind]:
        """The kinds that every value is of, where `first` are the counts of its first rows."""
        found = first.fitting(self.types)
        return found if self.is_small or not found else fitting(self.connection, value, found, ALL_ROWS)

    @property
    def types(self) -> list[Kind]:
        """The kinds that are types of columns."""
        return [kind for kind in self.kinds if kind.type]

    def has_values(self, value: str, first: Counts) -> bool:
        """Whether there are any."""
        if first.values or self.is_small:
            return first.values > 0
        found = self.connection.execute(f"SELECT 1 FROM raw WHERE {value} IS NOT NULL LIMIT 1").fetchone()
        return found is not None


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
    raw = _first_look(connection, columns, delimiter, where, findings)
    values, units = {}, {}
    for column in columns:
        value, kind = _read_as(raw, column)
        if kind is None and (amounts := _read_amounts(raw, column)):
            value, kind, units[column] = amounts.value, amounts.kind, amounts.unit
        values[column] = (kind.value.replace("@", value), kind.type) if kind else (value, "")
    decimals = _decimals(connection, [value for value, kind in values.values() if kind == "DECIMAL"])
    written = [f"{decimals.get(value, value)} AS {quoted(column)}" for column, (value, _) in values.items()]
    connection.execute(f"CREATE TABLE {quoted(table)} AS SELECT {', '.join(written)} FROM raw")
    return units


def _first_look(
    connection: duckdb.DuckDBPyConnection, columns: Sequence[str], delimiter: str, where: str, findings: Findings
) -> _Raw:
    kinds = (*PLAIN, *([COMMA] if delimiter != "," else []), *DAY_FIRST, *MONTH_FIRST, ANY_NUMBER, *amount_kinds())
    is_small = not connection.execute(f"SELECT 1 FROM raw OFFSET {MOST_FIRST_ROWS} LIMIT 1").fetchone()
    found = counted(connection, [quoted(column) for column in columns], kinds, FIRST_ROWS)
    raw = _Raw(connection, delimiter, where, findings, kinds, is_small, dict(zip(columns, found, strict=True)), {})
    others = [column for column, counts in raw.plain.items() if not counts.fitting(raw.types)]
    raw.bare.update(zip(others, _count_bare(connection, others, kinds), strict=True))
    return raw


def _count_bare(connection: duckdb.DuckDBPyConnection, columns: Sequence[str], kinds: Sequence[Kind]) -> list[Counts]:
    return counted(connection, [quoted(column) for column in columns], kinds, FIRST_ROWS, _without_missing("@"))


def _read_as(raw: _Raw, column: str) -> tuple[str, Kind | None]:
    """SQL for the column's values, and what all of them are; None for text."""
    plain = quoted(column)
    first = raw.plain[column]
    value, found = plain, raw.all_fitting(plain, first)
    if not found:
        value, first = _without_missing(plain), raw.counts(column)
        found = raw.all_fitting(value, first)
        if found and raw.has_values(value, first):
            _tell_missing(raw, column)
        if not found:
            _tell_nearly(raw, column, first)
    if not found or not raw.has_values(value, first):
        return plain, None
    if {*found} & {*DAY_FIRST} and {*found} & {*MONTH_FIRST} and {*found} <= {*DAY_FIRST, *MONTH_FIRST}:
        what = f"the dates of {shown(column)} may have the day or the month first, and stay text"
        raw.findings.warn(raw.where, what, "Write them as 2026-12-31.")
        return plain, None
    if found[0] is COMMA and fitting(raw.connection, value, [THREE_DIGITS], ALL_ROWS):
        what = f"the commas of {shown(column)} are read as decimal signs, and might be between thousands"
        raw.findings.warn(raw.where, what, "Write thousands without a sign if they are.")
    return value, found[0]


def _read_amounts(raw: _Raw, column: str) -> Amounts | None:
    first = raw.counts(column)
    if not may_be_amounts(first):
        return None
    value = _without_missing(quoted(column))
    amounts = read_amounts(raw.connection, value, first, column, raw.delimiter, raw.where, raw.findings)
    if amounts is not None:
        _tell_missing(raw, column)
    return amounts


def _without_missing(plain: str) -> str:
    missing = ", ".join(map(sql_text, sorted(word_set("missing"))))
    return f"(CASE WHEN lower(trim({plain})) IN ({missing}) THEN NULL ELSE {plain} END)"


def _tell_missing(raw: _Raw, column: str) -> None:
    plain = quoted(column)
    missing = f"{plain} IS NOT NULL AND {_without_missing(plain)} IS NULL"
    found = raw.connection.execute(
        f"SELECT lower(trim({plain})), count(*) FROM raw WHERE {missing} GROUP BY ALL ORDER BY 2 DESC, 1"
    ).fetchall()
    if not found:
        return
    said = ", ".join(f'"{word}" ({count})' for word, count in found)
    what = f"in {shown(column)}, these words are taken as missing values: {said}"
    raw.findings.warn(raw.where, what, "Write empty values to be free of this word.")


def _tell_nearly(raw: _Raw, column: str, first: Counts) -> None:
    """Say that a column of text would have another type but for a few of its first values, which are not shown, or that
    no type holds its numbers."""
    if _has_too_many_digits(raw, column, first):
        what = f"{shown(column)} stays text, since some of its numbers have too many digits"
        raw.findings.warn(raw.where, what, "Write fewer digits to calculate with them.")
        return
    kind = max(raw.types, key=lambda one: first.of_kind[one])
    most = first.of_kind[kind]
    if first.values < _FEWEST or most < first.values * _NEARLY:
        return
    value = _without_missing(quoted(column))
    found: Any = raw.connection.execute(
        f"SELECT number FROM (SELECT {value} AS value, row_number() OVER () AS number {FIRST_ROWS}) "
        f"WHERE value IS NOT NULL AND NOT coalesce({kind.condition.replace('@', 'value')}, false) ORDER BY number"
    ).fetchone()
    place = f"; the first that does not is in row {found[0]} below the header" if found else ""
    what = f"{shown(column)} stays text, though {most:,} of {first.values:,} values read as {kind.type}{place}"
    raw.findings.warn(raw.where, what, "Correct the others, or leave them empty.")


def _has_too_many_digits(raw: _Raw, column: str, first: Counts) -> bool:
    if not first.values or not first.fitting([ANY_NUMBER]):
        return False
    return raw.is_small or bool(fitting(raw.connection, _without_missing(quoted(column)), [ANY_NUMBER], ALL_ROWS))


def _decimals(connection: duckdb.DuckDBPyConnection, values: Sequence[str]) -> dict[str, str]:
    """For SQL that gives decimals as texts, SQL that gives them as numbers which hold all their digits."""
    found = {}
    for start in range(0, len(values), _DECIMALS_AT_ONCE):
        some = values[start : start + _DECIMALS_AT_ONCE]
        lengths = [f"max(len(split_part(ltrim({value}, '-'), '.', {part})))" for value in some for part in (1, 2)]
        row: Any = connection.execute(f"SELECT {', '.join(lengths)} FROM raw").fetchone()
        for at, value in enumerate(some):
            whole, scale = row[2 * at] or 0, row[2 * at + 1] or 0
            is_usual = whole <= MOST_USUAL_WHOLE and scale <= USUAL_DIGITS - MOST_USUAL_WHOLE
            found[value] = f"({value})::DECIMAL({USUAL_DIGITS if is_usual else MOST_DIGITS}, {scale})"
    return found
