"""What a question could mean, as things that whoever asked it can choose from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from askwell.mdl.names import plural, readable, words
from askwell.mdl.semantic_model import ColumnRef
from askwell.question.words import stem
from askwell.resources import words_file
from askwell.semantic_parsing.forms import Bucket, During, Holds, Measure, Ref, Rows
from askwell.semantic_parsing.model.catalog import DATE, Catalog
from askwell.semantic_parsing.model.word_forms import word_forms
from askwell.semantic_parsing.parser import Candidate
from askwell.semantic_parsing.translation import Choice
from askwell.sql.bindings import Bindings

# Nobody reads a longer list.
MOST = 8


def of_columns(columns: Iterable[ColumnRef], catalog: Catalog) -> tuple[Choice, ...]:
    """Columns of which one is meant."""
    named = list(dict.fromkeys(columns))[:MOST]
    several = len({ref.table for ref in named}) > 1
    return tuple(
        Choice(
            catalog.full_name(ref) if several else catalog.readable(ref),
            Bindings(columns=(ref,)),
            catalog.description_of(ref),
        )
        for ref in named
    )


def of_tables(tables: Iterable[str], catalog: Catalog) -> tuple[Choice, ...]:
    """Tables of which one is meant, and not the others."""
    named = list(dict.fromkeys(tables))[:MOST]
    return tuple(
        Choice(
            catalog.readable(name),
            Bindings(tables=(name,), not_tables=tuple(other for other in named if other != name)),
            catalog.description_of(name),
        )
        for name in named
    )


def of_roles(roles: Sequence[str], catalog: Catalog) -> tuple[Choice, ...]:
    """Relationships between the same tables, by what the column that refers is called."""
    known = {one.name: one for one in catalog.facts.relationships}
    found = []
    for name in roles[:MOST]:
        left, right = known[name].left, known[name].right
        here, there = known[name].pairs[0]
        is_here = ColumnRef(right, there) == catalog.key(right)
        own = catalog.readable(ColumnRef(left, here) if is_here else ColumnRef(right, there))
        keys = word_forms().key_words | {"cd", "no"}
        label = " ".join(word for word in words(readable(own)) if stem(word) not in keys) or readable(own)
        conditions = " and ".join(f"{left}.{a} = {right}.{b}" for a, b in known[name].pairs)
        found.append(Choice(label, Bindings(relationships=(name,)), conditions))
    return tuple(found) if len({choice.label for choice in found}) == len(found) else ()


def of_figures(candidate: Candidate, catalog: Catalog) -> tuple[Choice, ...]:
    """Counting the rows that are counted, or adding up an amount that they have."""
    table = counted_table(candidate.query.select, candidate.query.head) or _table_of_amounts(candidate)
    amounts = [ref for ref, _ in catalog.amounts(table)] if table is not None else []
    if table is None or not amounts:
        return ()
    said = words_file("askwell.semantic_parsing", "choices.yaml")
    rows = Choice(
        said["rows"].format(plural(catalog.table(table).readable)), Bindings(figure="rows"), said["rows_detail"]
    )
    totals = ((ref, said["total"].format(_without_total(catalog.column(ref).readable))) for ref in amounts[: MOST - 1])
    return (rows, *(Choice(label.strip(), Bindings(figure=ref)) for ref, label in totals))


def _without_total(name: str) -> str:
    """The total of totals is one total."""
    first, _, rest = name.partition(" ")
    return rest if first.lower() == "total" else name


def _table_of_amounts(candidate: Candidate) -> str | None:
    """The one table whose amounts are added up, or counted."""
    figures = [shown.of for shown in candidate.query.select if isinstance(shown, Measure)]
    columns = [candidate.grounding.columns.get(of) for of in figures if isinstance(of, Ref)]
    tables = {column.table for column in columns if column is not None}
    return tables.pop() if len(tables) == 1 else None


def counted_table(shown: Sequence[object], head: str | None) -> str | None:
    """The one table whose rows are counted, or of whose rows a share is shown."""
    tables = {
        figure.of.table if isinstance(figure.of, Rows) else head
        for figure in shown
        if isinstance(figure, Measure) and (isinstance(figure.of, Rows) or figure.of is None)
    }
    return tables.pop() if len(tables) == 1 else None


def of_dates(candidate: Candidate, catalog: Catalog) -> tuple[Choice, ...]:
    """The dates of the tables that are read, where the question has a time and does not say of which date."""
    timed = (p.of for p in (*candidate.query.where, *candidate.query.group) if isinstance(p, During | Bucket))
    implicit = [of for of in timed if of.implicit]
    if not implicit:
        return ()
    options = [ref for ref, _ in implicit[0].options if catalog.kind(ref) == DATE and ref.table in candidate.tables]
    return of_columns(options, catalog) if len(options) > 1 else ()


def of_holders(candidate: Candidate, catalog: Catalog) -> tuple[Choice, ...]:
    """The columns that hold the one value of which nobody knows whose it is."""
    held = [p for p in candidate.query.where if isinstance(p, Holds) and p.of is None]
    if len(held) != 1:
        return ()
    columns = list(dict.fromkeys(ref for value in held[0].values for ref, _ in value.options))
    return of_columns(columns, catalog) if len(columns) > 1 else ()
