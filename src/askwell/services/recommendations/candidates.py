"""All questions that templates make of a semantic model, each with what its SQL has to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from askwell.mdl.semantic_model import Cardinality, ColumnRef, ColumnRole, Relationship, SampledValues, TableKind
from askwell.question.stems import Stems
from askwell.semantic_parsing.model.facts import ColumnFacts, ModelFacts, TableFacts
from askwell.services.drafted_measures import revenue_names
from askwell.services.recommendations.fields import (
    TableFields,
    fields_of,
    is_aggregated,
    is_level,
    is_link_table,
    period_words,
    said,
)
from askwell.services.recommendations.templates import TEMPLATES, Slots, Template

# Tables that questions are made of, so that a model of a thousand is told as quickly.
_MOST_TABLES = 40
# Columns of a kind in one table that questions are made of.
_MOST_COLUMNS = 4
# Candidates of a category: choosing the next one looks at all of them.
_MOST_CANDIDATES = 500
# What a question loses for each accepted one of its kind, or about its table.
_SAME_KIND = 0.8
_SAME_TABLE = 0.6
# … and for being about how things stood at some time, or about rows that are there for others.
_LESS_ASKED = 1.5


@dataclass(frozen=True, slots=True)
class CandidateQuestion:
    """A question before it is known to be answered. Candidates with the same `key` ask the same in other words. SQL
    that answers it reads these `tables`, no others but those of `through`, and at least these `columns`."""

    question: str
    category: str
    kind: str
    key: tuple[object, ...]
    tables: frozenset[str]
    columns: frozenset[ColumnRef]
    score: float
    through: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Filling:
    """The words for a template's slots, each with its alternatives, and what they stand for."""

    words: Mapping[str, tuple[str, ...]]
    columns: tuple[ColumnFacts, ...] = ()
    parent: str | None = None
    through: frozenset[str] = frozenset()


def candidate_questions(
    facts: ModelFacts, values: SampledValues, only: Collection[str] | None = None
) -> list[CandidateQuestion]:
    """The questions about a model (about the tables of `only`, where it is given), best first. Takes milliseconds:
    call it on a thread."""
    scores = _table_scores(facts)
    asked = scores.keys() if only is None else scores.keys() & set(only)
    chosen = sorted(scores, key=lambda name: (name not in asked, -scores[name]))[:_MOST_TABLES]
    fields = {name: fields_of(facts.tables[name], facts, values) for name in chosen}
    parents = _parents(facts.relationships, fields)
    found = [
        candidate
        for name, table in fields.items()
        if name in asked
        for template in TEMPLATES
        if template.both or template.grouped == table.is_grouped
        if not (table.is_snapshot and template.counts)
        for filling in _FILLINGS[template.slots](_Place(table, parents.get(name, []), facts))
        for candidate in _written(template, table, filling, scores[name])
    ]
    best = sorted(found, key=lambda candidate: -candidate.score)
    counts: Counter[str] = Counter()
    return [candidate for candidate in best if _has_room(counts, candidate)]


def _has_room(counts: Counter[str], candidate: CandidateQuestion) -> bool:
    counts[candidate.category] += 1
    return counts[candidate.category] <= _MOST_CANDIDATES


def tables_by_interest(facts: ModelFacts) -> list[str]:
    """The tables, those that there is most to ask about first; those that only connect others last."""
    scores = _table_scores(facts)
    return sorted(facts.tables, key=lambda name: -scores.get(name, -1.0))


def _written(template: Template, table: TableFields, filling: _Filling, score: float) -> Iterator[CandidateQuestion]:
    texts = {**filling.words, "rows": (table.rows,)}
    bonus = sum(column.column.role is not ColumnRole.PLAIN for column in filling.columns)
    tables = {table.name, *(column.ref.table for column in filling.columns)} | ({filling.parent} - {None})
    columns = frozenset(column.ref for column in filling.columns)
    for combination in product(*texts.values()):
        yield CandidateQuestion(
            question=template.text.format_map(dict(zip(texts, combination, strict=True))),
            category=template.category,
            kind=template.kind,
            key=(template.kind, table.name, filling.parent, columns),
            tables=frozenset(name for name in tables if name is not None),
            columns=columns,
            score=template.weight + score + bonus - _LESS_ASKED * (table.is_snapshot or not table.is_subject),
            through=filling.through,
        )


