"""The rows of everything that a statement selects from, each worked out once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from askwell.mdl.semantic_model import Cardinality, Relationship, SemanticModel, Table
from askwell.sql.bound import BoundSql, ModelCatalogue
from askwell.sql.fanout.from_clause import FromClause, Names
from askwell.sql.fanout.rows import (
    FunctionRows,
    RenamedRows,
    Rows,
    Source,
    TableRows,
    UnionRows,
    UnknownRows,
    ValuesRows,
)
from askwell.sql.fanout.select_rows import SelectRows
from askwell.sql.names import fold
from askwell.sql.scopes import Resolution, resolve

# Queries inside queries beyond this depth are not looked into: every level costs stack.
_DEEPEST = 24
_VIEWS_KEPT = 128


class Statement:
    """The queries of one bound statement over `model`, and what its names mean. Nobody may change `tree` meanwhile."""

    def __init__(
        self, tree: exp.Expr, resolution: Resolution, model: SemanticModel, dialect: str, *, inside: int = 0
    ) -> None:
        self.tree, self.dialect = tree, dialect
        self._resolution, self._model = resolution, model
        self._inside = inside
        self._queries: dict[int, Rows] = {}
        # The queries that are being worked out, and those that turned out to read themselves: recursive CTEs.
        self._open: set[int] = set()
        self._recursive: set[int] = set()

    @classmethod
    def of(cls, bound: BoundSql, model: SemanticModel) -> Statement:
        """A bound statement."""
        return cls(bound.tree, bound.resolution, model, bound.dialect)

    @cached_property
    def names(self) -> Names:
        """What its names mean."""
        return Names(self._resolution, self._model)

    def select(self, node: exp.Select) -> SelectRows | None:
        """The rows of one SELECT of the statement, or None where they are too involved to be worked out."""
        rows = self._query(node)
        return rows if isinstance(rows, SelectRows) else None

    # Queries

    def _query(self, node: exp.Expr | None) -> Rows:
        while isinstance(node, exp.Subquery | exp.Paren) and not _owns_rows(node):
            node = node.this
        if node is None:
            return UnknownRows()
        key = id(node)
        if key in self._open:
            self._recursive.add(key)
            return UnknownRows()
        if key not in self._queries:
            if len(self._open) + self._inside >= _DEEPEST:
                return UnknownRows()
            self._open.add(key)
            rows = self._read_query(node)
            self._open.remove(key)
            known = rows.depth <= _DEEPEST and key not in self._recursive
            self._queries[key] = rows if known else UnknownRows()
        return self._queries[key]

    def _read_query(self, node: exp.Expr) -> Rows:
        match node:
            case exp.Select():
                return SelectRows(node, FromClause(node, self.names, self._source), self.dialect)
            case exp.Union() if not node.args.get("by_name"):
                return self._union(node)
            case exp.Except() | exp.Intersect():
                left = self._query(node.this)
                if isinstance(left, UnknownRows):
                    return left
                return UnionRows([left], distinct=bool(node.args.get("distinct")), labels=frozenset())
            case exp.Values():
                return ValuesRows(node, [f"col{number}" for number in range(len(_row_of(node)))])
        return UnknownRows()

    def _union(self, node: exp.Union) -> Rows:
        sides = list(_sides(node))
        rows = [self._query(side) for side in sides]
        if any(isinstance(side, UnknownRows) for side in rows):
            return UnknownRows()
        distinct = bool(node.args.get("distinct"))
        return UnionRows(rows, distinct=distinct, labels=_labels(sides, list(rows[0].names or ())))

    # Sources

    def _source(self, node: exp.Expr) -> Source:
        alias = node.args.get("alias")
        given = alias.name if isinstance(alias, exp.Expr) else ""
        renames = [fold(column.name) for column in alias.args.get("columns") or ()] if alias is not None else []
        rows, name, key = self._rows_of(node)
        if node.args.get("pivots") or node.args.get("sample"):
            rows = UnknownRows()
        elif renames and rows.names is not None:
            rows, key = RenamedRows(rows, renames), None
        label = f"{name} ({given})" if name and given and fold(given) != fold(name) else name or given
        return Source(given or name, label or self._text(node), rows, key=key)

    def _rows_of(self, node: exp.Expr) -> tuple[Rows, str, str | None]:
        """A source's rows, its own name, and its only key column."""
        match node:
            case exp.Table() if isinstance(node.this, exp.Identifier):
                cte = self.names.cte(node)
                if cte is not None:
                    return self._cte(cte), node.name, None
                table = self.names.table(node)
                if table is None:
                    return UnknownRows(), node.name, None
                key = table.primary_key[0] if len(table.primary_key) == 1 else None
                return self._table(table), table.name, key
            case exp.Subquery() | exp.Values():
                return self._query(node), "", None
            case exp.Lateral() if isinstance(node.this, exp.Subquery):
                return self._query(node.this), "", None
        return FunctionRows(), self._text(node), None

    def _text(self, node: exp.Expr) -> str:
        bare = node.copy()
        bare.set("alias", None)
        return bare.sql(dialect=self.dialect, comments=False)

    def _cte(self, cte: exp.Expr) -> Rows:
        rows = self._query(cte.this)
        renames = [fold(column.name) for column in cte.args["alias"].args.get("columns") or ()]
        return RenamedRows(rows, renames) if renames and rows.names is not None else rows

    def _table(self, table: Table) -> Rows:
        if table.statement is not None:
            return self._view(table.statement)
        names = [fold(column.name) for column in table.columns]
        keys = [_folded(key) for key in (table.primary_key, *table.unique_keys) if key]
        many: list[frozenset[str]] = []
        for link in self._links:
            one_left = link.cardinality in (Cardinality.ONE_TO_ONE, Cardinality.ONE_TO_MANY)
            one_right = link.cardinality in (Cardinality.ONE_TO_ONE, Cardinality.MANY_TO_ONE)
            if link.left == table.name:
                (keys if one_left else many).append(_folded([here for here, _ in link.pairs]))
            if link.right == table.name:
                (keys if one_right else many).append(_folded([there for _, there in link.pairs]))
        return TableRows(names, keys, many)

    @cached_property
    def _links(self) -> list[Relationship]:
        """The relationships of the tables that the statement reads: a model may have thousands."""
        read = self.names.tables
        return [link for link in self._model.relationships if link.left in read or link.right in read]

    def _view(self, text: str) -> Rows:
        """What tells the rows of a view, metric or cube apart; what is repeated inside is its author's business."""
        if self._inside >= _DEEPEST:
            return UnknownRows()
        tree = _parsed(text, self.dialect)
        if tree is None:
            return UnknownRows()
        resolution = resolve(tree, ModelCatalogue(self._model, self.dialect), self.dialect)
        inner = Statement(tree, resolution, self._model, self.dialect, inside=self._inside + 1)
        return _Saved(inner._query(tree)) if inner.names.known else UnknownRows()


