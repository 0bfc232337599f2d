"""Finding the source of a column."""

from __future__ import annotations

from sqlglot import exp

from askwell.sql.names import fold
from askwell.sql.scopes.resolution import Catalogue, ColumnUse, NameProblem, ProblemKind, Resolution, Scope, Source

_WHOLE_ROW = frozenset({"duckdb", "postgres", "bigquery", "snowflake", "trino"})
# Constants that are written without parentheses, and keywords, where the parser sees a column.
_BARE = frozenset(
    {"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "all", "default"}
)


# Where `column.field` reads a field of a struct, however deep. Elsewhere a dot stands only behind a table.
FIELD_PATHS = frozenset({"duckdb", "bigquery", "trino", "snowflake"})
# DuckDB takes these, quoted or not, for calls where no column has the name.
_VALUE_FUNCTIONS = {
    "duckdb": frozenset({"user", "current_user", "session_user", "current_role", "current_catalog", "current_schema"})
}

_TAKING_A_FIELD = frozenset({"array_extract", "list_extract", "list_element", "element_at", "map_extract"})


class Columns:
    """Resolves columns in scopes, and notes what it finds in `result`."""

    def __init__(self, catalogue: Catalogue, dialect: str, result: Resolution) -> None:
        self._catalogue = catalogue
        self._dialect = dialect
        self._result = result
        self._value_functions = _VALUE_FUNCTIONS.get(dialect, frozenset())

    def column(self, node: exp.Expr, scope: Scope, *, aliases_first: bool, joining: bool) -> None:
        """A column with or without qualifiers, or `table.*`."""
        parts = [part for key in ("catalog", "db", "table", "this") if (part := node.args.get(key)) is not None]
        names = [part.name for part in parts]
        if len(parts) == 1:
            self._unqualified(node, parts[0], scope, aliases_first=aliases_first, joining=joining)
            return
        found = self._find_source(names[:-1], scope)
        if found is not None and found[1] < len(parts) - 1 and self._dialect not in FIELD_PATHS:
            self._problem(ProblemKind.QUALIFIER, ".".join(names[:-1]), node, scope, qualifier=names[-1])
        elif found is not None:
            source, length = found
            self._result.qualifiers.append((node, source, length))
            if isinstance(parts[length], exp.Star):
                self._result.stars.append(source)
            else:
                self._member(node, parts[length], source, scope)
        elif self._dialect in FIELD_PATHS and self._owners(fold(names[0]), scope):
            # The first part is a column, and the rest are fields of its value.
            self._unqualified(node, parts[0], scope, aliases_first=False, joining=True)
        else:
            self._problem(ProblemKind.QUALIFIER, ".".join(names[:-1]), node, scope, qualifier=names[-1])

    def row_field(self, node: exp.Expr, scope: Scope) -> bool:
        """`(orders).total` and `(orders.*).total`: a field of a whole row is a column of its source."""
        row = node.this
        while isinstance(row, exp.Paren):
            row = row.this
        if not isinstance(row, exp.Column) or not isinstance(node.expression, exp.Identifier):
            return False
        if isinstance(row.this, exp.Star):
            found = self._find_source([row.text("table")], scope)
        elif row.args.get("table") or self._may_be_column(fold(row.name), scope):
            return False
        else:
            found = self._find_source([row.name], scope)
        if found is None:
            return False
        self._member(node, node.expression, found[0], scope)
        return True

    def using(self, identifier: exp.Expr, sides: tuple[list[Source], list[Source]], scope: Scope) -> None:
        """A column of USING, which both sides of the join have to have."""
        key = fold(identifier.name)
        for side in sides:
            owners = [source for source in side if source.has(key)]
            if not owners and all(source.columns is not None and source.complete for source in side):
                self._problem(ProblemKind.COLUMN, identifier.name, identifier, scope)
            for source in owners:
                self._use(identifier, identifier, source, key)
        scope.merged.add(key)

    def name_problem(self, name: str, node: exp.Expr, scope: Scope) -> None:
        """A name for a column that is not there."""
        self._problem(ProblemKind.COLUMN, name, node, scope)

    def table_problem(self, name: str, node: exp.Expr, scope: Scope | None) -> None:
        """A table that is not in the catalogue."""
        self._problem(ProblemKind.TABLE, name, node, scope)

    def _find_source(self, names: list[str], scope: Scope | None) -> tuple[Source, int] | None:
        """The source that the first names mean, innermost scope first, and how many of them it took."""
        while scope is not None:
            source = scope.sources.get(fold(names[0]))
            if source is not None and source.name:
                return source, 1
            for length in range(2, len(names) + 1):
                source = scope.sources.get(fold(names[length - 1]))
                prefix = ".".join(fold(name) for name in names[: length - 1])
                if source is not None and source.table is not None and self._catalogue.is_qualifier(prefix):
                    return source, length
            scope = scope.outer
        return None

    def _member(self, node: exp.Expr, part: exp.Expr, source: Source, scope: Scope) -> None:
        if source.columns is None:
            return
        if source.has(fold(part.name)):
            self._use(node, part, source, fold(part.name))
        elif source.complete or self._dialect == "postgres" or not self._may_be_made_up(part):
            # What is no column is the call of a function on PostgreSQL, and its made-up names are known.
            self._problem(ProblemKind.COLUMN, part.name, node, scope, qualifier=source.name, candidates=(source,))

    def _unqualified(self, node: exp.Expr, part: exp.Expr, scope: Scope, *, aliases_first: bool, joining: bool) -> None:
        key = fold(part.name)
        if aliases_first and key in scope.aliases:
            # The alias is meant, or in GROUP BY perhaps the column of that name.
            owners = scope.owners(key, joining=joining)
            if len(owners) == 1:
                self._use(node, part, owners[0], key)
            return
        current: Scope | None = scope
        while current is not None:
            if self._found_in(current, node, part, key, joining=joining):
                return
            current = current.outer
        quoted = bool(part.args.get("quoted"))
        if key in _BARE and not quoted:
            return
        if self._dialect == "sqlite" and quoted and _stands_for_text(node):
            # SQLite takes a double-quoted name that names nothing for a string.
            self._result.text_literals.append(node)
            return
        self._problem(ProblemKind.COLUMN, part.name, node, scope)

    def _found_in(self, scope: Scope, node: exp.Expr, part: exp.Expr, key: str, *, joining: bool) -> bool:
        owners = scope.owners(key, joining=joining)
        for source in owners:
            self._use(node, part, source, key)
        if owners:
            if len(owners) > 1 and not (key in scope.merged or scope.natural or key in scope.aliases):
                self._problem(ProblemKind.AMBIGUOUS, part.name, node, scope, candidates=tuple(owners))
            return True
        made_up = self._may_be_made_up(part)
        if key in self._value_functions and not any(_may_have_any_column(s) for s in scope.sources.values()):
            return key in scope.aliases
        if any(s.columns is None or (made_up and not s.complete) for s in scope.sources.values()):
            return True
        if key in scope.aliases:
            return True
        if self._dialect in _WHOLE_ROW and key in scope.sources:
            source = scope.sources[key]
            self._result.stars.append(source)
            if self._dialect != "postgres" or not self._may_be_column(key, scope.outer):
                self._result.rows.append((node, source))
            field = _field_taken(node)
            if (
                field is not None
                and source.columns is not None
                and not source.has(fold(field.name))
                and source.complete
            ):
                self._problem(ProblemKind.COLUMN, field.name, node, scope, source.name, (source,))
            return True
        return False

    def _owners(self, key: str, scope: Scope | None) -> list[Source]:
        while scope is not None:
            owners = scope.owners(key, joining=True)
            if owners:
                return owners
            scope = scope.outer
        return []

    def _may_be_column(self, key: str, scope: Scope | None) -> bool:
        """Whether the name is a column, or could be one whose name is not known, which PostgreSQL looks for first."""
        if self._owners(key, scope):
            return True
        while scope is not None and self._dialect == "postgres":
            if not all(source.complete for source in scope.sources.values()):
                return True
            scope = scope.outer
        return False

    def _may_be_made_up(self, part: exp.Expr) -> bool:
        """Whether the name could be one that the engine gives to an expression without alias, as in "count(*)"."""
        return bool(part.args.get("quoted")) or self._dialect not in ("duckdb", "sqlite") or fold(part.name) in _BARE

    def _use(self, node: exp.Expr, part: exp.Expr, source: Source, key: str) -> None:
        assert source.columns is not None
        self._result.columns.append(ColumnUse(node, part, source, source.columns[key]))

    def _problem(
        self,
        kind: ProblemKind,
        name: str,
        node: exp.Expr,
        scope: Scope | None,
        qualifier: str | None = None,
        candidates: tuple[Source, ...] = (),
    ) -> None:
        in_scope: list[Source] = []
        while scope is not None:
            in_scope += scope.sources.values()
            scope = scope.outer
        self._result.problems.append(NameProblem(kind, name, node, tuple(in_scope), qualifier, candidates))


def _may_have_any_column(source: Source) -> bool:
    """Whether the columns are those of a table that nobody listed, rather than what a function gives."""
    node = source.node
    return (
        source.columns is None
        and not isinstance(node, exp.Unnest)
        and not isinstance(getattr(node, "this", None), exp.Func)
    )


def _field_taken(row: exp.Expr) -> exp.Expr | None:
    """The field that is taken out of a whole row: `(SELECT o).total`, `o['total']`, `struct_extract(o, 'total')`."""
    node, parent = row, row.parent
    while isinstance(parent, exp.Paren | exp.Alias | exp.Subquery) or (
        isinstance(parent, exp.Select) and len(parent.expressions) == 1 and parent.expressions[0] is node
    ):
        node, parent = parent, parent.parent
    field: exp.Expr | None = None
    if isinstance(parent, exp.Dot) and parent.this is node:
        return parent.expression if isinstance(parent.expression, exp.Identifier) else None
    if isinstance(parent, exp.StructExtract) and parent.this is node:
        field = parent.expression
    elif isinstance(parent, exp.Bracket) and parent.this is node and len(parent.expressions) == 1:
        field = parent.expressions[0]
    elif isinstance(parent, exp.Anonymous) and len(parent.expressions) == 2 and parent.expressions[0] is node:
        field = parent.expressions[1] if fold(parent.name) in _TAKING_A_FIELD else None
    return field if isinstance(field, exp.Literal) and field.is_string else None


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
