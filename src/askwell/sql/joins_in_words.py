"""How the tables of a statement were joined, and whether somebody declared that they belong together."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from sqlglot import exp

from askwell.mdl.semantic_model import Relationship, SemanticModel
from askwell.sql.bound import BoundSql
from askwell.sql.names import fold

Place = tuple[str, str]


def joins_in_words(bound: BoundSql, model: SemanticModel) -> tuple[str, ...]:
    """A sentence for each relationship of the model that a statement relies on: first those that are declared (by the
    database, or by who wrote the model), then those that were inferred.

    Of those, all whose columns the statement reads are told of: it may use them without setting them equal, as `IN`
    does.
    """
    read = set(bound.tables)
    links = [link for link in model.relationships if {link.left, link.right} <= read]
    if not links:
        return ()
    equated = set(_equated(bound))
    declared = [link for link in links if not link.inferred and _pairs(link) <= equated]
    inferred = [link for link in links if link.inferred and (_pairs(link) <= equated or _reads(bound, link))]
    sentences = chain(
        (f"{_tables(link)} were joined where {_condition(link)}, as declared." for link in declared),
        (f"The database does not say that {_condition(link)}; this was inferred{_why(link)}." for link in inferred),
    )
    return tuple(dict.fromkeys(sentences))


def _pairs(link: Relationship) -> set[frozenset[Place]]:
    left, right = fold(link.left), fold(link.right)
    return {frozenset(((left, fold(here)), (right, fold(there)))) for here, there in link.pairs}


def _reads(bound: BoundSql, link: Relationship) -> bool:
    here, there = ({place[side] for place in link.pairs} for side in (0, 1))
    return link.left != link.right and here <= bound.columns[link.left] and there <= bound.columns[link.right]


def _equated(bound: BoundSql) -> Iterator[frozenset[Place]]:
    """The pairs of columns that a statement sets equal, by the names of the tables that have them."""
    tables = {fold(table.alias_or_name): fold(table.name) for table in bound.tree.find_all(exp.Table)}
    for equal in bound.tree.find_all(exp.EQ):
        if isinstance(equal.left, exp.Column) and isinstance(equal.right, exp.Column):
            yield frozenset((_place(equal.left, tables, bound), _place(equal.right, tables, bound)))
    for join in bound.tree.find_all(exp.Join):
        for shared in join.args.get("using") or ():
            owners = [fold(name) for name, columns in bound.columns.items() if _has(columns, shared.name)]
            yield from (
                frozenset(((one, fold(shared.name)), (other, fold(shared.name)))) for one in owners for other in owners
            )


def _place(column: exp.Column, tables: dict[str, str], bound: BoundSql) -> Place:
    if column.table:
        return tables.get(fold(column.table), ""), fold(column.name)
    owners = [fold(name) for name, columns in bound.columns.items() if _has(columns, column.name)]
    return owners[0] if len(owners) == 1 else "", fold(column.name)


def _has(columns: frozenset[str], name: str) -> bool:
    return any(fold(column) == fold(name) for column in columns)


def _tables(link: Relationship) -> str:
    return link.left if link.left == link.right else f"{link.left} and {link.right}"


def _condition(link: Relationship) -> str:
    return " and ".join(f"{link.left}.{here} = {link.right}.{there}" for here, there in link.pairs)


def _why(link: Relationship) -> str:
    return f" ({link.reason})" if link.reason else ""
