"""Queries that are right by construction, over three small tables, in the SQL that all four databases share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from hypothesis import strategies as st

from tests.support.tables import case_table

Kind = Literal["int", "text"]

# id, then what may be null; few values, so that things are equal often.
TABLES: dict[str, dict[str, Kind]] = {
    "authors": {"id": "int", "name": "text", "born": "int"},
    "books": {"id": "int", "author_id": "int", "title": "text", "pages": "int"},
    "loans": {"id": "int", "book_id": "int", "reader": "text", "days": "int"},
}
LINKS = {("authors", "books"): ("id", "author_id"), ("books", "loans"): ("id", "book_id")}
SCRIPT = case_table(__file__, "script")

_INTS = ("0", "1", "3", "10", "-1", "1815")
_TEXTS = ("'Ada'", "'Bo'", "'x'", "'it''s'", "''")


@dataclass(frozen=True)
class Columns:
    """What a source of rows offers: `alias.column`, or a bare name, and its kind."""

    names: tuple[tuple[str, Kind], ...]

    def of(self, kind: Kind) -> list[str]:
        """Those of one kind."""
        return [name for name, own in self.names if own == kind]


@dataclass(frozen=True)
class Query:
    """A statement, and the names and kinds of what it gives."""

    sql: str
    columns: tuple[tuple[str, Kind], ...]


class _Writer:
    """Writes one statement; `draw` makes hypothesis choose, so that it can look for the shortest one that fails."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self._draw = draw
        self._names = 0

    def one(self, options: Sequence[Any]) -> Any:
        return self._draw(st.sampled_from(list(options)))

    def chance(self, of: int) -> bool:
        """Once in `of` times; never is the simplest."""
        return bool(self._draw(st.integers(0, of - 1)) == of - 1)

    def new(self, prefix: str) -> str:
        self._names += 1
        return f"{prefix}{self._names}"

    # Queries

    def query(self, depth: int, ctes: dict[str, Query], kinds: tuple[Kind, ...] | None = None) -> Query:
        """A SELECT, with CTEs or as a set operation now and then; of columns of these kinds, where they are given."""
        if depth and self.chance(4):
            return self._with(depth, ctes, kinds)
        query = self._select(depth, ctes, kinds)
        if depth and self.chance(5):
            other = self._select(depth - 1, ctes, tuple(kind for _, kind in query.columns))
            operator = self.one(["UNION ALL", "UNION", "INTERSECT", "EXCEPT"])
            return Query(f"{query.sql} {operator} {other.sql}", query.columns)
        return query

    def _with(self, depth: int, ctes: dict[str, Query], kinds: tuple[Kind, ...] | None) -> Query:
        # A CTE may have the name of a table, and hides it from then on.
        name = self.one([self.new("c"), *TABLES])
        inner = self.query(depth - 1, {key: cte for key, cte in ctes.items() if key != name})
        outer = self.query(depth - 1, ctes | {name: inner}, kinds)
        rest = f", {outer.sql.removeprefix('WITH ')}" if outer.sql.startswith("WITH ") else f" {outer.sql}"
        return Query(f"WITH {name} AS ({inner.sql}){rest}", outer.columns)

    def _select(self, depth: int, ctes: dict[str, Query], kinds: tuple[Kind, ...] | None) -> Query:
        source, columns = self._from(depth, ctes)
        where = f" WHERE {self.condition(columns, depth, ctes)}" if self.chance(2) else ""
        if kinds is None and self.chance(5):
            return self._grouped(source, where, columns, depth, ctes)
        wanted = kinds or tuple(self.one(["int", "text"]) for _ in range(self.one([1, 2, 3])))
        written = [(self.expression(kind, columns, depth, ctes), self.new("x"), kind) for kind in wanted]
        distinct = "DISTINCT " if self.chance(5) else ""
        items = ", ".join(f"{text} AS {name}" for text, name, _ in written)
        return Query(f"SELECT {distinct}{items} FROM {source}{where}", tuple((name, kind) for _, name, kind in written))

    def _grouped(self, source: str, where: str, columns: Columns, depth: int, ctes: dict[str, Query]) -> Query:
        kind = self.one(["int", "text"])
        key, name, total = self.column(kind, columns), self.new("x"), self.new("n")
        aggregate = self.aggregate(columns)
        having = f" HAVING {self.aggregate(columns)} > {self.one(_INTS)}" if self.chance(3) else ""
        sql = f"SELECT {key} AS {name}, {aggregate} AS {total} FROM {source}{where} GROUP BY {key}{having}"
        return Query(sql, ((name, kind), (total, "int")))

    # What is read

    def _from(self, depth: int, ctes: dict[str, Query]) -> tuple[str, Columns]:
        text, columns = self._source(depth, ctes)
        for _ in range(self.one([0, 0, 1, 1, 2]) if depth else 0):
            other, more = self._source(depth - 1, ctes)
            both = Columns(columns.names + more.names)
            if self.chance(6):
                text = f"{text} CROSS JOIN {other}"
            else:
                join = self.one(["JOIN", "LEFT JOIN"])
                on = f"{self.column('int', columns)} = {self.column('int', more)}"
                text = f"{text} {join} {other} ON {on}"
            columns = both
        return text, columns

    def _source(self, depth: int, ctes: dict[str, Query]) -> tuple[str, Columns]:
        # An alias may be another table's name.
        alias = self.one([self.new("t"), *([] if ctes or not self.chance(3) else [self.new("books_")])])
        if depth and self.chance(4):
            inner = self.query(depth - 1, ctes)
            return f"({inner.sql}) AS {alias}", _offered(alias, inner.columns)
        names = sorted({*TABLES, *ctes})
        name = self.one(names)
        found = ctes[name].columns if name in ctes else tuple(TABLES[name].items())
        return f"{name} AS {alias}", _offered(alias, found)

    # Values

    def column(self, kind: Kind, columns: Columns) -> str:
        """A column of that kind, or a constant where there is none."""
        return str(self.one(columns.of(kind) or (_INTS if kind == "int" else _TEXTS)))

    def aggregate(self, columns: Columns) -> str:
        number, text = self.column("int", columns), self.column("text", columns)
        return str(
            self.one(
                ["count(*)", f"count({number})", f"sum({number})", f"min({number})", f"max({number})",
                 f"count(DISTINCT {text})"]
            )
        )  # fmt: skip

    def expression(self, kind: Kind, columns: Columns, depth: int, ctes: dict[str, Query]) -> str:
        column = self.column(kind, columns)
        if not depth or not self.chance(2):
            return column
        other = self.column(kind, columns)
        if kind == "text":
            return str(
                self.one(
                    [f"upper({column})", f"coalesce({column}, 'none')", self.one(_TEXTS),
                     f"CASE WHEN {self.condition(columns, 0, ctes)} THEN {column} ELSE {other} END"]
                )
            )  # fmt: skip
        partition = f"PARTITION BY {self.column('text', columns)} " if self.chance(2) else ""
        return str(
            self.one(
                [f"{column} + {other}", f"{column} * 2", f"coalesce({column}, 0)", self.one(_INTS),
                 f"CASE WHEN {self.condition(columns, 0, ctes)} THEN {column} END",
                 f"rank() OVER ({partition}ORDER BY {column})", f"count(*) OVER ({partition}ORDER BY {column})",
                 f"(SELECT {self._single(columns, ctes)})"]
            )
        )  # fmt: skip

    def _single(self, columns: Columns, ctes: dict[str, Query]) -> str:
        """The rest of a subquery that gives one row, looking outwards."""
        text, inner = self._source(0, ctes)
        return f"{self.aggregate(inner)} FROM {text} WHERE {self.column('int', inner)} = {self.column('int', columns)}"

    def condition(self, columns: Columns, depth: int, ctes: dict[str, Query]) -> str:
        number, text = self.column("int", columns), self.column("text", columns)
        simple = [
            f"{number} {self.one(['=', '<', '>=', '<>'])} {self.one(_INTS)}",
            f"{text} = {self.one(_TEXTS)}",
            f"{text} IS NOT NULL",
            f"{number} IN ({self.one(_INTS)}, {self.one(_INTS)})",
            f"{number} BETWEEN 0 AND {self.one(_INTS)}",
            f"{text} LIKE '%{self.one('aBx')}%'",
        ]
        if not depth or not self.chance(3):
            return str(self.one(simple))
        source, inner = self._source(0, ctes)
        linked = f"{self.column('int', inner)} = {number}"
        return str(
            self.one(
                [
                    f"EXISTS (SELECT 1 FROM {source} WHERE {linked})",
                    f"NOT EXISTS (SELECT 1 FROM {source} WHERE {linked} AND {self.one(simple)})",
                    f"{number} IN ({self.query(depth - 1, ctes, ('int',)).sql})",
                    f"NOT ({self.one(simple)} OR {self.one(simple)})",
                ]
            )
        )


def _offered(alias: str, columns: Sequence[tuple[str, Kind]]) -> Columns:
    return Columns(tuple((f"{alias}.{name}", kind) for name, kind in columns))


@st.composite
def queries(draw: st.DrawFn) -> Query:
    """Statements of all sizes."""
    return _Writer(draw).query(draw(st.integers(0, 3)), {})
