"""What whoever asks says that a question means, by the names of the model: checked, and written for others to send."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from askwell.asks.model_names import TOLD_CHARACTERS, ModelNames, plain_name
from askwell.errors import InvalidRequest
from askwell.mdl.semantic_model import Relationship, SemanticModel
from askwell.sql.bindings import Bindings
from askwell.sql.nearest import nearest_text

Named = TypeVar("Named", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Meant:
    """As it was sent: `columns` are written `table.column`, and `joins` `a.id = b.a_id`."""

    columns: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    not_tables: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()


@with_config(ConfigDict(extra="forbid"))
class MeantSaid(TypedDict, total=False):
    """What a request says as `meant`."""

    columns: list[str] | None
    tables: list[str] | None
    not_tables: list[str] | None
    joins: list[str] | None


def bindings_of(meant: Meant, model: SemanticModel) -> Bindings:
    """What the statement that answers has to keep to. Raises `InvalidRequest` for what the model does not have, with
    the nearest that it has, and for what contradicts itself."""
    names = ModelNames(model)
    columns = _each_once(names.column_called(name) for name in meant.columns)
    tables = _each_once(names.table_called(name) for name in meant.tables)
    avoided = _each_once(names.table_called(name) for name in meant.not_tables)
    links = _each_once(relationship_over(condition, names) for condition in meant.joins)
    read = {*tables, *(ref.table for ref in columns), *(end for link in links for end in (link.left, link.right))}
    require_no_contradiction(read, avoided)
    return Bindings(
        tables=tables, not_tables=avoided, columns=columns, relationships=tuple(link.name for link in links)
    )


def to_send(bindings: Bindings, model: SemanticModel) -> dict[str, Any] | None:
    """The `meant` of a request that is to keep to this; None where a request cannot say all of it."""
    links = {link.name: link.condition for link in model.relationships}
    if bindings.figure is not None or bindings.meanings or not links.keys() >= set(bindings.relationships):
        return None
    said = {
        "columns": [str(ref) for ref in bindings.columns],
        "tables": list(bindings.tables),
        "not_tables": list(bindings.not_tables),
        "joins": [links[name] for name in bindings.relationships],
    }
    return {name: values for name, values in said.items() if values}


def require_no_contradiction(read: Iterable[str], avoided: Iterable[str]) -> None:
    """Raises `InvalidRequest` where a table is to be read and not to be read."""
    both = sorted(set(read) & set(avoided))
    if both:
        raise InvalidRequest(f"{both[0]} cannot be meant and not be meant.", "Leave it out of one of the two.")


def relationship_over(condition: str, names: ModelNames) -> Relationship:
    """The one whose columns the condition sets equal, in any order and case. Raises `InvalidRequest`."""
    links = names.model.relationships
    as_written = [one for one in links if plain_name(one.condition) == plain_name(condition)]
    equated = frozenset() if as_written else names.equations(condition)
    fitting = as_written or [one for one in links if equated and equated == one.equations]
    if not fitting:
        near = nearest_text(condition[:TOLD_CHARACTERS], [link.condition for link in links])
        raise InvalidRequest(
            f"No relationship of the model is “{condition[:TOLD_CHARACTERS]}”{near}.",
            "Write it as a.id = b.a_id, with the columns of a relationship of the model.",
        )
    return fitting[0]


def _each_once(found: Iterable[Named]) -> tuple[Named, ...]:
    return tuple(dict.fromkeys(found))
