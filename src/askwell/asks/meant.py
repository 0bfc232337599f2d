"""What a question means by the names of the model, as sent with it: checked, and written for others to send."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Annotated, TypeVar

from pydantic import Field
from typing_extensions import TypedDict

from askwell.errors import InvalidRequest
from askwell.field_types import Text
from askwell.jobs.request import FORBIDDEN
from askwell.mdl.names import readable
from askwell.mdl.semantic_model import Column, ColumnRef, Relationship, SemanticModel, Table
from askwell.messages import say
from askwell.sql.bindings import Bindings
from askwell.sql.nearest import nearest_text

TOLD_CHARACTERS = 80
_QUOTES = re.compile(r"[\"'`\[\]“”‘’]")
_DOT = re.compile(r"\s*[.→]\s*")
_GAP = re.compile(r"[.\s]")
_EQUAL, _AND = re.compile(r"=+"), re.compile(r"\band\b")
# Words of a text beside a sign of equality that may be the name of a column.
_MOST_WORDS = 12


class ModelNames:
    """Finds what is named by its own name, its display name, a synonym, or its name as it is read aloud: in any case,
    with or without quotes, behind a schema or not."""

    def __init__(self, model: SemanticModel) -> None:
        self.model = model

    def tables(self, said: str) -> list[Table]:
        """The tables that are called so."""
        return next(filter(None, map(self._called, _ends(plain_name(said)))), [])

    def _called(self, plain: str) -> list[Table]:
        """Of what is called so that which has it for its own name, if any has."""
        found = self._tables.get(plain, [])
        return [one for one in found if one.name.casefold() == plain] or found

    def columns(self, said: str) -> list[ColumnRef]:
        """The columns that are called so, alone or behind the name of their table."""
        plain = plain_name(said)
        for end in _ends(plain):
            for gap in _GAP.finditer(end):
                if found := _within(self._called(end[: gap.start()]), end[gap.end() :]):
                    return found
        return [] if "." in plain else _within(list(self.model), plain)

    def table_called(self, said: str) -> str:
        """The one table that is called so. Raises `InvalidRequest`."""
        found = self.tables(said)
        if len(found) != 1:
            table, near = said[:TOLD_CHARACTERS], nearest_text(said[:TOLD_CHARACTERS], self.model.tables)
            raise InvalidRequest(*say("ask.unknown_table", table=table, near=near))
        return found[0].name

    def column_called(self, said: str) -> ColumnRef:
        """The one column that is written `table.column`. Raises `InvalidRequest`."""
        found = self.columns(said)
        if "." not in said and "→" not in said:
            raise InvalidRequest(*say("ask.column_without_table", said=said[:TOLD_CHARACTERS]))
        if len(found) == 1:
            return found[0]
        table, _, column = plain_name(said).rpartition(".")
        known = self.table_called(table)
        shown = column[:TOLD_CHARACTERS]
        near = nearest_text(shown, [one.name for one in self.model.tables[known].columns])
        hint = "Name a column of the model as table.column."
        raise InvalidRequest(f"The table {known} has no column “{shown}”{near}.", hint)

    def equations(self, said: str) -> frozenset[frozenset[ColumnRef]]:
        """The columns that are set equal, two by two; empty for anything else. Raises `InvalidRequest` for the name of
        a column, written as `table.column`, that the model does not have."""
        found = [self.equation(part) for part in _AND.split(plain_name(said))]
        return frozenset(filter(None, found)) if all(found) else frozenset()

    def equation(self, said: str, between: re.Pattern[str] = _EQUAL) -> frozenset[ColumnRef]:
        """The two columns on both sides of what stands `between` them, each perhaps with words around it; none for
        anything else. Raises as `equations` does."""
        plain = plain_name(said)
        unknown = ""
        for gap in between.finditer(plain):
            before, after = plain[: gap.start()].split(), plain[gap.end() :].split()
            left, right = self._first(_endings(before)), self._first(_beginnings(after))
            if left is not None and right is not None:
                return frozenset((left, right))
            if before and after and "." in before[-1] and "." in after[0]:
                unknown = before[-1] if left is None else after[0]
        if unknown:
            self.column_called(unknown.strip("(),;"))
        return frozenset()

    def _first(self, texts: Iterator[str]) -> ColumnRef | None:
        return next((found[0] for text in texts if len(found := self.columns(text)) == 1), None)

    @cached_property
    def _tables(self) -> dict[str, list[Table]]:
        found: dict[str, list[Table]] = {}
        for table in self.model:
            for name in _names(table):
                found.setdefault(name, []).append(table)
        return found


def plain_name(text: str) -> str:
    """In lower case, without quotes, with single blanks, and with dots for arrows."""
    return _DOT.sub(".", " ".join(_QUOTES.sub(" ", text).casefold().split()))


def _names(one: Table | Column) -> set[str]:
    return {plain_name(name) for name in (one.name, readable(one.name), one.display_name or one.name, *one.synonyms)}


def _ends(plain: str) -> list[str]:
    """The whole, and what comes after each dot of it."""
    return [plain, *(plain[dot.end() :] for dot in re.finditer(r"\.", plain))]


def _within(tables: Sequence[Table], plain: str) -> list[ColumnRef]:
    called = [(table, column) for table in tables for column in table.columns if plain in _names(column)]
    own = [(table, column) for table, column in called if column.name.casefold() == plain]
    return [ColumnRef(table.name, column.name) for table, column in own or called]


def _endings(words: list[str]) -> Iterator[str]:
    return (" ".join(words[at:]).lstrip("(") for at in range(max(len(words) - _MOST_WORDS, 0), len(words)))


def _beginnings(words: list[str]) -> Iterator[str]:
    return (" ".join(words[:to]).rstrip("),;") for to in range(min(len(words), _MOST_WORDS), 0, -1))


Named = TypeVar("Named", bound=Hashable)


Names = Annotated[list[Annotated[Text, Field(max_length=400)]], Field(max_length=20)]


@FORBIDDEN
class Meant(TypedDict, total=False):
    """What a question means, by the names of the model. The statement that answers reads all of `columns` and `tables`
    and none of `not_tables`."""

    columns: Annotated[Names | None, Field(description="Written `table.column`.")]
    tables: Names | None
    not_tables: Names | None
    joins: Annotated[
        Names | None,
        Field(description="Of tables that are related in several ways, the relationship: `a.id = b.a_id`."),
    ]


def bindings_of(meant: Meant, model: SemanticModel) -> Bindings:
    """What the statement that answers has to keep to. Raises `InvalidRequest` for what the model does not have, with
    the nearest that it has, and for what contradicts itself."""
    names = ModelNames(model)
    columns = _each_once(names.column_called(name) for name in meant.get("columns") or ())
    tables = _each_once(names.table_called(name) for name in meant.get("tables") or ())
    avoided = _each_once(names.table_called(name) for name in meant.get("not_tables") or ())
    links = _each_once(relationship_over(condition, names) for condition in meant.get("joins") or ())
    read = {*tables, *(ref.table for ref in columns), *(end for link in links for end in (link.left, link.right))}
    require_no_contradiction(read, avoided)
    return Bindings(
        tables=tables, not_tables=avoided, columns=columns, relationships=tuple(link.name for link in links)
    )


def to_send(bindings: Bindings, model: SemanticModel) -> Meant | None:
    """The `meant` of a request that is to keep to this; None where a request cannot say all of it."""
    links = {link.name: link.condition for link in model.relationships}
    if bindings.figure is not None or bindings.meanings or not links.keys() >= set(bindings.relationships):
        return None
    said: Meant = {}
    if bindings.columns:
        said["columns"] = [str(ref) for ref in bindings.columns]
    if bindings.tables:
        said["tables"] = list(bindings.tables)
    if bindings.not_tables:
        said["not_tables"] = list(bindings.not_tables)
    if bindings.relationships:
        said["joins"] = [links[name] for name in bindings.relationships]
    return said


def require_no_contradiction(read: Iterable[str], avoided: Iterable[str]) -> None:
    """Raises `InvalidRequest` where a table is to be read and not to be read."""
    both = sorted(set(read) & set(avoided))
    if both:
        raise InvalidRequest(*say("ask.meant_contradiction", both=both[0]))


def relationship_over(condition: str, names: ModelNames) -> Relationship:
    """The one whose columns the condition sets equal, in any order and case. Raises `InvalidRequest`."""
    links = names.model.relationships
    as_written = [one for one in links if plain_name(one.condition) == plain_name(condition)]
    equated = frozenset() if as_written else names.equations(condition)
    fitting = as_written or [one for one in links if equated and equated == one.equations]
    if not fitting:
        near = nearest_text(condition[:TOLD_CHARACTERS], [link.condition for link in links])
        raise InvalidRequest(*say("ask.unknown_join", condition=condition[:TOLD_CHARACTERS], near=near))
    return fitting[0]


def _each_once(found: Iterable[Named]) -> tuple[Named, ...]:
    return tuple(dict.fromkeys(found))
