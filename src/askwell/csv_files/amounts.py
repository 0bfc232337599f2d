"""Amounts with a sign: `$1,201.50`, `12,50 €`, `4%`. Those of one sign are numbers, and the sign is their unit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import duckdb

from askwell.csv_files.kinds import ALL_ROWS, FIRST_ROWS, Counts, Kind, all_fitting, matching, sql_text
from askwell.mdl.problems import Findings, shown
from askwell.mdl.written_values import currencies

PERCENT = "%"
_MOST_SIGNS = 5
# Kept as text, a column is told of where so many of its values are numbers with something behind or before them.
_NEARLY = 0.9
_FEWEST = 2
_WHOLE = Kind("BIGINT", matching(r"-?(0|[1-9]\d{0,17})"), "@::BIGINT")
_POINT = Kind("DECIMAL", matching(r"-?(\d{1,3}(,\d{3}){1,6}|0|[1-9]\d{0,11})(\.\d{1,6})?"), "replace(@, ',', '')")
_COMMA = Kind(
    "DECIMAL",
    matching(r"-?(\d{1,3}(\.\d{3}){1,6}|0|[1-9]\d{0,11})(,\d{1,6})?"),
    "replace(replace(@, '.', ''), ',', '.')",
)
_BLANKS = r"[\s\x{00A0}\x{202F}]"


@dataclass(frozen=True, slots=True)
class Amounts:
    """`value` is SQL for the numbers as texts, `kind` what they are, and `unit` their sign."""

    value: str
    kind: Kind
    unit: str


@cache
def amount_kinds() -> tuple[Kind, Kind]:
    """What is counted of a column to see whether it may have amounts: a number with any sign that is known, and a
    number with something behind or before it."""
    signs = "|".join(re.escape(sign) for sign in sorted(_known_signs()))
    before = "|".join(re.escape(sign) for sign in sorted(currencies()))
    like = rf"[-+(]?({before})?\.?{_BLANKS}*[-+]?\d[\d.,']*{_BLANKS}*[^\d\s.,]{{0,5}}\.?\)?"
    return Kind("", matching(_with_sign(f"({signs})")), "@"), Kind("", matching(like), "@")


def may_be_amounts(first: Counts) -> bool:
    """Whether amounts may be found, or told of, by what was counted in a column's first rows."""
    with_sign, _ = amount_kinds()
    return first.of_kind[with_sign] == first.values or _looks_like_amounts(first)


def read_amounts(
    connection: duckdb.DuckDBPyConnection,
    value: str,
    first: Counts,
    column: str,
    delimiter: str,
    where: str,
    findings: Findings,
) -> Amounts | None:
    """How to read the column's values where all are amounts with one sign, which is told; None for others, which are
    told where they look like amounts by the counts of the `first` rows."""
    signs = _signs(connection, value)
    known = _known_signs()
    if len(signs) == 1 and signs[0] in known and _is_at_an_end(connection, value, signs[0]):
        bare = _without(value, signs[0])
        kinds = all_fitting(connection, bare, (_WHOLE, _POINT, _COMMA))
        if {_POINT, _COMMA} <= {*kinds} and _WHOLE not in kinds:
            kinds = [_POINT] if delimiter == "," and _has_comma(connection, value) else []
        if kinds:
            _tell(column, signs[0], where, findings)
            return Amounts(bare, kinds[0], signs[0])
    if signs and _looks_like_amounts(first):
        said = ", ".join(shown(sign) for sign in signs)
        what = f"{shown(column)} stays text, though its values look like numbers with a sign or unit ({said})"
        findings.warn(where, f"{what}; they can't be added up", "Write plain numbers, with one kind of decimal sign.")
    return None


def _signs(connection: duckdb.DuckDBPyConnection, value: str) -> list[str]:
    """What is left of the values without numbers, if that is not much."""
    rest = rf"trim(regexp_replace(value, '[\d.,''()+\-]|{_BLANKS}', '', 'g'))"
    for rows in (FIRST_ROWS, ALL_ROWS):
        found = connection.execute(
            f"SELECT DISTINCT {rest} AS sign FROM (SELECT {value} AS value {rows}) WHERE value IS NOT NULL "
            f"ORDER BY 1 LIMIT {_MOST_SIGNS + 1}"
        ).fetchall()
        if len(found) > _MOST_SIGNS:
            return []
    return [sign for (sign,) in found] if any(sign for (sign,) in found) else []


def _is_at_an_end(connection: duckdb.DuckDBPyConnection, value: str, sign: str) -> bool:
    return bool(all_fitting(connection, value, [Kind("", matching(_with_sign(re.escape(sign))), "@")]))


def _with_sign(sign: str) -> str:
    """The pattern of a number that has the sign, which is a pattern, at an end."""
    number = r"\d([\d.,']|" + _BLANKS + r")*"
    own = sign + r"\.?"
    return rf"[-+(]?{_BLANKS}*({own}{_BLANKS}*[-+]?{number}|{number}{own}){_BLANKS}*\)?"


def _known_signs() -> frozenset[str]:
    return currencies() | {PERCENT}


def _without(value: str, sign: str) -> str:
    bare = rf"regexp_replace(replace(replace({value}, {sql_text(sign + '.')}, ''), {sql_text(sign)}, ''), "
    bare += rf"'[+''()]|{_BLANKS}', '', 'g')"
    # In accounts, a loss stands in parentheses.
    return f"(CASE WHEN {value} LIKE '(%)' THEN '-' || {bare} ELSE {bare} END)"


def _has_comma(connection: duckdb.DuckDBPyConnection, value: str) -> bool:
    return bool(connection.execute(f"SELECT 1 FROM raw WHERE contains({value}, ',') LIMIT 1").fetchone())


def _looks_like_amounts(first: Counts) -> bool:
    _, like = amount_kinds()
    return first.values >= _FEWEST and first.of_kind[like] >= first.values * _NEARLY


def _tell(column: str, sign: str, where: str, findings: Findings) -> None:
    name = shown(column)
    if sign == PERCENT:
        findings.warn(where, f"the percentages of {name} are stored as numbers, 4% as 4", "Divide by 100 for shares.")
        return
    what = f"the amounts of {name} are stored as numbers without their sign ({sign}), which is their unit in the model"
    findings.warn(where, what, "Nothing needs to be done.")
