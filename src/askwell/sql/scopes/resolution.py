"""The values that resolving names takes and gives, columns of the semantic model and fields of structs among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from functools import lru_cache
from typing import Any, Protocol

from sqlglot import Dialect, exp
from sqlglot.errors import SqlglotError

from askwell.mdl.semantic_model import ColumnRef
from askwell.sql.names import fold


class ProblemKind(StrEnum):
    """What is wrong with a name."""

    TABLE = "table"
    QUALIFIER = "qualifier"
    COLUMN = "column"
    AMBIGUOUS = "ambiguous"


@dataclass(frozen=True, slots=True)
class CatalogueTable:
    """A table one may read: its canonical name and its columns, folded name → canonical name (None: not known).

    `ordered`: the columns are in the table's own order, and there are no others.
    """

    name: str
    columns: Mapping[str, str] | None
    ordered: bool = True


class Catalogue(Protocol):
    """The tables there are; nothing else exists."""

    def table(self, name: str) -> CatalogueTable | None:
        """The table of that name, in any letter case."""
        ...

    def is_qualifier(self, prefix: str) -> bool:
        """Whether `schema` or `catalog.schema`, folded, may stand before a table."""
        ...


@dataclass(eq=False, slots=True)
class Source:
    """Something rows come from, under one name in one scope.

    `columns` maps folded to spelled names; None when they cannot be known. `complete` is False when there are more
    columns than those, under names that the engine makes up (`count(*)`). `table` is set for a table of the catalogue,
    `renamed` where an alias list gave its columns other names. `half` is the right side of a SEMI or ANTI join, which
    only its join condition sees. `origins` says, as far as the statement does, where a column's value comes from.
    """

    name: str
    columns: Mapping[str, str] | None
    complete: bool = True
    table: CatalogueTable | None = None
    node: exp.Expr | None = None
    half: bool = False
    renamed: bool = False
    origins: Mapping[str, Origin] = field(default_factory=dict)

    @property
    def alias(self) -> str:
        """The alias that the statement gives it, or nothing."""
        alias = self.node.args.get("alias") if self.node is not None else None
        return alias.name if isinstance(alias, exp.Expr) else ""

    def has(self, key: str) -> bool:
        """Whether a column of this folded name is known to be there."""
        return self.columns is not None and key in self.columns


# The expression that gives a value, or the source and the folded name of the column that it is taken from.
Origin = exp.Expr | tuple[Source, str]


@dataclass(eq=False, slots=True)
class Scope:
    """The sources of one SELECT, what its columns are called, and the scope around it.

    `merged` are the columns that USING makes one of two; with `natural`, all equally named ones are.
    """

    outer: Scope | None
    sources: dict[str, Source] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    merged: set[str] = field(default_factory=set)
    natural: bool = False

    def add(self, source: Source) -> None:
        """Add a source under its name; a second one of the same or of no name stays apart."""
        key = fold(source.name)
        while key in self.sources:
            key += "\0"
        self.sources[key] = source

    def visible(self) -> list[Source]:
        """The sources that the SELECT list sees."""
        return [source for source in self.sources.values() if not source.half]

    def owners(self, key: str, *, joining: bool) -> list[Source]:
        """The sources of this scope that have the column; in a join condition also half-visible ones."""
        owners = [source for source in self.sources.values() if source.has(key)]
        return owners if joining else [source for source in owners if not source.half] or owners


@dataclass(frozen=True, slots=True)
class NameProblem:
    """A name that belongs to nothing, or to too much.

    `name` is as written; for an unknown column `qualifier` is what stands before it, for an unknown qualifier what
    stands behind. `in_scope` are the sources it could have belonged to, innermost first; `candidates` those it was
    looked for in, or that all have it.
    """

    kind: ProblemKind
    name: str
    node: exp.Expr
    in_scope: tuple[Source, ...] = ()
    qualifier: str | None = None
    candidates: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class ColumnUse:
    """A column that is read. `part` is the node of the name itself, `name` its canonical spelling."""

    node: exp.Expr
    part: exp.Expr
    source: Source
    name: str


@dataclass(slots=True)
class Resolution:
    """All that one walk finds out.

    `columns`: what is read by name; `stars`: sources that are read whole; `rows`: names that mean a whole row, with the
    source; `tables`: references to tables of the
    catalogue; `cte_references`: references to CTEs, with the identifier that names the CTE; `qualifiers`: columns that
    say which source they belong to, and how many of their leading names say so; `text_literals`: SQLite's
    double-quoted texts.
    """

    problems: list[NameProblem] = field(default_factory=list)
    columns: list[ColumnUse] = field(default_factory=list)
    stars: list[Source] = field(default_factory=list)
    rows: list[tuple[exp.Expr, Source]] = field(default_factory=list)
    tables: list[tuple[exp.Expr, CatalogueTable]] = field(default_factory=list)
    cte_references: list[tuple[exp.Expr, exp.Expr]] = field(default_factory=list)
    qualifiers: list[tuple[exp.Expr, Source, int]] = field(default_factory=list)
    text_literals: list[exp.Expr] = field(default_factory=list)


def model_columns(resolution: Resolution) -> dict[int, ColumnRef]:
    """For the identity of each column's node the column of the model that it is, also through a subquery."""
    refs = {}
    for use in resolution.columns:
        if use.source.table is not None and not use.source.renamed:
            refs[id(use.node)] = ColumnRef(use.source.table.name, use.name)
        elif use.source.origins:
            origin = use.source.origins.get(fold(use.name))
            while isinstance(origin, tuple) and origin[0].table is None:
                origin = origin[0].origins.get(origin[1])
            if isinstance(origin, tuple) and origin[0].table is not None:
                spelled = (origin[0].table.columns or {}).get(origin[1])
                if spelled is not None:
                    refs[id(use.node)] = ColumnRef(origin[0].table.name, spelled)
    return refs


