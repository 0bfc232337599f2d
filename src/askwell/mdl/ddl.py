"""The text of a model for a prompt: CREATE statements with comments, since that is what language models read best."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.ddl_facts import WHOLE, Limits, as_json, column_facts, one_line, table_facts
from askwell.mdl.semantic_model import Cardinality, Column, ColumnRole, Relationship, SemanticModel, Table, TableKind

# Statements of views that are longer than this many times `Limits.characters` are left out.
_STATEMENT = 4

_SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = re.compile(
    r"all|and|any|as|asc|between|by|case|cast|check|column|constraint|create|cross|default|delete|desc|distinct|drop|else"
    r"|end|except|exists|false|for|foreign|from|full|grant|group|having|in|index|inner|insert|intersect|into|is|join|key"
    r"|left|like|limit|natural|not|null|offset|on|or|order|outer|primary|references|right|rows|select|set|table|then|to"
    r"|true|union|unique|update|user|using|values|view|when|where|window|with|current_(date|time|timestamp)",
    re.IGNORECASE,
)


def model_ddl(
    model: SemanticModel,
    tables: Iterable[str] | None = None,
    columns: Mapping[str, Collection[str]] | None = None,
) -> str:
    """The text of several tables (all of them by default), with the foreign keys among these tables.

    `columns` chooses the columns of the tables that it names; the others are shown whole.
    """
    chosen = list(model) if tables is None else _chosen(model, tables)
    names = {table.name for table in chosen}
    among = [link for link in model.relationships if {link.left, link.right} <= names]
    links: dict[str, list[Relationship]] = {name: [] for name in names}
    for link in among:
        for name in {link.left, link.right}:
            links[name].append(link)
    picked = columns or {}
    dialect = sql_dialect(model.data_source)
    return "\n\n".join(
        table_ddl(table, links[table.name], columns=picked.get(table.name), dialect=dialect) for table in chosen
    )


def _chosen(model: SemanticModel, names: Iterable[str]) -> list[Table]:
    found = (model.table(name) for name in names)
    return list({table.name: table for table in found if table is not None}.values())


def table_ddl(
    table: Table,
    relationships: Iterable[Relationship] = (),
    *,
    columns: Collection[str] | None = None,
    dialect: str = "duckdb",
) -> str:
    """The text of one table: only `columns`, in any letter case, where they are given; it says which were left out.

    Of `relationships`, those are shown as foreign keys that start at this table and whose columns are shown.
    """
    text = TableText(table, dialect)
    wanted = None if columns is None else {name.lower() for name in columns}
    shown = [column.name for column in table.columns if wanted is None or column.name.lower() in wanted]
    left_out = [column.name for column in table.columns if column.name not in set(shown)]
    keys = [text.foreign_key(link) for link in relationships if text.starts(link, shown)]
    return text.written(shown, keys, left_out=left_out, named=WHOLE.listed)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a CREATE statement: comments above it, its line, and a remark after its comma."""

    line: str
    comments: tuple[str, ...] = ()
    remark: str = ""

    @property
    def bare(self) -> Entry:
        """The entry without its comments."""
        return Entry(self.line)

    @property
    def size(self) -> int:
        """The characters it takes at most, the indentation and a comma included."""
        return sum(len(comment) + 3 for comment in self.comments) + len(self.line) + len(self.remark) + 4


