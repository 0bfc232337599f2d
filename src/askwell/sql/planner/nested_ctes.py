"""CTEs of subqueries moved to the outermost WITH, for databases in which they see nothing of it.

MariaDB looks for the tables of a CTE that a subquery defines only in the database itself and among the CTEs beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

from sqlglot import exp

from askwell.mdl.expressions import is_inside
from askwell.sql.scopes import Resolution


def hoist(tree: exp.Query, resolution: Resolution) -> None:
    """Move them in place. All CTEs of `tree` have names of their own already.

    Left where they are: those that read a column of the query around them, or a recursive CTE that they are a part of.
    """
    outermost = tree.args.get("with_")
    own = list(outermost.expressions) if outermost is not None else []
    nested = [cte for cte in tree.find_all(exp.CTE) if cte.parent is not outermost]
    if not nested:
        return
    reads = {id(cte): list(_definitions(cte, resolution)) for cte in [*own, *nested]}
    moved = _movable(nested, reads, resolution)
    known = {id(cte): cte for cte in [*own, *moved]}
    order = TopologicalSorter(
        {key: [id(read) for read in reads[key] if id(read) in known and read is not cte] for key, cte in known.items()}
    )
    try:
        ordered = [known[key] for key in order.static_order()]
    except CycleError:
        return  # no database takes CTEs that read one another
    clauses = {id(cte.parent): cte.parent for cte in known.values()}.values()
    recursive = any(clause.args.get("recursive") for clause in clauses if clause is not None)
    for cte in moved:
        _take_out(cte)
    tree.set("with_", exp.With(expressions=ordered, recursive=recursive))


def _movable(nested: list[exp.CTE], reads: Mapping[int, list[exp.Expr]], resolution: Resolution) -> list[exp.CTE]:
    """Those that read nothing which only exists where they stand."""
    correlated = {
        id(around)
        for use in resolution.columns
        for around in _ctes_around(use.node)
        if use.source.node is not None and not is_inside(use.source.node, around)
    }
    movable = [
        cte
        for cte in nested
        if id(cte) not in correlated and not any(is_inside(cte, read) for read in _others(cte, reads))
    ]
    while True:
        staying = {id(cte) for cte in nested} - {id(cte) for cte in movable}
        left = [
            cte
            for cte in movable
            if not any(id(read) in staying and not is_inside(read, cte) for read in _others(cte, reads))
        ]
        if len(left) == len(movable):
            return left
        movable = left


def _others(cte: exp.Expr, reads: Mapping[int, list[exp.Expr]]) -> Iterator[exp.Expr]:
    return (read for read in reads[id(cte)] if read is not cte)


def _definitions(cte: exp.Expr, resolution: Resolution) -> Iterator[exp.Expr]:
    """The CTEs that a CTE reads, also in queries inside it."""
    for node, identifier in resolution.cte_references:
        definition = identifier.find_ancestor(exp.CTE)
        if definition is not None and is_inside(node, cte):
            yield definition


def _ctes_around(node: exp.Expr) -> Iterator[exp.Expr]:
    around = node.find_ancestor(exp.CTE)
    while around is not None:
        yield around
        around = around.find_ancestor(exp.CTE)


def _take_out(cte: exp.CTE) -> None:
    clause = cte.parent
    assert clause is not None
    left = [other for other in clause.expressions if other is not cte]
    if left:
        clause.set("expressions", left)
    else:
        clause.pop()
