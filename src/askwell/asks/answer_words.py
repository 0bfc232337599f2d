"""What an answer in words means: one of the options, or a table, a column or a join that it names."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from itertools import chain

from askwell.asks.meant import ModelNames, plain_name, relationship_over
from askwell.asks.request import Clarification, Option
from askwell.errors import InvalidRequest
from askwell.mdl.semantic_model import ColumnRef, SemanticModel
from askwell.messages import say
from askwell.question.choosing import bare, chosen, is_yes, joined_by, named_as, sides
from askwell.sql.bindings import Bindings, Equations, Meaning, equations_of
from askwell.sql.nearest import nearest_text

_WRITTEN = re.compile(r"[^\s.]+(\.[^\s.]+)+")


def in_words(asked: Clarification, said: str, names: ModelNames) -> Bindings | None:
    """What holds by the answer; None for words that are none of the options, and name nothing that could be meant.
    Raises `InvalidRequest` for a table or column that is named and that the model does not have."""
    if asked.said is not None and asked.kind != "table_selection":  # of options called alike one may be meant by less
        if "." in said and len(columns := names.columns(said)) == 1:
            return Bindings(columns=tuple(columns))
        if _may_mean_anything(asked) and (table := names.model.table(said.strip())) is not None:
            return Bindings(tables=(table.name,))
    labels = [option.label for option in asked.options]
    is_label = plain_name(said) in map(plain_name, labels)
    if not is_label and (equations := _equations(said, names)):
        return joined_over(asked, said, names, equations)
    place = chosen(said, labels)
    if place is None and len(asked.options) == 1 and is_yes(said):
        place = 0
    return asked.options[place].bindings if place is not None else _named(asked, said, names)


def joined_over(
    asked: Clarification, condition: str, names: ModelNames, equations: Equations = frozenset()
) -> Bindings:
    """What holds where tables are joined by this condition, which sets these columns equal: one of the options, or a
    relationship of the model. Raises `InvalidRequest`."""
    model = names.model
    equations = equations or names.equations(condition) or relationship_over(condition, names).equations
    fitting = [one for one in asked.options if equations <= _equations_of(one, model)]
    if len(fitting) == 1:
        return fitting[0].bindings
    links = [link for link in model.relationships if link.equations == equations]
    link = links[0] if links else relationship_over(condition, names)  # refuses it, and says what is near
    ends = {link.left, link.right}
    read = [one for one in asked.options if one.bindings.tables and set(one.bindings.tables) <= ends]
    return read[0].bindings if len(read) == 1 else Bindings(relationships=(link.name,))


def with_meaning(asked: Clarification, answer: Bindings) -> Bindings:
    """The answer, with what it says of the words that were asked about, where it is one thing that they mean."""
    meant: tuple[str | ColumnRef, ...] = (*answer.tables, *answer.columns)
    if asked.said is None or len(meant) != 1 or answer.meanings:
        return answer
    return replace(answer, meanings=(Meaning(asked.said, meant[0]),))


def _may_mean_anything(asked: Clarification) -> bool:
    """Whether words are asked about that the data does not have."""
    return bool(asked.options and asked.options[0].bindings.meanings)


# -- joins ----------------------------------------------------------------------------------------------------------


def _equations(said: str, names: ModelNames) -> Equations:
    """The columns that an answer joins by: "a.x = b.y", "join a.x with b.y", or the only ones that link two tables
    ("join a with b"); none where it joins nothing."""
    verb, between = joined_by()
    plain = plain_name(said)
    if "=" in plain and (equations := names.equations(plain)):
        return equations
    if (join := verb.search(plain)) is None:
        return frozenset()
    rest = bare(plain[join.end() :])
    if pair := names.equation(rest, between):
        return frozenset((pair,))
    for gap in between.finditer(rest):
        ends = [bare(rest[: gap.start()]), bare(rest[gap.end() :])]
        if all(ends) and any(map(names.tables, ends)):
            tables = {names.table_called(end) for end in ends}
            links = {link.equations for link in names.model.relationships if {link.left, link.right} == tables}
            return links.pop() if len(links) == 1 else frozenset()
    return frozenset()


def _equations_of(option: Option, model: SemanticModel) -> Equations:
    return frozenset(chain(*(equations_of(name, model) for name in option.bindings.relationships)))


# -- tables and columns ---------------------------------------------------------------------------------------------


def _named(asked: Clarification, said: str, names: ModelNames) -> Bindings | None:
    """By "use table orders", "orders, not invoices", "orders.amount", or such a name alone."""
    meant, rejected = sides(said)
    table, column = named_as("table", meant), named_as("column", meant)
    avoided = {one.name for text in rejected for one in names.tables(named_as("table", text) or text)}
    columns = names.columns(column or meant) if table is None else []
    if columns:
        owners = {ref.table for ref in columns} if asked.kind == "table_selection" else set()
        if (fitting := _one_fitting(asked, columns, owners, names.model)) or len(columns) > 1:
            return fitting
        return Bindings(columns=tuple(columns), not_tables=tuple(sorted(avoided - {columns[0].table})))
    if column is not None or _WRITTEN.fullmatch(meant):
        _refuse_column(column or meant, names)
    if (found := _table(asked, table, meant, names)) is None:
        left = {name for option in asked.options for name in option.bindings.tables} - avoided
        return Bindings(not_tables=tuple(sorted(avoided))) if avoided and not meant and left else None
    if fitting := _one_fitting(asked, (), (found,), names.model):
        return fitting.merged(Bindings(not_tables=tuple(sorted(avoided - {found}))), names.model)
    read = [{*one.bindings.tables, *(ref.table for ref in _columns_of(one, names.model))} for one in asked.options]
    if asked.said is None and all(found in tables for tables in read):
        return None
    rivals = chain(*(option.bindings.tables for option in asked.options if asked.kind == "table_selection"))
    return Bindings(tables=(found,), not_tables=tuple(sorted({*rivals, *avoided} - {found})))


def _table(asked: Clarification, explicit: str | None, meant: str, names: ModelNames) -> str | None:
    """The table that is named; by less than its name where a word's meaning is asked for, or it is said to be one."""
    said = explicit or meant
    if len(found := names.tables(said)) == 1:
        return found[0].name
    if asked.said is None and explicit is None:
        return None
    tables = list(names.model)
    for called in ([table.display_name or table.name for table in tables], [table.name for table in tables]):
        if (place := chosen(said, called, numbered=False)) is not None:
            return tables[place].name
    return names.table_called(explicit) if explicit is not None else None


def _refuse_column(said: str, names: ModelNames) -> None:
    if "." in said:
        names.column_called(said)
    near = nearest_text(said, {column.name for table in names.model for column in table.columns})
    raise InvalidRequest(*say("ask.unknown_column", said=said, near=near))


def _one_fitting(
    asked: Clarification, columns: Collection[ColumnRef], tables: Collection[str], model: SemanticModel
) -> Bindings | None:
    """The only option that is about one of these columns or tables; a table is another thing than its column where
    words are asked about that the data does not have."""
    apart = _may_mean_anything(asked)
    found = [
        one.bindings
        for one in asked.options
        if set(tables) & set(one.bindings.tables)
        or set(columns) & (read := _columns_of(one, model))
        or (not apart and set(tables) & {ref.table for ref in read})
    ]
    return found[0] if len(found) == 1 else None


def _columns_of(option: Option, model: SemanticModel) -> set[ColumnRef]:
    bindings = option.bindings
    figure = (bindings.figure,) if isinstance(bindings.figure, ColumnRef) else ()
    return {*bindings.columns, *figure, *chain(*_equations_of(option, model))}
