"""The shape of a result: what is shown, and whether it can be the answer."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from askwell.checking.finding import Finding, Severity
from askwell.checking.question import AskedWords
from askwell.checking.statement import Written, names_of
from askwell.question.stems import stems
from askwell.sql.fanout import Statement, find_fan_outs, undetermined_columns

_W, _N = Severity.WRONG, Severity.NOTE


def shapes(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """What cannot be the answer as it is shown."""
    yield from _constant(written)
    yield from _unused_tables(asked, written)
    statement = Statement(written.tree, written.model, written.bound.dialect)
    for _, column in undetermined_columns(statement):
        if column.find_ancestor(exp.Order) is None:
            text = written.text(column)
            yield Finding(
                "undetermined", _W, "", text, f"{text} has several values in a group, and any of them is shown."
            )
            break
    for found in find_fan_outs(statement):
        yield Finding("fan_out", _W if found.inflates else _N, "", found.aggregate, found.sentence)


def _constant(written: Written) -> Iterator[Finding]:
    """All that is shown is fixed by a filter."""
    root = written.root
    where = root.args.get("where") if root is not None else None
    if root is None or where is None:
        return
    fixed = {
        part.ref
        for part in written.filters
        if isinstance(part.node, exp.EQ)
        and part.node.find_ancestor(exp.Where) is where
        and part.node.find_ancestor(exp.Or, exp.Not, exp.Subquery) is None
    }
    shown = [written.ref(item.unalias()) for item in root.expressions]
    if shown and all(ref is not None and ref in fixed for ref in shown):
        text = written.text(root.expressions[0])
        yield Finding("constant_answer", _W, "", text, f"{text} is fixed by a condition, so that it tells nothing.")


def _unused_tables(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """Tables that only the joins use, and that no word names."""
    root = written.root
    tables = list(root.find_all(exp.Table)) if root is not None else []
    if len(tables) < 2 or any(isinstance(item, exp.Star) for item in (root.expressions if root else ())):
        return
    known = set(asked.stems)
    for table in written.tables:
        if any(stem in known for name in names_of(table) for stem in stems(name)):
            continue
        places = [
            node
            for node in written.tree.find_all(exp.Column)
            if (ref := written.refs.get(id(node))) and ref.table == table.name
        ]
        joined = [node for node in places if node.find_ancestor(exp.Join) is not None]
        others = [n for n in joined if isinstance(n.parent, exp.EQ)]
        if places and len(joined) == len(places) and len(others) < 2:
            yield Finding("table_unused", _N, "", table.name, f"{table.name} is joined and not used.")
