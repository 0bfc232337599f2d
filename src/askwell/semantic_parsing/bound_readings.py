"""Readings of a question whose meaning was given, and signs that "how many" asks for another amount."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import Any

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.lexicon import classes_of, english
from askwell.question.tokens import Token
from askwell.question.words import stems_of_word
from askwell.semantic_parsing.chart import Item
from askwell.semantic_parsing.forms import Clock, Compare, During, Holds, Measure, Predicate, Query, Ref, Rows
from askwell.semantic_parsing.grounding import Grounding, Part, parts_of
from askwell.semantic_parsing.lattice import Lattice
from askwell.semantic_parsing.model.catalog import EXACT, SYNONYM, Catalog
from askwell.semantic_parsing.model.facts import ModelFacts
from askwell.semantic_parsing.model.join_graph import JoinGraph, role_sign
from askwell.semantic_parsing.model.word_forms import word_forms
from askwell.sql.bindings import Bindings, Figure


def amounts_of_others(
    leaves: Sequence[Item], query: Query, grounding: Grounding, tokens: Sequence[Token], catalog: Catalog
) -> Iterator[str]:
    """Signs for a question whose reading has these `leaves`, in their order: "how many bikes" are not the sum of
    `bikes_available`, and "how many docks" not as many as stations where a column says how many docks there are."""
    if not leaves or leaves[0].category != "COUNT" or leaves[0].meaning != "count":
        return
    named = next((leaf for leaf in leaves[1:3] if leaf.category in ("TABLE", "COL")), None)
    if named is None:
        return
    said = _stems(tokens[named.start : named.end])
    if named.category == "COL":
        others = any(
            _is_of_some(grounding.columns[figure.of], _stems(tokens), catalog)
            or _is_no_sum(figure, grounding.columns[figure.of], catalog)
            for figure in query.select
            if isinstance(figure, Measure) and isinstance(figure.of, Ref) and figure.of in grounding.columns
        )
    else:
        by_another_word = f"table:{SYNONYM}" in named.features
        others = by_another_word and any(_counts(column, said, catalog) for column in catalog.facts.columns)
    if others:
        yield "sql:count_or_amount"


def _stems(tokens: Sequence[Token]) -> set[str]:
    units = {english().units[token.low] for token in tokens if token.low in english().units}
    return units.union(*(stems_of_word(token.low) for token in tokens))


def _is_of_some(column: ColumnRef, said: set[str], catalog: Catalog) -> bool:
    """Whether an amount is called by more than what was said, its table's name, and that it is an amount: it may be
    that of some only. Of a row there is one time between two dates."""
    facts, known = catalog.column(column), said | word_forms().counting | set(catalog.table(column.table).words)
    computed = facts.formula is not None and facts.duration is not None
    return facts.is_measure and not computed and not any(known.issuperset(names) for names in facts.names)


def _is_no_sum(figure: Measure, column: ColumnRef, catalog: Catalog) -> bool:
    """Whether different amounts are counted that nobody has called different."""
    return figure.op == "count" and not figure.distinct and catalog.column(column).is_measure


def _counts(column: ColumnRef, said: set[str], catalog: Catalog) -> bool:
    """Whether a column holds how many there are of what was said: `dock_count`."""
    facts = catalog.column(column)
    return facts.is_measure and any(set(names) - word_forms().counting == said for names in facts.names)


# What speaks against a reading, and no more where a figure was chosen.
_OF_FIGURES = frozenset({"sql:lines_counted", "sql:count_or_amount"})
# What may be joined in a role: "the shipping address", "to Berlin".
_NAMING = frozenset({"TABLE", "VAL"})


def keeps_to(bound: Bindings, tree: exp.Query, tables: tuple[str, ...]) -> bool:
    """Whether a statement of the parser's reads what it has to, and nothing that it must not."""
    if not set(bound.tables) <= set(tables) or set(bound.not_tables) & set(tables):
        return False
    read = {ColumnRef(column.table, column.name) for column in tree.find_all(exp.Column)}
    return set(bound.columns) <= read


def settled(bound: Bindings) -> frozenset[str]:
    """The features that say nothing any more, since somebody was asked."""
    return _OF_FIGURES if bound.figure else frozenset()


def role_words(reading: Item, lattice: Lattice) -> frozenset[str]:
    """The stems that may say in which role a table is joined: "from Berlin", but not "from 2024" or "per assignee"."""
    leaves = [leaf for leaf in reading.leaves() if leaf.end > leaf.start]
    following = [leaf.category for leaf in leaves[1:]]
    other = {
        place
        for leaf, after in zip_longest(leaves, following)
        if leaf.category not in _NAMING and not (leaf.category == "IN" and after in _NAMING)
        for place in range(leaf.start, leaf.end)
    }
    tokens = (token for place, token in enumerate(lattice.tokens) if place not in other)
    return frozenset(stem for token in tokens for stem in stems_of_word(token.low))


def of_another_role(
    before: Query, joined: Iterable[str], roles: Set[str], grounding: Grounding, graph: JoinGraph
) -> bool:
    """Whether something that was said `before` is about a table that a follow-up joins in another role: the city of
    "flights to Paris" is where they go to, and would stay in "per city that they come from". `joined` are the
    relationships of the statement before, `roles` the signs of those of the follow-up."""
    tables = {graph.referred(name) for name in joined if role_sign(name) not in roles}
    kept = {part for part, _ in parts_of(before)} & grounding.columns.keys()
    return any(grounding.columns[part].table in tables for part in kept)


