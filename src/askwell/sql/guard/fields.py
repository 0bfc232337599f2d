"""Dots: each leads to a column, or to a field of something that has such a field.

PostgreSQL takes `(x).name` and `x.name` for a call of the function `name` where x has no such field
(https://www.postgresql.org/docs/current/sql-expressions.html#FIELD-SELECTION), and T-SQL for a property of a CLR type.
So a dot that nothing explains is refused.
"""

from __future__ import annotations

from sqlglot import Dialect, exp

from askwell.sql.guard.functions import Functions, denied_reason
from askwell.sql.guard.outcome import Allowed, Refused, Rule
from askwell.sql.guard.tables import effective_name
from askwell.sql.guard.value_shapes import ValueShapes, field, path_of
from askwell.sql.names import fold
from askwell.sql.scopes import FIELD_PATHS, ColumnUse, Opaque, Resolution, Shape, Source, Struct

# Where (x).name can be a field.
_FIELDS = FIELD_PATHS | {"postgres"}
_LISTED = 12
_LONGEST = 63


def check_fields(
    nodes: list[exp.Expr], resolution: Resolution, allowed: Allowed, functions: Functions, dialect: str
) -> None:
    """Refuse a dot that is no column, no `*` and no field of a value that has it; raises `Refused`.

    `nodes` are all of the statement, `resolution` what its names belong to.
    """
    # What belongs to nothing is said where names are checked.
    unknown = {id(problem.node) for problem in resolution.problems}
    dots = [node for node in nodes if isinstance(node, exp.Dot) and _reads_field(node) and id(node) not in unknown]
    brackets = [node for node in nodes if isinstance(node, exp.Bracket) and _names_field(node)]
    paths = [use for use in resolution.columns if path_of(use)]
    unnested = [(node, source) for node, source, _ in resolution.qualifiers if isinstance(source.node, exp.Unnest)]
    if not (dots or brackets or paths or unnested):
        return
    check = _Fields(ValueShapes(resolution, allowed, dialect), functions, dialect)
    for use in paths:
        check.path(use)
    for node, source in unnested:
        check.unnested(node, source)
    for bracket in brackets:
        check.bracket(bracket)
    for dot in dots:
        check.dot(dot)


def spell_names(nodes: list[exp.Expr], dialect: Dialect) -> None:
    """Spell PostgreSQL's names as it compares them, and name the columns that UNNEST makes: of rows, each would keep
    its own name."""
    for node in nodes:
        alias = node.args.get("alias")
        if isinstance(node, exp.Identifier):
            dialect.normalize_identifier(node)
        elif not isinstance(node, exp.Unnest) and not isinstance(node.this, exp.Unnest):
            continue
        elif isinstance(alias, exp.TableAlias) and alias.this is not None and not alias.columns:
            if len((node if isinstance(node, exp.Unnest) else node.this).expressions) == 1:
                alias.set("columns", [alias.this.copy()])


def check_qualified(nodes: list[exp.Expr], resolution: Resolution) -> None:
    """Refuse `x.name` unless x, spelled as PostgreSQL finds it, is known to have this column; raises `Refused`."""
    uses = {id(use.node): use for use in resolution.columns}
    unlisted = {id(node) for node, source, _ in resolution.qualifiers if source.columns is None}
    for node in nodes:
        use = uses.get(id(node))
        if isinstance(node, exp.Column | exp.Dot) and use is not None:
            row = (node.this.find(exp.Column) or node) if isinstance(node, exp.Dot) else node
            before = row.text("table") or (row.name if isinstance(node, exp.Dot) else "")
            listed = use.source.table is None or use.source.renamed
            if before not in ("", use.source.name) or (listed and before and use.part.name != use.name):
                raise Refused(Rule.COLUMN, node, f"{use.source.name} has no column {use.part.name} in that spelling.")
        elif isinstance(node, exp.Column) and node.text("table") and not node.is_star and id(node) not in unlisted:
            raise Refused(Rule.COLUMN, node, f"{node.text('table')} has no column {node.name}.")
        elif isinstance(node, exp.TableAlias) and len(node.name.encode()) > _LONGEST:
            raise Refused(
                Rule.QUALIFIER, node, f"PostgreSQL cuts names longer than {_LONGEST} bytes; use a shorter one."
            )
    for table, named in resolution.cte_references:
        if table.name != named.name:
            raise Refused(Rule.TABLE, table, f"There is no table {table.name}; {named.name} is written differently.")


