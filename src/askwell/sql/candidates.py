"""Where in the model a name that a statement gets wrong may be: columns and tables that its query does not read."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef, SemanticModel, TableKind
from askwell.spelling import spelled_words
from askwell.sql.names import fold
from askwell.sql.nearest import nearest
from askwell.sql.scopes import Source


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
