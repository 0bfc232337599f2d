"""A query with its joins: which tables are joined and how, which are not needed, and what a join would repeat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import DeadEnd
from askwell.sql.rules.facts import ModelFacts
from askwell.sql.rules.joins import Join, JoinGraph, JoinTree, NoPath, SeveralRoles
from askwell.sql.rules.query import Absence, Output, Query
from askwell.sql.rules.translation import Assumption

# "customers but no suppliers": over more joins than these, nobody means that the one belongs to the other.
_FARTHEST_ABSENCE = 3


@dataclass(frozen=True, slots=True)
class Missing:
    """The rows that must not be there: `tree` starts at a neighbour of the outer table, reached by `outer`."""

    outer: Join
    tree: JoinTree
    absence: Absence


@dataclass(frozen=True, slots=True)
class JoinedQuery:
    """A query that can be written down as SQL."""

    query: Query
    tree: JoinTree
    missing: tuple[Missing, ...]
    assumptions: tuple[Assumption, ...]

    @property
    def tables(self) -> tuple[str, ...]:
        """All tables that are read, without doubles."""
        inner = [t for m in self.missing for t in (m.tree.root, *(j.table for j in m.tree.joins))]
        return tuple(dict.fromkeys((self.tree.root, *(join.table for join in self.tree.joins), *inner)))


def join(query: Query, graph: JoinGraph, facts: ModelFacts, words: frozenset[str]) -> JoinedQuery:
    """Join the query's tables. `words` are the question's stems. A query that cannot be joined is a dead end."""
    query, present = _with_rows_that_exist(query, graph, facts, words)
    tree = _tree(graph, query.tables, words, facts)
    tree, dropped = _without_needless(query, tree, facts)
    query, repeats = _without_repeats(query, graph, facts, words)
    missing = (*present, *(_missing(absence, graph, facts, words) for absence in query.absences))
    assumptions = (*tree.assumptions, *dropped, *repeats, *(a for m in missing for a in m.tree.assumptions))
    assumptions += tuple(
        assumption("negated_join", str(m.absence.conditions[0].values[0]))
        for m in missing
        if m.absence.conditions and m.absence.conditions[0].values and not m.absence.present
    )
    return JoinedQuery(query, tree, missing, tuple(dict.fromkeys(assumptions)))


def _tree(graph: JoinGraph, tables: tuple[str, ...], words: frozenset[str], facts: ModelFacts) -> JoinTree:
    match graph.tree(tables, words):
        case JoinTree() as tree:
            return tree
        case NoPath(unconnected):
            raise DeadEnd("no_join_path", *(facts.tables[t].readable for t in unconnected))
        case SeveralRoles(between, _):
            raise DeadEnd("ambiguous_path", *(facts.tables[t].readable for t in between))


def _without_needless(query: Query, tree: JoinTree, facts: ModelFacts) -> tuple[JoinTree, tuple[Assumption, ...]]:
    """A leaf that is reached by its key, and of which nothing is used, changes no row: leave it out."""
    needed = {
        tree.root,
        *query.keep,
        query.everything,
        *_read_tables(query),
        *(absence.table for absence in query.absences),
    }
    joins = list(tree.joins)
    dropped: list[Assumption] = []
    while True:
        sources = {join.source for join in joins}
        leaf = next((j for j in joins if j.table not in needed and j.table not in sources and j.refers), None)
        if leaf is None:
            break
        joins.remove(leaf)
        dropped.append(assumption("dropped_table", facts.tables[leaf.table].readable))
    if not dropped:
        return tree, ()
    kept = {join.table for join in joins}
    still = tuple(a for a in tree.assumptions if a.kind not in ("join", "bridge") or kept)
    return replace(tree, joins=tuple(joins), assumptions=still), tuple(dropped)


def _read_tables(query: Query) -> set[str]:
    return _shown_tables(query) | {condition.column.table for condition in (*query.conditions, *query.both)}


def _without_repeats(
    query: Query, graph: JoinGraph, facts: ModelFacts, words: frozenset[str]
) -> tuple[Query, tuple[Assumption, ...]]:
    """Where joining repeats the rows of what is asked for: each is listed and counted once, and a total is refused."""
    entity = query.everything or next((output.table for output in query.outputs if output.table is not None), None)
    _refuse_inflated(query, graph, facts, words)
    counted = _counted_once(query, graph, facts, words)
    taken = [assumption("counted_once")] if counted != query else []
    query = counted
    figure = any(output.aggregate in ("share", "per") for output in query.outputs)
    if entity is None or len(query.tables) < 2 or query.groups or figure:
        return query, tuple(taken)
    shown = {output.table for output in query.outputs} | {entity}
    if not _repeats(query, graph, entity, shown, words) or taken:
        return query, tuple(taken)
    plain = not any(output.aggregate for output in query.outputs) and not query.sorts
    return replace(query, distinct=query.distinct or plain), (assumption("row_repeats"),)


def _counted_once(query: Query, graph: JoinGraph, facts: ModelFacts, words: frozenset[str]) -> Query:
    """Counts of rows that a join repeats count their keys instead: "customers per genre" buy many tracks of each."""

    def once(output: Output) -> Output:
        rows = output.rows_of
        if output.aggregate != "count" or output.column is not None or rows is None or rows not in query.tables:
            return output
        if not _repeats(query, graph, rows, {rows}, words):
            return output
        key = facts.tables[rows].key
        if key is None:
            raise DeadEnd("inflated_count", facts.tables[rows].readable)
        return replace(output, column=key, distinct=True)

    if len(query.tables) < 2:
        return query
    having = tuple(replace(h, output=once(h.output)) for h in query.having)
    sorts = tuple(replace(s, output=once(s.output)) for s in query.sorts)
    return replace(query, outputs=tuple(once(o) for o in query.outputs), having=having, sorts=sorts)


def _repeats(query: Query, graph: JoinGraph, entity: str, shown: set[str | None], words: frozenset[str]) -> bool:
    """Whether a row of the entity is there several times, told apart by nothing that is shown. A table that does
    nothing but link has each pair once, so that in a group of the one side a row of the other is there once."""
    tree = graph.tree((entity, *(table for table in query.tables if table != entity)), words)
    if not isinstance(tree, JoinTree):
        return False
    groups = {group.column.table for group in query.groups if group.column is not None}
    linked = {join.table for join in tree.joins if join.table in groups and graph.is_link(join.source)}
    shown = shown | {table for table in linked if len(groups) == 1}
    for join in reversed(tree.joins):  # what lies on the way to something shown is told apart by it
        if join.table in shown:
            shown.add(join.source)
    return any(join.many and join.table not in shown for join in tree.joins)


def _refuse_inflated(query: Query, graph: JoinGraph, facts: ModelFacts, words: frozenset[str]) -> None:
    """A sum or an average over rows that a join repeats is wrong, and nobody would see it."""
    for output in query.outputs:
        rows = output.rows_of
        if output.aggregate in ("share", "per") and rows is not None and _repeats(query, graph, rows, {rows}, words):
            raise DeadEnd("inflated_count", facts.tables[rows].readable)
    for output in _computed(query):
        if output.column is not None and _repeats(query, graph, output.column.table, {output.column.table}, words):
            readable = facts.columns[output.column].readable
            raise DeadEnd("inflated_total", readable, barred=output.column)


def _computed(query: Query) -> Iterator[Output]:
    """The outputs that a repeated row would change."""
    everywhere = (*query.outputs, *(s.output for s in query.sorts), *(h.output for h in query.having))
    return (o for o in everywhere if o.aggregate in ("sum", "avg") and o.column is not None)


def _with_rows_that_exist(
    query: Query, graph: JoinGraph, facts: ModelFacts, words: frozenset[str]
) -> tuple[Query, tuple[Missing, ...]]:
    """ "the average score of customers with a loan": rows that are only there to be had become a condition, since
    joining them would count a customer once for each loan."""
    if any(output.aggregate == "sum" for output in _computed(query)):
        return query, ()  # what an order with a certain product comes to is not what was sold of the product
    share = next((output.rows_of for output in query.outputs if output.aggregate == "share"), None)
    entities: set[str | None] = {output.column.table for output in _computed(query) if output.column is not None}
    entities = entities or {share}
    if len(entities) != 1 or len(query.tables) < 2 or query.everything or query.any_of or query.both:
        return query, ()
    entity = entities.pop()
    if entity is None:
        return query, ()
    tree = graph.tree((entity, *(table for table in query.tables if table != entity)), words)
    if not isinstance(tree, JoinTree):
        return query, ()
    read = _shown_tables(query)
    tops = [join for join in tree.joins if join.source == entity and (join.many or share is not None)]
    cut = [join for join in tops if not read & _below(tree, join)]
    if not cut:
        return query, ()
    found = []
    for join in cut:
        inside = _below(tree, join)
        conditions = tuple(c for c in query.conditions if c.column.table in inside)
        joins = tuple(j for j in tree.joins if j is not join and j.table in inside)
        absence = Absence(entity, join.table, (), conditions, present=True)
        found.append(Missing(join, replace(tree, root=join.table, joins=joins), absence))
    gone = {table for join in cut for table in _below(tree, join)}
    left = replace(
        query,
        tables=tuple(table for table in query.tables if table not in gone),
        keep=tuple(table for table in query.keep if table not in gone),
        conditions=tuple(c for c in query.conditions if c.column.table not in gone),
    )
    return left, tuple(found)


def _shown_tables(query: Query) -> set[str]:
    """The tables of what is shown, grouped, sorted and compared by group."""
    outputs = [*query.outputs, *query.groups, *(s.output for s in query.sorts), *(h.output for h in query.having)]
    rows = {output.rows_of for output in outputs if output.rows_of is not None and output.aggregate in ("share", "per")}
    return rows | {output.table for output in outputs if output.table is not None} | {a.table for a in query.absences}


def _below(tree: JoinTree, top: Join) -> set[str]:
    """The tables that are reached by a join, and by those that follow it."""
    found = {top.table}
    for join in tree.joins:
        if join.source in found:
            found.add(join.table)
    return found


def _missing(absence: Absence, graph: JoinGraph, facts: ModelFacts, words: frozenset[str]) -> Missing:
    tree = _tree(graph, (absence.table, *absence.via, absence.missing), words, facts)
    if any(a.kind == "sibling_path" for a in tree.assumptions):
        raise DeadEnd("negation_over_a_join", facts.tables[absence.missing].readable)
    if len(tree.joins) > _FARTHEST_ABSENCE:
        raise DeadEnd("negation_over_a_join", facts.tables[absence.missing].readable)
    starts = [join for join in tree.joins if join.source == absence.table]
    if len(starts) != 1:
        raise DeadEnd("negation_over_a_join", facts.tables[absence.missing].readable)
    inner = tuple(join for join in tree.joins if join is not starts[0])
    return Missing(starts[0], replace(tree, root=starts[0].table, joins=inner), absence)
