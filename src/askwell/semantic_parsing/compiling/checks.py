"""What speaks against a reading, and rows that do not count, such as cancelled orders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.lexicon import english
from askwell.semantic_parsing.compiling.comparability import Meaningless
from askwell.semantic_parsing.compiling.expressions import AGGREGATES
from askwell.semantic_parsing.compiling.joined import Joined, repeats
from askwell.semantic_parsing.compiling.outline import Outline, havings_of
from askwell.semantic_parsing.compiling.outputs import Span
from askwell.semantic_parsing.compiling.predicates import PredicateWriter
from askwell.semantic_parsing.compiling.vocabulary import Vocabulary, one_of
from askwell.semantic_parsing.forms import AnyOf, Compare, During, Every, Holds, Measure, Metric, Ref, Rows, Without
from askwell.semantic_parsing.grounding import Part, column_sign, parts_of, unit_sign
from askwell.semantic_parsing.model.catalog import DATE, FLAG, KEY, NUMBER, Catalog
from askwell.semantic_parsing.model.word_forms import word_forms

# A column with the states of what came to nothing.
States = tuple[ColumnRef, Sequence[str]]
_ADDED_UP = frozenset({"sum", "total", "avg", "mean", "share"})


def unspoken_states(catalog: Catalog, tables: Iterable[str], columns: Mapping[Part, ColumnRef]) -> list[States]:
    """Those of the tables, where the question speaks of no state."""
    known = [catalog.undone[table] for table in dict.fromkeys(tables) if table in catalog.undone]
    return [(state, undone) for state, undone in known if state not in columns.values()]


def earning(
    catalog: Catalog, figures: Iterable[Measure], columns: Mapping[Part, ColumnRef], said: frozenset[str]
) -> list[str]:
    """The tables of which income is added up; for lines without a date of their own also what they are lines of.
    Whoever asks for a column by its name, the total of invoices, asks for all of it, and so does whoever has said what
    a figure is."""
    found: list[str] = []
    for figure in figures:
        match figure:
            case Measure("metric", Metric(table=table, taught=False)):
                found.append(table)
            case Measure(op, Ref() as of) if op in _ADDED_UP and catalog.is_income(columns[of], said):
                found.append(columns[of].table)
    lines = [t for t in found if t not in catalog.undone and not any(c.is_date for c in catalog.table(t).columns)]
    return [*found, *(document for table in lines for document in catalog.facts.referred.get(table, ()))]


def left_out(vocabulary: Vocabulary, states: Iterable[States]) -> list[exp.Expr]:
    """Conditions that leave rows of these states out. What has no state stays."""
    found: list[exp.Expr] = []
    for state, undone in states:
        this = vocabulary.column(state, qualified=True)
        texts = [exp.Literal.string(text) for text in undone]
        other = one_of(this, texts, negated=True)
        found.append(exp.paren(exp.or_(exp.Is(this=this.copy(), expression=exp.Null()), other)))
    return found


# Joins between rows and what they belong to.
_NEAR = 2.0


class Checks:
    """Signs of the outlines of one grounding."""

    def __init__(self, catalog: Catalog, predicates: PredicateWriter, *, bare: bool) -> None:
        self._catalog, self._bare = catalog, bare
        self._columns, self._said, self._features = predicates.columns, predicates.said, predicates.features

    # ------------------------------------------------------------ conditions
    def of_conditions(self, outline: Outline) -> Iterator[str]:
        """Signs of the conditions."""
        yield from self._contradictions(outline)
        yield from self._misplaced_times(outline)
        yield from self._times_apart(outline)
        yield from self._compared_apart(outline)
        yield from self._other_units(outline)

    def _contradictions(self, outline: Outline) -> Iterator[str]:
        query = outline.query
        counted = [m.of.where for m in outline.measures if isinstance(m.of, Rows)]
        where = [*query.where, *(p for conditions in counted for p in conditions if p not in query.where)]
        where += [part for p in where if isinstance(p, Every) for part in p.parts]
        equal = [(self._columns[p], p.values) for p in where if isinstance(p, Holds) and not p.negated]
        either = [part for p in where if isinstance(p, AnyOf) for part in p.parts if isinstance(part, Holds)]
        if {self._columns[part] for part in either} & {column for column, _ in equal}:
            yield "sql:contradiction"
        within = [(self._columns[p.of], p.periods) for p in query.where if isinstance(p, During) and _is_closed(p)]
        for held in (equal, within):  # no row has two values, or is of two times
            if len({column for column, _ in held}) < len(set(held)):
                yield "sql:contradiction"
        without = [(self._columns[p.of], p.periods) for p in query.where if isinstance(p, During) and p.negated]
        blank = [p for p in query.where if isinstance(p, Compare) and p.op in ("empty", "blank") and not p.negated]
        missing = {self._columns[p.left] for p in blank if isinstance(p.left, Ref)}
        told = [p for p in where if isinstance(p, Compare) and p.op in ("empty", "blank") and p.negated]
        there = {self._columns[p.left] for p in told if isinstance(p.left, Ref)}
        if set(within) & set(without) or missing & there or missing & {column for column, _ in within}:
            yield "sql:contradiction"

    def _misplaced_times(self, outline: Outline) -> Iterator[str]:
        """A time that may be that of another date that is spoken of, or of what did not happen ("who has bought
        nothing in 2026"), and today as the day on which something began that is still so."""
        query, catalog = outline.query, self._catalog
        absent = [p.other.table for p in query.where if isinstance(p, Without)]
        dated = any(column.is_date for table in absent for column in catalog.table(table).columns)
        done = [self._columns[p.left] for p in query.where if isinstance(p, Compare) and isinstance(p.left, Ref)]
        done = [column for column in done if catalog.kind(column) == DATE]
        for during in (p for p in query.where if isinstance(p, During)):
            column = self._columns[during.of]
            known = column_sign(column) in self._said
            if not known and during.of.implicit and any(c.table == column.table and c != column for c in done):
                yield "sql:time_of_another"  # "cancelled last year" is when that was, and not when it began
            if dated and during.of.implicit and column.table == outline.head:
                yield "sql:time_beside_absence"
            if not known and any(period.is_today for period in during.periods) and self._begins_a_span(column):
                yield "sql:begun_today"

    def _times_apart(self, outline: Outline) -> Iterator[str]:
        """A period of one date, and groups by the periods of another one that nobody has named: "stays per month of
        arrival this year"."""
        within = {self._columns[p.of] for p in outline.query.where if isinstance(p, During)}
        by = {key.column for key in outline.groups if isinstance(key, Span)}
        if within and by and not within & by and {one.table for one in within} == {one.table for one in by}:
            yield "sql:time_of_another"

    def _compared_apart(self, outline: Outline) -> Iterator[str]:
        """Two columns of different tables that are compared, of which one is not named: "restorations that cost more
        than quoted" are not those with a dearer part."""
        for one in outline.query.where:
            sides = (one.left, *one.right) if isinstance(one, Compare) else ()
            tables = {self._columns[side].table for side in sides if isinstance(side, Ref)}
            if len(tables) > 1 and any(not set(self._catalog.table(t).words) & self._said for t in tables):
                yield "sql:compared_apart"

    def _other_units(self, outline: Outline) -> Iterator[str]:
        """A number of metres that is compared with a column of kilometres."""
        said = {unit for unit in english().units.values() if unit_sign(unit) in self._said}
        for one in outline.query.where:
            column = self._columns[one.left] if isinstance(one, Compare) and isinstance(one.left, Ref) else None
            unit = self._catalog.unit_of(column) if column is not None else None
            if said and unit and unit not in said:
                yield "sql:other_unit"

    def _begins_a_span(self, date: ColumnRef) -> bool:
        """Whether a date is called by a word that nobody said for the begin of what another date of the row ends."""
        words = set(self._catalog.column(date).words)
        others = {word for c in self._catalog.table(date.table).columns if c.is_date for word in c.words}
        return any(first in words - self._said and last in others for first, last in english().spans)

    # ------------------------------------------------------------ the whole
    def of_whole(self, outline: Outline, joined: Joined, once: str | None) -> Iterator[str]:
        """Signs of what is shown; each row of `once` counts once. Raises `Meaningless` where every group does."""
        yield from self._of_figures(outline, joined, once)
        yield from self._of_ranking(outline, joined)
        yield from self._of_shown(outline)
        yield from self._shows_only(outline)
        yield f"sql:shown{min(len(outline.outputs), 5)}"
        yield f"sql:conditions{min(len(outline.query.where), 4)}"

    def _of_figures(self, outline: Outline, joined: Joined, once: str | None) -> Iterator[str]:
        catalog, figures = self._catalog, outline.figures
        for figure in figures:
            if figure.op in ("sum", "avg", "mean", "total") and isinstance(figure.of, Ref):
                if repeats(catalog, joined, self._columns[figure.of].table):
                    yield "sql:figure_over_repeats" if once is None else "sql:figure_once"
                if figure.op in ("sum", "total") and self._is_state(self._columns[figure.of]):
                    yield "sql:states_added"
        everything = figures and "sql:undone_left_out" not in self._features
        if everything and unspoken_states(catalog, joined.tables, self._columns):
            yield "sql:undone_too"
        facts = {
            self._columns[f.of].table if isinstance(f.of, Ref) else f.of.table for f in figures if f.of is not None
        }
        if facts and joined.joins and not any(repeats(catalog, joined, table) for table in facts):
            yield "sql:star"  # what is counted or added up, by what its rows refer to
        lines = [f.of.table if isinstance(f.of, Rows) else outline.head for f in figures if f.op == "count"]
        if any(t and catalog.has_quantity(t) and not set(catalog.table(t).words) <= self._said for t in lines):
            yield "sql:lines_counted"  # "how many tickets" are not as many as lines of tickets
        counted = {f.of.table for f in figures if f.op == "count" and isinstance(f.of, Rows)}
        if len(counted) > 1 and joined.joins and not outline.groups:
            yield "sql:counts_joined"  # only those that belong to each other would be counted
        yield from self._namesakes(outline, lines)
        self._refuse_counting_ones(outline, joined)

    def once(self, outline: Outline, joined: Joined) -> str | None:
        """The table of which all figures are, where joins repeat its rows and each has to count once: "the average age
        of the students of Fox". None where rows that repeat it may each be meant, as purchases of a product are."""
        catalog, figures = self._catalog, [*outline.figures, *(h.left for h in havings_of(outline.query))]
        of = [f.of for f in figures if isinstance(f, Measure) and f.op in AGGREGATES and isinstance(f.of, Ref)]
        tables = {self._columns[one].table for one in of}
        if len(of) < len(figures) or len(tables) != 1 or outline.partitions or outline.query.again is not None:
            return None
        (table,) = tables
        if catalog.key(table) is None or not repeats(catalog, joined, table):
            return None
        others = [name for name in joined.tables if name != table]
        is_mean = (
            all(f.op != "sum" and f.op != "total" for f in figures if isinstance(f, Measure)) and not outline.groups
        )
        events = any(column.is_date for name in others for column in catalog.table(name).columns)
        return None if any(map(catalog.has_quantity, others)) or (events and not is_mean) else table

    def _is_state(self, column: ColumnRef) -> bool:
        """Whether an amount is a running total, or how something stood at one of many times."""
        facts, forms = self._catalog.table(column.table), word_forms()
        if forms.running & set(facts.words):
            return True
        of_times = any(c.is_date and forms.moments.issuperset(c.words) for c in facts.columns)
        of_others = any(c.is_reference for c in facts.columns) or facts.key is None
        return of_times and of_others and bool(forms.states & set(self._catalog.column(column).words))

    def _namesakes(self, outline: Outline, counted: list[str | None]) -> Iterator[str]:
        """Rows that are counted by their own name, which something else has too: "how many songs by Moss", where a song
        is called so as well; and rows with a value that is the name of what they belong to: a composer and an artist
        who are called alike."""
        catalog = self._catalog
        for held in outline.query.where:
            if not isinstance(held, Holds) or held.of is not None or held.negated:
                continue
            column = self._columns[held]
            others = {ref for value in held.values for ref, _ in value.options if ref.table != column.table}
            if column_sign(column) in self._said:
                continue
            names = {ref for ref in others if ref == self._catalog.table(ref.table).label}
            if column in catalog.labels(column.table):
                found = column.table in counted and bool(names)
            else:
                found = any(catalog.distance(column.table, ref.table) <= _NEAR for ref in names)
            if found:
                yield "sql:namesakes"

    def _refuse_counting_ones(self, outline: Outline, joined: Joined) -> None:
        catalog, groups, figures = self._catalog, outline.groups, outline.figures
        keyed = [g.table for g in groups if isinstance(g, ColumnRef) and g == catalog.key(g.table)]
        if len(keyed) == len(groups) == 1 and not repeats(catalog, joined, keyed[0]):
            counted = any(f.op == "count" and (f.of is None or isinstance(f.of, Rows)) for f in figures)
            if counted or (not figures and havings_of(outline.query)):
                raise Meaningless("each counts once")

    def _of_ranking(self, outline: Outline, joined: Joined) -> Iterator[str]:
        catalog, head = self._catalog, outline.head
        first = outline.orders[0][0] if outline.orders else None
        rises = outline.query.rank is not None and not outline.query.rank.descending
        counts = isinstance(first, Measure) and first.op == "count"
        if rises and joined.joins and outline.groups and counts and not joined.outer:
            yield "sql:none_left_out"  # what has none at all has the fewest
        if outline.query.rank is not None and isinstance(first, ColumnRef) and not outline.groups and head is not None:
            if repeats(catalog, joined, head) and catalog.kind(first) == NUMBER and catalog.is_additive(first):
                yield "sql:rank_over_repeats"
            elif first.table != head and repeats(catalog, joined, head):
                yield "sql:rank_of_others"  # each has many
            elif first.table != head and not repeats(catalog, joined, head):
                yield "sql:rank_of_parent"  # others may share the first place

    def _of_shown(self, outline: Outline) -> Iterator[str]:
        """Whether what is shown is what was said, names no row, or is a key that nobody asked for."""
        catalog, query, outputs = self._catalog, outline.query, outline.outputs
        columns = [o for o in outputs if isinstance(o, ColumnRef)]
        if query.head is not None and catalog.labels(query.head) and query.select and query.late:
            if not set(catalog.labels(query.head)) & set(columns):
                yield "sql:label_apart"
        if not self._bare and not outline.partitions and not self._said & word_forms().key_words:
            keys = [column for column in columns if catalog.kind(column) == KEY]
            if any(not self._is_only_name(key) for key in keys):
                yield "people:key_shown"
        if len(outputs) == len(columns) == 1 and self._is_total(columns[0]):
            yield "sql:total_listed"  # "the total of bookings" is one figure
        told = {self._columns[p] for p in query.where if isinstance(p, Holds) and not p.negated and len(p.values) == 1}
        counted = {self._columns[m.of] for m in outline.measures if m.op == "count" and isinstance(m.of, Ref)}
        if counted & told:
            raise Meaningless("one value counts once")
        if outputs and len(columns) == len(outputs) and told.issuperset(columns):
            yield "sql:echo"
        elif told.intersection(columns):
            yield "sql:echo_beside"

    def _shows_only(self, outline: Outline) -> Iterator[str]:
        """What the answer would be nothing but: a figure, whether something is so, or a time that nobody asked for; and
        whether how things are now was asked for, and the rows that are so no more are among them."""
        catalog, lexicon = self._catalog, english()
        columns = [o for o in outline.outputs if isinstance(o, ColumnRef)]
        kinds = {catalog.kind(column) for column in columns} if len(columns) == len(outline.outputs) else set()
        if not columns and outline.measures and not outline.groups:
            yield "sql:one_figure"
        if kinds == {NUMBER}:
            yield "sql:only_numbers"
        if kinds == {FLAG}:
            yield "sql:only_flag"
        if kinds == {DATE} and not lexicon.times_asked & self._said:
            yield "sql:only_date"
        if self._holds_what_ended(outline):
            yield "sql:not_only_now"

    def _holds_what_ended(self, outline: Outline) -> bool:
        lexicon = english()
        states = [part for p in outline.query.where for part, _ in parts_of(p) if isinstance(part, Holds)]
        now = lexicon.nowadays & self._said or (lexicon.lasting & self._said and not states)
        if outline.head is None or not now:
            return False
        dates = [c for c in self._catalog.table(outline.head).columns if c.is_date]
        ends = {c.ref for c in dates if lexicon.ended_dates & set(c.words)}
        if ends:
            return not ends & set(self._columns.values())
        return not outline.query.where and any(map(self._lasts, self._events_of(outline.head)))

    def _events_of(self, head: str) -> Iterator[str]:
        """The tables whose rows are about one row of `head`."""
        return (name for name, parents in self._catalog.facts.referred.items() if head in parents)

    def _lasts(self, table: str) -> bool:
        """Whether what a row says lasts from one of its dates to another: a stay from arrival to departure."""
        words = {word for column in self._catalog.table(table).columns if column.is_date for word in column.words}
        return any(first in words and last in words for first, last in english().spans)

    def _is_total(self, column: ColumnRef) -> bool:
        facts = self._catalog.column(column)
        return facts.is_measure and facts.words[-1] in english().figures

    def _is_only_name(self, key: ColumnRef) -> bool:
        """Whether rows of its table have no other name than one that describes them."""
        names = [self._catalog.column(label).words[-1] for label in self._catalog.labels(key.table)]
        return self._catalog.key(key.table) == key and word_forms().describing.issuperset(names)


def _is_closed(during: During) -> bool:
    return not during.negated and all(None not in (period.start, period.end) for period in during.periods)
