"""One row of a sheet and what its cells say, each read in the many ways in which people write it.

What a cell under "type" says: a type of SQL, a word for one, or the values that a column may have.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from askwell.mdl.importers.workbook import Sheet
from askwell.mdl.importers.workbook_layout import Layout, plain, type_words, word_set, words
from askwell.mdl.problems import Findings, shown
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


_LIST = re.compile(r"[,;\n|]+")
_BULLET = re.compile(r"^[-–•*·]\s+")
_RANGE = re.compile(r"[<>=]{0,2}\s*[-+]?[\d.,]+%?(?:\s*(?:-|–|—|\.{2,3}|to|bis|à|a|tot|até)\s*[-+]?[\d.,]+%?)?")
_KEY_MARKS = re.compile(r"[,;/&+\n]+|\band\b", re.I)
# `FK (customers.id)`, `FK -> customers.id`, `FK: customers`
_KEY_TARGET = re.compile(r"\b(?:fk|foreign key|mul)\b\s*(?:\(|->|→|=>|:|\bto\b)\s*(?P<target>[^()]+?)\s*\)?\s*$", re.I)
_LONGEST_KEY = 300
_AROUND_NAMES = "`\"'"


@dataclass(frozen=True, slots=True)
class KeyMarks:
    """What a cell under "key" says: `PK`, `FK (customers.id)`, `PRI`, yes."""

    primary: bool = False
    foreign: bool = False
    unique: bool = False
    essential: bool = False
    target: str = ""


_KINDS_OF_MARKS = ("primary", "foreign", "unique", "yes", "no", "other_keys")


def _marks(part: str) -> set[str] | None:
    """The kinds of the marks in a part of a cell, which may have blanks between them: "PK FK"; None where one is not
    known."""
    kinds = set()
    whole = _kind(part)
    for mark in [part] if whole else part.split():
        kind = _kind(mark)
        if kind is None:
            return None
        kinds.add(kind)
    return kinds


def _kind(part: str) -> str | None:
    bare = plain(part)
    mark = bare if bare in word_set("yes") | word_set("no") else bare.rstrip("0123456789 ") or bare
    return next((one for one in _KINDS_OF_MARKS if mark in word_set(one)), None)


@dataclass(frozen=True, slots=True)
class Row:
    """One row behind a header. Cells that cannot be used go to `findings`, and types that are not known, with their
    cells, to `unknown_types`. `table` is the one that the row or one above it names."""

    sheet: Sheet
    layout: Layout
    number: int
    findings: Findings
    unknown_types: dict[str, list[str]]
    table: str = ""

    def text(self, name: str) -> str:
        """The text under a field's header, "" where there is none."""
        column = self.layout.fields.get(name)
        return self.sheet.repeated(self.number, column) if column is not None else ""

    def name(self, field: str) -> str:
        """A name, without the quotes that other programs put around it."""
        said = self.text(field)
        for quote in _AROUND_NAMES:
            if len(said) > 2 and said[0] == said[-1] == quote and quote not in said[1:-1]:
                return said[1:-1].strip()
        return said

    def where(self, name: str) -> str:
        """The cell under a field's header."""
        return self.sheet.where(self.number, self.layout.fields.get(name, 0))

    def filled_cells(self) -> int:
        """How many cells of the row have a text."""
        return sum(1 for text in self.sheet.rows[self.number] if text)

    def faults(self) -> Iterator[tuple[str, str, str]]:
        """Cells under known headers that have no value where there should be one: the field, the place and why."""
        for name, column in self.layout.fields.items():
            if (self.number, column) in self.sheet.faults:
                yield name, self.sheet.where(self.number, column), self.sheet.faults[self.number, column]

    def flag(self, name: str) -> bool:
        """Yes or no; no where nothing stands there."""
        said = self.text(name)
        if not said or plain(said) in word_set("no"):
            return False
        # A mark that is no letter stands for itself.
        if plain(said) in word_set("yes") or said in words()["yes"]:
            return True
        what = f'"{shown(said)}" under {name.replace("_", " ")} is neither yes nor no'
        self.findings.refuse(self.where(name), what, 'Write "yes" or "no".')
        return False

    def not_null(self) -> bool:
        """Whether there is always a value, by "nullable" or "required"."""
        for name, sense in (("nullable", False), ("required", True)):
            said = plain(self.text(name))
            if said in word_set("never_empty"):
                return True
            if said in word_set("may_be_empty"):
                return False
            if said:
                return self.flag(name) is sense
        return False

    def key_marks(self, name: str = "key") -> KeyMarks:
        """What stands under "key"; a mark that is not known is told. The columns of a key may be numbered."""
        said = self.text(name)[:_LONGEST_KEY]
        if name == "primary_key" and (plain(said) in word_set("no") or not said):
            return KeyMarks()
        if name == "primary_key" and (said.isdigit() or said in words()["yes"]):
            return KeyMarks(primary=True)
        target = _KEY_TARGET.search(said)
        rest = said[: target.start()] + " fk" if target else said
        kinds = set()
        for part in _KEY_MARKS.split(rest):
            found = _marks(part)
            if found is None:
                self._tell_mark(name, part.strip())
            kinds |= found or set()
        is_yes = "yes" in kinds
        primary = "primary" in kinds or (is_yes and (name == "primary_key" or "primary_key" not in self.layout.fields))
        return KeyMarks(
            primary, "foreign" in kinds, "unique" in kinds, is_yes and not primary, target["target"] if target else ""
        )

    def _tell_mark(self, name: str, mark: str) -> None:
        if name == "primary_key":
            what = f'"{shown(mark)}" under primary key is neither yes nor no'
            self.findings.refuse(self.where(name), what, 'Write "yes" or "no".')
            return
        what = f'"{shown(mark)}" is no mark of a key that is known, and is left out; a key may lack this column'
        self.findings.warn(self.where(name), what, "Write PK, FK or UK.")

    def type(self) -> DescribedType:
        """A type of SQL, "" where none is said or known; one that is not known is told at the end, by the type."""
        said = self.text("type")
        found = read_type(said) if said else DescribedType("")
        if found is None:
            self.unknown_types.setdefault(said, []).append(self.where("type"))
            return DescribedType("")
        precision = self.text("precision" if "precision" in self.layout.fields else "size")
        return replace(found, type=with_digits(found.type, precision, self.text("scale")))

    def values(self, said: str, where: str) -> tuple[dict[str, str], ...]:
        """`open, paid` or `O=open, P=paid`, the database's value before the sign, as values of an enum."""
        parts = _parts(said)
        if twice := _first_repeated(said):
            what = f'the value "{shown(twice)}" is there twice, and is taken once'
            self.findings.warn(where, what, "Correct it if another one was meant.")
        if len(parts) == 1 and "=" not in said:
            if _RANGE.fullmatch(said):
                self.findings.warn(
                    where, f'"{shown(said)}" is a range, and no list of values', "Nothing needs to be done."
                )
                return ()
            # `m/w/d`, but not a sentence with a slash in it.
            pieces = [piece.strip(_AROUND_NAMES) for piece in said.split("/")]
            parts = tuple(dict.fromkeys(pieces)) if len(pieces) > 1 and not any(" " in one for one in pieces) else parts
        found: dict[str, dict[str, str]] = {}
        for part in parts:
            value, sign, name = (piece.strip() for piece in re.sub(r"\s*[=:]\s*", "=", part, count=1).partition("="))
            entry = {"name": name, "value": value} if sign and name else {"name": value}
            if entry["name"].lower() in found:
                what = f'the value "{shown(entry["name"])}" is there twice'
                self.findings.refuse(where, what, "Write each value once.")
            found[entry["name"].lower()] = entry
        return tuple(found.values())

    def listed(self, name: str) -> tuple[str, ...]:
        """The parts of a list in a cell, each once."""
        return _parts(self.text(name))


def _parts(said: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_pieces(said)))


def _pieces(said: str) -> list[str]:
    return [piece for part in _LIST.split(said) if (piece := _BULLET.sub("", part.strip()))]


def _first_repeated(said: str) -> str:
    return next((piece for piece, count in Counter(_pieces(said)).items() if count > 1), "")
