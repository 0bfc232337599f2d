"""The walk over the scopes of a statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from askwell.sql.names import fold
from askwell.sql.scopes.columns import Columns
from askwell.sql.scopes.outputs import (
    UNKNOWN,
    Output,
    function_name,
    function_output,
    merged_output,
    select_output,
    star_output,
    values_output,
)
from askwell.sql.scopes.resolution import Catalogue, CatalogueTable, Resolution, Scope, Source


@dataclass(frozen=True, slots=True)
class _Cte:
    identifier: exp.Expr
    output: Output


_Ctes = Mapping[str, _Cte]


@dataclass(slots=True)
class _Recursion:
    """A CTE inside its own body: `output` is that of the part before, once it has been walked."""

    key: str
    identifier: exp.Expr
    names: list[str]
    output: Output | None = None


_IMPLICIT_LATERAL = frozenset({"duckdb"})
# A CTE of these dialects may refer to itself without the word RECURSIVE.
_RECURSIVE_ANYWAY = frozenset({"sqlite", "tsql"})
_HALF_JOINS = frozenset({"SEMI", "ANTI"})


def resolve(tree: exp.Expr, catalogue: Catalogue, dialect: str) -> Resolution:
    """Resolve every table and column name of `tree`, which is not changed.

    A table that the walk does not come by is reported as a problem: nobody may take it for resolved.
    """
    walk = _Walk(catalogue, dialect)
    walk.query(tree, {}, None)
    for table in tree.find_all(exp.Table):
        if id(table) not in walk.seen:
            walk.columns.table_problem(table.name, table, None)
    return walk.result


class _Walk:
    def __init__(self, catalogue: Catalogue, dialect: str) -> None:
        self.catalogue = catalogue
        self.dialect = dialect
        self.result = Resolution()
        self.columns = Columns(catalogue, dialect, self.result)
        self.seen: set[int] = set()
        # SQLite lets a join condition refer to tables that are joined after it.
        self.late_conditions = dialect == "sqlite"
        # The part of a UNION in which its own CTE's name means the CTE; before it, engines read the table of that name.
        self.recursive: dict[int, _Recursion] = {}

    # Queries

    def query(self, node: exp.Expr | None, ctes: _Ctes, outer: Scope | None) -> Output:
        """Resolve a query in the scope `outer`; what it gives back are the columns of its result."""
        match node:
            case exp.Select():
                return self._select(node, self._with(node, ctes, outer), outer)
            case exp.SetOperation():
                return self._set_operation(node, self._with(node, ctes, outer), outer)
            case exp.Subquery():
                return self._parenthesised(node, self._with(node, ctes, outer), outer)
            case exp.Pivot():
                scope = Scope(outer)
                known = self._with(node, ctes, outer)
                self._source(node.this, scope, known)
                self._pivot(node, scope, known)
                return UNKNOWN
            case exp.Values():
                self._rest(node, Scope(outer), ctes, {"alias"})
                return values_output(node, self.dialect)
            case exp.Table():
                scope = Scope(outer)
                self._source(node, scope, ctes)
                return star_output(scope.sources.values())
            case exp.Paren():
                return self.query(node.this, ctes, outer)
            case exp.Expr() if not isinstance(node, exp.Query):
                self._expression(node, Scope(outer), ctes)
        return UNKNOWN

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
            names = [column.name for column in alias.args.get("columns") or ()]
            key, body = fold(identifier.name), cte.this
            if isinstance(body, exp.Union) and (with_.args.get("recursive") or self.dialect in _RECURSIVE_ANYWAY):
                recursion = _Recursion(key, identifier, names)
                self.recursive |= {id(part): recursion for part in _recursive_parts(body, self.dialect)}
            known[key] = _Cte(identifier, self.query(body, known, outer).renamed(names))
        return known

    def _select(self, node: exp.Expr, ctes: _Ctes, outer: Scope | None) -> Output:
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
        self._rest(node, scope, ctes, {"with_", "from_", "joins", "laterals", "pivots"})
        return select_output(node.expressions, scope)

    def _set_operation(self, node: exp.Expr, ctes: _Ctes, outer: Scope | None) -> Output:
        # A chain of thousands of UNIONs is a deep tree on its left: walk down without recursion.
        rights: list[exp.Expr] = []
        left: exp.Expr = node
        while isinstance(left, exp.SetOperation) and (left is node or not _owns_clauses(left)):
            rights.append(left.expression)
            left = left.this
        output = self.query(left, ctes, outer)
        parts = ((right, self._with_itself(right, ctes, output)) for right in reversed(rights))
        sides = [output, *(self.query(right, known, outer) for right, known in parts)]
        merged = merged_output(sides)
        self._result_clauses(node, merged, ctes, outer, {"with_", "this", "expression"})
        if output.columns is None:
            return output
        # Names come from the left; BY NAME adds those of the right.
        return merged if node.args.get("by_name") else output

    def _with_itself(self, right: exp.Expr, ctes: _Ctes, before: Output) -> _Ctes:
        """What a part of a recursive CTE sees: itself too, with the columns of the part that comes before."""
        own = self.recursive.get(id(right))
        if own is None:
            return ctes
        if own.output is None:
            own.output = before.renamed(own.names)
        return {**ctes, own.key: _Cte(own.identifier, own.output)}

    def _parenthesised(self, node: exp.Expr, ctes: _Ctes, outer: Scope | None) -> Output:
        if node.args.get("joins") or node.args.get("pivots") or isinstance(node.this, exp.Table):
            scope = Scope(outer)
            self._derived(node, scope, ctes)
            return star_output(scope.sources.values())
        output = self.query(node.this, ctes, outer)
        self._result_clauses(node, output, ctes, outer, {"with_", "this", "alias"})
        return output

    def _result_clauses(self, node: exp.Expr, output: Output, ctes: _Ctes, outer: Scope | None, done: set[str]) -> None:
        """ORDER BY, LIMIT and the like that stand after a set operation or parentheses see its result's columns."""
        scope = Scope(outer)
        scope.add(Source("", output.columns, output.complete))
        self._rest(node, scope, ctes, done)

    def _rest(self, node: exp.Expr, scope: Scope, ctes: _Ctes, done: set[str]) -> None:
        """Every argument that is not in `done`, as expressions that see `scope`."""
        for key, value in node.args.items():
            if key not in done and value:
                self._expressions(_parts(value), scope, ctes, aliases_first=key in ("order", "distinct", "group"))

    # Sources

    def _joins(self, node: exp.Expr, scope: Scope, ctes: _Ctes) -> None:
        joins = node.args.get("joins") or ()
        for join in joins:
            self._join(join, scope, ctes)
        if self.late_conditions:
            for join in joins:
                self._conditions(join, scope, ctes)

    def _join(self, join: exp.Expr, scope: Scope, ctes: _Ctes) -> None:
        before = list(scope.sources.values())
        self._source(join.this, scope, ctes)
        added = [source for source in scope.sources.values() if source not in before]
        if {join.text("kind").upper(), join.text("side").upper()} & _HALF_JOINS:
            for source in added:
                source.half = True
        if join.text("method").upper() == "NATURAL":
            scope.natural = True
        for using in join.args.get("using") or ():
            self.columns.using(using.this if isinstance(using, exp.Column) else using, (before, added), scope)
        if not self.late_conditions:
            self._conditions(join, scope, ctes)
        for pivot in join.args.get("pivots") or ():
            self._pivot(pivot, scope, ctes)

    def _conditions(self, join: exp.Expr, scope: Scope, ctes: _Ctes) -> None:
        for key, value in join.args.items():
            if key not in ("this", "using", "pivots"):
                self._expressions(_parts(value), scope, ctes, joining=True)

    def _source(self, node: exp.Expr | None, scope: Scope, ctes: _Ctes) -> None:
        match node:
            case exp.Table():
                self._table(node, scope, ctes)
            case exp.Subquery():
                self._derived(node, scope, ctes)
                return
            case exp.Paren() | exp.Alias():
                self._source(node.this, scope, ctes)
            case exp.Lateral() if isinstance(node.this, exp.Subquery):
                self._add(scope, node, self.query(node.this, ctes, scope))
            case exp.Lateral():
                self._expression(node.this, scope, ctes)
                self._add(scope, node, function_output(node.this, self.dialect))
            case exp.Values():
                self._rest(node, scope, ctes, {"alias"})
                self._add(scope, node, values_output(node, self.dialect))
            case exp.Unnest():
                self._expressions(node.expressions, scope, ctes)
                self._unnest(node, scope)
            case exp.TableFromRows():
                self._expression(node.this, scope, ctes)
                self._add(scope, node, UNKNOWN)
                for pivot in node.args.get("pivots") or ():
                    self._pivot(pivot, scope, ctes)
            case exp.Expr():
                self._expression(node, scope, ctes)
                self._add(scope, node, function_output(node, self.dialect))
            case _:
                return
        self._joins(node, scope, ctes)
        for lateral in node.args.get("laterals") or ():
            self._source(lateral, scope, ctes)

    def _table(self, node: exp.Expr, scope: Scope, ctes: _Ctes) -> None:
        self.seen.add(id(node))
        alias, this = node.args.get("alias"), node.this
        if isinstance(this, exp.Func):
            self._expressions(this.expressions if isinstance(this, exp.Unnest) else (this,), scope, ctes)
            self._add(scope, node, function_output(this, self.dialect), default=function_name(this))
        else:
            self._named_table(node, scope, ctes)
        self._expressions(_parts(node.args.get("sample")), scope, ctes)
        for pivot in node.args.get("pivots") or ():
            self._pivot(pivot, scope, ctes, only=alias.name if alias is not None and alias.name else node.name)

    def _named_table(self, node: exp.Expr, scope: Scope, ctes: _Ctes) -> None:
        prefix = ".".join(fold(p.name) for p in (node.args.get("catalog"), node.args.get("db")) if p is not None)
        key = fold(node.name)
        if not prefix and key in ctes:
            self.result.cte_references.append((node, ctes[key].identifier))
            self._add(scope, node, ctes[key].output, default=node.name)
            return
        found = self.catalogue.table(node.name) if not prefix or self.catalogue.is_qualifier(prefix) else None
        if found is None:
            self.columns.table_problem(f"{prefix}.{node.name}" if prefix else node.name, node, scope)
            self._add(scope, node, UNKNOWN, default=node.name)
            return
        self.result.tables.append((node, found))
        output = Output(dict(found.columns)) if found.columns is not None else UNKNOWN
        self._add(scope, node, output, default=node.name, table=found)

    def _derived(self, node: exp.Expr, scope: Scope, ctes: _Ctes) -> None:
        alias = node.args.get("alias")
        known = self._with(node, ctes, scope.outer)
        joined = bool(node.args.get("joins"))
        if isinstance(node.this, exp.Table) or (joined and isinstance(node.this, exp.Subquery)):
            # A join in parentheses: without an alias its tables stay visible by their own names.
            target = scope if alias is None else Scope(scope.outer)
            self._source(node.this, target, known)
            self._joins(node, target, known)
            self._rest(node, target, known, {"with_", "this", "alias", "joins", "pivots"})
            if target is not scope:
                self._add(scope, node, star_output(target.sources.values()))
        else:
            around = scope if self.dialect in _IMPLICIT_LATERAL else scope.outer
            output = self.query(node.this, known, around)
            self._result_clauses(node, output, known, around, {"with_", "this", "alias", "joins", "pivots"})
            self._add(scope, node, output)
            self._joins(node, scope, known)
        for pivot in node.args.get("pivots") or ():
            self._pivot(pivot, scope, ctes, only=alias.name if alias is not None else None)

    def _add(
        self, scope: Scope, node: exp.Expr, output: Output, default: str = "", table: CatalogueTable | None = None
    ) -> None:
        """Make `node` a source of `scope`, under its alias and with the names of its alias list."""
        alias = node.args.get("alias")
        names = [column.name for column in alias.args.get("columns") or ()] if isinstance(alias, exp.TableAlias) else []
        given = alias.name if isinstance(alias, exp.Expr) else ""
        renamed = output.renamed(names)
        columns = renamed.columns
        if given and columns is not None and not names and isinstance(node.this, exp.Func):
            # The alias of a one-column function is also the name of its column.
            columns = {**columns, fold(given): given}
        source = Source(given or default, columns, renamed.complete, table, node, renamed=bool(names))
        scope.add(source)
        if names and table is not None:
            self.result.stars.append(source)  # columns were renamed by position: all of them matter

    def _unnest(self, node: exp.Expr, scope: Scope) -> None:
        alias = node.args.get("alias")
        names = [column.name for column in alias.args.get("columns") or ()] if alias is not None else []
        name = alias.this.name if alias is not None and alias.this is not None else ""
        columns: dict[str, str] | None = None
        if names:
            offset = node.args.get("offset")
            if isinstance(offset, exp.Identifier):
                names.append(offset.name)
            elif offset:
                names += ["offset", "ordinality"]
            columns = {fold(column): column for column in names}
        # Without names: one column named unnest, or after the alias, or one for each field of a struct.
        scope.add(Source(name, columns, self.dialect != "bigquery", None, node))
        if self.dialect == "bigquery":
            for column in names:  # UNNEST(structs) AS s: s is a row whose fields are s.field
                scope.sources.setdefault(fold(column), Source(column, None, False, None, node))

    def _pivot(self, node: exp.Expr, scope: Scope, ctes: _Ctes, only: str | None = None) -> None:
        """Resolve a pivot's own expressions against what it turns, then make its result a source of unknown columns."""
        unpivot = bool(node.args.get("unpivot"))
        statement = node.args.get("into") is not None
        for key, value in node.args.items():
            if key in ("this", "alias", "with_", "columns", "into"):
                continue
            for part in _parts(value):
                if isinstance(part, exp.In) and not unpivot and not statement:
                    # A bare name among the values is a value too.
                    self._expression(part.this, scope, ctes)
                    self._expressions((v for v in part.expressions if not _is_bare(v)), scope, ctes)
                elif not unpivot or statement or key == "group":
                    self._expression(part, scope, ctes)
                elif isinstance(part, exp.In):  # the names before IN are those of the new columns
                    self._expressions(part.expressions, scope, ctes)
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

    def _expressions(
        self,
        nodes: Iterable[exp.Expr],
        scope: Scope,
        ctes: _Ctes,
        *,
        aliases_first: bool = False,
        joining: bool = False,
    ) -> None:
        for node in nodes:
            self._expression(node, scope, ctes, aliases_first=aliases_first, joining=joining)

    def _expression(
        self, root: exp.Expr, scope: Scope, ctes: _Ctes, *, aliases_first: bool = False, joining: bool = False
    ) -> None:
        """Resolve the columns of an expression, and the queries inside it with `scope` around them."""
        stack: list[tuple[exp.Expr, frozenset[str]]] = [(root, frozenset())]
        while stack:
            node, local = stack.pop()
            if isinstance(node, exp.Query | exp.Table):
                self.query(node, ctes, scope)
                continue
            if isinstance(node, exp.Column):
                first = next(p for key in ("catalog", "db", "table", "this") if (p := node.args.get(key)) is not None)
                if fold(first.name) not in local:
                    self.columns.column(node, scope, aliases_first=aliases_first, joining=joining)
                if not isinstance(node.this, exp.Star):
                    continue
            elif isinstance(node, exp.Dot) and self.columns.row_field(node, scope):
                continue
            elif _reads_all(node):
                self.columns.all_of(node, scope)
            elif isinstance(node, exp.Lambda):
                local = local | {fold(parameter.name) for parameter in node.expressions}
            elif isinstance(node, exp.Comprehension):
                local = local | {fold(node.args["expression"].name)}
            stack += [(child, local) for child in reversed(list(_children(node)))]


