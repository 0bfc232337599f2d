"""The rows of all that a statement selects from: what distinguishes them, and which values its joins repeat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from askwell.mdl.expressions import conjuncts
from askwell.mdl.semantic_model import Relationship, SemanticModel, Table
from askwell.sql.bound import BoundSql, ModelCatalogue, Names
from askwell.sql.fanout.aggregates import has_aggregate, value_columns
from askwell.sql.fanout.from_clause import FromClause
from askwell.sql.fanout.rows import (
    UNKNOWN_ROWS,
    Col,
    FunctionRows,
    Reach,
    Repetition,
    Rows,
    SavedRows,
    Source,
    TableRows,
    UnionRows,
    Way,
)
from askwell.sql.names import fold
from askwell.sql.scopes import Resolution, resolve

# What a SELECT list may hold that makes several rows of one.
_MULTIPLIERS = (exp.Unnest, exp.Explode, exp.GenerateSeries)


class SelectRows(Rows):
    """The rows of one SELECT."""

    def __init__(self, select: exp.Select, from_clause: FromClause, dialect: str) -> None:
        self.select = select
        self.from_clause = from_clause
        self.joined = from_clause.joined
        self._dialect = dialect
        self._outputs = self._read_outputs()
        depth = 1 + max((source.rows.depth for source in self.joined.sources), default=0)
        super().__init__(depth, list(self._outputs) if self._outputs is not None else None)
        self.grouping = self._read_grouping()
        self._told_apart: dict[frozenset[str], bool] = {}

    # What tells the rows apart

    def identified_by(self, columns: frozenset[str]) -> bool:
        if columns not in self._told_apart:
            self._told_apart[columns] = self._are_told_apart(columns)
        return self._told_apart[columns]

    def _are_told_apart(self, columns: frozenset[str]) -> bool:
        if self._outputs is None or self.joined.opaque or self._one_row():
            return True
        known = self._shown(columns)
        reach = self.joined.reach((), self._own_columns(known))
        if self._identity_settled(reach, known):
            return True
        return self._numbered_apart(reach, known)

    def _one_row(self) -> bool:
        limit = self.select.args.get("limit")
        count = (limit.args.get("count") or limit.expression) if limit is not None else None
        if isinstance(count, exp.Literal) and count.name == "1":
            return True
        if self.grouping is not None:
            return False
        parts = (*self.select.expressions, self.select.args.get("having"))
        return any(has_aggregate(part) for part in parts if part is not None)

    def _identity_settled(self, reach: Reach, known: Sequence[exp.Expr | Col]) -> bool:
        """Whether one row is left where `reach` holds and the outputs `known` have one value each."""
        identity = self._identity()
        if identity is None:
            return not self.joined.missing(reach) and not any(
                projection.find(*_MULTIPLIERS) for projection in self.select.expressions
            )
        texts = {node.sql() for node in known if isinstance(node, exp.Expr)}
        return all(self._settled(part, reach, texts) for part in identity)

    def _identity(self) -> list[exp.Expr | Col] | None:
        """What differs between any two rows, where that is not the rows of the sources."""
        distinct = self.select.args.get("distinct")
        if distinct is not None:
            on = distinct.args.get("on")
            if on is not None:
                return list(on.expressions) if isinstance(on, exp.Tuple) else [on]
            if self.grouping is None:
                return list((self._outputs or {}).values())
        return list(self.grouping) if self.grouping is not None else None

    def _settled(self, part: exp.Expr | Col, reach: Reach, texts: set[str]) -> bool:
        if isinstance(part, tuple):
            return reach.settles(part)
        if part.sql() in texts:
            return True
        columns = self.from_clause.columns(part)
        if not columns or has_aggregate(part) or part.find(exp.Window):
            return isinstance(part, exp.Literal)
        return all(reach.settles(column) for column in columns)

    def _numbered_apart(self, reach: Reach, known: Sequence[exp.Expr | Col]) -> bool:
        """ROW_NUMBER() has every number once in a partition."""
        numbers = [node for node in known if isinstance(node, exp.Expr)]
        numbers += [
            condition.this
            for condition in conjuncts(self.select.args.get("qualify"))
            if isinstance(condition, exp.EQ) and isinstance(condition.expression, exp.Literal)
        ]
        return any(
            isinstance(number, exp.Window)
            and isinstance(number.this, exp.RowNumber)
            and all(self._settled(part, reach, set()) for part in number.args.get("partition_by") or ())
            for number in map(self._meant, numbers)
        )

    # What is repeated

    def repeats(self, columns: frozenset[str], fixed: frozenset[str], *, sums: bool) -> Repetition | None:
        if self._outputs is None or self.joined.opaque or (self._identity() is not None and not sums):
            return None
        shown = self._shown(columns)
        if any(isinstance(node, exp.Expr) and has_aggregate(node) for node in shown):
            return None
        own = {column for node in shown for column in self._sources_of(node)}
        known = self._shown(fixed)
        return self.repetition(own, self._own_columns(known), known=known, sums=sums, of_result=True)

    def repetition(
        self,
        values: Iterable[Col],
        fixed: Iterable[Col],
        *,
        sums: bool,
        known: Sequence[exp.Expr | Col] = (),
        of_result: bool = False,
    ) -> Repetition | None:
        """How the join repeats the rows that `values` come from, among rows in which `fixed` are the same.

        With `of_result` it is asked of what the SELECT gives, after its DISTINCT and GROUP BY; `known` are then the
        expressions of it that are the same.
        """
        values, fixed = set(values), set(fixed)
        owners = {position for position, _ in values}
        if not owners or self.joined.opaque:
            return None
        reach = self.joined.reach(owners, fixed)
        if missing := self.joined.missing(reach):
            if of_result and self._identity() is not None and self._identity_settled(reach, known):
                return None
            ways = self._ways(owners, missing, fixed)
            first = self.joined.sources[min(owners)]
            key = f"{first.name}.{first.key}" if len(owners) == 1 and first.key else None
            return Repetition(" and ".join(self.joined.sources[owner].label for owner in sorted(owners)), ways, key)
        for owner in sorted(owners):
            source = self.joined.sources[owner]
            if source.rows.depth == 0:
                continue
            given = self.joined.reach(owners - {owner}, fixed)
            if owner in given.sources:
                continue
            columns = frozenset(name for position, name in values if position == owner)
            found = source.rows.repeats(columns, given.names_of(owner), sums=sums)
            if found is not None:
                ways = tuple(replace(way, inside=way.inside or source.name) for way in found.ways)
                return Repetition(found.table, ways)
        return None

    def _ways(self, owners: set[int], missing: Sequence[int], fixed: set[Col]) -> tuple[Way, ...]:
        """How sources that are `missing` repeat the rows of `owners`: each time the first that is joined to what is
        reached, until nothing is missing."""
        found: list[Way] = []
        known = set(owners)
        while missing:
            reached = self.joined.reach(known, fixed).sources
            tied = ((by, self.joined.conditions_between(by, reached, self._dialect)) for by in missing)
            by, conditions = next((one for one in tied if one[1]), (missing[0], ()))
            found.append(Way(self.joined.sources[by].label, conditions))
            known.add(by)
            missing = self.joined.missing(self.joined.reach(known, fixed))
        return tuple(found)

    # Outputs and groups

    def _read_outputs(self) -> dict[str, exp.Expr | Col] | None:
        """Every output with its folded name, or None where they are not known."""
        outputs: dict[str, exp.Expr | Col] = {}
        for number, projection in enumerate(self.select.expressions):
            inner = projection.this if isinstance(projection, exp.Column) else projection
            if isinstance(inner, exp.Star):
                stars = self._star(projection, inner)
                if stars is None:
                    return None
                for name, column in stars:
                    outputs.setdefault(name, column)
            else:
                name = fold(projection.alias_or_name) or f"\0{number}"
                outputs.setdefault(name, projection.unalias())
        return outputs

    def _star(self, projection: exp.Expr, star: exp.Expr) -> list[tuple[str, Col]] | None:
        if star.args.get("except_") or star.args.get("rename") or star.args.get("replace"):
            return None
        wanted = fold(projection.text("table")) if isinstance(projection, exp.Column) else None
        found: list[tuple[str, Col]] = []
        for position, source in enumerate(self.joined.sources):
            if wanted in (None, fold(source.name)):
                if source.rows.names is None:
                    return None
                found += [(name, (position, name)) for name in source.rows.names]
        return found

    def _read_grouping(self) -> list[exp.Expr] | None:
        """What the rows are grouped by; None without GROUP BY."""
        group = self.select.args.get("group")
        if group is None:
            return None
        if group.args.get("all"):
            projections = [projection.unalias() for projection in self.select.expressions]
            return [node for node in projections if not has_aggregate(node)]
        if self.totals:
            return list(group.find_all(exp.Column))
        return [self._meant(node) for node in group.expressions]

    @property
    def totals(self) -> bool:
        """Whether some rows stand for several groups: ROLLUP, CUBE, GROUPING SETS."""
        group = self.select.args.get("group")
        return group is not None and (
            any(group.args.get(key) for key in ("rollup", "cube", "grouping_sets", "totals"))
            or any(isinstance(node, exp.Rollup | exp.Cube | exp.GroupingSets) for node in group.expressions)
        )

    def _meant(self, node: exp.Expr) -> exp.Expr:
        """The projection that a number or an alias in GROUP BY and QUALIFY stands for."""
        if isinstance(node, exp.Literal) and node.name.isdigit() and not node.is_string:
            number = int(node.name)
            chosen = self.select.expressions[number - 1 : number]
            return chosen[0].unalias() if chosen else node
        if isinstance(node, exp.Column) and not node.table and self.from_clause.column(node) is None:
            for projection in self.select.expressions:
                if isinstance(projection, exp.Alias) and fold(projection.alias) == fold(node.name):
                    return projection.unalias()
        return node

    def fixed_by(self, parts: Iterable[exp.Expr]) -> set[Col]:
        """The columns that are the same in all rows with the same values of `parts`."""
        plain = (part for part in parts if isinstance(part, exp.Column))
        return {column for part in plain for column in self.from_clause.candidates(part)}

    def _shown(self, columns: frozenset[str]) -> list[exp.Expr | Col]:
        assert self._outputs is not None
        return [self._outputs[name] for name in columns if name in self._outputs]

    def _sources_of(self, shown: exp.Expr | Col) -> set[Col]:
        """The columns that the values of an output come from."""
        if isinstance(shown, tuple):
            return {shown}
        terms = value_columns(shown)
        return {found for term in terms for node in term if (found := self.from_clause.column(node)) is not None}

    def _own_columns(self, shown: Iterable[exp.Expr | Col]) -> set[Col]:
        found: set[Col] = set()
        for node in shown:
            if isinstance(node, tuple):
                found.add(node)
            else:
                found |= self.fixed_by([node])
        return found


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
            return UNKNOWN_ROWS
        key = id(node)
        if key in self._open:
            self._recursive.add(key)
            return UNKNOWN_ROWS
        if key not in self._queries:
            if len(self._open) + self._inside >= _DEEPEST:
                return UNKNOWN_ROWS
            self._open.add(key)
            rows = self._read_query(node)
            self._open.remove(key)
            known = rows.depth <= _DEEPEST and key not in self._recursive
            self._queries[key] = rows if known else UNKNOWN_ROWS
        return self._queries[key]

    def _read_query(self, node: exp.Expr) -> Rows:
        match node:
            case exp.Select():
                return SelectRows(node, FromClause(node, self.names, self._source), self.dialect)
            case exp.Union() if not node.args.get("by_name"):
                return self._union(node)
            case exp.Except() | exp.Intersect():
                left = self._query(node.this)
                if left is UNKNOWN_ROWS:
                    return left
                return UnionRows.of([left], distinct=bool(node.args.get("distinct")))
        return UNKNOWN_ROWS

    def _union(self, node: exp.Union) -> Rows:
        sides = list(_sides(node))
        rows = [self._query(side) for side in sides]
        if any(side is UNKNOWN_ROWS for side in rows):
            return UNKNOWN_ROWS
        distinct = bool(node.args.get("distinct"))
        return UnionRows.of(rows, distinct=distinct, labels=_labels(sides, list(rows[0].names or ())))

    # Sources

    def _source(self, node: exp.Expr) -> Source:
        alias = node.args.get("alias")
        given = alias.name if isinstance(alias, exp.Expr) else ""
        rows, name, key = self._rows_of(node)
        renames = alias is not None and alias.args.get("columns") and not isinstance(rows, FunctionRows)
        if renames or node.args.get("pivots") or node.args.get("sample"):
            rows, key = UNKNOWN_ROWS, None
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
                    return UNKNOWN_ROWS, node.name, None
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
        return UNKNOWN_ROWS if cte.args["alias"].args.get("columns") else self._query(cte.this)

    def _table(self, table: Table) -> Rows:
        if table.statement is not None:
            return self._view(table.statement)
        names = [fold(column.name) for column in table.columns]
        keys = [_folded(key) for key in (table.primary_key, *table.unique_keys) if key]
        many: list[frozenset[str]] = []
        for link in self._links:
            if link.left == table.name:
                (keys if link.cardinality.reversed().to_one else many).append(_folded([here for here, _ in link.pairs]))
            if link.right == table.name:
                (keys if link.cardinality.to_one else many).append(_folded([there for _, there in link.pairs]))
        return TableRows(names=names, keys=keys, many=many)

    @cached_property
    def _links(self) -> list[Relationship]:
        """The relationships of the tables that the statement reads: a model may have thousands."""
        read = self.names.tables
        return [link for link in self._model.relationships if link.left in read or link.right in read]

    def _view(self, text: str) -> Rows:
        """What tells the rows of a view, metric or cube apart; what is repeated inside is its author's business."""
        if self._inside >= _DEEPEST:
            return UNKNOWN_ROWS
        tree = _parsed(text, self.dialect)
        if tree is None:
            return UNKNOWN_ROWS
        resolution = resolve(tree, ModelCatalogue(self._model, self.dialect), self.dialect)
        inner = Statement(tree, resolution, self._model, self.dialect, inside=self._inside + 1)
        if not inner.names.known:
            return UNKNOWN_ROWS
        rows = inner._query(tree)
        return SavedRows(rows.depth + 1, rows.names, rows)


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
