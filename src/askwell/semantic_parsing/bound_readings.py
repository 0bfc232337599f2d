"""Readings of a question of which somebody has said what it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef
from askwell.semantic_parsing.forms import Holds, Measure, Query, Ref, Rows
from askwell.semantic_parsing.grounding import Part
from askwell.semantic_parsing.model.catalog import EXACT
from askwell.semantic_parsing.model.facts import ModelFacts
from askwell.sql.bindings import Bindings, Figure

# What speaks against a reading, and no more where a column or a figure was chosen.
_OF_COLUMNS = frozenset({"ground:any_date", "ground:borrowed_date", "ground:other_label", "ground:rival"})
_OF_COLUMNS |= {"sql:begun_today", "sql:time_of_another"}
_OF_FIGURES = frozenset({"sql:lines_counted", "sql:count_or_amount"})


def keeps_to(bound: Bindings, tree: exp.Query, tables: tuple[str, ...]) -> bool:
    """Whether a statement of the parser's reads what it has to, and nothing that it must not."""
    if not set(bound.tables) <= set(tables) or set(bound.not_tables) & set(tables):
        return False
    read = {ColumnRef(column.table, column.name) for column in tree.find_all(exp.Column)}
    return set(bound.columns) <= read


def settled(bound: Bindings) -> frozenset[str]:
    """The features that say nothing any more, since somebody was asked."""
    return (_OF_COLUMNS if bound.columns else frozenset()) | (_OF_FIGURES if bound.figure else frozenset())


def with_figure(query: Query, figure: Figure | None) -> Query:
    """The reading with the amount that is meant in place of the rows that it counts."""
    if not isinstance(figure, ColumnRef):
        return query
    shown = tuple(_added_up(one, figure) if isinstance(one, Measure) else one for one in query.select)
    return replace(query, select=shown) if shown != query.select else query


def _added_up(measure: Measure, column: ColumnRef) -> Measure:
    if not (measure.of is None or isinstance(measure.of, Rows)) or measure.op not in ("count", "share"):
        return measure
    op = "sum" if measure.op == "count" else measure.op
    return replace(measure, op=op, of=Ref(((column, EXACT),)), distinct=False)


def relationships_in(tree: exp.Expr, facts: ModelFacts) -> tuple[str, ...]:
    """The relationships over which a statement of the parser's joins tables."""
    equal = [(one.this, one.expression) for join in tree.find_all(exp.Join) for one in join.find_all(exp.EQ)]
    pairs = {frozenset((ColumnRef(a.table, a.name), ColumnRef(b.table, b.name))) for a, b in equal if _columns(a, b)}
    return tuple(
        one.name
        for one in facts.relationships
        if all(frozenset((ColumnRef(one.left, a), ColumnRef(one.right, b))) in pairs for a, b in one.pairs)
    )


def _columns(left: exp.Expr, right: exp.Expr) -> bool:
    return isinstance(left, exp.Column) and isinstance(right, exp.Column)


def resolved(query: Query, columns: Mapping[Part, ColumnRef]) -> Query:
    """The reading in which each part means the column that it was grounded in, and no other."""
    found: Query = _resolved(query, columns)
    return found


def _resolved(node: Any, columns: Mapping[Part, ColumnRef]) -> Any:
    if isinstance(node, tuple):
        return tuple(_resolved(one, columns) for one in node)
    if not is_dataclass(node) or isinstance(node, type | ColumnRef):
        return node
    column = columns.get(node) if isinstance(node, Ref | Holds) else None
    if isinstance(node, Ref):
        kept = tuple(option for option in node.options if option[0] == column)
        return replace(node, options=kept) if kept else node
    if isinstance(node, Holds) and column is not None:
        values = (replace(v, options=tuple(o for o in v.options if o[0] == column) or v.options) for v in node.values)
        of = _resolved(node.of, {**columns, node.of: column}) if node.of is not None else None
        return replace(node, values=tuple(values), of=of)
    changed = {f.name: _resolved(getattr(node, f.name), columns) for f in fields(node) if f.init}
    return replace(node, **changed)
