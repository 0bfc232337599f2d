"""What an answer in words means: one of the options, or a table, a column or a join that it names."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from itertools import chain

from askwell.asks.clarification import Clarification, Option
from askwell.asks.meant import relationship_over
from askwell.asks.model_names import ModelNames, plain_name
from askwell.errors import InvalidRequest
from askwell.mdl.semantic_model import ColumnRef, SemanticModel
from askwell.question.choosing import bare, chosen, is_yes, joined_by, named_as, sides
from askwell.sql.bindings import Bindings, Equations, Meaning, equations_of
from askwell.sql.nearest import nearest_text

_WRITTEN = re.compile(r"[^\s.]+(\.[^\s.]+)+")


def in_words(asked: Clarification, said: str, names: ModelNames) -> Bindings | None:
    """What holds by the answer; None for words that are none of the options, and name nothing that could be meant.
    Raises `InvalidRequest` for a table or column that is named and that the model does not have."""
    if (
        asked.said is not None
        and asked.kind != "table_selection"
        and (exact := _exactly(asked, said.strip(), names.model)) is not None
    ):
        return exact
    labels = [option.label for option in asked.options]
    is_label = plain_name(said) in map(plain_name, labels)
    if not is_label and (equations := _equations(said, names)):
        return _over(asked, equations, names)
    place = chosen(said, labels)
    if place is None and len(asked.options) == 1 and is_yes(said):
        place = 0
    return asked.options[place].bindings if place is not None else _named(asked, said, names)


def joined_over(asked: Clarification, condition: str, names: ModelNames) -> Bindings:
    """What holds where tables are joined by this condition: one of the options, or a relationship of the model. Raises
    `InvalidRequest`."""
    equations = names.equations(condition) or relationship_over(condition, names).equations
    return _over(asked, equations, names)


def with_meaning(asked: Clarification, answer: Bindings) -> Bindings:
    """The answer, with what it says of the words that were asked about, where it is one thing that they mean."""
    meant: tuple[str | ColumnRef, ...] = (*answer.tables, *answer.columns)
    if asked.said is None or len(meant) != 1 or answer.meanings:
        return answer
    return replace(answer, meanings=(Meaning(asked.said, meant[0]),))


def _exactly(asked: Clarification, said: str, model: SemanticModel) -> Bindings | None:
    """The column that is named as table.column, or the table by its own name where any could be meant: of options that
    are called alike one may be meant by less."""
    table, _, name = said.rpartition(".")
    if table:
        column = model.column(table, name)
        return Bindings(columns=(column,)) if column is not None else None
    named = model.table(said) if _may_mean_anything(asked) else None
    return Bindings(tables=(named.name,)) if named is not None else None


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
        known = [names.tables(end) for end in ends]
        if not any(known):
            continue
        tables = {names.table_called(end) for end in ends}
        links = {link.equations for link in names.model.relationships if {link.left, link.right} == tables}
        return links.pop() if len(links) == 1 else frozenset()
    return frozenset()


def _over(asked: Clarification, equations: Equations, names: ModelNames) -> Bindings:
    model = names.model
    fitting = [one for one in asked.options if equations <= _equations_of(one, model)]
    if len(fitting) == 1:
        return fitting[0].bindings
    links = [link for link in model.relationships if link.equations == equations]
    if not links:
        condition = " AND ".join(" = ".join(map(str, sorted(pair))) for pair in equations)
        links = [relationship_over(condition, names)]  # refuses it, and says what is near
    ends = {links[0].left, links[0].right}
    read = [one for one in asked.options if one.bindings.tables and set(one.bindings.tables) <= ends]
    return read[0].bindings if len(read) == 1 else Bindings(relationships=(links[0].name,))


def _equations_of(option: Option, model: SemanticModel) -> Equations:
    return frozenset(chain(*(equations_of(name, model) for name in option.bindings.relationships)))


# -- tables and columns ---------------------------------------------------------------------------------------------


def _named(asked: Clarification, said: str, names: ModelNames) -> Bindings | None:
    """By "use table orders", "orders, not invoices", "orders.amount", or such a name alone."""
    meant, rejected = sides(said)
    table, column = named_as("table", meant), named_as("column", meant)
    avoided = {one.name for text in rejected for one in names.tables(named_as("table", text) or text)}
    columns = names.columns(column or meant) if table is None else []
    owners = {ref.table for ref in columns} if asked.kind == "table_selection" else set()
    if columns and (fitting := _one_fitting(asked, columns, owners, names.model)):
        return fitting
    if len(columns) == 1:
        return Bindings(columns=(columns[0],), not_tables=tuple(sorted(avoided - {columns[0].table})))
    if not columns and (column is not None or _WRITTEN.fullmatch(meant)):
        _refuse_column(column or meant, names)
    if columns:
        return None
    if (found := _table(asked, table, meant, names)) is None:
        left = {name for option in asked.options for name in option.bindings.tables} - avoided
        return Bindings(not_tables=tuple(sorted(avoided))) if avoided and not meant and left else None
    if fitting := _one_fitting(asked, (), (found,), names.model):
        return fitting.merged(Bindings(not_tables=tuple(sorted(avoided - {found}))), names.model)
    if asked.said is None and _all_read(asked, found, names.model):
        return None
    rivals = chain(*(option.bindings.tables for option in asked.options if asked.kind == "table_selection"))
    return Bindings(tables=(found,), not_tables=tuple(sorted({*rivals, *avoided} - {found})))


def _table(asked: Clarification, explicit: str | None, meant: str, names: ModelNames) -> str | None:
    """The table that is named; by less than its name where a word's meaning is asked for, or it is said to be one."""
    said = explicit or meant
    if len(found := names.tables(said)) == 1:
        return found[0].name
    tables = list(names.model)
    place = None
    if asked.said is not None or explicit is not None:
        place = chosen(said, [table.display_name or table.name for table in tables], numbered=False)
        place = place if place is not None else chosen(said, [table.name for table in tables], numbered=False)
    if place is None and explicit is not None:
        return names.table_called(explicit)
    return tables[place].name if place is not None else None


def _refuse_column(said: str, names: ModelNames) -> None:
    if "." in said:
        names.column_called(said)
    near = nearest_text(said, {column.name for table in names.model for column in table.columns})
    raise InvalidRequest(f"The model has no column “{said}”{near}.", "Name a column of the model.")


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


def _all_read(asked: Clarification, table: str, model: SemanticModel) -> bool:
    """Whether all options read the table anyway."""
    return all(
        table in {*one.bindings.tables, *(ref.table for ref in _columns_of(one, model))} for one in asked.options
    )


def _columns_of(option: Option, model: SemanticModel) -> set[ColumnRef]:
    bindings = option.bindings
    figure = (bindings.figure,) if isinstance(bindings.figure, ColumnRef) else ()
    return {*bindings.columns, *figure, *chain(*_equations_of(option, model))}