def count_dots(nodes: list[exp.Expr]) -> int:
    """How many dots the names and fields of a tree, whose nodes these are, are written with."""
    count = 0
    for node in nodes:
        kind = type(node)
        if kind is exp.Column or kind is exp.Table:
            given = node.args.get
            count += (given("table") is not None) + (given("db") is not None) + (given("catalog") is not None)
        elif kind is exp.Dot:
            count += 1
    return count


def _reads_field(dot: exp.Expr) -> bool:
    """Not `place.function(…)`, which is checked as a call, `row.*`, or the parts of a collation's name."""
    is_collation = isinstance(dot.parent, exp.Collate) and dot.arg_key == "expression"
    return isinstance(dot.expression, exp.Identifier) and not is_collation


def _names_field(bracket: exp.Expr) -> bool:
    """`row['field']`"""
    subscripts = bracket.expressions
    return len(subscripts) == 1 and isinstance(subscripts[0], exp.Literal) and bool(subscripts[0].is_string)


class _Fields:
    def __init__(self, shapes: ValueShapes, functions: Functions, dialect: str) -> None:
        self._shapes = shapes
        self._functions = functions
        self._dialect = dialect

    def dot(self, dot: exp.Expr) -> None:
        """`(value).name`"""
        if self._shapes.use(dot) is not None:
            return  # a column of a whole row
        shape = self._shapes.of(dot.this)
        is_record = isinstance(shape, Struct) and shape.is_record
        name = effective_name(dot.expression, self._dialect) if is_record else fold(dot.expression.name)
        self._check(shape, name, dot)
        if self._is_function(name):
            if shape is Opaque.UNKNOWN or self._dialect == "postgres":
                raise self._call(name, dot)

    def path(self, use: ColumnUse) -> None:
        """`column.name.name`: never a call, in the dialects that have it."""
        shape = self._shapes.of_use(use)
        for part in path_of(use):
            self._check(shape, fold(part.name), use.node)
            shape = field(shape, fold(part.name))

    def unnested(self, node: exp.Expr, source: Source) -> None:
        """`s.name`, where s are the items of an array."""
        if source.columns is None and isinstance(node.this, exp.Identifier):
            self._check(self._shapes.of_items(source), fold(node.name), node)

    def bracket(self, bracket: exp.Expr) -> None:
        """`row['name']`: a column that the row does not have."""
        shape = self._shapes.of(bracket.this)
        if isinstance(shape, Struct) and shape.fields is not None:
            self._check(shape, fold(bracket.expressions[0].name), bracket)

    def _check(self, shape: Shape, name: str, where: exp.Expr) -> None:
        match shape:
            case Struct(None) | Opaque.UNKNOWN if self._dialect in FIELD_PATHS:
                return
            case Struct(fields) if fields is not None and self._dialect in _FIELDS:
                if name not in fields:
                    more = " …" if len(fields) > _LISTED else ""
                    there = ", ".join(list(fields)[:_LISTED])
                    raise Refused(Rule.COLUMN, where, f"There is no field {name}; there is: {there}{more}.")
            case _:
                raise self._call(name, where)

    def _call(self, name: str, where: exp.Expr) -> Refused:
        reason = "nothing declares such a field, and it could be the call of a function"
        hint = f"; a function is called as {name}(…)" if name in self._functions.callable else ""
        return Refused(Rule.FIELD, where, f".{name} is not allowed: {reason}{hint}.")

    def _is_function(self, name: str) -> bool:
        known = self._functions
        return name in known.callable or name in known.unreviewed or denied_reason(name) is not None
