"""The valid names that come nearest to a wrong one, and where in the model they are."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from rapidfuzz import fuzz
from rapidfuzz.distance import JaroWinkler
from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef, SemanticModel, TableKind
from askwell.spelling import spelled_words
from askwell.sql.names import fold
from askwell.sql.scopes import Source

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[^\W\d_]+")


def nearest(name: str, candidates: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """At most `limit` of `candidates`, best first; empty when nothing is near.

    Compares spelling and, for names of several words, the words in any order: `customerId` is near `id_customer`. Of
    English compounds the last word says what they are: `room_capacity` is near `seat_capacity`.
    """
    wanted = _plain(name)
    by_plain: dict[str, list[str]] = {}
    for candidate in dict.fromkeys(candidates):
        by_plain.setdefault(_plain(candidate), []).append(candidate)
    scored: list[tuple[float, str]] = []
    for plain, spelled in by_plain.items():
        score = max(JaroWinkler.similarity(wanted, plain) * 100, fuzz.token_sort_ratio(wanted, plain))
        if plain.startswith(wanted) or set(wanted.split()) <= set(plain.split()):
            score = max(score, 85.0)
        elif set(plain.split()) < set(wanted.split()):
            score = max(score, 80.0)
        elif len(wanted.split()) > 1 and len(plain.split()) > 1 and wanted.split()[-1] == plain.split()[-1]:
            score = max(score, 78.0)
        scored += [(score, candidate) for candidate in spelled]
    scored.sort(key=lambda item: (-item[0], item[1]))
    good = [(score, candidate) for score, candidate in scored if score >= 72]
    # Beside a near certain one, distant ones only distract.
    best = good[0][0] if good else 0.0
    return tuple(candidate for score, candidate in good[:limit] if score >= best - 15)


def nearest_text(name: str, candidates: Iterable[str]) -> str:
    """`; nearest: a, b` to end a sentence with, or nothing."""
    found = nearest(name, candidates)
    return f"; nearest: {', '.join(found)}" if found else ""


def _plain(name: str) -> str:
    return " ".join(word.lower() for word in _WORDS.findall(name)) or name.lower()


def tables_of(sources: Iterable[Source]) -> frozenset[str]:
    """The names of the model's tables among the sources."""
    return frozenset(source.table.name for source in sources if source.table is not None)


def neighbours(model: SemanticModel, tables: Collection[str]) -> frozenset[str]:
    """The tables that one relationship connects with any of `tables`, and that are none of them."""
    pairs = ((link.left, link.right) for link in model.relationships)
    near = (other for left, right in pairs for one, other in ((left, right), (right, left)) if one in tables)
    return frozenset(near) - frozenset(tables)


def only_join(model: SemanticModel, table: str, sources: Iterable[Source]) -> str | None:
    """The condition that joins `table` to one of the sources, under the name that this one has in its query; None where
    no relationship does, or several."""
    conditions = {
        " AND ".join(f"{source.name}.{near} = {table}.{far}" for near, far in pairs)
        for source in sources
        if source.table is not None
        for link in model.relationships
        for left, right, pairs in (
            (link.left, link.right, link.pairs),
            (link.right, link.left, tuple((b, a) for a, b in link.pairs)),
        )
        if (left, right) == (source.table.name, table)
    }
    return conditions.pop() if len(conditions) == 1 else None


def columns_elsewhere(
    name: str, model: SemanticModel, used: Collection[str], named: Collection[str] = ()
) -> tuple[ColumnRef, ...]:
    """The columns of this name in tables that are not in `used`: those one relationship away from the tables `named`
    first, then those one away from any in `used`, views last."""
    nearest_of_all, near = neighbours(model, named), neighbours(model, used)
    owners = [table for table in model if table.name not in used and table.column(name) is not None]
    owners.sort(
        key=lambda table: (table.name not in nearest_of_all, table.name not in near, table.kind is not TableKind.MODEL)
    )
    return tuple(ColumnRef(table.name, column.name) for table in owners if (column := table.column(name)) is not None)


def columns_like(name: str, model: SemanticModel, used: Collection[str]) -> tuple[ColumnRef, ...]:
    """The columns in tables one relationship away from `used` whose names hold every word of this one; where there are
    none, those that come nearest to it with at least as many words; at most three then."""
    places: dict[str, list[ColumnRef]] = {}
    for table in sorted(neighbours(model, used) & model.tables.keys()):
        for column in model.tables[table].columns:
            places.setdefault(column.name, []).append(ColumnRef(table, column.name))
    wanted = _words(name)
    holding = tuple(place for other, found in places.items() if wanted and wanted <= _words(other) for place in found)
    if holding:
        return holding
    long_enough = [other for other in places if len(_words(other)) >= len(wanted)]
    return tuple(place for other in nearest(name, long_enough) for place in places[other])[:3]


def tables_with(columns: Collection[str], model: SemanticModel) -> tuple[str, ...]:
    """The tables that have all of these folded columns, views last; none where no column is asked for."""
    if not columns:
        return ()
    fitting = [table for table in model if set(columns) <= {fold(column.name) for column in table.columns}]
    return tuple(table.name for table in sorted(fitting, key=lambda table: table.kind is not TableKind.MODEL))


def columns_asked_of(table: exp.Expr) -> frozenset[str]:
    """The folded columns that a statement takes from a table in its FROM or JOIN: those behind the table's name or
    alias and, where nothing else is read there, those without a qualifier."""
    select = table.find_ancestor(exp.Select)
    if select is None:
        return frozenset()
    key = fold(table.alias_or_name)
    alone = isinstance(table.parent, exp.From) and not select.args.get("joins")
    names = {fold(projection.alias) for projection in select.expressions if isinstance(projection, exp.Alias)}
    asked = set()
    for column in select.find_all(exp.Column):
        qualifier = fold(column.text("table"))
        own = alone and not qualifier and column.find_ancestor(exp.Select) is select and fold(column.name) not in names
        if (own or qualifier == key) and not isinstance(column.this, exp.Star):
            asked.add(fold(column.name))
    return frozenset(asked)


def _words(name: str) -> set[str]:
    return {word.lower() for word in spelled_words(name)}
