"""Columns that a SELECT groups by without saying so: engines of some dialects want each of them in GROUP BY."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from askwell.sql.binder import ModelCatalogue
from askwell.sql.names import fold
from askwell.sql.repair.aggregates import own_aggregates
from askwell.sql.repair.equalities import Equalities, Place
from askwell.sql.repair.work import Surroundings, Work
from askwell.sql.scopes import resolve

STRICT_GROUPING = frozenset({"duckdb", "postgres", "trino", "bigquery", "snowflake", "tsql"})


def may_lack_groups(tree: exp.Expr, dialect: str) -> bool:
    """Whether `repair_groups` could find something; costs one look at each SELECT."""
    if dialect not in STRICT_GROUPING:
        return False
    return any(list(_ungrouped(select)) for select in tree.find_all(exp.Select))


def repair_groups(tree: exp.Expr, around: Surroundings) -> tuple[str, ...]:
    """Add to GROUP BY, in place, what is certainly grouped by.

    That is every plain column beside aggregates where there is no GROUP BY at all, and columns that the key which is
    grouped by determines.
    """
    if not may_lack_groups(tree, around.dialect):
        return ()
    resolution = resolve(tree, ModelCatalogue(around.model, around.dialect), around.dialect)
    work = Work(around, tree, resolution)
    sentences: dict[str, None] = {}
    for select in tree.find_all(exp.Select):
        lacking = list(_ungrouped(select))
        group = select.args.get("group")
        if not lacking or not (_determined(lacking, group, select, work) if group is not None else _plain(lacking)):
            continue
        distinct = {column.sql(comments=False): column for column in lacking}
        grouped = group.expressions if group is not None else []
        select.set("group", exp.Group(expressions=[*grouped, *(column.copy() for column in distinct.values())]))
        sentences[f"grouped by `{', '.join(distinct)}`, which was not said"] = None
    return tuple(sentences)


def _ungrouped(select: exp.Select) -> Iterator[exp.Column]:
    """Columns that are selected, filtered or sorted by after grouping, and are not grouped by."""
    group = select.args.get("group")
    projections = [p.unalias() for p in select.expressions]
    if group is None and not any(own_aggregates(p) for p in projections):
        return
    if select.args.get("distinct") is not None or (
        group is not None and {key for key, said in group.args.items() if said} != {"expressions"}
    ):
        return
    aliases = {fold(p.alias) for p in select.expressions if isinstance(p, exp.Alias)}
    keys = group.expressions if group is not None else []
    names = {fold(key.name) for key in keys if isinstance(key, exp.Column)}
    grouped = {_text(key) for key in keys if not isinstance(key, exp.Column | exp.Literal)}
    numbers = {int(key.name) for key in keys if isinstance(key, exp.Literal) and key.name.isdigit()}
    after = [p for number, p in enumerate(projections, 1) if number not in numbers]
    if group is not None:
        after += [select.args[key] for key in ("having", "order") if select.args.get(key) is not None]
    for node in after:
        for column in _outside_aggregates(node, grouped):
            bare = fold(column.name)
            # Without its qualifier, or with it, the same column: whoever binds names sees to it.
            if isinstance(column.this, exp.Star) or bare in names or (not column.table and bare in aliases):
                continue
            yield column


def _outside_aggregates(node: exp.Expr, grouped: set[str]) -> Iterator[exp.Column]:
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, exp.AggFunc | exp.Query | exp.Window) or (grouped and _text(part) in grouped):
            continue
        if isinstance(part, exp.Column):
            yield part
        else:
            waiting += list(part.iter_expressions())


def _determined(lacking: list[exp.Column], group: exp.Expr, select: exp.Select, work: Work) -> bool:
    """Whether each of these columns has one value in a group, because the key of its table is grouped by."""
    equal = Equalities(select, work)
    uses = {id(use.node): use for use in work.resolution.columns}
    keys: list[Place] = [
        (id(uses[id(key)].source), fold(uses[id(key)].name)) for key in group.expressions if id(key) in uses
    ]
    for column in lacking:
        use = uses.get(id(column))
        table = work.around.model.tables.get(use.source.table.name) if use is not None and use.source.table else None
        if use is None or table is None or not table.primary_key:
            return False
        if not all(any(equal.same((id(use.source), fold(part)), key) for key in keys) for part in table.primary_key):
            return False
    return True


def _plain(lacking: list[exp.Column]) -> bool:
    """Whether each is selected as it is, and no part of an expression."""
    return all(isinstance(column.parent, exp.Select | exp.Alias) for column in lacking)


def _text(node: exp.Expr) -> str:
    return fold(node.sql(comments=False)) if not isinstance(node, exp.Query) else ""
