"""Fewer levels: subqueries that only hand columns on, or only join, become part of the query around them.

wren-core writes a level for each step it takes. Databases see through them, but SQLite's parser has room for few.
"""

from __future__ import annotations

from sqlglot import exp


def flatten(query: exp.Query) -> None:
    """Merge what can be merged into the query around it, from the inside out; `query` is changed in place.

    Only a subquery that stands first in FROM and is nothing but columns of tables that are joined is merged, so rows
    and their number stay the same.
    """
    for select in reversed(list(query.find_all(exp.Select))):
        while _merge(select):
            pass


def _merge(outer: exp.Select) -> bool:
    source = outer.args.get("from_")
    if source is None:
        return False
    subquery = source.this
    if not isinstance(subquery, exp.Subquery) or not isinstance(subquery.this, exp.Select):
        return False
    inner = subquery.this
    values = _column_values(inner)
    joins = outer.args.get("joins") or []
    if values is None or (joins and not _may_be_joined(inner, values, joins)):
        return False
    own = _own_columns(outer, subquery.alias)
    if any(column.name not in values for column in own):
        return False
    for projection in list(outer.expressions):
        if isinstance(projection, exp.Column):
            # The column may be called something else inside.
            projection.replace(exp.alias_(projection.copy(), projection.name, quoted=True))
    for column in _own_columns(outer, subquery.alias):
        column.replace(values[column.name].copy())
    source.set("this", inner.args["from_"].this)
    outer.set("joins", [*(inner.args.get("joins") or []), *joins])
    return True


def _column_values(inner: exp.Select) -> dict[str, exp.Column] | None:
    """The columns behind the subquery's output, if it is nothing but columns of joined tables."""
    if not {key for key, value in inner.args.items() if value} <= {"expressions", "from_", "joins"}:
        return None
    values = {projection.alias_or_name: projection.unalias() for projection in inner.expressions}
    if inner.args.get("from_") is None or len(values) < len(inner.expressions):
        return None
    columns = {name: value for name, value in values.items() if isinstance(value, exp.Column)}
    return columns if len(columns) == len(values) else None


def _may_be_joined(inner: exp.Select, values: dict[str, exp.Column], joins: list[exp.Join]) -> bool:
    """Whether its tables can stand beside those it is joined with: every column says whose it is, no name is twice."""
    inside = {inner.args["from_"].this.alias, *(join.this.alias for join in inner.args.get("joins") or [])}
    beside = {join.this.alias for join in joins}
    left = all(join.side == "LEFT" for join in [*(inner.args.get("joins") or []), *joins])
    return left and all(value.table for value in values.values()) and "" not in inside and not inside & beside


def _own_columns(outer: exp.Select, alias: str) -> list[exp.Column]:
    """The columns in the query's own clauses, without those of its subqueries, that belong to the source `alias`."""
    found = []
    for key, value in outer.args.items():
        if key == "from_":
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, exp.Expr):
                found += [
                    column
                    for column in part.walk(prune=lambda node: isinstance(node, exp.Subquery))
                    if isinstance(column, exp.Column) and column.table in ("", alias)
                ]
    return found
