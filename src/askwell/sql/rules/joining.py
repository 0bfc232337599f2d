"""A query with its joins: which tables are joined and how, which are not needed, and what a join would repeat."""

from __future__ import annotations

from dataclasses import dataclass, replace

from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import DeadEnd
from askwell.sql.rules.facts import ModelFacts
from askwell.sql.rules.joins import Join, JoinGraph, JoinTree, NoPath, SeveralRoles
from askwell.sql.rules.query import Absence, Query
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
    tree = _tree(graph, query.tables, words, facts)
    tree, dropped = _without_needless(query, tree, facts)
    query, repeats = _without_repeats(query, graph, facts, words)
    missing = tuple(_missing(absence, graph, facts, words) for absence in query.absences)
    assumptions = (*tree.assumptions, *dropped, *repeats, *(a for m in missing for a in m.tree.assumptions))
    if any(m.absence.conditions for m in missing):
        assumptions += tuple(
            assumption("negated_join", str(m.absence.conditions[0].values[0])) for m in missing if m.absence.conditions
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
    outputs = [*query.outputs, *query.groups, *(s.output for s in query.sorts), *(h.output for h in query.having)]
    read = {output.table for output in outputs if output.table is not None}
    return read | {condition.column.table for condition in (*query.conditions, *query.both)}


def _without_repeats(
    query: Query, graph: JoinGraph, facts: ModelFacts, words: frozenset[str]
) -> tuple[Query, tuple[Assumption, ...]]:
    """Where joining repeats the rows of what is asked for: each is listed and counted once, and a total is refused."""
    entity = query.everything or next((output.table for output in query.outputs if output.table is not None), None)
    _refuse_inflated(query, graph, facts, words)
    if entity is None or len(query.tables) < 2 or query.groups:
        return query, ()
    shown = {output.table for output in query.outputs} | {entity}
    if not _repeats(query, graph, entity, shown, words):
        return query, ()
    key = facts.tables[entity].key
    outputs, taken = query.outputs, []
    if key is not None:
        outputs = tuple(
            replace(o, column=key, distinct=True)
            if o.aggregate == "count" and o.column is None and o.rows_of == entity
            else o
            for o in query.outputs
        )
    taken.append(assumption("counted_once" if outputs != query.outputs else "row_repeats"))
    if any(output.aggregate == "avg" for output in query.outputs):
        taken.append(assumption("repeated_amounts"))
    plain = not any(output.aggregate for output in query.outputs) and not query.sorts
    return replace(query, outputs=outputs, distinct=query.distinct or plain), tuple(taken)


def _repeats(query: Query, graph: JoinGraph, entity: str, shown: set[str | None], words: frozenset[str]) -> bool:
    """Whether a row of the entity is there several times, told apart by nothing that is shown."""
    tree = graph.tree((entity, *(table for table in query.tables if table != entity)), words)
    if not isinstance(tree, JoinTree):
        return False
    for join in reversed(tree.joins):  # what lies on the way to something shown is told apart by it
        if join.table in shown:
            shown.add(join.source)
    return any(join.many and join.table not in shown for join in tree.joins)


def _refuse_inflated(query: Query, graph: JoinGraph, facts: ModelFacts, words: frozenset[str]) -> None:
    """A sum over rows that a join repeats is wrong, and nobody would see it."""
    for output in (*query.outputs, *(sort.output for sort in query.sorts)):
        if output.aggregate == "sum" and output.column is not None:
            table = output.column.table
            if len(query.tables) > 1 and _repeats(query, graph, table, {table}, words):
                readable = facts.columns[output.column].readable
                raise DeadEnd("inflated_total", readable, barred=output.column)


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
