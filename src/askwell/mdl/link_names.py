"""Which columns may hold the key of which table, as far as names and types tell: what `services.link_inference` looks
at in the data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from askwell.mdl.link_tokens import ColumnTokens, column_prefix, column_tokens, link_words, shortens, table_tokens
from askwell.mdl.semantic_model import Cardinality, Column, ColumnRole, SemanticModel, Table
from askwell.mdl.types import TypeFamily, comparable, type_family

_KEY_FAMILIES = (TypeFamily.NUMBER, TypeFamily.TEXT, TypeFamily.UNKNOWN)
# A name that is that of more keys than this tells nothing.
_MOST_PARENTS = 6
# A key whose name is the end of another column's has at least so many letters.
_SHORTEST_KEY = 5
_SHORTEST_PREFIX = 2


class NameEvidence(IntEnum):
    """How a column's name tells of a table, the most telling first."""

    KEY = 1  # customer_id, and the key of customers is called so
    TABLE = 2  # customer_id or customerid, and the key of customers is called otherwise
    ROLE = 3  # home_team_id, and there are teams
    SAME = 4  # custid, and the key of accounts is called so
    PART = 5  # claim_id for claim_headers, cust_no for customers
    BARE = 6  # author, chip_model or host_city
    SELF = 7  # reports_to or parent_entry_id, another row of the same table
    NONE = 8


class ValueEvidence(StrEnum):
    """What the data says of a link that it does not speak against."""

    TELLING = "telling"  # that all values are keys would hardly happen by accident
    THERE = "there"  # all values are keys, as those of many a column would be: 1 to 20
    UNSEEN = "unseen"  # nobody looked, or there is nothing to see


# How often such a link was a foreign key or joined by a gold query, on the databases of Spider's training set that are
# called tuning, without their foreign keys (right and wrong, where values were looked at; then by names alone): KEY 242
# and 13, 224 and 17; TABLE 23 and 0, 21 and 0; ROLE 12 and 4, 12 and 7; SAME 33 and 0, 24 and 3; PART 3 and 0, 3 and 5;
# BARE 30 and 0, 28 and 6; SELF 2 and 1, 2 and 1; NONE 4 and 0. Few say little, so nothing is surer than 0.95. Spider
# declares hardly any reference to another row of a table: the wrong ones of ROLE and SELF are such.
CONFIDENCE: Mapping[NameEvidence, Mapping[ValueEvidence, float]] = {
    NameEvidence.KEY: {ValueEvidence.TELLING: 0.95, ValueEvidence.THERE: 0.95, ValueEvidence.UNSEEN: 0.93},
    NameEvidence.TABLE: {ValueEvidence.TELLING: 0.95, ValueEvidence.THERE: 0.95, ValueEvidence.UNSEEN: 0.93},
    NameEvidence.ROLE: {ValueEvidence.TELLING: 0.95, ValueEvidence.THERE: 0.9, ValueEvidence.UNSEEN: 0.63},
    NameEvidence.SAME: {ValueEvidence.TELLING: 0.95, ValueEvidence.THERE: 0.93, ValueEvidence.UNSEEN: 0.8},
    NameEvidence.PART: {ValueEvidence.TELLING: 0.9, ValueEvidence.THERE: 0.9, ValueEvidence.UNSEEN: 0.4},
    NameEvidence.BARE: {ValueEvidence.TELLING: 0.95, ValueEvidence.THERE: 0.93, ValueEvidence.UNSEEN: 0.7},
    NameEvidence.SELF: {ValueEvidence.TELLING: 0.9, ValueEvidence.THERE: 0.9, ValueEvidence.UNSEEN: 0.4},
    NameEvidence.NONE: {ValueEvidence.TELLING: 0.8},
}


# A table's own `train_number` is no reference to itself, but `parent_train_number` is.
_OF_THE_TABLE_ITSELF = (NameEvidence.ROLE, NameEvidence.PART, NameEvidence.SELF)
_IN_WORDS = {
    NameEvidence.KEY: "has the name of the key of",
    NameEvidence.SAME: "has the name of the key of",
    NameEvidence.SELF: "names another row of",
}