class TableText:
    """The text of one table in pieces that whoever has only so much room can weigh and put together. No two columns
    differ by letter case alone."""

    def __init__(self, table: Table, dialect: str, limits: Limits = WHOLE) -> None:
        self.table = table
        self._dialect = dialect
        self._limits = limits

    @cached_property
    def heading(self) -> tuple[str, ...]:
        """The lines above the statement, which say what the table is."""
        return tuple(self._heading())

    @cached_property
    def hints(self) -> tuple[str, ...]:
        """The lines below the statement, with joins that are no relationships."""
        hints = self.table.properties.get("join_hints")
        told = [hint for hint in hints if isinstance(hint, str) and hint.strip()] if isinstance(hints, list) else []
        return tuple(f"-- Join hint: {hint}" for hint in self._limits.entries(told))

    @cached_property
    def columns(self) -> Mapping[str, Entry]:
        """The entry of each column."""
        return {column.name: self._column(column) for column in self.table.columns}

    def starts(self, link: Relationship, shown: Collection[str]) -> bool:
        """Whether the relationship is a foreign key of this table, all columns of which are among those shown. A link
        between equals is written down once, on its left."""
        outward = self._outward(link)
        starts_here = outward.left == self.table.name and outward.cardinality is not Cardinality.ONE_TO_MANY
        if not starts_here or (outward is not link and link.cardinality is not Cardinality.ONE_TO_MANY):
            return False
        return {here for here, _ in outward.pairs} <= set(shown)

    def foreign_key(self, link: Relationship) -> Entry:
        """The entry of a relationship that starts at this table."""
        outward = self._outward(link)
        here = self._names(here for here, _ in outward.pairs)
        there = self._names(there for _, there in outward.pairs)
        line = f"FOREIGN KEY ({here}) REFERENCES {self._name(outward.right)}({there})"
        return Entry(line, remark=f"  -- {outward.cardinality}{', inferred' if outward.inferred else ''}")

    def frame_size(self, *, bare: bool = False) -> int:
        """The characters that the table takes at most besides its columns and foreign keys, an empty line above it
        included; `bare` is without comments of its own and without a view's statement."""
        return len(self.written((), bare=bare)) + sum(entry.size for entry in self._key(self.table.primary_key)) + 2

    @cached_property
    def sizes(self) -> Mapping[str, tuple[int, int]]:
        """The characters that each column takes at most, without its comments and with them."""
        return {name: (entry.bare.size, entry.size) for name, entry in self.columns.items()}

    @cached_property
    def whole_size(self) -> int:
        """The characters that the table takes at most with all its columns, besides its foreign keys."""
        return self.frame_size() + sum(commented for _, commented in self.sizes.values())

    def written(
        self,
        shown: Collection[str],
        foreign_keys: Sequence[Entry] = (),
        *,
        bare: bool = False,
        without_comments: Collection[str] = (),
        left_out: Sequence[str] = (),
        named: int = 0,
    ) -> str:
        """The text with the columns `shown`, in the table's order, some of them without their comments. Of the columns
        that are `left_out`, the first ones are `named`."""
        columns = [
            entry.bare if name in without_comments else entry for name, entry in self.columns.items() if name in shown
        ]
        lines = [] if bare else [*self.heading]
        lines += self._statement([*columns, *self._key(shown), *foreign_keys], bare)
        if left_out:
            lines.append(left_out_line(left_out, named))
        return "\n".join(lines if bare else (*lines, *self.hints))

    def _heading(self) -> Iterator[str]:
        match self.table.kind:
            case TableKind.METRIC | TableKind.CUBE:
                kind = self.table.kind.value
                base = one_line(self.table.base or "")
                yield f"/* {kind} on {base}: one row for each combination of its dimensions */"
            case _:
                pass
        if facts := table_facts(self.table, self._limits):
            yield f"/* {as_json(facts)} */"

    def _statement(self, entries: Sequence[Entry], bare: bool) -> Iterator[str]:
        is_view = self.table.kind is TableKind.VIEW
        yield f"CREATE {'VIEW' if is_view else 'TABLE'} {self._name(self.table.name)} ("
        for position, entry in enumerate(entries):
            comma = "," if position < len(entries) - 1 else ""
            yield from (f"  {line}" for line in entry.comments)
            yield f"  {entry.line}{comma}{entry.remark}"
        statement = (self.table.statement or "").strip().rstrip(";")
        if not is_view or not statement or bare or len(statement) > _STATEMENT * self._limits.characters:
            yield ");"
        else:
            yield from (") AS", f"{statement};")

    def _column(self, column: Column) -> Entry:
        comments = []
        expression = self._limits.text(column.expression or "")
        match column.role:
            case ColumnRole.CALCULATED:
                comments.append(f"-- Calculated Field: {expression}" if expression else "-- Calculated Field")
            case ColumnRole.DIMENSION:
                comments.append(f"-- Dimension: {expression}" if expression else "-- Dimension")
            case ColumnRole.MEASURE:
                comments.append(f"-- Measure: {expression}" if expression else "-- Measure")
            case ColumnRole.PLAIN:
                pass
        facts = column_facts(column, self._limits)
        mark = "[ESSENTIAL] " if column.essential else ""  # prompts tell models to take such columns first
        if mark or facts:
            comments.append(f"-- {mark}{as_json(facts) if facts else ''}".rstrip())
        key = " PRIMARY KEY" if self.table.primary_key == (column.name,) else ""
        return Entry(f"{self._name(column.name)} {self._limits.text(column.type)}".rstrip() + key, tuple(comments))

    def _key(self, shown: Collection[str]) -> Iterator[Entry]:
        key = self.table.primary_key
        if len(key) > 1 and set(key) <= set(shown):
            yield Entry(f"PRIMARY KEY ({self._names(key)})")

    def _outward(self, link: Relationship) -> Relationship:
        """The relationship as read from this table, where it can be."""
        if link.left != self.table.name or (link.cardinality is Cardinality.ONE_TO_MANY and link.left != link.right):
            return _reversed(link)
        return link

    def _names(self, names: Iterable[str]) -> str:
        return ", ".join(map(self._name, names))

    def _name(self, name: str) -> str:
        return written_name(name, self._dialect)


def left_out_line(names: Sequence[str], named: int) -> str:
    """A comment on the columns that are not shown, with the first names of them."""
    if not named:
        return f"-- Columns left out here: {len(names)}"
    more = f" and {len(names) - named} more" if len(names) > named else ""
    return f"-- Columns left out here: {', '.join(map(one_line, names[:named]))}{more}"


def written_name(name: str, dialect: str) -> str:
    """The name as it has to be written in SQL: quoted in the dialect's way where it would not be understood bare."""
    bare = _SIMPLE.fullmatch(name) is not None and _RESERVED.fullmatch(name) is None
    if dialect in ("postgres", "redshift"):
        bare = bare and name == name.lower()
    if dialect in ("snowflake", "oracle"):
        bare = bare and name == name.upper()
    return name if bare else exp.to_identifier(one_line(name), quoted=True).sql(dialect=dialect)


def _reversed(link: Relationship) -> Relationship:
    return Relationship(
        name=link.name,
        left=link.right,
        right=link.left,
        cardinality=link.cardinality.reversed(),
        pairs=tuple((there, here) for here, there in link.pairs),
        inferred=link.inferred,
    )
