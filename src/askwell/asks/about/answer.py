"""Answers in words to questions about the data, from the semantic model alone: the database is not asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from askwell.asks.about.names import Named, Names, values_of
from askwell.asks.about.wording import SURE, WHOLE, AboutKind, Wording, name_words, wordings
from askwell.asks.overview import examples_in_words, tables_in_words
from askwell.mdl.names import listed
from askwell.mdl.semantic_model import Cardinality, Column, ColumnRef, ColumnRole, Relationship, Table, TableKind
from askwell.pipelines.generation.question import Intent
from askwell.semantic_parsing.translation import RulesMode
from askwell.services.projects import ProjectModel

_MOST_COLUMNS = 40
_MOST_LINKS = 20
_MOST_VALUES = 8
_MOST_HOLDERS = 5
_VALUE_CHARACTERS = 60
_COURTESY = "You are welcome. Ask again whenever there is something to know about this data."
_KINDS = {TableKind.MODEL: "table", TableKind.VIEW: "saved view", TableKind.METRIC: "metric", TableKind.CUBE: "cube"}


@dataclass(frozen=True, slots=True)
class AnswerInWords:
    """The whole text, and what sort of question it answers."""

    text: str
    intent: Intent


def answer_about(project: ProjectModel, question: str, mode: RulesMode, only_sure: bool) -> AnswerInWords | None:
    """The answer where the whole question is one about the service or the data, and all that it names is known by that
    name; None for any other question. With `only_sure`, None also where its wording may be that of a question for data.
    Its examples are questions that rules answer in this `mode`. Takes some ten milliseconds: call it on a thread."""
    read = [wording for wording in wordings(question) if wording.kind in SURE or not only_sure]
    if not read:
        return None
    names = Names(project.model, project.values)
    for wording in read:
        if (text := _answer(wording, names, project, mode)) is not None:
            is_guide = wording.kind in (AboutKind.SERVICE, AboutKind.COURTESY)
            return AnswerInWords(text, Intent.USER_GUIDE if is_guide else Intent.GENERAL)
    return None


def _answer(wording: Wording, names: Names, project: ProjectModel, mode: RulesMode) -> str | None:
    if wording.kind is not AboutKind.TABLES_OF_DATABASE and any(map(names.has_word, wording.generic)):
        return None
    if wording.kind in WHOLE:
        return _whole(wording.kind, project, mode)
    if wording.kind is AboutKind.WHAT_IS and _asks_for_a_value(wording.names[0]):
        return None
    found = [names.find(said) for said in wording.names]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    words = _Words(names)
    match wording.kind:
        case AboutKind.COLUMNS | AboutKind.CONTENT:
            parts = [words.of_table(table) for table in known[0].tables]
        case AboutKind.COLUMN_COUNT:
            parts = [words.column_count(table) for table in known[0].tables]
        case AboutKind.KEY:
            parts = [words.key_of(table) for table in known[0].tables]
        case AboutKind.WHERE:
            parts = list(words.places(known[0]))
        case AboutKind.LINK:
            parts = list(words.link(*(one.tables for one in known)))
        case _:
            parts = [part for one in known for part in words.of(one)]
    return "\n\n".join(parts) or None


def _asks_for_a_value(said: str) -> bool:
    """ "the price" is asked for, "the price column" is asked about."""
    first, *others = said.split()
    return first in name_words().definite and not name_words().nouns.intersection(others)


def _whole(kind: AboutKind, project: ProjectModel, mode: RulesMode) -> str:
    if kind is AboutKind.COURTESY:
        return _COURTESY
    tables = tables_in_words(project.model)
    if kind is AboutKind.LINKS:
        links = [_link_in_words(link, project.model.tables) for link in project.model.relationships[:_MOST_LINKS]]
        more = _more(len(project.model.relationships) - len(links))
        return "\n".join(["The tables are related by:", *links, *more] if links else ["No relationships are known."])
    examples = examples_in_words(project, mode)
    if kind is AboutKind.SERVICE:
        first = "Askwell answers questions about this data: ask, and it writes SQL, checks it and shows the rows."
        return "\n".join([first, "This can be asked about:", *tables, *examples])
    count = len(project.model.tables)
    first = "There is one table:" if count == 1 else f"There are {count} tables:"
    return "\n".join([first, *tables, *examples])


@dataclass(frozen=True, slots=True)
class _Words:
    """Sentences about what goes by a name."""

    names: Names

    def of(self, named: Named) -> Iterator[str]:
        yield from map(self.of_table, named.tables)
        shown = [ref for ref in named.columns if ref.table not in {table.name for table in named.tables}]
        for ref in shown[:_MOST_HOLDERS]:
            yield self.of_column(ref)
        if len(shown) > _MOST_HOLDERS:
            yield f"{len(shown) - _MOST_HOLDERS} more tables have a column of that name."
        if named.value is not None:
            yield f"“{_cut(named.value)}” is a value of {_holders(named.holders)}."
            yield from map(self.of_column, named.holders[:1])

    def of_table(self, table: Table) -> str:
        also = f", shown as “{table.display_name}”" if table.display_name not in (None, table.name) else ""
        lines = [_sentences(f"{table.name} is a {_KINDS[table.kind]}{also}.", table.description)]
        if table.columns:
            lines += ["Columns:", *(self._line(table, column) for column in table.columns[:_MOST_COLUMNS])]
            lines += _more(len(table.columns) - _MOST_COLUMNS)
        links = [link for link in self.names.model.relationships if table.name in (link.left, link.right)]
        if links:
            told = [_link_in_words(link, self.names.model.tables) for link in links[:_MOST_LINKS]]
            lines += ["Relationships:", *told, *_more(len(links) - _MOST_LINKS)]
        return "\n".join(lines)

    def column_count(self, table: Table) -> str:
        """How many columns a table has, and which."""
        count = len(table.columns)
        return "\n".join(
            [
                f"{table.name} has {count} column{'' if count == 1 else 's'}:",
                *(self._line(table, column) for column in table.columns[:_MOST_COLUMNS]),
                *_more(count - _MOST_COLUMNS),
            ]
        )

    def key_of(self, table: Table) -> str:
        """What identifies the rows of a table, and what they refer to."""
        key = [name for name in table.primary_key if table.column(name) is not None]
        known = f"Rows of {table.name} are identified by {listed(key)}." if key else f"No key of {table.name} is known."
        links = [link for link in self.names.model.relationships if table.name in (link.left, link.right)]
        told = [_link_in_words(link, self.names.model.tables) for link in links[:_MOST_LINKS]]
        return "\n".join([known, *(["Relationships:", *told, *_more(len(links) - _MOST_LINKS)] if told else [])])

    def of_column(self, ref: ColumnRef) -> str:
        table = self.names.model.tables[ref.table]
        column = table.column(ref.column)
        assert column is not None
        unit = f" Unit: {column.unit}." if column.unit else ""
        calculated = " It is calculated from other columns." if column.role is ColumnRole.CALCULATED else ""
        values = f" {said}." if (said := self._values(ref, column)) else ""
        first = f"{column.name} is a column of {table.name} ({column.type.upper()})."
        return _sentences(first, column.description) + unit + calculated + values

    def places(self, named: Named) -> Iterator[str]:
        """Where to look for what goes by a name."""
        for table in named.tables:
            yield f"{table.name} is a {_KINDS[table.kind]} of its own."
        if named.columns:
            yield f"It is in {_holders(named.columns)}."
        if named.value is not None:
            yield f"“{_cut(named.value)}” is a value of {_holders(named.holders)}."

    def link(self, ones: tuple[Table, ...], others: tuple[Table, ...]) -> Iterator[str]:
        """How two tables are related; nothing where the names are not those of tables."""
        if not (ones and others):
            return
        one, other = ones[0].name, others[0].name
        tables = self.names.model.tables
        direct = [link for link in self.names.model.relationships if {link.left, link.right} == {one, other}]
        if direct:
            yield "\n".join([f"{one} and {other} are related by:", *(_link_in_words(link, tables) for link in direct)])
            return
        yield f"No relationship connects {one} and {other} directly."
        yield from (self.of_table(tables[name]) for name in (one, other))

    def _line(self, table: Table, column: Column) -> str:
        parts = [f"  {column.name} ({column.type.upper()})"]
        if column.description:
            parts.append(_sentence(column.description).rstrip("."))
        if said := self._values(ColumnRef(table.name, column.name), column):
            parts.append(said)
        return ": ".join((parts[0], "; ".join(parts[1:]))) if parts[1:] else parts[0]

    def _values(self, ref: ColumnRef, column: Column) -> str:
        known = values_of(column, ref, self.names.values)
        told = listed([f"“{_cut(value)}”" for value in known[:_MOST_VALUES]])
        if not known:
            return ""
        return f"values: {told}" if len(known) <= _MOST_VALUES and column.values else f"for example {told}"


_CARDINALITIES = {
    Cardinality.ONE_TO_ONE: "one to one",
    Cardinality.ONE_TO_MANY: "one to many",
    Cardinality.MANY_TO_ONE: "many to one",
    Cardinality.MANY_TO_MANY: "many to many",
}


def _link_in_words(link: Relationship, tables: Mapping[str, Table]) -> str:
    """A relationship with the columns that it joins by, unless one of them is hidden."""
    left, right = tables[link.left], tables[link.right]
    seen = all(left.column(here) and right.column(there) for here, there in link.pairs)
    pairs = " and ".join(f"{link.left}.{here} = {link.right}.{there}" for here, there in link.pairs)
    by = f": {pairs}" if seen and pairs else ""
    return f"  {link.left} to {link.right}, {_CARDINALITIES[link.cardinality]}{by}"


def _holders(refs: tuple[ColumnRef, ...]) -> str:
    told = [f"the column {ref.column} of {ref.table}" for ref in refs[:_MOST_HOLDERS]]
    more = [f"{len(refs) - _MOST_HOLDERS} more columns"] if len(refs) > _MOST_HOLDERS else []
    return listed([*told, *more])


def _more(count: int) -> list[str]:
    return [f"  … and {count} more"] if count > 0 else []


def _sentence(text: str) -> str:
    plain = " ".join(text.split())
    return plain if plain.endswith((".", "!", "?")) else f"{plain}."


def _sentences(first: str, description: str | None) -> str:
    return f"{first} {_sentence(description)}" if description else first


def _cut(value: str) -> str:
    plain = " ".join(value.split())
    return plain if len(plain) <= _VALUE_CHARACTERS else f"{plain[: _VALUE_CHARACTERS - 1]}…"
