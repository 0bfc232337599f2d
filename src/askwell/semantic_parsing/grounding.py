"""Which column each part of a reading means: by its words, and by how near its table is to what is asked about."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.lexicon import english
from askwell.question.words import stem
from askwell.semantic_parsing.forms import (
    AnyOf,
    Beside,
    Best,
    Both,
    Bucket,
    Compare,
    During,
    Every,
    Holds,
    Kin,
    Measure,
    Metric,
    Only,
    Query,
    Ref,
    Rows,
    Without,
)
from askwell.semantic_parsing.model.catalog import DATE, FLAG, KEY, Catalog
from askwell.semantic_parsing.model.word_forms import word_forms

MOST_OPTIONS, MOST_GROUNDINGS, MARGIN = 4, 5, 3.5
_MOST_COMBINATIONS = 200
_RIVALS = 0.3
_NEAR, _FAR = 1.5, 9.0
Part = Ref | Holds


@dataclass(frozen=True, slots=True)
class Grounding:
    """A column for each part, with the features that speak for the choice."""

    columns: Mapping[Part, ColumnRef]
    features: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class _Option:
    column: ColumnRef
    evidence: str
    owner: str | None


@dataclass(frozen=True, slots=True)
class _Rated:
    column: ColumnRef
    features: tuple[str, ...]
    score: float


def parts_of(form: Any, role: str = "condition") -> Iterator[tuple[Part, str]]:
    """Every part of a form that needs a column, with the role it plays: shown, condition, ranked, grouped, sorted."""
    match form:
        case Query():
            yield from _parts_of_query(form)
        case Ref():
            yield form, role
        case Holds():
            yield form, "condition"
        case Bucket(_, of) | During(of):
            yield from parts_of(of, role)
        case _:
            for inner in _inside(form):
                yield from parts_of(inner)


def _inside(form: Any) -> Iterable[Any]:
    """What conditions and figures are about."""
    match form:
        case Measure(_, of):
            return (of,)
        case Compare(left, _, right):
            return (left, *right)
        case Without(other) | Kin(other):
            return (other,)
        case Best(of, rank):
            return (of, rank.by)
        case Beside(who, of):
            return (who, of)
        case Rows(_, parts) | Only(_, parts) | AnyOf(parts) | Both(parts) | Every(parts):
            return parts
    return ()


def _parts_of_query(query: Query) -> Iterator[tuple[Part, str]]:
    for shown in query.select:
        yield from parts_of(shown, "shown")
    for predicate in query.where:
        yield from parts_of(predicate)
    if query.rank is not None:
        yield from parts_of(query.rank.by, "ranked")
    for group in query.group:
        yield from parts_of(group, "grouped")
    orders = (order for order in (query.order, query.again) if order is not None)
    for by in chain.from_iterable(order.by for order in orders):
        yield from parts_of(by, "sorted")


def tables_of(query: Query) -> list[str]:
    """The tables that a reading names, what it asks about first."""
    compared = (p.left for p in query.where if isinstance(p, Compare))
    measures = [*query.select, query.rank.by if query.rank else None, *compared]
    counted = [m.of.table for m in measures if isinstance(m, Measure) and isinstance(m.of, Rows | Metric)]
    shown = [s.table for s in (*query.select, *query.group) if isinstance(s, Rows)]
    shown += [one.column.table for one in query.where if isinstance(one, Kin)]
    ranked = [query.rank.by.table] if query.rank is not None and isinstance(query.rank.by, Rows) else []
    return [table for table in dict.fromkeys((query.head, *query.mentions, *counted, *shown, *ranked)) if table]


def _happened(query: Query) -> Iterator[Ref]:
    """The dates that rows have to have, of what is asked about or counted: "shipped orders"."""
    counted = (one.of for one in query.select if isinstance(one, Measure))
    for where in (query.where, *(of.where for of in counted if isinstance(of, Rows))):
        for one in (part for p in where for part in (p.parts if isinstance(p, Every) else (p,))):
            if isinstance(one, Compare) and one.op == "empty" and one.negated and isinstance(one.left, Ref):
                yield one.left


def column_sign(column: ColumnRef) -> str:
    """What stands among the words of a question where it is known that this column is meant, and not only likely."""
    return f"@{column}"


def unit_sign(unit: str) -> str:
    """What stands among them where a number of that unit was said."""
    return f"#{unit}"


class Grounder:
    """Grounds the readings of one question. `said` are the stems of the question, and the `column_sign`s of what is
    known to be meant; a part that could mean one of the `chosen` columns means no other."""

    def __init__(
        self,
        catalog: Catalog,
        weights: Mapping[str, float],
        said: frozenset[str],
        chosen: Collection[ColumnRef] = (),
    ) -> None:
        self._catalog, self._weights, self._said, self._chosen = catalog, weights, said, frozenset(chosen)

    def groundings(self, query: Query) -> list[Grounding]:
        """The likeliest choices, the best first; none where a part can mean no column."""
        parts, named = list(dict.fromkeys(parts_of(query))), tables_of(query)
        starts = [named] if named else [[table] for table in self._first_tables(parts)] or [[]]
        found = (one for start in starts for one in self._grounded(query, parts, start))
        return sorted(found, key=lambda g: -g.score)[:MOST_GROUNDINGS]

    def _grounded(self, query: Query, parts: list[tuple[Part, str]], named: list[str]) -> list[Grounding]:
        """The choices where these tables are asked about."""
        choices: list[list[tuple[Part, _Rated]]] = []
        happened = {column for left in _happened(query) for column, _ in left.options}
        for part, role in parts:
            rated = sorted((self._rated(named, role, o, part) for o in self._options(part)), key=lambda r: -r.score)
            if not rated:
                return []
            if isinstance(part, Ref) and part.implicit:  # "shipped per month"
                rated = [r for r in rated if r.column in happened] or rated
            kept = [r for r in rated[:MOST_OPTIONS] if r.score > rated[0].score - MARGIN]
            if isinstance(part, Ref) and part.implicit:  # a time is rather that of what is asked about
                kept += [r for r in rated if r.column.table in named and r not in kept][:MOST_OPTIONS]
            if len(kept) > 1 and kept[0].score - kept[1].score < _RIVALS:
                kept = [
                    r if self._is_known(r.column) else replace(r, features=(*r.features, "ground:rival")) for r in kept
                ]
            choices.append([(part, r) for r in kept])
        found = []
        for chosen in itertools.islice(itertools.product(*choices), _MOST_COMBINATIONS):
            columns = {part: rated.column for part, rated in chosen}
            further = {column.table for column in columns.values()} - set(named)
            features = tuple(f for _, rated in chosen for f in rated.features) + ("ground:tables",) * len(further)
            features += tuple(self._times(query, named, columns))
            found.append(Grounding(columns, features, self._cost(features)))
        return found

    def _times(self, query: Query, named: list[str], columns: Mapping[Part, ColumnRef]) -> Iterator[str]:
        """Whether a time that only was said ("in 2024") is that of what is measured, counted or asked about, or
        borrowed from something else: when the shop was founded is no time of its staff. The date of a document is that
        of its lines as well."""
        asked = self._measured(query, columns) or set(named[:1])
        events = {columns[left] for left in _happened(query)}
        absent = {part: {p.other.table} for p in query.where if isinstance(p, Without) for part, _ in parts_of(p)}
        for part, column in columns.items():
            owner = part.owner if isinstance(part, Ref) and part.owner in self._catalog.dealings else None
            about = absent.get(part, {owner} if owner else asked)  # "who ordered in 2024" is about orders
            if not isinstance(part, Ref) or not part.implicit or not about:
                continue
            if query.rank is not None and part == query.rank.by:  # "the latest order"
                yield "ground:own_date" if self._is_the_date(column) else "ground:later_date"
                continue
            known = self._is_known(column)
            own_events = {event for event in events if event.table == column.table}
            if own_events and not known:
                yield "ground:own_date" if {column} == own_events else "ground:any_date"
                continue
            plain = self._catalog.is_year(column) and self._catalog.column(column).words == (stem("year"),)
            if column.table in about or self._dates_all_of(column.table, about):
                if self._is_the_date(column):
                    yield "ground:own_date"
                elif not known:
                    yield "ground:any_date"
            elif not known and (not plain or column.table not in named):
                yield "ground:borrowed_date"

    def _is_known(self, column: ColumnRef) -> bool:
        """Whether it is known to be meant wherever it may be."""
        return column_sign(column) in self._said

    def _dates_all_of(self, document: str, about: set[str]) -> bool:
        """Whether these are rows without a date of their own, each of which belongs to one order, booking or visit."""
        facts = self._catalog.facts
        if document not in self._catalog.dealings:
            return False
        belong = all(document in facts.referred.get(table, ()) for table in about)
        return belong and not any(column.is_date for table in about for column in facts.tables[table].columns)

    def _called_like_its_rows(self, table: str) -> ColumnRef | None:
        """The one date that is named after its table, or by no more than that it is a date: `visit_date` of visits."""
        plain = word_forms().moments | set(self._catalog.table(table).words)
        named = [c.ref for c in self._catalog.table(table).columns if c.is_date and plain.issuperset(c.words)]
        return named[0] if len(named) == 1 else None

    def _is_the_date(self, column: ColumnRef) -> bool:
        """Whether a date is when its row came into being, or the only one that may be."""
        lexicon, facts = english(), self._catalog.column(column)
        if facts.is_date and (called := self._called_like_its_rows(column.table)) is not None:
            return column == called
        if lexicon.first_dates & set(facts.words) or not facts.is_date:
            return True
        ends = (column, self._catalog.end_of_span(column))
        others = [c for c in self._catalog.table(column.table).columns if c.is_date and c.ref not in ends]
        return all(lexicon.later_dates & set(other.words) for other in others)

    def _measured(self, query: Query, columns: Mapping[Part, ColumnRef]) -> set[str]:
        """The tables of what is added up, averaged or counted, and of the figure that others are ranked by: "the top
        customers by revenue in 2025" are those of that year's revenue."""
        compared = (p.left for p in query.where if isinstance(p, Compare))
        sorted_by = query.order.by if query.order is not None else ()
        ranked = [query.rank.by if query.rank is not None else None, *sorted_by]
        figures = [one.of for one in (*query.select, *compared, *ranked) if isinstance(one, Measure)]
        refs = [by for by in ranked if isinstance(by, Ref) and by in columns]
        figures += [by for by in refs if self._catalog.column(columns[by]).is_measure]
        found = {columns[of].table for of in figures if isinstance(of, Ref)}
        return found | {of.table for of in figures if isinstance(of, Rows | Metric)}

    def _cost(self, features: tuple[str, ...]) -> float:
        return sum(self._weights.get(feature, 0.0) for feature in features)

    def _first_tables(self, parts: list[tuple[Part, str]]) -> list[str]:
        """Where no table is named, what is asked for first decides what it is about: each of those that have it."""
        if not parts:
            return []
        first = parts[0][0]
        if isinstance(first, Ref) and first.owner:
            return [first.owner]
        options = self._options(first)
        best = [option.column.table for option in options if option.evidence == options[0].evidence]
        return list(dict.fromkeys(best))[:MOST_OPTIONS]

    def _options(self, part: Part) -> list[_Option]:
        """The columns that a part could mean."""
        options = self._all_options(part)
        return [one for one in options if one.column in self._chosen] or options

    def _all_options(self, part: Part) -> list[_Option]:
        if isinstance(part, Ref):
            best = min(level for _, level in part.options)
            return [_Option(c, f"ground:level+{level - best}", part.owner) for c, level in part.options]
        shared = set.intersection(*({column for column, _ in value.options} for value in part.values))
        if shared:
            evidence = "ground:value" if part.of is None else "ground:named_value"
            return [_Option(c, evidence, part.owner) for c, _ in part.values[0].options if c in shared]
        if part.of is None:
            return []
        digits = all(value.text.isdigit() for value in part.values)
        fitting = [c for c, _ in part.of.options if digits or not self._catalog.column(c).is_measure]
        return [_Option(c, "ground:unseen_value", part.of.owner or part.owner) for c in fitting]

    def _rated(self, named: list[str], role: str, option: _Option, part: Part) -> _Rated:
        catalog, column = self._catalog, option.column
        facts, table = catalog.column(column), catalog.table(column.table)
        features = [option.evidence, f"ground:{self._place(named, option)}"]
        if not isinstance(part, Holds):
            plain = word_forms().generic_endings | set(table.words)
            unsaid = {word for word in facts.words if word not in self._said and word not in plain}
            features += ["ground:unsaid"] * min(len(unsaid), 1 if isinstance(part, Ref) and part.implicit else 3)
        if not set(table.words) & self._said:
            features.append("ground:unsaid_table")
        if role == "shown" and catalog.kind(column) == FLAG:
            features.append("ground:flag_shown")
        if catalog.kind(column) == KEY:
            features += [f"ground:key_{role}"]
            if not self._said & word_forms().key_words:
                features.append(f"ground:key_unasked_{role}")
        if not isinstance(part, Holds) and (catalog.kind(column) == DATE or catalog.is_year(column)):
            features += self._when(column, facts.words)
        if isinstance(part, Holds):
            if column in catalog.labels(column.table):
                features.append("ground:label_value")
            if part.of is None and not self._is_known(column) and self._may_name_another(column, part, named):
                features.append("ground:other_label")
            if any(text == value.text for value in part.values for c, text in value.options if c == column):
                features.append("ground:same_case")
        return _Rated(column, tuple(features), self._cost(tuple(features)))

    def _when(self, column: ColumnRef, words: tuple[str, ...]) -> list[str]:
        """Whether a date that is not named is that of the row itself, or of what became of it."""
        lexicon, own = english(), set(words) - self._said
        if own - word_forms().moments and (called := self._called_like_its_rows(column.table)) is not None:
            return ["ground:first_date" if column == called else "ground:later_date"]
        if own & lexicon.later_dates:
            return ["ground:later_date"]
        return ["ground:first_date"] if own & lexicon.first_dates else []

    def _may_name_another(self, column: ColumnRef, part: Holds, named: list[str]) -> bool:
        """Whether all values may as well be names of what the column's table refers to, or of one more table that is
        as near: "songs by Moss", where a record and a singer are called so."""
        catalog, parents = self._catalog, self._catalog.facts.referred.get(column.table, ())
        own = column in catalog.labels(column.table)
        others = parents if not own else [t for t in catalog.facts.tables if t != column.table and t not in named[:1]]
        if own and column.table in named:
            return False
        names = {label for table in others for label in catalog.labels(table)}
        return all(names & {other for other, _ in value.options} for value in part.values)

    def _place(self, named: list[str], option: _Option) -> str:
        table = option.column.table
        if option.owner is not None and table == option.owner:
            return "owner"
        if table in named:
            return "head" if table == named[0] else "named"
        distance = min((self._catalog.distance(source, table) for source in named), default=0.0)
        return "near" if distance < _NEAR else "far" if distance < _FAR else "apart"