@dataclass(frozen=True, slots=True)
class NamedLink:
    """`column` of `table` may hold the values of `to_column` of `to_table`. `reason` says why, in words. With
    `needs_values` that is nothing without them: a number and a text, or two keys."""

    table: str
    column: str
    to_table: str
    to_column: str
    evidence: NameEvidence
    reason: str
    needs_values: bool = False

    @property
    def here(self) -> tuple[str, str]:
        """The table and column that refer."""
        return self.table, self.column

    @property
    def there(self) -> tuple[str, str]:
        """The table and column that are referred to."""
        return self.to_table, self.to_column


@dataclass(frozen=True, slots=True)
class _Parent:
    table: str
    key: Column
    tokens: ColumnTokens
    stems: tuple[str, ...]

    @property
    def place(self) -> tuple[str, str]:
        return self.table, self.key.name

    @property
    def names_itself(self) -> bool:
        """Whether the key's name is the table's, so that the same name elsewhere means this table."""
        subject = self.tokens.subject[:-1] if self.tokens.subject[-1:] == ("name",) else self.tokens.subject
        return self.tokens.own or not subject or _joined(subject) in _tails(self.stems)


class LinkNames:
    """The names of the tables of a model, looked up: a thousand tables of twenty columns would be twenty million pairs
    to look at. `keys` are the columns that are each table's key on their own."""

    def __init__(self, tables: Sequence[Table], keys: Mapping[str, str]) -> None:
        self._tables = tables
        self._keys = keys
        stems = table_tokens([table.name for table in tables])
        self._stems = stems
        self._subjects = set(map(_joined, stems.values()))
        self._prefixes = {table.name: column_prefix([column.name for column in table.columns]) for table in tables}
        self._by_key: dict[str, list[_Parent]] = {}
        self._whole: dict[str, list[_Parent]] = {}
        self._part: dict[str, list[_Parent]] = {}
        self._by_prefix: dict[str, list[_Parent]] = {}
        self._by_letter: dict[str, list[_Parent]] = {}
        for table in tables:
            key = table.column(keys.get(table.name, ""))
            if key is not None:
                tokens = column_tokens(key.name, self._prefixes[table.name])
                self._add(_Parent(table.name, key, tokens, stems[table.name]))

    def _add(self, parent: _Parent) -> None:
        full = column_tokens(parent.key.name)
        if full.subject:
            for name in {full.name, parent.tokens.name if parent.tokens.subject else full.name}:
                self._by_key.setdefault(name, []).append(parent)
        whole = _joined(parent.stems)
        self._whole.setdefault(whole, []).append(parent)
        self._by_letter.setdefault(whole[:1], []).append(parent)
        parts = {_joined(parent.stems[start:]) for start in range(1, len(parent.stems))}
        parts |= {_joined(parent.stems[:end]) for end in range(1, len(parent.stems))}
        if len(parent.stems) > 1:
            parts.add("".join(stem[:1] for stem in parent.stems))
        if parent.tokens.own:
            parts |= {self._prefixes[parent.table], *column_tokens(self._prefixes[parent.table]).subject}
            self._by_prefix.setdefault(self._prefixes[parent.table], []).append(parent)
        for part in parts - {whole}:
            self._part.setdefault(part, []).append(parent)

    def links(self) -> Iterator[tuple[NamedLink, ...]]:
        """For each column that names tell something about, what it may refer to, the most telling first."""
        for table in self._tables:
            for column in table.columns:
                if column.role is ColumnRole.PLAIN and type_family(column.type) in _KEY_FAMILIES:
                    if found := self._of_column(table, column):
                        yield found

    def _of_column(self, table: Table, column: Column) -> tuple[NamedLink, ...]:
        found: dict[str, NamedLink] = {}
        for tokens in _readings(column.name, self._prefixes[table.name]):
            for parent, evidence in self._told(table, column, tokens):
                link = self._link(table, column, parent, evidence)
                known = found.get(parent.table)
                if link is not None and (known is None or link.evidence < known.evidence):
                    found[parent.table] = link
        if len(found) > _MOST_PARENTS:
            return ()
        return tuple(sorted(found.values(), key=lambda link: link.evidence))

    def _told(self, table: Table, column: Column, tokens: ColumnTokens) -> Iterator[tuple[_Parent, NameEvidence]]:
        subject, name = tokens.subject, tokens.name
        if not subject:
            return
        common = column.name.lower() in link_words("common") or name in link_words("common")
        of_a_table = _joined(subject) in self._subjects
        for parent in () if common else self._by_key.get(name, ()):
            if parent.names_itself or not of_a_table:  # the key of fees by campus is that of campuses
                yield parent, NameEvidence.KEY if parent.names_itself else NameEvidence.SAME
        for start in range(len(subject)):
            yield from self._named(_joined(subject[start:]), tokens, start)
        if tokens.word:
            yield from self._shortened(subject[-1])
            for start in range(1, len(name) - _SHORTEST_KEY + 1):  # supplier_company_id, citedpaperid
                yield from ((parent, NameEvidence.ROLE) for parent in self._by_key.get(name[start:], ()))
        if name in link_words("self") or subject[0] in link_words("self"):
            yield from ((parent, NameEvidence.SELF) for parent in self._parent_of(table.name))

    def _named(self, subject: str, tokens: ColumnTokens, start: int) -> Iterator[tuple[_Parent, NameEvidence]]:
        for parent in self._whole.get(subject, ()):
            if not tokens.word:
                if not tokens.several:  # home_games counts them
                    yield parent, NameEvidence.BARE
            elif parent.tokens.word in (tokens.word, "id", "") or not parent.tokens.subject:
                yield parent, NameEvidence.ROLE if start else NameEvidence.TABLE
            else:
                yield parent, NameEvidence.PART
        if tokens.word:
            yield from ((parent, NameEvidence.PART) for parent in self._part.get(subject, ()))

    def _shortened(self, subject: str) -> Iterator[tuple[_Parent, NameEvidence]]:
        if subject not in self._whole:
            for parent in self._by_letter.get(subject[:1], ()):
                if any(shortens(subject, stem) for stem in (_joined(parent.stems), *parent.stems[-1:])):
                    yield parent, NameEvidence.PART
            for size in range(_SHORTEST_PREFIX, len(subject)):  # cust for a table whose columns begin with cu
                yield from ((parent, NameEvidence.PART) for parent in self._by_prefix.get(subject[:size], ()))

    def _parent_of(self, table: str) -> Iterator[_Parent]:
        for parent in self._whole.get(_joined(self._stems[table]), ()):
            if parent.table == table:
                yield parent

    def _link(self, table: Table, column: Column, parent: _Parent, evidence: NameEvidence) -> NamedLink | None:
        own_key = self._keys.get(table.name) == column.name
        own_name = self._is_own(table, column)
        if parent.table == table.name and (own_key or own_name or evidence not in _OF_THE_TABLE_ITSELF):
            return None
        if own_key and evidence in (NameEvidence.ROLE, NameEvidence.PART):
            return None
        here, there = type_family(column.type), type_family(parent.key.type)
        mixed = not comparable(column.type, parent.key.type)
        if there not in _KEY_FAMILIES or (mixed and {here, there} != {TypeFamily.NUMBER, TypeFamily.TEXT}):
            return None
        # The key of old_customers says nothing of customers, but that of locations may be restaurant_id.
        two_keys = own_key and (own_name or evidence not in (NameEvidence.KEY, NameEvidence.TABLE))
        reason = f"{column.name} {_IN_WORDS.get(evidence, 'names')} {parent.table}"
        return NamedLink(table.name, column.name, *parent.place, evidence, reason, mixed or two_keys)

    def _is_own(self, table: Table, column: Column) -> bool:
        subject = column_tokens(column.name, self._prefixes[table.name]).subject
        return _joined(subject) in {"", *_tails(self._stems[table.name])}


def one_column_key(table: Table) -> str:
    """The column that no two rows of a table have alike on its own; "" where the model knows none."""
    return next((key[0] for key in (table.primary_key, *table.unique_keys) if len(key) == 1), "")


def referring_columns(model: SemanticModel) -> set[tuple[str, str]]:
    """The tables and columns that refer to another table by a relationship."""
    return {
        (link.right, there) if link.cardinality is Cardinality.ONE_TO_MANY else (link.left, here)
        for link in model.relationships
        for here, there in link.pairs
    }


def _readings(column: str, prefix: str) -> list[ColumnTokens]:
    whole = column_tokens(column)
    without = column_tokens(column, prefix)
    return [whole, without] if without.own else [whole]


def _joined(parts: Sequence[str]) -> str:
    return "".join(parts)


def _tails(stems: Sequence[str]) -> set[str]:
    return {_joined(stems[start:]) for start in range(len(stems))}
