"""What the names in a question about the data stand for: tables, columns and values, by their whole name only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches

from askwell.asks.about.wording import name_words
from askwell.mdl.names import words
from askwell.mdl.secret_columns import is_secret
from askwell.mdl.semantic_model import Column, ColumnRef, SampledValues, SemanticModel, Table
from askwell.question.words import stems

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
