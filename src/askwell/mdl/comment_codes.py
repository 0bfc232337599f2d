"""Codes and what they mean, as comments of columns say it ("Q quoted, A accepted", "0 = failed") or tables of codes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from askwell.mdl.abbreviations import kept_of, written_out
from askwell.mdl.links import link_words
from askwell.mdl.manifest import EnumDefinition, EnumValue, Manifest, ModelColumn
from askwell.mdl.names import words
from askwell.mdl.semantic_model import ColumnRef, SampledValues, Table
from askwell.mdl.types import TypeFamily, type_family

# A column of more values than these holds no codes.
MOST_CODES = 60
# So few different codes may be those of another kind, by accident.
_FEWEST = 2
_MOST_WORDS, _LONGEST_NAME = 6, 48
_CODE = r"[^\W_][\w.+-]{0,11}"
_SHORT_CODE = r"(?:[A-Z][A-Z0-9]{0,4}|\d{1,4})"
_QUOTE = "[\"'`‘’“”]"
# "Q = quoted", "1: yes", "A - active"; with nothing but a blank between, only short codes are sure to be such.
_SIGNED = re.compile(rf"{_QUOTE}?(?P<code>{_CODE}?){_QUOTE}?\s*(?:(?P<equals>=+>?|->|→)|:|\s[-–—]\s)\s*(?P<name>.+)")
_BLANK = re.compile(rf"{_QUOTE}?(?P<code>{_SHORT_CODE}){_QUOTE}?\s+(?P<name>.+)")
# "(F)emale"
_INSIDE = re.compile(r"\((?P<code>\w{1,2})\)(?P<name>\w+)")
_BARE = re.compile(rf"{_QUOTE}?{_CODE}{_QUOTE}?")
_NAME = re.compile(r"[^\W\d_](?:[\w'’ -]|/(?=\w))*")
_NEXT = rf"{_QUOTE}?(?:{_CODE}{_QUOTE}?\s*=|{_SHORT_CODE}{_QUOTE}?\s)"
_ENDS = re.compile(rf"[,;|\n]|\.\s|(?:\s|^)(?:and|or|und|oder|et|ou|y)\s+(?={_NEXT})")
_PARTS = re.compile(r"\(([^()]*)\)$")


def codes_of(comment: str) -> Mapping[str, str]:
    """What codes mean, by the codes as they are written; empty where the comment tells no such thing. At least two
    codes say that they are some, or one with a sign of equality."""
    whole = comment.strip().rstrip(".")
    inside = _PARTS.search(whole)
    texts = (inside[1] if inside else "", whole.partition(":")[2], whole)
    ways = (parts for text in texts for parts in (_ENDS.split(text), text.split("/")))
    return max((_entries([part.strip() for part in parts if part and part.strip()]) for parts in ways), key=len)


def _entries(parts: list[str]) -> Mapping[str, str]:
    """What the parts of a comment say, where each of them is a code, with what it means or without."""
    found: dict[str, str] = {}
    are_equal = False
    for part in parts:
        read = next(_readings(part), None)
        if read is not None:
            name = read["code"] + read["name"] if read.re is _INSIDE else _name(read["name"])
            found.setdefault(read["code"], name)
            are_equal |= bool(read.groupdict().get("equals"))
        elif not _BARE.fullmatch(part):
            return {}
    return found if len(found) > 1 or are_equal else {}


def _readings(part: str) -> Iterator[re.Match[str]]:
    for pattern in (_INSIDE, _SIGNED, _BLANK):
        read = pattern.fullmatch(part)
        if read and read["code"] and _NAME.fullmatch(name := _name(read["name"])):
            if len(name) <= _LONGEST_NAME and len(name.split()) <= _MOST_WORDS:
                yield read


def _name(text: str) -> str:
    """A meaning without quotes and what is said in parentheses."""
    return re.sub(r"\s*\([^()]*\)$", "", text).strip(" .\"'`‘’“”")


def coded_columns(manifest: Manifest) -> Iterator[tuple[ColumnRef, ModelColumn]]:
    """The columns of texts and numbers whose comments tell codes."""
    return ((ref, column) for ref, column in _open_columns(manifest) if _told(column))


def _open_columns(manifest: Manifest) -> Iterator[tuple[ColumnRef, ModelColumn]]:
    enums = {enum.name.lower() for enum in manifest.enum_definitions}
    for model in manifest.models:
        for column in model.columns:
            is_open = column.type.lower() not in enums and not column.is_calculated and column.relationship is None
            if is_open and type_family(column.type) in (TypeFamily.TEXT, TypeFamily.NUMBER):
                yield ColumnRef(model.name, column.name), column


@dataclass(frozen=True, slots=True)
class CodeTable:
    """A table that lists codes of several columns: the names of its columns for which one, the code and its meaning."""

    name: str
    kind: str
    code: str
    meaning: str

    @property
    def columns(self) -> tuple[str, str, str]:
        """The three columns, in this order."""
        return self.kind, self.code, self.meaning


def code_tables(tables: Iterable[Table]) -> Iterator[CodeTable]:
    """The tables of codes, by the last words of their columns."""
    for table in tables:
        found = {
            kind: [c.name for c in table.columns if link_words(kind).issuperset(written_out(words(c.name))[-1:])]
            for kind in ("code_kinds", "codes", "code_meanings")
        }
        if all(len(columns) == 1 for columns in found.values()):
            yield CodeTable(table.name, *(columns[0] for columns in found.values()))


def codes_of_column(name: str, held: Sequence[str], codes: Mapping[str, Mapping[str, str]]) -> Mapping[str, str]:
    """The codes of that kind which a column of this name holds, by all kinds that a table of codes lists; empty where
    none fits, or several do and none is called like it."""
    seen = {value.strip().casefold() for value in held if value.strip()}
    fitting = [kind for kind, known in codes.items() if seen <= {code.casefold() for code in known}]
    called = [kind for kind in fitting if _are_alike(kind.casefold(), words(name)[-1])]
    meant = called or (fitting if len(seen) > _FEWEST else [])
    return codes[meant[0]] if len(meant) == 1 < len(seen) <= MOST_CODES else {}


def _are_alike(one: str, other: str) -> bool:
    return one == other or kept_of(one, other) is not None or kept_of(other, one) is not None


def with_value_names(
    manifest: Manifest, held: SampledValues, listed: Mapping[ColumnRef, Mapping[str, str]] = MappingProxyType({})
) -> Manifest:
    """The model in which columns are enums whose comments say what their codes mean, or for which tables of codes have
    `listed` it, where these codes are most of those that the column is known to hold, or it holds most of them."""
    enums = {
        ref: EnumDefinition(
            name=f"{ref.table}.{ref.column}", values=tuple(_values(names, is_number=_is_number(column)))
        )
        for ref, column in _open_columns(manifest)
        if (names := _names(_told(column) or listed.get(ref, {}), held.get(ref, ())))
        and (not _is_number(column) or all(value.isascii() and value.isdigit() for value in names))
    }
    models = (
        model.model_copy(
            update={
                "columns": tuple(
                    column.model_copy(update={"type": enum.name})
                    if (enum := enums.get(ColumnRef(model.name, column.name)))
                    else column
                    for column in model.columns
                )
            }
        )
        for model in manifest.models
    )
    defined = (*manifest.enum_definitions, *enums.values())
    return manifest.model_copy(update={"models": tuple(models), "enum_definitions": defined})


def _told(column: ModelColumn) -> Mapping[str, str]:
    comment = column.properties.get("description")
    return codes_of(comment) if isinstance(comment, str) else {}


def _is_number(column: ModelColumn) -> bool:
    return type_family(column.type) is TypeFamily.NUMBER


def _names(codes: Mapping[str, str], held: tuple[str, ...]) -> Mapping[str, str]:
    """The values of a column with what they mean, which is themselves for those of which nothing is said; empty where
    the codes are not the column's."""
    if not 0 < len(held) <= MOST_CODES:
        return {}
    by_code = {code.casefold(): name for code, name in codes.items()}
    seen = {value.strip().casefold() for value in held}
    hits = len(seen & by_code.keys())
    if not hits or (2 * hits <= len(by_code) and 2 * hits < len(seen)):
        return {}
    missing = {code: name for code, name in codes.items() if code.casefold() not in seen}
    return {value: by_code.get(value.strip().casefold(), value) for value in held if value.strip()} | missing


def _values(names: Mapping[str, str], *, is_number: bool) -> Iterable[EnumValue]:
    """The values of an enum, whose names are all different."""
    taken: set[str] = set()
    for held, said in names.items():
        name = f"{said} {held}" if said in taken else said
        taken.add(name)
        value = int(held) if is_number else held
        yield EnumValue(name=name, value=None if value == name else value)
