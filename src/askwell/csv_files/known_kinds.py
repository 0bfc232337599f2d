"""The kinds that values in CSV files may be of. Digits behind a leading zero are no number: postal codes and article
numbers are written so. A number has a type that holds it exactly: two that differ in the file never become equal."""

from __future__ import annotations

from askwell.csv_files.kinds import Kind, matching

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
