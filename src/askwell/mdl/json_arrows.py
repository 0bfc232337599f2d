"""`payload -> 'a'` among a function's arguments: sqlglot reads it as a lambda in every dialect.

Most databases have no lambdas: there it is the JSON operator. Read as a lambda its left side is a parameter rather than
a column, which nobody would look for in the model.
"""

from __future__ import annotations

from sqlglot import Dialect, exp

WITHOUT_LAMBDAS = frozenset({"postgres", "mysql", "sqlite", "tsql"})
# DuckDB has both. These take a lambda: https://duckdb.org/docs/stable/sql/functions/lambda
_TAKE_LAMBDAS = (exp.Transform, exp.ArrayFilter, exp.Reduce, exp.Columns)
_TAKE_LAMBDAS_BY_NAME = frozenset(
    """
    apply list_apply array_apply list_transform array_transform filter list_filter array_filter
    reduce list_reduce array_reduce
    """.split()  # noqa: SIM905 - a list of names reads better as words
)
# What sqlglot took into the lambda's body begins with the operator's right side.
_BEGIN_WITH_THIS = (exp.Binary, exp.Cast, exp.In, exp.Between, exp.Bracket, exp.AtTimeZone, exp.Alias, exp.Ordered)


def read_json_arrows(tree: exp.Expr, dialect: str) -> exp.Expr:
    """The tree, changed in place, with JSON operators where the dialect has them for lambdas of one parameter."""
    if dialect not in WITHOUT_LAMBDAS and dialect != "duckdb":
        return tree
    kind = Dialect.get_or_raise(dialect)
    for node in reversed(list(tree.find_all(exp.Lambda))):
        parameter = node.expressions[0] if len(node.expressions) == 1 else None
        if not isinstance(parameter, exp.Identifier) or not isinstance(node.this, exp.Expr):
            continue
        if dialect == "duckdb" and (node.args.get("colon") or _takes_lambdas(node.parent)):
            continue
        holder = exp.Paren(this=node.this.copy())
        right = holder.this
        while isinstance(right, _BEGIN_WITH_THIS) and isinstance(right.this, exp.Expr):
            right = right.this
        path = kind.to_json_path(right.copy())
        only_json = kind.parser_class.JSON_ARROWS_REQUIRE_JSON_TYPE
        right.replace(exp.JSONExtract(this=exp.column(parameter.copy()), expression=path, only_json_types=only_json))
        node.replace(holder.this)
    return tree


def _takes_lambdas(call: exp.Expr | None) -> bool:
    return isinstance(call, _TAKE_LAMBDAS) or (
        isinstance(call, exp.Anonymous) and call.name.lower() in _TAKE_LAMBDAS_BY_NAME
    )
