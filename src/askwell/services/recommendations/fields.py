"""What of a table a question can be made of: amounts to add up, figures to average, dimensions, dates, gaps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from askwell.mdl.abbreviations import written_out
from askwell.mdl.names import plural, singular, words
from askwell.mdl.secret_columns import is_secret
from askwell.mdl.semantic_model import ColumnRole, SampledValues, TableKind
from askwell.question.words import stem
from askwell.resources import words_file
from askwell.semantic_parsing.model.facts import ColumnFacts, ColumnKind, ModelFacts, TableFacts
from askwell.semantic_parsing.model.word_forms import word_forms
from askwell.services.value_sampling import rank

# A column with more different values makes for a long answer, and one that is not called like a dimension is one only
# where its values are few.
_MOST_GROUPS = 30
_FEW_GROUPS = 12
_IRREGULAR = {"people": "person", "children": "child", "men": "man", "women": "woman"}
# A dimension with a longer name is a sentence.
_MOST_WORDS = 3


@cache
def listed_words(name: str) -> frozenset[str]:
    """The words of `words.yaml` under a name."""
    return frozenset(words_file(__package__, "words.yaml")[name].split())


@dataclass(frozen=True)
class TableFields:
    """The visible columns of a table by what can be asked of them: each `amount` adds up, a `flow` over time too, a
    `figure` has an average, a `measure` is any of these, a `dimension` makes groups, and a `gap` may be missing. `rows`
    and `row` are its rows as people call them. `is_private` says that one of its columns holds secrets, so that whole
    rows are not shown."""

    table: TableFacts
    columns: Mapping[str, tuple[ColumnFacts, ...]]
    dates: tuple[ColumnFacts, ...]
    is_private: bool

    @property
    def is_grouped(self) -> bool:
        """Whether its rows are results: those of a metric or a cube."""
        return self.table.table.kind in (TableKind.METRIC, TableKind.CUBE)

    @property
    def is_snapshot(self) -> bool:
        """Whether its rows say how things stood at some time."""
        return bool(listed_words("snapshots") & set(self._words))

    @property
    def name(self) -> str:
        """The table's name in the model."""
        return self.table.table.name

    @property
    def rows(self) -> str:
        """Its rows, in the plural."""
        *first, last = self._words
        return " ".join((*first, plural(last)))

    @property
    def row(self) -> str:
        """One of its rows."""
        *first, last = self._words
        return " ".join((*first, _IRREGULAR.get(last) or singular(last)))

    @property
    def is_named(self) -> bool:
        """Whether a row has a name that people know it by."""
        return self.is_subject and (self.table.label is not None or self.table.person is not None)

    @property
    def is_subject(self) -> bool:
        """Whether people ask about its rows for their own sake."""
        return singular(self._words[-1]) not in listed_words("no_subjects")

    @property
    def _words(self) -> tuple[str, ...]:
        named = words(self.table.table.display_name or self.name) or (self.name.lower(),)
        *first, last = named[1:] if stem(named[0]) in word_forms().table_prefixes and len(named) > 1 else named
        return (*(word if word in listed_words("singular") else singular(word) for word in first), last)


def fields_of(table: TableFacts, facts: ModelFacts, values: SampledValues) -> TableFields:
    """The columns of a table, the most telling of each kind first."""
    secret = [column for column in table.columns if is_secret(column.column)]
    shown = [column for column in table.columns if column not in secret]
    measures = sorted(_measures(shown, table), key=lambda column: column.column.role is ColumnRole.PLAIN)
    amounts = [column for column in measures if _adds_up(column)]
    figures = [column for column in measures if column not in amounts]
    sums = [column for column in amounts if not _is_called(column, "aggregated")]
    columns = {
        "amount": sums,
        "flow": [column for column in sums if not _is_called(column, "levels")],
        "figure": [column for column in figures if not _is_called(column, "aggregated")],
        "measure": [*amounts, *figures],
        "dimension": sorted(_dimensions(shown, table, values), key=lambda column: rank(column.column)),
        "gap": [column for column in shown if _may_be_missing(column, table)],
    }
    dates = sorted(filter(_is_moment, shown), key=lambda column: _is_called(column, "bookkeeping"))
    return TableFields(table, {name: tuple(some) for name, some in columns.items()}, tuple(dates), bool(secret))