def _table_scores(facts: ModelFacts) -> dict[str, float]:
    """How much there is to ask about each table: metrics say what matters, then what holds figures and many links."""
    refers = Counter(name for name, others in facts.referred.items() for _ in others)
    referred = Counter(other for others in facts.referred.values() for other in others)
    scores = {}
    for name, table in facts.tables.items():
        if is_link_table(table):
            continue
        scores[name] = 3.0 * (table.table.kind in (TableKind.METRIC, TableKind.CUBE))
        scores[name] += 0.5 * min(refers[name], 3) + 0.3 * min(referred[name], 3)
        scores[name] += 0.5 * any(column.is_measure for column in table.columns)
        scores[name] += 0.5 * any(column.is_date for column in table.columns)
        scores[name] += 0.5 * (table.label is not None or table.person is not None)
        scores[name] -= 1.0 * (table.table.kind is TableKind.VIEW)
    return scores


def _parents(links: Iterable[Relationship], fields: Mapping[str, TableFields]) -> dict[str, list[TableFields]]:
    """For each table those that each of its rows belongs to in one way only, and that have rows with names."""
    found: dict[str, list[str]] = {}
    for link in links:
        left, right = link.left, link.right
        if link.cardinality is Cardinality.ONE_TO_MANY:
            left, right = right, left
        if link.cardinality in (Cardinality.MANY_TO_ONE, Cardinality.ONE_TO_MANY):
            found.setdefault(left, []).append(right)
    return {
        name: [fields[other] for other, times in Counter(others).items() if times == 1 and other in fields]
        for name, others in found.items()
    }


@dataclass(frozen=True, slots=True)
class _Place:
    """A table among its neighbours."""

    table: TableFields
    parents: list[TableFields]
    facts: ModelFacts

    @property
    def sales(self) -> frozenset[str]:
        """Where revenue is added up from this table: it, the lines of its sales, and what says when they were."""
        revenue, of_lines = revenue_names()
        metrics = self.facts.metrics.values()
        measured = any(metric.table == self.table.name and revenue in metric.names for metric in metrics)
        if self.table.is_grouped or not (measured or _is_called(self.table.table, (revenue,))):
            return frozenset()
        own, referred = self.table.name, self.facts.referred
        lines = (
            t
            for t, parents in referred.items()
            if own in parents and _is_called(self.facts.tables[t], (revenue, of_lines))
        )
        dated = (t for t in referred.get(own, ()) if any(column.is_date for column in self.facts.tables[t].columns))
        sales = (t for t in dated if not self.facts.tables[t].label)
        return frozenset((own, *lines, *sales))


def _is_called(table: TableFacts, names: Collection[Stems]) -> bool:
    """Whether one of the table's columns is called so."""
    return any(name in column.names for column in table.columns for name in names)


Fill = Callable[[_Place], Iterator[_Filling]]


def _rows(_: _Place) -> Iterator[_Filling]:
    yield _Filling({})


def _columns_of(slot: str, pick: Callable[[TableFields], Iterable[ColumnFacts]]) -> Fill:
    def fill(place: _Place) -> Iterator[_Filling]:
        for column in list(pick(place.table))[:_MOST_COLUMNS]:
            yield _Filling({slot: said(column)}, (column,))

    return fill


def _date(place: _Place) -> Iterator[_Filling]:
    if place.table.dates and not place.table.is_private:
        yield _Filling({}, place.table.dates[:1])


def _period(place: _Place) -> Iterator[_Filling]:
    if place.table.table.is_somebody:  # when somebody came is not when they were there
        return
    for column in place.table.dates[:1]:
        yield _Filling({"period": period_words(column)}, (column,))


def _parent(place: _Place) -> Iterator[_Filling]:
    for parent in place.parents:
        if parent.is_named:
            yield _Filling({"parent": (parent.row,), "parents": (parent.rows,)}, (), parent.name)


