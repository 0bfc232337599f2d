"""The authorised view of a semantic model: what rules, prompts, retrieval, guard, binder and planner all see.

Hidden columns, relationship handles and whatever the asker may not read are not there at all, so nobody downstream
has to remember to leave them out. The view is immutable and knows nothing about how it was written down (see
`manifest.py`) or checked (see `validation.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from askwell.mdl.names import singular, words


class TableKind(StrEnum):
    """What a name people may select from is."""

    MODEL = "model"
    VIEW = "view"
    METRIC = "metric"
    CUBE = "cube"


class Cardinality(StrEnum):
    """Left-to-right cardinality of a relationship."""

    ONE_TO_ONE = "ONE_TO_ONE"
    ONE_TO_MANY = "ONE_TO_MANY"
    MANY_TO_ONE = "MANY_TO_ONE"
    MANY_TO_MANY = "MANY_TO_MANY"

    @property
    def to_one(self) -> bool:
        """Whether at most one row on the right belongs to a row on the left."""
        return self in (Cardinality.ONE_TO_ONE, Cardinality.MANY_TO_ONE)

    def reversed(self) -> Cardinality:
        """The same relationship read from right to left."""
        swap = {Cardinality.ONE_TO_MANY: Cardinality.MANY_TO_ONE, Cardinality.MANY_TO_ONE: Cardinality.ONE_TO_MANY}
        return swap.get(self, self)


class ColumnRole(StrEnum):
    """Where a column's value comes from."""

    PLAIN = "plain"
    CALCULATED = "calculated"
    DIMENSION = "dimension"
    MEASURE = "measure"


# What databases call a type whose values are JSON.
_JSON_TYPES = frozenset({"json", "jsonb", "variant"})


@dataclass(frozen=True, slots=True)
class Column:
    """A visible column. `type` is the SQL type as written (any case); `values` are the enum's values when it has one,
    `value_names` what those mean that are called otherwise ("cancelled" for X).

    `expression` is set only where it differs from the name: the calculated field's or measure's own text.
    `epoch` is "seconds", "millis" or "micros" for a number that is a time. `sensitive` columns are never sampled.
    """

    name: str
    type: str
    role: ColumnRole = ColumnRole.PLAIN
    expression: str | None = None
    not_null: bool = False
    display_name: str | None = None
    description: str | None = None
    synonyms: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    value_names: Mapping[str, str] = field(default_factory=dict)
    essential: bool = False
    sensitive: bool = False
    unit: str | None = None
    epoch: str | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)

    @property
    def json_type(self) -> str:
        """JSON or JSON_ARRAY where the column holds that, by its properties or else by its type; else empty."""
        is_json = self.type.strip().lower() in _JSON_TYPES or self.properties.get("json_fields")
        return str(self.properties.get("json_type") or ("JSON" if is_json else ""))


@dataclass(frozen=True, slots=True)
class Table:
    """Something people may select from: a model, a view, a metric or a cube.

    `statement` is a view's own SQL, or the SQL a metric stands for; `base` names a metric's base object.
    `schema` is the database's schema that a model's rows are in, where the model says so. `question` and `view_id` come
    from a saved view that answers a question. `unique_keys` are sets of columns besides
    the primary key that no two rows have alike; like the primary key they are there only where every column is.
    """

    name: str
    kind: TableKind
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    unique_keys: tuple[tuple[str, ...], ...] = ()
    display_name: str | None = None
    description: str | None = None
    synonyms: tuple[str, ...] = ()
    schema: str | None = None
    statement: str | None = None
    base: str | None = None
    question: str | None = None
    view_id: str | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)

    @property
    def column_names(self) -> frozenset[str]:
        """In lower case."""
        return frozenset(column.name.lower() for column in self.columns)

    def column(self, name: str) -> Column | None:
        """The column of that name, in any letter case."""
        wanted = name.lower()
        return next((c for c in self.columns if c.name.lower() == wanted), None)