def with_figure(query: Query, figure: Figure | None) -> Query:
    """The reading with the amount that is meant in place of the rows that it counts, or the other way round."""
    if figure is None:
        return query
    change = partial(_added_up, column=figure) if isinstance(figure, ColumnRef) else _counted
    shown = tuple(change(one) if isinstance(one, Measure) else one for one in query.select)
    return replace(query, select=shown) if shown != query.select else query


def with_count(query: Query, tokens: Sequence[Token], catalog: Catalog) -> Query:
    """The reading with how many rows there are in the place of these, where that is what a question asks: "did Ada
    visit in 2025", "is there any", and "visits this year", of what happens and has no name."""
    shown = [one for one in query.select if not isinstance(one, Rows)]
    head = query.head or next((one.table for one in query.select if isinstance(one, Rows)), None)
    if head is None or shown or query.rank or query.order or query.limit or query.everything:
        return query
    counted = replace(query, select=(Measure("count", Rows(head)),), head=head, late=False)
    lows = [token.low for token in tokens]
    money = catalog.money(head, lows)
    added_up = replace(query, select=(Measure("total", Ref(money, head)),)) if money else counted
    if query.group:
        return added_up if money and not query.select else query
    is_there = lows[0] in english().being and lows[1:2] in (["there"], ["any"])  # "are there any who …"
    whether = is_there or (lows[0] in english().auxiliaries and lows[0] not in english().being)
    timed = bool(query.where) and all(map(_is_of_a_time, query.where))
    happens = timed and not query.select and not query.mentions and catalog.happens(head)
    classes = [classes_of(low) for low in lows]
    told = any("ASK" in one and "RELATIVE" not in one for one in classes)
    listed = told or (not is_there and any("RELATIVE" in one for one in classes))
    return query if listed or not (whether or happens) else counted if whether else added_up


def _is_of_a_time(predicate: Predicate) -> bool:
    """Whether a condition only says when, and not of what."""
    match predicate:
        case During(of, periods):
            return of.implicit and not any(None in (period.start, period.end) for period in periods)
        case Compare(Ref(implicit=True), _, (Clock(), *_)):
            return True
    return False


def _counted(measure: Measure) -> Measure:
    if not isinstance(measure.of, Ref) or measure.op not in ("sum", "total", "count"):
        return measure
    table = measure.of.owner or measure.of.options[0][0].table
    return replace(measure, op="count", of=Rows(table), distinct=False)


def _added_up(measure: Measure, column: ColumnRef) -> Measure:
    if not (measure.of is None or isinstance(measure.of, Rows)) or measure.op not in ("count", "share"):
        return measure
    op = "sum" if measure.op == "count" else measure.op
    return replace(measure, op=op, of=Ref(((column, EXACT),)), distinct=False)


def with_times(query: Query, times: Collection[ColumnRef]) -> Query:
    """The reading with one of these dates in the place of each that it was resolved to and that nobody named: that of
    its table, or the only one."""
    by_table = {one.table: one for one in times}
    only = next(iter(times)) if len(times) == 1 else None
    found: Query = _changed(query, partial(_of_time, by_table=by_table, only=only)) if times else query
    return found


def _of_time(node: Any, by_table: Mapping[str, ColumnRef], only: ColumnRef | None) -> Any:
    if not isinstance(node, Ref) or not node.implicit or len(node.options) != 1:
        return None
    (taken, level) = node.options[0]
    meant = by_table.get(taken.table, only)
    return replace(node, options=((meant or taken, level),))


def _changed(node: Any, change: Callable[[Any], Any]) -> Any:
    """A form with what `change` makes of its parts, where that is something."""
    if isinstance(node, tuple) and not isinstance(node, ColumnRef):
        return tuple(_changed(one, change) for one in node)
    if not is_dataclass(node) or isinstance(node, type):
        return node
    if (found := change(node)) is not None:
        return found
    return replace(node, **{f.name: _changed(getattr(node, f.name), change) for f in fields(node) if f.init})


def relationships_in(tree: exp.Expr, facts: ModelFacts) -> tuple[str, ...]:
    """The relationships over which a statement of the parser's joins tables."""
    equal = [(one.this, one.expression) for join in tree.find_all(exp.Join) for one in join.find_all(exp.EQ)]
    pairs = {frozenset((ColumnRef(a.table, a.name), ColumnRef(b.table, b.name))) for a, b in equal if _columns(a, b)}
    return tuple(one.name for one in facts.relationships if one.equations <= pairs)


def _columns(left: exp.Expr, right: exp.Expr) -> bool:
    return isinstance(left, exp.Column) and isinstance(right, exp.Column)


def resolved(query: Query, columns: Mapping[Part, ColumnRef]) -> Query:
    """The reading in which each part means the column that it was grounded in, and no other."""
    found: Query = _changed(query, partial(_resolved, columns=columns))
    return found


def _resolved(node: Any, columns: Mapping[Part, ColumnRef]) -> Any:
    column = columns.get(node) if isinstance(node, Ref | Holds) else None
    if isinstance(node, Ref):
        kept = tuple(option for option in node.options if option[0] == column)
        return replace(node, options=kept) if kept else node
    if isinstance(node, Holds) and column is not None:
        values = (replace(v, options=tuple(o for o in v.options if o[0] == column) or v.options) for v in node.values)
        of = _resolved(node.of, {**columns, node.of: column}) if node.of is not None else None
        return replace(node, values=tuple(values), of=of)
    return None