def _revenue(place: _Place) -> Iterator[_Filling]:
    if place.sales:
        yield _Filling({})


def _revenue_period(place: _Place) -> Iterator[_Filling]:
    if sales := place.sales:
        yield _Filling({"period": ("month", "year")}, through=sales)


def _revenue_parent(place: _Place) -> Iterator[_Filling]:
    """What is sold, and who buys it."""
    sales = place.sales
    for name in dict.fromkeys(other for table in sorted(sales) for other in place.facts.referred.get(table, ())):
        if name not in sales and not is_link_table(place.facts.tables[name]):
            parent = fields_of(place.facts.tables[name], place.facts, {})
            if parent.is_named:
                words = {"parent": (parent.row,), "parents": (parent.rows,)}
                yield _Filling(words, (), parent.name, sales)


def _both(first: Fill, second: Fill) -> Fill:
    def fill(place: _Place) -> Iterator[_Filling]:
        for one, other in product(first(place), second(place)):
            yield _Filling({**one.words, **other.words}, one.columns + other.columns, other.parent)

    return fill


_AMOUNTS = _columns_of("amount", lambda table: (column for column in table.amounts if not is_aggregated(column)))
_FLOWS = _columns_of("amount", lambda table: (c for c in table.amounts if not is_aggregated(c) and not is_level(c)))
_FIGURES = _columns_of("figure", lambda table: (column for column in table.figures if not is_aggregated(column)))
_DIMENSIONS = _columns_of("dimension", lambda table: table.dimensions)
_MEASURES = _columns_of("measure", lambda table: (*table.amounts, *table.figures))

_FILLINGS: Mapping[Slots, Fill] = {
    Slots.ROWS: _rows,
    Slots.AMOUNT: _AMOUNTS,
    Slots.FIGURE: _FIGURES,
    Slots.MEASURE: _columns_of("measure", lambda table: (*table.amounts, *table.figures) if table.is_named else ()),
    Slots.DATE: _date,
    Slots.PERIOD: _period,
    Slots.DIMENSION: _DIMENSIONS,
    Slots.PARENT: _parent,
    Slots.AMOUNT_BY: _both(_AMOUNTS, _DIMENSIONS),
    Slots.FIGURE_BY: _both(_FIGURES, _DIMENSIONS),
    Slots.MEASURE_BY: _both(_MEASURES, _DIMENSIONS),
    Slots.AMOUNT_PERIOD: _both(_FLOWS, _period),
    Slots.AMOUNT_PARENT: _both(_AMOUNTS, _parent),
    Slots.FIGURE_PARENT: _both(_FIGURES, _parent),
    Slots.GAP: _columns_of("gap", lambda table: table.gaps),
    Slots.REVENUE: _revenue,
    Slots.REVENUE_PERIOD: _revenue_period,
    Slots.REVENUE_PARENT: _revenue_parent,
}


@dataclass(slots=True)
class CandidateQueue:
    """Candidates in the order in which they are worth trying: the best first, and of those that are accepted not all of
    one kind or about one table."""

    waiting: list[CandidateQuestion]
    kinds: Counter[str] = field(default_factory=Counter)
    tables: Counter[str] = field(default_factory=Counter)

    def take(self, categories: Collection[str]) -> CandidateQuestion | None:
        """The next one of these categories; None when there is none left."""
        fitting = [candidate for candidate in self.waiting if candidate.category in categories]
        if not fitting:
            return None
        best = max(fitting, key=self._worth)
        self.waiting.remove(best)
        return best

    def accept(self, candidate: CandidateQuestion) -> None:
        """Count it, and forget the other ways to ask it."""
        self.waiting = [other for other in self.waiting if other.key != candidate.key]
        self.kinds[candidate.kind] += 1
        self.tables.update(candidate.tables)

    def _worth(self, candidate: CandidateQuestion) -> float:
        repeats = max(self.tables[name] for name in candidate.tables)
        return candidate.score - _SAME_KIND * self.kinds[candidate.kind] - _SAME_TABLE * repeats
