"""Which table each name of a statement belongs to.

One walk over the query's scopes, as SQL engines do it: CTEs, derived tables, correlated and lateral subqueries, USING,
set operations, pivots, aliases in ORDER BY and GROUP BY. It needs no database and looks up only the tables that the
statement names, so its cost does not grow with the model. Where engines differ it is lenient: what it reports as a
problem no engine would accept, given exactly these tables.

The guard uses it to refuse columns that are not there, the binder to explain them and to put canonical names in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from sqlglot import exp

from askwell.sql.names import fold
from askwell.sql.table_functions import TABLE_FUNCTIONS


class ProblemKind(StrEnum):
    """What is wrong with a name."""

    TABLE = "table"
    QUALIFIER = "qualifier"
    COLUMN = "column"
    AMBIGUOUS = "ambiguous"


@dataclass(frozen=True, slots=True)
class CatalogueTable:
    """A table one may read: its canonical name and its columns, folded name → canonical name (None: not known)."""

    name: str
    columns: Mapping[str, str] | None


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
    columns than those, under names that the engine makes up (`count(*)`). `table` is set for a table of the catalogue;
    `origins` maps its columns where an alias list gave them new names.
    """

    name: str
    columns: Mapping[str, str] | None
    complete: bool = True
    table: CatalogueTable | None = None
    node: exp.Expr | None = None
    half: bool = False  # the right side of a SEMI or ANTI join: only its join condition sees it
    renamed: bool = False


@dataclass(eq=False, slots=True)
class Scope:
    """The sources of one SELECT, what its columns are called, and the scope around it."""

    outer: Scope | None
    sources: dict[str, Source] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    merged: set[str] = field(default_factory=set)
    natural: bool = False


@dataclass(frozen=True, slots=True)
class NameProblem:
    """A name that belongs to nothing, or to too much. `name` is as written, `scope` where it stands."""

    kind: ProblemKind
    name: str
    node: exp.Expr
    scope: Scope | None = None
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

    `columns`: what is read by name; `stars`: sources that are read whole; `tables`: references to tables of the
    catalogue; `cte_references`: references to CTEs, with the identifier that names the CTE; `qualifiers`: columns that
    say which source they belong to, and how many of their leading names say so; `text_literals`: SQLite's
    double-quoted texts.
    """

    problems: list[NameProblem] = field(default_factory=list)
    columns: list[ColumnUse] = field(default_factory=list)
    stars: list[Source] = field(default_factory=list)
    tables: list[tuple[exp.Expr, CatalogueTable]] = field(default_factory=list)
    cte_references: list[tuple[exp.Expr, exp.Expr]] = field(default_factory=list)
    qualifiers: list[tuple[exp.Expr, Source, int]] = field(default_factory=list)
    text_literals: list[exp.Expr] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Output:
    """The columns of a query's result. `columns` None: not known. `complete` as for `Source`."""

    columns: dict[str, str] | None
    complete: bool = True


@dataclass(frozen=True, slots=True)
class _Cte:
    identifier: exp.Expr
    output: _Output