class _Saved:
    """The rows of a view: told apart as its statement says, and taken as they are."""

    def __init__(self, rows: Rows) -> None:
        self.depth = rows.depth + 1
        self.names = rows.names
        self._rows = rows

    def told_apart_by(self, columns: frozenset[str]) -> bool:
        return self._rows.told_apart_by(columns)

    def repeats(self, columns: frozenset[str], fixed: frozenset[str], *, sums: bool) -> None:
        return None


@lru_cache(maxsize=_VIEWS_KEPT)
def _parsed(text: str, dialect: str) -> exp.Expr | None:
    """The statement of a view. Everyone gets the same tree, so nobody may change it."""
    try:
        return sqlglot.parse_one(text, dialect=dialect)
    except SqlglotError:
        return None


def _folded(names: tuple[str, ...] | list[str]) -> frozenset[str]:
    return frozenset(map(fold, names))


def _owns_rows(node: exp.Expr) -> bool:
    """Whether parentheses hold more than a query: a limit, joins, pivots or a WITH of their own."""
    return any(node.args.get(key) for key in ("limit", "joins", "pivots", "offset"))


def _row_of(values: exp.Expr) -> list[exp.Expr]:
    first = values.expressions[0]
    return first.expressions if isinstance(first, exp.Tuple) else [first]


def _sides(node: exp.Expr) -> Iterator[exp.Expr]:
    """The parts of a chain of UNIONs of one kind, left to right."""
    rights: list[exp.Expr] = []
    left: exp.Expr = node
    while isinstance(left, exp.Union) and bool(left.args.get("distinct")) == bool(node.args.get("distinct")):
        rights.append(left.expression)
        left = left.this
    yield left
    yield from reversed(rights)


def _labels(sides: list[exp.Expr], names: list[str]) -> frozenset[str]:
    """The columns that hold another constant in every part of a union."""
    selects = [side.unnest() if isinstance(side, exp.Subquery) else side for side in sides]
    if not all(isinstance(select, exp.Select) for select in selects):
        return frozenset()
    found = []
    for position, name in enumerate(names):
        column = [select.expressions[position : position + 1] for select in selects]
        values = [cell[0].unalias() for cell in column if cell]
        if len(values) == len(selects) and all(isinstance(value, exp.Literal) for value in values):
            if len({value.sql() for value in values}) == len(values):
                found.append(name)
    return frozenset(found)
