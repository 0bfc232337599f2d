"""What a cell under "type" says: a type of SQL, a word for one, or the values that a column may have."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from askwell.mdl.importers.workbook_layout import plain, type_words, word_set
from askwell.mdl.types import is_sql_type

_NOT_NULL = re.compile(r"[\s,;]+not null\s*$", re.I)
_ARRAY = re.compile(r"(.+?)\s*\[\s*\]")
_ENUM = re.compile(r"([^:(]{2,40}?)\s*(?:\((.*)\)|:(.*))", re.S)
_SIZED = re.compile(r"(?P<name>[^()]*?)\s*(?:\((?P<size>[^()]*)\)|(?P<bare>\d+(?:[.,]\d+)?))?\s*")
_DIGITS = re.compile(r"(\d+)(?:\s*[,.;]\s*(\d+))?")
_DECIMAL = re.compile(r"(?:decimal|dec|numeric)\s*\(\s*(\d{1,9})\s*(?:,\s*(\d{1,9})\s*)?\)", re.I)
# PostgreSQL's; others keep fewer.
_MOST_KEPT = 1_000
_SCALED = ("NUMBER", "NUMERIC", "DECIMAL", "DEC")
# More digits than these do not fit a BIGINT, or a DECIMAL.
_INTEGER_DIGITS, _MOST_DIGITS = 18, 38
_USUAL_DIGITS = 18


@dataclass(frozen=True, slots=True)
class DescribedType:
    """`type` of SQL; `values` are the text of the list that an enum has; `is_number` is set where nothing says whether
    the number has decimals."""

    type: str
    values: str = ""
    is_number: bool = False
    not_null: bool = False


def read_type(said: str) -> DescribedType | None:
    """What the cell means; None where it is no type that is known."""
    bare = _NOT_NULL.sub("", said).rstrip("? ") or said
    found = _read(bare)
    if found is not None and _is_impossible(found.type):
        return None
    return replace(found, not_null=bare != said and bool(_NOT_NULL.search(said))) if found else None


def _is_impossible(kind: str) -> bool:
    """Whether a decimal has more digits than any database keeps, or more behind the point than in all."""
    digits = _DECIMAL.fullmatch(kind.strip())
    return digits is not None and (int(digits[1]) > _MOST_KEPT or int(digits[2] or 0) > int(digits[1]))


def _read(said: str) -> DescribedType | None:
    if (listed := _ENUM.fullmatch(said)) and plain(listed[1]) in word_set("enum_types"):
        values = (listed[2] or listed[3] or "").strip()
        if values and not _DIGITS.fullmatch(values):
            return DescribedType("VARCHAR", re.sub(r"'([^',;]*)'", r"\1", values))
    words = plain(said)
    # "Date/heure" and "Date/Time" read as a DATE elsewhere.
    if not (" " in words and words in type_words()) and is_sql_type(said, ""):
        return DescribedType(said)
    if several := _ARRAY.fullmatch(said):
        one = _read(several[1])
        return DescribedType(f"{one.type}[]") if one else None
    match = _SIZED.fullmatch(said)
    name, size = (match["name"], match["size"] or match["bare"] or "") if match else (said, "")
    digits = _DIGITS.match(size.strip())
    if plain(name) in word_set("numbers"):
        return _number(digits)
    written = f"({','.join(part for part in digits.groups() if part)})" if digits else ""
    if kind := type_words().get(plain(name)) or type_words().get(plain(said)):
        return DescribedType(kind + written if kind in ("DECIMAL", "VARCHAR") else kind)
    # A size in words of its own, or without parentheses: VARCHAR2(30 CHAR), Char 10.
    return DescribedType(name + written) if name and written and is_sql_type(name + written, "") else None


def _number(digits: re.Match[str] | None) -> DescribedType:
    if digits is None:
        return DescribedType("DOUBLE", is_number=True)
    return DescribedType(f"DECIMAL({digits[1]},{digits[2]})" if digits[2] and digits[2] != "0" else "BIGINT")


def with_digits(kind: str, precision: str, scale: str) -> str:
    """The type of a decimal number with the digits that stand in cells of their own."""
    if kind.upper() not in _SCALED or not scale.isdecimal() or (precision and not precision.isdecimal()):
        return kind
    places = int(scale[:3])
    digits = int(precision[:3]) if precision else 0
    if not places and kind.upper() == "NUMBER" and digits <= _INTEGER_DIGITS:
        return "BIGINT"
    return f"DECIMAL({min(max(digits or _USUAL_DIGITS, places, 1), _MOST_DIGITS)},{min(places, _MOST_DIGITS)})"
