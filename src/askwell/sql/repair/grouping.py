"""Conditions on groups and on rows in each other's clause, and columns that GROUP BY lacks."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from askwell.sql.binder import ModelCatalogue
from askwell.sql.names import fold
from askwell.sql.repair.work import Equalities, Place, Surroundings, Work, conjuncts
from askwell.sql.scopes import resolve

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
