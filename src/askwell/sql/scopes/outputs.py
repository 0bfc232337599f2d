"""What the columns of a query's result, of VALUES and of a table function are called."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from askwell.sql.names import fold
from askwell.sql.scopes.resolution import Scope, Source
from askwell.sql.table_functions import TABLE_FUNCTIONS


@dataclass(frozen=True, slots=True)
class Output:
    """The columns of a result. `columns` None: not known. `complete` as for `Source`."""

    columns: dict[str, str] | None
    complete: bool = True

    def renamed(self, names: list[str]) -> Output:
        """The output after an alias list: the first columns take the new names, the rest keep theirs."""
        if not names:
            return self
        given = {fold(name): name for name in names}
        if self.columns is None or not self.complete:
            return Output(given)
        return Output({**given, **dict(list(self.columns.items())[len(names) :])})


UNKNOWN = Output(None, False)


def merged_output(sides: list[Output]) -> Output:
    """The columns of all sides of a set operation."""
    merged: dict[str, str] = {}
    for side in sides:
        for key, name in (side.columns or {}).items():
            merged.setdefault(key, name)
    return Output(merged, all(side.complete and side.columns is not None for side in sides))


def star_output(sources: Iterable[Source]) -> Output:
    """The columns of `*` over `sources`."""
    columns: dict[str, str] = {}
    complete = True
    for source in sources:
        if source.half:
            continue
        if source.columns is None:
            return UNKNOWN
        complete = complete and source.complete
        for key, name in source.columns.items():
            columns.setdefault(key, name)
    return Output(columns, complete)


def select_output(projections: list[exp.Expr], scope: Scope) -> Output:
    """The columns of a SELECT with these projections over the sources of `scope`."""
    columns: dict[str, str] = {}
    complete = True
    for projection in projections:
        star = _star_of(projection)
        if star is not None:
            output = _star_projection(projection, star, scope)
            if output.columns is None:
                return UNKNOWN
            complete = complete and output.complete
            for key, name in output.columns.items():
                columns.setdefault(key, name)
        elif isinstance(projection, exp.Aliases):
            for identifier in projection.expressions:
                columns.setdefault(fold(identifier.name), identifier.name)
        elif name := _name_of(projection):
            columns.setdefault(fold(name), name)
        else:
            complete = False
    return Output(columns, complete)


def _star_of(projection: exp.Expr) -> exp.Expr | None:
    inner = projection.this if isinstance(projection, exp.Column) else projection
    return inner if isinstance(inner, exp.Star) else None


def _star_projection(projection: exp.Expr, star: exp.Expr, scope: Scope) -> Output:
    wanted = fold(projection.text("table")) if isinstance(projection, exp.Column) else None
    output = star_output(s for key, s in scope.sources.items() if wanted is None or key.rstrip("\0") == wanted)
    if output.columns is None:
        return output
    dropped = {fold(_last_name(column)) for column in star.args.get("except_") or ()}
    columns = {key: name for key, name in output.columns.items() if key not in dropped}
    columns |= {fold(renaming.alias): renaming.alias for renaming in star.args.get("rename") or ()}
    return Output(columns, output.complete)


def _name_of(projection: exp.Expr) -> str:
    """The name that the statement gives to a projection; empty where the engine makes one up."""
    if isinstance(projection, exp.Alias):
        return str(projection.alias)
    return _last_name(projection) if isinstance(projection, exp.Column | exp.Dot) else ""


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
        return Output({name: name for name in ("range", "generate_series", "value")})
    if isinstance(node, exp.Anonymous):
        names = TABLE_FUNCTIONS.get(dialect, {}).get(fold(node.name))
        if names is not None:
            return Output({name: name for name in names})
    return UNKNOWN


def function_name(node: exp.Expr) -> str:
    """What the rows of a function are called where they have no alias."""
    return str(node.name if isinstance(node, exp.Anonymous) else node.key)
