"""The text of a model for a prompt: CREATE statements with comments at the ends of lines, since that is what language
models read best, or a line for each table."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from sqlglot import exp

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.prompt_facts import WHOLE, Limits, column_comment, one_line, table_comment, table_summary
from askwell.mdl.semantic_model import Cardinality, Column, Relationship, SemanticModel, Table, TableKind
from askwell.resources import words_of

# Statements of views that are longer than this many times `Limits.characters` are left out.
_STATEMENT = 4
# Columns that a table's one line names.
LINE_COLUMNS = 30

_SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


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
    """One entry of a CREATE statement: its line, and a comment at the line's end."""

    line: str
    comment: str = ""

    @property
    def bare(self) -> Entry:
        """The entry without its comment."""
        return Entry(self.line)

    @property
    def size(self) -> int:
        """The characters it takes at most, the indentation and a comma included."""
        return len(self.written(","))

    def written(self, comma: str) -> str:
        """The line in a statement, with its end."""
        return f"  {self.line}{comma}{_remark(self.comment)}\n"


class TableText:
    """The text of one table in pieces that whoever has only so much room can weigh and put together. No two columns
    differ by letter case alone. `sampled` are values that its columns were seen to hold, `labels` the columns by which
    people know its rows. Those of the `links` that start here stand with their columns."""

    def __init__(
        self,
        table: Table,
        dialect: str,
        limits: Limits = WHOLE,
        sampled: Mapping[str, Sequence[str]] = MappingProxyType({}),
        *,
        links: Sequence[Relationship] = (),
        labels: Sequence[str] = (),
    ) -> None:
        self.table = table
        self._dialect = dialect
        self._limits = limits
        self._sampled = sampled
        self._labels = labels
        self._references: dict[str, str] = {}
        self._keys: list[Relationship] = []
        every = [column.name for column in table.columns]
        for link in links:
            if not self.starts(link, every) or link.cardinality is Cardinality.MANY_TO_MANY:
                continue
            ((here, there), *more), target = self._outward(link).pairs, self._outward(link).right
            if more:
                self._keys.append(link)
            else:
                self._references.setdefault(here, f" REFERENCES {self._name(target)}({self._name(there)})")

    @cached_property
    def comment(self) -> str:
        """What the table is, and by which columns its rows are known."""
        named = f"rows named by {self._names(self._labels)}" if self._labels else ""
        return "; ".join(filter(None, [table_comment(self.table, self._limits), named]))

    @cached_property
    def hints(self) -> tuple[str, ...]:
        """The lines below the statement, with joins that are no relationships."""
        hints = self.table.properties.get("join_hints")
        texts = [hint for hint in hints if isinstance(hint, str) and hint.strip()] if isinstance(hints, list) else []
        return tuple(f"-- Join hint: {hint}" for hint in self._limits.entries(texts))

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
        usual = outward.cardinality is Cardinality.MANY_TO_ONE
        facts = ["" if usual else outward.cardinality.value, "inferred" if outward.inferred else ""]
        return Entry(line, ", ".join(filter(None, facts)))

    def frame_size(self, *, bare: bool = False) -> int:
        """The characters that the table takes at most besides its columns and foreign keys, an empty line above it
        included; `bare` is without comments of its own and without a view's statement."""
        keys = (*self._key(self.table.primary_key), *map(self.foreign_key, self._keys))
        return len(self.written((), bare=bare)) + sum(entry.size for entry in keys) + 2

    @cached_property
    def sizes(self) -> Mapping[str, tuple[int, int]]:
        """The characters that each column takes at most, without its comments and with them."""
        return {name: (entry.bare.size, entry.size) for name, entry in self.columns.items()}

    @cached_property
    def whole(self) -> str:
        """The text with all columns."""
        return self.written(self.columns)

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
        own = (self.foreign_key(link) for link in self._keys if self.starts(link, shown))
        lines = [*self._statement([*columns, *self._key(shown), *own, *foreign_keys], bare)]
        if left_out:
            lines.append(left_out_line(left_out, named))
        return "\n".join(lines if bare else (*lines, *self.hints))

    def _statement(self, entries: Sequence[Entry], bare: bool) -> Iterator[str]:
        comment = "" if bare else _remark(self.comment)
        yield f"CREATE {'VIEW' if is_view(self.table) else 'TABLE'} {self._name(self.table.name)} ({comment}"
        for position, entry in enumerate(entries):
            yield entry.written("," if position < len(entries) - 1 else "").rstrip("\n")
        statement = (self.table.statement or "").strip().rstrip(";")
        if (
            self.table.kind is not TableKind.VIEW
            or not statement
            or bare
            or len(statement) > _STATEMENT * self._limits.characters
        ):
            yield ");"
        else:
            yield from (") AS", f"{statement};")

    def _column(self, column: Column) -> Entry:
        key = " PRIMARY KEY" if self.table.primary_key == (column.name,) else ""
        line = f"{self._name(column.name)} {self._limits.text(column.type)}".rstrip() + key
        line += self._references.get(column.name, "")
        return Entry(line, column_comment(column, self._limits, self._sampled.get(column.name, ())))

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


def is_view(table: Table) -> bool:
    """Whether the table is a view: of the model, or one of the database, which imported models tell."""
    return table.kind is TableKind.VIEW or table.properties.get("is_view") is True


def table_line(table: Table, dialect: str, most: int = LINE_COLUMNS) -> tuple[str, tuple[str, ...]]:
    """A table on one line, `name(columns) -- what it is`, and the columns that the line names: all of a table with at
    `most` so many, else its key and essential ones, then the first."""
    names = [column.name for column in table.columns]
    if len(names) > most:
        needed = set(table.primary_key) | {column.name for column in table.columns if column.essential}
        chosen = set(sorted(names, key=lambda name: name not in needed)[:most])
        names = [name for name in names if name in chosen]
    written = [written_name(name, dialect) for name in names]
    if len(table.columns) > len(names):
        written.append(f"… {len(table.columns) - len(names)} more")
    if not most:
        return written_name(table.name, dialect), ()
    return f"{written_name(table.name, dialect)}({', '.join(written)}){_remark(table_summary(table))}", tuple(names)


def _remark(comment: str) -> str:
    return f" -- {comment}" if comment else ""


def left_out_line(names: Sequence[str], named: int) -> str:
    """A comment on the columns that are not shown, with the first names of them."""
    if not named:
        return f"-- Columns left out here: {len(names)}"
    more = f" and {len(names) - named} more" if len(names) > named else ""
    return f"-- Columns left out here: {', '.join(map(one_line, names[:named]))}{more}"


def written_name(name: str, dialect: str) -> str:
    """The name as it has to be written in SQL: quoted in the dialect's way where it would not be understood bare."""
    bare = _SIMPLE.fullmatch(name) is not None and name.lower() not in words_of("askwell.mdl", "words.yaml", "reserved")
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
