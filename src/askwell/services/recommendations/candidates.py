"""All questions that templates make of a semantic model, each with what its SQL has to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from itertools import product

from askwell.mdl.semantic_model import Cardinality, ColumnRef, ColumnRole, Relationship, SampledValues, TableKind
from askwell.question.words import Stems
from askwell.resources import words_file
from askwell.semantic_parsing.model.facts import ColumnFacts, ModelFacts, TableFacts
from askwell.services.drafted_measures import revenue_names
from askwell.services.recommendations.fields import (
    TableFields,
    fields_of,
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
    """A question with slots, as `questions.yaml` describes it."""

    kind: str
    category: str
    weight: float
    text: str
    needs: tuple[str, ...] = ()
    of: str = "rows"
    counts: bool = False

    def is_for(self, table: TableFields) -> bool:
        """Whether it can be asked of such a table."""
        rows = "results" if table.is_grouped else "rows"
        return self.of in (rows, "both") and not (self.counts and table.is_snapshot)


@cache
def templates() -> tuple[Template, ...]:
    """All of them."""
    return tuple(Template(**row) for row in words_file(__package__, "questions.yaml")["questions"])


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

    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
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
        for template in templates()
        if template.is_for(table)
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


def _fill(need: str, place: _Place) -> Iterator[_Filling]:
    """The ways to fill what a template needs."""
    table = place.table
    match need:
        case "named":
            if table.is_named:
                yield _Filling()
        case "date":
            if table.dates and not table.is_private:
                yield _Filling(columns=table.dates[:1])
        case "period":
            # When someone came is not when they were there.
            for column in () if table.table.is_somebody else table.dates[:1]:
                yield _Filling({"period": period_words(column)}, (column,))
        case "parent":
            yield from (_of_parent(parent) for parent in place.parents if parent.is_named)
        case "revenue" | "revenue_period" | "revenue_parent":
            if sales := place.sales:
                yield from _of_sales(need, sales, place.facts)
        case _:
            slot = "amount" if need == "flow" else need
            for column in table.columns[need][:_MOST_COLUMNS]:
                yield _Filling({slot: said(column)}, (column,))


def _of_parent(parent: TableFields, through: frozenset[str] = frozenset()) -> _Filling:
    return _Filling({"parent": (parent.row,), "parents": (parent.rows,)}, parent=parent.name, through=through)


def _of_sales(need: str, sales: frozenset[str], facts: ModelFacts) -> Iterator[_Filling]:
    """Revenue by itself, by period, and by what is sold and who buys it."""
    if need == "revenue":
        yield _Filling()
    elif need == "revenue_period":
        yield _Filling({"period": ("month", "year")}, through=sales)
    else:
        for name in dict.fromkeys(other for table in sorted(sales) for other in facts.referred.get(table, ())):
            parent = fields_of(facts.tables[name], facts, {})
            if name not in sales and not is_link_table(parent.table) and parent.is_named:
                yield _of_parent(parent, sales)


def _fillings(template: Template, place: _Place) -> Iterator[_Filling]:
    """Every way to give a template what it needs."""
    for parts in product(*(list(_fill(need, place)) for need in template.needs)):
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
