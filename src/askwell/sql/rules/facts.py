"""What the rules need to know about a semantic model, worked out once: words, kinds, keys and naming columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from askwell.mdl.semantic_model import (
    Cardinality,
    Column,
    ColumnRef,
    ColumnRole,
    Relationship,
    SampledValues,
    SemanticModel,
    Table,
    TableKind,
)
from askwell.sql.rules.measures import Formula, Trade
from askwell.sql.rules.stems import Stems, stem, stem_set, stems
from askwell.sql.rules.words.forms import PEOPLE
from askwell.sql.rules.words.units import MILLISECONDS


class ColumnKind(StrEnum):
    """How a column's values behave in a condition."""

    NUMBER = "number"
    TEXT = "text"
    DATE = "date"
    BOOLEAN = "boolean"


_NUMERIC = re.compile(r"INT|REAL|FLOA|DOUB|NUMERIC|DECIMAL|NUMBER|MONEY|BIGNUM|SERIAL", re.IGNORECASE)
_TEMPORAL = re.compile(r"DATE|TIME", re.IGNORECASE)
_BOOLEAN = re.compile(r"BOOL|\bBIT\b", re.IGNORECASE)
_LOOKS_NUMERIC = re.compile(r"[-+]?[\d.,:/ -]*\d[\d.,:/ -]*%?")
_PLAIN_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_AMOUNT_WORDS = frozenset({"count", "amount", "quantity", "total", "price", "cost", "salary"})
_ASKED = (stems("is"), stems("has"))
_PLAIN_WORDS = re.compile(r"[a-z]+")
# More often the least of something than a minute.
_SHORTEST = frozenset({"min"})
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """`names` are all names people may use, as stems, the most readable first. `numeric_text` is text that holds
    numbers (`plain_numbers`: nothing but digits and a point); `iso_text` is text that holds ISO dates. `truth` is the
    value that says yes in a text of yes and no; a `self_reference` refers to another row of its own table. A column
    has `elements`, in lower case, where its values are lists of such; `padded` gives, for each value that differs from
    others by white space around it alone, all of them. One with a `formula` is not in the database but
    computed; it says something about each value of `per`, if that is set.
    """

    ref: ColumnRef
    column: Column
    names: tuple[Stems, ...]
    kind: ColumnKind
    is_key: bool
    is_reference: bool
    numeric_text: bool
    plain_numbers: bool
    iso_text: bool
    truth: str | None = None
    self_reference: bool = False
    formula: Formula | None = None
    per: ColumnRef | None = None
    elements: frozenset[str] = frozenset()
    padded: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def duration(self) -> int | None:
        """How many milliseconds its unit has, where it is a time and its name or the model says in which unit."""
        if self.kind is not ColumnKind.NUMBER or self.is_key or self.is_reference:
            return None
        named = (self.column.unit or "").lower(), *_PLAIN_WORDS.findall(_spaced(self.column.name))[-1:]
        units = [MILLISECONDS[word] for word in named if word in MILLISECONDS and word not in _SHORTEST]
        return units[0] if units else None

    @property
    def is_flag(self) -> bool:
        """Whether it says yes or no; text does where its values are such words (`truth` is the one for yes)."""
        return self.kind is ColumnKind.BOOLEAN or self.truth is not None or self.is_switch

    @property
    def is_switch(self) -> bool:
        """A number that is 1 for yes, by its name: `is_open`, `has_parking`."""
        asked = self.names[-1][:1] in _ASKED or self.words[:1] in _ASKED
        return self.kind is ColumnKind.NUMBER and asked and len(self.words) > 1 and not self.is_reference

    @property
    def words(self) -> Stems:
        """The stems of the most readable name."""
        return self.names[0]

    @property
    def readable(self) -> str:
        """The name to show to people."""
        return self.column.display_name or self.column.name

    @property
    def is_measure(self) -> bool:
        """A number that means an amount, and not a key; numbers that are kept as text only where the name says so."""
        numbers = self.kind is ColumnKind.NUMBER or (self.plain_numbers and self._counts)
        return numbers and not self.is_key and not self.is_reference

    @property
    def _counts(self) -> bool:
        return self.words[0] == stem("number") or bool(stem_set(_AMOUNT_WORDS) & set(self.words))

    @property
    def is_link(self) -> bool:
        """Whether it only connects rows of other tables, or says when that was written."""
        return self.is_reference or self.is_key or self.is_date

    @property
    def is_numeric(self) -> bool:
        """Fit for a numeric comparison."""
        return self.kind is not ColumnKind.TEXT or self.numeric_text

    @property
    def is_date(self) -> bool:
        """Fit for a comparison with days."""
        return self.kind is ColumnKind.DATE or self.iso_text


