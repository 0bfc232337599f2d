"""The shape of a result: what is shown, and whether it can be the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from askwell.checking.finding import Finding, Rewrite, Severity
from askwell.checking.lexicon import cues
from askwell.checking.question import AskedWords
from askwell.checking.rewrites import LooseTable, is_certainly_one, loose_tables, with_exists, without_table
from askwell.checking.shown import hidden_groups, hidden_labels, hidden_ranks
from askwell.checking.statement import Written, names_of
from askwell.mdl.semantic_model import Table
from askwell.question.stems import stems
from askwell.semantic_parsing.model.word_forms import word_forms
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql
from askwell.sql.fanout import FanOut, Statement, find_fan_outs, undetermined_columns

_W, _N = Severity.WRONG, Severity.NOTE


def shapes(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """What cannot be the answer as it is shown."""
    yield from _constant(written)
    yield from hidden_labels(asked, written)
    yield from hidden_ranks(asked, written)
    yield from hidden_groups(asked, written)
    statement = Statement(written.tree, written.model, written.bound.dialect)
    for _, column in undetermined_columns(statement):
        groups = [one for group in written.tree.find_all(exp.Group) for one in group.find_all(exp.Column)]
        is_grouped = written.ref(column) in [written.ref(one) for one in groups]  # UPPER(name) of groups by LOWER(name)
        if column.find_ancestor(exp.Order) is None and not is_grouped:
            text = written.text(column)
            yield Finding(
                "undetermined", _W, "", text, f"{text} has several values in a group, and any of them is shown."
            )
            break
    yield from _tables(asked, written, find_fan_outs(statement))


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


def _tables(asked: AskedWords, written: Written, fan_outs: Sequence[FanOut]) -> Iterator[Finding]:
    """Joins that repeat what is added up, and tables that only the joins use and no word names."""
    known, said = set(asked.stems), "Leaves out {0}, which nothing else uses."
    repeating = set()
    times = written.has(exp.Count) and cues().first(asked, "times")
    for found in fan_outs:
        loose, rewrite = _rows_once(written, found, known)
        is_unused = loose is not None and not (loose.conditions or _stems(loose.table) & known or times)
        if loose is not None and is_unused and not found.inflates:
            repeating.add(id(loose.source))
            message = (
                f"{loose.table.name} is joined and not used, and {found.aggregate} takes rows more than once by it."
            )
            yield Finding("table_unused", _W, "", loose.table.name, message, rewrite)
        else:
            severity = _W if found.inflates else _N
            yield Finding("fan_out", severity, "", found.aggregate, found.sentence, rewrite if found.inflates else None)
    aggregates = written.has(exp.AggFunc)
    for loose in loose_tables(written):
        name = loose.table.name
        if loose.conditions or _stems(loose.table) & known or id(loose.source) in repeating:
            continue
        if loose.is_by_key or not aggregates:
            rewrite = without_table(written, loose, said.format(name)) if is_certainly_one(written, loose) else None
            yield Finding("table_unused", _N, "", name, f"{name} is joined and not used.", rewrite)


def _stems(table: Table) -> set[str]:
    return {stem for name in names_of(table) for stem in stems(name)}


def _rows_once(written: Written, found: FanOut, known: set[str]) -> tuple[LooseTable | None, Rewrite | None]:
    """The table without whose join the aggregate is over each row once, and the statement with EXISTS instead. Only
    where the question names what the figures are of: a price of what is sold may be meant once for each sale."""
    root = written.root
    figures = list(root.find_all(exp.AggFunc)) if root is not None else []
    elsewhere = any(node.find(exp.Column) is None or node.find_ancestor(exp.Select) is not root for node in figures)
    columns = (column for node in figures for column in node.find_all(exp.Column))
    refs = [ref for column in columns if (ref := written.refs.get(id(column))) is not None]
    is_named = all(_stems(written.model.tables[ref.table]) & known for ref in refs)
    prices = {stem for ref in refs for stem in stems(ref.column)} & word_forms().prices
    if elsewhere or prices or not is_named or written.has(exp.Window):
        return None, None
    for loose in loose_tables(written):
        source = written.sources[id(loose.other)]
        once = f"each row of {source.table.name if source.table is not None else source.name} once"
        rewrite = with_exists(written, loose, f"Uses {once}, however many rows of {loose.table.name} match.")
        bound = bind(rewrite.tree, written.model, written.bound.dialect) if rewrite is not None else None
        if isinstance(bound, BoundSql):
            left = find_fan_outs(Statement(bound.tree, written.model, bound.dialect))
            if found.aggregate not in (one.aggregate for one in left):
                return loose, rewrite
    return None, None
