"""The walk over the scopes of a statement: its queries, CTEs and expressions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from askwell.sql.names import fold
from askwell.sql.scopes.columns import Columns
from askwell.sql.scopes.outputs import UNKNOWN, Output, merged_output, select_output, star_output, values_output
from askwell.sql.scopes.resolution import Catalogue, Resolution, Scope, Source
from askwell.sql.scopes.sources import Cte, Ctes, Sources, expressions_in


@dataclass(slots=True)
class _Recursion:
    """A CTE inside its own body: `output` is that of the part before, once it has been walked."""

    key: str
    identifier: exp.Expr
    names: list[str]
    output: Output | None = None


# Where an alias stands for nothing in the SELECT list.
_NO_ALIASES = frozenset({"sqlite"})
# A CTE of these dialects may refer to itself without the word RECURSIVE.
_RECURSIVE_ANYWAY = frozenset({"sqlite", "tsql"})


def resolve(tree: exp.Expr, catalogue: Catalogue, dialect: str) -> Resolution:
    """Resolve every table and column name of `tree`, which is not changed.

    A table that the walk does not come by is reported as a problem: nobody may take it for resolved.
    """
    walk = _Walk(catalogue, dialect)
    walk.query(tree, {}, None)
    for table in tree.find_all(exp.Table):
        if id(table) not in walk.sources.seen:
            walk.columns.table_problem(table.name, table, None)
    return walk.result


class _Walk:
    def __init__(self, catalogue: Catalogue, dialect: str) -> None:
        self.dialect = dialect
        self.result = Resolution()
        self.columns = Columns(catalogue, dialect, self.result)
        self.sources = Sources(self, catalogue, dialect, self.columns, self.result)
        # The part of a UNION in which its own CTE's name means the CTE; before it, engines read the table of that name.
        self.recursive: dict[int, _Recursion] = {}

    # Queries

    def query(self, node: exp.Expr | None, ctes: Ctes, outer: Scope | None) -> Output:
        """Resolve a query in the scope `outer`; what it gives back are the columns of its result."""
        match node:
            case exp.Select():
                return self._select(node, self.known_ctes(node, ctes, outer), outer)
            case exp.SetOperation():
                return self._set_operation(node, self.known_ctes(node, ctes, outer), outer)
            case exp.Subquery():
                return self._parenthesised(node, self.known_ctes(node, ctes, outer), outer)
            case exp.Pivot():
                scope = Scope(outer)
                known = self.known_ctes(node, ctes, outer)
                self.sources.add(node.this, scope, known)
                self.sources.pivot(node, scope, known)
                return UNKNOWN
            case exp.Values():
                self.rest(node, Scope(outer), ctes, {"alias"})
                return values_output(node, self.dialect)
            case exp.Table():
                scope = Scope(outer)
                self.sources.add(node, scope, ctes)
                return star_output(scope)
            case exp.Paren():
                return self.query(node.this, ctes, outer)
            case exp.Expr() if not isinstance(node, exp.Query):
                self.expression(node, Scope(outer), ctes)
        return UNKNOWN

    def known_ctes(self, node: exp.Expr, ctes: Ctes, outer: Scope | None) -> Ctes:
        with_ = node.args.get("with_")
        if with_ is None:
            return ctes
        known = dict(ctes)
        later: dict[str, Cte] = {}
        if self.dialect == "postgres" and with_.args.get("recursive"):
            # There each sees those that follow too.
            later = {fold(cte.alias): Cte(cte.args["alias"].this, Output({}, False)) for cte in with_.expressions}
        for cte in with_.expressions:
            alias = cte.args.get("alias")
            identifier = alias.this if alias is not None else None
            if not isinstance(identifier, exp.Identifier):
                continue
            names = [column.name for column in alias.args.get("columns") or ()]
            key, body = fold(identifier.name), cte.this
            later.pop(key, None)
            if isinstance(body, exp.Union) and (with_.args.get("recursive") or self.dialect in _RECURSIVE_ANYWAY):
                recursion = _Recursion(key, identifier, names)
                self.recursive |= {id(part): recursion for part in _recursive_parts(body, self.dialect)}
            known[key] = Cte(identifier, self.query(body, {**known, **later}, outer).renamed(names))
        return known

    def _select(self, node: exp.Expr, ctes: Ctes, outer: Scope | None) -> Output:
        scope = Scope(outer)
        from_ = node.args.get("from_")
        if from_ is not None:
            self.sources.add(from_.this, scope, ctes)
        self.sources.joins(node, scope, ctes)
        for lateral in node.args.get("laterals") or ():
            self.sources.add(lateral, scope, ctes)
        for pivot in node.args.get("pivots") or ():
            self.sources.pivot(pivot, scope, ctes)
        self._projections(node, scope, ctes)
        self.rest(node, scope, ctes, {"with_", "from_", "joins", "laterals", "pivots", "expressions"})
        return select_output(node.expressions, scope, self.dialect)

    def _projections(self, node: exp.Expr, scope: Scope, ctes: Ctes) -> None:
        """Each sees the aliases before it, and never its own. On SQLite it sees none: there a quoted name that is no
        column is a text, so that `SUM(cost) AS cost` without a column of that name adds up texts."""
        aliases: dict[str, str] = {}
        for projection in node.expressions:
            self.expression(projection, scope, ctes)
            if isinstance(projection, exp.Alias):
                aliases.setdefault(fold(projection.alias), projection.alias)
            if self.dialect not in _NO_ALIASES:
                scope.aliases = aliases
        scope.aliases = aliases

    def _set_operation(self, node: exp.Expr, ctes: Ctes, outer: Scope | None) -> Output:
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
        self.result_clauses(node, merged, ctes, outer, {"with_", "this", "expression"})
        if output.columns is None:
            return output
        # Names come from the left; BY NAME adds those of the right.
        return merged if node.args.get("by_name") else output

    def _with_itself(self, right: exp.Expr, ctes: Ctes, before: Output) -> Ctes:
        """What a part of a recursive CTE sees: itself too, with the columns of the part that comes before."""
        own = self.recursive.get(id(right))
        if own is None:
            return ctes
        if own.output is None:
            own.output = before.renamed(own.names)
        return {**ctes, own.key: Cte(own.identifier, own.output)}

    def _parenthesised(self, node: exp.Expr, ctes: Ctes, outer: Scope | None) -> Output:
        if node.args.get("joins") or node.args.get("pivots") or isinstance(node.this, exp.Table):
            scope = Scope(outer)
            self.sources.derived(node, scope, ctes)
            return star_output(scope)
        output = self.query(node.this, ctes, outer)
        self.result_clauses(node, output, ctes, outer, {"with_", "this", "alias"})
        return output

    def result_clauses(self, node: exp.Expr, output: Output, ctes: Ctes, outer: Scope | None, done: set[str]) -> None:
        """ORDER BY, LIMIT and the like that stand after a set operation or parentheses see its result's columns."""
        scope = Scope(outer)
        scope.add(Source("", output.columns, output.complete))
        self.rest(node, scope, ctes, done)

    def rest(self, node: exp.Expr, scope: Scope, ctes: Ctes, done: set[str]) -> None:
        """Every argument that is not in `done`, as expressions that see `scope`."""
        for key, value in node.args.items():
            if key not in done and value:
                self.expressions(
                    expressions_in(value), scope, ctes, aliases_first=key in ("order", "distinct", "group")
                )

    # Expressions

    def expressions(
        self,
        nodes: Iterable[exp.Expr],
        scope: Scope,
        ctes: Ctes,
        *,
        aliases_first: bool = False,
        joining: bool = False,
    ) -> None:
        for node in nodes:
            self.expression(node, scope, ctes, aliases_first=aliases_first, joining=joining)

    def expression(
        self, root: exp.Expr, scope: Scope, ctes: Ctes, *, aliases_first: bool = False, joining: bool = False
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


def _owns_clauses(node: exp.Expr) -> bool:
    return any(node.args.get(key) for key in ("with_", "order", "limit", "offset"))


def _children(node: exp.Expr) -> Iterator[exp.Expr]:
    """The children that are read: not the names of arguments and collations, nor types."""
    for key, value in node.args.items():
        if key == "this" and isinstance(node, exp.PropertyEQ | exp.Kwarg):
            continue
        if key == "expression" and isinstance(node, exp.Collate):
            continue
        for part in expressions_in(value):
            if not isinstance(part, exp.DataType):
                yield part