_Ctes = Mapping[str, _Cte]
_OPEN = _Output(None, False)
# A CTE of these dialects may refer to itself without the word RECURSIVE.
_RECURSIVE_ANYWAY = frozenset({"sqlite", "tsql"})
_WHOLE_ROW = frozenset({"duckdb", "postgres", "bigquery", "snowflake", "trino"})
_IMPLICIT_LATERAL = frozenset({"duckdb"})
# Functions that stand for a constant and are written without parentheses, where the parser sees a column.
_BARE = frozenset(
    {"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "sysdate", "all", "default"}
)


def resolve(tree: exp.Expr, catalogue: Catalogue, dialect: str) -> Resolution:
    """Resolve every table and column name of `tree`. The tree is not changed."""
    walk = _Walk(catalogue, dialect)
    walk.query(tree, {}, None)
    return walk.result


class _Walk:
    def __init__(self, catalogue: Catalogue, dialect: str) -> None:
        self.catalogue = catalogue
        self.dialect = dialect
        self.result = Resolution()
        # SQLite lets a join condition refer to tables that are joined after it.
        self.late_conditions = dialect == "sqlite"
        # The part of a UNION in which its own CTE's name means the CTE; before it, engines read the table of that name.
        self.recursive: dict[int, tuple[str, _Cte]] = {}
        self.table_functions = TABLE_FUNCTIONS.get(dialect, {})

    # Queries

    def query(self, node: exp.Expr | None, ctes: _Ctes, outer: Scope | None) -> _Output:
        """Resolve a query in the scope `outer`; what it gives back are the columns of its result."""
        match node:
            case exp.Select():
                return self._select(node, self._with(node, ctes, outer), outer)
            case exp.SetOperation():
                return self._set_operation(node, self._with(node, ctes, outer), outer)
            case exp.Subquery():
                return self._parenthesised(node, self._with(node, ctes, outer), outer)
            case exp.Pivot():
                return self._pivot_statement(node, self._with(node, ctes, outer), outer)
            case exp.Values():
                for row in node.expressions:
                    self._expression(row, Scope(outer), ctes)
                return self._values_output(node)
            case exp.Table():
                scope = Scope(outer)
                self._source(node, scope, ctes)
                return self._star_output(scope.sources.values())
            case exp.Paren():
                return self.query(node.this, ctes, outer)
        return _OPEN

    def _with(self, node: exp.Expr, ctes: _Ctes, outer: Scope | None) -> _Ctes:
        with_ = node.args.get("with_")
        if with_ is None:
            return ctes
        known = dict(ctes)
        for cte in with_.expressions:
            alias = cte.args.get("alias")
            identifier = alias.this if alias is not None else None
            if not isinstance(identifier, exp.Identifier):
                continue
            names = [c.name for c in alias.args.get("columns") or ()]
            key, body = fold(identifier.name), cte.this
            if isinstance(body, exp.Union) and (with_.args.get("recursive") or self.dialect in _RECURSIVE_ANYWAY):
                # A recursive reference has the columns of the part that does not refer to itself.
                anchor = _renamed(self._anchor_output(body, known, outer), names)
                for right in _recursive_parts(body, self.dialect):
                    self.recursive[id(right)] = (key, _Cte(identifier, anchor))
            known[key] = _Cte(identifier, _renamed(self.query(body, known, outer), names))
        return known

    def _anchor_output(self, body: exp.Expr, ctes: _Ctes, outer: Scope | None) -> _Output:
        anchor = body
        while isinstance(anchor, exp.SetOperation | exp.Subquery):
            anchor = anchor.this
        silent = _Walk(self.catalogue, self.dialect)
        return silent.query(anchor, ctes, outer)

    def _select(self, node: exp.Expr, ctes: _Ctes, outer: Scope | None) -> _Output:
        scope = Scope(outer)
        from_ = node.args.get("from_")
        if from_ is not None:
            self._source(from_.this, scope, ctes)
        self._joins(node, scope, ctes)
        for lateral in node.args.get("laterals") or ():
            self._source(lateral, scope, ctes)
        for projection in node.expressions:
            if isinstance(projection, exp.Alias):
                scope.aliases.setdefault(fold(projection.alias), projection.alias)
        for pivot in node.args.get("pivots") or ():
            self._pivot(pivot, scope, ctes)
        for key, value in node.args.items():
            if key in ("with_", "from_", "joins", "laterals", "pivots") or not value:
                continue
            for part in value if isinstance(value, list) else (value,):
                if isinstance(part, exp.Expr):
                    self._expression(part, scope, ctes, aliases_first=key in ("order", "distinct", "group"))
        return self._projections(node.expressions, scope)

    def _set_operation(self, node: exp.Expr, ctes: _Ctes, outer: Scope | None) -> _Output:
        # A chain of thousands of UNIONs is a deep tree on its left: walk down without recursion.
        rights: list[exp.Expr] = []
        left: exp.Expr = node
        while isinstance(left, exp.SetOperation) and (left is node or not _owns_clauses(left)):
            rights.append(left.expression)
            left = left.this
        output = self.query(left, ctes, outer)
        sides = [output, *(self.query(right, self._with_itself(right, ctes), outer) for right in reversed(rights))]
        merged: dict[str, str] = {}
        for side in sides:
            for key, name in (side.columns or {}).items():
                merged.setdefault(key, name)
        complete = all(side.complete and side.columns is not None for side in sides)
        self._result_clauses(node, _Output(merged, complete), ctes, outer)
        if output.columns is None:
            return output
        # Names come from the left; BY NAME adds those of the right.
        return _Output(merged, complete) if node.args.get("by_name") else output

    def _with_itself(self, right: exp.Expr, ctes: _Ctes) -> _Ctes:
        own = self.recursive.get(id(right))
        return {**ctes, own[0]: own[1]} if own is not None else ctes

    def _parenthesised(self, node: exp.Expr, ctes: _Ctes, outer: Scope | None) -> _Output:
        if node.args.get("joins") or isinstance(node.this, exp.Table):
            scope = Scope(outer)
            self._source(node, scope, ctes)
            return self._star_output(scope.sources.values())
        output = self.query(node.this, ctes, outer)
        self._result_clauses(node, output, ctes, outer)
        return _OPEN if node.args.get("pivots") else output

    def _result_clauses(self, node: exp.Expr, output: _Output, ctes: _Ctes, outer: Scope | None) -> None:
        """ORDER BY, LIMIT and the like that stand after a set operation or parentheses see its result's columns."""
        scope = Scope(outer)
        scope.sources[""] = Source("", output.columns, output.complete)
        for key in ("where", "order", "limit", "offset"):
            clause = node.args.get(key)
            if isinstance(clause, exp.Expr):
                self._expression(clause, scope, ctes, aliases_first=True)

    def _pivot_statement(self, node: exp.Expr, ctes: _Ctes, outer: Scope | None) -> _Output:
        scope = Scope(outer)
        self._source(node.this, scope, ctes)
        self._pivot(node, scope, ctes)
        return _OPEN

    # Sources

    def _joins(self, node: exp.Expr, scope: Scope, ctes: _Ctes) -> None:
        joins = node.args.get("joins") or ()
        for join in joins:
            self._join(join, scope, ctes)
        if self.late_conditions:
            for join in joins:
                self._conditions(join, scope, ctes)

    def _join(self, join: exp.Expr, scope: Scope, ctes: _Ctes) -> None:
        before = dict(scope.sources)
        self._source(join.this, scope, ctes)
        added = [source for key, source in scope.sources.items() if key not in before]
        if (join.args.get("kind") or "").upper() in ("SEMI", "ANTI") or join.text("side").upper() in ("SEMI", "ANTI"):
            for source in added:
                source.half = True
        if (join.args.get("method") or "").upper() == "NATURAL":
            scope.natural = True
        for using in join.args.get("using") or ():
            identifier = using.this if isinstance(using, exp.Column) else using
            self._using(identifier, before.values(), added, scope)
        if not self.late_conditions:
            self._conditions(join, scope, ctes)
        for pivot in join.args.get("pivots") or ():
            self._pivot(pivot, scope, ctes)

    def _conditions(self, join: exp.Expr, scope: Scope, ctes: _Ctes) -> None:
        for key in ("on", "match_condition"):
            self._expression(join.args.get(key), scope, ctes, joining=True)

    def _using(self, identifier: exp.Expr, left: Iterable[Source], right: Iterable[Source], scope: Scope) -> None:
        key = fold(identifier.name)
        for side in (list(left), list(right)):
            owners = [source for source in side if source.columns is not None and key in source.columns]
            if not owners and all(source.columns is not None and source.complete for source in side):
                self._problem(ProblemKind.COLUMN, identifier.name, identifier, scope)
            for source in owners:
                assert source.columns is not None
                self.result.columns.append(ColumnUse(identifier, identifier, source, source.columns[key]))
        scope.merged.add(key)

    def _source(self, node: exp.Expr | None, scope: Scope, ctes: _Ctes) -> None:
        match node:
            case exp.Table():
                self._table(node, scope, ctes)
            case exp.Subquery():
                self._derived(node, scope, ctes)
            case exp.Lateral():
                inner = node.this
                if isinstance(inner, exp.Subquery):
                    output = self.query(inner, ctes, scope)
                else:
                    self._expression(inner, scope, ctes)
                    output = self._function_output(inner)
                self._add(scope, node, node.args.get("alias"), output)
            case exp.Unnest():
                self._expressions(node.expressions, scope, ctes)
                self._unnest(node, scope)
            case exp.Values():
                for row in node.expressions:
                    self._expression(row, scope, ctes)
                self._add(scope, node, node.args.get("alias"), self._values_output(node))
            case exp.Paren() | exp.Alias():
                self._source(node.this, scope, ctes)
            case exp.TableFromRows():
                self._expression(node.this, scope, ctes)
                self._add(scope, node, node.args.get("alias"), _OPEN)
            case exp.Expr():
                self._expression(node, scope, ctes)
                self._add(scope, node, node.args.get("alias"), self._function_output(node))
            case _:
                return
        if not isinstance(node, exp.Subquery):
            self._joins(node, scope, ctes)
        for lateral in node.args.get("laterals") or ():
            self._source(lateral, scope, ctes)

    def _table(self, node: exp.Expr, scope: Scope, ctes: _Ctes) -> None:
        alias, this = node.args.get("alias"), node.this
        if isinstance(this, exp.Func):
            if isinstance(this, exp.Unnest):
                self._expressions(this.expressions, scope, ctes)
            else:
                self._expression(this, scope, ctes)
            self._add(scope, node, alias, self._function_output(this), default=_function_name(this))
        else:
            prefix = ".".join(fold(p.name) for p in (node.args.get("catalog"), node.args.get("db")) if p is not None)
            key = fold(node.name)
            if not prefix and key in ctes:
                self.result.cte_references.append((node, ctes[key].identifier))
                self._add(scope, node, alias, ctes[key].output, default=node.name)
            else:
                found = self.catalogue.table(node.name) if not prefix or self.catalogue.is_qualifier(prefix) else None
                if found is None:
                    self._problem(ProblemKind.TABLE, f"{prefix}.{node.name}" if prefix else node.name, node, scope)
                    self._add(scope, node, alias, _OPEN, default=node.name)
                else:
                    self.result.tables.append((node, found))
                    output = _Output(dict(found.columns), True) if found.columns is not None else _OPEN
                    self._add(scope, node, alias, output, default=node.name, table=found)
        for pivot in node.args.get("pivots") or ():
            self._pivot(pivot, scope, ctes, only=alias.name if alias is not None and alias.name else node.name)

    def _derived(self, node: exp.Expr, scope: Scope, ctes: _Ctes) -> None:
        alias = node.args.get("alias")
        known = self._with(node, ctes, scope.outer)
        if isinstance(node.this, exp.Table | exp.Subquery) and (
            node.args.get("joins") or isinstance(node.this, exp.Table)
        ):
            # A join in parentheses: without an alias its tables stay visible by their own names.
            target = scope if alias is None else Scope(scope.outer)
            self._source(node.this, target, known)
            self._joins(node, target, known)
            if target is not scope:
                self._add(scope, node, alias, self._star_output(target.sources.values()))
        else:
            around = scope if self.dialect in _IMPLICIT_LATERAL else scope.outer
            output = self.query(node.this, known, around)
            self._result_clauses(node, output, known, around)
            self._add(scope, node, alias, output)
            self._joins(node, scope, known)
        for pivot in node.args.get("pivots") or ():
            self._pivot(pivot, scope, ctes, only=alias.name if alias is not None else None)

    def _add(
        self,
        scope: Scope,
        node: exp.Expr,
        alias: exp.Expr | None,
        output: _Output,
        default: str = "",
        table: CatalogueTable | None = None,
    ) -> None:
        names = [c.name for c in (alias.args.get("columns") or ())] if isinstance(alias, exp.TableAlias) else []
        given = alias.name if isinstance(alias, exp.Expr) else (alias or "")
        if isinstance(alias, exp.TableAlias) and alias.this is None:
            given = ""
        name = given or default
        renamed = _renamed(output, names)
        columns, complete = renamed.columns, renamed.complete
        if table is None and not names and given and isinstance(node, exp.Table) and isinstance(node.this, exp.Func):
            # The alias of a one-column function is also the name of its column.
            columns = {**(columns or {}), fold(given): given} if columns is not None else None
        key = fold(name)
        while key in scope.sources:  # a second unnamed source, or a mistake that the engine will report
            key += "\0"
        scope.sources[key] = Source(name, columns, complete, table, node, renamed=bool(names))
        if names and table is not None:
            self.result.stars.append(scope.sources[key])  # columns were renamed by position: all of them matter

    def _unnest(self, node: exp.Expr, scope: Scope) -> None:
        alias = node.args.get("alias")
        names = [c.name for c in (alias.args.get("columns") or ())] if alias is not None else []
        table_name = alias.this.name if alias is not None and alias.this is not None else ""
        columns: dict[str, str] | None = {fold(n): n for n in names}
        offset = node.args.get("offset")
        if isinstance(offset, exp.Identifier):
            columns = {**(columns or {}), fold(offset.name): offset.name}
        elif offset:
            columns = {**(columns or {}), "offset": "offset", "ordinality": "ordinality"}
        if not names:
            # One column named unnest, or after the alias, or one for each field of a struct.
            columns = None
        key = fold(table_name)
        while key in scope.sources:
            key += "\0"
        scope.sources[key] = Source(table_name, columns, self.dialect != "bigquery", None, node)
        if self.dialect == "bigquery":
            for name in names:  # UNNEST(structs) AS s: s is a row whose fields are s.field
                scope.sources.setdefault(fold(name), Source(name, None, False, None, node))

    # Columns of results

    def _projections(self, projections: list[exp.Expr], scope: Scope) -> _Output:
        columns: dict[str, str] = {}
        complete = True
        for projection in projections:
            if isinstance(projection, exp.Star) or (
                isinstance(projection, exp.Column) and isinstance(projection.this, exp.Star)
            ):
                wanted = fold(projection.table) if isinstance(projection, exp.Column) else None
                star = projection.this if isinstance(projection, exp.Column) else projection
                sources = [s for k, s in scope.sources.items() if wanted is None or k.rstrip("\0") == wanted]
                output = self._star_output(sources)
                if output.columns is None:
                    return _OPEN
                complete = complete and output.complete
                dropped = {fold(_last_name(c)) for c in star.args.get("except_") or ()}
                for key, name in output.columns.items():
                    if key not in dropped:
                        columns.setdefault(key, name)
                for renaming in star.args.get("rename") or ():
                    columns[fold(renaming.alias)] = renaming.alias
            elif not isinstance(projection, exp.Alias) and projection.find(exp.Columns, exp.Star) is not None:
                complete = False
            elif isinstance(projection, exp.Aliases):
                for identifier in projection.expressions:
                    columns.setdefault(fold(identifier.name), identifier.name)
            else:
                name = projection.alias or (
                    _last_name(projection) if isinstance(projection, exp.Column | exp.Dot) else ""
                )
                if name:
                    columns.setdefault(fold(name), name)
                else:
                    complete = False
        return _Output(columns, complete)

    def _star_output(self, sources: Iterable[Source]) -> _Output:
        columns: dict[str, str] = {}
        complete = True
        for source in sources:
            if source.half:
                continue
            if source.columns is None:
                return _OPEN
            complete = complete and source.complete
            for key, name in source.columns.items():
                columns.setdefault(key, name)
        return _Output(columns, complete)

    def _values_output(self, node: exp.Expr) -> _Output:
        rows = node.expressions
        width = len(rows[0].expressions) if rows and isinstance(rows[0], exp.Tuple) else 1
        start, prefix = (0, "col") if self.dialect == "duckdb" else (1, "column")
        return _Output({f"{prefix}{i}": f"{prefix}{i}" for i in range(start, start + width)})

    def _function_output(self, node: exp.Expr | None) -> _Output:
        if isinstance(node, exp.GenerateSeries):
            names = ("range", "generate_series", "value")
            return _Output({name: name for name in names})
        if isinstance(node, exp.Anonymous):
            names_ = self.table_functions.get(fold(node.name))
            if names_ is not None:
                return _Output({name: name for name in names_})
        return _OPEN

    def _pivot(self, node: exp.Expr, scope: Scope, ctes: _Ctes, only: str | None = None) -> None:
        """Resolve a pivot's own expressions against what it turns, then make its result a source of unknown columns."""
        unpivot = bool(node.args.get("unpivot"))
        for key in ("expressions", "using", "fields", "group"):
            for part in _parts(node.args.get(key)):
                if unpivot and isinstance(part, exp.In):
                    self._expressions(part.expressions, scope, ctes)
                elif not unpivot or key == "group" or node.args.get("into") is not None:
                    self._expression(part, scope, ctes)
        # What is neither aggregated nor turned stays in the result, so every column is read.
        wanted = fold(only) if only is not None else None
        for key, source in list(scope.sources.items()):
            if wanted is None or key == wanted:
                self.result.stars.append(source)
                scope.sources[key] = Source(source.name, None, False, None, source.node)
        alias = node.args.get("alias")
        if alias is not None and alias.name:
            scope.sources[fold(alias.name)] = Source(alias.name, None, False, None, node)

    # Expressions

    def _expressions(self, nodes: Iterable[exp.Expr], scope: Scope, ctes: _Ctes) -> None:
        for node in nodes:
            self._expression(node, scope, ctes)

    def _expression(
        self, root: exp.Expr | None, scope: Scope, ctes: _Ctes, *, aliases_first: bool = False, joining: bool = False
    ) -> None:
        """Resolve the columns of an expression, and the queries inside it with `scope` around them."""
        if root is None:
            return
        stack: list[tuple[exp.Expr, frozenset[str]]] = [(root, frozenset())]
        while stack:
            node, local = stack.pop()
            if isinstance(node, exp.Query) or (isinstance(node, exp.Subquery) and isinstance(node.this, exp.Query)):
                self.query(node, ctes, scope)
                continue
            if isinstance(node, exp.Column):
                self._column(node, scope, local, aliases_first=aliases_first, joining=joining)
                if not isinstance(node.this, exp.Star):
                    continue
            elif isinstance(node, exp.Dot) and self._row_field(node, scope):
                continue
            elif isinstance(node, exp.Star):
                if not isinstance(node.parent, exp.Count):
                    self.result.stars.extend(s for s in scope.sources.values() if not s.half)
            elif isinstance(node, exp.Columns) and not isinstance(node.this, exp.Star):
                self.result.stars.extend(s for s in scope.sources.values() if not s.half)
                if not isinstance(node.this, exp.Column):
                    continue
            elif isinstance(node, exp.Lambda):
                local = local | {fold(p.name) for p in node.expressions}
            elif isinstance(node, exp.Comprehension):
                local = local | {fold(node.args["expression"].name)}
            stack.extend((child, local) for child in _children(node))

    def _column(
        self, node: exp.Expr, scope: Scope, local: frozenset[str], *, aliases_first: bool, joining: bool
    ) -> None:
        parts = [p for p in (node.args.get(k) for k in ("catalog", "db", "table", "this")) if p is not None]
        if isinstance(node.this, exp.Star):
            found = self._find_source([p.name for p in parts[:-1]], scope)
            if found is None:
                self._problem(ProblemKind.QUALIFIER, node.text("table"), node, scope)
            else:
                self.result.qualifiers.append((node, *found))
                self.result.stars.append(found[0])
            return
        if fold(parts[0].name) in local:
            return
        if len(parts) == 1:
            self._unqualified(node, parts[0], scope, aliases_first=aliases_first, joining=joining)
            return
        names = [p.name for p in parts]
        found = self._find_source(names[:-1], scope)
        if found is not None:
            source, length = found
            self.result.qualifiers.append((node, source, length))
            self._member(node, parts[length], source, scope)
            return
        # The first part may be a column, and the rest fields of its value.
        if self._lookup(fold(names[0]), scope, joining=True):
            self._unqualified(node, parts[0], scope, aliases_first=False, joining=True)
            return
        self._problem(ProblemKind.QUALIFIER, ".".join(names[:-1]), node, scope, qualifier=names[-1])

    def _row_field(self, node: exp.Expr, scope: Scope) -> bool:
        """`(orders).total` and `(orders.*).total`: a field of a whole row is a column of its source."""
        row = node.this
        while isinstance(row, exp.Paren):
            row = row.this
        if not isinstance(row, exp.Column) or not isinstance(node.expression, exp.Identifier):
            return False
        if isinstance(row.this, exp.Star):
            found = self._find_source([row.text("table")], scope)
        elif row.args.get("table") or self._lookup(fold(row.name), scope, joining=True):
            return False
        else:
            found = self._find_source([row.name], scope)
        if found is None:
            return False
        self._member(node, node.expression, found[0], scope)
        return True

    def _find_source(self, names: list[str], scope: Scope | None) -> tuple[Source, int] | None:
        """The source that the first names mean, innermost scope first, and how many of them it took."""
        current = scope
        while current is not None:
            source = current.sources.get(fold(names[0]))
            if source is not None and source.name:
                return source, 1
            for length in (2, 3):
                if len(names) < length:
                    break
                source = current.sources.get(fold(names[length - 1]))
                prefix = ".".join(fold(n) for n in names[: length - 1])
                if source is not None and source.table is not None and self.catalogue.is_qualifier(prefix):
                    return source, length
            current = current.outer
        return None

    def _member(self, node: exp.Expr, part: exp.Expr, source: Source, scope: Scope) -> None:
        key = fold(part.name)
        if source.columns is None:
            return
        if key in source.columns:
            self.result.columns.append(ColumnUse(node, part, source, source.columns[key]))
        elif source.complete or not self._may_be_made_up(part):
            self._problem(ProblemKind.COLUMN, part.name, node, scope, qualifier=source.name, candidates=(source,))

    def _may_be_made_up(self, part: exp.Expr) -> bool:
        """Whether the name could be one that the engine gives to an expression without alias, as in "count(*)"."""
        return bool(part.args.get("quoted")) or self.dialect not in ("duckdb", "sqlite") or fold(part.name) in _BARE

    def _lookup(self, key: str, scope: Scope | None, *, joining: bool) -> list[Source]:
        current = scope
        while current is not None:
            owners = [s for s in current.sources.values() if s.columns is not None and key in s.columns]
            if not joining:
                owners = [s for s in owners if not s.half] or owners
            if owners:
                return owners
            current = current.outer
        return []

    def _unqualified(self, node: exp.Expr, part: exp.Expr, scope: Scope, *, aliases_first: bool, joining: bool) -> None:
        key = fold(part.name)
        if aliases_first and key in scope.aliases:
            # The alias is meant, or in GROUP BY perhaps the column of that name.
            owners = self._lookup(key, scope, joining=joining)
            if len(owners) == 1 and owners[0].columns is not None:
                self.result.columns.append(ColumnUse(node, part, owners[0], owners[0].columns[key]))
            return
        current: Scope | None = scope
        while current is not None:
            owners = [s for s in current.sources.values() if s.columns is not None and key in s.columns]
            if not joining:
                owners = [s for s in owners if not s.half] or owners
            if owners:
                for source in owners:
                    assert source.columns is not None
                    self.result.columns.append(ColumnUse(node, part, source, source.columns[key]))
                if len(owners) > 1 and not (key in current.merged or current.natural or key in current.aliases):
                    self._problem(ProblemKind.AMBIGUOUS, part.name, node, scope, candidates=tuple(owners))
                return
            if any(
                s.columns is None or (not s.complete and self._may_be_made_up(part)) for s in current.sources.values()
            ):
                return
            if key in current.aliases:
                return
            if self.dialect in _WHOLE_ROW and key in current.sources:
                self.result.stars.append(current.sources[key])
                return
            current = current.outer
        if key in _BARE and not part.args.get("quoted"):
            return
        if self.dialect == "sqlite" and part.args.get("quoted") and _stands_for_text(node):
            # SQLite takes a double-quoted name that names nothing for a string.
            self.result.text_literals.append(node)
            return
        self._problem(ProblemKind.COLUMN, part.name, node, scope)

    def _problem(
        self,
        kind: ProblemKind,
        name: str,
        node: exp.Expr,
        scope: Scope | None,
        qualifier: str | None = None,
        candidates: tuple[Source, ...] = (),
    ) -> None:
        self.result.problems.append(NameProblem(kind, name, node, scope, qualifier, candidates))


def _function_name(node: exp.Expr) -> str:
    """What rows of a function are called where they have no alias."""
    return node.name if isinstance(node, exp.Anonymous) else node.key


def _recursive_parts(body: exp.Expr, dialect: str) -> list[exp.Expr]:
    """The parts of a UNION that may refer to their own CTE: the last, or all but the first where engines take more."""
    parts = [body.expression]
    while dialect in _RECURSIVE_ANYWAY and isinstance(body.this, exp.Union):
        body = body.this
        parts.append(body.expression)
    return parts


def _children(node: exp.Expr) -> Iterator[exp.Expr]:
    """The children that are expressions to be read: not the names of arguments, types or fields."""
    skip = (
        "this"
        if isinstance(node, exp.PropertyEQ | exp.Kwarg)
        else "expression"
        if isinstance(node, exp.Collate)
        else ""
    )
    for key, value in node.args.items():
        if key == skip:
            continue
        if isinstance(value, exp.Expr):
            if not isinstance(value, exp.DataType):
                yield value
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, exp.Expr):
                    yield item


