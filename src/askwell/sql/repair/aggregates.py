"""Conditions on groups and on rows that stand in each other's clause."""

from __future__ import annotations

from sqlglot import exp

from askwell.sql.names import fold
from askwell.sql.repair.equalities import conjuncts

# Engines where HAVING without groups is a second WHERE.
_LOOSE_HAVING = frozenset({"mysql"})


def may_be_misplaced(tree: exp.Expr, dialect: str) -> bool:
    """Whether `repair_clauses` could find something; costs one look at each SELECT."""
    return dialect not in _LOOSE_HAVING and any(
        select.args.get("group") is None and select.args.get("having") is not None
        for select in tree.find_all(exp.Select)
    )


def aggregate_in_where(tree: exp.Expr) -> str | None:
    """What no engine takes: an aggregate in WHERE, in a sentence; those of a query around it do not count."""
    for select in tree.find_all(exp.Select):
        where = select.args.get("where")
        found = own_aggregates(where) if where is not None and select.find_ancestor(exp.Having) is None else []
        if found:
            shown = found[0].sql(comments=False)
            return f"{shown} stands in WHERE, which looks at single rows; conditions on groups stand in HAVING"
    return None


def repair_clauses(tree: exp.Expr, dialect: str) -> tuple[str, ...]:
    """Put conditions into the clause they belong to, in place, and say so; nothing where that is not certain."""
    sentences: list[str] = []
    for select in list(tree.find_all(exp.Select)):
        sentences += _where_to_having(select)
        sentences += _having_to_where(select, dialect)
    return tuple(dict.fromkeys(sentences))


def own_aggregates(node: exp.Expr) -> list[exp.Expr]:
    """The aggregates below a node that are not those of a query inside it, nor of a window."""
    found: list[exp.Expr] = []
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, exp.AggFunc) and not _is_scalar(part):
            found.append(part)
        elif isinstance(part, exp.Window):
            continue
        waiting += [child for child in part.iter_expressions() if not isinstance(child, exp.Query)]
    return found


def _is_scalar(node: exp.Expr) -> bool:
    """MAX and MIN of several values are the greatest and least of one row."""
    return isinstance(node, exp.Max | exp.Min) and bool(node.expressions)


def _where_to_having(select: exp.Select) -> list[str]:
    where = select.args.get("where")
    if where is None:
        return []
    rows: list[exp.Expr] = []
    groups: list[exp.Expr] = []
    for part in conjuncts(where.this):
        (groups if own_aggregates(part) else rows).append(part)
    if not groups:
        return []
    if select.args.get("group") is None:
        return _compared_with_whole(select, groups, rows)
    select.set("where", exp.Where(this=exp.and_(*rows)) if rows else None)
    select.having(*groups, copy=False)
    return ["a condition on an aggregate moved from `WHERE` to `HAVING`"]


def _compared_with_whole(select: exp.Select, groups: list[exp.Expr], rows: list[exp.Expr]) -> list[str]:
    """`WHERE age = max(age)` of one table, without any other condition, means the greatest age of that table."""
    from_ = select.args.get("from_")
    table = from_.this if from_ is not None else None
    if len(groups) != 1 or rows or not isinstance(table, exp.Table) or select.args.get("joins"):
        return []
    found = own_aggregates(groups[0])
    if len(found) != 1 or not isinstance(found[0], exp.Max | exp.Min | exp.Avg) or own_aggregates_of(select):
        return []
    aggregate = found[0]
    if not isinstance(groups[0], exp.Binary) or not isinstance(aggregate.this, exp.Column):
        return []
    inner = table.copy()
    inner.set("alias", None)
    inside = aggregate.copy()
    for column in inside.find_all(exp.Column):
        column.set("table", None)
    whole = exp.Subquery(this=exp.Select(expressions=[inside]).from_(inner))
    text = aggregate.sql(comments=False)
    aggregate.replace(whole)
    return [f"`{text}` read as that of the whole table"]


def own_aggregates_of(select: exp.Select) -> list[exp.Expr]:
    """The aggregates that a SELECT computes."""
    return [found for projection in select.expressions for found in own_aggregates(projection)]


def _having_to_where(select: exp.Select, dialect: str) -> list[str]:
    having = select.args.get("having")
    if having is None or select.args.get("group") is not None or dialect in _LOOSE_HAVING:
        return []
    aliases = {fold(p.alias) for p in select.expressions if isinstance(p, exp.Alias)}
    if own_aggregates(having) or own_aggregates_of(select):
        return []
    if any(not c.table and fold(c.name) in aliases for c in having.find_all(exp.Column)):
        return []
    select.where(having.this, copy=False)
    select.set("having", None)
    return ["a condition on rows moved from `HAVING` to `WHERE`"]
