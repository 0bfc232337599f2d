"""What the parser knows of one semantic model: words for tables, columns and values, kinds, labels and joins."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from itertools import pairwise
from typing import Self

from sqlglot import exp

from askwell.mdl.abbreviations import ABBREVIATIONS
from askwell.mdl.names import readable
from askwell.mdl.semantic_model import Column, ColumnRef, ColumnRole, SampledValues, SemanticModel, Table
from askwell.question.lexicon import english
from askwell.question.short_names import ShortNames, noun_for
from askwell.question.words import EVERYDAY, Stems, plain_english, plurals, stem, stems
from askwell.semantic_parsing.forms import Metric, Ref
from askwell.semantic_parsing.model.cell_values import CellValues
from askwell.semantic_parsing.model.durations import AGE, NAME, with_durations
from askwell.semantic_parsing.model.facts import ColumnFacts, ColumnKind, ModelFacts, TableFacts
from askwell.semantic_parsing.model.finding_facts import facts_of
from askwell.semantic_parsing.model.join_graph import JoinGraph
from askwell.semantic_parsing.model.measures import Formula
from askwell.semantic_parsing.model.names import LEVELS, ModelNames, deeds_of
from askwell.semantic_parsing.model.names import Target as Target
from askwell.semantic_parsing.model.word_forms import word_forms
from askwell.spelling import spelled_words, transliterated, without_accents
from askwell.sql.world import BY_NAME

# Levels of evidence for a name, the best first.
EXACT, TRIMMED, PARTIAL, WEAK, SYNONYM = LEVELS
NUMBER, DATE, TEXT, FLAG, KEY = "number", "date", "text", "flag", "key"
# A word that stands in no quotation marks.
_WRITTEN = re.compile(r"(?<![\w\"'“‘])[^\W\d]\w*(?![\w\"'”])")
_LONGEST_SPELLED = 3
_LONGEST_CODE = 2
_FAR = 99.0


class Catalog(CellValues):
    """Read-only after construction. Tables are known by name (`str`), columns by `ColumnRef`."""

    def __init__(self, facts: ModelFacts, graph: JoinGraph, names: ModelNames) -> None:
        super().__init__(facts, names.values)
        self.graph = graph
        self.genders = names.genders
        self.words = names.words
        self.metrics = _metrics(facts)
        self.role_words = graph.role_words()
        self._kinds = {ref: _kind(column) for ref, column in self.facts.columns.items()}
        self._distances: dict[tuple[str, str], float] = {}

    @classmethod
    def of(cls, model: SemanticModel, values: SampledValues) -> Self:
        """The catalogue of a model, whose values were sampled."""
        facts = with_durations(facts_of(model, values), values)
        return cls(facts, JoinGraph(facts), ModelNames.build(facts, values))

    @cached_property
    def short_deeds(self) -> Mapping[str, frozenset[str]]:
        """The words of dates and flags that are short for what was done, by its stem."""
        firsts = {facts.words[0] for facts in self.facts.columns.values() if facts.is_date or facts.is_flag}
        found: defaultdict[str, set[str]] = defaultdict(set)
        for short, verb in ((first, verb) for first in firsts for verb in deeds_of(first)):
            found[stem(verb)].add(short)
        return {verb: frozenset(shorts) for verb, shorts in found.items()}

    @cached_property
    def spelled(self) -> frozenset[str]:
        """Every word that a question may be made of, as it is written: of names, of short values, of English."""
        lexicon = english()
        named: list[Table | Column] = [table.table for table in self.facts.tables.values()]
        named += [column.column for column in self.facts.columns.values()]
        texts = [text for one in named for text in (one.name, one.display_name or "", *one.synonyms)]
        names = {word.lower() for text in texts for word in spelled_words(text)}
        names |= {way(word) for word in names for way in (without_accents, transliterated)}
        short = [words for words in self.values if len(words) <= _LONGEST_SPELLED]
        values = {word for words in short for word in words}
        several = {plural for word in names.union(words[-1] for words in short) for plural in plurals(word)}
        said = {word for words in lexicon.phrases for word in words}
        english_words = lexicon.fillers | lexicon.verbs | lexicon.nouns | lexicon.chat | set(BY_NAME) | EVERYDAY
        return frozenset(names | several | values | said | english_words | plain_english())

    @cached_property
    def short(self) -> ShortNames:
        """Words of names that may stand for longer ones: those of two letters are names of tables."""
        tables = [self.facts.schema_words.of(name) for name in self.facts.tables]
        columns = [self.facts.schema_words.of(ref.column) for ref in self.facts.columns]
        names = {word for words in tables for word in words}
        names |= {word for words in columns for word in words if len(word) > _LONGEST_CODE}
        names -= {word for word in names if noun_for(word) != word} | ABBREVIATIONS.keys() | plain_english() | EVERYDAY
        pairs = {pair for words in (*tables, *columns) for pair in pairwise(words)}
        return ShortNames(names, pairs, {key: min(held.values()) <= TRIMMED for key, held in self.words.items()})

    @cached_property
    def written_tables(self) -> frozenset[str]:
        """The names of tables of one word as they are written, in lower case: "visits" may be no verb."""
        names = [name for t in self.facts.tables.values() for name in (t.table.name, t.table.display_name or "")]
        return frozenset(name.lower() for name in names)

    @cached_property
    def _written(self) -> Mapping[str, str]:
        """Names of several words as they are written in one, in lower case: `sales_orders`, `OrderLines`."""
        names = [table.table.name for table in self.facts.tables.values()]
        names += [column.column.name for column in self.facts.columns.values()]
        apart = {name.lower(): readable(name) for name in names}
        return {name: text for name, text in apart.items() if " " in text and name.isidentifier()}

    def read_aloud(self, text: str) -> str:
        """The text with the names of tables and columns, as they are written, in words; not in quotation marks."""
        return _WRITTEN.sub(lambda match: self._written.get(match[0].lower(), match[0]), text)

    @cached_property
    def first_words(self) -> frozenset[str]:
        """The stems that names begin with."""
        return frozenset(words[0] for words in self.words if words)

    # ------------------------------------------------------------ columns
    def column(self, ref: ColumnRef) -> ColumnFacts:
        """Everything that is known of a column."""
        return self.facts.columns[ref]

    def table(self, name: str) -> TableFacts:
        """Everything that is known of a table."""
        return self.facts.tables[name]

    def is_owners_word(self, words: Stems) -> bool:
        """Whether somebody who wrote the model calls something so: not where the draft of a model guessed it."""
        exact = [target for target, level in self.words.get(words, {}).items() if level == EXACT]
        metric = self.metrics.get(words)
        return any(not self._is_drafted(target, words) for target in exact) or (
            metric is not None and not self.facts.metrics[metric.measure].drafted
        )

    def _is_drafted(self, target: Target, words: Stems) -> bool:
        if isinstance(target, str):
            return False
        properties = self.column(target).column.properties
        return bool(properties.get("drafted")) or words in map(stems, properties.get("drafted_synonyms", ()))

    def names_of(self, target: Target) -> Stems:
        """The stems of what a table or column is called."""
        return self.table(target).words if isinstance(target, str) else self.column(target).words

    def words_of(self, target: Target) -> frozenset[str]:
        """The stems of everything that a table or column is called."""
        facts = self.table(target) if isinstance(target, str) else self.column(target)
        return frozenset(word for name in facts.names for word in name)

    def readable(self, target: Target) -> str:
        """The name of a table or column to show to people."""
        return (self.table(target) if isinstance(target, str) else self.column(target)).readable

    def full_name(self, target: Target) -> str:
        """The same, of a column with its table."""
        name = self.readable(target)
        return name if isinstance(target, str) else f"{name} in {self.readable(target.table)}"

    def description_of(self, target: Target) -> str:
        """What the model says of a table or column."""
        described = self.table(target).table if isinstance(target, str) else self.column(target).column
        return described.description or ""

    def kind(self, ref: ColumnRef) -> str:
        """How a column's values behave: number, date, text, flag, or key."""
        return self._kinds[ref]

    def tells_whether(self, ref: ColumnRef) -> bool:
        """Whether a value says that something has happened to the row: a date, a flag, or who did it."""
        return self.kind(ref) in (DATE, FLAG) or self.column(ref).words[-1] == stem("by")

    def is_additive(self, ref: ColumnRef) -> bool:
        """Whether a total of it makes sense without being asked for."""
        facts = self.column(ref)
        is_written_out = facts.number_form is not None and facts.number_form.out
        if is_written_out or (ref.column == AGE and facts.formula is not None):
            return False
        measured = facts.formula is not None or facts.column.role is ColumnRole.MEASURE
        of_one = {stem("unit")} if self.is_price(ref) else set()  # no unit prices are added up
        events = any(map(self.happens, (ref.table, *self.facts.referred.get(ref.table, ()))))
        measured = measured or (self.unit_of(ref) in english().extensive and events)
        return measured or bool(english().additive & (set(facts.words) - of_one)) or self._counts(facts)

    def _counts(self, facts: ColumnFacts) -> bool:
        """Whether it says how many of something there are: a number that is called like several, such as pages."""
        last = spelled_words(facts.column.display_name or facts.column.name)[-1:]
        several = bool(last) and last[0].lower() in plurals(facts.words[-1])
        return facts.is_measure and several and facts.words[-1] not in english().grades

    def has_hours(self, ref: ColumnRef) -> bool:
        """Whether it holds times of day, or dates with one."""
        facts = self.column(ref)
        return facts.clock or (self.kind(ref) == DATE and not facts.of_days)

    def is_income(self, ref: ColumnRef, said: frozenset[str]) -> bool:
        """Whether it holds what is earned, and was asked for as that: by its own name or as revenue."""
        facts, income = self.column(ref), english().income
        return facts.words[-1] in income or any(said & income & set(names) for names in facts.names)

    def is_year(self, ref: ColumnRef) -> bool:
        """Whether it holds years as plain numbers."""
        facts = self.column(ref)
        return stem("year") in facts.words and facts.is_numeric and not facts.is_date

    def hinted(self, hints: str, kinds: Iterable[str]) -> tuple[tuple[ColumnRef, int], ...]:
        """Columns that words such as "older" are about, by the words of their names. Any date answers to "date"."""
        wanted = [stem(word) for word in hints.split()]
        dated, of_things = stem("date") in wanted, stem("founding") in wanted
        found = []
        for ref, facts in self.facts.columns.items():
            if (kind := self.kind(ref)) not in kinds:
                continue
            words = set(facts.words)
            if of_things and kind == DATE and not english().births & words and self._is_born(ref.table):
                continue  # the oldest of the staff are not those who came first
            met = next((place for place, word in enumerate(wanted) if word in words), None)
            if met is not None:
                last = facts.words[-1] in wanted or facts.formula is not None
                found.append((ref, (EXACT if last else PARTIAL) + (met > 1)))
            elif dated and kind == DATE and not english().births & words:  # no time of anything but a life
                found.append((ref, TRIMMED))
        return tuple(found)

    def _is_born(self, table: str) -> bool:
        return any(english().births & set(column.words) for column in self.table(table).columns)

    # ------------------------------------------------------------ tables
    def labels(self, table: str) -> tuple[ColumnRef, ...]:
        """What shows a row to a person: a name, or a first and a last name; nothing where there is neither."""
        return self.table(table).labels

    def numbers(self, table: str) -> tuple[ColumnRef, ...]:
        """The columns of numbers by which people know a row: its number, its code."""
        facts, called = self.table(table), english().numbering
        named = [c for c in facts.columns if c.words[-1] in called and set(c.words[:-1]) <= set(facts.words)]
        named += [c for c in facts.columns if c.words in (facts.words, facts.words[-1:])]
        return tuple(c.ref for c in named if not (c.is_key or c.is_reference) and (c.is_numeric and not c.is_date))

    def key(self, table: str) -> ColumnRef | None:
        """The one column that tells the rows apart."""
        return self.table(table).key

    def amounts(self, table: str) -> tuple[tuple[ColumnRef, int], ...]:
        """The columns of a table that add up."""
        columns = (c.ref for c in self.table(table).columns)
        return tuple((ref, TRIMMED) for ref in columns if self.kind(ref) == NUMBER and self.is_additive(ref))

    @cached_property
    def computes_times(self) -> bool:
        """Whether the time between two dates of a row is computed."""
        return any(ref.column == NAME and facts.formula is not None for ref, facts in self.facts.columns.items())

    def end_of_span(self, begin: ColumnRef) -> ColumnRef | None:
        """The date of a row that ends what this one begins; None where it begins nothing."""
        computed = self.facts.columns.get(ColumnRef(begin.table, NAME))
        between = computed.formula.expression if computed is not None and computed.formula is not None else None
        if not isinstance(between, exp.DateDiff):
            return None
        end, first = (ColumnRef(one.text("table"), one.name) for one in (between.this, between.expression))
        return end if first == begin else None

    def time_between(self, begins: Collection[ColumnRef], ends: Collection[ColumnRef]) -> tuple[ColumnRef, ...]:
        """The columns of time from one of the dates to one of the others."""
        found = [ColumnRef(begin.table, NAME) for begin in begins if self.end_of_span(begin) in ends]
        return tuple(dict.fromkeys(found))

    @cached_property
    def is_dated(self) -> bool:
        """Whether any column is a date."""
        return DATE in self._kinds.values()

    @cached_property
    def people(self) -> tuple[str, ...]:
        """The tables whose rows are somebody."""
        return tuple(name for name, table in self.facts.tables.items() if table.is_somebody)

    def distance(self, source: str, target: str) -> float:
        """How many joins lie between two tables. 99: no path."""
        if (known := self._distances.get((source, target))) is not None:
            return known
        best, reached = {source: 0.0}, [source]
        for table in reached:
            new = [other for other in self.facts.neighbours.get(table, ()) if other not in best]
            best |= dict.fromkeys(new, best[table] + 1)
            reached += new
        for other in self.facts.tables:
            self._distances[source, other] = best.get(other, _FAR)
        return self._distances[source, target]

    def is_of_row(self, table: str, head: str) -> bool:
        """Whether each row of `head` has one row of the table: it is that table, or refers to it."""
        return table == head or table in self.facts.referred.get(head, ())

    def of_rows(self, head: str) -> list[str]:
        """The tables of which each row of `head` has one row at most, the nearest first."""
        found = [head]
        for table in found:
            found += [one for one in self.facts.referred.get(table, ()) if one not in found]
        return found

    def happens(self, table: str) -> bool:
        """Whether its rows are what happens to others at a time, and nothing with a name."""
        facts = self.table(table)
        dated = any(column.is_date for column in facts.columns)
        return dated and (table in self.dealings or bool(not facts.labels and self.facts.referred.get(table)))

    def listed_for(self, table: str) -> str | None:
        """The table of what happens that alone refers to a table which only lists codes: appointments, of states."""
        facts = self.table(table)
        is_list = not (facts.is_somebody or self.facts.referred.get(table) or any(c.is_date for c in facts.columns))
        referring = [one for one, others in self.facts.referred.items() if table in others] if is_list else []
        return referring[0] if len(referring) == 1 and self.happens(referring[0]) else None

    def money(self, table: str, said: Collection[str]) -> tuple[tuple[ColumnRef, int], ...]:
        """What its rows bring, where they are called like that among the words that were said: sales."""
        called = tuple(word.lower() for word in spelled_words(self.table(table).readable)[-1:])
        meanings = english().phrases.get(called, ()) if set(called) <= set(said) else ()
        hinted = {ref for kind, hints in meanings if kind == "MONEY" for ref, _ in self.hinted(hints, (NUMBER,))}
        return tuple(one for one in self.amounts(table) if one[0] in hinted)

    def unit_of(self, ref: ColumnRef) -> str | None:
        """The unit of a column, as its model or the end of its name says it; None where neither does."""
        facts = self.column(ref)
        return facts.column.unit or (facts.words[-1] if facts.words[-1] in english().units.values() else None)

    def has_quantity(self, table: str) -> bool:
        """Whether a row stands for several of what it is about: a line of three tickets, and no unit price."""
        measures = (c for c in self.table(table).columns if c.is_measure and not self.is_price(c.ref))
        return any(english().quantities & set(c.words) for c in measures)

    @cached_property
    def undone(self) -> Mapping[str, tuple[ColumnRef, tuple[str, ...]]]:
        """For tables of what was done the states of what came to nothing, with their column, where there is one."""
        found: dict[str, dict[ColumnRef, list[str]]] = {}
        for words, held in self.values.items():
            for ref, text in held.items() if len(words) == 1 and stem(words[0]) in english().undone else ():
                found.setdefault(ref.table, {}).setdefault(ref, []).extend(
                    self.column(ref).spellings.get(text, (text,))
                )
        single = {table: next(iter(states.items())) for table, states in found.items() if len(states) == 1}
        return {t: (ref, tuple(sorted({*texts}))) for t, (ref, texts) in single.items() if t in self.dealings}

    @cached_property
    def dealings(self) -> frozenset[str]:
        """The tables whose rows say that something was done: they are orders, bookings, visits."""
        nouns = frozenset().union(*english().events.values())
        sold = {stem(word) for word in english().dealing}
        dates = {c.ref.table for c in self.facts.columns.values() if c.is_date and not sold.isdisjoint(c.words)}
        return frozenset(name for name, t in self.facts.tables.items() if name in dates or nouns & set(t.words))

    def is_titled(self, table: str) -> bool:
        """Whether its rows have a title or the like, and neither they nor what they refer to has a name."""
        near = (column for one in (table, *self.facts.referred.get(table, ())) for column in self.table(one).columns)
        return bool(self.labels(table)) and not any(stem("name") in column.words for column in near)

    def is_dealt(self, table: str) -> bool:
        """Whether its rows are what somebody has had, so that the price of one is what was paid for it."""
        if self.has_quantity(table):
            return False
        return table in self.dealings or any(self.table(one).is_somebody for one in self.facts.referred.get(table, ()))

    def is_price(self, ref: ColumnRef) -> bool:
        """Whether it is what one of something costs."""
        return bool(word_forms().prices & set(self.column(ref).words))

    def superior(self, table: str) -> ColumnRef | None:
        """The one column of a table that refers to another row of it, and is called as who is above somebody."""
        own = [column for column in self.table(table).columns if column.self_reference]
        found = [column.ref for column in own if english().superiors & {word for name in column.names for word in name}]
        return found[0] if len(found) == 1 else None

    def role_of(self, ref: ColumnRef) -> tuple[str, str] | None:
        """The table whose rows a column refers to, and the relationship in which it does."""
        single = [(r, r.pairs[0]) for r in self.facts.relationships if len(r.pairs) == 1]
        ends = [(ColumnRef(r.left, here), r.right, r.name) for r, (here, _) in single]
        ends += [(ColumnRef(r.right, there), r.left, r.name) for r, (_, there) in single]
        found = {table: name for own, table, name in ends if own == ref and self.is_of_row(table, ref.table)}
        return found.popitem() if len(found) == 1 else None

    def owned(self, ref: Ref, table: str) -> Ref | None:
        """The column as one of the table; None where it has none such."""
        options = tuple((column, level) for column, level in ref.options if column.table == table)
        return Ref(options, table) if options else None


def _kind(facts: ColumnFacts) -> str:
    if facts.is_key or facts.is_reference:
        return KEY
    if facts.is_date:
        return DATE
    if facts.is_flag:
        return FLAG
    return NUMBER if facts.is_measure or facts.number_form or facts.kind is ColumnKind.NUMBER else TEXT


def _metrics(facts: ModelFacts) -> Mapping[Stems, Metric]:
    """What each name means; nothing where two metrics that compute different things share it."""
    found: defaultdict[Stems, dict[Formula, Metric]] = defaultdict(dict)
    for metric in facts.metrics.values():
        for words in metric.names:
            found[words].setdefault(metric.formula, Metric(metric.measure, metric.table, metric.formula))
    return {words: next(iter(meanings.values())) for words, meanings in found.items() if len(meanings) == 1}