@dataclass(frozen=True, slots=True)
class TableFacts:
    """`label` is the column that names a row to people; `person` is a first and a last name where there is no label."""

    table: Table
    names: tuple[Stems, ...]
    columns: tuple[ColumnFacts, ...]
    key: ColumnRef | None
    label: ColumnRef | None
    person: tuple[ColumnRef, ColumnRef] | None

    @property
    def words(self) -> Stems:
        """The stems of the most readable name."""
        return self.names[0]

    @property
    def readable(self) -> str:
        """The name to show to people."""
        return self.table.display_name or self.table.name

    @property
    def is_somebody(self) -> bool:
        """Whether its rows are people, or those who do something as people do: an artist may be a band."""
        return self.person is not None or bool(stem_set(PEOPLE) & set(self.words))


@dataclass(frozen=True)
class ModelFacts:
    """All tables and columns by their names in the model; `columns` holds computed ones as well, which no table has.
    `trade` is what its sales are, where that is certain. What each question asks of all of them is worked out once."""

    tables: Mapping[str, TableFacts]
    columns: Mapping[ColumnRef, ColumnFacts]
    relationships: tuple[Relationship, ...]
    trade: Trade | None = None

    @cached_property
    def neighbours(self) -> Mapping[str, tuple[str, ...]]:
        """For each table the others that are related to it, once for each relationship."""
        return _by_table(pair for r in self.relationships for pair in ((r.left, r.right), (r.right, r.left)))

    @cached_property
    def referred(self) -> Mapping[str, tuple[str, ...]]:
        """For each table those that a row of it belongs to exactly once."""
        found: list[tuple[str, str]] = []
        for r in self.relationships:
            if r.cardinality in (Cardinality.MANY_TO_ONE, Cardinality.ONE_TO_ONE):
                found.append((r.left, r.right))
            elif r.cardinality is Cardinality.ONE_TO_MANY:
                found.append((r.right, r.left))
        return _by_table(found)

    @cached_property
    def joined(self) -> frozenset[frozenset[ColumnRef]]:
        """The two columns of each join."""
        return frozenset(
            frozenset((ColumnRef(r.left, a), ColumnRef(r.right, b))) for r in self.relationships for a, b in r.pairs
        )

    @cached_property
    def fractions(self) -> frozenset[ColumnRef]:
        """The columns by which computed amounts are reduced."""
        formulas = (column.formula for column in self.columns.values())
        return frozenset(f.reduction for f in formulas if f is not None and f.reduction is not None)

    def measures_named(self, words: Iterable[str]) -> list[ColumnFacts]:
        """The measures that have one of the stems in their most readable name, in the model's order."""
        return [self._measures[place] for place in sorted({p for word in words for p in self._places.get(word, ())})]

    @cached_property
    def _measures(self) -> tuple[ColumnFacts, ...]:
        return tuple(column for column in self.columns.values() if column.is_measure)

    @cached_property
    def _places(self) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        for place, column in enumerate(self._measures):
            for word in set(column.words):
                found.setdefault(word, []).append(place)
        return found