class Opaque(Enum):
    """Values whose fields are not listed."""

    SCALAR = "scalar"  # has no fields
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct, or a row. `fields` maps folded names to what they hold; None where they are not listed. `is_record`: it
    has no type of a name, so that PostgreSQL forgets the fields where something else is made of it."""

    fields: Mapping[str, Shape] | None
    is_record: bool = False


@dataclass(frozen=True, slots=True)
class Items:
    """An array or list."""

    item: Shape


Shape = Struct | Items | Opaque

_STRUCTS = frozenset({exp.DType.STRUCT, exp.DType.OBJECT})
_ARRAYS = frozenset({exp.DType.ARRAY, exp.DType.LIST})
# Types whose values may be anything inside, and types that the parser does not know.
_UNKNOWN = frozenset(
    exp.DType[name]
    for name in ["JSON", "JSONB", "MAP", "NESTED", "NULL", "SUPER", "UNION", "UNKNOWN", "USERDEFINED", "VARIANT"]
)


def shape_of_type(kind: exp.Expr | None) -> Shape:
    """The shape of a parsed type."""
    if not isinstance(kind, exp.DataType):
        return Opaque.UNKNOWN
    if kind.this in _STRUCTS:
        fields = {fold(part.name): shape_of_type(part.args.get("kind")) for part in kind.expressions if part.name}
        return Struct(fields or None)
    if kind.this in _ARRAYS:
        return Items(shape_of_type(kind.expressions[0]) if kind.expressions else Opaque.UNKNOWN)
    return Opaque.UNKNOWN if kind.this in _UNKNOWN else Opaque.SCALAR


@lru_cache(maxsize=1024)
def shape_of_type_name(name: str, dialect: str) -> Shape:
    """The shape of a type as a model writes it: `STRUCT(city VARCHAR)`, `ARRAY<STRUCT<x INT64>>`, `RECORD`, `DATE`."""
    if name.strip().upper() in ("RECORD", "ROW"):
        return Struct(None)
    try:
        return shape_of_type(exp.DataType.build(name, dialect=Dialect.get_or_raise(dialect)))
    except (SqlglotError, ValueError, RecursionError, AttributeError, TypeError, IndexError, KeyError):
        return Opaque.UNKNOWN


def shape_of_column(type_name: str, nested: Any, dialect: str) -> Shape:
    """The shape of a model's column: its type, or the property `nested_columns` (`{path: …}`, with dots between the
    levels), which says more where both are given."""
    paths = [str(path) for path in nested] if isinstance(nested, Mapping) else []
    if not paths:
        return shape_of_type_name(type_name, dialect)
    return _shape_of_paths([path.removeprefix("$.").split(".") for path in paths])


def _shape_of_paths(paths: list[list[str]]) -> Shape:
    below: dict[str, list[list[str]]] = {}
    for path in paths:
        below.setdefault(fold(path[0]), []).extend([path[1:]] if len(path) > 1 else [])
    return Struct({name: _shape_of_paths(rest) if rest else Opaque.UNKNOWN for name, rest in below.items()})
