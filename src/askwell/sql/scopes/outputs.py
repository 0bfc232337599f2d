"""What the columns of a query's result, of VALUES and of a table function are called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from askwell.sql.names import fold
from askwell.sql.scopes.resolution import Origin, Scope
from askwell.sql.table_functions import TABLE_FUNCTIONS


@dataclass(frozen=True, slots=True)
class Output:
    """The columns of a result. `columns` None: not known. `complete` and `origins` as for `Source`. `ordered` is False
    where the engine may have them in another order."""

    columns: dict[str, str] | None
    complete: bool = True
    origins: Mapping[str, Origin] = field(default_factory=dict)
    ordered: bool = True

    def renamed(self, names: list[str]) -> Output:
        """The output after an alias list: the first columns take the new names, the rest keep theirs."""
        if not names:
            return self
        given = {fold(name): name for name in names}
        if self.columns is None or not self.complete or not self.ordered:
            return Output(given)
        kept = dict(list(self.columns.items())[len(names) :])
        origins = {new: self.origins[old] for new, old in zip(given, self.columns, strict=False) if old in self.origins}
        return Output({**given, **kept}, origins=origins | {key: o for key, o in self.origins.items() if key in kept})


UNKNOWN = Output(None, False)
_NAMED_AS_INSIDE = (
    exp.Paren, exp.Subquery, exp.Cast, exp.Window, exp.Filter, exp.WithinGroup, exp.Collate, exp.Bracket, exp.Case
)  # fmt: skip
_CALLED = re.compile(r"(\w+)\(")
_SERIES_COLUMNS = ("range", "generate_series", "value")


def merged_output(sides: list[Output]) -> Output:
    """The columns of all sides of a set operation."""
    merged: dict[str, str] = {}
    for side in sides:
        for key, name in (side.columns or {}).items():
            merged.setdefault(key, name)
    return Output(merged, all(side.complete and side.columns is not None for side in sides))


def star_output(scope: Scope, wanted: str | None = None) -> Output:
    """The columns of `*` over the sources of `scope`, or over those of the folded name `wanted`."""
    columns: dict[str, str] = {}
    origins: dict[str, Origin] = {}
    complete = True
    for name, source in scope.sources.items():
        if source.half or wanted not in (None, name.rstrip("\0")):
            continue
        if source.columns is None:
            return UNKNOWN
        complete = complete and source.complete
        for key, name in source.columns.items():
            columns.setdefault(key, name)
            origins.setdefault(key, (source, key))
    # USING and NATURAL put the columns that they merge in front.
    return Output(columns, complete, origins, ordered=not (scope.merged or scope.natural))


def select_output(projections: list[exp.Expr], scope: Scope, dialect: str) -> Output:
    """The columns of a SELECT with these projections over the sources of `scope`."""
    columns: dict[str, str] = {}
    origins: dict[str, Origin] = {}
    complete = ordered = True
    for projection in projections:
        star = _star_of(projection)
        if star is not None:
            output = _star_projection(projection, star, scope)
            if output.columns is None:
                return UNKNOWN
            complete, ordered = complete and output.complete, ordered and output.ordered
            for key, name in output.columns.items():
                columns.setdefault(key, name)
                if key in output.origins:
                    origins.setdefault(key, output.origins[key])
        elif isinstance(projection, exp.Aliases):
            for identifier in projection.expressions:
                columns.setdefault(fold(identifier.name), identifier.name)
        elif name := _name_of(projection) or (_postgres_name(projection) if dialect == "postgres" else ""):
            key = fold(name)
            columns.setdefault(key, name)
            if key not in origins:
                origins[key] = projection.unalias()
        else:
            complete = False
    return Output(columns, complete, origins, ordered)


def _star_of(projection: exp.Expr) -> exp.Expr | None:
    inner = projection.this if isinstance(projection, exp.Column) else projection
    return inner if isinstance(inner, exp.Star) else None


def _star_projection(projection: exp.Expr, star: exp.Expr, scope: Scope) -> Output:
    wanted = fold(projection.text("table")) if isinstance(projection, exp.Column) else None
    output = star_output(scope, wanted)
    if output.columns is None:
        return output
    dropped = {fold(_last_name(column)) for column in star.args.get("except_") or ()}
    columns = {key: name for key, name in output.columns.items() if key not in dropped}
    columns |= {fold(renaming.alias): renaming.alias for renaming in star.args.get("rename") or ()}
    if star.args.get("replace") or star.args.get("rename"):
        return Output(columns, output.complete, ordered=output.ordered)
    return Output(columns, output.complete, output.origins, output.ordered)


def _name_of(projection: exp.Expr) -> str:
    """The name that the statement gives to a projection; empty where the engine makes one up."""
    if isinstance(projection, exp.Alias):
        return str(projection.alias)
    return _last_name(projection) if isinstance(projection, exp.Column | exp.Dot) else ""


def _postgres_name(projection: exp.Expr) -> str:
    """What PostgreSQL calls a column without an alias: after the function, or the name that is cast or chosen last.
    (https://github.com/postgres/postgres/blob/master/src/backend/parser/parse_target.c, FigureColname)"""
    node: exp.Expr | None = projection
    while isinstance(node, _NAMED_AS_INSIDE):
        node = node.args.get("default") if isinstance(node, exp.Case) else node.this
    if isinstance(node, exp.Select):
        first = node.expressions[0]
        return _name_of(first) or _postgres_name(first)
    called = _CALLED.match(node.sql("postgres")) if isinstance(node, exp.Func) else None
    return called[1].lower() if called else _name_of(node) if node is not None else ""


def _last_name(node: exp.Expr) -> str:
    return str(node.expression.name if isinstance(node, exp.Dot) else node.name)


def values_output(node: exp.Expr, dialect: str) -> Output:
    """The columns of VALUES without an alias list."""
    rows = node.expressions
    width = len(rows[0].expressions) if rows and isinstance(rows[0], exp.Tuple) else 1
    start, prefix = (0, "col") if dialect == "duckdb" else (1, "column")
    return Output({f"{prefix}{i}": f"{prefix}{i}" for i in range(start, start + width)})


def function_output(node: exp.Expr | None, dialect: str) -> Output:
    """The columns of a table function without an alias list, as far as they are known."""
    if isinstance(node, exp.GenerateSeries):
        names: Iterable[str] | None = ("generate_series",) if dialect == "postgres" else _SERIES_COLUMNS
    elif isinstance(node, exp.JSONTable):
        schema = node.args.get("schema")
        names = [column.name for column in schema.find_all(exp.JSONColumnDef) if column.name] if schema else None
    elif isinstance(node, exp.Anonymous):
        names = TABLE_FUNCTIONS.get(dialect, {}).get(fold(node.name))
    else:
        names = None
    if names is None:
        # On PostgreSQL any other name would be the call of a function.
        return Output({}, False) if dialect == "postgres" else UNKNOWN
    return Output({fold(name): name for name in names})


def function_name(node: exp.Expr) -> str:
    """What the rows of a function are called where they have no alias."""
    if isinstance(node, exp.GenerateSeries):
        return "generate_series"
    return str(node.name if isinstance(node, exp.Anonymous) else node.key)