def said(column: ColumnFacts) -> tuple[str, ...]:
    """The names that a question may call a column by, the most readable first, without abbreviations."""
    names = [words(name) for name in (column.column.display_name, column.column.name) if name]
    bare = [named[:-1] for named in names if len(named) > 1 and named[-1] in listed_words("forms")]
    return tuple(dict.fromkeys(" ".join(written_out(named)) for named in (*bare, *names) if named))


def period_words(column: ColumnFacts) -> tuple[str, ...]:
    """The periods by which rows with such a date are counted, the most telling first."""
    return ("year", "month") if _is_called(column, "long_ago") else ("month", "year")


def is_link_table(table: TableFacts) -> bool:
    """Whether its rows do nothing but connect rows of other tables."""
    return all(column.is_key or column.is_reference for column in table.columns)


def _measures(columns: list[ColumnFacts], table: TableFacts) -> Iterator[ColumnFacts]:
    for column in columns:
        is_figure = column.kind is ColumnKind.NUMBER and column.is_measure and not column.is_flag
        if is_figure and not column.column.epoch and _named(column)[-1] not in listed_words("no_amounts"):
            if table.table.kind in (TableKind.METRIC, TableKind.CUBE) and column.column.role is not ColumnRole.MEASURE:
                continue
            yield column


def _adds_up(column: ColumnFacts) -> bool:
    named = _named(column)
    return named[-1] in listed_words("added_up") or (named[0] in ("total", "number") and len(named) > 1)


def _dimensions(columns: list[ColumnFacts], table: TableFacts, values: SampledValues) -> Iterator[ColumnFacts]:
    grouped = table.table.kind in (TableKind.METRIC, TableKind.CUBE)
    for column in columns:
        if grouped and column.column.role is ColumnRole.DIMENSION:
            yield column
        if column.kind is not ColumnKind.TEXT or column.is_link or column.numeric_text or column.is_flag:
            continue
        names_the_row = column.ref == table.label or column.ref in (table.person or ())
        named = _named(column)
        if names_the_row or column.elements or named[-1] in listed_words("names") or len(named) > _MOST_WORDS:
            continue
        count = len(values.get(column.ref, ()) or column.column.values)
        telling = rank(column.column)
        if 1 < count <= (_MOST_GROUPS if telling == 0 else _FEW_GROUPS) and telling < 2:
            yield column


def _is_moment(column: ColumnFacts) -> bool:
    return column.is_date and not column.is_reference and not column.is_key


def _is_called(column: ColumnFacts, kind: str) -> bool:
    """Whether one of the words of that kind is in its name, or in that written out."""
    named = _named(column)
    return not listed_words(kind).isdisjoint((*named, *written_out(named)))


def _may_be_missing(column: ColumnFacts, table: TableFacts) -> bool:
    """Whether it may be empty, and that would be worth knowing. What is 0 is not missing, so numbers are left out."""
    if table.table.kind is not TableKind.MODEL or column.column.role is not ColumnRole.PLAIN or column.column.not_null:
        return False
    names_the_row = column.ref == table.label or column.ref in (table.person or ())
    is_fact = column.kind in (ColumnKind.TEXT, ColumnKind.DATE) and not (column.is_key or column.is_reference)
    return is_fact and not (names_the_row or column.is_flag or _is_called(column, "optional"))


def _named(column: ColumnFacts) -> tuple[str, ...]:
    return words(column.column.name) or (column.column.name.lower(),)
