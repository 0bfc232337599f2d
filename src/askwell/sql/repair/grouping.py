"""Conditions on groups and on rows in each other's clause."""

from __future__ import annotations

from sqlglot import exp

from askwell.mdl.expressions import conjuncts


def aggregate_in_where(tree: exp.Expr) -> str | None:
    """What no engine takes: an aggregate in WHERE, in a sentence; those of a query around it do not count."""
    for select in tree.find_all(exp.Select):
        where = select.args.get("where")
        found = own_aggregates(where) if where is not None and select.find_ancestor(exp.Having) is None else []
        if found:
            shown = found[0].sql(comments=False)
            return f"{shown} stands in WHERE, which looks at single rows; conditions on groups stand in HAVING"
    return None


def repair_clauses(tree: exp.Expr) -> tuple[str, ...]:
    """Put conditions into the clause they belong to, in place, and say so; nothing where that is not certain."""
    sentences: list[str] = []
    for select in list(tree.find_all(exp.Select)):
        sentences += _where_to_having(select)
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
    if not groups or select.args.get("group") is None:
        return []
    select.set("where", exp.Where(this=exp.and_(*rows)) if rows else None)
    select.having(*groups, copy=False)
    return ["a condition on an aggregate moved from `WHERE` to `HAVING`"]
