"""A linked question, read-only: its spans, which of them mention tables, and how to walk between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from askwell.question.stems import stem, stem_set, stems
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.facts import ModelFacts, TableFacts
from askwell.sql.rules.lexicon import Evidence
from askwell.sql.rules.spans import END, Kind, Span, Thing
from askwell.sql.rules.translation import Assumption
from askwell.sql.rules.words.phrases import Mark
from askwell.sql.rules.words.verbs import CONTENT, EXISTENCE, PREDICATES

# Words of sorting that sort nothing on their own.
_EMPTY_SORTS = frozenset({"by", "order of", "ordered", "sorted", "sort"})


@dataclass(frozen=True)
class Sentence:
    """One way to read the spans: `as_columns` are those that name a table as well and are read as a column."""

    spans: tuple[Span, ...]
    facts: ModelFacts
    as_columns: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return len(self.spans)

    def span(self, i: int) -> Span:
        """The span at `i`, or an end mark outside the question."""
        return self.spans[i] if 0 <= i < len(self.spans) else END

    def kind(self, i: int) -> Kind:
        """The kind of the span at `i`."""
        return self.span(i).kind

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all words."""
        return frozenset(word for span in self.spans for word in stems(span.text))

    @cached_property
    def _mentions(self) -> tuple[tuple[str | None, tuple[Assumption, ...]], ...]:
        found = [
            (None, ()) if i in self.as_columns or i in self.modifiers else _table_of(span, self.facts)
            for i, span in enumerate(self.spans)
        ]
        if not any(span.kind in (Thing.PERIOD, Thing.NUMBER) for span in self.spans):
            return tuple(found)
        named = {table for (table, _), span in zip(found, self.spans, strict=True) if not span.low.endswith("ed")}
        return tuple(
            (None, ()) if table is not None and _says_date(span, named, self.facts) else (table, assumptions)
            for (table, assumptions), span in zip(found, self.spans, strict=True)
        )

    @cached_property
    def modifiers(self) -> frozenset[int]:
        """Tables that only say which kind of rows of the next one is meant: the product of "product category"."""
        found = [None if i in self.as_columns else _table_of(span, self.facts)[0] for i, span in enumerate(self.spans)]
        pairs = ((i, first, found[i + 1]) for i, first in enumerate(found[:-1]) if first is not None)
        return frozenset(
            i
            for i, first, second in pairs
            if second is not None
            and second in self.facts.neighbours.get(first, ())
            and not self.spans[i].low.endswith("s")
            and not self.spans[i + 1].low.endswith("ed")
        )

    def table(self, i: int) -> str | None:
        """The table that the span at `i` mentions before anything else."""
        return self._mentions[i][0] if 0 <= i < len(self.spans) else None

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """All mentioned tables, in order."""
        return tuple(dict.fromkeys(table for table, _ in self._mentions if table is not None))

    @property
    def main(self) -> str | None:
        """The table that is mentioned first."""
        return self.tables[0] if self.tables else None

    @cached_property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What was taken for granted about the mentions and the words that add nothing."""
        found = [a for _, assumptions in self._mentions for a in assumptions]
        found += [
            assumption("closing_verb" if self._closes(i) else "loose_verb", span.text)
            for i, span in enumerate(self.spans)
            if span.loose_verb
        ]
        found += [
            assumption("table_as_column", self.spans[i].text, str(next(iter(self.spans[i].columns))))
            for i in sorted(self.as_columns)
        ]
        return tuple(found)

    @property
    def closing_verbs(self) -> tuple[str, ...]:
        """The verbs that were passed over at the end of a clause."""
        return tuple(
            span.text
            for i, span in enumerate(self.spans)
            if span.kind is Thing.FILLER
            and (span.loose_verb or span.low in CONTENT or self._is_predicate(i))
            and stem(span.low) not in stem_set(EXISTENCE)
            and not (self.span(i - 1).low == "we" and self.span(i - 2).low not in _HELPING)  # "the products we sell"
            and self._closes(i)
        )

    def _is_predicate(self, i: int) -> bool:
        return self.span(i).low in PREDICATES and self.span(i - 1).low in ("is", "are", "was", "were", "not")

    def _closes(self, i: int) -> bool:
        """Whether nothing follows a verb that it could relate to: "how many members resigned?"."""
        return self.kind(self.after(i, Mark.OF)) in (Thing.STOP, Thing.END, Thing.COMMA)

    def light(self, i: int) -> bool:
        """Whether the span adds nothing between two others: a filler, or a "by" that sorts and groups nothing."""
        span = self.span(i)
        return span.kind is Thing.FILLER or i in self.modifiers or (span.kind is Mark.SORT and span.low in _EMPTY_SORTS)

    def after(self, i: int, *skip: Kind) -> int:
        """The next span that is neither light nor of a kind to skip."""
        i += 1
        while i < len(self.spans) and (self.light(i) or self.spans[i].kind in skip):
            i += 1
        return i

    def before(self, i: int, *skip: Kind) -> int:
        """The span before that is neither light nor of a kind to skip; -1 at the start."""
        i -= 1
        while i >= 0 and (self.light(i) or self.spans[i].kind in skip):
            i -= 1
        return i

    def is_column(self, i: int) -> bool:
        """Whether the span names a column and no table."""
        span = self.span(i)
        named = span.kind is Thing.ENTITY and bool(span.columns) and self.table(i) is None
        return named and i not in self.modifiers

    def is_value(self, i: int) -> bool:
        """Whether the span is a cell value before anything else."""
        return self.span(i).is_value

    def where(self, kind: Kind) -> Iterator[int]:
        """The places of all spans of a kind."""
        return (i for i, span in enumerate(self.spans) if span.kind is kind)


def _table_of(span: Span, facts: ModelFacts) -> tuple[str | None, tuple[Assumption, ...]]:
    if span.kind is not Thing.ENTITY or not span.tables:
        return None, ()
    best = span.best_table
    if (span.columns and span.best_column < best) or (span.values and best >= Evidence.PARTIAL):
        return None, ()
    tables = [table for table, evidence in span.tables.items() if evidence == best]
    assumptions: list[Assumption] = []
    if len(tables) > 1:
        short = [table for table in tables if len(facts.tables[table].words) == 1]
        if len(short) == 1:
            tables = short
        else:  # not a table that only connects others
            tables.sort(key=lambda table: _rank(facts.tables[table]))
            assumptions.append(assumption("ambiguous_table", span.text, facts.tables[tables[0]].readable))
    if best >= Evidence.PARTIAL:
        assumptions.append(assumption("partial_table", span.text, facts.tables[tables[0]].readable))
    return tables[0], tuple(assumptions)


def _says_date(span: Span, named: set[str | None], facts: ModelFacts) -> bool:
    """ "students enrolled in 2023": a date of theirs, and no row of the enrolments."""
    if not span.low.endswith("ed"):
        return False
    tables = [facts.tables[table] for table in named if table is not None]
    dates = [column for table in tables for column in table.columns if column.is_date]
    return any(stem(span.low) in column.words for column in dates)


def _rank(table: TableFacts) -> tuple[bool, int, int]:
    """Tables that only connect others come last, then those with long names and few columns."""
    connects = all(column.is_reference for column in table.columns)
    return connects, len(table.words), -len(table.columns)


def readings(spans: Sequence[Span], facts: ModelFacts) -> Iterator[Sentence]:
    """The sentence, and its variants where a word names both a table and a column, the most likely first."""
    plain = Sentence(tuple(spans), facts)
    both = [i for i, span in enumerate(spans) if span.columns and plain.table(i) is not None]
    likely = frozenset(i for i in both if _rather_column(plain, i))
    seen = [likely]
    yield replace(plain, as_columns=likely)
    for i in both:
        flipped = likely ^ {i}
        if flipped not in seen and (i in likely or spans[i].best_column <= Evidence.TRIMMED):
            seen.append(flipped)
            yield replace(plain, as_columns=flipped)
        if len(seen) > 3:
            return


def _rather_column(sentence: Sentence, i: int) -> bool:
    """ "department" as a column of another table that the question mentions by a word that means nothing else."""
    span = sentence.spans[i]
    if sentence.span(i + 1).low in _RELATIVE or _owns_column(sentence, i):
        return False
    if span.best_column > span.best_table or stems(sentence.span(i + 1).text) == (stem("name"),):
        return False
    others = {
        table
        for j, other in enumerate(sentence.spans)
        if j != i and not other.columns and (table := sentence.table(j)) is not None
    }
    held = any(ref.table in others and evidence <= Evidence.TRIMMED for ref, evidence in span.columns.items())
    named = min(span.tables, key=lambda table: span.tables[table])
    return held and named not in others and sentence.kind(sentence.before(i)) is not Mark.AGGREGATE


_HELPING = frozenset({"did", "do", "have", "has", "had"})
_RELATIVE = frozenset({"who", "that", "which", "whose", "with", "having", "whom"})


def _owns_column(sentence: Sentence, i: int) -> bool:
    """ "the names of the nurses": the span says whose column the one before is."""
    of = sentence.before(i)
    owned = sentence.span(sentence.before(of))
    return sentence.span(of).low == "of" and owned.kind is Thing.ENTITY and bool(owned.columns) and not owned.tables