def _parts(value: object) -> Iterator[exp.Expr]:
    if isinstance(value, exp.Expr):
        yield value
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, exp.Expr):
                yield item


def _renamed(output: _Output, names: list[str]) -> _Output:
    """The output after an alias list: the first columns take the new names, the rest keep theirs."""
    if not names:
        return output
    if output.columns is None:
        return _Output({fold(n): n for n in names}, True)
    rest = list(output.columns.items())[len(names) :] if output.complete else []
    return _Output({**{fold(n): n for n in names}, **dict(rest)}, True)


def _last_name(node: exp.Expr) -> str:
    return node.expression.name if isinstance(node, exp.Dot) else node.name


def _owns_clauses(node: exp.Expr) -> bool:
    return any(node.args.get(key) for key in ("with_", "order", "limit", "offset"))


def _stands_for_text(node: exp.Expr) -> bool:
    """Whether a double-quoted name that names no column is plausibly a text: what a column is compared with, or one of
    several arguments. Selected, grouped or sorted by, or compared with a constant, it is a misspelt column."""
    parent = node.parent
    while isinstance(parent, exp.Paren | exp.Lower | exp.Upper | exp.Trim | exp.Collate):
        node, parent = parent, parent.parent
    if isinstance(parent, exp.In | exp.Between):
        return node is not parent.this
    if isinstance(parent, exp.Predicate | exp.Escape) and isinstance(parent, exp.Binary):
        other = parent.expression if node is parent.this else parent.this
        return node is not parent.this or other.find(exp.Column) is not None
    if isinstance(parent, exp.AggFunc):
        return False
    if isinstance(parent, exp.Func):
        return isinstance(parent, exp.Case | exp.If) or sum(1 for _ in parent.iter_expressions()) > 1
    return isinstance(parent, exp.DPipe | exp.Tuple)
