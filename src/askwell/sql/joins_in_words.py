"""How the tables of a statement were joined, and whether a person declared that they belong together."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, combinations, product

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef, Relationship, SemanticModel
from askwell.sql.bound import BoundSql
from askwell.sql.fanout import Statement


def joins_in_words(bound: BoundSql, model: SemanticModel, statement: Statement) -> tuple[str, ...]:
    """A sentence for each relationship of the model that a statement relies on: first those that are declared (by the
    database, or by who wrote the model), then those that were inferred. `statement` is `bound`, to look names up in.

    Of those, all whose columns the statement reads are told of: it may use them without setting them equal, as `IN`
    does.
    """
    read = set(bound.tables)
    links = [link for link in model.relationships if {link.left, link.right} <= read]
    if not links:
        return ()
    equated = equated_columns(statement)
    declared = [link for link in links if not link.inferred and link.equations <= equated]
    inferred = [link for link in links if link.inferred and (link.equations <= equated or _reads(bound, link))]
    sentences = chain(
        (f"{_tables(link)} were joined where {joined_by(link)}, as declared." for link in declared),
        (f"The database does not say that {joined_by(link)}; this was inferred{_why(link)}." for link in inferred),
    )
    return tuple(dict.fromkeys(sentences))


def _reads(bound: BoundSql, link: Relationship) -> bool:
    here, there = ({place[side] for place in link.pairs} for side in (0, 1))
    return link.left != link.right and here <= bound.columns[link.left] and there <= bound.columns[link.right]


def equated_columns(statement: Statement) -> frozenset[frozenset[ColumnRef]]:
    """The columns of the model that a statement sets equal, two by two."""
    names = statement.names
    equalities = statement.tree.find_all(exp.EQ)
    found: list[Iterable[tuple[ColumnRef, ...]]] = [
        product(names.places(equal.left), names.places(equal.right)) for equal in equalities
    ]
    for join in statement.tree.find_all(exp.Join):
        found += [combinations(names.places(shared), 2) for shared in join.args.get("using") or ()]
    return frozenset(map(frozenset, chain(*found)))


def _tables(link: Relationship) -> str:
    return link.left if link.left == link.right else f"{link.left} and {link.right}"


def joined_by(link: Relationship) -> str:
    """The columns that a relationship sets equal, as the sentences have them."""
    return " and ".join(f"{link.left}.{here} = {link.right}.{there}" for here, there in link.pairs)


def _why(link: Relationship) -> str:
    return f" ({link.reason})" if link.reason else ""