class Join:
    """What joins have in common: `pairs` are (column of `left`, column of `right`), all of which must be equal."""

    __slots__ = ()
    left: str
    right: str
    pairs: tuple[tuple[str, str], ...]

    @property
    def equations(self) -> frozenset[frozenset[ColumnRef]]:
        """The columns that are equal, two by two (one alone where a column is related to itself): the same from
        whichever side the join is read."""
        pairs = ((ColumnRef(self.left, here), ColumnRef(self.right, there)) for here, there in self.pairs)
        return frozenset(map(frozenset, pairs))

    @property
    def condition(self) -> str:
        """What it sets equal, with plain names, for people and prompts."""
        return " AND ".join(f"{self.left}.{here} = {self.right}.{there}" for here, there in self.pairs)


@dataclass(frozen=True, slots=True)
class Relationship(Join):
    """A way to join two models: `pairs` are (left column, right column), all of which must be equal.

    Several relationships between the same two models are distinct roles. `inferred` ones were guessed, for `reason`
    (words without a full stop; may be empty).
    """

    name: str
    left: str
    right: str
    cardinality: Cardinality
    pairs: tuple[tuple[str, str], ...]
    inferred: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LinkCandidate:
    """A link that no relationship declares: `column` of `table` may refer to `to_column` of `to_table`. `confidence`
    (0..1) says how sure that is, `reason` what the names say, and `seen` what the data says, "" where nobody looked."""

    table: str
    column: str
    to_table: str
    to_column: str
    cardinality: Cardinality
    confidence: Annotated[float, Field(ge=0, le=1)]
    reason: str
    seen: str = ""

    @property
    def because(self) -> str:
        """All that is known of the link, in words without a full stop."""
        return "; ".join(filter(None, (self.reason, self.seen)))


@dataclass(frozen=True)
class SemanticModel:
    """Everything that may be asked about in one project, as one immutable value.

    `content_hash` identifies the manifest it was made from; `data_source` is the manifest's (`DUCKDB`, `SQLITE`, …).
    `tables` is keyed by canonical name, in the manifest's order: models, then views, metrics and cubes.
    `candidates` are what looking at the database suggested beside the relationships; None where nobody looked.
    """

    content_hash: str
    data_source: str
    tables: Mapping[str, Table]
    relationships: tuple[Relationship, ...] = ()
    candidates: tuple[LinkCandidate, ...] | None = None

    def __iter__(self) -> Iterator[Table]:
        return iter(self.tables.values())

    @cached_property
    def _by_lower(self) -> dict[str, Table]:
        return {name.lower(): table for name, table in self.tables.items()}

    @cached_property
    def table_words(self) -> frozenset[str]:
        """The words of what its tables are called, in the singular."""
        return _words_of(self)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of what its tables and columns are called, in the singular."""
        return self.table_words | _words_of(column for table in self for column in table.columns)

    @cached_property
    def models_by_columns(self) -> Mapping[frozenset[str], tuple[Table, ...]]:
        """The models that have exactly the same columns, by the columns' names in lower case."""
        found: dict[frozenset[str], tuple[Table, ...]] = {}
        for table in self.tables.values():
            if table.kind is TableKind.MODEL:
                found[table.column_names] = (*found.get(table.column_names, ()), table)
        return found

    def table(self, name: str) -> Table | None:
        """The table of that name, in any letter case."""
        return self._by_lower.get(name.lower())

    def column(self, table: str, name: str) -> ColumnRef | None:
        """The column of that name in the table of that name, in any letter case."""
        there = self.table(table)
        column = there.column(name) if there is not None else None
        return ColumnRef(there.name, column.name) if there is not None and column is not None else None


class ColumnRef(NamedTuple):
    """A column by canonical table and column name; prints as `table.column`. A tuple, since a reader of a large model
    looks up millions of them."""

    table: str
    column: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column}"


# Values seen in columns, as text, sampled within bounds: never of hidden or sensitive columns.
SampledValues = Mapping[ColumnRef, tuple[str, ...]]


def names_of(thing: Table | Column) -> tuple[str, ...]:
    """Everything a table or column is called."""
    return tuple(filter(None, (thing.name, thing.display_name, *thing.synonyms)))


def _words_of(things: Iterable[Table | Column]) -> frozenset[str]:
    names = {name for thing in things for name in names_of(thing)}
    return frozenset(singular(word) for name in names for word in words(name))
