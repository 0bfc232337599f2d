"""Choosing what a word means in its place: which column, which value's column, which date."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.stems import stem, stem_set, stems
from askwell.question.tokens import plain_number
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import DeadEnd
from askwell.sql.rules.facts import ColumnFacts, ModelFacts
from askwell.sql.rules.lexicon import Evidence
from askwell.sql.rules.query import Literal
from askwell.sql.rules.sentence import Sentence
from askwell.sql.rules.spans import Span, Thing
from askwell.sql.rules.translation import Assumption
from askwell.sql.rules.words.forms import COMPUTED_PREFIXES, DIRECTIONS
from askwell.sql.rules.words.phrases import Mark
from askwell.sql.rules.words.verbs import DEALING, SOLD


@dataclass(frozen=True, slots=True)
class Choice:
    """A column, and what was taken for granted in choosing it."""

    ref: ColumnRef
    assumptions: tuple[Assumption, ...] = ()


_BETWEEN_COLUMNS = (Thing.FILLER, Thing.COMMA, Mark.AND, Mark.OF, Mark.AGGREGATE, Mark.DISTINCT, Mark.EACH)
_OWNER_REACH = 12
# Digits of a number that is too large, to tell which one is meant.
_MOST_SHOWN = 24
_UNITS = frozenset({stems("units"), stems("pieces"), stems("copies")})
_SELLING = SOLD | {"selling", "sales", "order"}


@dataclass(frozen=True)
class Reader:
    """The questions that all clauses put to a sentence. Read-only. `barred` columns are chosen only where all are."""

    sentence: Sentence
    facts: ModelFacts
    barred: frozenset[ColumnRef] = frozenset()

    @cached_property
    def _valued(self) -> tuple[str, ...]:
        """Where no table is mentioned, the one that holds the values: "in which city does Ada Byron live"."""
        held = [{ref.table for ref in span.values} for span in self.sentence.spans if span.is_value and span.values]
        common = set.intersection(*held) if held else set()
        return tuple(sorted(common))

    @cached_property
    def _named(self) -> tuple[str, ...]:
        """The tables of the columns that only one table has: "the capital of Texas"."""
        spans = (span for span in self.sentence.spans if span.columns and not span.is_value)
        found = ([ref for ref, evidence in s.columns.items() if evidence <= Evidence.TRIMMED] for s in spans)
        return tuple(dict.fromkeys(refs[0].table for refs in found if len(refs) == 1))

    @cached_property
    def _measured(self) -> tuple[str, ...]:
        """Where no table is mentioned, those of the amounts that are: "revenue by country"."""
        found: dict[str, None] = {}
        for span in self.sentence.spans:
            nearest = span.best_column
            if nearest > Evidence.TRIMMED:
                continue
            best = [ref for ref, evidence in span.columns.items() if evidence == nearest]
            if len(best) == 1 and self.column(best[0]).is_measure:
                found[best[0].table] = None
        return tuple(found)

    def column(self, ref: ColumnRef) -> ColumnFacts:
        """The facts of a column."""
        return self.facts.columns[ref]

    def label(self, table: str) -> ColumnRef | None:
        """The column that names a row of the table."""
        return facts.label if (facts := self.facts.tables.get(table)) is not None else None

    def naming(self, table: str) -> tuple[ColumnRef, ...]:
        """The columns by which a row is shown to people: its name, a first and a last name, else its key."""
        facts = self.facts.tables[table]
        if facts.label is not None:
            return (facts.label,)
        return facts.person or ((facts.key,) if facts.key is not None else ())

    def key(self, table: str) -> ColumnRef | None:
        """The one column that is the table's key."""
        return self.facts.tables[table].key

    def beside(self, tables: Iterable[str]) -> tuple[str, ...]:
        """The tables that are related to these."""
        return tuple(other for table in tables for other in self.facts.neighbours.get(table, ()))

    def linked(self, tables: Iterable[str]) -> tuple[str, ...]:
        """The tables that are related to these by a table that does nothing but link them: the categories of films."""
        links = [t for t in self.beside(tables) if all(c.is_link for c in self.facts.tables[t].columns)]
        return tuple(dict.fromkeys(other for other in self.beside(links) if other not in set(tables)))

    def parents(self, tables: Iterable[str]) -> tuple[str, ...]:
        """The tables that each row of these belongs to exactly once, directly or over others: what they are looked
        at by."""
        found: list[str] = []
        todo = list(tables)
        while todo:
            for parent in self.facts.referred.get(todo.pop(), ()):
                if parent not in found:
                    found.append(parent)
                    todo.append(parent)
        return tuple(found)

    def owner(self, i: int, *, back: bool = False) -> str | None:
        """The table whose column the word at `i` most likely is: "name of the customer", "customer's name"."""
        sentence = self.sentence
        if not back:
            if (before := sentence.table(i - 1)) is not None:
                return before
            if sentence.span(i - 1).text == "'s" and (before := sentence.table(i - 2)) is not None:
                return before
            for j in range(i + 1, min(len(sentence), i + _OWNER_REACH)):
                if (table := sentence.table(j)) is not None:
                    return table
                span = sentence.span(j)
                plain_column = span.kind is Thing.ENTITY and span.columns and not span.values
                if not (plain_column or span.kind in _BETWEEN_COLUMNS or sentence.light(j)):
                    break
        nearest = next((j for j in range(i - 1, -1, -1) if sentence.table(j) is not None), None)
        if nearest is None:
            return None
        if any(sentence.kind(j) is Thing.STOP and sentence.span(j).text in "?." for j in range(nearest, i)):
            return sentence.main  # "Which customers …? List their names."
        return sentence.table(nearest)

    def choose(
        self, candidates: Mapping[ColumnRef, Evidence], i: int, *, back: bool = False, numeric: bool = False
    ) -> Choice:
        """The column that the word at `i` means: of its owner, else of what is mentioned, else of the neighbours."""
        if self.barred:
            candidates = {ref: e for ref, e in candidates.items() if ref not in self.barred} or candidates
        candidates = self._without_unsold(candidates, i)
        if self._timed(i):
            dates = {ref: e for ref, e in candidates.items() if self.column(ref).is_date}
            candidates = dates or candidates
        if numeric:
            fitting = {ref: e for ref, e in candidates.items() if self._fits_number(ref)}
            if fitting and (min(fitting.values()) <= min(candidates.values())):
                candidates = fitting
        word = self.sentence.span(i).text
        owner = self.owner(i, back=back)
        mentioned = self.sentence.tables or self._measured or self._valued
        pools = (
            ("", (owner,) if owner else ()),
            ("", mentioned),
            ("column_from_neighbour", self.beside(mentioned)),
            ("parent_column", self.parents(mentioned)),
        )
        for kind, pool in pools:
            inside = {ref: evidence for ref, evidence in candidates.items() if ref.table in pool}
            if inside:
                related = (*self.beside(mentioned), *self.parents(mentioned))
                named = [ref for ref, e in candidates.items() if e is Evidence.EXACT and ref.table in related]
                next_door = self.beside(mentioned)
                named = [ref for ref in named if ref.table in next_door] or named
                head = stems(word)[-1:]
                own = [ref for ref in inside if self.column(ref).words[-1:] == head]  # the country that is billed
                own = [ref for ref in own if self.column(ref).words[0] not in stem_set(COMPUTED_PREFIXES)]
                if not kind and len(named) == 1 and min(inside.values()) >= Evidence.PARTIAL and not own:
                    continue  # the very name next door is better than half of one here
                exact = [ref for ref, evidence in candidates.items() if evidence is Evidence.EXACT]
                if len(exact) == 1 and exact[0] in inside:  # the very name, which only one column has
                    kind = {"parent_column": "", "column_from_neighbour": "only_column"}.get(kind, kind)
                return self._best(inside, word, kind)
        return self._far(candidates, word, bool(mentioned))

    def _timed(self, i: int) -> bool:
        """ "booked in 2024": a verb with a time after it says when, and not who did it."""
        following = self.sentence.after(i, Mark.OF, Mark.WHEN)
        kind = self.sentence.kind(following)
        year = kind is Thing.NUMBER and len(self.sentence.span(following).detail) == 4
        return self.sentence.span(i).low.endswith("ed") and (kind is Thing.PERIOD or year)

    def _without_unsold(self, candidates: Mapping[ColumnRef, Evidence], i: int) -> Mapping[ColumnRef, Evidence]:
        """ "units" are what was sold only where something is said of selling: there are units in stock as well."""
        trade, span = self.facts.trade, self.sentence.span(i)
        if (
            trade is None
            or trade.quantity is None
            or trade.quantity not in candidates
            or stems(span.text) not in _UNITS
        ):
            return candidates
        if stem_set(_SELLING) & self.sentence.stems:
            return {trade.quantity: candidates[trade.quantity]}
        left = {ref: evidence for ref, evidence in candidates.items() if ref != trade.quantity}
        if not left:
            raise DeadEnd("ambiguous_column", span.text, self._readable(trade.quantity))
        return left

    def referred(self, ref: ColumnRef) -> str | None:
        """The table whose rows a column of keys stands for, where people would rather see their names."""
        column = self.column(ref)
        if not column.is_reference or column.is_key or column.words[-1] != stem("id"):
            return None
        found = [
            r for r in self.facts.relationships if r.pairs == ((ref.column, r.pairs[0][1]),) and r.left == ref.table
        ]
        between = [
            r for r in self.facts.relationships if found and {r.left, r.right} == {found[0].left, found[0].right}
        ]
        return found[0].right if len(found) == len(between) == 1 else None

    def _fits_number(self, ref: ColumnRef) -> bool:
        column = self.column(ref)
        return column.is_numeric or column.is_key or column.is_reference

    def _best(self, candidates: Mapping[ColumnRef, Evidence], word: str, kind: str) -> Choice:
        evidence = min(candidates.values())
        best = [ref for ref, found in candidates.items() if found == evidence]
        assumptions: list[Assumption] = []
        if len(best) > 1:
            mains = [ref for ref in best if ref.table == self.sentence.main]
            single = [ref for ref in best if not self._several_roles(ref.table)]
            if evidence is Evidence.WEAK and not mains and kind:
                raise DeadEnd("ambiguous_column", word, *(self._readable(ref) for ref in best[:4]))
            if not mains and len(single) == 1:
                assumptions.append(assumption("likely_column", word, self._readable(single[0])))
                best = single
            elif not self._all_joined(best) and len(mains) != 1:
                raise DeadEnd("ambiguous_column", word, *(self._readable(ref) for ref in (mains or best)[:4]))
            best = mains or best
        ref = best[0]
        assumptions += _evidence_assumption(evidence, word, self._readable(ref))
        if kind:
            assumptions.append(assumption(kind, word, self._readable(ref)))
        return Choice(ref, tuple(assumptions))

    def _far(self, candidates: Mapping[ColumnRef, Evidence], word: str, mentioned: bool) -> Choice:
        evidence = min(candidates.values())
        best = [ref for ref, found in candidates.items() if found == evidence]
        assumptions: list[Assumption] = []
        if len(best) > 1:
            if evidence is Evidence.WEAK:
                raise DeadEnd("ambiguous_column", word, *(self._readable(ref) for ref in best[:4]))
            best = [ref for ref in best if self.column(ref).is_key] or best
            single = [ref for ref in best if not self._several_roles(ref.table)]
            if len(single) != 1 and not self._all_joined(best):
                raise DeadEnd("ambiguous_column", word, *(self._readable(ref) for ref in best[:4]))
            best = single or best
            assumptions.append(assumption("likely_column", word, self._readable(best[0])))
        assumptions += _evidence_assumption(evidence, word, self._readable(best[0]))
        if mentioned:
            assumptions.append(assumption("far_column", word, self._readable(best[0])))
        return Choice(best[0], tuple(assumptions))

    def _several_roles(self, table: str) -> bool:
        """Whether a neighbour refers to the table in several roles: a less likely place than one with a single role."""
        neighbours = self.facts.neighbours.get(table, ())
        return len(neighbours) > len(set(neighbours))

    def _all_joined(self, refs: Sequence[ColumnRef]) -> bool:
        """Whether the columns are the two sides of one join, so that it does not matter which is taken."""
        joined = self.facts.joined
        return all(frozenset((x, y)) in joined for k, x in enumerate(refs) for y in refs[k + 1 :])

    def _readable(self, ref: ColumnRef) -> str:
        return f"{self.facts.tables[ref.table].readable} → {self.column(ref).readable}"

    def readable(self, ref: ColumnRef) -> str:
        """A column's name for people, with its table's."""
        return self._readable(ref)

    def _goods(self, mentioned: Sequence[str]) -> tuple[str, ...]:
        """What those who are mentioned may have bought, and the kinds of it."""
        trade = self.facts.trade
        if trade is None or trade.document is None or not stem_set(DEALING) & self.sentence.stems:
            return ()
        bought = trade.document in mentioned or any(t in self.parents((trade.document,)) for t in mentioned)
        return (*trade.goods, *self.parents(trade.goods)) if bought else ()

    def value_column(self, i: int) -> Choice | None:
        """The column in which the value at `i` is looked for."""
        span = self.sentence.span(i)
        if not span.values:
            return None
        mentioned = self.sentence.tables or self._measured
        owner = self.owner(i, back=True)
        above = (*self.linked(mentioned), *self._goods(mentioned), *self.parents(mentioned))
        near = (*self.beside(mentioned), *above) if mentioned else self._named
        pools: tuple[tuple[str, ...] | None, ...] = ((owner,) if owner else (), mentioned, near, None)
        for rank, pool in enumerate(pools):
            inside = [ref for ref in span.values if pool is None or ref.table in pool]
            if inside:
                inside = self._directed(inside, i) or inside
                return self._best_value(inside, span, rank, bool(mentioned))
        return None

    def _directed(self, refs: Sequence[ColumnRef], i: int) -> list[ColumnRef]:
        """ "from Paris to Berlin": where the value is in several columns, those that the preposition points to."""
        words = self.directions(i)
        return [ref for ref in refs if words & set(self.column(ref).words)] if len(refs) > 1 else []

    def directions(self, i: int) -> frozenset[str]:
        """The words of the columns that the preposition before the value at `i` points to."""
        return stem_set(DIRECTIONS.get(self.sentence.span(i - 1).low, frozenset()))

    def _best_value(self, refs: list[ColumnRef], span: Span, rank: int, mentioned: bool) -> Choice:
        assumptions: list[Assumption] = []
        if len(refs) > 1:
            refs = [ref for ref in refs if span.values[ref].lower() == span.low] or refs
        if rank == 2 and mentioned and len({ref.table for ref in refs}) > 1:
            raise DeadEnd("ambiguous_value", span.text, *(self._readable(ref) for ref in refs[:4]))
        if len(refs) > 1:
            main = [ref for ref in refs if ref.table == self.sentence.main]
            labels = [ref for ref in refs if self.label(ref.table) == ref]
            if not mentioned and rank == 3 and len(labels) != 1 and len({ref.table for ref in refs}) > 1:
                raise DeadEnd("ambiguous_value", span.text, *(self._readable(ref) for ref in refs[:4]))
            refs = main or labels or refs
            assumptions.append(assumption("ambiguous_value", span.text, self._readable(refs[0])))
        if rank == 2 and mentioned:
            assumptions.append(assumption("value_from_neighbour", span.text, self._readable(refs[0])))
        elif rank == 3 and mentioned:
            if span.text.islower() and len(span.text.split()) == 1:
                raise DeadEnd("unplaced_words", span.text)  # "money" is a song, but not here
            assumptions.append(assumption("far_value", span.text, self._readable(refs[0])))
        return Choice(refs[0], tuple(assumptions))

    def literal(self, span: Span, ref: ColumnRef) -> Literal:
        """The value of a span as the column would hold it."""
        if span.kind is Thing.NUMBER:
            return self.number(span.detail, ref)
        return span.values.get(ref, span.text)

    def number(self, digits: str, ref: ColumnRef) -> Literal:
        """A number as the column holds it: text where the column holds numbers as text."""
        column = self.column(ref)
        if "-" in digits or not column.is_numeric or (column.numeric_text and not column.plain_numbers):
            return digits
        return figure(digits)


def too_large(digits: str) -> DeadEnd:
    """Why nothing is compared with a number of so many digits."""
    return DeadEnd("number_too_large", digits if len(digits) <= _MOST_SHOWN else f"{digits[:_MOST_SHOWN]}…")


def figure(digits: str) -> int | float:
    """The number that digits stand for; a dead end for a day, and for a number that is too large for a database."""
    number = plain_number(digits)
    if number is None:
        raise DeadEnd("unplaced_words", digits) if "-" in digits else too_large(digits)
    return number


def _evidence_assumption(evidence: Evidence, word: str, target: str) -> tuple[Assumption, ...]:
    match evidence:
        case Evidence.PARTIAL:
            return (assumption("partial_column", word, target),)
        case Evidence.WEAK:
            return (assumption("weak_column", word, target),)
        case _:
            return ()
