"""What retrieval works out once for a model, so that a question need not.

What saved SQL reads of today's model, and whether it works over it at all.

The words that lead to a model: its own, and those that people use for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache

from sqlglot.errors import SqlglotError

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.names import readable, words
from askwell.mdl.semantic_model import SampledValues, SemanticModel
from askwell.mdl.without_values import without_values
from askwell.pipelines.retrieval.joins import JoinFinder
from askwell.pipelines.retrieval.model_text import ModelText
from askwell.pipelines.retrieval.ranking import Neighbourhoods, TableWords
from askwell.pipelines.retrieval.value_index import ValueIndex
from askwell.providers.document_store.words import terms
from askwell.question.about_data import general_words
from askwell.question.lexicon import akin, english
from askwell.question.words import plain_english
from askwell.semantic_parsing.model.finding_facts import facts_of
from askwell.sql.binder import bind
from askwell.sql.guard import Guard, GuardRefusal
from askwell.sql.outcome import RejectedSql


@cache
def _terms(words: frozenset[str]) -> frozenset[str]:
    return frozenset(term for word in words for term in terms(word))


def _general() -> frozenset[str]:
    """The terms of words that questions about any data use. Read when they are first asked for."""
    return _terms(general_words())


# A name's part of fewer letters is the beginning of too many words.
_SHORTEST = 3


@cache
def _whole_words() -> frozenset[str]:
    """Words that are short for no other."""
    known = english()
    return known.everywhere | known.verbs | known.nouns | plain_english()


def _short_parts(names: Iterable[str]) -> frozenset[str]:
    """Parts of names that are no words: what is left of longer ones."""
    parts = {part.removesuffix("s") for name in names for part in words(name) if part.isalpha()}
    return frozenset(part for part in parts if len(part) >= _SHORTEST) - _whole_words()


class ModelWords:
    """The words that lead to a model. `names` are the terms of what its tables and columns are called; `related` those
    of their descriptions and values, and words that people use for the names."""

    def __init__(self, model: SemanticModel) -> None:
        names: set[str] = set()
        said: set[str] = set()
        for table in model:
            names |= _named(table.name, table.display_name, *table.synonyms)
            said.update(terms(f"{table.description or ''} {table.question or ''}"))
            for column in table.columns:
                names |= _named(column.name, column.display_name, *column.synonyms) - _general()
                said.update(terms(f"{column.description or ''} {' '.join(column.values)}"))
        related = [group for group in map(_terms, akin().related) if group & names]
        if _terms(akin().persons) & names:
            related.append(_terms(akin().people))
        self.names = frozenset(names)
        self.related = frozenset(said).union(*related) - _general() - self.names
        self._short_tables = _short_parts(table.name for table in model)
        self._short_columns = _short_parts(column.name for table in model for column in table.columns)

    def named_in_short(self, term: str) -> bool:
        """Whether a table goes by the beginning of a term: `vols` by that of volunteers."""
        return any(len(term) > len(part) and term.startswith(part) for part in self._short_tables)

    def related_in_short(self, term: str) -> bool:
        """Whether a column has the beginning of a term in its name: `delDt` that of deliveries."""
        return any(len(term) > len(part) and term.startswith(part) for part in self._short_columns)

    def telling(self, text: str) -> frozenset[str]:
        """The terms of a text that say what it is about."""
        return frozenset(term for term in terms(text) if not term.isdigit()) - (_general() - self.names)


def _named(name: str, *others: str | None) -> set[str]:
    """The telling terms of names. One that is nothing but a general word means something all the same: a table of
    orders' lines, or of groups."""
    found: set[str] = set()
    for text in (readable(name), *(readable(other) for other in others if other)):
        of_name = {term for term in terms(text) if len(term) > 1}
        found |= of_name if len(of_name) == 1 else of_name - _general()
    return found


# Statements that are kept read; a project shows the same ones again and again.
_KEPT = 2_000


def columns_reader(model: SemanticModel, dialect: str) -> Callable[[str], Mapping[str, frozenset[str]] | None]:
    """Gives the model's tables that a statement reads, each with the columns that it reads of it, or None for one that
    does not bind to the model, as when a table or a column of it is gone. One that is larger than a statement may be is
    not parsed. Remembers what it read (one takes about a millisecond); may be used on any thread."""
    guard = Guard(dialect)

    @lru_cache(maxsize=_KEPT)
    def columns_of(sql: str) -> Mapping[str, frozenset[str]] | None:
        read = guard.read(sql)
        if isinstance(read, GuardRefusal):
            return None
        try:
            bound = bind(read.tree, model, dialect)
        except (SqlglotError, RecursionError):
            return None
        return None if isinstance(bound, RejectedSql) else bound.columns

    return columns_of


class PreparedModel:
    """A model with its value index, its vocabulary, its joins and the text of its tables. Building it takes some
    tenths of a second for 200 tables: do it on a thread. Any thread may use it later."""

    def __init__(
        self,
        model: SemanticModel,
        values: SampledValues,
        examples: SampledValues | None = None,
        *,
        shows_values: bool = True,
    ) -> None:
        """`values` are what questions may name; `examples`, of other columns, are only shown. Its text has neither
        where it does not show values."""
        self.model = model
        self.value_index = ValueIndex(model, values)
        self.scope_words = ModelWords(model)
        self.joins = JoinFinder(model)
        tables = facts_of(model, values).tables.items()
        labels = {name: tuple(ref.column for ref in facts.labels) for name, facts in tables}
        if shows_values:
            self.text = ModelText(model, self.joins, {**values, **(examples or {})}, labels)
        else:
            self.text = ModelText(without_values(model), self.joins, {}, labels)
        self.table_words = TableWords(model)
        self.neighbourhoods = Neighbourhoods(model)
        self.columns_of_sql = columns_reader(model, sql_dialect(model.data_source))
