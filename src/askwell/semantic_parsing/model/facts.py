"""What the rules know about a semantic model: words, kinds, keys and naming columns. `facts_of` finds it out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from askwell.mdl.schema_words import SchemaWords
from askwell.mdl.semantic_model import Cardinality, Column, ColumnRef, Relationship, Table
from askwell.mdl.types import TypeFamily, type_family
from askwell.mdl.written_values import DateForm, NumberForm
from askwell.question.words import Stems, stem
from askwell.semantic_parsing.model.measures import Formula, MetricFacts
from askwell.semantic_parsing.model.word_forms import word_forms
from askwell.spelling import without_accents


class ColumnKind(StrEnum):
    """How a column's values behave in a condition."""

    NUMBER = "number"
    TEXT = "text"
    DATE = "date"
    BOOLEAN = "boolean"


_PLAIN_WORDS = re.compile(r"[a-z]+")
# Types of numbers that may be no more than 0 and 1.
_WHOLE = re.compile(r"INT|BIT", re.IGNORECASE)
# More often the least of something than a minute.
_SHORTEST = frozenset({"min"})


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """`names` are all names people may use, as stems, the most readable first. `numeric_text` is text that holds digits
    and their marks, as dates and telephone numbers do; a text has a `number_form` where it holds numbers. `iso_text` is
    text that holds ISO dates, and `date_form` is how others are written, in texts and in numbers. `truth` are the
    values that say yes in a text of yes and no; a `self_reference` refers to a row of its own table. A column
    has `elements`, in lower case, where its values are lists of such; `spellings` gives, for each value that differs
    from others by blanks, capitals or accents alone, all of them. One with a `formula` is computed. A date
    `of_days` has no time of day, and a `clock` has nothing else; a number that is `zero_or_one` has both.
    """

    ref: ColumnRef
    column: Column
    names: tuple[Stems, ...]
    kind: ColumnKind
    is_key: bool
    is_reference: bool
    numeric_text: bool
    iso_text: bool
    number_form: NumberForm | None = None
    date_form: DateForm | None = None
    truth: tuple[str, ...] = ()
    self_reference: bool = False
    formula: Formula | None = None
    elements: frozenset[str] = frozenset()
    spellings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    of_days: bool = False
    clock: bool = False
    zero_or_one: bool = False

    @property
    def duration(self) -> int | None:
        """How many milliseconds its unit has, where it is a time and its name or the model says in which unit."""
        if self.kind is not ColumnKind.NUMBER or self.is_key or self.is_reference or self.is_date:
            return None
        named = (self.column.unit or "").lower(), *_PLAIN_WORDS.findall(_spaced(self.column.name))[-1:]
        known = word_forms().milliseconds
        units = [known[word] for word in named if word in known and word not in _SHORTEST]
        return units[0] if units else None

    @property
    def is_flag(self) -> bool:
        """Whether it says yes or no; text does where its values are such words (`truth` are those for yes)."""
        return self.kind is ColumnKind.BOOLEAN or bool(self.truth) or self.is_switch

    @property
    def is_switch(self) -> bool:
        """A number that is 1 for yes, by its values or its name: `is_open`, `has_parking`, `urgent`."""
        asked = any(name[:1] and name[0] in word_forms().asking for name in (self.names[-1], self.words))
        is_number = self.kind is ColumnKind.NUMBER and type_family(self.column.type) is not TypeFamily.TIME
        if self.is_reference or not is_number:
            return False
        is_whole = _WHOLE.search(self.column.type) is not None
        return (
            self.zero_or_one
            or (asked and len(self.words) > 1)
            or (is_whole and word_forms().switches.issuperset(self.words))
        )

    @property
    def varies(self) -> bool:
        """Whether some of its values differ by capitals, or by blanks around them, alone."""
        return any(len({text.strip().lower() for text in same}) < len(same) for same in self.spellings.values())

    def spelled(self, text: str, said: str) -> tuple[str, ...]:
        """All spellings of a value that was `said`; only those with its accents, where it was said with accents."""
        found = self.spellings.get(text, (text,))
        with_accents = tuple(one for one in found if one.strip().casefold() == said.casefold())
        return found if without_accents(said) == said or not with_accents else with_accents

    @property
    def shortened(self) -> Mapping[str, str]:
        """Values that are short for others, with these, in small letters: `canc` → `cancelled`."""
        alike = {tuple(sorted({text.strip().lower() for text in same}, key=len)) for same in self.spellings.values()}
        return {short: same[-1] for same in sorted(alike) for short in same[:-1] if len(short) < len(same[-1])}

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
        """A number that means an amount, and neither a key nor a date; numbers that are kept as text only where the
        name, or what stands around them, says so."""
        in_text = self.number_form is not None and (self.number_form.has_unit or self._counts)
        return (self.kind is ColumnKind.NUMBER or in_text) and not self.is_link

    @property
    def _counts(self) -> bool:
        return self.words[0] == stem("number") or bool(word_forms().amounts & set(self.words))

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
        return self.kind is ColumnKind.DATE or self.iso_text or self.date_form is not None


@dataclass(frozen=True)
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

    @cached_property
    def last_words(self) -> frozenset[str]:
        """The stems that its columns' names end with."""
        return frozenset(column.words[-1] for column in self.columns)

    @property
    def readable(self) -> str:
        """The name to show to people."""
        return self.table.display_name or self.table.name

    @property
    def labels(self) -> tuple[ColumnRef, ...]:
        """What shows a row to a person: a name, a first and a last name, or else the number or code by which people
        know it, as an apartment's or an invoice's; nothing where there is none of these."""
        if self.label is not None:
            return (self.label,)
        if self.person is not None:
            return self.person
        wanted = {(*self.words[-1:], stem("number")), (*self.words[-1:], stem("code"))}
        names = [c for c in self.columns if not c.is_key and not c.is_reference and c.words[-2:] in wanted]
        return (names[0].ref,) if len(names) == 1 else ()

    @property
    def is_somebody(self) -> bool:
        """Whether its rows are people, or those who do something as people do: an artist may be a band."""
        return self.person is not None or bool(word_forms().people & set(self.words))


@dataclass(frozen=True)
class ModelFacts:
    """All tables and columns by their names in the model; `columns` holds computed ones as well, which no table has.
    `metrics` are by the measure that each is, `schema_words` what words in names are short for. What each question asks
    of all of them is worked out once."""

    tables: Mapping[str, TableFacts]
    columns: Mapping[ColumnRef, ColumnFacts]
    relationships: tuple[Relationship, ...]
    metrics: Mapping[ColumnRef, MetricFacts] = field(default_factory=dict)
    schema_words: SchemaWords = field(default_factory=SchemaWords)

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


def _by_table(pairs: Iterable[tuple[str, str]]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for table, other in pairs:
        found.setdefault(table, []).append(other)
    return {table: tuple(others) for table, others in found.items()}


def is_code(name: Stems, *, is_total: bool) -> bool:
    """Whether a name says that its numbers have no total, or no mean: a postcode, a date, a year."""
    forms = word_forms()
    return bool(name) and name[-1] in (forms.codes | forms.untotalled if is_total else forms.codes)


def _spaced(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
