"""Dots: each leads to a column, or to a field of a value that has such a field, as far as the statement's text and the
declared types of columns tell.

PostgreSQL takes `(x).name` and `x.name` for a call of the function `name` where x has no such field
(https://www.postgresql.org/docs/current/sql-expressions.html#FIELD-SELECTION), and T-SQL for a property of a CLR type.
So a dot that nothing explains is refused.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import Dialect, exp

from askwell.sql.guard.functions import Functions, denied_reason
from askwell.sql.guard.outcome import Allowed, Refused, Rule
from askwell.sql.guard.tables import effective_name
from askwell.sql.names import fold
from askwell.sql.scopes import FIELD_PATHS, ColumnUse, Items, Opaque, Resolution, Shape, Source, Struct, shape_of_type

_MOST_LEVELS = 40


class ValueShapes:
    """Shapes of the expressions of one statement, whose names `resolution` explains: of columns, whole rows, fields,
    items and casts. Of anything else nothing is known, but that it has no other fields than what it is made of."""

    def __init__(self, resolution: Resolution, allowed: Allowed, dialect: str) -> None:
        self._uses = {id(use.node): use for use in resolution.columns}
        self._rows = {id(node): source for node, source in resolution.rows}
        self._allowed = allowed
        self._dialect = dialect
        self._known: dict[int, Shape] = {}

    def use(self, node: exp.Expr) -> ColumnUse | None:
        """The column that `node` reads, if it is one."""
        return self._uses.get(id(node))

    def of_use(self, use: ColumnUse, level: int = 0) -> Shape:
        """The shape of a column's value."""
        return self._in_source(use.source, fold(use.name), level)

    def of_items(self, source: Source) -> Shape:
        """The shape of the rows that UNNEST makes of an array."""
        unnested = source.node.expressions if source.node is not None else []
        shape = self.of(unnested[0]) if len(unnested) == 1 else Opaque.UNKNOWN
        return shape.item if isinstance(shape, Items) else shape

    def of(self, node: exp.Expr | None, level: int = 0) -> Shape:
        """The shape of an expression's value. `level` counts the steps so far."""
        if node is None or level > _MOST_LEVELS:
            return Opaque.UNKNOWN
        if id(node) not in self._known:
            self._known[id(node)] = self._of(node, level)
        return self._known[id(node)]

    def _of(self, node: exp.Expr, level: int) -> Shape:
        match node:
            case exp.Column():
                return self._of_name(node, level + 1)
            case exp.Dot():
                use = self.use(node)  # of a column that is read by a path
                if use is not None:
                    return self.of_use(use, level + 1)
                return field(self.of(node.this, level + 1), fold(node.expression.name))
            case exp.Paren():
                return self.of(node.this, level + 1)
            case exp.Bracket():
                return _item(self.of(node.this, level + 1), node.expressions)
            case exp.Cast() | exp.TryCast():
                return shape_of_type(node.args.get("to"))
            case exp.Struct():
                return self._constructed(node, level + 1)
            case exp.Array() | exp.List() | exp.ArrayAgg():
                return self._gathered(node, level + 1)
        return self._of_any(node, level + 1)

    def _constructed(self, struct: exp.Expr, level: int) -> Shape:
        """STRUCT(1 AS a, b), {'a': 1}"""
        fields: dict[str, Shape] = {}
        for part in struct.expressions:
            if isinstance(part, exp.PropertyEQ | exp.Kwarg):
                fields[fold(part.this.name)] = self.of(part.expression, level)
            elif isinstance(part, exp.Alias | exp.Column):
                fields[fold(part.alias_or_name)] = self.of(part.unalias(), level)
        return Struct(fields) if len(fields) == len(struct.expressions) else Opaque.SCALAR

    def _gathered(self, node: exp.Expr, level: int) -> Shape:
        """[a, b], ARRAY_AGG(a ORDER BY b LIMIT 3)"""
        first = node.this if isinstance(node, exp.ArrayAgg) else next(iter(node.expressions), None)
        while isinstance(first, exp.Order | exp.Limit):
            first = first.this
        shape = self.of(first, level)
        return Opaque.UNKNOWN if isinstance(shape, Struct) and shape.is_record else Items(shape)

    def _of_any(self, node: exp.Expr, level: int) -> Shape:
        """Of what is made of columns, nothing is known unless one is a struct or a row; of what is made of none, that
        it has no fields. PostgreSQL could call a function for a field."""
        if self._dialect == "postgres":
            return Opaque.UNKNOWN
        shapes = [self.of(column, level) for column in node.find_all(exp.Column)]
        inner = [shape.item if isinstance(shape, Items) else shape for shape in shapes]
        structs = [shape for shape in inner if isinstance(shape, Struct) and shape.fields is not None]
        if structs and all(shape == structs[0] for shape in structs):
            return structs[0]
        if structs or not shapes or node.find(exp.Star, exp.Struct):
            return Opaque.SCALAR
        return Opaque.UNKNOWN

    def _of_name(self, column: exp.Expr, level: int) -> Shape:
        row = self._rows.get(id(column))
        if row is not None:
            return self._of_row(row, level)
        use = self.use(column)
        if use is None:
            return Opaque.UNKNOWN
        shape = self.of_use(use, level)
        for part in path_of(use):
            shape = field(shape, fold(part.name))
        return shape

    def _of_row(self, source: Source, level: int) -> Shape:
        if source.columns is None:
            return Opaque.UNKNOWN
        is_record = self._dialect == "postgres" and (source.table is None or source.renamed)
        exact = {key for key, name in source.columns.items() if name == key or not is_record}
        return Struct({key: self._in_source(source, key, level) for key in exact}, is_record)

    def _in_source(self, source: Source, key: str, level: int) -> Shape:
        declared: Mapping[str, Shape] = {}
        if source.table is not None and not source.renamed:
            declared = self._allowed.shapes.get(fold(source.table.name), {})
        elif source.table is None and isinstance(source.node, exp.Table) and not source.renamed:
            declared = self._allowed.cte_shapes.get(fold(source.node.name), {})
        if key in declared:
            return declared[key]
        origin = source.origins.get(key)
        if isinstance(origin, tuple):
            return self._in_source(*origin, level + 1) if level < _MOST_LEVELS else Opaque.UNKNOWN
        return self.of(origin, level)


def path_of(use: ColumnUse) -> list[exp.Expr]:
    """What stands behind the column in `orders.address.city`."""
    if use.part is use.node.args.get("this") or not isinstance(use.node, exp.Column):
        return []
    parts = [part for key in ("catalog", "db", "table", "this") if (part := use.node.args.get(key)) is not None]
    position = next((number for number, part in enumerate(parts) if part is use.part), len(parts))
    return [part for part in parts[position + 1 :] if isinstance(part, exp.Identifier)]


def field(shape: Shape, name: str) -> Shape:
    """What the field of that folded name holds."""
    if isinstance(shape, Struct) and shape.fields is not None:
        return shape.fields.get(name, Opaque.UNKNOWN)
    return Opaque.UNKNOWN


def _item(shape: Shape, subscripts: list[exp.Expr]) -> Shape:
    """x[1], x[1:2], x['field']"""
    if len(subscripts) != 1:
        return Opaque.UNKNOWN
    subscript = subscripts[0]
    if isinstance(shape, Items):
        return shape if isinstance(subscript, exp.Slice) else shape.item
    if isinstance(subscript, exp.Literal) and subscript.is_string:
        return field(shape, fold(subscript.name))
    return shape


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
