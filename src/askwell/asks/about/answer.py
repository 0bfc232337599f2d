"""Answers from the semantic model itself to questions about the data: which tables and columns there are, and what the
names in such a question stand for: tables, columns and values, by their whole name only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from askwell.asks.about.wording import SURE, WHOLE, AboutKind, Wording, name_words, wordings
from askwell.asks.overview import examples_in_words, tables_in_words
from askwell.mdl.names import listed, words
from askwell.mdl.secret_columns import is_secret
from askwell.mdl.semantic_model import (
    Cardinality,
    Column,
    ColumnRef,
    ColumnRole,
    Relationship,
    SampledValues,
    SemanticModel,
    Table,
    TableKind,
)
from askwell.pipelines.generation.question import Intent
from askwell.question.words import stems
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
            sentences = [_link_in_words(link, self.names.model.tables) for link in links[:_MOST_LINKS]]
            lines += ["Relationships:", *sentences, *_more(len(links) - _MOST_LINKS)]
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
        if links:
            sentences = [_link_in_words(link, self.names.model.tables) for link in links[:_MOST_LINKS]]
            known = "\n".join([known, "Relationships:", *sentences, *_more(len(links) - _MOST_LINKS)])
        return known

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
        values = listed([f"“{_cut(value)}”" for value in known[:_MOST_VALUES]])
        if not known:
            return ""
        return f"values: {values}" if len(known) <= _MOST_VALUES and column.values else f"for example {values}"


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
    places = [f"the column {ref.column} of {ref.table}" for ref in refs[:_MOST_HOLDERS]]
    more = [f"{len(refs) - _MOST_HOLDERS} more columns"] if len(refs) > _MOST_HOLDERS else []
    return listed([*places, *more])


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


Key = tuple[str, ...]

_SAME_BEGINNING = 2
# So much of a misspelt name is right, by difflib's ratio.
_ALMOST_THE_SAME = 0.8


@dataclass(frozen=True, slots=True)
class Named:
    """Everything that goes by one name. `value` is a cell value as the data has it, of the columns in `holders`."""

    tables: tuple[Table, ...] = ()
    columns: tuple[ColumnRef, ...] = ()
    value: str | None = None
    holders: tuple[ColumnRef, ...] = ()


@dataclass(slots=True)
class Names:
    """Looks up names of a model. Making one of a thousand tables takes some ten milliseconds: do it on a thread."""

    model: SemanticModel
    values: SampledValues
    _tables: dict[Key, list[Table]] = field(default_factory=lambda: defaultdict(list))
    _columns: dict[Key, list[ColumnRef]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for table in self.model:
            for key in _keys(table):
                self._tables[key].append(table)
            for column in table.columns:
                for key in _keys(column):
                    self._columns[key].append(ColumnRef(table.name, column.name))

    def find(self, said: str) -> Named | None:
        """What `said` is the whole name of; None where nothing is called so."""
        spoken = _without_articles(said.removesuffix("'s").split())
        tokens = _without_nouns(spoken)
        tables, columns = self._tables.get(_key(tokens), []), self._columns.get(_key(tokens), [])
        if not (tables or columns):
            columns = list(self._columns_of_tables(tokens))
        if tables or columns:
            return Named(tuple(tables), tuple(columns))
        # “the oak tables” are not the value “oak”
        return self._value(" ".join(spoken)) or self._misspelt_table(tokens)

    def has_word(self, said: str) -> bool:
        """Whether the data has something of its own that goes by this word: a table, or a value."""
        wanted = set(_key([said]))
        return any(wanted <= set(key) for key in self._tables) or any(
            wanted == set(_key([value])) for _, value in self._values_like(said)
        )

    def _columns_of_tables(self, tokens: list[str]) -> Iterator[ColumnRef]:
        """ "status of orders", "customer segment": a column with the table that it is in."""
        marks = [i for i, word in enumerate(tokens) if word in name_words().between]
        splits = [(tokens[i + 1 :], tokens[:i]) for i in marks]
        splits += [(tokens[:i], tokens[i:]) for i in range(1, len(tokens))]
        for of, column in splits:
            tables = {table.name for table in self._tables.get(_key(_without_articles(of)), ())}
            found = [ref for ref in self._columns.get(_key(_without_articles(column)), ()) if ref.table in tables]
            if found:
                yield from found
                return

    def _misspelt_table(self, tokens: list[str]) -> Named | None:
        """The one table that is called nearly so."""
        # Stems of a misspelt word are no stems of the right one: names are compared as they are written.
        written = {
            " ".join(words(name)): table
            for table in self.model
            for name in (table.name, table.display_name or "", *table.synonyms)
        }
        near = get_close_matches(" ".join(tokens), written, 2, _ALMOST_THE_SAME)
        tables = {written[one].name: written[one] for one in near}
        return Named(tuple(tables.values())) if len(tables) == 1 else None

    def _value(self, said: str) -> Named | None:
        wanted = _key([said])
        found = [(ref, value) for ref, value in self._values_like(said) if wanted and _key([value]) == wanted]
        if not found:
            return None
        return Named(value=found[0][1], holders=tuple(dict.fromkeys(ref for ref, _ in found)))

    def _values_like(self, said: str) -> Iterator[tuple[ColumnRef, str]]:
        """Values that begin as `said` does: there may be a hundred thousand, and finding stems takes microseconds."""
        begin = said[:_SAME_BEGINNING].casefold()
        for table in self.model:
            for column in table.columns:
                ref = ColumnRef(table.name, column.name)
                for value in values_of(column, ref, self.values):
                    if value[:_SAME_BEGINNING].casefold() == begin:
                        yield ref, value


def values_of(column: Column, ref: ColumnRef, sampled: SampledValues) -> tuple[str, ...]:
    """The values of a column that are known and may be shown; none of a sensitive one."""
    return () if is_secret(column) else column.values or sampled.get(ref, ())


def _keys(named: Table | Column) -> set[Key]:
    """A name in all its forms, as stems; prefixes that a naming scheme brings are part of it."""
    return {key for name in (named.name, named.display_name or "", *named.synonyms) if (key := _key([name]))}


def _key(parts: Iterable[str]) -> Key:
    joined = " ".join(parts)
    # Stems are of ASCII letters only.
    return stems(joined) if joined.isascii() else words(joined)


def _without_articles(tokens: list[str]) -> list[str]:
    while len(tokens) > 1 and tokens[0] in name_words().articles:
        tokens = tokens[1:]
    return tokens


def _without_nouns(tokens: list[str]) -> list[str]:
    """ "the orders table" is `orders`; where nothing else is there, a table may be called so."""
    return [word for word in tokens if word not in name_words().nouns] or tokens[:1]
