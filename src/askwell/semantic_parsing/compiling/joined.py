"""The tables of one SELECT: how they are joined, which of them change nothing, and what the joins repeat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef
from askwell.semantic_parsing.compiling.comparability import Meaningless, refuse_joins
from askwell.semantic_parsing.compiling.vocabulary import Vocabulary
from askwell.semantic_parsing.model.catalog import Catalog
from askwell.semantic_parsing.model.join_graph import Join, JoinTree, SeveralRoles


@dataclass(frozen=True, slots=True)
class Joined:
    """`joins` in an order in which each adds one table to those before, beginning with `root`; `signs` are features.
    `outer` are the tables without a row of which what they are joined to stays."""

    root: str
    joins: tuple[Join, ...]
    signs: tuple[str, ...]
    outer: frozenset[str] = frozenset()

    @property
    def tables(self) -> tuple[str, ...]:
        """All tables, in order."""
        return (self.root, *(join.table for join in self.joins))


def join(catalog: Catalog, tables: Sequence[str], needed: Iterable[str], said: frozenset[str], dialect: str) -> Joined:
    """Connect the tables; those not `needed`, and only reached by their key, are left out again. Raises `Meaningless`
    where there is no path, or several that the question does not tell apart."""
    found = joining(catalog, tables, said)
    keep, joins = {found.root, *needed}, list(found.joins)
    while True:
        sources = {one.source for one in joins}
        leaf = next((j for j in joins if j.refers and j.table not in keep and j.table not in sources), None)
        if leaf is None:
            break
        joins.remove(leaf)
    refuse_joins(joins, catalog.facts, dialect)
    signs = tuple(f"join:{sign}" for sign in found.signs) if joins else ()
    return Joined(found.root, tuple(joins), signs)


def joining(catalog: Catalog, tables: Sequence[str], said: frozenset[str]) -> JoinTree:
    """The joins that connect the tables. Raises `Meaningless` where there are none, or several that the question does
    not tell apart."""
    found = catalog.graph.tree(tables, said)
    if isinstance(found, JoinTree):
        return found
    names = [catalog.table(name).readable for name in found.tables]
    if isinstance(found, SeveralRoles):
        raise Meaningless("ambiguous_path", *names, roles=found.roles)
    raise Meaningless("no_join_path", *names)


def optional(joined: Joined, *, whole: bool) -> frozenset[str]:
    """The tables that may have no row for one of the root: all others (`whole`), or those of which it may have many."""
    found: set[str] = set()
    for one in joined.joins:
        if whole or one.many or one.source in found:
            found.add(one.table)
    return frozenset(found)


def repeats(catalog: Catalog, joined: Joined, table: str) -> bool:
    """Whether the joins can repeat rows of the table."""
    seen, queue = {table}, [table]
    both_ways = [step for one in joined.joins for step in (one, catalog.graph.back(one))]
    while queue:
        here = queue.pop()
        for step in both_ways:
            if step.source == here and step.table not in seen:
                if step.many:
                    return True
                seen.add(step.table)
                queue.append(step.table)
    return False


def on(vocabulary: Vocabulary, step: Join) -> exp.Expr:
    """The condition of a join."""
    pairs = (
        exp.EQ(
            this=vocabulary.column(ColumnRef(step.source, left), qualified=True),
            expression=vocabulary.column(ColumnRef(step.table, right), qualified=True),
        )
        for left, right in step.pairs
    )
    return exp.and_(*pairs)
