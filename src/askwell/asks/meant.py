"""What whoever asks says that a question means, by the names of the model: checked, and written for others to send."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from askwell.errors import InvalidRequest
from askwell.mdl.semantic_model import ColumnRef, Relationship, SemanticModel
from askwell.sql.bindings import Bindings
from askwell.sql.nearest import nearest_text

TOLD_CHARACTERS = 80
# Of the columns that two tables are joined by; parsing takes a frame for each parenthesis.
_LONGEST_CONDITION = 400
Named = TypeVar("Named", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Meant:
    """As it was sent: `columns` are written `table.column`, and `joins` `a.id = b.a_id`."""

    columns: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    not_tables: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()


def bindings_of(meant: Meant, model: SemanticModel) -> Bindings:
    """What the statement that answers has to keep to. Raises `InvalidRequest` for what the model does not have, with
    the nearest that it has, and for what contradicts itself."""
    columns = _each_once(column_called(name, model) for name in meant.columns)
    tables = _each_once(table_called(name, model) for name in meant.tables)
    avoided = _each_once(table_called(name, model) for name in meant.not_tables)
    links = _each_once(relationship_over(condition, model) for condition in meant.joins)
    read = {*tables, *(ref.table for ref in columns), *(end for link in links for end in (link.left, link.right))}
    require_no_contradiction(read, avoided)
    return Bindings(
        tables=tables, not_tables=avoided, columns=columns, relationships=tuple(link.name for link in links)
    )


def to_send(bindings: Bindings, model: SemanticModel) -> dict[str, Any] | None:
    """The `meant` of a request that is to keep to this; None where a request cannot say all of it."""
    if bindings.figure is not None or bindings.meanings:
        return None
    links = {link.name: link for link in model.relationships}
    said = {
        "columns": [str(ref) for ref in bindings.columns],
        "tables": list(bindings.tables),
        "not_tables": list(bindings.not_tables),
        "joins": [condition_of(links[name], model) for name in bindings.relationships],
    }
    return {name: values for name, values in said.items() if values}


def require_no_contradiction(read: Iterable[str], avoided: Iterable[str]) -> None:
    """Raises `InvalidRequest` where a table is to be read and not to be read."""
    both = sorted(set(read) & set(avoided))
    if both:
        raise InvalidRequest(f"{both[0]} cannot be meant and not be meant.", "Leave it out of one of the two.")


def table_called(name: str, model: SemanticModel) -> str:
    """The table of this name, in any case. Raises `InvalidRequest`."""
    found = model.table(name)
    if found is None:
        near = nearest_text(name[:TOLD_CHARACTERS], [table.name for table in model])
        raise InvalidRequest(f"The model has no table “{name[:TOLD_CHARACTERS]}”{near}.", "Name a table of the model.")
    return found.name


def column_called(name: str, model: SemanticModel) -> ColumnRef:
    """The column that is written `table.column`, in any case. Raises `InvalidRequest`."""
    dots = [place for place, letter in enumerate(name) if letter == "."]
    for dot in dots:  # names may have dots of their own
        if (found := model.column(name[:dot], name[dot + 1 :])) is not None:
            return found
    if not dots:
        raise InvalidRequest(f"“{name[:TOLD_CHARACTERS]}” names no table.", "Write columns as table.column.")
    table, _, column = name.rpartition(".")
    known = table_called(table, model)
    near = nearest_text(column[:TOLD_CHARACTERS], [one.name for one in model.tables[known].columns])
    told = f"The table {known} has no column “{column[:TOLD_CHARACTERS]}”{near}."
    raise InvalidRequest(told, "Name a column of the model as table.column.")


def relationship_over(condition: str, model: SemanticModel) -> Relationship:
    """The one whose columns the condition sets equal, in any order and case. Raises `InvalidRequest`."""
    equated = columns_equated(condition, model)
    fitting = [one for one in model.relationships if equated and equated == one.equations]
    if not fitting:
        near = nearest_text(condition[:TOLD_CHARACTERS], [link.condition for link in model.relationships])
        raise InvalidRequest(
            f"No relationship of the model is “{condition[:TOLD_CHARACTERS]}”{near}.",
            "Write it as a.id = b.a_id, with the columns of a relationship of the model.",
        )
    return fitting[0]


def columns_equated(condition: str, model: SemanticModel) -> frozenset[frozenset[ColumnRef]]:
    """The columns of the model that are set equal, two by two; empty for anything else."""
    if len(condition) > _LONGEST_CONDITION:
        return frozenset()
    try:
        tree = sqlglot.parse_one(condition)
    except (SqlglotError, RecursionError):
        return frozenset()
    equations = tree.flatten() if isinstance(tree, exp.And) else [tree]
    found = set()
    for equation in equations:
        sides = [equation.this, equation.expression] if isinstance(equation, exp.EQ) else []
        columns = [_column(side, model) for side in sides]
        if len(columns) != 2 or None in columns:
            return frozenset()
        found.add(frozenset(filter(None, columns)))
    return frozenset(found)


def _column(side: exp.Expr, model: SemanticModel) -> ColumnRef | None:
    return model.column(side.table, side.name) if isinstance(side, exp.Column) else None


def condition_of(link: Relationship, model: SemanticModel) -> str:
    """A relationship as `relationship_over` reads it."""
    if columns_equated(link.condition, model) == link.equations:
        return link.condition
    sides = (
        (exp.column(here, link.left, quoted=True), exp.column(there, link.right, quoted=True))
        for here, there in link.pairs
    )
    return " AND ".join(f"{here.sql()} = {there.sql()}" for here, there in sides)


def _each_once(found: Iterable[Named]) -> tuple[Named, ...]:
    return tuple(dict.fromkeys(found))
