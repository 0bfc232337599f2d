"""One row of a sheet and what its cells say, each read in the many ways in which people write it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from askwell.mdl.importers.excel_types import DescribedType, read_type, with_digits
from askwell.mdl.importers.workbook import Sheet
from askwell.mdl.importers.workbook_layout import Layout, plain, word_set, words
from askwell.mdl.problems import Findings, shown

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