def _by_table(pairs: Iterable[tuple[str, str]]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for table, other in pairs:
        found.setdefault(table, []).append(other)
    return {table: tuple(others) for table, others in found.items()}


def _spaced(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


def facts_of(model: SemanticModel, values: SampledValues) -> ModelFacts:
    """Work the facts out. Cost grows with the number of columns and sampled values."""
    referring = {
        ref
        for r in model.relationships
        for left, right in r.pairs
        for ref in (ColumnRef(r.left, left), ColumnRef(r.right, right))
    }
    to_itself = {ColumnRef(r.left, left) for r in model.relationships if r.left == r.right for left, _ in r.pairs}
    tables: dict[str, TableFacts] = {}
    copies = _copies(model)
    for table in model:
        if table.name in copies:
            continue
        names = _names(table.display_name, table.synonyms, table.name)
        columns = tuple(_column(table, column, referring, to_itself, values) for column in table.columns)
        if not columns:
            continue
        key = _key(table, model)
        person = _person(columns)
        label = _label(names[0], columns, person is not None)
        tables[table.name] = TableFacts(table, names, columns, key, label, person)
    by_ref = {column.ref: column for table in tables.values() for column in table.columns}
    relationships = tuple(
        r
        for r in model.relationships
        if r.left in tables
        and r.right in tables
        and r.left != r.right
        and all(ColumnRef(r.left, a) in by_ref and ColumnRef(r.right, b) in by_ref for a, b in r.pairs)
    )
    return ModelFacts(tables, by_ref, relationships)


def _copies(model: SemanticModel) -> frozenset[str]:
    """Tables without key and relationship whose columns are mostly there in tables with a key: the database's own
    views. They would make two of everything, and nobody knows what their rows are."""
    related = {name for r in model.relationships for name in (r.left, r.right)}
    keyed = {c.name.lower() for t in model if t.primary_key for c in t.columns}
    loose = [t for t in model if not t.primary_key and t.name not in related and t.kind is TableKind.MODEL]
    return frozenset(t.name for t in loose if 2 * sum(c.name.lower() in keyed for c in t.columns) >= len(t.columns))


def _key(table: Table, model: SemanticModel) -> ColumnRef | None:
    """The one column that tells rows apart: the primary key, else what relationships refer to as unique."""
    if table.primary_key:
        return ColumnRef(table.name, table.primary_key[0]) if len(table.primary_key) == 1 else None
    for r in model.relationships:
        if len(r.pairs) != 1:
            continue
        if r.right == table.name and r.cardinality in (Cardinality.MANY_TO_ONE, Cardinality.ONE_TO_ONE):
            return ColumnRef(table.name, r.pairs[0][1])
        if r.left == table.name and r.cardinality in (Cardinality.ONE_TO_MANY, Cardinality.ONE_TO_ONE):
            return ColumnRef(table.name, r.pairs[0][0])
    return None


def _names(display: str | None, synonyms: Sequence[str], name: str) -> tuple[Stems, ...]:
    found: list[Stems] = []
    for text in (display, name, *synonyms):
        words = stems(text) if text else ()
        if words and words not in found:
            found.append(words)
    return tuple(found) or ((name.lower(),),)


def _column(
    table: Table, column: Column, referring: set[ColumnRef], to_itself: set[ColumnRef], values: SampledValues
) -> ColumnFacts:
    ref = ColumnRef(table.name, column.name)
    kind = _kind(column)
    seen = values.get(ref, ()) or column.values
    sample = seen[:50]
    numeric = bool(sample) and all(_LOOKS_NUMERIC.fullmatch(value.strip()) for value in sample)
    iso = bool(sample) and all(_ISO_DATE.match(value) for value in sample)
    if kind is ColumnKind.DATE and sample and not iso and not column.values:
        kind = ColumnKind.TEXT  # a date that is written as people write it compares like text
    return ColumnFacts(
        ref=ref,
        column=column,
        names=_names(column.display_name, column.synonyms, column.name),
        kind=kind,
        is_key=len(table.primary_key) == 1 and table.primary_key[0] == column.name,
        is_reference=ref in referring,
        numeric_text=kind is ColumnKind.TEXT and numeric,
        plain_numbers=bool(sample) and all(_PLAIN_NUMBER.fullmatch(value.strip()) for value in sample),
        iso_text=kind is ColumnKind.TEXT and iso,
        truth=_truth(seen) if kind is ColumnKind.TEXT else None,
        self_reference=ref in to_itself,
        elements=_elements(seen) if kind is ColumnKind.TEXT else frozenset(),
        padded=_padded(seen) if kind is ColumnKind.TEXT else {},
    )


def _padded(seen: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    alike: dict[str, list[str]] = {}
    for value in dict.fromkeys(seen):
        alike.setdefault(value.strip(), []).append(value)
    return {value: tuple(same) for same in alike.values() if len(same) > 1 for value in same}


def _elements(seen: Sequence[str]) -> frozenset[str]:
    """What stands in lists: "Trailers,Deleted Scenes"."""
    lists = (value for value in seen if any(mark in value for mark in _SEPARATORS))
    return frozenset(part.strip().lower() for value in lists for part in _SEPARATED.split(value) if part.strip())


_SEPARATORS = (",", ";", "|", "/")
_SEPARATED = re.compile(r"[,;|/]")
_YES = ("1", "y", "yes", "t", "true")
_NO = ("0", "n", "no", "f", "false")


def _truth(seen: Sequence[str]) -> str | None:
    """The word for yes, where a column of text holds nothing but words for yes and no of one kind."""
    low = {value.strip().lower() for value in seen}
    for yes, no in zip(_YES, _NO, strict=True):
        if low and low <= {yes, no} and (yes in low or yes == "1"):
            return next((value for value in seen if value.strip().lower() == yes), yes)
    return None


def _kind(column: Column) -> ColumnKind:
    if _TEMPORAL.search(column.type) and not column.epoch:
        return ColumnKind.DATE
    if _BOOLEAN.search(column.type):
        return ColumnKind.BOOLEAN
    if _NUMERIC.search(column.type) or (column.role is ColumnRole.MEASURE and not column.type):
        return ColumnKind.NUMBER
    return ColumnKind.TEXT


def _person(columns: Iterable[ColumnFacts]) -> tuple[ColumnRef, ColumnRef] | None:
    first = [c.ref for c in columns if c.words[-2:] == (stem("first"), stem("name"))]
    last = [c.ref for c in columns if c.words[-2:] == (stem("last"), stem("name"))]
    return (first[0], last[0]) if len(first) == len(last) == 1 else None


_CALLED = (stems("company"), stems("organization"), stems("firm"))
_PART_NAMES = frozenset({stem("first"), stem("last"), stem("middle"), stem("nick")})


def _alien(column: ColumnFacts, table: Stems, columns: Sequence[ColumnFacts]) -> bool:
    """Whether a name is that of something else in the row: beside a ship name stand a ship city and a ship country,
    beside a contact name a contact title."""
    first = column.words[0]
    if first in table or len(column.words) < 2:
        return False
    return any(c is not column and len(c.words) > 1 and c.words[0] == first and not c.is_reference for c in columns)


def _label(table: Stems, columns: Sequence[ColumnFacts], is_person: bool) -> ColumnRef | None:
    name, title, detail = stem("name"), stem("title"), stem("detail")
    last, first = table[-1:], table[:1]
    patterns: list[Stems] = [(name,), (*table, name), (*last, name), (*first, name)]
    if not is_person:  # the title of somebody with a first and a last name is a job
        patterns += [(title,), (*table, title), (*last, title), table, last]
    texts = [c for c in columns if c.kind is ColumnKind.TEXT and not c.numeric_text]
    for pattern in patterns:
        for column in texts:
            if column.words == pattern:
                return column.ref
    named = [
        c for c in texts if c.words[-1:] == (name,) and c.words[0] not in _PART_NAMES and not _alien(c, table, columns)
    ]
    full = [c for c in named if stem("full") in c.words]
    named = full if len(full) == 1 else named
    if len(named) == 1 and not is_person:
        return named[0].ref
    if not is_person:
        for column in texts:
            if column.words in ((*table, detail), (*last, detail)):
                return column.ref
        described = ((*table, stem("description")), (*last, stem("description")), (stem("description"),))
        if len(texts) == 1 and texts[0].words in described:
            return texts[0].ref
        called = [c for c in texts if c.words in _CALLED]  # a client is the company
        if len(called) == 1 and not called[0].is_reference:
            return called[0].ref
    return None
