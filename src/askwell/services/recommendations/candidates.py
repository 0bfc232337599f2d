"""All questions that templates make of a semantic model, each with what its SQL has to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import product
from string import Formatter

from askwell.mdl.semantic_model import Cardinality, ColumnRef, ColumnRole, Relationship, SampledValues, TableKind
from askwell.question.words import Stems
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


class Category(StrEnum):
    """What a recommended question is for."""

    DESCRIPTIVE = "Descriptive"
    SEGMENTATION = "Segmentation"
    COMPARATIVE = "Comparative"
    DATA_QUALITY = "Data quality"


@dataclass(frozen=True, slots=True)
class Template:
    """`text` with the words of its slots in braces. The more people ask such a thing, the higher its `weight`. It
    `needs` these of `_FILLS`, where it says so, else those that its slots are called by.

    `grouped` templates are for metrics and cubes, whose rows are results; the others are not, unless they are for
    `both`. Those that count rows, or add up what they hold, are not for tables that say how things stood."""

    kind: str
    category: Category
    weight: float
    text: str
    needs: tuple[str, ...] = ()
    grouped: bool = False
    both: bool = False

    @property
    def fills(self) -> tuple[str, ...]:
        """The names of what fills its slots."""
        slots = dict.fromkeys(name for _, name, _, _ in Formatter().parse(self.text) if name not in (None, "rows"))
        return self.needs or tuple("parent" if name == "parents" else str(name) for name in slots)

    @property
    def counts(self) -> bool:
        """Whether it counts rows or adds something up."""
        return "{amount}" in self.text or self.text.startswith("How many") or "most {rows}" in self.text


_D, _S, _C, _Q = Category.DESCRIPTIVE, Category.SEGMENTATION, Category.COMPARATIVE, Category.DATA_QUALITY

TEMPLATES = (
    Template("revenue", _D, 2.5, "What is the total revenue?", ("revenue",)),
    Template("revenue_period", _S, 2.5, "What is the total revenue per {period}?", ("revenue_period",)),
    Template("revenue_parent", _S, 2.0, "What is the total revenue per {parent}?", ("revenue_parent",)),
    Template("top_revenue", _C, 2.5, "Which 10 {parents} have the highest revenue?", ("revenue_parent",)),
    Template("count", _D, 1.0, "How many {rows} are there?"),
    Template("total", _D, 1.5, "What is the total {amount} of all {rows}?", both=True),
    Template("average", _D, 1.2, "What is the average {figure} of all {rows}?"),
    Template("highest", _D, 0.5, "What is the highest {figure} of all {rows}?", both=True),
    Template("latest", _D, 0.8, "What are the 10 latest {rows}?", ("date",)),
    Template("groups", _S, 1.2, "How many {rows} are there per {dimension}?"),
    Template("children", _S, 1.0, "How many {rows} are there per {parent}?"),
    Template("periods", _S, 1.3, "How many {rows} are there per {period}?"),
    Template("total_groups", _S, 1.4, "What is the total {amount} of {rows} per {dimension}?", both=True),
    Template("average_groups", _S, 1.0, "What is the average {figure} of {rows} per {dimension}?"),
    Template("total_periods", _S, 1.5, "What is the total {amount} of {rows} per {period}?", ("flow", "period")),
    Template("total_parents", _S, 1.2, "What is the total {amount} of {rows} per {parent}?"),
    Template("average_parents", _S, 0.9, "What is the average {figure} of {rows} per {parent}?"),
    Template("top", _C, 1.4, "What are the 10 {rows} with the highest {measure}?", ("named", "measure")),
    Template("most", _C, 1.3, "Which {parent} has the most {rows}?"),
    Template("top_group", _C, 1.0, "Which {dimension} has the most {rows}?"),
    Template("top_total", _C, 1.2, "Which {dimension} has the highest total {amount} of {rows}?"),
    Template("top_average", _C, 1.0, "Which {dimension} has the highest average {figure} of {rows}?"),
    Template("top_measure", _C, 1.4, "Which {dimension} has the highest {measure}?", grouped=True),
    Template("childless", _Q, 1.2, "How many {parents} have no {rows}?"),
    Template("gaps", _Q, 1.0, "How many {rows} have no {gap}?"),
)


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
        for filling in _fillings(template, _Place(table, parents.get(name, []), facts))
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


def _named(place: _Place) -> Iterator[_Filling]:
    if place.table.is_named:
        yield _Filling({})


_FILLS: Mapping[str, Fill] = {
    "amount": _columns_of("amount", lambda table: (c for c in table.amounts if not is_aggregated(c))),
    "flow": _columns_of("amount", lambda table: (c for c in table.amounts if not is_aggregated(c) and not is_level(c))),
    "figure": _columns_of("figure", lambda table: (c for c in table.figures if not is_aggregated(c))),
    "measure": _columns_of("measure", lambda table: (*table.amounts, *table.figures)),
    "dimension": _columns_of("dimension", lambda table: table.dimensions),
    "gap": _columns_of("gap", lambda table: table.gaps),
    "named": _named,
    "date": _date,
    "period": _period,
    "parent": _parent,
    "revenue": _revenue,
    "revenue_period": _revenue_period,
    "revenue_parent": _revenue_parent,
}


def _fillings(template: Template, place: _Place) -> Iterator[_Filling]:
    """Every way to give a template what it needs."""
    for parts in product(*(list(_FILLS[need](place)) for need in template.fills)):
        yield _Filling(
            {slot: texts for part in parts for slot, texts in part.words.items()},
            tuple(column for part in parts for column in part.columns),
            next((part.parent for part in parts if part.parent is not None), None),
            frozenset().union(*(part.through for part in parts)),
        )


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