def _recursive_parts(body: exp.Expr, dialect: str) -> list[exp.Expr]:
    """The parts of a UNION that may refer to their own CTE: the last, or all but the first where engines take more."""
    parts = [body.expression]
    while dialect in _RECURSIVE_ANYWAY and isinstance(body.this, exp.Union):
        body = body.this
        parts.append(body.expression)
    return parts


def _reads_all(node: exp.Expr) -> bool:
    """`*` and `COLUMNS(…)`, but not COUNT(*) and the `*` of `table.*`."""
    return isinstance(node, exp.Columns) or (
        isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count | exp.Column)
    )


def _is_bare(value: exp.Expr) -> bool:
    value = value.unalias()
    return isinstance(value, exp.Column) and len(value.parts) == 1 and not isinstance(value.this, exp.Star)


def _owns_clauses(node: exp.Expr) -> bool:
    return any(node.args.get(key) for key in ("with_", "order", "limit", "offset"))


def _children(node: exp.Expr) -> Iterator[exp.Expr]:
    """The children that are read: not the names of arguments and collations, nor types."""
    for key, value in node.args.items():
        if key == "this" and isinstance(node, exp.PropertyEQ | exp.Kwarg):
            continue
        if key == "expression" and isinstance(node, exp.Collate):
            continue
        for part in _parts(value):
            if not isinstance(part, exp.DataType):
                yield part


def _parts(value: object) -> Iterator[exp.Expr]:
    if isinstance(value, exp.Expr):
        yield value
    elif isinstance(value, list):
        yield from (item for item in value if isinstance(item, exp.Expr))
