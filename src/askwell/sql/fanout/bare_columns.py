"""Columns that stand beside groups without being grouped or aggregated, where the database shows any row's value."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from askwell.sql.fanout.aggregates import has_aggregate
from askwell.sql.fanout.select_rows import SelectRows
from askwell.sql.fanout.statement import Statement
from askwell.sql.names import fold

# The others refuse such a statement.
_LENIENT = frozenset({"sqlite", "mysql"})
# What has one value in a group, or may have: calls by a name that the parser does not know can be aggregates.
_OVER_ROWS = (
    exp.AggFunc,
    exp.Anonymous,
    exp.AnonymousAggFunc,
    exp.Filter,
    exp.JSONArrayAgg,
    exp.JSONObjectAgg,
    exp.Query,
    exp.Window,
    exp.WithinGroup,
)


def bare_columns(statement: Statement) -> tuple[str, ...]:
    """A sentence for each such column of a bound statement; empty where what is grouped by determines them all, by the
    keys of the model and the equalities of joins and filters, and for databases that refuse them."""
    if statement.dialect not in _LENIENT:
        return ()
    sentences: dict[str, None] = {}
    for select, column in undetermined_columns(statement):
        grouped = select.args.get("group") is not None
        shows = "each group shows one of its values" if grouped else "the one row shows one of its values"
        text = column.sql(dialect=statement.dialect, comments=False)
        sentences[f"{text} is neither grouped nor aggregated: {shows}."] = None
    return tuple(sentences)


def undetermined_columns(statement: Statement) -> Iterator[tuple[exp.Select, exp.Column]]:
    """Each such column with its SELECT, whether or not the database refuses it."""
    for select in filter(_groups, statement.tree.find_all(exp.Select)):
        rows = statement.select(select)
        if rows is None or rows.joined.opaque or rows.totals:
            continue
        if statement.dialect == "sqlite" and _one_extreme(select):
            continue  # SQLite takes bare columns beside a single MIN or MAX from the row that has it
        for column in _undetermined(select, rows):
            yield select, column


def _clauses(select: exp.Select) -> list[exp.Expr]:
    """What is worked out once for each group."""
    after = (select.args.get(key) for key in ("having", "order"))
    return [*(projection.unalias() for projection in select.expressions), *(part for part in after if part is not None)]


def _groups(select: exp.Select) -> bool:
    return select.args.get("group") is not None or any(map(has_aggregate, _clauses(select)))


def _one_extreme(select: exp.Select) -> bool:
    found = {node.sql(comments=False) for part in _clauses(select) for node in part.find_all(exp.Min, exp.Max)}
    return len(found) == 1


def _undetermined(select: exp.Select, rows: SelectRows) -> Iterator[exp.Column]:
    grouping = [part.unnest() for part in rows.grouping or ()]
    reach = rows.joined.reach((), rows.fixed_by(grouping))
    keys = {_text(part) for part in grouping} - {""}
    # One row needs no order.
    shown = [part for part in _clauses(select) if grouping or not isinstance(part, exp.Order)]
    waiting = list(reversed(shown))
    while waiting:
        part = waiting.pop()
        if isinstance(part, _OVER_ROWS) or _text(part) in keys:
            continue
        if isinstance(part, exp.Column):
            candidates = rows.from_clause.candidates(part)
            if candidates and not any(reach.settles(column) for column in candidates):
                yield part
        else:
            waiting += reversed(list(part.iter_expressions()))


def _text(node: exp.Expr) -> str:
    """An expression without saying whose its columns are: a group may be written with it and shown without."""
    if isinstance(node, exp.Column | exp.Literal):
        return ""
    bare = node.copy()
    for column in list(bare.find_all(exp.Column)):
        for key in ("table", "db", "catalog"):
            column.set(key, None)
    return fold(bare.sql(comments=False))
